"""Small things about requests and responses."""

import gzip
from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header

from leaderboard.models import User


def signed_in_user(request: HttpRequest) -> User:
    """The account behind a request whose view is behind ``login_required``.

    Raises:
        PermissionDenied: nobody is signed in.
    """
    if not isinstance(request.user, User):
        raise PermissionDenied("Sign in first.")
    return request.user


def file_response(
    request: HttpRequest, make: Callable[[], bytes], *, tag: str, content_type: str, filename: str
) -> HttpResponse:
    """A file to keep; 304 without making it for who has it already.

    Args:
        make: gives the content.
        tag: changes whenever the content does; becomes the ETag.
    """
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


def packed_response(request: HttpRequest, packed: bytes) -> HttpResponse:
    """A gzip-compressed page for whoever takes it so. It may hold no secret: nothing in it is the reader's own."""
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response = HttpResponse(packed)
        response["Content-Encoding"] = "gzip"
        response["Content-Length"] = str(len(packed))
        return response
    return HttpResponse(gzip.decompress(packed))
