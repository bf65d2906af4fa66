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
from django.db.models import Count, F, Max, QuerySet, Sum
from django.db.models.functions import Coalesce

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
    rows = _rows(split, settings, column.score, signature)
    if rule.hidden:
        rows = rows.filter(n_answered__gte=conf.MIN_ANSWERED_SHARE * F("n_items")).exclude(pk__in=rule.not_better)
    tallies = (
        rows.order_by().values_list(SETTING).annotate(Count("pk"), Count(LEFT), Max(CAME), Max(LEFT), Sum("value"))
    )
    keys = {setting: _key(system, signature, setting, rule.hidden, column, tally) for setting, *tally in tallies}
    cached = records_of(keys.values(), Position)
    found = {setting: cached[key] for setting, key in keys.items() if key in cached}
    if len(found) < len(keys):
        times_on_board = _times_on_board(rows)
        made = {
            setting: Position(
                tuple(history_of(system, times_on_board[setting], column, rule)), n_ranked_now(times_on_board[setting])
            )
            for setting in keys.keys() - found.keys()
        }
        store_records({keys[setting]: position for setting, position in made.items()}, HISTORY_SECONDS)
        found |= made
    return found


def _key(*basis: object) -> str:
    return f"system-position-3:{hashlib.sha256(repr(basis).encode()).hexdigest()}"


def _rows(split: Split, settings: Collection[int], score: str, signature: str) -> QuerySet[Score]:
    """The scores of every row scored here that is or was on some boards of a split; without people."""
    return (
        Score.objects.counting()
        .annotate(column_key=SCORE_KEY)
        .filter(
            column_key=score,
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


def _times_on_board(rows: QuerySet[Score]) -> dict[int, list[TimeOnBoard]]:
    times_on_board: dict[int, list[TimeOnBoard]] = defaultdict(list)
    shown_as = Coalesce(f"{ENTRY}__system__same_as", f"{ENTRY}__system")
    for setting, came, left, value, system in rows.order_by().values_list(SETTING, CAME, LEFT, "value", shown_as):
        times_on_board[setting].append(TimeOnBoard(system, came, left, value))
    return {setting: replaced_by_newer(stays) for setting, stays in times_on_board.items()}


def replaced_by_newer(times_on_board: Sequence[TimeOnBoard]) -> list[TimeOnBoard]:
    """The same with one row of a system at a time: of merged systems the newest is the row of the board."""
    found: list[TimeOnBoard] = []
    newest: dict[int, int] = {}
    for stay in sorted(times_on_board, key=lambda one: one.came):
        before = newest.get(stay.system)
        if before is not None:
            left = found[before].left
            found[before] = replace(found[before], left=stay.came if left is None else min(left, stay.came))
        newest[stay.system] = len(found)
        found.append(stay)
    return found


def history_of(
    system: int, times_on_board: Sequence[TimeOnBoard], column: Column = SHARE, rule: DisclosureRule = OPEN
) -> list[HistoryPoint]:
    """The history of a system since its first publication on the board, oldest first: each change of its rank or value.

    Ranks are competition ranks among the rows on the board at that time; equal values share the better rank.
    """
    began = {stay.came for stay in times_on_board if stay.system == system}
    own = [stay.system == system and (stay.left is None or stay.left in began) for stay in times_on_board]
    if not any(own):
        return []
    first = min(stay.came for stay, is_own in zip(times_on_board, own, strict=True) if is_own)
    moments = sorted({at for stay in times_on_board for at in (stay.came, stay.left) if at is not None and at >= first})
    numbers = {at: index for index, at in enumerate(moments)}
    came = np.array([numbers.get(stay.came, -1) for stay in times_on_board])
    left = np.array([numbers.get(stay.left, -1) if stay.left else len(moments) for stay in times_on_board])
    values = np.array([stay.value for stay in times_on_board])
    mine = np.array(own)
    found: list[HistoryPoint] = []
    for index, at in enumerate(moments):
        there = (came <= index) & (left > index)
        own_values = values[there & mine]
        if len(own_values):
            value = float(own_values[0])
            rank = 1 + int((column.sign * (values[there] - value) > TIE).sum())
            point = HistoryPoint(at, rule.number(value, column), rank, int(there.sum()))
        else:
            point = HistoryPoint(at, None, None, int(there.sum()))
        before = found[-1] if found else None
        if before is None or (before.value, before.rank) != (point.value, point.rank):
            found.append(point)
    return found


def n_ranked_now(times_on_board: Sequence[TimeOnBoard]) -> int:
    """The number of rows on the board today."""
    return sum(stay.left is None for stay in times_on_board)
