"""The ranking's page and the page of the win matrix, ready to be shown. Nothing is rounded here."""

from __future__ import annotations

from typing import Any, Final

from django.core.paginator import Paginator

from leaderboard.board.ranking.lookup import StoredRanking
from leaderboard.board.ranking.statistics import FEWEST_AT_EQUAL_LENGTH

PAGE_ROWS: Final = 50
WINDOW: Final = 15
"""Systems in a row or column of the part of the win matrix that is shown."""
LONGEST_POSITION: Final = 4
"""Digits of a position in a URL."""


def position(text: str) -> int:
    """A position in a URL, from 1; 1 if it is none."""
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_POSITION else 1


def table_page(stored: StoredRanking, number: int = 1) -> dict[str, Any]:
    """One page of the ranking's table.

    Args:
        number: from 1; the last page if it is larger.
    """
    page = Paginator(list(stored.systems.values()), PAGE_ROWS).get_page(number)
    shown = [system.numbers for system in page.object_list]
    n_compared = sum(system.numbers.win_rate is not None for system in stored.systems.values())
    return {
        "stored": stored,
        "setting_tabs": stored.tabs_to("board-ranking"),
        "page": page,
        "lacks_equal_length": any(numbers.win_rate and not numbers.controlled for numbers in shown),
        "fewest_at_equal_length": FEWEST_AT_EQUAL_LENGTH if n_compared < FEWEST_AT_EQUAL_LENGTH else None,
        "previous_url": f"{stored.url}?page={page.number - 1}" if page.has_previous() else "",
        "next_url": f"{stored.url}?page={page.number + 1}" if page.has_next() else "",
    }


def matrix_page(stored: StoredRanking, row: int = 1, column: int = 1) -> dict[str, Any]:
    """A part of the win matrix: some systems against some others. Each system of ``rows`` has its cells: the share of
    its wins (None where it is not shown, or for the same system), the number of questions (0 if the two were not
    compared), and whether it is the same system.

    Args:
        row: the position, from 1, of a system that is among the rows.
        column: the same for the columns.
    """
    systems = list(stored.systems.values())
    row_start, column_start = (
        (number - 1) // WINDOW * WINDOW if number <= len(systems) else 0 for number in (row, column)
    )
    rows, columns = (systems[start : start + WINDOW] for start in (row_start, column_start))
    wanted = {system.position for system in (*rows, *columns)}
    shares: dict[tuple[int, int], tuple[float | None, int]] = {}
    for place, other, share, n in stored.ranking.pairs if stored.ranking else ():
        if place in wanted and other in wanted:
            shares[place, other] = share, n
            shares[other, place] = None if share is None else 1 - share, n
    return {
        "stored": stored,
        "setting_tabs": stored.tabs_to("board-matrix"),
        "row_start": row_start,
        "column_start": column_start,
        "columns": columns,
        "rows": [
            (
                system,
                [(*shares.get((system.position, other.position), (None, 0)), system is other) for other in columns],
            )
            for system in rows
        ],
        # First and last position of each part of the systems, from 1.
        "windows": [(start + 1, min(start + WINDOW, len(systems))) for start in range(0, len(systems), WINDOW)],
    }
