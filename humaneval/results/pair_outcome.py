"""The outcome of a study in which people compare answers side by side, beside the judge's. Pure functions.

Choices count if their author's do and they are finished (`humaneval.studies.queries.counted_answers`). Injected pairs
are in nothing but the accuracy of participants. *Both equally good* and *both bad* are ties: half a win for each. This
module is in the exports of such studies, whose notebook calls it: it needs NumPy and `scoring.statistics` alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import (
    Comparisons,
    Corrected,
    Estimate,
    Interval,
    TooFewUnitsError,
    cohen_kappa,
    connected_parts,
    corrected_mean,
    fleiss_kappa,
    mean_estimate,
    position_bias,
    strengths,
)

FEWEST_IN_CELL: Final = 20
"""Pairs that a system or category needs for an agreement of its own."""
TIED: Final = 0.5
FOR_LEFT: Final = {"left": 1.0, "right": 0.0, "tie": TIED, "bad": TIED}
"""The outcome for the answer on the left, by the choice."""


@dataclass(frozen=True)
class Choice:
    """One person's choice between two answers."""

    person: str
    qid: str
    category: str
    first: UUID
    second: UUID
    lengths: tuple[int, int]
    """Characters of the first and of the second answer."""
    swapped: bool
    """Whether the second answer was on the left."""
    vote: str
    injected: bool
    is_defensible: bool = False
    """Whether the choice on an injected pair can be defended: the own answer, or both are bad if it may be."""
    named: bool = False
    """Whether an answer named its system then: the choice is in no figure."""

    @property
    def place(self) -> tuple[str, UUID, UUID]:
        """The question, and the two answer sets in the order of the pair."""
        return self.qid, self.first, self.second

    @property
    def for_left(self) -> float:
        """The outcome for the answer on the left: 1, 0, or 1/2 if both are equally good or bad."""
        return FOR_LEFT[self.vote]

    @property
    def for_first(self) -> float:
        return 1 - self.for_left if self.swapped else self.for_left

    @property
    def left_and_right(self) -> tuple[UUID, UUID]:
        return (self.second, self.first) if self.swapped else (self.first, self.second)


@dataclass(frozen=True)
class JudgedPair:
    """Two systems that the judge compared on n questions, in both orders."""

    first: UUID
    second: UUID
    qids: Sequence[str]
    preferences: NDArray[np.float64]
    """Outcomes for `first`, shape ``(n, 2)``: when it was shown first, and second. NaN where a reply is unparsed."""
    judged: NDArray[np.bool_]
    """Whether the judge scored both answers in both orders, shape ``(n,)``; a system may have given no answer."""
    answered: NDArray[np.bool_]
    """Whether both systems answered, shape ``(n,)``."""

    @property
    def preference(self) -> NDArray[np.float64]:
        """The mean outcome for `first` over both orders, shape ``(n,)``; NaN if the reply in either is unparsed."""
        return np.asarray(self.preferences.mean(axis=1))


@dataclass(frozen=True)
class SystemStrength:
    """Strength and ranks of a system among those that are connected by comparisons."""

    strength: float
    low: float
    high: float
    best: int
    worst: int


@dataclass(frozen=True)
class RankRow:
    """One system."""

    name: str
    votes: Counter[str]
    """Choices with one of its answers: ``won``, ``lost``, ``tied``."""
    people: SystemStrength | None
    """Strength by people's choices; None if no comparisons connect the system with those that are ranked."""
    judge: SystemStrength | None
    """Strength by the judge's comparisons on all questions."""


@dataclass(frozen=True)
class CorrectedRow:
    """A system against an opponent: by the judge, by people, and by the judge corrected with people's choices."""

    name: str
    opponent: str
    judge: float
    n_judged: int
    people: float
    n_people: int
    """The number of questions that people compared."""
    corrected: Corrected | None
    """The judge's win rate corrected with people's choices; None with too few questions."""


_Place = tuple[str, UUID, UUID]
"""A question, and the two answer sets in the order of the pair."""


def outcome_of(given: Sequence[Choice], judged: Sequence[JudgedPair], names: Mapping[UUID, str]) -> dict[str, Any]:
    """The outcome of a study.

    Args:
        given: the choices that count, by participant and position.
        judged: the judge's comparisons of the study's systems, on all questions.
        names: the names of the systems by their answer sets, in the order of the names.
    """
    every = [choice for choice in given if not choice.named]
    choices = [choice for choice in every if not choice.injected]
    preference = _in_either_order(
        {
            (qid, pair.first, pair.second): value
            for pair in judged
            for qid, value in zip(pair.qids, pair.preference.tolist(), strict=True)
            if not np.isnan(value)
        }
    )
    shared = {place: preference[place] for place in (choice.place for choice in choices) if place in preference}
    lengths = {choice.place: choice.lengths for choice in choices}
    ranking, regularised = ranking_of(choices, judged, names)
    people = []
    for code in dict.fromkeys(choice.person for choice in every):
        own = [choice for choice in every if choice.person == code]
        real = [choice.for_left for choice in own if not choice.injected]
        checks = [choice.is_defensible for choice in own if choice.injected]
        people.append((code, len(real), float(np.mean(real)) if real else None, mean_estimate(checks)))
    return {
        "n_votes": len(choices),
        "n_questions": len({choice.qid for choice in choices}),
        "n_named": len(given) - len(every),  # left out because an answer named its system
        # For each participant: the code, the number of choices on pairs that are not injected, their mean outcome for
        # the left place, and defensible choices on injected pairs, of all with a choice.
        "people": people,
        # The strongest first, then systems without a rank; empty if no systems were compared on two questions.
        "ranking": ranking,
        "regularised": regularised,  # see `Strengths.regularised`; of people's choices
        # Fleiss' kappa between people.
        "agreement": _agreement(choices),
        # Cohen's kappa of the judge and the majority of people (first answer, second answer or tie): on all pairs, then
        # by system, then by category, where there are enough pairs; empty without a judge.
        "judge_agreement": _judge_agreement(choices, shared, names),
        # The mean outcome for the left place, over people, and the judge's for the first place, on the same pairs.
        "left": mean_estimate([choice.for_left for choice in choices], [choice.person for choice in choices]),
        "judge_first": _judge_first(judged, shared),
        # The mean outcome for the longer answer, over questions.
        "longer": _longer((choice.place, choice.lengths, choice.for_first) for choice in choices),
        "judge_longer": _longer((place, lengths[place], value) for place, value in shared.items()),
        "corrected": _corrected(choices, judged, names),
    }


def _in_either_order(outcomes: Mapping[_Place, float]) -> dict[_Place, float]:
    """The outcomes for the first answer, and those for the second as if it were the first."""
    return dict(outcomes) | {(qid, second, first): 1 - value for (qid, first, second), value in outcomes.items()}


# --- Rankings ------------------------------------------------------------------------------------------------------


def ranking_of(
    choices: Sequence[Choice], judged: Sequence[JudgedPair], names: Mapping[UUID, str]
) -> tuple[tuple[RankRow, ...], bool]:
    """The systems by strength, and whether the strengths are regularised; no systems with too few questions.

    Only the largest part of systems that are connected by comparisons is ranked, by people and by the judge each.
    """
    number = {key: n for n, key in enumerate(names)}
    shown = [choice.left_and_right for choice in choices]
    if not choices:
        return (), False
    people, regularised = _strengths(
        Comparisons.of(
            [number[left] for left, _ in shown],
            [number[right] for _, right in shown],
            [choice.for_left for choice in choices],
            [choice.qid for choice in choices],
            len(number),
        )
    )
    if not people:
        return (), False
    by_judge = _in_both_orders(judged, number)
    judge = {} if by_judge is None else _strengths(by_judge)[0]
    votes: dict[UUID, Counter[str]] = defaultdict(Counter)
    for choice in choices:
        for key, outcome in ((choice.first, choice.for_first), (choice.second, 1 - choice.for_first)):
            votes[key]["won" if outcome > TIED else "lost" if outcome < TIED else "tied"] += 1
    rows = [RankRow(name, votes[key], people.get(n), judge.get(n)) for n, (key, name) in enumerate(names.items())]

    def place(row: RankRow) -> tuple[bool, float, str]:
        return row.people is None, -row.people.strength if row.people else 0.0, row.name

    return tuple(sorted(rows, key=place)), regularised


def _strengths(comparisons: Comparisons) -> tuple[dict[int, SystemStrength], bool]:
    """The strengths in the largest connected part, by the number of the system, and whether they are regularised; none
    if no part was compared on two questions."""
    systems = _largest_part(comparisons)
    try:
        estimated = strengths(comparisons.between(systems))
    except TooFewUnitsError:
        return {}, False
    columns = (
        *(estimated.values, estimated.low, estimated.high),
        *(estimated.ranks.best, estimated.ranks.worst),
    )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {
        number: SystemStrength(*row) for number, row in zip(systems.tolist(), rows, strict=True)
    }, estimated.regularised


def _in_both_orders(
    pairs: Iterable[JudgedPair],
    places: Mapping[UUID, int],
    chosen: Callable[[JudgedPair], NDArray[np.bool_]] = lambda pair: np.isfinite(pair.preference),
) -> Comparisons | None:
    """The single comparisons of pairs, two for each question, each with the system that was shown first; None if there
    are none.

    Args:
        places: the numbers of the systems by their answer sets, from 0.
        chosen: which questions of a pair; by default those with a preference.
    """
    rows: list[tuple[int, int, float, str]] = []
    for pair in pairs:
        first, second = places[pair.first], places[pair.second]
        for n in np.flatnonzero(chosen(pair)).tolist():
            # Both are for the pair's first system; in the second order the other one was shown first.
            shown_first, shown_second = pair.preferences[n].tolist()
            rows += [(first, second, shown_first, pair.qids[n]), (second, first, 1 - shown_second, pair.qids[n])]
    if not rows:
        return None
    firsts, seconds, outcomes, items = zip(*rows, strict=True)
    return Comparisons.of(firsts, seconds, outcomes, items, len(places))


def _largest_part(comparisons: Comparisons) -> NDArray[np.int64]:
    """The systems of the part with the most systems; among equals with the most comparisons, then with the first
    system. A part with a single question has no strengths, and comes last."""
    parts = connected_parts(comparisons.first, comparisons.second, comparisons.n_systems)

    def size(part: int) -> tuple[bool, int, int, int]:
        inside = parts[comparisons.first] == part
        n_questions = len(np.unique(comparisons.items[inside]))
        return n_questions > 1, int((parts == part).sum()), int(inside.sum()), -part

    return np.flatnonzero(parts == max(np.unique(parts).tolist(), key=size))


# --- Agreement -----------------------------------------------------------------------------------------------------


def _label(outcome: float) -> float:
    """1 for the first answer, -1 for the second, 0 for a tie."""
    return float(np.sign(outcome - TIED))


def _by_place(choices: Iterable[Choice]) -> dict[_Place, list[Choice]]:
    by_place: dict[_Place, list[Choice]] = defaultdict(list)
    for choice in choices:
        by_place[choice.place].append(choice)
    return by_place


def _agreement(choices: Sequence[Choice]) -> Estimate:
    by_place = _by_place(choices)
    people = {code: n for n, code in enumerate(dict.fromkeys(choice.person for choice in choices))}
    if not people:
        return Estimate(None, None, 0)
    table = np.full((len(people), len(by_place)), np.nan)
    for column, own in enumerate(by_place.values()):
        for choice in own:
            table[people[choice.person], column] = _label(choice.for_first)
    return fleiss_kappa(table, clusters=[qid for qid, _, _ in by_place])


def _judge_agreement(
    choices: Sequence[Choice], shared: Mapping[_Place, float], names: Mapping[UUID, str]
) -> tuple[tuple[str, Estimate], ...]:
    by_place = {place: own for place, own in _by_place(choices).items() if place in shared}
    if not by_place:
        return ()

    def row(name: str, places: list[_Place], fewest: int = FEWEST_IN_CELL) -> list[tuple[str, Estimate]]:
        if len(places) < fewest:
            return []
        people = [_label(float(np.mean([choice.for_first for choice in by_place[place]]))) for place in places]
        judge = [_label(shared[place]) for place in places]
        return [(name, cohen_kappa(people, judge, clusters=[place[0] for place in places]))]

    rows = row("All pairs", list(by_place), 1)
    for key, name in names.items():
        rows += row(name, [place for place in by_place if key in place[1:]])
    for category in sorted({choice.category for choice in choices if choice.category}):
        rows += row(category, [place for place, own in by_place.items() if own[0].category == category])
    return tuple(rows)


# --- Bias ----------------------------------------------------------------------------------------------------------


def _judge_first(judged: Sequence[JudgedPair], places: Container[_Place]) -> Estimate:
    sides = dict.fromkeys(key for pair in judged for key in (pair.first, pair.second))

    def shared(pair: JudgedPair) -> NDArray[np.bool_]:
        both = ((pair.first, pair.second), (pair.second, pair.first))
        return pair.judged & [any((qid, *order) in places for order in both) for qid in pair.qids]

    comparisons = _in_both_orders(judged, {key: n for n, key in enumerate(sides)}, shared)
    bias = position_bias(comparisons) if comparisons is not None else None
    if bias is None:
        return Estimate(None, None, 0 if comparisons is None else len(comparisons.items) // 2)
    return Estimate(bias.first_place, Interval(bias.low, bias.high), bias.n_pairs)


def _longer(rows: Iterable[tuple[_Place, tuple[int, int], float]]) -> Estimate:
    """The mean outcome for the longer answer, of answers that differ in length."""
    outcomes = [
        (place[0], value if first > second else 1 - value) for place, (first, second), value in rows if first != second
    ]
    return mean_estimate([value for _, value in outcomes], [qid for qid, _ in outcomes])


# --- The judge's win rates, corrected ------------------------------------------------------------------------------


def _corrected(
    choices: Sequence[Choice], judged: Sequence[JudgedPair], names: Mapping[UUID, str]
) -> tuple[CorrectedRow, ...]:
    """The rows of judged pairs that people compared too, by the opponent and the corrected or judged win rate.

    Questions of a study are drawn from those that all of its systems answered, so these alone are averaged over. Each
    question is a cluster of its own: then the interval also holds for grades of 1/2, and for means of several choices.
    """
    people = _in_either_order(
        {place: float(np.mean([choice.for_first for choice in own])) for place, own in _by_place(choices).items()}
    )
    answered: set[str] | None = None
    for pair in judged:
        by_both = {qid for qid, both in zip(pair.qids, pair.answered.tolist(), strict=True) if both}
        answered = by_both if answered is None else answered & by_both
    if answered is None or {answer_set for pair in judged for answer_set in (pair.first, pair.second)} != set(names):
        return ()  # the judge did not compare all systems of the study
    rows = []
    for pair in judged:
        known = [
            (qid, value)
            for qid, value in zip(pair.qids, pair.preference.tolist(), strict=True)
            if qid in answered and not np.isnan(value)
        ]
        graded = [n for n, (qid, _) in enumerate(known) if (qid, pair.first, pair.second) in people]
        if not graded:
            continue
        verdicts = [value for _, value in known]
        grades = [people[known[n][0], pair.first, pair.second] for n in graded]
        rows.append(
            CorrectedRow(
                name=names[pair.first],
                opponent=names[pair.second],
                judge=float(np.mean(verdicts)),
                n_judged=len(verdicts),
                people=float(np.mean(grades)),
                n_people=len(grades),
                corrected=corrected_mean(verdicts, graded, grades, clusters=[qid for qid, _ in known]),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.opponent, -(row.corrected.value if row.corrected else row.judge))))
