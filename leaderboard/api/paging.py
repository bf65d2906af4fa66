"""Pagination of lists: an array as the body, and the URLs of the neighbouring pages in the Link header (RFC 8288).

A cursor holds the sort keys of the row at the edge of a page. No row is repeated or skipped, however many rows are
added or removed between requests, and a late page costs no more than the first. The cursor is signed: one that the site
did not issue, or issued for another list, is refused before any part of it reaches the database.
"""

import datetime
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.core import signing
from django.db.models import Model, Q, QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.request import Request

PAGE_SIZE = 100
MAX_PAGE_SIZE = 500
NEXT, PREVIOUS = "n", "p"
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
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Order:
    """Columns that together are unique for every row and never change, all ascending or all descending."""

    columns: tuple[str, ...]
    descending: bool = False

    def backwards(self) -> "Order":
        """The reverse order."""
        return Order(self.columns, not self.descending)

    def clause(self) -> list[str]:
        """The arguments of ``order_by``."""
        return [f"-{column}" if self.descending else column for column in self.columns]

    def after(self, values: Sequence[Any]) -> Q:
        """Rows that come after a row with these values."""
        compare = "lt" if self.descending else "gt"
        condition = Q()
        for index, column in enumerate(self.columns):
            same = dict(zip(self.columns[:index], values[:index], strict=True))
            condition |= Q(**same, **{f"{column}__{compare}": values[index]})
        return condition

    def values(self, row: Any) -> list[Any]:
        """The values of these columns in a row."""
        return [getattr(row, column) for column in self.columns]


def page_of(request: Request, rows: QuerySet[Row], order: Order, *, of: str = "") -> tuple[list[Row], dict[str, str]]:
    """The page of a list that a request selects with ``cursor`` and ``page_size``: its rows, and the header that links
    to the neighbouring pages. One query.

    Args:
        rows: the list, already filtered by the request's other parameters, in any order.
        of: what else the list depends on; a cursor that was issued before this changed is refused.

    Raises:
        ParseError: the page size is out of range, or the cursor was not issued for this list.
    """
    asked = request.GET.get("page_size", str(PAGE_SIZE))
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 6 and 1 <= int(asked) <= MAX_PAGE_SIZE):
        raise ParseError(f"page_size must be a whole number from 1 to {MAX_PAGE_SIZE}.")
    size = int(asked)
    parameters = [(name, value) for name in request.GET for value in request.GET.getlist(name) if name != "cursor"]
    filters = sorted(item for item in parameters if item[0] != "page_size")
    digest = hashlib.sha256(repr((request.path, filters, of)).encode()).hexdigest()[:16]
    salt = f"api-cursor:{digest}"
    direction, values = _read(request.GET.get("cursor", ""), salt)
    inner = order if direction == NEXT else order.backwards()
    shown = list((rows.filter(inner.after(values)) if values else rows).order_by(*inner.clause())[: size + 1])
    more = len(shown) > size
    shown = shown[:size] if direction == NEXT else shown[:size][::-1]
    has_next = more if direction == NEXT else True
    has_previous = bool(values) if direction == NEXT else more
    links = []
    for wanted, relation, towards, edge in (
        (has_next, "next", NEXT, shown[-1:]),
        (has_previous, "prev", PREVIOUS, shown[:1]),
    ):
        if wanted and edge:
            keys: list[Any] = [
                {"at": value.isoformat()}
                if isinstance(value, datetime.datetime)
                else value
                if isinstance(value, int)
                else str(value)
                for value in order.values(edge[0])
            ]
            cursor = signing.dumps([towards, keys], salt=salt)
            address = request.build_absolute_uri(f"{request.path}?{urlencode([*parameters, ('cursor', cursor)])}")
            links.append(f'<{address}>; rel="{relation}"')
    return shown, {"Link": ", ".join(links)} if links else {}


def _read(cursor: str, salt: str) -> tuple[str, list[Any]]:
    if not cursor:
        return NEXT, []
    try:
        direction, values = signing.loads(cursor, salt=salt)
    except (signing.BadSignature, ValueError) as error:
        raise ParseError(
            "This cursor does not belong to this list, or the list has changed since it was issued. Start "
            "again without a cursor."
        ) from error
    return direction, [
        datetime.datetime.fromisoformat(value["at"]) if isinstance(value, dict) else value for value in values
    ]
