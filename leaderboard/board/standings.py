"""The statistics of boards: computed by a worker, stored, and included in the boards' documents.

A board's numbers change when a row is published or removed, when a score arrives, and when the
boards are switched to another signature. Statistics are stored with a digest of their inputs; if it differs from the
digest of the current inputs, they are computed again. A lost message, a killed worker or a board that changes during
the computation therefore needs no special handling.
"""

import datetime
import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray

from leaderboard.board import write
from leaderboard.board.charts.categories import CellsOfRevisions, Means, means_of, packed
from leaderboard.board.document import FORMAT
from leaderboard.board.inputs import BoardInputs, ScoreRow
from leaderboard.board.ranking.reading import read_ranking
from leaderboard.board.staleness import mark_stale
from leaderboard.disclosure import outcomes_key
from leaderboard.models import BoardDocument, BoardStatistics, Entry, Standing
from scoring.benchmarks.names import parts_of
from scoring.benchmarks.subsets import WHOLE
from scoring.declarations import known_benchmarks
from scoring.models import Setting, Split
from scoring.queries import vectors_of, weights_of
from scoring.runs import intervals
from scoring.runs.judging.comparisons import counted_vectors
from scoring.statistics import BOARD_SEED, completed, counted_often, rank_statistics
from scoring.workers.locks import only_one

logger = logging.getLogger(__name__)

CHECK_INTERVAL = datetime.timedelta(minutes=10)
"""Time for which a board without a mark is not compared with its inputs: after that, a change without a mark is
noticed."""


# --- Computing -----------------------------------------------------------------------------------------------------


class Computed(NamedTuple):
    """The computed statistics of one board."""

    standings: list[Standing]
    """Without their board, and not stored."""
    intervals: dict[int, intervals.Ends]
    """New intervals by the key of the score, for scores that lacked them."""
    categories: dict[str, Means]
    """Means by category, by the key of the column."""
    deviations: dict[str, float]
    """Median standard deviation of paired differences, by the score."""


def compute(inputs: BoardInputs) -> Computed:
    """The statistics of a board, column by column: one column's vectors are in memory at a time.

    Ranks, their ranges and p-values are those of `scoring.statistics.rank_statistics`, with the same draws in
    every column and on every board with the same number of questions.
    """
    by_column: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in inputs.scores:
        if row.entry in inputs.ranked:
            by_column[row.name].append(row)
    standings: list[Standing] = []
    ends: dict[int, intervals.Ends] = {}
    categories: dict[str, Means] = {}
    deviations: dict[str, float] = {}
    cells = CellsOfRevisions()
    for column in inputs.definition.columns:
        if parts_of(column.metric)[1] == WHOLE:
            continue  # the final part alone is ranked
        rows, vectors = _matrix(column.score, [row for row in by_column[column.score] if row.n_items])
        if not rows:
            continue
        names = {row.pk: row.name for row in rows}
        weights = weights_of(names)
        counted = counted_vectors(names, weights)
        stored = dict(zip(names, vectors, strict=True))
        # Without what was filled in for questions that do not count, and with what each question counts.
        if len(weights) == len(rows) and not np.ptp(list(weights.values()), axis=0).any():
            # The weights of questions, the same for all systems.
            completed_rows = {pk: counted_often(stored[pk], weights[pk]) for pk in names}
        else:
            completed_rows = {
                pk: completed(counted.get(pk, stored[pk]), weights.get(pk)) for pk in counted.keys() | weights.keys()
            }
        clusters = cells.clusters_of(rows[0].revision, rows[0].n_items)
        known = [completed_rows.get(row.pk, vector) for row, vector in zip(rows, vectors, strict=True)]
        keys = (outcomes_key(row.revision, row.name, vector) for row, vector in zip(rows, known, strict=True))
        ranks = rank_statistics(
            np.stack(known),
            seed=BOARD_SEED,
            higher_is_better=column.higher_is_better,
            caution=inputs.rule.rank_caution(keys),
            clusters=clusters,
        )
        lacking = {
            row.pk: stored[row.pk] if row.pk in weights else vector
            for row, vector in zip(rows, known, strict=True)
            if row.low is None
        }
        computed = intervals.intervals_of(
            list(lacking.values()), clusters, shares=column.is_share, weights=[weights.get(pk) for pk in lacking]
        )
        ends.update(zip(lacking, computed, strict=True))
        if ranks.deviation is not None:
            deviations[column.score] = ranks.deviation
        numbers = (getattr(ranks, name).tolist() for name in ("rank", "best", "worst", "group", "p_value"))
        for row, rank, best, worst, group, p_value in zip(rows, *numbers, strict=True):
            standing = Standing(
                entry_id=row.entry,
                name=column.score,
                rank=rank,
                best_rank=best,
                worst_rank=worst,
                tie_group=group,
                p_value=p_value,
            )
            standings.append(standing)
        if inputs.hidden and column.score != inputs.definition.default_sort:
            continue  # for a hidden split only one score is shown by category
        groups = cells.of(rows[0].revision, rows[0].n_items)
        of_questions = np.stack([counted.get(row.pk, vector) for row, vector in zip(rows, vectors, strict=True)])
        entries = [row.entry for row in rows]
        means = means_of(
            entries,
            of_questions,
            groups,
            column,
            weights=[weights.get(row.pk) for row in rows],
            hidden=inputs.hidden,
            revision=rows[0].revision,
        )
        if means is not None:
            categories[column.key] = means
    return Computed(standings, ends, categories, deviations)


def _matrix(name: str, rows: Sequence[ScoreRow]) -> tuple[list[ScoreRow], NDArray[np.float64]]:
    """The scores that can be compared, and their vectors, shape (n_systems, n_items).

    Under one signature all systems answer the same questions. A system with another number of questions cannot be
    compared; it is omitted and logged, so that the board still gets statistics.
    """
    vectors = vectors_of(row.pk for row in rows)
    lengths = [len(vector) for vector in vectors.values()]
    n_items = max(set(lengths), key=lengths.count, default=0)
    comparable = [row for row in rows if row.pk in vectors and len(vectors[row.pk]) == n_items and n_items]
    if len(comparable) < len(rows):
        logger.error(
            "%s scores of %s are left out, because they are for other questions than the rest.",
            len(rows) - len(comparable),
            name,
        )
    return comparable, np.stack([vectors.pop(row.pk) for row in comparable]) if comparable else np.empty((0, 0))


# --- Bringing boards up to date ------------------------------------------------------------------------------------


def refresh(split: Split, setting: Setting) -> bool:
    """Write a board's document if it lacks something, first with the existing statistics; then compute missing
    statistics, including intervals that its scores lack, and write it again. False if there was nothing to do, or if
    another process is working on it.

    A board that changed during the computation is marked again: the process that received the change found this one
    at work, and left the statistics to it.
    """
    was_written, lacks_statistics, inputs = write.check_board(split, setting)
    if not (lacks_statistics and refresh_statistics(split, setting, inputs)):
        return was_written
    _, lacks_statistics, _ = write.check_board(split, setting)
    if lacks_statistics:
        mark_stale([(split.pk, setting.pk)])
    return True


def refresh_statistics(split: Split, setting: Setting, inputs: BoardInputs) -> bool:
    """Compute the statistics of a board if they do not belong to these inputs; false if they do, or if another
    process is working on them. The stored statistics change atomically, so a worker may be killed at any point."""
    with only_one(f"board {split.pk} {setting.pk}") as mine:
        if not mine:
            return False
        board = BoardStatistics.objects.filter(split=split, setting=setting).defer("categories", "ranking").first()
        if not inputs.entries:
            return bool(BoardStatistics.objects.filter(split=split, setting=setting).delete()[0])
        if inputs.are_current(board):
            return False
        split = Split.with_drafts.get(pk=split.pk)  # `refresh_marked` gives its key alone
        computed, ranking = compute(inputs), read_ranking(split, inputs)
        fields = {
            "fingerprint": inputs.numbers,
            "computed_at": timezone.now(),
            "categories": packed(computed.categories),
            "deviations": computed.deviations,
            "ranking": ranking.packed if ranking else None,
        }
        # Readers see all standings of the new statistics or all of the earlier ones.
        with transaction.atomic():
            board, _ = BoardStatistics.objects.update_or_create(split=split, setting=setting, defaults=fields)
            Standing.objects.filter(board=board).delete()
            for standing in computed.standings:
                standing.board = board
            Standing.objects.bulk_create(computed.standings)
            intervals.save((pk, low, high) for pk, (low, high) in computed.intervals.items())
    return True


def refresh_marked() -> int:
    """Update the marked boards: first all documents, then statistics one by one; returns how many there were."""
    marked = write.marked()
    write.write_all(marked)
    for split, setting in marked:
        write.attempt(refresh, Split(pk=split), Setting(pk=setting))
    return len(marked)


def refresh_due() -> int:
    """Update every board whose content is outdated, marked or not, or which lacks statistics; returns how many.

    Not looked at are boards that had nothing to update within `CHECK_INTERVAL` and were not marked since: to compare a
    board with its document, all of its rows and scores are read.
    """
    checked = BoardDocument.objects.filter(format=FORMAT, settled_at__gt=timezone.now() - CHECK_INTERVAL)
    settled = set(checked.values_list("split", "setting")).difference(write.marked())
    return sum(
        write.attempt(refresh, split, setting) for split, setting in boards() if (split.pk, setting.pk) not in settled
    )


def boards() -> list[tuple[Split, Setting]]:
    """Every board that has rows, a document, or statistics of former rows. Five queries."""
    places = set(Entry.objects.filter(replaced_at=None).order_by().values_list("split", "setting").distinct())
    places.update(BoardDocument.objects.filter(format=FORMAT).values_list("split", "setting"))
    places.update(BoardStatistics.objects.values_list("split", "setting"))
    known = Split.objects.filter(benchmark__in=known_benchmarks())
    splits = known.select_related("benchmark", "current_revision").in_bulk()
    settings = Setting.objects.in_bulk()
    return [(splits[split], settings[setting]) for split, setting in sorted(places) if split in splits]
