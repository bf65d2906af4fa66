"""Reading the comparisons of a board's systems, and ranking these: called with the board's other statistics.

The win rate at equal length that an unpublished submission would have on the board is read and computed here too.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import cast
from uuid import UUID

from leaderboard.board.inputs import BoardInputs, read_inputs
from leaderboard.board.ranking.statistics import Participant, equal_length, ranking_of
from leaderboard.board.ranking.types import Estimate, Ranking
from leaderboard.models import BoardStatistics
from leaderboard.web.cache import records_of, store_records
from scoring.metrics.side_by_side.items import NAME
from scoring.models import Revision, Run, Setting, Split
from scoring.runs.judging.comparisons import compared_pairs

CACHE_SECONDS = 7 * 24 * 3600


def read_ranking(split: Split, inputs: BoardInputs) -> Ranking | None:
    """The ranking of a board's systems; None where nothing is compared, or nothing yet.

    Ranked are the systems with a win rate that the board shows, with the baseline. A split that rounds to a step has
    no ranking: strengths would tell what the step hides.
    """
    ranked = None if split.step is not None else ranked_systems(inputs)
    if ranked is None:
        return None
    baseline, systems, revision = ranked
    pairs = compared_pairs(revision, [baseline.answer_set, *(system.answer_set for system in systems)])
    return ranking_of(pairs, baseline, systems, inputs.rule, revision.pk, _clusters(revision))


def _clusters(revision: Revision) -> dict[str, str] | None:
    """The cluster of each question, by its id; None if the benchmark has no clusters."""
    if (names := revision.clusters) is None:
        return None
    qids = revision.questions.order_by("position").values_list("qid", flat=True)
    return dict(zip(qids, names, strict=True))


def ranked_systems(inputs: BoardInputs) -> tuple[Participant, list[Participant], Revision] | None:
    """The baseline, the systems with a win rate that the board shows, and their revision; None without any."""
    if inputs.opponent is None:
        return None
    columns = [column.score for column in inputs.definition.columns if column.metric == NAME]
    shown = {row.entry: row for row in reversed(inputs.scores) if row.name == columns[0]}
    answer_sets = {entry.pk: entry.answer_set for entry in inputs.entries}
    rows = [row for entry, row in sorted(shown.items()) if entry in inputs.ranked]
    if not rows:
        return None
    systems = [
        Participant(answer_set, row.entry)
        for row in rows
        if (answer_set := answer_sets[row.entry]) is not None and answer_set != inputs.opponent
    ]
    own = next((pk for pk, answer_set in answer_sets.items() if answer_set == inputs.opponent), None)
    baseline = Participant(inputs.opponent, own)
    return baseline, systems, Revision.objects.select_related("split__benchmark").get(pk=rows[0].revision)


def equal_length_on_board(
    run: Run, score: int, split: Split, setting: Setting, versions: Collection[UUID]
) -> Estimate | None:
    """The win rate at equal length that an unpublished run would have on today's board, as its owner may see it: fitted
    with the published systems; None if it cannot be estimated. One query if nothing has changed since it was computed.

    Args:
        run: a finished comparison with the baseline, under the signature that the board shows, with its revision.
        score: the key of its win rate.
        split: without a step; loaded with its benchmark.
        versions: answer sets that it would replace on the board.
    """
    board = BoardStatistics.objects.filter(split=split, setting=setting).values_list("fingerprint", flat=True).first()
    key = f"equal-length:3:{run.pk}:{score}:{board}:{run.revision.clusters_hash}:{split.hidden}"
    if stored := records_of([key], tuple[Estimate | None]):
        return stored[key][0]
    inputs = read_inputs(split, setting)
    ranked = ranked_systems(inputs)
    published = ranked[1] if ranked is not None and ranked[0].answer_set == run.opponent_id else []
    kept = [system for system in published if system.answer_set not in versions]
    systems = [*kept, Participant(run.answer_set_id, None)]
    baseline = cast("UUID", run.opponent_id)
    pairs = compared_pairs(run.revision, [baseline, *(system.answer_set for system in systems)])
    estimates = equal_length(pairs, baseline, systems, inputs.rule, run.revision.pk, _clusters(run.revision))
    estimate = estimates.get(run.answer_set_id)
    store_records({key: (estimate,)}, CACHE_SECONDS)
    return estimate
