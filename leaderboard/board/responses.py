"""Responses that are the same for all readers until the board changes: 304, from the cache, or rendered.

No entry of the cache is ever invalidated: the key contains the version of the content (see
`leaderboard.board.lookup.StoredBoard`), so entries of an earlier version are never found again and expire.
"""

import gzip
import hashlib
import logging
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from leaderboard.board.table.params import BoardParams

logger = logging.getLogger(__name__)

SECONDS: Final = 300
"""The maximum lifetime of an entry: a safeguard in case the version ever misses a change."""
MAX_CACHED_KEYS: Final = 2
VARY: Final = ("Cookie", "Accept-Encoding")


def cached_response(
    request: HttpRequest,
    version: str,
    part: str,
    make: Callable[[], str],
    params: BoardParams = BoardParams(),  # noqa: B008
    *,
    personal: bool = True,
) -> HttpResponse:
    """A page of a board.

    Readers without a session get a response that any cache may store and must revalidate (304 while it is unchanged).

    Args:
        version: of the content.
        part: which page, or which part of a page.
        make: renders it.
        personal: whether it names its reader, contains a form token or shows messages once: then it is rendered for
            every request with a session.
    """
    ignored = " ".join(repr(str(parameter)) for parameter in getattr(request, "ignored", ()))  # the page names them
    tag = tag_of(version, params, f"{part} {request.path} {ignored}")
    etag = f'W/"{tag}"'
    if {settings.SESSION_COOKIE_NAME, "messages"} & set(request.COOKIES):
        response = HttpResponse(make()) if personal else _compressed_response(request, cached_gzip(tag, params, make))
        response["Cache-Control"] = "private, no-cache"
    else:
        if etag in parse_etags(request.headers.get("If-None-Match", "")):
            response = HttpResponseNotModified()
        else:
            response = _compressed_response(request, cached_gzip(tag, params, make, typed=bool(ignored)))
        response["ETag"] = etag
        response["Cache-Control"] = "no-cache"
    patch_vary_headers(response, VARY)
    return response


def tag_of(version: str, params: BoardParams, part: str) -> str:
    """A key for one part (page, table, …) of one board with these parameters, in its current version; 32 digits."""
    return hashlib.sha256(f"{version}\n{part}\n{params.query_string()}".encode()).hexdigest()[:32]


def cached_gzip(tag: str, params: BoardParams, make: Callable[[], str], *, typed: bool = False) -> bytes:
    """The gzip-compressed text of a key, rendered if it is not cached. Without the cache pages are only slower.

    Args:
        typed: whether it also depends on what its reader typed.
    """
    key = f"board:{tag}"
    # Other readers are unlikely to type the same text or to choose the same long order.
    typed = typed or bool(params.q) or params.context_min is not None or params.context_max is not None
    typed = typed or any("." in name for name, _ in (*params.attributes, *params.facts))
    if typed or len(params.sort) > MAX_CACHED_KEYS:
        return _compressed(make())
    try:
        # The version is part of the key: what is outdated is never read again, and nothing has to be deleted.
        packed: bytes | None = cache.get(key)
    except Exception as error:  # noqa: BLE001 - any error of the cache's client
        logger.warning("Cached boards are unavailable: %s", type(error).__name__)
        return _compressed(make())
    if packed is None:
        packed = _compressed(make())
        try:
            cache.set(key, packed, SECONDS)
        except Exception as error:  # noqa: BLE001
            logger.warning("A board was not cached: %s", type(error).__name__)
    return packed


def _compressed(text: str) -> bytes:
    return gzip.compress(text.encode(), compresslevel=4, mtime=0)


def _compressed_response(request: HttpRequest, packed: bytes) -> HttpResponse:
    """A gzip-compressed page if the client accepts it. It must not contain secrets or any of the reader's data."""
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers = {"Content-Encoding": "gzip", "Content-Length": str(len(packed))}
        return HttpResponse(packed, headers=headers)
    return HttpResponse(gzip.decompress(packed))
