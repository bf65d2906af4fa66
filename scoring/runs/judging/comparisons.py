"""Answer sets compared side by side: what finished runs found, question by question."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast
from uuid import UUID

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from scoring.generations.records import has_content
from scoring.metrics.asking.items import AskedItem
from scoring.metrics.base import SERVED, ScoredVector
from scoring.metrics.side_by_side.items import (
    NAME,
    SCORE,
    WIN_RATE,
    ComparisonItem,
    filled_vector,
    preferences,
    read_scores,
    score_pair,
)
from scoring.models import Comparison, CurrentSignature, Revision, Run, Score
from scoring.models.run_states import RunState
from scoring.queries import OPPONENT_PART, vectors_of
from scoring.registry import metric_of, signature_of
from scoring.runs.intervals import Ends, intervals_of
from scoring.runs.intervals import save as save_intervals
from scoring.runs.judging.items import RunVerdicts, opponents_of
from scoring.runs.judging.store import keys_of
from scoring.statistics import completed
from scoring.statistics.arrays import Clusters
from scoring.statistics.preferences import TIED


@dataclass(frozen=True)
class ComparedPair:
    """Two answer sets that the judge compared on every question, in both orders; n questions."""

    first: UUID
    """The answer set that was judged."""
    second: UUID
    """Answer set that the first one is compared with."""
    run: UUID
    qids: tuple[str, ...]
    """Shape ``(n,)``, in the order of the revision."""
    scores: NDArray[np.float64]
    """Scores from 0 to 100, shape ``(n, 2, 2)``: question, order (0: `first` was shown first; 1: `second`), side (0:
    `first`; 1: `second`). NaN where a reply is unparsed, or there was no request because a side is unanswered."""
    verdicts: NDArray[np.int64]
    """The keys of the stored replies (`Verdict`), shape ``(n, 2)``: question, order; 0 where there is none."""
    answered: NDArray[np.bool_]
    """Whether each side has an answer, shape ``(n, 2)``: question, side."""
    lengths: NDArray[np.float64]
    """Characters of both answers as sent to the judge, shape ``(n, 2)``: question, side; 0 where there was no request.
    """

    @property
    def preferences(self) -> NDArray[np.float64]:
        """For `first`, in each order, shape ``(n, 2)``: 1 it wins, 0 `second` wins, 0.5 a tie; NaN if unparsed.

        If only one side has an answer, it wins in both orders; if none has, it is a tie.
        """
        return preferences(self.scores, self.answered)

    @property
    def preference(self) -> NDArray[np.float64]:
        """Preference for `first`, the mean over both orders, shape ``(n,)``; NaN if the reply in either order is
        unparsed."""
        return np.asarray(self.preferences.mean(axis=1))

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Whether the judge gave both scores in both orders, shape ``(n,)``: what position bias is measured on."""
        return np.asarray(np.isfinite(self.scores).all(axis=(1, 2)))

    @property
    def length_differences(self) -> NDArray[np.float64]:
        """The length of `first` minus that of `second`, shape ``(n,)``; NaN where a side has no answer."""
        return np.where(self.answered.all(axis=1), self.lengths[:, 0] - self.lengths[:, 1], np.nan)

    def seen_from(self, answer_set: UUID) -> ComparedPair:
        """The pair with one of its answer sets as `first`."""
        if answer_set == self.first:
            return self
        # Orders and sides are counted from `first`, so both axes turn.
        return replace(
            self,
            first=self.second,
            second=self.first,
            scores=self.scores[:, ::-1, ::-1],
            verdicts=self.verdicts[:, ::-1],
            answered=self.answered[:, ::-1],
            lengths=self.lengths[:, ::-1],
        )

    @property
    def n_unparsed(self) -> int:
        """Questions that both sides answered and that have no preference: left out of every score, and counted."""
        return int(np.isnan(self.preference).sum())


def compared_pairs(revision: Revision, answer_sets: Collection[UUID] | None = None) -> list[ComparedPair]:
    """The finished comparisons on a revision, each pair once, by the judge whose scores the boards show.

    Comparisons by other models or prompts are left out: they do not mix. At most three queries.

    Args:
        answer_sets: both sides are among these; None for all.
    """
    runs = Run.objects.filter(revision=revision, metric=NAME, state=RunState.DONE)
    runs = runs.filter(comparison__isnull=False, opponent__isnull=False).select_related("comparison")
    runs = runs.exclude(opponent=F("answer_set"))  # the baseline against itself, without a request
    if answer_sets is not None:
        runs = runs.filter(answer_set__in=answer_sets, opponent__in=answer_sets)
    wanted = judge_of(revision)
    by_sides: dict[frozenset[UUID | None], ComparedPair] = {}
    # A pair may have been compared in either direction: the comparison that was finished first counts.
    for run in runs.order_by("finished_at", "pk"):
        sides = frozenset((run.answer_set_id, run.opponent_id))
        if without_opponent(run.signature) == wanted and sides not in by_sides:
            by_sides[sides] = pair_of(run)
    return list(by_sides.values())


def judge_of(revision: Revision) -> str:
    """The signature, without an opponent, of the comparisons that count on a revision: as the boards show it, or, if
    they show none for this revision, as one made now."""
    shown = CurrentSignature.objects.filter(split=revision.split_id, metric=NAME).values_list("signature", flat=True)
    asked = without_opponent((shown.first() or "").partition(SERVED)[0])
    if f"|data:{revision.signature_part}|" in asked:
        return asked
    return signature_of(metric_of(revision.split.benchmark.slug, NAME), revision.signature_part)


def without_opponent(signature: str) -> str:
    """A signature without the part that names the opponent.

    >>> without_opponent("side-by-side|data:dev@0|opponent:1f|manyhop:0.6.0")
    'side-by-side|data:dev@0|manyhop:0.6.0'
    """
    return OPPONENT_PART.sub("", signature)


def pair_of(run: Run) -> ComparedPair:
    """Comparison that a finished run made; its ``comparison`` should be loaded."""
    stored = run.comparison
    arrays = np.load(io.BytesIO(bytes(stored.arrays)), allow_pickle=False)
    return ComparedPair(
        first=run.answer_set_id,
        second=cast("UUID", run.opponent_id),
        run=run.pk,
        qids=tuple(arrays["qids"].tolist()),
        scores=arrays["scores"],
        verdicts=arrays["verdicts"],
        answered=arrays["answered"],
        lengths=arrays["lengths"],
    )


def completed_vectors(
    scores: Mapping[int, str], weights: Mapping[int, NDArray[np.float64]]
) -> dict[int, NDArray[np.float64]]:
    """Vectors for tests (`scoring.statistics.completed`), by score, in place of the stored ones: of scores some of
    whose questions do not count, or count more than others. At most three queries.

    Args:
        scores: as in `counted_vectors`, like the next.
        weights: of these scores.
    """
    vectors = vectors_of(weights) | counted_vectors(scores, weights)
    return {pk: completed(values, weights.get(pk)) for pk, values in vectors.items()}


def counted_vectors(
    scores: Mapping[int, str], weights: Mapping[int, NDArray[np.float64]]
) -> dict[int, NDArray[np.float64]]:
    """Vectors with NaN for questions that do not count, by score, in place of the stored ones. At most two queries.

    Such scores are of comparisons, whose stored vectors have the value of the score there; and weighted means, if some
    questions have the weight 0.

    Args:
        scores: the names of scores by their keys.
        weights: of these scores (`scoring.queries.weights_of`).
    """
    gaps = vectors_of(pk for pk, of_score in weights.items() if not of_score.all())
    vectors = {pk: np.where(weights[pk] > 0, values, np.nan) for pk, values in gaps.items()}
    compared = [pk for pk, name in scores.items() if name in (WIN_RATE, SCORE)]
    if not compared:
        return vectors
    rows = Score.objects.filter(pk__in=compared, run__comparison__isnull=False)
    for pk, stored in rows.values_list("pk", "run__comparison__arrays").iterator(chunk_size=100):
        arrays = np.load(io.BytesIO(bytes(stored)), allow_pickle=False)
        values = score_pair(arrays["scores"], arrays["answered"])[scores[pk]]
        if np.isnan(values).any():
            vectors[pk] = values
    return vectors


def forget_intervals(revision: Revision) -> None:
    """Have the intervals of a revision's scores computed again, by boards or the next sweep: their clusters changed.
    Those of comparisons are computed at once, because their vectors do not say which questions count. That of the
    baseline against itself, which is known, stays."""
    scores = Score.objects.filter(run__revision=revision).exclude(run__opponent=F("run__answer_set"))
    scores.filter(run__comparison=None).update(low=None, high=None)
    compared = scores.filter(run__comparison__isnull=False, name__in=(WIN_RATE, SCORE))
    names = dict(compared.values_list("pk", "name"))
    if names:
        vectors, clusters = vectors_of(names) | counted_vectors(names, {}), revision.clusters
        save_intervals((pk, *_ends(vector, clusters)) for pk, vector in vectors.items())


# --- At the end of a run -------------------------------------------------------------------------------------------


def store(verdicts: RunVerdicts) -> tuple[Mapping[str, ScoredVector], Mapping[str, Ends], int]:
    """Store what a run found, question by question, and return its scores, their intervals, and the number of answered
    questions.

    Questions without a readable reply in both orders do not count. A set that is compared with itself, the baseline,
    ties on every question, without a request.
    """
    run, scored = verdicts.run, verdicts.scored
    opponents = opponents_of(run, scored)
    answered = np.array([(has_content(a), has_content(b)) for a, b in zip(scored.generations, opponents, strict=True)])
    n_answered = int(answered[:, 0].sum())
    if run.opponent_id == run.answer_set_id:
        tied = filled_vector(np.full(len(scored), TIED))
        return {WIN_RATE: tied} if tied else {}, {WIN_RATE: (TIED, TIED)} if tied else {}, n_answered
    # As in `ComparedPair`: scores, keys of replies, and the lengths of both answers as sent.
    n = len(scored)
    scores, keys, lengths = np.full((n, 2, 2), np.nan), np.zeros((n, 2), dtype=np.int64), np.zeros((n, 2))
    place_of = {key: place for place, key in enumerate(scored.keys)}
    stored = keys_of(set(verdicts.addresses.values()))
    for item in verdicts.items:
        if isinstance(item, ComparisonItem):
            place, address = place_of[item.answer_key], verdicts.addresses[item.key]
            scores[place, item.order] = read_scores(verdicts.letters.get(address), item.order)
            keys[place, item.order] = stored.get(address, 0)
            lengths[place] = len(item.answer.text), len(item.opponent.text)
    vectors = score_pair(scores, answered)
    counts = dict(zip(("n_cut", "n_cut_opponent"), n_cut_of(verdicts.items), strict=True))
    counts["n_unparsed"] = int(np.isnan(preferences(scores, answered).mean(axis=1)).sum())
    buffer, qids = io.BytesIO(), np.array(scored.qids)
    np.savez_compressed(buffer, qids=qids, scores=scores, verdicts=keys, answered=answered, lengths=lengths)
    Comparison.objects.update_or_create(run=run, defaults={"arrays": buffer.getvalue(), **counts})
    filled = {name: vector for name, values in vectors.items() if (vector := filled_vector(values)) is not None}
    ends = {name: _ends(vectors[name], scored.clusters) for name in filled}
    return filled, ends, n_answered


def n_cut_of(items: Iterable[AskedItem]) -> tuple[int, int]:
    """Numbers of compared answers that are cut for the judge, for each side."""
    first = [item for item in items if isinstance(item, ComparisonItem) and not item.order]
    return sum(item.answer.cut for item in first), sum(item.opponent.cut for item in first)


def _ends(values: NDArray[np.float64], clusters: Clusters | None) -> Ends:
    """The interval of the mean of the values that count."""
    known = ~np.isnan(values)
    return intervals_of([values[known]], None if clusters is None else np.asarray(clusters)[..., known])[0]
