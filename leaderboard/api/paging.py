"""Pagination of lists: an array as the body, and the URLs of the neighbouring pages in the Link header (RFC 8288).

Cursors are those of `leaderboard.web.keysets`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from django.core import signing
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.request import Request

from leaderboard.web.keysets import NOT_OF_THIS_LIST, CursorError, Order, Row, keyset_page

Item = TypeVar("Item")
PAGE_SIZE = 100
MAX_PAGE_SIZE = 500
PAGING = [
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE},
        description="Number of rows per page.",
    ),
    OpenApiParameter(
        "cursor",
        str,
        description="The page to fetch. Copy the cursor unchanged from the Link header of another page.",
    ),
]
"""Parameters of lists, as the schema describes them."""


def page_size(request: Request, default: int) -> int:
    """The number of rows per page that a request asks for.

    Raises:
        ParseError: it is out of range.
    """
    asked = request.GET.get("page_size")
    if asked is None:
        return default
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 6 and 1 <= int(asked) <= MAX_PAGE_SIZE):
        raise ParseError(f"page_size must be a whole number from 1 to {MAX_PAGE_SIZE}.")
    return int(asked)


def page_of(request: Request, rows: QuerySet[Row], order: Order, *, of: str = "") -> tuple[list[Row], dict[str, str]]:
    """The page of a list that a request selects with ``cursor`` and ``page_size``: its rows, and the header that links
    to the neighbouring pages. One query.

    Args:
        rows: the list, already filtered by the request's other parameters, in any order.
        of: what else the list depends on; a cursor that was issued before this changed is refused.

    Raises:
        ParseError: the page size is out of range, or the cursor was not issued for this list.
    """
    size = page_size(request, PAGE_SIZE)
    try:
        shown, before, after = keyset_page(
            rows, order, size=size, cursor=request.GET.get("cursor", ""), salt=_salt(request, of)
        )
    except CursorError as error:
        raise ParseError(str(error)) from error
    return shown, links(request, "cursor", {"next": after, "prev": before})


def page_of_fixed(request: Request, rows: Sequence[Item], *, of: str) -> tuple[Sequence[Item], dict[str, str]]:
    """As `page_of`, of a list in memory that never changes: its cursors are places."""
    size, salt = page_size(request, PAGE_SIZE), _salt(request, of)
    try:
        start = signing.loads(request.GET["cursor"], salt=salt) if request.GET.get("cursor") else 0
    except (signing.BadSignature, ValueError) as error:
        raise ParseError(NOT_OF_THIS_LIST) from error
    places = {
        "next": start + size if start + size < len(rows) else None,
        "prev": max(start - size, 0) if start else None,
    }
    cursors = {name: "" if place is None else signing.dumps(place, salt=salt) for name, place in places.items()}
    return rows[start : start + size], links(request, "cursor", cursors)


def _salt(request: Request, of: str) -> str:
    filters = sorted(
        (name, value)
        for name in request.GET
        for value in request.GET.getlist(name)
        if name not in ("cursor", "page_size")
    )
    return f"api-cursor:{hashlib.sha256(repr((request.path, filters, of)).encode()).hexdigest()[:16]}"


def links(request: Request, name: str, neighbours: Mapping[str, object]) -> dict[str, str]:
    """The Link header of a page.

    Args:
        name: the parameter that selects a page.
        neighbours: its value for each neighbouring page; those without one are left out.
    """
    others = [(known, value) for known in request.GET for value in request.GET.getlist(known) if known != name]
    linked = [
        f'<{request.build_absolute_uri(f"{request.path}?{urlencode([*others, (name, value)])}")}>; rel="{relation}"'
        for relation, value in neighbours.items()
        if value
    ]
    return {"Link": ", ".join(linked)} if linked else {}
