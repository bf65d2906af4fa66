"""Reproducible draws from the answers that a round could take. Pure functions."""

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")
FEWEST_OPINIONS: Final = 2
"""The fewest opinions that can differ."""


@dataclass(frozen=True)
class Candidate:
    """An answer that a round could take. Exactly one of ``answer`` and ``assignment`` is set."""

    qid: str
    text: str
    party: str
    """The source: one system in one setting, or one study."""
    category: str
    """The question's first category; empty if it has none."""
    answer: int | None = None
    """The key of a submission's answer."""
    assignment: int | None = None
    """The key of a participant's answer."""

    @property
    def key(self) -> str:
        """A key that is unique among candidates."""
        return f"answer {self.answer}" if self.answer is not None else f"assignment {self.assignment}"


def shuffled(things: Sequence[T], seed: int, purpose: str) -> list[T]:
    """The items in an order that depends on the seed and the purpose only."""
    mixed = list(things)
    random.Random(f"{seed}:{purpose}").shuffle(mixed)  # noqa: S311 - a reproducible draw, not a secret
    return mixed


def stratified(
    candidates: Sequence[Candidate], n: int, seed: int, *, from_every_party: bool = False
) -> list[Candidate]:
    """*n* of the candidates, drawn at random within strata: first by source, then by category within each.

    Each stratum contributes its share by the method of largest remainders, ties drawn by lot, so that numbers differ
    from exact proportion by less than one. All, if there are no more than *n*.

    Args:
        from_every_party: a source whose share would be none contributes one, if at least as many are drawn as there are
            sources; one of the largest contributors gives one less. Within each source the draw is as random as
            without.
    """
    if len(candidates) <= n:
        return list(candidates)
    chosen: list[Candidate] = []
    for party, wanted, members in _shares(candidates, n, seed, lambda one: one.party, from_every=from_every_party):
        for category, few, stratum in _shares(members, wanted, seed, lambda one: one.category, party):
            chosen += shuffled(stratum, seed, f"stratum {party} {category}")[:few]
    return chosen


def _shares(
    candidates: Sequence[Candidate],
    n: int,
    seed: int,
    stratum_of: Callable[[Candidate], Hashable],
    within: str = "",
    *,
    from_every: bool = False,
) -> list[tuple[str, int, list[Candidate]]]:
    strata: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        strata[str(stratum_of(candidate))].append(candidate)
    exact = {name: n * len(members) / len(candidates) for name, members in strata.items()}
    given = {name: int(share) for name, share in exact.items()}
    names = shuffled(sorted(strata), seed, f"remainders {within}")
    names.sort(key=lambda name: given[name] - exact[name])
    for name in names[: n - sum(given.values())]:
        given[name] += 1
    if from_every and n >= len(names):
        for name in [name for name in names if not given[name]]:
            given[max(names, key=lambda other: given[other])] -= 1
            given[name] = 1
    return [(name, given[name], strata[name]) for name in sorted(strata)]


def most_disputed(
    candidates: Sequence[Candidate], opinions: Mapping[str, Mapping[str, float]], n: int, seed: int
) -> list[tuple[Candidate, str]]:
    """The *n* candidates on which opinions differ most, each with its opinions.

    Args:
        opinions: by a candidate's key, then by the source of the opinion: how correct the answer is, 0 to 1.

    Returns:
        The candidates with at least two opinions that are not all equal, by the distance between the highest and the
        lowest, ties by lot.
    """
    disputed = []
    for candidate in shuffled(candidates, seed, "disputed"):
        about = opinions.get(candidate.key, {})
        if len(about) >= FEWEST_OPINIONS and max(about.values()) > min(about.values()):
            disputed.append((max(about.values()) - min(about.values()), candidate, about))
    disputed.sort(key=lambda one: -one[0])
    return [
        (candidate, ", ".join(f"{name} {value:g}" for name, value in sorted(about.items())))
        for _, candidate, about in disputed[:n]
    ]
