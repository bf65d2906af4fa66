"""Reproducible draws from the answers that a round could take. Pure functions."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final, TypeVar
from uuid import UUID

T = TypeVar("T")
FEWEST_OPINIONS: Final = 2
"""The fewest opinions that can differ."""


@dataclass(frozen=True)
class Candidate:
    """An answer that a round could take. Exactly one of ``answer_set`` and ``assignment`` is set."""

    qid: str
    text: str
    party: str
    """The source: one system in one setting, or one study."""
    category: str
    """The question's first category; empty if it has none."""
    answer_set: UUID | None = None
    """The key of a submission's answer set."""
    assignment: int | None = None
    """The key of a participant's answer."""

    @property
    def key(self) -> str:
        """A key that is unique among candidates."""
        return key_of(self.qid, self.answer_set, self.assignment)


def key_of(qid: str, answer_set: UUID | None, assignment: int | None) -> str:
    """The key of an answer, of a submission or of a study."""
    return f"answer {answer_set} {qid}" if answer_set is not None else f"assignment {assignment}"


def shuffled(things: Sequence[T], seed: int, purpose: str) -> list[T]:
    """The items in an order that depends on the seed and the purpose only."""
    mixed = list(things)
    random.Random(f"{seed}:{purpose}").shuffle(mixed)  # noqa: S311 - a reproducible draw, not a secret
    return mixed


def systematic(
    candidates: Sequence[Candidate], n: int, seed: int, *, from_every_party: bool = False
) -> tuple[list[Candidate], dict[str, float]]:
    """*n* of the candidates, drawn at equal steps from a random start, in the order of source, category and lot; and by
    the key of every candidate the probability with which it was drawn, above 0.

    Every candidate of a source has the same known probability (systematic sampling, Madow 1949,
    https://doi.org/10.1214/aoms/1177729988). The numbers from each source, and from each category within it, differ
    from their expectation by less than one. All, if there are no more than *n*.

    Args:
        from_every_party: a source whose expected number would be below one gets an expected number of one, if at least
            as many are drawn as there are sources; the others then get less.
    """
    if len(candidates) <= n:
        return list(candidates), {candidate.key: 1.0 for candidate in candidates}
    strata: dict[str, dict[str, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for candidate in candidates:
        strata[candidate.party][candidate.category].append(candidate)
    sizes = {party: sum(map(len, of.values())) for party, of in sorted(strata.items())}
    expected = _expected_numbers(sizes, n, from_every_party=from_every_party and n >= len(sizes))
    start = Fraction(random.Random(f"{seed}:start").random())  # noqa: S311 - a reproducible draw, not a secret
    chosen, probabilities, passed = [], {}, Fraction(0)
    for party, size in sizes.items():
        step = expected[party] / size
        for category, members in sorted(strata[party].items()):
            for candidate in shuffled(members, seed, f"stratum {party} {category}"):
                if floor(passed + step - start) > floor(passed - start):
                    chosen.append(candidate)
                probabilities[candidate.key] = float(step)
                passed += step
    return chosen, probabilities


def _expected_numbers(sizes: Mapping[str, int], n: int, *, from_every_party: bool) -> dict[str, Fraction]:
    """Expected number of candidates drawn from each source: in proportion to its size, or at least one."""
    few: set[str] = set()
    while True:
        n_others = sum(size for party, size in sizes.items() if party not in few)
        share = Fraction(n - len(few), n_others) if n_others else Fraction(0)
        below = {party for party, size in sizes.items() if party not in few and size * share < 1}
        if not from_every_party or not below:
            return {party: Fraction(1) if party in few else size * share for party, size in sizes.items()}
        few |= below


def most_disputed(
    candidates: Sequence[Candidate], opinions: Mapping[str, Mapping[str, float]], n: int, seed: int
) -> list[tuple[Candidate, str]]:
    """The *n* candidates on which opinions differ most, each with its opinions, ties by lot: those with at least two
    opinions that are not all equal, by the distance between the highest and the lowest.

    Args:
        opinions: by a candidate's key, then by the source of the opinion: how correct the answer is, 0 to 1.
    """
    disputed = []
    for candidate in shuffled(candidates, seed, "disputed"):
        about = opinions.get(candidate.key, {})
        if len(about) >= FEWEST_OPINIONS and max(about.values()) > min(about.values()):
            disputed.append((max(about.values()) - min(about.values()), candidate, about))
    disputed.sort(key=lambda row: -row[0])
    return [
        (candidate, ", ".join(f"{name} {value:g}" for name, value in sorted(about.items())))
        for _, candidate, about in disputed[:n]
    ]
