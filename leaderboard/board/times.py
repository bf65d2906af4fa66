"""The times of rows on a board, from which the ranks of a system over time are computed.

Enters: a board's inputs. Leaves: an array of all rows that are or were on the board, stored beside its document: a
system's page reads it alone, and neither the scores nor the other columns.
"""

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.document import FORMAT
from leaderboard.board.inputs import BoardInputs
from leaderboard.models import BoardDocument, EntryKind

STORED: Final = np.dtype([("system", "<i8"), ("came", "<i8"), ("left", "<i8"), ("value", "<f8")])
"""A `TimeOnBoard` as it is stored, with times in microseconds."""
NEVER: Final = np.iinfo(np.int64).max
"""When a row left that is on the board."""
EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MICROSECOND: Final = datetime.timedelta(microseconds=1)


@dataclass(frozen=True)
class TimeOnBoard:
    """A row on a board, with the times of its publication and removal."""

    system: int
    came: datetime.datetime
    left: datetime.datetime | None
    value: float


def times_on_board(inputs: BoardInputs) -> list[TimeOnBoard]:
    """The rows of systems that were scored here, now and earlier, under the current signature."""
    values = {
        score.entry: score.value
        for score in inputs.scores
        if score.name == inputs.definition.default_sort and not score.repeat
    }
    current = [
        TimeOnBoard(entry.same_as or entry.system, entry.published_at, None, values[entry.pk])
        for entry in inputs.entries
        if entry.pk in values and entry.kind == EntryKind.SCORED and not entry.is_human
    ]
    return replaced_by_newer([*current, *(TimeOnBoard(*row) for row in inputs.earlier)])


def replaced_by_newer(times: Iterable[TimeOnBoard]) -> list[TimeOnBoard]:
    """The same with one row of a system at a time: of merged systems the newest is the row of the board."""
    stays: list[TimeOnBoard] = []
    newest: dict[int, int] = {}
    for stay in sorted(times, key=lambda stay: stay.came):
        before = newest.get(stay.system)
        if before is not None:
            left = stays[before].left
            stays[before] = replace(stays[before], left=stay.came if left is None else min(left, stay.came))
        newest[stay.system] = len(stays)
        stays.append(stay)
    return stays


def array_of(times: Sequence[TimeOnBoard]) -> NDArray[Any]:
    """Times as an array of `STORED`."""
    rows = [
        (stay.system, _stored(stay.came), NEVER if stay.left is None else _stored(stay.left), stay.value)
        for stay in times
    ]
    return np.array(rows, dtype=STORED)


def _stored(time: datetime.datetime) -> int:
    return (time - EPOCH) // MICROSECOND


def time_of(stored: int) -> datetime.datetime:
    """A time, from its microseconds."""
    return EPOCH + stored * MICROSECOND


def read_times(split: int, settings: Collection[int]) -> dict[int, NDArray[Any]]:
    """The times of some boards of a split, by setting; without those that have no document. One query."""
    documents = BoardDocument.objects.filter(split=split, setting__in=settings, format=FORMAT)
    return {
        setting: np.frombuffer(bytes(times), dtype=STORED)
        for setting, times in documents.values_list("setting", "times")
        if times is not None
    }
