"""Reading the comparisons of a board's systems, and ranking these: called with the board's other statistics."""

from __future__ import annotations

from leaderboard.board.fingerprint import BoardInputs
from leaderboard.board.ranking.statistics import Participant, ranking_of
from leaderboard.board.ranking.types import Ranking
from scoring.metrics.judge.pairs import NAME
from scoring.models import Revision, Split
from scoring.runs.judging.comparisons import compared_pairs


def read_ranking(split: Split, inputs: BoardInputs) -> Ranking | None:
    """The ranking of a board's systems; None where nothing is compared, or nothing yet.

    Ranked are the systems with a win rate that the board shows, with the baseline. A split with the Ladder has no
    ranking: strengths would tell what its steps hide.
    """
    found = None if split.ladder is not None else ranked_systems(inputs)
    if found is None:
        return None
    baseline, systems, revision = found
    pairs = compared_pairs(revision, [baseline.answer_set, *(one.answer_set for one in systems)])
    return ranking_of(pairs, baseline, systems, inputs.rule)


def ranked_systems(inputs: BoardInputs) -> tuple[Participant, list[Participant], Revision] | None:
    """The baseline, the systems with a win rate that the board shows, and their revision; None without any."""
    if inputs.baseline is None:
        return None
    columns = [column.score for column in inputs.definition.columns if column.metric == NAME]
    shown = {row.entry: row for row in reversed(inputs.scores) if row.name == columns[0] and not row.repeat}
    answer_sets = {one.pk: one.answer_set for one in inputs.entries}
    rows = [row for entry, row in sorted(shown.items()) if entry in inputs.ranked]
    if not rows:
        return None
    systems = [
        Participant(answer_set, row.entry, row.pk)
        for row in rows
        if (answer_set := answer_sets[row.entry]) is not None and answer_set != inputs.baseline.answer_set
    ]
    own = next((pk for pk, answer_set in answer_sets.items() if answer_set == inputs.baseline.answer_set), None)
    baseline = Participant(inputs.baseline.answer_set, own)
    return baseline, systems, Revision.objects.select_related("split__benchmark").get(pk=rows[0].revision)
