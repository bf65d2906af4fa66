"""The history of a system's rank on its boards.

It is computed from the times when rows were added to the board and removed from it, and from their scores under the
current signature, which are stored with the board's document (`leaderboard.board.times`). So a change of the signature
does not look like a change of the system; the board of a past day, whatever has happened to its rows since, is stored
in its snapshots instead. A row that was removed and published again counts only from then on, a withdrawn row never
counts, and of a system's own rows only those are shown that are currently on the board or were replaced by a newer one
of the system: removed rows are private to their owner again.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.times import NEVER, read_times, time_of
from leaderboard.board.write import write_all
from leaderboard.disclosure import OPEN, SHARE, DisclosureRule
from leaderboard.systems.types import HistoryPoint
from scoring.metrics.columns import Column
from scoring.models import Split
from scoring.statistics import TIE

MOST_SHOWN = 60
"""The maximum number of changes shown, newest ones."""


def positions_of(
    system: int, split: Split, settings: Collection[int], column: Column
) -> dict[int, tuple[list[HistoryPoint], int]]:
    """A system's current and earlier ranks on some boards of a split, by setting: at most `MOST_SHOWN` changes, and the
    number of rows on the board today. One query; boards without a document get their first one here.

    Args:
        column: the score that ranks are computed from.
    """
    rule = DisclosureRule.of(split)
    if not settings or rule.reason_withheld(column.score):
        return {}
    times = read_times(split.pk, settings)
    if lacking := set(settings) - times.keys():
        write_all((split.pk, setting) for setting in sorted(lacking))
        times |= read_times(split.pk, lacking)
    positions = {}
    for setting, of_board in times.items():
        history = history_of(system, of_board, column, rule, MOST_SHOWN)
        positions[setting] = history, int(np.sum(of_board["left"] == NEVER))
    return positions


def history_of(
    system: int, times: NDArray[Any], column: Column = SHARE, rule: DisclosureRule = OPEN, most: int | None = None
) -> list[HistoryPoint]:
    """The history of a system since its first publication on the board, oldest first: each change of its rank or value.

    Ranks are competition ranks among the rows on the board at that time; equal values share the better rank. The time
    grows with the number of rows, and not with its square.

    Args:
        times: of all rows (`leaderboard.board.times.STORED`).
        most: the number of newest changes to return; all without it.
    """
    mine = times["system"] == system
    own = mine & ((times["left"] == NEVER) | np.isin(times["left"], times["came"][mine]))
    if not own.any():
        return []
    moments = np.unique(np.concatenate([times["came"], times["left"]]))
    moments = moments[(moments >= times["came"][own].min()) & (moments != NEVER)]
    values = times["value"]
    # On the board from one moment to before another one; what was there before the first moment came with it.
    came, left = np.searchsorted(moments, times["came"]), np.searchsorted(moments, times["left"])
    left = np.maximum(left, came)

    def number_there(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """At each moment: how many of the chosen rows are on the board."""
        n_came, n_left = (np.bincount(of[chosen], minlength=len(moments) + 1) for of in (came, left))
        return np.cumsum((n_came - n_left)[:-1])

    n_there = number_there(np.ones(len(values), dtype=bool))
    own_row, ranks = np.full(len(moments), -1), np.zeros(len(moments), dtype=np.int64)
    for row in reversed(np.flatnonzero(own).tolist()):  # of several at a time, the first counts
        span = slice(came[row], left[row])
        own_row[span] = row
        ranks[span] = 1 + number_there(column.sign * (values - values[row]) > TIE)[span]

    def point(index: int) -> HistoryPoint:
        at, number = time_of(int(moments[index])), int(n_there[index])
        if own_row[index] < 0:
            return HistoryPoint(at, None, None, number)
        return HistoryPoint(at, rule.number(float(values[own_row[index]]), column), int(ranks[index]), number)

    changes = [0, *(1 + np.flatnonzero(np.diff(own_row) | np.diff(ranks))).tolist()]
    points: list[HistoryPoint] = []
    for place in reversed(range(len(changes))):
        newer, older = point(changes[place]), point(changes[place - 1])
        if not place or (newer.value, newer.rank) != (older.value, older.rank):  # they may be equal as they are shown
            points.append(newer)
            if len(points) == most:
                break
    return points[::-1]
