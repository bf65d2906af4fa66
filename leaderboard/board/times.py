"""The times of rows on a board, from which the ranks of a system over time are computed.

Enters: a board's inputs. Leaves: an array of all rows that are or were on the board, stored beside its document: a
system's page reads it alone, and neither the scores nor the other columns.
"""

import datetime
from collections.abc import Collection, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.document import FORMAT
from leaderboard.board.inputs import BoardInputs
from leaderboard.models import BoardDocument, EntryKind

STORED: Final = np.dtype([("system", "<i8"), ("came", "<i8"), ("left", "<i8"), ("value", "<f8")])
"""Rows as they are stored, with times in microseconds."""
NEVER: Final = np.iinfo(np.int64).max
"""When a row left that is on the board."""
EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MICROSECOND: Final = datetime.timedelta(microseconds=1)


Time = tuple[int, datetime.datetime, datetime.datetime | None, float]
"""A row on a board: its system, the times when it was published and removed, and its value."""


def times_on_board(inputs: BoardInputs) -> NDArray[Any]:
    """The rows of systems that were scored here, now and earlier, under the current signature; one row of a system at a
    time: of merged systems the newest is the row of the board."""
    values = {score.entry: score.value for score in inputs.scores if score.name == inputs.definition.default_sort}
    current: list[Time] = [
        (entry.same_as or entry.system, entry.published_at, None, values[entry.pk])
        for entry in inputs.entries
        if entry.pk in values and entry.kind == EntryKind.SCORED and not entry.is_human
    ]
    times = array_of([*current, *inputs.earlier])
    times = times[np.argsort(times["came"], kind="stable")]
    newest: dict[int, int] = {}
    for place, (system, came) in enumerate(times[["system", "came"]].tolist()):
        if (before := newest.get(system)) is not None:
            times["left"][before] = min(times["left"][before], came)
        newest[system] = place
    return times


def array_of(times: Iterable[Time]) -> NDArray[Any]:
    """Times as an array of `STORED`."""
    return np.array(
        [
            (system, (came - EPOCH) // MICROSECOND, NEVER if left is None else (left - EPOCH) // MICROSECOND, value)
            for system, came, left, value in times
        ],
        dtype=STORED,
    )


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
