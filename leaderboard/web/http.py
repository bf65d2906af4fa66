"""Helpers for requests and responses."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header

from leaderboard.models import System

Result = TypeVar("Result")


def post_action(
    request: HttpRequest,
    do: Callable[[], Result],
    *,
    done: str | Callable[[Result], str],
    refused: type[Exception],
    then: HttpResponse,
    instead: HttpResponse | None = None,
) -> HttpResponse:
    """Carry out a form's action, and report success or the reason for a refusal on the next page: *then*, or
    *instead* after a refusal, which is an error that *do* raises."""
    try:
        result = do()
    except refused as error:
        messages.error(request, str(error))
        return instead or then
    messages.success(request, done if isinstance(done, str) else done(result))
    return then


def with_other_arguments(request: HttpRequest, *arguments: str) -> str:
    """The URL of the requested page or API address for other arguments, with the query of the request."""
    assert request.resolver_match is not None  # noqa: S101 - the request has reached a view
    query = request.META.get("QUERY_STRING", "")
    return reverse(request.resolver_match.view_name, args=arguments) + (f"?{query}" if query else "")


def moved_system(request: HttpRequest, argument: str, reason: str = "") -> HttpResponse:
    """The redirect to the same address of the system that the requested one once named: for good, if it had another
    name. Two queries.

    Args:
        argument: of the address, which has the system's slug.
        reason: why there is no such page.

    Raises:
        Http404: the address named no system that is shown under another one.
    """
    assert request.resolver_match is not None  # noqa: S101 - the request has reached a view
    arguments = request.resolver_match.kwargs
    slug = arguments[argument]
    behind = System.objects.behind(slug)
    if behind is None:
        raise Http404(reason)
    url = reverse(request.resolver_match.view_name, kwargs=arguments | {argument: behind.slug})
    query = request.META.get("QUERY_STRING", "")
    permanent = not System.objects.filter(slug=slug).exists()
    return redirect(url + (f"?{query}" if query else ""), permanent=permanent)


def file_response(
    request: HttpRequest, make: Callable[[], bytes], *, tag: str, content_type: str, filename: str
) -> HttpResponse:
    """A file to download; 304 without creating it if the client has it already. *tag*, which becomes the ETag,
    changes whenever the content does."""
    etag = f'"{tag}"'
    response = HttpResponse(content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, filename) or ""
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    conditional = get_conditional_response(request, etag=etag, response=response)
    if conditional is not None and conditional is not response:
        return conditional
    response.content = make()
    return response


def attachment(content: bytes | str, content_type: str, filename: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, filename) or ""
    return response
