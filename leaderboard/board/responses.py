"""Responses that are the same for all readers until the board changes: 304, from the cache, or rendered."""

import gzip
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags
from django.utils.safestring import SafeString, mark_safe

from leaderboard.board.lookup import StoredBoard
from leaderboard.board.table.cache import cached_gzip, tag_of
from leaderboard.board.table.params import BoardParams
from leaderboard.web.http import gzip_response


def cached_inside(stored: StoredBoard, params: BoardParams, part: str, make: Callable[[], str]) -> SafeString:
    """The inner part of a page, rendered once for all readers.

    Args:
        part: the page that it belongs to.
        make: renders it, escaped.
    """
    packed = cached_gzip(tag_of(stored.version, params, f"inside {part}"), params, make)
    return mark_safe(gzip.decompress(packed).decode())  # noqa: S308 - a rendered template


def cached_response(
    request: HttpRequest,
    stored: StoredBoard,
    params: BoardParams,
    part: str,
    make: Callable[[], str],
    *,
    personal: bool,
) -> HttpResponse:
    """A page of a board.

    Readers without a session get a response that any cache may store and must revalidate (304 while it is unchanged).

    Args:
        part: which page, or which part of a page.
        make: renders it.
        personal: whether it names its reader, contains a form token or shows messages once: then it is rendered for
            every request with a session.
    """
    tag = tag_of(stored.version, params, f"{part} {request.path}")
    if {settings.SESSION_COOKIE_NAME, "messages"} & set(request.COOKIES):
        response = HttpResponse(make()) if personal else gzip_response(request, cached_gzip(tag, params, make))
        response["Cache-Control"] = "private, no-cache"
        return response
    etag = f'W/"{tag}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = HttpResponseNotModified()
    else:
        response = gzip_response(request, cached_gzip(tag, params, make))
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    return response
