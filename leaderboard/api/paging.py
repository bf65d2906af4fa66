"""Pagination of lists: an array as the body, and the URLs of the neighbouring pages in the Link header (RFC 8288)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.core import signing
from django.db.models import Model, QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")
NOT_OF_THIS_LIST = (
    "This cursor does not belong to this list, or the list has changed since it was issued. "
    "Start again without a cursor."
)
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
    """The number of rows per page that a request asks for."""
    asked = request.GET.get("page_size")
    if asked is None:
        return default
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 6 and 1 <= int(asked) <= MAX_PAGE_SIZE):
        raise ParseError(f"page_size must be a whole number from 1 to {MAX_PAGE_SIZE}.")
    return int(asked)


class SignedCursors(CursorPagination):
    """Django REST framework's cursors, signed: one that the site did not issue, or issued for another list, is refused
    before any part of it reaches the database.

    Args:
        ordering: columns that together are unique for every row, the first of which never changes.
        salt: what the list depends on.
    """

    def __init__(self, ordering: tuple[str, ...], salt: str) -> None:
        self.ordering = ordering
        self._salt = salt

    def get_page_size(self, request: Request) -> int:
        return page_size(request, PAGE_SIZE)

    def decode_cursor(self, request: Request) -> Cursor | None:
        sent = request.query_params.get(self.cursor_query_param)
        return Cursor(*_opened(sent, self._salt)) if sent else None

    def encode_cursor(self, cursor: Cursor) -> str:
        signed = signing.dumps(list(cursor), salt=self._salt)
        return str(replace_query_param(self.base_url or "", self.cursor_query_param, signed))


def _opened(cursor: str, salt: str) -> Any:
    try:
        return signing.loads(cursor, salt=salt)
    except (signing.BadSignature, ValueError) as error:
        raise ParseError(NOT_OF_THIS_LIST) from error


def page_of(request: Request, rows: QuerySet[Row], *ordering: str, of: str = "") -> tuple[list[Row], dict[str, str]]:
    """The page of a list that a request selects with ``cursor`` and ``page_size``: its rows, and the header that links
    to the neighbouring pages. One query.

    Args:
        rows: the list, already filtered by the request's other parameters, in any order.
        ordering: see `SignedCursors`.
        of: what else the list depends on; a cursor that was issued before this changed is refused.

    Raises:
        ParseError: the page size is out of range, or the cursor was not issued for this list.
    """
    paginator = SignedCursors(ordering, _salt(request, of))
    shown: list[Row] = paginator.paginate_queryset(rows, request)  # type: ignore[assignment]
    return shown, _header({"next": paginator.get_next_link(), "prev": paginator.get_previous_link()})


def page_of_fixed(request: Request, rows: Sequence[Item], *, of: str) -> tuple[Sequence[Item], dict[str, str]]:
    """Page of a list in memory that never changes; unlike those of `page_of`, its cursors are positions in the list."""
    size, salt = page_size(request, PAGE_SIZE), _salt(request, of)
    start = _opened(request.GET["cursor"], salt) if request.GET.get("cursor") else 0
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
    return _header(
        {
            relation: request.build_absolute_uri(f"{request.path}?{urlencode([*others, (name, value)])}")
            for relation, value in neighbours.items()
            if value
        }
    )


def _header(urls: Mapping[str, str | None]) -> dict[str, str]:
    linked = ", ".join(f'<{url}>; rel="{relation}"' for relation, url in urls.items() if url)
    return {"Link": linked} if linked else {}
