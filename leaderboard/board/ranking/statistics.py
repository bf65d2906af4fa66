"""The ranking of systems from their comparisons: strengths, win rates, the win matrix and the judge's biases.

A `Ranking` is computed from pairs of answer sets that were compared on every question
(`scoring.runs.judging.comparisons`). It has what everybody may see: numbers of hidden splits pass the disclosure rule
here, before they are stored.

A question counts for a pair if the judge's replies in both orders can be read, so that the bias towards the first place
cancels in every number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.ranking.types import Estimate, PairShare, RankedSystem, Ranking
from leaderboard.disclosure import DECIMALS, DisclosureRule, outcomes_key
from scoring.runs.judging.comparisons import ComparedPair
from scoring.statistics import (
    Comparisons,
    TooFewUnitsError,
    connected_parts,
    length_controlled_board,
    mean_interval,
    position_bias,
    strengths,
)

FEWEST_FOR_BIAS: Final = 30
"""The bias towards the first place is given for a system with comparisons on at least so many questions."""
FEWEST_AT_EQUAL_LENGTH: Final = 5
"""Fewest systems with which a win rate at equal length is shown: with fewer, hard questions and long answers are hardly
told apart."""
LARGEST_SCORE: Final = 100.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Participant:
    """A system that is ranked."""

    answer_set: UUID
    entry: int | None
    """The key of its row on the board."""


@dataclass(frozen=True)
class _Outcomes:
    """The comparisons of all pairs, one row for each question of a pair; systems by their position."""

    first: Ints
    second: Ints
    items: Ints
    """The number of the question."""
    clusters: Ints
    """The number of its cluster, or of the question itself without clusters."""
    preferences: Floats
    """For ``first`` in each order (0: it was shown first), shape ``(n, 2)``; without unparsed questions."""
    judged: NDArray[np.bool_]
    """Whether the judge saw both answers; otherwise one is missing, and the other one wins."""
    scores: Floats
    """The judge's mean scores over both orders of ``first`` and ``second``, shape ``(n, 2)``; NaN if not ``judged``."""
    n_systems: int
    unparsed: Ints
    """The number of unparsed questions of each system, shape ``(n_systems,)``."""

    def of(self, chosen: NDArray[np.bool_]) -> _Outcomes:
        """Some of the comparisons."""
        names = ("first", "second", "items", "clusters", "preferences", "judged", "scores")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def having(self, system: int) -> NDArray[np.bool_]:
        """Mask of the comparisons that are of a system."""
        return np.asarray((self.first == system) | (self.second == system))

    def preferences_for(self, system: int) -> Floats:
        """The mean preference over both orders for a system that all comparisons are of."""
        means: Floats = self.preferences.mean(axis=1)
        return np.where(self.first == system, means, 1 - means)

    def in_orders(self) -> Comparisons:
        """The single comparisons, two for each question, each with the system that was shown first."""
        return Comparisons.of(
            np.concatenate([self.first, self.second]),
            np.concatenate([self.second, self.first]),
            np.concatenate([self.preferences[:, 0], 1 - self.preferences[:, 1]]),
            np.concatenate([self.items, self.items]),
            self.n_systems,
            None if (self.clusters == self.items).all() else np.concatenate([self.clusters, self.clusters]),
        )


def ranking_of(
    pairs: Sequence[ComparedPair],
    baseline: Participant,
    systems: Sequence[Participant],
    rule: DisclosureRule,
    revision: int,
    clusters: Mapping[str, str] | None = None,
) -> Ranking | None:
    """The ranking of some systems with the baseline; None while no comparison with it has an outcome.

    Systems that are not connected with the baseline by comparisons have no strength, because strengths are relative.

    Args:
        pairs: pairs with another side than these systems are ignored.
        revision: the key of the revision of the questions.
        clusters: the cluster of each question, by its id, if the benchmark has clusters.
    """
    ranked = [baseline, *systems]
    outcomes = _outcomes(pairs, {system.answer_set: place for place, system in enumerate(ranked)}, clusters)
    connected = connected_parts(outcomes.first, outcomes.second, outcomes.n_systems) == 0
    outcomes = outcomes.of(connected[outcomes.first])
    if not len(outcomes.first):
        return None
    controlled = equal_length(pairs, baseline.answer_set, systems, rule, revision, clusters)
    rows = _systems(outcomes, ranked, controlled, rule)
    regularised = _add_strengths(rows, outcomes, np.flatnonzero(connected), rule, revision)
    order = sorted(range(len(rows)), key=lambda place: (rows[place].rank or len(rows) + 1, -rows[place].n_comparisons))
    consistency, first_place = _bias(outcomes)
    return Ranking(
        systems=tuple(rows[place] for place in order),
        pairs_json=json.dumps(list(_shares(outcomes, order, rule, revision))),
        n_questions=len(np.unique(outcomes.items)),
        n_comparisons=len(outcomes.first),
        n_ties=None if rule.hidden else _ties(outcomes),
        n_unparsed=int(outcomes.unparsed.sum()) // 2,
        consistency=rule.number(consistency),
        first_place=_shown(first_place, rule),
        regularised=regularised,
    )


# --- Reading pairs -------------------------------------------------------------------------------------------------


def _outcomes(
    pairs: Iterable[ComparedPair], places: Mapping[UUID, int], clusters: Mapping[str, str] | None
) -> _Outcomes:
    numbers: dict[str, int] = {}
    unparsed = np.zeros(len(places), dtype=np.int64)
    parts: list[tuple[Ints, Ints, Ints, Floats, NDArray[np.bool_], Floats]] = []
    for pair in pairs:
        if pair.first not in places or pair.second not in places:
            continue
        first, second = places[pair.first], places[pair.second]
        items = np.array([numbers.setdefault(qid, len(numbers)) for qid in pair.qids], dtype=np.int64)
        read = np.isfinite(pair.preference)
        unparsed[[first, second]] += pair.n_unparsed
        n = int(read.sum())
        sides = np.full(n, first), np.full(n, second)
        parts.append((*sides, items[read], pair.preferences[read], pair.judged[read], pair.scores.mean(axis=1)[read]))
    if not parts:
        empty = np.empty(0, dtype=np.int64)
        shape = np.empty((0, 2))
        return _Outcomes(empty, empty, empty, empty, shape, empty.astype(np.bool_), shape, len(places), unparsed)
    firsts, seconds, items, preferences, judged, scores = map(np.concatenate, zip(*parts, strict=True))
    clusters_of_items = items
    if clusters is not None:
        _, cluster_of = np.unique([clusters.get(qid, qid) for qid in numbers], return_inverse=True)
        clusters_of_items = cluster_of.astype(np.int64)[items]
    return _Outcomes(firsts, seconds, items, clusters_of_items, preferences, judged, scores, len(places), unparsed)


# --- Systems one by one --------------------------------------------------------------------------------------------


def _systems(
    outcomes: _Outcomes, ranked: Sequence[Participant], controlled: Mapping[UUID, Estimate], rule: DisclosureRule
) -> list[RankedSystem]:
    """Each system without its strength, in the order given; the first is the baseline.

    Args:
        controlled: the win rates at equal length, by answer set.
    """
    with_baseline = outcomes.having(0)
    rows = []
    for place, system in enumerate(ranked):
        own = outcomes.of(outcomes.having(place))
        against = outcomes.of(with_baseline & outcomes.having(place))
        consistency, first_place = _bias(own) if not rule.hidden else (None, None)
        win_rate = _estimate(against.preferences_for(place), against.clusters)
        rows.append(
            RankedSystem(
                entry=system.entry,
                is_baseline=place == 0,
                n_opponents=len(np.unique(np.concatenate([own.first, own.second]))) - 1 if len(own.first) else 0,
                n_comparisons=len(own.first),
                n_unparsed=int(outcomes.unparsed[place]),
                n_ties=None if rule.hidden else _ties(own),
                win_rate=_shown(win_rate, rule) if place else None,
                controlled=controlled.get(system.answer_set),
                mean_score=_mean_score(against, place, rule),
                consistency=consistency,
                first_place=first_place,
            )
        )
    return rows


def _mean_score(against: _Outcomes, system: int, rule: DisclosureRule) -> Estimate | None:
    """The mean of the judge's scores for a system, over the questions that it saw with both answers."""
    seen = against.of(against.judged)
    scores = np.where(seen.first == system, seen.scores[:, 0], seen.scores[:, 1]) / LARGEST_SCORE
    mean = _shown(_estimate(scores, seen.clusters), rule)
    if mean is None:
        return None
    if mean.low is None or mean.high is None:
        return Estimate(_of_hundred(mean.value, rule))
    return Estimate(*(_of_hundred(number, rule) for number in (mean.value, mean.low, mean.high)))


def _of_hundred(share: float, rule: DisclosureRule) -> float:
    """A share as the judge's score; that of a rounded share is rounded again: 0.597 times 100 is 59.699999999999996."""
    score = LARGEST_SCORE * share
    return round(score, DECIMALS) if rule.hidden else score


def _estimate(values: Floats, clusters: Ints) -> Estimate | None:
    """The mean of values from 0 to 1, with its interval over questions or their clusters."""
    if not len(values):
        return None
    try:
        ends = mean_interval(values, clusters if len(np.unique(clusters)) < len(clusters) else None)
    except TooFewUnitsError:
        return Estimate(float(values.mean()))
    return Estimate(float(values.mean()), ends.low, ends.high)


def equal_length(
    pairs: Iterable[ComparedPair],
    baseline: UUID,
    systems: Sequence[Participant],
    rule: DisclosureRule,
    revision: int,
    clusters: Mapping[str, str] | None,
) -> dict[UUID, Estimate]:
    """The win rates against the baseline at equal length, by answer set; without those that cannot be estimated, and
    none of fewer than `FEWEST_AT_EQUAL_LENGTH` systems.

    All systems are fitted together, so that each value depends on the others'. On a hidden split they have a random
    error: lengths are the sender's choice, and weigh the questions. It stays the same when other systems join or leave,
    so that it does not average out.

    Args:
        revision: as of :func:`ranking_of`.
        clusters: as of :func:`ranking_of`.
    """
    known = {system.answer_set for system in systems}
    fitted = {}
    for pair in pairs:
        if baseline in (pair.first, pair.second):
            system = pair.second if pair.first == baseline else pair.first
            if system in known:
                fitted[system] = pair.seen_from(system)
    if len(fitted) < FEWEST_AT_EQUAL_LENGTH:
        return {}
    numbers = {
        qid: number for number, qid in enumerate(dict.fromkeys(qid for part in fitted.values() for qid in part.qids))
    }
    outcomes, differences = np.full((2, len(fitted), len(numbers)), np.nan)
    for row, pair in enumerate(fitted.values()):
        places = [numbers[qid] for qid in pair.qids]
        outcomes[row, places] = pair.preference
        differences[row, places] = pair.length_differences
    families = None if clusters is None else [clusters.get(qid, qid) for qid in numbers]
    controlled = length_controlled_board(outcomes, differences, clusters=families)
    values = dict(zip(fitted, controlled, strict=True))
    return {
        system: Estimate(
            *rule.category(
                value.controlled,
                (value.low, value.high),
                outcomes=outcomes_key(revision, "equal length", fitted[system].preference),
                size=int(np.isfinite(fitted[system].preference).sum()),
            )
        )
        for system, value in values.items()
        if value is not None
    }


def _ties(outcomes: _Outcomes) -> int:
    return int((outcomes.preferences.mean(axis=1) == 0.5).sum())


def _bias(outcomes: _Outcomes) -> tuple[float | None, Estimate | None]:
    """The consistency of the judge between the orders, and its bias towards the first place."""
    seen = outcomes.of(outcomes.judged)
    if len(np.unique(seen.items)) < FEWEST_FOR_BIAS:
        return None, None
    bias = position_bias(seen.in_orders())
    return (bias.consistency, Estimate(bias.first_place, bias.low, bias.high)) if bias else (None, None)


# --- All systems together ------------------------------------------------------------------------------------------


def _add_strengths(
    rows: list[RankedSystem], outcomes: _Outcomes, connected: Ints, rule: DisclosureRule, revision: int
) -> bool:
    """Add strengths and ranks to the connected systems; returns whether the estimate was regularised."""

    def against_baseline(place: int) -> Floats:
        return outcomes.of(outcomes.having(0) & outcomes.having(place)).preferences_for(place)

    places = connected.tolist()
    caution = rule.rank_caution(outcomes_key(revision, "strength", against_baseline(place)) for place in places)
    try:
        fitted = strengths(outcomes.in_orders().between(connected), caution=caution)
    except TooFewUnitsError:
        return False
    for index, place in enumerate(places):
        estimate = (float(part[index]) for part in (fitted.values, fitted.low, fitted.high))
        rows[place] = replace(
            rows[place],
            strength=Estimate(*rule.strength(*estimate)),
            rank=int(fitted.ranks.rank[index]),
            best_rank=int(fitted.ranks.best[index]),
            worst_rank=int(fitted.ranks.worst[index]),
        )
    return fitted.regularised


def _shares(outcomes: _Outcomes, order: Sequence[int], rule: DisclosureRule, revision: int) -> Iterable[PairShare]:
    """The share of wins of each pair, by the positions in the ranking."""
    position = np.argsort(order)
    firsts, seconds = position[outcomes.first], position[outcomes.second]
    means = outcomes.preferences.mean(axis=1)
    codes = np.minimum(firsts, seconds) * len(order) + np.maximum(firsts, seconds)
    pairs, inverse = np.unique(codes, return_inverse=True)
    counts = np.bincount(inverse)
    wins = np.where(firsts < seconds, means, 1 - means)
    shares = np.bincount(inverse, wins) / np.maximum(counts, 1)
    for place, (code, share, n) in enumerate(zip(pairs.tolist(), shares.tolist(), counts.tolist(), strict=True)):
        first, second = divmod(code, len(order))
        if rule.hidden:
            of_pair = wins[inverse == place]
            keys = [outcomes_key(revision, "win share", side) for side in (of_pair, 1 - of_pair)]
            share = rule.win_share(share, keys, n)
        yield first, second, share, n


# --- Disclosure ----------------------------------------------------------------------------------------------------


def _shown(estimate: Estimate | None, rule: DisclosureRule) -> Estimate | None:
    if estimate is None:
        return None
    return Estimate(rule.number(estimate.value) or 0.0, *rule.ends(estimate.low, estimate.high))
