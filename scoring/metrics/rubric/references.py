"""Rubrics as reference answers: the criteria of each question.

A reference is an object with ``criteria``, a list of objects; see `Criterion`. The fields of published files have other
names for the same (`PUBLISHED`), and DeepResearch Bench writes its criteria by dimension; `stored_rubric` reads both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from scoring.metrics.base import ReferenceAnswer, ReferencePath, ReferenceProblem, UnusableReference

PUBLISHED: Final = {
    "criterion": ("title", "description", "ingredient", "text"),
    "weight": ("points",),
    "dimension": ("category", "axis"),
    "explanation": (),
    "rubric": (),
}
"""The fields of a criterion, each with its names in published files (HealthBench, ResearchRubrics, ScholarQA-CS)."""


@dataclass(frozen=True)
class Criterion:
    """What a judge decides about an answer."""

    criterion: str
    weight: float
    """What it counts; below 0 if it names a fault."""
    dimension: str = ""
    explanation: str = ""
    rubric: str = ""
    """The name of its rubric, if the question has several."""


@dataclass(frozen=True)
class Rubric:
    """The criteria of a question."""

    criteria: tuple[Criterion, ...]


def rubrics_of(references: Sequence[ReferenceAnswer]) -> tuple[Rubric, ...]:
    """The criteria of every question.

    Raises:
        UnusableReference: Listing every problem of every reference.

    >>> rubrics_of([{"criteria": [{"criterion": "Names Oslo", "weight": 2}]}])[0].criteria[0].weight
    2.0
    >>> rubrics_of([{"criteria": [{"criterion": "Names Oslo", "weight": -2}]}])
    Traceback (most recent call last):
    ...
    scoring.metrics.base.UnusableReference: reference 0['criteria']: expected a criterion with a weight above 0
    """
    rubrics: list[Rubric] = []
    problems: list[ReferenceProblem] = []
    for index, reference in enumerate(references):
        wrong = [ReferenceProblem(index, path, what) for path, what in _wrong_in(reference)]
        problems += wrong
        if not wrong and isinstance(reference, dict):
            criteria = (Criterion(**one | {"weight": float(one["weight"])}) for one in reference["criteria"])
            rubrics.append(Rubric(tuple(criteria)))
    if problems:
        raise UnusableReference(problems)
    return tuple(rubrics)


def _wrong_in(reference: Any) -> Iterator[tuple[ReferencePath, str]]:
    criteria = reference.get("criteria") if isinstance(reference, dict) else None
    if not isinstance(criteria, list) or not criteria:
        yield ("criteria",), "expected a list of criteria"
        return
    seen: set[tuple[str, str]] = set()
    is_whole = True
    for place, one in enumerate(criteria):
        for name, what in _wrong_in_criterion(one):
            is_whole = False
            yield ("criteria", place, *([name] if name else [])), what
        if is_whole:
            key = one.get("rubric", ""), " ".join(one["criterion"].split()).casefold()
            if key in seen:
                yield ("criteria", place, "criterion"), "expected each criterion once"
            seen.add(key)
    if is_whole:
        for rubric in dict.fromkeys(one.get("rubric", "") for one in criteria):
            if not any(one["weight"] > 0 for one in criteria if one.get("rubric", "") == rubric):
                yield ("criteria",), "expected a criterion with a weight above 0"


def _wrong_in_criterion(one: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(one, dict):
        yield "", "expected an object with criterion and weight"
        return
    for name in one.keys() - PUBLISHED.keys():
        yield str(name), f"expected only the fields {', '.join(PUBLISHED)}"
    text, weight = one.get("criterion"), one.get("weight")
    if not isinstance(text, str) or not text.strip():
        yield "criterion", "expected a text with content"
    if not isinstance(weight, int | float) or isinstance(weight, bool) or not isfinite(weight) or not weight:
        yield "weight", "expected a number that is not 0"
    for name in ("dimension", "explanation", "rubric"):
        if not isinstance(one.get(name, ""), str):
            yield name, "expected a text"


def stored_rubric(answer: Any) -> Any:
    """A rubric in one of its published forms as it is stored; anything else as it is.

    A list of criteria; the same as the text of a JSON document; an object of dimensions with criteria (``criterions``)
    and their weights (``dimension_weight``): a criterion counts its weight times that of its dimension.

    >>> stored_rubric('[{"title": "Names Oslo", "weight": 2.0, "category": "Facts"}]')
    {'criteria': [{'criterion': 'Names Oslo', 'weight': 2.0, 'dimension': 'Facts'}]}
    >>> by_dimension = {"insight": [{"criterion": "x", "weight": 1}]}
    >>> stored_rubric({"dimension_weight": {"insight": 0.5}, "criterions": by_dimension})
    {'criteria': [{'criterion': 'x', 'weight': 0.5, 'dimension': 'insight'}]}
    """
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except ValueError:
            return answer
    if isinstance(answer, dict) and isinstance(answer.get("criterions"), dict):
        weights = answer.get("dimension_weight")
        answer = [
            {**one, "weight": _times(one.get("weight"), weights.get(name) if isinstance(weights, dict) else None)}
            | {"dimension": name}
            for name, criteria in answer["criterions"].items()
            for one in (criteria if isinstance(criteria, list) else ())
            if isinstance(one, dict)
        ]
    if isinstance(answer, list):
        answer = {"criteria": answer}
    if isinstance(answer, dict) and isinstance(answer.get("criteria"), list):
        return {**answer, "criteria": [_stored_criterion(one) for one in answer["criteria"]]}
    return answer


def _times(weight: Any, share: Any) -> Any:
    """A criterion's weight in its question; what is no number stays to be named by `rubrics_of`."""
    return weight * share if isinstance(weight, int | float) and isinstance(share, int | float) else None


def _stored_criterion(one: Any) -> Any:
    if not isinstance(one, Mapping):
        return one
    stored: dict[str, Any] = {}
    for name, others in PUBLISHED.items():
        found = next((key for key in (name, *others) if key in one), None)
        if found is not None:
            stored[name] = one[found]
    return stored
