"""Where each system stands in each column of a board: computed once by a worker, kept, and only read by pages.

A board's numbers change when a row is published or leaves, when a score or a repeated judging arrives, and when the
boards are switched to another signature. Nothing counts these events: a board is *stale* if what it was computed of
(`basis_of`) is not what is there now, and whoever finds it so computes it again. A message that is lost, a worker that
is killed and a board that changes meanwhile therefore need no care of their own.
"""

import hashlib
import json
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from leaderboard.board import snapshots
from leaderboard.models import BoardStatistics, Entry, EntryKind, ReportedValue, Standing
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Ceiling, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import shown_signatures, vectors_of
from scoring.runs import intervals
from scoring.runs.judging.repeats import AGAIN, FIRST
from scoring.statistics import BOARD_SEED, N_RESAMPLES, column_statistics, repeat_noise
from scoring.workers import broker
from scoring.workers.errors import exception_location
from scoring.workers.locks import only_one

logger = logging.getLogger(__name__)

METHOD = 1
"""Raised when the same scores would get other standings: all boards are computed anew then."""
HALF = 32
"""Hexadecimal digits of each half of a basis: one of what standings are computed of, one of all that a board shows."""
REFRESH_BOARDS = "leaderboard.tasks.refresh_boards"
AT_ONCE = 500
"""Rows written by one statement."""

ENTRY_FIELDS = (
    *("pk", "kind", "source", "note", "context_size", "n_answered", "published_at"),
    *("system__name", "system__slug", "system__authors", "system__url", "system__citation", "system__type"),
    *("system__context_size", "system__trained_for_function_calling", "system__is_human"),
)
"""What a board shows of its rows besides their numbers."""


class ScoreRow(NamedTuple):
    """A score of a row of the board, or of a repeat of it, without its vector."""

    entry: int
    name: str
    repeat: int
    pk: int
    value: float
    n_items: int
    has_interval: bool
    corrected: int | None
    """The key of what people's grades make of it."""


@dataclass(frozen=True)
class Ground:
    """What a board's statistics are computed of, as one look at the database found it."""

    definition: BenchmarkDefinition
    signatures: Mapping[str, str]
    ranked: frozenset[int]
    """Entries of systems that were scored here: neither reported nor people."""
    scores: tuple[ScoreRow, ...]
    """Under the signatures in force, of all entries, repeats included; in a fixed order."""
    shown: Mapping[str, Any]
    """All else that the board shows: rows, reported numbers, ceilings, the questions' revision."""

    @cached_property
    def numbers(self) -> str:
        """What the standings follow from, in a few digits."""
        scores = [row[:5] for row in self.scores if row.entry in self.ranked]
        columns = [(column.score, self.signatures.get(column.metric)) for column in self.definition.columns]
        return _digest([METHOD, BOARD_SEED, N_RESAMPLES, columns, scores])

    @cached_property
    def content(self) -> str:
        """All that the board shows, in a few digits."""
        return _digest([self.numbers, self.signatures, self.shown, self.scores])

    @property
    def basis(self) -> str:
        """Both."""
        return self.numbers + self.content


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()[:HALF]


def basis_of(split: Split, setting: Setting) -> str:
    """What a board's statistics would be computed of now: SHA-256 digests over its entries, scores and signatures.

    Of 64 hexadecimal digits the first half tells of all that standings follow from, the second of all that the board
    shows. Five queries, whatever the number of rows.
    """
    return ground_of(split, setting).basis


def ground_of(split: Split, setting: Setting) -> Ground:
    """What is there now. Five queries, whatever the number of rows; no vector is read."""
    definition = definition_of(split.benchmark.slug)
    signatures = shown_signatures(split)
    on_board = Entry.objects.filter(split=split, setting=setting, replaced_at=None)
    entries = list(on_board.order_by("pk").values_list(*ENTRY_FIELDS))
    kind, human = ENTRY_FIELDS.index("kind"), ENTRY_FIELDS.index("system__is_human")
    revision = split.current_revision
    return Ground(
        definition=definition,
        signatures=signatures,
        ranked=frozenset(entry[0] for entry in entries if entry[kind] == EntryKind.SCORED and not entry[human]),
        scores=_scores(split, setting, definition, signatures),
        shown={
            "entries": entries,
            "reported": list(
                ReportedValue.objects.filter(entry__in=on_board.order_by())
                .order_by("pk")
                .values_list("entry", "name", "value")
            ),
            "ceilings": list(
                Ceiling.objects.filter(revision__split=split, signature__in=list(signatures.values()))
                .order_by("pk")
                .values_list("signature", "name", "value")
            ),
            "revision": revision.content_hash if revision else "",
        },
    )


def _scores(
    split: Split, setting: Setting, definition: BenchmarkDefinition, signatures: Mapping[str, str]
) -> tuple[ScoreRow, ...]:
    metric_of = {column.score: column.metric for column in definition.columns}
    if FIRST in metric_of:
        metric_of[AGAIN] = metric_of[FIRST]
    rows = (
        Score.objects.filter(
            run__answer_set__board_entry__split=split,
            run__answer_set__board_entry__setting=setting,
            run__answer_set__board_entry__replaced_at=None,
            run__state=RunState.DONE,
            signature__in=list(signatures.values()),
            name__in=list(metric_of),
        )
        .order_by("run__answer_set__board_entry", "name", "run__repeat", "pk")
        .values_list(
            *("run__answer_set__board_entry", "name", "run__repeat", "pk", "value", "n_items", "low", "signature"),
            "corrected__pk",
        )
    )
    return tuple(
        ScoreRow(entry, name, repeat, pk, value, n_items, low is not None, corrected)
        for entry, name, repeat, pk, value, n_items, low, signature, corrected in rows
        if signature == signatures.get(metric_of[name]) and bool(repeat) == (name == AGAIN)
    )


# --- Computing -----------------------------------------------------------------------------------------------------


class Computed(NamedTuple):
    """What was computed for one board."""

    standings: list[Standing]
    """Without their board."""
    intervals: dict[int, tuple[float, float]]
    """By score, of those that lacked them."""


def compute(ground: Ground) -> Computed:
    """The standings of a board, column by column: one column's vectors are in memory at a time.

    Ranks, their ranges, marks and p-values are those of `scoring.statistics.column_statistics`, of the same draws in
    every column and on every board with as many questions.
    """
    by_column: dict[str, list[ScoreRow]] = defaultdict(list)
    repeats: dict[int, list[int]] = defaultdict(list)
    for row in ground.scores:
        if row.entry in ground.ranked:
            if row.repeat:
                repeats[row.entry].append(row.pk)
            else:
                by_column[row.name].append(row)
    standings: list[Standing] = []
    ends: dict[int, tuple[float, float]] = {}
    for column in ground.definition.columns:
        rows, vectors = _matrix(column.score, by_column[column.score])
        if not rows:
            continue
        found = column_statistics(vectors, seed=BOARD_SEED)
        noise = _noise(rows, vectors, repeats) if column.score == FIRST else {}
        for index, row in enumerate(rows):
            deviation, n_repeats = noise.get(row.entry, (None, 0))
            standings.append(
                Standing(
                    entry_id=row.entry,
                    name=column.score,
                    rank=int(found.rank[index]),
                    best_rank=int(found.best_rank[index]),
                    worst_rank=int(found.worst_rank[index]),
                    best=bool(found.best[index]),
                    marked=bool(found.marked[index]),
                    p_value=float(found.p_values[index]),
                    noise=deviation,
                    n_repeats=n_repeats,
                )
            )
            if found.interval is not None and not row.has_interval:
                ends[row.pk] = (float(found.interval.low[index]), float(found.interval.high[index]))
    return Computed(standings, ends)


def _matrix(name: str, rows: Sequence[ScoreRow]) -> tuple[list[ScoreRow], NDArray[np.float64]]:
    """The scores that can be compared, and their vectors, shape (n_systems, n_items).

    Under one signature all systems answer the same questions. Should one have another number of them all the same, it
    cannot be compared, and is left out with a line in the log rather than have the board go without statistics.
    """
    vectors = vectors_of(row.pk for row in rows)
    lengths = [len(vector) for vector in vectors.values()]
    n_items = max(set(lengths), key=lengths.count, default=0)
    kept = [row for row in rows if row.pk in vectors and len(vectors[row.pk]) == n_items and n_items]
    if len(kept) < len(rows):
        logger.error("%s scores of %s have other questions than the rest.", len(rows) - len(kept), name)
    return kept, np.stack([vectors.pop(row.pk) for row in kept]) if kept else np.empty((0, 0))


def _noise(
    rows: Sequence[ScoreRow], vectors: NDArray[np.float64], repeats: Mapping[int, Sequence[int]]
) -> dict[int, tuple[float, int]]:
    """By entry, the standard deviation of the judge's score between judgings, and how often it was judged again."""
    again = vectors_of(pk for row in rows for pk in repeats.get(row.entry, ()))
    noise = {}
    for row, first in zip(rows, vectors, strict=True):
        others = [again[pk] for pk in repeats.get(row.entry, ()) if pk in again and len(again[pk]) == len(first)]
        if others:
            noise[row.entry] = (repeat_noise(np.stack([first, *others])).standard_deviation, len(others))
    return noise


# --- Keeping -------------------------------------------------------------------------------------------------------


def refresh(split: Split, setting: Setting) -> bool:
    """Bring the statistics of a board up to date, intervals that its scores lack included, and keep a state of it if it
    shows something else than before; false if all that was done already, or if another process is at it.

    What is kept changes at once or not at all, so a worker may be killed anywhere. What the board becomes meanwhile
    is found by the next look.
    """
    with only_one(f"board {split.pk} {setting.pk}") as mine:
        return mine and _refresh(split, setting)


def _refresh(split: Split, setting: Setting) -> bool:
    ground = ground_of(split, setting)
    board = BoardStatistics.objects.filter(split=split, setting=setting).first()
    if board is not None and board.basis == ground.basis:
        return False
    if not ground.shown["entries"]:
        BoardStatistics.objects.filter(split=split, setting=setting).delete()
        return board is not None
    if board is None or board.basis[:HALF] != ground.numbers:
        board = _keep(split, setting, ground.numbers, compute(ground))
    content = ground_of(split, setting).content  # as it is with the intervals and standings just kept
    # Within the transaction that PostgreSQL's lock is, a savepoint; on SQLite nobody waits while the board is read.
    guard = transaction.atomic() if connection.in_atomic_block else nullcontext()
    try:
        with guard:
            snapshots.take_state(split, setting, settled=True)
            BoardStatistics.objects.filter(pk=board.pk).update(basis=ground.numbers + content)
    except snapshots.StaleBoardError:
        logger.info("%s, %s changed while it was computed; the next look keeps its state.", split, setting)
    except Exception as error:  # noqa: BLE001 - the statistics are good without it; the next look tries again
        logger.error("The state of %s, %s was not kept: %s", split, setting, exception_location(error))
    return True


@transaction.atomic
def _keep(split: Split, setting: Setting, numbers: str, computed: Computed) -> BoardStatistics:
    """Put new standings in the place of the old ones."""
    board, _ = BoardStatistics.objects.update_or_create(
        split=split, setting=setting, defaults={"basis": numbers, "computed_at": timezone.now()}
    )
    for standing in computed.standings:
        standing.board = board
    Standing.objects.filter(board=board).delete()
    Standing.objects.bulk_create(computed.standings, batch_size=AT_ONCE)
    intervals.keep((pk, low, high) for pk, (low, high) in computed.intervals.items())
    return board


# --- Finding what is stale -----------------------------------------------------------------------------------------


def refresh_stale() -> int:
    """Bring every board up to date whose statistics are not those of its entries and scores now; returns how many.

    A board that cannot be computed does not stop the others: that is said in the log, and tried again the next time.
    """
    n_refreshed = 0
    for split, setting in boards():
        try:
            n_refreshed += refresh(split, setting)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other boards do not wait for it
            logger.error("The statistics of %s, %s failed: %s", split, setting, exception_location(error))
    return n_refreshed


def boards() -> list[tuple[Split, Setting]]:
    """Every board that has rows, or statistics of rows it had. Four queries."""
    found: set[tuple[int, int]] = set(
        Entry.objects.filter(replaced_at=None).order_by().values_list("split", "setting").distinct()
    )
    found.update(BoardStatistics.objects.values_list("split", "setting"))
    splits = _by_key(Split.objects.select_related("benchmark", "current_revision"))
    all_settings = _by_key(Setting.objects.all())
    return [(splits[split], all_settings[setting]) for split, setting in sorted(found)]


def _by_key(rows: Iterable[Any]) -> dict[int, Any]:
    return {row.pk: row for row in rows}


def refresh_soon() -> None:
    """Have a worker look for stale boards once the transaction is committed. Beat does so too, now and then."""
    broker.send_on_commit(REFRESH_BOARDS, queue="cpu", expires=float(settings.RUN_RESEND_SECONDS))
