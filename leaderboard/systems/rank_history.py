"""The history of a system's rank on its boards.

It is computed from the times when rows were added to the board and removed from it, and from their scores under the
current signature. So a change of the signature does not look like a change of the system; the board of a past day,
whatever has happened to its rows since, is stored in its snapshots instead. A row that was removed and published again
counts only from then on, a withdrawn row never counts, and of a system's own rows only those are shown that are
currently on the board or were replaced by a newer one of the system: removed rows are private to their owner again.
"""

import datetime
import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.conf import settings as conf
from django.db.models import Count, F, Max, Sum
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from leaderboard.disclosure import OPEN, SHARE, DisclosureRule
from leaderboard.systems.types import HistoryPoint
from leaderboard.web.cache import records_of, store_records
from scoring.metrics.columns import Column
from scoring.models import SCORE_KEY, Score, Split
from scoring.models.run_states import RunState
from scoring.statistics import TIE

MOST_SHOWN = 60
"""The maximum number of changes shown, newest ones."""
HISTORY_SECONDS = 300
"""How long positions are cached."""
ENTRY = "run__answer_set__board_entry"
SETTING, CAME, LEFT = f"{ENTRY}__setting", f"{ENTRY}__published_at", f"{ENTRY}__replaced_at"


@dataclass(frozen=True)
class TimeOnBoard:
    """A row on a board, with the times of its publication and removal."""

    system: int
    came: datetime.datetime
    left: datetime.datetime | None
    value: float


@dataclass(frozen=True)
class Position:
    """A system's current and earlier ranks on a board."""

    history: tuple[HistoryPoint, ...]
    n_ranked: int
    """The number of rows on the board today."""


def positions_of(
    system: int, split: Split, settings: Collection[int], column: Column, signature: str
) -> dict[int, Position]:
    """A system's ranks on some boards of a split, by setting.

    One query, and another one if a row was added, removed or scored since the last call: results for the same rows are
    cached.

    Args:
        column: the score that ranks are computed from.
        signature: the current one; rows without a score under it were never comparable.
    """
    rule = DisclosureRule.of(split)
    if not settings or rule.reason_withheld(column.score):
        return {}
    # The scores of every row scored here that is or was on these boards; without people.
    rows = (
        Score.objects.counting()
        .annotate(column_key=SCORE_KEY)
        .filter(
            column_key=column.score,
            signature=signature,
            run__state=RunState.DONE,
            **{
                f"{ENTRY}__submission__withdrawn_at__isnull": True,
                f"{ENTRY}__split": split,
                f"{ENTRY}__setting__in": list(settings),
                f"{ENTRY}__system__is_human": False,
            },
        )
    )
    if rule.hidden:
        rows = rows.filter(n_answered__gte=conf.MIN_ANSWERED_SHARE * F("n_items")).exclude(pk__in=rule.not_better)
    tallies = (
        rows.order_by().values_list(SETTING).annotate(Count("pk"), Count(LEFT), Max(CAME), Max(LEFT), Sum("value"))
    )
    keys = {}
    for setting, *tally in tallies:
        basis = repr((system, signature, setting, rule.hidden, rule.step, column, tally))
        keys[setting] = f"system-position-3:{hashlib.sha256(basis.encode()).hexdigest()}"
    cached = records_of(keys.values(), Position)
    positions = {setting: cached[key] for setting, key in keys.items() if key in cached}
    if len(positions) < len(keys):
        times_on_board: dict[int, list[TimeOnBoard]] = defaultdict(list)
        shown_as = Coalesce(f"{ENTRY}__system__same_as", f"{ENTRY}__system")
        for setting, came, left, value, shown in rows.order_by().values_list(SETTING, CAME, LEFT, "value", shown_as):
            times_on_board[setting].append(TimeOnBoard(shown, came, left, value))
        made = {}
        for setting in keys.keys() - positions.keys():
            stays = replaced_by_newer(times_on_board[setting])
            made[setting] = Position(tuple(history_of(system, stays, column, rule)), n_ranked_now(stays))
        store_records({keys[setting]: position for setting, position in made.items()}, HISTORY_SECONDS)
        positions |= made
    return positions


def replaced_by_newer(times_on_board: Sequence[TimeOnBoard]) -> list[TimeOnBoard]:
    """The same with one row of a system at a time: of merged systems the newest is the row of the board."""
    stays: list[TimeOnBoard] = []
    newest: dict[int, int] = {}
    for stay in sorted(times_on_board, key=lambda stay: stay.came):
        before = newest.get(stay.system)
        if before is not None:
            left = stays[before].left
            stays[before] = replace(stays[before], left=stay.came if left is None else min(left, stay.came))
        newest[stay.system] = len(stays)
        stays.append(stay)
    return stays


def history_of(
    system: int, times_on_board: Sequence[TimeOnBoard], column: Column = SHARE, rule: DisclosureRule = OPEN
) -> list[HistoryPoint]:
    """The history of a system since its first publication on the board, oldest first: each change of its rank or value.

    Ranks are competition ranks among the rows on the board at that time; equal values share the better rank. The time
    grows with the number of rows, and not with its square.
    """
    began = {stay.came for stay in times_on_board if stay.system == system}
    own = [stay.system == system and (stay.left is None or stay.left in began) for stay in times_on_board]
    if not any(own):
        return []
    first = min(stay.came for stay, is_own in zip(times_on_board, own, strict=True) if is_own)
    moments = sorted({at for stay in times_on_board for at in (stay.came, stay.left) if at is not None and at >= first})
    numbers = {at: index for index, at in enumerate(moments)}
    values = np.array([stay.value for stay in times_on_board])
    # On the board from one moment to before another one; what was there before the first moment came with it.
    came = np.array([numbers.get(stay.came, 0) for stay in times_on_board])
    left = np.array([numbers.get(stay.left, 0) if stay.left else len(moments) for stay in times_on_board])
    left = np.maximum(left, came)

    def number_there(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """At each moment: how many of the chosen rows are on the board."""
        changes = np.zeros(len(moments) + 1, dtype=np.int64)
        np.add.at(changes, came[chosen], 1)
        np.add.at(changes, left[chosen], -1)
        return np.cumsum(changes[:-1])

    n_there = number_there(np.ones(len(values), dtype=bool))
    own_row, ranks = np.full(len(moments), -1), np.zeros(len(moments), dtype=np.int64)
    for row in reversed(np.flatnonzero(own).tolist()):  # of several at a time, the first counts
        span = slice(came[row], left[row])
        own_row[span] = row
        ranks[span] = 1 + number_there(column.sign * (values - values[row]) > TIE)[span]
    points: list[HistoryPoint] = []
    for index in [0, *(1 + np.flatnonzero(np.diff(own_row) | np.diff(ranks))).tolist()]:
        at, number = moments[index], int(n_there[index])
        if own_row[index] >= 0:
            shown = rule.number(float(values[own_row[index]]), column)
            point = HistoryPoint(at, shown, int(ranks[index]), number)
        else:
            point = HistoryPoint(at, None, None, number)
        before = points[-1] if points else None
        if before is None or (before.value, before.rank) != (point.value, point.rank):
            points.append(point)
    return points


def n_ranked_now(times_on_board: Sequence[TimeOnBoard]) -> int:
    """The number of rows on the board today."""
    return sum(stay.left is None for stay in times_on_board)
