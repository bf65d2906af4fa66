"""How a system's place on its boards changed.

Made of when rows came to the board and left it, and of their scores under the signature that is in force today. So a
change of the signature does not look like a change of the system; what a board showed on a day, whatever has become of
its rows since, is kept in its dated states instead. A row that was taken off and put back counts from then on only,
one that was withdrawn never was, and of a system's own rows only those are told of that stand there now or made room
for a newer one of its own: what was taken off is its owner's alone again.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.systems.shapes import Standpoint
from scoring.models import Score, Split
from scoring.states import RunState
from scoring.statistics import TIE

MOST_SHOWN = 60
"""The last so many changes are shown."""


@dataclass(frozen=True)
class Stay:
    """A row on a board, from when it came until it left."""

    system: int
    came: datetime.datetime
    left: datetime.datetime | None
    value: float


def stays_of(split: Split, settings: Iterable[int], score: str, signature: str) -> dict[int, list[Stay]]:
    """Every row scored here that is or was on some boards of a split, people's left out, by setting. One query.

    Args:
        score: the score whose value is wanted.
        signature: the one in force; rows without a score under it were never comparable.
    """
    entry = "run__answer_set__board_entry"
    rows = Score.objects.filter(
        name=score,
        signature=signature,
        run__state=RunState.DONE,
        run__repeat=0,
        **{
            f"{entry}__submission__withdrawn_at__isnull": True,
            f"{entry}__split": split,
            f"{entry}__setting__in": list(settings),
            f"{entry}__system__is_human": False,
        },
    ).values_list(f"{entry}__setting", f"{entry}__system", f"{entry}__published_at", f"{entry}__replaced_at", "value")
    stays: dict[int, list[Stay]] = defaultdict(list)
    for setting, system, came, left, value in rows.order_by():
        stays[setting].append(Stay(system, came, left, value))
    return stays


def history_of(system: int, stays: Sequence[Stay]) -> list[Standpoint]:
    """The standpoints of a system since it first came to the board, oldest first: each change of its rank or value.

    Ranks are competition ranks among the rows that stood on the board then; equal values share the better one.
    """
    began = {stay.came for stay in stays if stay.system == system}
    own = [stay.system == system and (stay.left is None or stay.left in began) for stay in stays]
    if not any(own):
        return []
    first = min(stay.came for stay, is_own in zip(stays, own, strict=True) if is_own)
    moments = sorted({at for stay in stays for at in (stay.came, stay.left) if at is not None and at >= first})
    numbers = {at: place for place, at in enumerate(moments)}
    came = np.array([numbers.get(stay.came, -1) for stay in stays])
    left = np.array([numbers.get(stay.left, -1) if stay.left else len(moments) for stay in stays])
    values = np.array([stay.value for stay in stays])
    mine = np.array(own)
    found: list[Standpoint] = []
    for place, at in enumerate(moments):
        there = (came <= place) & (left > place)
        own_values = values[there & mine]
        if len(own_values):
            value = float(own_values[0])
            rank = 1 + int((values[there] > value + TIE).sum())
            point = Standpoint(at, value, rank, int(there.sum()))
        else:
            point = Standpoint(at, None, None, int(there.sum()))
        before = found[-1] if found else None
        if before is None or (before.value, before.rank) != (point.value, point.rank):
            found.append(point)
    return found


def n_ranked_now(stays: Sequence[Stay]) -> int:
    """How many rows stand on the board today."""
    return sum(stay.left is None for stay in stays)
