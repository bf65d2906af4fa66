"""What the metrics of answer lists have in common: gold answers with their aliases, and predictions.

A reference is a list of gold answers, each an object with ``answer_text`` and ``aliases``, as QAMPARI publishes them;
an answer is a list of texts, stored as the text of a JSON array.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scoring.metrics.base import (
    Metric,
    ReferenceAnswer,
    ReferencePath,
    ReferenceProblem,
    ScoredVector,
    UnusableReference,
)
from scoring.metrics.columns import Column

MIN_F1: Final = 0.5
MIN_RECALL: Final = 0.8


@dataclass(frozen=True)
class GoldAnswer:
    """One of the answers that a list should contain."""

    text: str
    aliases: tuple[str, ...]
    """The texts that count as this answer; `text` need not be among them."""


def gold_lists(references: Sequence[ReferenceAnswer]) -> tuple[tuple[GoldAnswer, ...], ...]:
    """The gold answers of every reference.

    :param references: each a list of objects with ``answer_text`` (text) and ``aliases`` (a list of texts); other keys
        are ignored.
    :raises UnusableReference: listing every problem of every reference; an empty list is one.

    >>> gold_lists([[{"answer_text": "Oslo", "aliases": ["Oslo", "Kristiania"]}]])
    ((GoldAnswer(text='Oslo', aliases=('Oslo', 'Kristiania')),),)
    """
    problems = [
        ReferenceProblem(index, path, what)
        for index, reference in enumerate(references)
        for path, what in _problems(reference)
    ]
    if problems:
        raise UnusableReference(problems)
    checked: Sequence[Any] = references
    return tuple(
        tuple(GoldAnswer(answer["answer_text"], tuple(answer["aliases"])) for answer in reference)
        for reference in checked
    )


def _problems(reference: object) -> Iterator[tuple[ReferencePath, str]]:
    if not isinstance(reference, list) or not reference:
        yield (), "expected a list with at least one gold answer"
        return
    for index, answer in enumerate(reference):
        if not isinstance(answer, dict):
            yield (index,), f"expected an object with answer_text and aliases, found {type(answer).__name__}"
            continue
        if not isinstance(answer.get("answer_text"), str):
            yield (index, "answer_text"), "expected text"
        aliases = answer.get("aliases")
        if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
            yield (index, "aliases"), "expected a list of texts"


def text_of(predictions: Sequence[str]) -> str:
    """A list of predictions as the text that is stored.

    >>> text_of(["Oslo", "Tromsø"])
    '["Oslo", "Tromsø"]'
    """
    return json.dumps(list(predictions), ensure_ascii=False)


def predictions_of(text: str | None) -> list[str]:
    """The predictions of a stored answer, in order; none for no answer.

    :raises ValueError: if the text is no JSON array of strings.

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


@dataclass(frozen=True)
class Thresholds:
    """From where on F1 and recall of a question count as good; shares from 0 to 1.

    :raises ValueError: if one is outside that range.
    """

    f1: float = MIN_F1
    recall: float = MIN_RECALL

    def __post_init__(self) -> None:
        if not (0 <= self.f1 <= 1 and 0 <= self.recall <= 1):
            raise ValueError(f"Thresholds are shares from 0 to 1, not {self.f1} and {self.recall}.")

    def signature_parts(self) -> tuple[str, ...]:
        """The thresholds that are not QAMPARI's.

        >>> Thresholds(f1=0.4).signature_parts()
        ('min-f1:0.4',)
        """
        given = (("min-f1", self.f1, MIN_F1), ("min-recall", self.recall, MIN_RECALL))
        return tuple(f"{name}:{value!r}" for name, value, usual in given if value != usual)


def list_scores(
    name: str, precision: Sequence[float], recall: Sequence[float], f1: Sequence[float], thresholds: Thresholds
) -> dict[str, ScoredVector]:
    """The five scores of a metric of answer lists."""
    vectors = {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "f1_above": [float(value >= thresholds.f1) for value in f1],
        "rec_above": [float(value >= thresholds.recall) for value in recall],
    }
    return {f"{name}.{part}": mean_vector(values) for part, values in vectors.items()}


def short_share(value: float) -> str:
    """A share as columns write it.

    >>> short_share(0.5), short_share(1.0), short_share(0.0)
    ('.5', '1', '0')
    """
    return f"{value:g}".removeprefix("0") or "0"


def list_columns(metric: Metric, counted: str, thresholds: Thresholds) -> tuple[Column, ...]:
    """The columns of those scores. Precision and recall are not shown on a hidden split.

    :param counted: when a gold answer counts as found, in words.
    """
    suffix = metric.label.removeprefix("List F1")
    f1, recall = f"F1 ≥ {short_share(thresholds.f1)}", f"≥ {short_share(thresholds.recall)}"
    parts = (
        ("f1", "F1", "F1", f"The mean F1 of precision and recall; {counted}."),
        ("f1_above", f"%{f1}", f"%{f1}", f"The share of questions with an F1 of at least {thresholds.f1:g}."),
        ("recall", "Recall", "Rec", "The mean share of a question's gold answers that were found."),
        (
            "rec_above",
            f"%Recall {recall}",
            f"%Rec {recall}",
            f"The share of questions with a recall of at least {thresholds.recall:g}.",
        ),
        ("precision", "Precision", "Prec", "The mean share of a question's predictions that are gold answers."),
    )
    return tuple(
        Column(
            score=f"{metric.name}.{part}",
            metric=metric.name,
            label=f"{label}{suffix}",
            short_label=short_label,
            group=metric.label,
            description=description,
            default=not metric.repaired_of,
            disclosed=part in ("f1", "f1_above"),
        )
        for part, label, short_label, description in parts
    )
