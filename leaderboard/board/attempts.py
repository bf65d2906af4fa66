"""What several attempts at each question say of a score: their spread, where its variance comes from, and the chances
that one of k attempts is right (pass@k) or that all are (pass^k), each with its interval.

Enters: scores by their keys. Leaves: an `Attempts` for each that has several, as everybody may see it
(`leaderboard.disclosure`).
"""

from collections.abc import Collection, Sequence
from typing import Self

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from leaderboard.disclosure import DisclosureRule
from scoring.metrics.columns import Column
from scoring.models import Score
from scoring.runs.intervals import intervals_of
from scoring.statistics import attempt_summary, pass_at_k, pass_hat_k


class Chance(Struct, frozen=True):
    """pass@k or pass^k over all questions, with its 95 % interval."""

    k: int
    value: float
    low: float | None = None
    """Lower end of the 95 % confidence interval."""
    high: float | None = None
    """Upper end of the 95 % confidence interval."""


class Attempts(Struct, frozen=True):
    """What several attempts at each question say of a score.

    Exports have the same fields in the same order. A number that is not shown is None, or absent from its list.
    """

    n_attempts: int
    means: list[float] = []
    """The mean of each attempt; empty on a hidden split."""
    spread: float | None = None
    """Standard deviation of the attempts' means: how far one attempt at all questions is from another."""
    variance_of_questions: float | None = None
    """The part of the mean's variance that other questions would change."""
    variance_of_attempts: float | None = None
    """The part of the mean's variance that other attempts at the same questions would change."""
    pass_at: list[Chance] = []
    """The chance that at least one of k attempts at a question is right, by k from 1; empty for scores that are not all
    0 or 1."""
    pass_hat: list[Chance] = []
    """The chance that all of k attempts at a question are right, by k from 1."""
    reason: str = ""
    """Why numbers are withheld; empty if none is."""

    @property
    def share_of_attempts(self) -> float | None:
        """The share of the mean's variance that comes from attempts, not from questions."""
        if self.variance_of_questions is None or self.variance_of_attempts is None:
            return None
        whole = self.variance_of_questions + self.variance_of_attempts
        return self.variance_of_attempts / whole if whole else None

    def disclosed(self, rule: DisclosureRule, column: Column) -> Self:
        """With the digits that the rule of its split allows; what it withholds is not here any more."""
        return msgspec.convert(rule.attempts(msgspec.to_builtins(self), column), type(self)) if rule.hidden else self


def attempts_of(scores: Collection[int], rule: DisclosureRule) -> dict[int, Attempts]:
    """By key, what the attempts say of those scores that have several, at full precision, without what the rule
    withholds. One query; one more for each revision with clusters."""
    rows = Score.objects.filter(pk__in=scores, attempts__isnull=False, n_items__gt=0)
    rows = rows.select_related("run__revision").defer("vector")
    clusters: dict[int, Sequence[str] | None] = {}
    attempts = {}
    for score in rows.iterator(chunk_size=20):
        revision = score.run.revision
        if revision.pk not in clusters:
            clusters[revision.pk] = revision.clusters
        attempts[score.pk] = _summed_up(score.per_attempt, score.per_weight, rule, clusters[revision.pk])
    return attempts


def _summed_up(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    rule: DisclosureRule,
    clusters: Sequence[str] | None,
) -> Attempts:
    """What attempts say, of shape (n_attempts, n_questions), with what each question counts."""
    n_attempts, n_questions = values.shape
    if reason := rule.why_no_spread(n_questions):
        return Attempts(n_attempts, reason=reason)
    summary = attempt_summary(values, weights)
    means = [] if rule.hidden else np.average(values, axis=1, weights=weights).tolist()
    reason = rule.why_no_pass_at()
    chances: list[Chance] = []
    every_k = range(1, 2 if reason else n_attempts + 1)
    if summary.pass_at is not None:
        n_right = values.sum(axis=0).astype(np.int64)
        n_tried = np.full_like(n_right, n_attempts)
        vectors = [function(n_tried, n_right, k) for function in (pass_at_k, pass_hat_k) for k in every_k]
        ends = intervals_of(
            vectors,
            clusters if clusters is not None and len(clusters) == n_questions else None,
            weights=[weights] * len(vectors),
        )
        chances = [
            Chance(k, float(np.average(vector, weights=weights)), *pair)
            for k, vector, pair in zip((*every_k, *every_k), vectors, ends, strict=True)
        ]
    return Attempts(
        n_attempts,
        means,
        summary.spread,
        variance_of_questions=None if reason else summary.variance_of_questions,
        variance_of_attempts=None if reason else summary.variance_of_attempts,
        pass_at=chances[: len(every_k)],
        pass_hat=chances[len(every_k) :],
        reason=reason,
    )
