"""The page that says what the numbers mean."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.pages.definitions import definitions_page


@require_safe
def definitions(request: HttpRequest) -> HttpResponse:
    """Every metric in words, with its signatures, and how far systems move on the repaired ones."""
    return render(request, "leaderboard/pages/definitions.html", {"benchmarks": definitions_page()})
