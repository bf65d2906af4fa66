"""The list of benchmarks on the home page: each with its size, its first systems and its newest result.

Enters: the documents of the benchmarks' first boards. Leaves: one card per benchmark.
"""

from typing import Any, Final

from django.db.models import Max

from leaderboard.board.lookup import find_first_boards
from leaderboard.board.table import board_for
from leaderboard.board.write import open_board
from leaderboard.models import Entry
from scoring.benchmarks import definition_of

N_SYSTEMS: Final = 3
"""How many systems a card names."""


def benchmark_cards() -> list[dict[str, Any]]:
    """A card for every benchmark. Two queries, and one for each document that this process has not parsed before.

    A card has the benchmark's first ``board``, the ``column`` that it is sorted by, its first ``systems``, each with
    its cell in that column; ``n_systems``, the rows on all its boards (a system is counted once per board), and when
    the newest of these rows was published (``newest_at``).
    """
    newest = dict(
        Entry.objects.filter(replaced_at=None)
        .order_by()
        .values_list("split__benchmark__slug")
        .annotate(newest=Max("published_at"))
    )
    cards = []
    for first in find_first_boards():
        written = first if first.document is not None else open_board(*first.slugs)
        if written is None:
            continue
        board, slug = board_for(written), written.benchmark["slug"]
        place = [column.key for column in board.columns].index(definition_of(slug).default_sort)
        cards.append(
            {
                "board": board,
                "column": board.columns[place],
                "systems": [(row, row.cells[place]) for row in board.rows[:N_SYSTEMS]],
                "n_systems": sum(neighbour.n_systems or 0 for neighbour in written.neighbours),
                "newest_at": newest.get(slug),
            }
        )
    return cards
