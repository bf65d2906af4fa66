"""Every address of the site, and a view that does nothing."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from leaderboard.project import urls


def empty(request: HttpRequest) -> HttpResponse:
    """What Django and the middleware cost by themselves."""
    del request
    return HttpResponse(b"")


urlpatterns = [path("bench/empty/", empty), *urls.urlpatterns]
