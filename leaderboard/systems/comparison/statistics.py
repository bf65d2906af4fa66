"""The statistics of a comparison: paired differences, agreement, categories. Cached by the scores' keys."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from django.core.cache import cache
from numpy.typing import NDArray

from leaderboard.disclosure import DisclosureRule
from leaderboard.systems.comparison.categories import by_category
from leaderboard.systems.comparison.types import CategoryComparison, CellValue, Difference, ScoreDifferences, Vector
from scoring.analysis.categories import FEWEST, Cell, concealed
from scoring.statistics import (
    BOARD_SEED,
    TooFewUnitsError,
    agreement,
    bootstrap_means,
    completed,
    holm,
    interval,
    paired_differences,
)

VERSION = 4
"""Incremented when the format of cached values changes."""
TOO_FEW = (
    "The answers come from one participant only or are to one question only, so the uncertainty cannot be estimated."
)
OTHER_REVISION = "The two were scored against different revisions of the questions."
TWO_STUDIES = "Different people answered different questions."
NEARLY_ALIKE = (
    f"Fewer than {FEWEST} of its questions have a different outcome from the rest. On a hidden split, a "
    "comparison would reveal which questions they are."
)
FEW_QUESTIONS = (
    f"People answered fewer than {FEWEST} of the questions, or left out fewer than {FEWEST}. On a hidden "
    "split, a comparison would reveal results of single questions."
)
Cached = TypeVar("Cached")


def cached(what: str, basis: object, make: Callable[[], Cached]) -> Cached:
    """The cached value for the same basis, or a newly computed one."""
    key = f"comparison-{what}:{VERSION}:{hashlib.sha256(repr(basis).encode()).hexdigest()}"
    found: Cached | None = cache.get(key)
    if found is None:
        found = make()
        cache.set(key, found, timeout=None)
    return found


@dataclass(frozen=True)
class _Pair:
    name: str
    first: int
    second: int
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    participants: tuple[str, ...] = ()
    scores: tuple[int, int] = (0, 0)
    """Their keys."""
    completed: tuple[NDArray[np.float64] | None, NDArray[np.float64] | None] = (None, None)
    """In place of ``a`` and ``b`` for intervals and tests."""

    @property
    def rows(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Those of intervals and tests."""
        one, other = self.completed
        return self.a if one is None else one, self.b if other is None else other


def differences(
    systems: Sequence[Sequence[Vector]], *, hidden: bool, step: float | None = None
) -> dict[str, ScoreDifferences]:
    """Every pair of systems in every score that both have.

    One resampling for all scores of all systems, and one for each pair with people: some 0.3 s for six systems, seven
    scores and 724 questions.

    Args:
        systems: each system's scores under the current signatures.
        hidden: whether scores of single questions must not be revealed. Then a system nearly all of whose outcomes in a
            score are alike is not paired in it: its submitter could infer the outcomes from its total, and the outcomes
            of other systems on single questions from their agreement with it.
        step: of the Ladder, if it is on.

    Returns:
        By the names of the scores.
    """
    found: dict[str, list[Difference]] = defaultdict(list)
    refused: dict[str, list[tuple[tuple[int, ...], str]]] = defaultdict(list)
    pairs: list[_Pair] = []
    rule = DisclosureRule(hidden, step=step)
    for name in dict.fromkeys(one.name for of_system in systems for one in of_system):
        found[name] = []
        having = [(place, one) for place, of_system in enumerate(systems) for one in of_system if one.name == name]
        alike = [place for place, one in having if hidden and concealed(one.per_item, FEWEST)]
        refused[name] += [((place,), NEARLY_ALIKE) for place in alike]
        for (first, a), (second, b) in combinations([one for one in having if one[0] not in alike], 2):
            pair = _paired(name, first, a, second, b, hidden=hidden)
            if isinstance(pair, str):
                refused[name].append(((first, second), pair))
            else:
                pairs.append(pair)
    for group in _computed_together(pairs):
        try:
            for pair, difference in _differences(group, rule):
                found[pair.name].append(difference)
        except TooFewUnitsError:
            for pair in group:
                refused[pair.name].append(((pair.first, pair.second), TOO_FEW))
    return {
        name: ScoreDifferences(_corrected(of_score, rule), tuple(refused[name])) for name, of_score in found.items()
    }


def against(people: Vector, systems: Sequence[Vector], *, hidden: bool, step: float | None = None) -> ScoreDifferences:
    """Each system minus people in one score, on the questions that people answered; p-values corrected for all systems.

    Participants are resampled with all of their answers, in one resampling for all systems.

    Args:
        people: a score of people.
        systems: the same score of each system.
        hidden: as in `differences`.
        step: likewise.

    Returns:
        The differences, and the systems that could not be compared; ``first`` is the system's index in *systems*,
        ``second`` is -1.
    """
    refused: list[tuple[tuple[int, ...], str]] = []
    rule = DisclosureRule(hidden, step=step)
    pairs = []
    for index, system in enumerate(systems):
        pair = _paired(system.name, index, system, -1, people, hidden=hidden)
        if hidden and concealed(system.per_item, FEWEST):
            refused.append(((index,), NEARLY_ALIKE))
        elif isinstance(pair, str):
            refused.append(((index,), pair))
        else:
            pairs.append(pair)
    found: list[Difference] = []
    try:
        found = [difference for _, difference in _differences(pairs, rule)] if pairs else []
    except TooFewUnitsError:
        refused += [((pair.first,), TOO_FEW) for pair in pairs]
    return ScoreDifferences(_corrected(found, rule), tuple(refused))


def _paired(name: str, first: int, a: Vector, second: int, b: Vector, *, hidden: bool) -> _Pair | str:
    """Two systems' outcomes on the same items, or the reason why there are none."""
    if a.revision != b.revision:
        return OTHER_REVISION
    if a.participants and b.participants:
        return TWO_STUDIES
    refusal = _reveals_single_questions(a, b) if hidden and (a.participants or b.participants) else ""
    if refusal:
        return refusal
    scores = (a.score, b.score)
    if a.participants:
        return _Pair(name, first, second, a.per_item, b.per_item[list(a.places)], a.participants, scores)
    if b.participants:
        return _Pair(name, first, second, a.per_item[list(b.places)], b.per_item, b.participants, scores)
    return _Pair(name, first, second, a.per_item, b.per_item, scores=scores, completed=(a.completed, b.completed))


def _reveals_single_questions(a: Vector, b: Vector) -> str:
    """Why a system may not be compared with people on a hidden split: the mean over the few questions that people were
    asked, or over the few that they were not, would reveal their outcomes. Empty if it may."""
    people, system = (a, b) if a.participants else (b, a)
    params = sorted(set(people.places))
    n_others = len(system.per_item) - len(params)
    if len(params) < FEWEST or 0 < n_others < FEWEST:
        return FEW_QUESTIONS
    return NEARLY_ALIKE if concealed(system.per_item[params]) else ""


def _computed_together(pairs: Sequence[_Pair]) -> list[list[_Pair]]:
    """Pairs with equally many items, for one resampling; a pair with people separately, by its participants."""
    groups: dict[Any, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        groups[(len(pair.a), pair.participants)].append(pair)
    return list(groups.values())


def _differences(pairs: Sequence[_Pair], rule: DisclosureRule) -> Iterator[tuple[_Pair, Difference]]:
    """Differences as disclosed. For a hidden split, values that depend on which questions both answered alike are left
    out, except an interval and a p-value with a random error; the difference is that of the values shown."""
    rows: dict[bytes, int] = {}
    stacked: list[NDArray[np.float64]] = []
    places = []
    for pair in pairs:
        for row in pair.rows:
            if row.tobytes() not in rows:
                rows[row.tobytes()] = len(stacked)
                stacked.append(row)
        one, other = pair.rows
        places.append((rows[one.tobytes()], rows[other.tobytes()]))
    found = paired_differences(np.stack(stacked), places, seed=BOARD_SEED, clusters=pairs[0].participants or None)
    ends = zip(found.value.tolist(), found.interval.low.tolist(), found.interval.high.tolist(), strict=True)
    for pair, p_value, (value, low, high) in zip(pairs, found.p_value.tolist(), ends, strict=True):
        alike = None if rule.hidden else agreement(pair.a, pair.b)
        shown = _shown_difference(pair, rule) if rule.hidden else value
        ends_shown = rule.widened(shown, (low, high), pair.scores, len(pair.a))
        yield (
            pair,
            Difference(
                first=pair.first,
                second=pair.second,
                value=shown,
                low=ends_shown[0],
                high=ends_shown[1],
                p_value=rule.pair_p_value(p_value, pair.scores),
                corrected=p_value,
                n_items=len(pair.a),
                equal_share=alike.equal_share if alike else None,
                kappa=alike.kappa if alike else None,
                pearson=alike.pearson if alike else None,
                clustered=bool(pair.participants),
                bounded=rule.hidden,
            ),
        )


def _shown_difference(pair: _Pair, rule: DisclosureRule) -> float:
    first, second = (rule.number(float(row.mean())) or 0.0 for row in (pair.a, pair.b))
    return rule.number(first - second) or 0.0


def _corrected(found: Sequence[Difference], rule: DisclosureRule) -> tuple[Difference, ...]:
    """The differences in the order of the systems, with p-values corrected for their number, as disclosed."""
    ordered = sorted(found, key=lambda one: (one.first, one.second))
    corrected = holm([one.p_value for one in ordered]).tolist()
    return tuple(
        replace(one, p_value=rule.p_value(one.p_value) or 0.0, corrected=rule.p_value(p_value) or 0.0)
        for one, p_value in zip(ordered, corrected, strict=True)
    )


def categories(
    vectors: Mapping[int, NDArray[np.float64]],
    n_systems: int,
    cells: Sequence[Cell],
    *,
    hidden: bool,
    scores: Mapping[int, int] | None = None,
    step: float | None = None,
) -> list[CategoryComparison]:
    """One score by category: for each system, and compared with the first. Two resamplings per category.

    Args:
        vectors: by the indices of the systems that have the score, per-question scores of one revision; NaN where a
            question does not count.
        cells: groups of that revision's questions.
        hidden: whether scores of single questions must not be revealed; a withheld value of a system also withholds its
            difference from another.
        scores: by the same indices, the keys of the scores; required on a hidden split.
        step: of the Ladder, if it is on.
    """
    values = by_category(vectors, cells, hidden=hidden, scores=scores, step=step)
    lines = []
    for index, cell in enumerate(cells):
        own = {place: of_system[index] for place, of_system in values.items()}
        if 0 not in vectors:
            apart = {}
        elif hidden:
            apart = {place: _apart_as_shown(own[0], value) for place, value in own.items() if place}
        else:
            apart = _apart(vectors, cell)
        lines.append(
            CategoryComparison(
                name=cell.name,
                n_questions=cell.size,
                rest=cell.rest,
                values=tuple(own.get(place) for place in range(n_systems)),
                differences=tuple(apart.get(place) for place in range(1, n_systems)),
            )
        )
    return lines


def _apart_as_shown(first: CellValue, other: CellValue) -> CellValue:
    """The difference of two values of a hidden split, computed only from the disclosed values."""
    if first.value is None or other.value is None:
        return CellValue(None)
    value = first.value - other.value
    if first.low is None or first.high is None or other.low is None or other.high is None:
        return CellValue(value)
    below = math.hypot(first.value - first.low, other.high - other.value)
    above = math.hypot(first.high - first.value, other.value - other.low)
    return CellValue(value, max(-1.0, value - below), min(1.0, value + above))


def _apart(vectors: Mapping[int, NDArray[np.float64]], cell: Cell) -> dict[int, CellValue]:
    """The first system minus each other one over one group of questions, with the interval of the difference."""
    parts = {place: vector[list(cell.questions)] for place, vector in vectors.items()}
    gaps = {place: np.isnan(part) for place, part in parts.items()}
    known = {
        place: completed(part) if gaps[place].any() else part for place, part in parts.items() if not gaps[place].all()
    }
    others = [place for place in known if place]
    if 0 not in known or not others:
        return {}
    rows = np.stack([known[0], *(known[place] for place in others)])
    means = (rows[0] - rows[1:]).mean(axis=1).tolist()
    try:
        resampled = bootstrap_means(rows, seed=BOARD_SEED)
        ends = interval(resampled[0] - resampled[1:], n_units=cell.size)
    except TooFewUnitsError:
        return {place: CellValue(mean) for place, mean in zip(others, means, strict=True)}
    return {
        place: CellValue(mean, low, high)
        for place, mean, low, high in zip(others, means, ends.low.tolist(), ends.high.tolist(), strict=True)
    }
