"""Scores of long answers from weighted criteria that a judge decided.

Three published definitions: HealthBench (Arora et al. 2025, https://arxiv.org/abs/2505.08775), ResearchRubrics (Sharma
et al. 2025, https://arxiv.org/abs/2511.07685) and RACE of DeepResearch Bench (Du et al. 2025,
https://arxiv.org/abs/2506.11763). All numbers are plain floats; nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scoring.metrics.asking.errors import ReplyError

HIGHEST: Final = 10.0
"""The best score of a report on a criterion in RACE; the worst is 0."""


def weighted_score(weights: Sequence[float], met: Sequence[float]) -> float | None:
    """The score of one answer: what it earned of the positive weights.

    The sum of weight times *met* over all criteria, divided by the sum of the positive weights. Criteria with a
    negative weight name faults: they may take the score below 0.

    Args:
        weights: one weight a criterion, not 0.
        met: how far each criterion is met, from 0 to 1, in the same order.

    Returns:
        At most 1; None if no weight is positive.

    Raises:
        ValueError: if the two lists differ in length.

    >>> weighted_score([5, 7, -4], [1, 0, 1])
    0.08333333333333333
    """
    possible = sum(weight for weight in weights if weight > 0)
    earned = sum(weight * share for weight, share in zip(weights, met, strict=True))
    return earned / possible if possible > 0 else None


def clipped_mean(scores: Iterable[float]) -> float:
    """The mean of a benchmark's scores as HealthBench shows it: the mean is clipped to 0 to 1, no single score is.

    Returns:
        From 0 to 1; NaN without scores.

    >>> clipped_mean([0.5, -0.1]), clipped_mean([-0.5, 0.1])
    (0.2, 0.0)
    """
    values = list(scores)
    return min(max(sum(values) / len(values), 0.0), 1.0) if values else math.nan


@dataclass(frozen=True)
class ReportScores:
    """The scores of one report on the judge's scale, 0 to 10."""

    total: float
    dimensions: dict[str, float]


@dataclass(frozen=True)
class RelativeScores:
    """The scores of a report relative to a reference report, 0 to 1: .5 is a tie."""

    total: float
    dimensions: dict[str, float]
    target: ReportScores
    reference: ReportScores


def against_reference(
    reply: Mapping[str, Any],
    criteria: Mapping[str, Sequence[Mapping[str, Any]]],
    dimension_weights: Mapping[str, float],
) -> RelativeScores:
    """The scores of a report relative to a reference report, as DeepResearch Bench's code computes them.

    The mean of a dimension is weighted over the criteria that the reply scored. A criterion of the reply is found by
    its text: equal, equal in lower case, or one within the other; one that is not found counts with the mean weight of
    its dimension, and one that is scored twice counts twice. A score that is no number leaves its criterion out.

    Args:
        reply: by dimension, what the judge said: ``{"criterion", "article_1_score", "article_2_score"}`` with scores
            from 0 to 10; article 1 is the report, article 2 the reference.
        criteria: by dimension, ``{"criterion", "weight"}``.
        dimension_weights: by dimension.

    Raises:
        ReplyError: if a dimension is missing, a score is outside 0 to 10, or a criterion has no score of the reference
            (the published code takes the reference's mean as 0 if it is the last of its dimension).
    """
    missing = [name for name in dimension_weights if not isinstance(reply.get(name), list)]
    if missing:
        raise ReplyError(f"The reply scores nothing of the dimension {', '.join(missing)}.")
    target, reference = {}, {}
    for name in (name for name in reply if name in dimension_weights and criteria.get(name)):
        target[name], reference[name] = _means(reply[name], criteria[name])
    ours, theirs = (
        ReportScores(sum(means[name] * dimension_weights[name] for name in means), means)
        for means in (target, reference)
    )
    shares = {name: share_of(target[name], reference[name]) for name in target}
    return RelativeScores(share_of(ours.total, theirs.total), shares, ours, theirs)


def share_of(target: float, reference: float) -> float:
    """The score of a report relative to another one, from both on one scale: .5 is a tie, 0 if both are 0."""
    return target / (target + reference) if target + reference > 0 else 0.0


def _means(judged: Sequence[Any], criteria: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """The weighted means of both reports in one dimension; 0 if no criterion has a score."""
    weights = {str(criterion["criterion"]): float(criterion["weight"]) for criterion in criteria}
    target = reference = total = 0.0
    for item in judged:
        text = item.get("criterion") if isinstance(item, Mapping) else None
        text = text.strip() if isinstance(text, str) else ""
        first = number_in(item.get("article_1_score")) if text else None
        if first is None:
            continue
        if item.get("article_2_score") is None:
            raise ReplyError("The reply has no score of the reference report for a criterion.")
        second = number_in(item["article_2_score"])
        if second is None:
            continue
        weight = _weight(text, weights)
        target += first * weight
        reference += second * weight
        total += weight
    return (target / total, reference / total) if total > 0 else (0.0, 0.0)


def number_in(value: Any) -> float | None:
    """A score as a reply states it; None if it is no number.

    Raises:
        ReplyError: if it is outside 0 to 10.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    except OverflowError:
        number = math.inf
    if math.isnan(number):
        return None
    if not 0 <= number <= HIGHEST:
        raise ReplyError("The reply has a score that is not from 0 to 10.")
    return number


def _weight(text: str, weights: Mapping[str, float]) -> float:
    criterion = matching(text, weights)
    return sum(weights.values()) / len(weights) if criterion is None else weights[criterion]


def matching(text: str, criteria: Collection[str]) -> str | None:
    """The criterion that a reply means: with an equal text, an equal one in lower case, or one within the other.

    >>> matching("names oslo", ["Names Bergen", "Names Oslo"]), matching("Names", ["Oslo"])
    ('Names Oslo', None)
    """
    if text in criteria:
        return text
    lower = text.lower()
    same = (criterion for criterion in criteria if criterion.lower() == lower)
    within = (criterion for criterion in criteria if lower in criterion.lower() or criterion.lower() in lower)
    return next(same, next(within, None))
