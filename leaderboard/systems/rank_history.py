"""The history of a system's rank on its boards.

It is computed from the times when rows were added to the board and removed from it, and from their scores under the
current signature. So a change of the signature does not look like a change of the system; the board of a past day,
whatever has happened to its rows since, is stored in its snapshots instead. A row that was removed and published again
counts only from then on, a withdrawn row never counts, and of a system's own rows only those are shown that are
currently on the board or were replaced by a newer one of the system: removed rows are private to their owner again.
"""

import datetime
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from django.db.models.functions import Coalesce

from leaderboard.disclosure import OPEN, SHARE, DisclosureRule
from leaderboard.models import EntryKind
from leaderboard.systems.types import HistoryPoint
from scoring.metrics.columns import Column
from scoring.models import SCORE_KEY, Score, Split
from scoring.models.run_states import RunState
from scoring.statistics import TIE

MOST_SHOWN: Final = 60
"""The maximum number of changes shown, newest ones."""
ENTRY: Final = "run__answer_set__board_entry"


class Stay(NamedTuple):
    """A row on a board."""

    system: int
    came: datetime.datetime
    left: datetime.datetime | None
    """None while it is on the board."""
    value: float


def positions_of(
    system: int, split: Split, settings: Collection[int], column: Column, signature: str
) -> dict[int, tuple[list[HistoryPoint], int]]:
    """A system's current and earlier ranks on some boards of a split, by setting: at most `MOST_SHOWN` changes, and the
    number of rows on the board today. One query.

    Args:
        column: the score that ranks are computed from.
        signature: the current one.
    """
    rule = DisclosureRule.of(split)
    if not settings or rule.reason_withheld(column.score):
        return {}
    positions = {}
    for setting, stays in _stays(split, settings, column, signature, rule).items():
        history = history_of(system, stays, column, rule)[-MOST_SHOWN:]
        positions[setting] = history, sum(stay.left is None for stay in stays)
    return positions


def _stays(
    split: Split, settings: Collection[int], column: Column, signature: str, rule: DisclosureRule
) -> dict[int, list[Stay]]:
    """By setting: the rows of systems that were scored there, now and earlier, oldest first; one row of a system at a
    time, since of merged systems the newest is the row of the board. One query."""
    rows = (
        Score.objects.counting()
        .annotate(column_key=SCORE_KEY)
        .filter(
            column_key=column.score,
            signature=signature,
            run__state=RunState.DONE,
            **{
                f"{ENTRY}__split": split,
                f"{ENTRY}__setting__in": settings,
                f"{ENTRY}__kind": EntryKind.SCORED,
                f"{ENTRY}__submission__withdrawn_at__isnull": True,
                f"{ENTRY}__system__is_human": False,
            },
        )
        .order_by(f"{ENTRY}__published_at", "pk")
        .values_list(
            f"{ENTRY}__setting",
            Coalesce(f"{ENTRY}__system__same_as", f"{ENTRY}__system"),
            *(f"{ENTRY}__published_at", f"{ENTRY}__replaced_at", "value", "n_answered", "n_items", "pk"),
        )
    )
    stays: dict[int, list[Stay]] = defaultdict(list)
    newest: dict[tuple[int, int], int] = {}
    for setting, system, came, left, value, *counts in rows:
        if rule.reason_withheld(column.score, *counts):
            continue
        of_board = stays[setting]
        if (place := newest.get((setting, system))) is not None:
            before = of_board[place]
            of_board[place] = before._replace(left=min(before.left or came, came))
        newest[setting, system] = len(of_board)
        of_board.append(Stay(system, came, left, value if rule.step is None else rule.number(value, column) or 0.0))
    return stays


def history_of(
    system: int, stays: Sequence[Stay], column: Column = SHARE, rule: DisclosureRule = OPEN
) -> list[HistoryPoint]:
    """The history of a system since its first publication on the board, oldest first: each change of its rank or value.

    Ranks are competition ranks among the rows on the board at that time; equal values share the better rank.
    """
    times = {stay.came for stay in stays if stay.system == system}
    own = {
        place
        for place, stay in enumerate(stays)
        if stay.system == system and (stay.left is None or stay.left in times)  # others are their owner's alone
    }
    events = [
        (moment, place, change)
        for place, stay in enumerate(stays)
        for moment, change in ((stay.came, 1), (stay.left, -1))
        if moment is not None
    ]
    there: list[float] = []
    """The values on the board in order, the higher the better."""
    own_there: list[int] = []
    points: list[HistoryPoint] = []
    for moment, changes in groupby(sorted(events, key=itemgetter(0)), key=itemgetter(0)):
        for _, place, change in changes:
            value = column.sign * stays[place].value
            if change > 0:
                insort(there, value)
            else:
                del there[bisect_left(there, value)]
            if place in own:
                own_there = sorted({*own_there, place} if change > 0 else {*own_there} - {place})
        shown, rank = None, None
        if own_there:
            value = stays[own_there[0]].value
            shown = rule.number(value, column)
            rank = 1 + len(there) - bisect_right(there, column.sign * value + TIE)
        before = (points[-1].value, points[-1].rank) if points else (None, None)
        if before != (shown, rank):
            points.append(HistoryPoint(moment, shown, rank, len(there)))
    return points
