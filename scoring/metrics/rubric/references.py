"""Rubrics as reference answers: the criteria of each question.

A reference is an object with ``criteria``, a list of objects (see `Criterion`), and perhaps ``dimensions``, their
weights by name, and ``report``, the text of a reference report. The fields of published files have other
names for the same (`PUBLISHED`), and DeepResearch Bench writes its criteria by dimension; `stored_rubric` reads both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from scoring.metrics.base import ReferenceAnswer, ReferencePath, ReferenceProblem, UnusableReference
from scoring.metrics.rubric.scores import weighted_score

PUBLISHED: Final = {
    "criterion": ("title", "description", "ingredient", "text"),
    "weight": ("points",),
    "dimension": ("category", "axis"),
    "explanation": (),
    "rubric": (),
    "optional": (),
    "measure": (),
    "snippets": (),
    "words": (),
}
"""The fields of a criterion, each with its names in published files (HealthBench, ResearchRubrics)."""
_OF_RUBRICS: Final = ("criteria", "dimensions", "report")
FIELDS: Final = (*_OF_RUBRICS, *PUBLISHED, *chain.from_iterable(PUBLISHED.values()))
"""The fields of a rubric and of its criteria that are read, by all their names."""
LENGTH, CITED, EXCERPTS, SNIPPETS = "length", "citations", "excerpts", "snippets"
MEASURES: Final = (LENGTH, CITED, EXCERPTS, SNIPPETS)
"""How else than by the prompt about one criterion it may be decided how far a criterion is met."""
LARGEST_WEIGHT: Final = 1_000_000
EXPERTISE: Final = (
    "The level of expertise required to understand the answer should be roughly aligned with the estimated expertise "
    "of a typical person who would ask the question."
)
"""A criterion of every question of ScholarQA-CS, in the words of its code."""


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
    optional: bool = False
    """Whether an answer may do without it; it counts its weight all the same."""
    measure: str = ""
    """One of `MEASURES`; empty if a judge decides it by the prompt about one criterion."""
    snippets: tuple[str, ...] = ()
    """The texts of which an answer should have the content; they count only if the criterion before is met at all."""
    words: tuple[int, ...] = ()
    """Of the length: up to how many words it is met, and from how many on not at all."""

    @property
    def is_fault(self) -> bool:
        """Whether an answer that meets it is worse."""
        return self.weight < 0

    @property
    def dimension_label(self) -> str:
        """Its dimension as people read it (`in_words`)."""
        return in_words(self.dimension)


def in_words(dimension: str) -> str:
    """The name of a dimension as people read it.

    >>> in_words("instruction_following")
    'instruction following'
    """
    return dimension.replace("_", " ")


@dataclass(frozen=True)
class Rubric:
    """The criteria of a question."""

    criteria: tuple[Criterion, ...]
    dimensions: Mapping[str, float]
    """The weights of the dimensions, above 0; empty if criteria count their own weight."""
    report: str = ""
    """The report that others are compared with."""

    def weight_of(self, criterion: Criterion) -> float:
        """What a criterion counts in its question."""
        return criterion.weight * (self.dimensions[criterion.dimension] if self.dimensions else 1.0)

    def required_met(self, met: Sequence[float]) -> float | None:
        """The mean of how far the required criteria are met: those that are neither optional nor faults.

        Returns:
            From 0 to 1; None without one.

        >>> rubric = Rubric((Criterion("a", 1), Criterion("b", 5, optional=True), Criterion("c", -1)), {})
        >>> rubric.required_met([0.5, 1, 1])
        0.5
        """
        rows = zip(self.criteria, met, strict=True)
        required = [share for criterion, share in rows if not criterion.is_fault and not criterion.optional]
        return sum(required) / len(required) if required else None

    @property
    def lowest(self) -> float:
        """The score of an answer that has every fault and meets nothing."""
        return self.score([float(criterion.is_fault) for criterion in self.criteria]) or 0.0

    def score(self, met: Sequence[float | None], dimension: str | None = None) -> float | None:
        """What an answer earned of the weights, in one dimension or in whole: the mean over the question's rubrics.

        Args:
            met: how far each criterion is met, 0 to 1, in their order; None where nobody decided, which leaves the
                criterion out.

        Returns:
            At most 1; None if no criterion with a weight above 0 is left.

        >>> rubric = Rubric((Criterion("Names Oslo", 3), Criterion("Invents", -1), Criterion("Cites", 1)), {})
        >>> rubric.score([1, 1, 0]), rubric.score([None, 0, 1]), rubric.score([None, 1, None])
        (0.5, 1.0, None)
        """
        by_rubric: dict[str, list[tuple[float, float]]] = {}
        for criterion, share in zip(self.criteria, met, strict=True):
            if share is not None and dimension in (None, criterion.dimension):
                by_rubric.setdefault(criterion.rubric, []).append((self.weight_of(criterion), share))
        scores = (weighted_score(*zip(*own, strict=True)) for own in by_rubric.values())
        known = [score for score in scores if score is not None]
        return sum(known) / len(known) if known else None

    @property
    def by_dimension(self) -> dict[str, list[Criterion]]:
        """The criteria of each dimension, in their order."""
        found: dict[str, list[Criterion]] = {}
        for criterion in self.criteria:
            found.setdefault(criterion.dimension, []).append(criterion)
        return found


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
    reference: Any
    for index, reference in enumerate(references):
        wrong = [ReferenceProblem(index, path, what) for path, what in _wrong_in(reference)]
        problems += wrong
        if not wrong:
            criteria = (
                Criterion(
                    **one
                    | {"weight": float(one["weight"])}
                    | {name: tuple(one.get(name, ())) for name in ("snippets", "words")}
                )
                for one in reference["criteria"]
            )
            rubrics.append(Rubric(tuple(criteria), reference.get("dimensions", {}), reference.get("report", "")))
    if problems:
        raise UnusableReference(problems)
    return tuple(rubrics)


def _wrong_in(reference: Any) -> Iterator[tuple[ReferencePath, str]]:
    criteria = reference.get("criteria") if isinstance(reference, dict) else None
    if not isinstance(criteria, list) or not criteria:
        yield ("criteria",), "expected a list of criteria"
        return
    if not isinstance(reference.get("report", ""), str):
        yield ("report",), "expected a text"
    dimensions = reference.get("dimensions", {})
    if not isinstance(dimensions, dict) or not all(map(_is_positive, dimensions.values())):
        yield ("dimensions",), f"expected an object of dimensions with weights above 0, at most {LARGEST_WEIGHT}"
        dimensions = {}
    seen: set[tuple[str, ...]] = set()
    is_whole = True
    for place, one in enumerate(criteria):
        wrong = list(_wrong_in_criterion(one))
        for name, what in wrong:
            yield ("criteria", place, name) if name else ("criteria", place), what
        if wrong:
            is_whole = False
        elif dimensions and one.get("dimension") not in dimensions:
            is_whole = False
            yield ("criteria", place, "dimension"), "expected one of the dimensions"
        if is_whole:
            text = " ".join(one["criterion"].split()).casefold()
            key = one.get("rubric", ""), one.get("dimension", ""), text, one.get("explanation", "")
            before = criteria[place - 1] if place else {}
            is_own = bool(before) and not before.get("measure") and before.get("rubric") == one.get("rubric")
            if one.get("measure") == SNIPPETS and not is_own:
                yield ("criteria", place, "measure"), "expected the criterion whose snippets these are before it"
            if key in seen:
                yield ("criteria", place, "criterion"), "expected each criterion of a dimension once"
            seen.add(key)
    if is_whole:
        for rubric in dict.fromkeys(one.get("rubric", "") for one in criteria):
            if not any(one["weight"] > 0 for one in criteria if one.get("rubric", "") == rubric):
                yield ("criteria",), "expected a criterion with a weight above 0"


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LARGEST_WEIGHT


def _wrong_in_criterion(one: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(one, dict):
        yield "", "expected an object with criterion and weight"
        return
    for name in one.keys() - PUBLISHED.keys():
        yield str(name), f"expected only the fields {', '.join(PUBLISHED)}"
    text, weight = one.get("criterion"), one.get("weight")
    if not isinstance(text, str) or not text.strip():
        yield "criterion", "expected a text with content"
    if not _is_positive(weight) and not (isinstance(weight, int | float) and _is_positive(-weight)):
        yield "weight", f"expected a number that is not 0, from -{LARGEST_WEIGHT} to {LARGEST_WEIGHT}"
    for name in ("dimension", "explanation", "rubric"):
        if not isinstance(one.get(name, ""), str):
            yield name, "expected a text"
    if not isinstance(one.get("optional", False), bool):
        yield "optional", "expected true or false"
    measure, snippets, words = one.get("measure", ""), one.get("snippets", []), one.get("words", [])
    if measure not in ("", *MEASURES):
        yield "measure", f"expected one of {', '.join(MEASURES)}"
    are_texts = isinstance(snippets, list) and all(isinstance(text, str) and text.strip() for text in snippets)
    if not are_texts or bool(snippets) is not (measure == SNIPPETS):
        yield "snippets", "expected a list of texts where the snippets are measured, and only there"
    are_numbers = isinstance(words, list) and all(type(number) is int and number > 0 for number in words)
    if not are_numbers or len(words) != 2 * (measure == LENGTH) or list(words) != sorted(set(words)):
        yield "words", "expected two whole numbers where the length is measured, the smaller one first, and only there"


def stored_rubric(answer: Any) -> Any:
    """A rubric in one of its published forms as it is stored; anything else as it is.

    A list of criteria; the same as the text of a JSON document; an object of dimensions with criteria (``criterions``)
    and their weights (``dimension_weight``); the configuration of a question of ScholarQA-CS (``other_properties``).

    >>> stored_rubric('[{"title": "Names Oslo", "weight": 2.0, "category": "Facts"}]')
    {'criteria': [{'criterion': 'Names Oslo', 'weight': 2.0, 'dimension': 'Facts'}]}
    >>> by_dimension = {"insight": [{"criterion": "x", "weight": 1}]}
    >>> stored_rubric({"dimension_weight": {"insight": 0.5}, "criterions": by_dimension})
    {'criteria': [{'criterion': 'x', 'weight': 1, 'dimension': 'insight'}], 'dimensions': {'insight': 0.5}}
    """
    whole = _with_criteria(answer)
    if isinstance(whole, dict) and isinstance(whole.get("criteria"), list):
        return {**whole, "criteria": [_stored_criterion(criterion) for criterion in whole["criteria"]]}
    return whole


def unread_fields(answer: Any) -> Iterator[str]:
    """The fields of a rubric in one of its published forms, and of its criteria, that are not stored.

    >>> list(unread_fields([{"criterion": "x", "weight": 1, "optinal": True}, {"criterion": "y", "points": 1}]))
    ['optinal']
    """
    whole = _with_criteria(answer)
    if isinstance(whole, dict) and isinstance(whole.get("criteria"), list):
        yield from (name for name in whole if name not in _OF_RUBRICS)
        for criterion in whole["criteria"]:
            if isinstance(criterion, Mapping):
                read = _places_in(criterion).values()
                yield from (name for name in criterion if name not in read)


def _with_criteria(answer: Any) -> Any:
    """A rubric in one of its published forms with the published fields of its criteria; anything else as it is."""
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except ValueError:
            return answer
    if isinstance(answer, dict) and isinstance(answer.get("criterions"), dict):
        criteria = [
            {**one, "dimension": name} if isinstance(one, dict) else one
            for name, own in answer["criterions"].items()
            for one in (own if isinstance(own, list) else [own])
        ]
        report = {"report": answer["report"]} if "report" in answer else {}
        answer = {"criteria": criteria, "dimensions": answer.get("dimension_weight"), **report}
    if isinstance(answer, dict) and isinstance(answer.get("other_properties"), list):
        answer = _of_configuration(answer)
    return {"criteria": answer} if isinstance(answer, list) else answer


def named_rubric(answer: Any, name: str) -> Any:
    """A rubric in one of its published forms with a name for its criteria, as it is stored; anything else as it is.

    >>> named_rubric([{"title": "Names Oslo", "weight": 2}], "First")["criteria"][0]["rubric"]
    'First'
    """
    stored = stored_rubric(answer)
    if not name or not isinstance(stored, dict) or not isinstance(stored.get("criteria"), list):
        return answer
    return {
        **stored,
        "criteria": [{**one, "rubric": name} if isinstance(one, dict) else one for one in stored["criteria"]],
    }


def _of_configuration(configuration: Mapping[str, Any]) -> list[Any]:
    """The criteria of a question of ScholarQA-CS: four general ones, and those of annotators, most with snippets.

    An annotator's criterion with snippets shares its weight with them, as in the authors' code
    (allenai/multidoc_qa_eval, ``scripts/corpusqa_rubric.py``).
    """
    low, high = configuration.get("low_length", 300), configuration.get("high_length", 600)
    criteria: list[Any] = [
        {
            "criterion": f"Has at most {low} words; from {high} on nothing counts",
            "measure": LENGTH,
            "words": [low, high],
        },
        {"criterion": EXPERTISE},
        {"criterion": "The share of claims that have a citation", "measure": CITED},
        {"criterion": "The share of citations that have an excerpt", "measure": EXCERPTS},
    ]
    weights = {"Length": 0.05, "Expertise": 0.05, "Citations": 0.2, "Excerpts": 0.1}
    for one, (name, usual) in zip(criteria, weights.items(), strict=True):
        one |= {"weight": configuration.get(f"{name.lower()}_weight", usual), "dimension": name}
    for own in configuration["other_properties"]:
        if not isinstance(own, Mapping) or not isinstance(own.get("weight"), int | float):
            criteria.append(own)
            continue
        snippets = own.get("evidence") or []
        shared = {"weight": own["weight"] / (2 if snippets else 1), "dimension": "Ingredients"}
        shared["explanation"] = own.get("name", "")
        criteria.append({"criterion": own.get("criterion"), **shared})
        if snippets:
            text = f"Snippets: {own.get('criterion')}"
            criteria.append({"criterion": text, "measure": SNIPPETS, "snippets": snippets, **shared})
    return criteria


def _stored_criterion(criterion: Any) -> Any:
    if not isinstance(criterion, Mapping):
        return criterion
    stored = {name: criterion[key] for name, key in _places_in(criterion).items()}
    text = stored.get("criterion")
    return stored | {"criterion": text.strip()} if isinstance(text, str) else stored


def _places_in(criterion: Mapping[str, Any]) -> dict[str, str]:
    """The fields that a published criterion has, each with its name there."""
    names = {
        name: next((key for key in (name, *others) if key in criterion), None) for name, others in PUBLISHED.items()
    }
    return {name: key for name, key in names.items() if key is not None}
