"""The statistics of a comparison: paired differences, agreement, categories."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.disclosure import SHARE, DisclosureRule, outcomes_key
from leaderboard.systems.comparison.categories import EQUAL, by_category
from leaderboard.systems.comparison.types import CategoryRow, CellValue, Difference, ScoreDifferences, Vector
from scoring.analysis.categories import FEWEST, Cell, concealed
from scoring.metrics.columns import Column
from scoring.statistics import (
    TooFewUnitsError,
    agreement,
    completed,
    difference_intervals,
    holm,
    largest_square,
    paired_differences,
    system_against_people,
)

TOO_FEW = (
    "The answers come from one participant only, or are to too few questions, so the uncertainty cannot be estimated."
)
NO_MEAN = "This score is no mean over questions, or over too few, so the uncertainty of a difference is unknown."
WEIGHTED = "Questions count differently in this score, and people answered only some of them."
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
EMPTY: Mapping[str, Column] = {}


_Pair = tuple[int, Vector, int, Vector]
"""Two systems by their indices, each with its outcomes on the same items; with people, on the questions that they
answered."""


def differences(
    systems: Sequence[Sequence[Vector]],
    columns: Mapping[str, Column] = EMPTY,
    *,
    hidden: bool,
    step: float | None = None,
) -> dict[str, ScoreDifferences]:
    """Every pair of systems in every score that both have.

    One computation for all scores of all systems, and one for each pair with people: some 0.3 s for six systems, seven
    scores and 724 questions.

    Args:
        systems: each system's scores under the current signatures.
        columns: of the scores, by their names; shares without one.
        hidden: whether scores of single questions must not be revealed. Then a system nearly all of whose outcomes in a
            score are alike is not paired in it: its submitter could infer the outcomes from its total, and the outcomes
            of other systems on single questions from their agreement with it.
        step: that shown scores are rounded to, if there is one.

    Returns:
        By the names of the scores.
    """
    differences: dict[str, list[Difference]] = defaultdict(list)
    refused: dict[str, list[tuple[tuple[int, ...], str]]] = defaultdict(list)
    pairs: list[_Pair] = []
    rule = DisclosureRule(hidden, step=step)
    for name in dict.fromkeys(vector.name for of_system in systems for vector in of_system):
        differences[name] = []
        having = [
            (place, vector) for place, of_system in enumerate(systems) for vector in of_system if vector.name == name
        ]
        if no_means := tuple(place for place, vector in having if not vector.per_item.size):
            refused[name].append((no_means, NO_MEAN))
        having = [(place, vector) for place, vector in having if vector.per_item.size]
        alike = [place for place, vector in having if hidden and concealed(vector.per_item, FEWEST)]
        refused[name] += [((place,), NEARLY_ALIKE) for place in alike]
        for (first, a), (second, b) in combinations([system for system in having if system[0] not in alike], 2):
            paired = _paired(a, b, hidden=hidden)
            if isinstance(paired, str):
                refused[name].append(((first, second), paired))
            else:
                pairs.append((first, paired[0], second, paired[1]))
    # Pairs with equally many items and the same clusters are computed together; those with people separately.
    groups: dict[Any, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        _, a, _, b = pair
        people = _people(a, b)
        groups[(len(a.per_item), people.score if people else None, None if people else a.clusters)].append(pair)
    for group in groups.values():
        try:
            for (_, a, _, _), difference in zip(group, _differences(group, columns, rule), strict=True):
                differences[a.name].append(difference)
        except TooFewUnitsError:
            for first, a, second, _ in group:
                refused[a.name].append(((first, second), TOO_FEW))
    return {
        name: ScoreDifferences(_corrected(of_score, rule), tuple(refused[name]))
        for name, of_score in differences.items()
    }


def against(
    people: Vector, systems: Sequence[Vector], column: Column = SHARE, *, hidden: bool, step: float | None = None
) -> ScoreDifferences:
    """Each system minus people in one score, on the questions that people answered; p-values corrected for all systems.

    Args:
        people: a score of people.
        systems: the same score of each system.
        column: of the score.
        hidden: as in `differences`.
        step: likewise.

    Returns:
        The differences, and the systems that could not be compared; ``first`` is the system's index in *systems*,
        ``second`` is -1.
    """
    refused: list[tuple[tuple[int, ...], str]] = []
    rule = DisclosureRule(hidden, step=step)
    pairs: list[_Pair] = []
    for index, system in enumerate(systems):
        paired = _paired(system, people, hidden=hidden)
        if hidden and concealed(system.per_item, FEWEST):
            refused.append(((index,), NEARLY_ALIKE))
        elif isinstance(paired, str):
            refused.append(((index,), paired))
        else:
            pairs.append((index, paired[0], -1, paired[1]))
    differences: list[Difference] = []
    try:
        differences = list(_differences(pairs, {people.name: column}, rule)) if pairs else []
    except TooFewUnitsError:
        refused += [((first,), TOO_FEW) for first, *_ in pairs]
    return ScoreDifferences(_corrected(differences, rule), tuple(refused))


def _paired(a: Vector, b: Vector, *, hidden: bool) -> tuple[Vector, Vector] | str:
    """Two systems' outcomes on the same items, or the reason why there are none. People are not compared on a hidden
    split if the mean over the few questions that they were asked, or over the few that they were not, would reveal a
    system's outcomes on them."""
    if a.revision != b.revision:
        return OTHER_REVISION
    if a.participants and b.participants:
        return TWO_STUDIES
    people = _people(a, b)
    if people is None:
        return a, b
    if a.weights is not None or b.weights is not None:
        return WEIGHTED
    system = b if people is a else a
    if hidden:
        asked = sorted(set(people.places))
        if len(asked) < FEWEST or 0 < len(system.per_item) - len(asked) < FEWEST:
            return FEW_QUESTIONS
        if concealed(system.per_item[asked]):
            return NEARLY_ALIKE
    system = replace(system, per_item=system.per_item[list(people.places)])
    return (people, system) if people is a else (system, people)


def _people(a: Vector, b: Vector) -> Vector | None:
    """The one of two whose answers are those of people, if one is."""
    return a if a.participants else b if b.participants else None


def _estimates(pairs: Sequence[_Pair], columns: Mapping[str, Column]) -> Iterator[tuple[float, float, float, float]]:
    """The difference of each pair, the ends of its interval and its p-value.

    Raises:
        TooFewUnitsError: there is too little for an interval.
    """
    shares = [columns.get(a.name, SHARE).is_share for _, a, _, _ in pairs]
    if any(vector.participants for vector in pairs[0][1::2]):
        for (_, a, _, b), is_share in zip(pairs, shares, strict=True):
            sign = -1 if a.participants else 1
            system, people = (a, b)[::sign]
            questions = [people.clusters[place] for place in people.places] if people.clusters else people.places
            difference = system_against_people(
                system.per_item, people.per_item, questions, people.participants, shares=is_share
            )
            if difference is None:
                raise TooFewUnitsError(TOO_FEW)
            low, high = (difference.low, difference.high)[::sign]
            yield sign * difference.difference, sign * low, sign * high, difference.p_value
        return
    rows: dict[bytes, int] = {}
    stacked: list[NDArray[np.float64]] = []
    places = []
    for _, a, _, b in pairs:
        of_pair = [vector.per_item if vector.completed is None else vector.completed for vector in (a, b)]
        for row in of_pair:
            if row.tobytes() not in rows:
                rows[row.tobytes()] = len(stacked)
                stacked.append(row)
        places.append((rows[of_pair[0].tobytes()], rows[of_pair[1].tobytes()]))
    clusters = pairs[0][1].clusters
    least = [_least_square(a, b) for _, a, _, b in pairs]
    paired = paired_differences(np.stack(stacked), places, clusters=clusters, shares=np.array(shares), least=least)
    estimates = (paired.value, paired.interval.low, paired.interval.high, paired.p_value)
    yield from zip(*(numbers.tolist() for numbers in estimates), strict=True)


def _least_square(a: Vector, b: Vector) -> float:
    """What `scoring.statistics.paired_differences` adds at least, because rare large differences may be missing."""
    if a.weights is not None or b.weights is not None:
        return max(largest_square(vector.per_item, vector.weights) for vector in (a, b))
    return 0.0 if a.n_attempts == b.n_attempts else 1.0


def _differences(pairs: Sequence[_Pair], columns: Mapping[str, Column], rule: DisclosureRule) -> Iterator[Difference]:
    """Differences as disclosed. For a hidden split, values that depend on which questions both answered alike are left
    out, except an interval with a random error; difference and p-value are those of what is shown."""
    estimates = _estimates(pairs, columns)
    for (first, a, second, b), (value, low, high, p_value) in zip(pairs, estimates, strict=True):
        column, n_items = columns.get(a.name, SHARE), len(a.per_item)
        keys = [outcomes_key(vector.revision, vector.name, vector.per_item) for vector in (a, b)]
        counts = [vector.weights for vector in (a, b) if vector.weights is not None]
        # Where not all questions count, outcomes of the two are on different ones.
        alike = None if rule.hidden or not np.all(counts) else agreement(a.per_item, b.per_item)
        if counts:  # as questions that all count as much as the heaviest
            n_items = min(int(weights.sum() / weights.max()) for weights in counts)
        shown = value
        if rule.hidden:
            own, other = (rule.number(vector.value, column) or 0.0 for vector in (a, b))
            shown = rule.number(own - other, column) or 0.0
        low, high = rule.widened(shown, (low, high), keys, n_items, column)
        yield Difference(
            first=first,
            second=second,
            value=shown,
            low=low,
            high=high,
            p_value=rule.pair_p_value(p_value, shown, (low, high)),
            corrected=p_value,
            n_items=len(a.per_item),
            equal_share=alike.equal_share if alike else None,
            kappa=alike.kappa if alike else None,
            pearson=alike.pearson if alike else None,
            clustered=_people(a, b) is not None,
            bounded=rule.hidden,
        )


def _corrected(differences: Sequence[Difference], rule: DisclosureRule) -> tuple[Difference, ...]:
    """The differences in the order of the systems, with p-values corrected for their number, as disclosed."""
    ordered = sorted(differences, key=lambda difference: (difference.first, difference.second))
    corrected = holm([difference.p_value for difference in ordered]).tolist()
    return tuple(
        replace(difference, p_value=rule.p_value(difference.p_value) or 0.0, corrected=rule.p_value(p_value) or 0.0)
        for difference, p_value in zip(ordered, corrected, strict=True)
    )


def categories(
    vectors: Mapping[int, NDArray[np.float64]],
    n_systems: int,
    cells: Sequence[Cell],
    column: Column = SHARE,
    *,
    weights: Mapping[int, NDArray[np.float64]] = EQUAL,
    hidden: bool,
    revision: int,
    step: float | None = None,
) -> list[CategoryRow]:
    """One score by category: for each system, and compared with the first.

    Args:
        vectors: by the indices of the systems that have the score, per-question scores of one revision; NaN where a
            question does not count.
        cells: groups of that revision's questions.
        column: of the score.
        weights: what each question counts, of the systems in whose score not all count alike.
        hidden: whether scores of single questions must not be revealed.
        revision: the key of that revision.
        step: that shown scores are rounded to, if there is one.
    """
    columns = dict.fromkeys(vectors, column)
    values = by_category(vectors, cells, columns, weights=weights, hidden=hidden, revision=revision, step=step)
    lines = []
    for index, cell in enumerate(cells):
        own = {place: of_system[index] for place, of_system in values.items()}
        if 0 not in vectors:
            apart = {}
        elif hidden:
            apart = {place: _apart_as_shown(own[0], value, column) for place, value in own.items() if place}
        else:
            apart = _apart(vectors, cell, column, weights)
        lines.append(
            CategoryRow(
                name=cell.name,
                n_questions=cell.size,
                rest=cell.rest,
                values=tuple(own.get(place) for place in range(n_systems)),
                differences=tuple(apart.get(place) for place in range(1, n_systems)),
            )
        )
    return lines


def _apart_as_shown(first: CellValue, other: CellValue, column: Column) -> CellValue:
    """The difference of two values of a hidden split, computed only from the disclosed values."""
    if first.value is None or other.value is None:
        return CellValue(None)
    value = first.value - other.value
    if first.low is None or first.high is None or other.low is None or other.high is None:
        return CellValue(value)
    below = math.hypot(first.value - first.low, other.high - other.value)
    above = math.hypot(first.high - first.value, other.value - other.low)
    width = math.inf if column.width is None else column.width
    return CellValue(value, max(-width, value - below), min(width, value + above))


def _apart(
    vectors: Mapping[int, NDArray[np.float64]],
    cell: Cell,
    column: Column,
    weights: Mapping[int, NDArray[np.float64]],
) -> dict[int, CellValue]:
    """The first system minus each other one over one group of questions, with the interval of the difference."""
    parts = {place: cell.part_of(vector, weights.get(place)) for place, vector in vectors.items()}
    known = {place: part for place, part in parts.items() if part is not None}
    others = [place for place in known if place]
    if 0 not in known or not others:
        return {}
    plain = {place for place, part in known.items() if part.weights.all() and place not in weights}
    completed_parts = {
        place: part.values if place in plain else completed(part.values, part.weights) for place, part in known.items()
    }
    rows = np.stack([completed_parts[0], *(completed_parts[place] for place in others)])
    means = (rows[0] - rows[1:]).mean(axis=1).tolist()
    squares = {place: largest_square(known[place].values, known[place].weights) for place in weights if place in known}
    least = [max(squares.get(0, 0.0), squares.get(place, 0.0)) for place in others]
    try:
        ends = difference_intervals(rows[0] - rows[1:], clusters=cell.clusters, shares=column.is_share, least=least)
    except TooFewUnitsError:
        return {place: CellValue(mean) for place, mean in zip(others, means, strict=True)}
    return {
        place: CellValue(mean, low, high)
        for place, mean, low, high in zip(others, means, ends.low.tolist(), ends.high.tolist(), strict=True)
    }
