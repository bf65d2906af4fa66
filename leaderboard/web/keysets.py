"""Keyset pages of lists: a cursor holds the sort keys of the row at the edge of a page.

No row is repeated or skipped, however many rows are added or removed between requests, and a late page costs no more
than the first. The cursor is signed: one that the site did not issue, or issued for another list, is refused before any
part of it reaches the database.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.http import QueryDict

NEXT: Final = "n"
PREVIOUS: Final = "p"
NOT_OF_THIS_LIST: Final = (
    "This cursor does not belong to this list, or the list has changed since it was issued. "
    "Start again without a cursor."
)
Row = TypeVar("Row", bound=Model)


class CursorError(ValueError):
    """A cursor that was not issued for this list."""


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


def keyset_page(rows: QuerySet[Row], order: Order, *, size: int, cursor: str, salt: str) -> tuple[list[Row], str, str]:
    """The page that a cursor selects, or the first one, with the cursors of the pages before and after; empty if there
    are none. One query.

    Args:
        rows: the list, in any order.
        salt: what the list depends on; a cursor that was issued for another one is refused.

    Raises:
        CursorError: the cursor was not issued for this list.
    """
    direction, values = NEXT, list[Any]()
    if cursor:
        try:
            direction, stored = signing.loads(cursor, salt=salt)
        except (signing.BadSignature, ValueError) as error:
            raise CursorError(NOT_OF_THIS_LIST) from error
        values = [datetime.datetime.fromisoformat(key["at"]) if isinstance(key, dict) else key for key in stored]
    inner = order if direction == NEXT else order.backwards()
    shown = list((rows.filter(inner.after(values)) if values else rows).order_by(*inner.clause())[: size + 1])
    more = len(shown) > size
    shown = shown[:size] if direction == NEXT else shown[:size][::-1]
    has_next = more if direction == NEXT else True
    has_previous = bool(values) if direction == NEXT else more
    cursors = []
    for wanted, towards, edge in ((has_previous, PREVIOUS, shown[:1]), (has_next, NEXT, shown[-1:])):
        if not (wanted and edge):
            cursors.append("")
            continue
        keys: list[Any] = [
            {"at": value.isoformat()}
            if isinstance(value, datetime.datetime)
            else value
            if isinstance(value, int)
            else str(value)
            for value in order.values(edge[0])
        ]
        cursors.append(signing.dumps([towards, keys], salt=salt))
    return shown, cursors[0], cursors[1]


def linked_page(
    rows: QuerySet[Row], order: Order, query: QueryDict, *, size: int, salt: str
) -> tuple[list[Row], str, str]:
    """The page that the parameter ``cursor`` of a page's URL selects, and the URLs of the neighbouring pages with the
    other parameters kept; empty if there are none. A cursor of another list selects the first page, and so does one
    past whose rows the list has ended."""
    try:
        shown, *cursors = keyset_page(rows, order, size=size, cursor=query.get("cursor", ""), salt=salt)
    except CursorError:
        shown, *cursors = keyset_page(rows, order, size=size, cursor="", salt=salt)
    if not shown and query.get("cursor"):
        shown, *cursors = keyset_page(rows, order, size=size, cursor="", salt=salt)
    urls = []
    for cursor in cursors:
        parameters = query.copy()
        parameters["cursor"] = cursor
        urls.append(f"?{parameters.urlencode()}" if cursor else "")
    return shown, urls[0], urls[1]
