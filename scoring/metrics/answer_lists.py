"""Common parts of the metrics of answer lists: gold answers with their aliases, and predictions.

A reference is a list of gold answers, each an object with ``answer_text`` and ``aliases``, as QAMPARI publishes them;
an answer is a list of texts, stored as the text of a JSON array.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.metrics.base import (
    AnswerBudget,
    Metric,
    Progress,
    ReferenceAnswer,
    ReferenceProblem,
    ScoredVector,
    UnusableReference,
    check_lengths,
)


@dataclass(frozen=True)
class GoldAnswer:
    """One of the answers that a list should contain."""

    text: str
    aliases: tuple[str, ...]
    """The texts that count as this answer; `text` need not be among them."""


def gold_lists(references: Sequence[ReferenceAnswer]) -> tuple[tuple[GoldAnswer, ...], ...]:
    """The gold answers of every reference, a list of objects whose other keys are ignored.

    Raises:
        UnusableReference: Listing every problem of every reference; an empty list is one.

    >>> gold_lists([[{"answer_text": "Oslo", "aliases": ["Oslo", "Kristiania"]}]])
    ((GoldAnswer(text='Oslo', aliases=('Oslo', 'Kristiania')),),)
    """
    problems: list[ReferenceProblem] = []
    for index, reference in enumerate(references):
        if not isinstance(reference, list) or not reference:
            problems.append(ReferenceProblem(index, (), "expected a list with at least one gold answer"))
            continue
        for place, answer in enumerate(reference):
            if not isinstance(answer, dict):
                what = f"expected an object with answer_text and aliases, found {type(answer).__name__}"
                problems.append(ReferenceProblem(index, (place,), what))
                continue
            if not isinstance(answer.get("answer_text"), str):
                problems.append(ReferenceProblem(index, (place, "answer_text"), "expected text"))
            aliases = answer.get("aliases")
            if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
                problems.append(ReferenceProblem(index, (place, "aliases"), "expected a list of texts"))
    if problems:
        raise UnusableReference(problems)
    checked: Sequence[Any] = references
    return tuple(
        tuple(GoldAnswer(answer["answer_text"], tuple(answer["aliases"])) for answer in reference)
        for reference in checked
    )


def text_of(predictions: Sequence[str]) -> str:
    """A list of predictions as the text that is stored.

    >>> text_of(["Oslo", "Tromsø"])
    '["Oslo", "Tromsø"]'
    """
    return json.dumps(list(predictions), ensure_ascii=False)


def predictions_of(text: str | None) -> list[str]:
    """The predictions of a stored answer, in order; none for no answer.

    Raises:
        ValueError: If the text is no JSON array of strings.

    >>> predictions_of('["Oslo", "Oslo"]'), predictions_of(None)
    (['Oslo', 'Oslo'], [])
    """
    predictions = [] if text is None else json.loads(text)
    if not isinstance(predictions, list) or not all(isinstance(prediction, str) for prediction in predictions):
        raise ValueError("expected a JSON array of strings")
    return predictions


def harmonic_mean(precision: float, recall: float) -> float:
    """F1, computed in the order of the published scorers; 0 if either is 0."""
    if recall == 0 or precision == 0:
        return 0.0
    return (2 * recall * precision) / (recall + precision)


def mean_vector(values: Sequence[float]) -> ScoredVector:
    """One score with its mean, computed with numpy as the published scorers do."""
    per_item = np.array(values, dtype=np.float64)
    return ScoredVector(float(np.mean(per_item)), per_item)


def mean_of_known(values: Sequence[float | None]) -> ScoredVector | None:
    """One score with the mean of the items that have a value; None if no item has one."""
    counts = np.array([value is not None for value in values], dtype=np.float64)
    if not counts.any():
        return None
    per_item = np.array([value or 0.0 for value in values], dtype=np.float64)
    return ScoredVector(float(np.average(per_item, weights=counts)), per_item, None if counts.all() else counts)


class ListMetric(Metric):
    """A metric of answer lists whose scores are means of a value for each question."""

    @abstractmethod
    def question_scores(self, gold: Any, predictions: list[str]) -> tuple[float, ...]:
        """A question's value of each of `score_names`, in their order.

        Args:
            gold: What `Metric.prepare` made of its reference.
            predictions: Its answer; empty if there is none.
        """

    def score(
        self,
        prepared: Sequence[Any],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """See `Metric.score`; raises ValueError also for an answer that is no JSON array of strings.

        *budget* is not needed: an answer takes time proportional to its length.
        """
        del budget
        check_lengths(len(prepared), len(generations))
        rows = []
        for gold, generation in zip(prepared, generations, strict=True):
            rows.append(self.question_scores(gold, predictions_of(generation)))
            if progress is not None:
                progress(len(rows), len(generations))
        return {
            name: mean_vector(values) for name, values in zip(self.score_names, zip(*rows, strict=True), strict=True)
        }

    def mean(self, values: Sequence[float]) -> float:
        return mean_vector(values).value


def short_share(value: float) -> str:
    """A share as columns write it.

    >>> short_share(0.5), short_share(1.0), short_share(0.0)
    ('.5', '1', '0')
    """
    return f"{value:g}".removeprefix("0") or "0"
