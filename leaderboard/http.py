"""Small things about requests and responses."""

import hashlib

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


def file_response(request: HttpRequest, content: bytes, *, content_type: str, filename: str) -> HttpResponse:
    """A file to keep, with an ETag made of its content; 304 without the content for who has it already."""
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, filename) or ""
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    conditional = get_conditional_response(request, etag=etag, response=response)
    return response if conditional is None else conditional
