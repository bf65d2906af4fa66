"""Public votes of visitors who read, and of some who do not: which are left out."""

import datetime
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from humaneval.results.suspicion import CastVote, suspicions
from tests.bench.calibration.figures import Figure, Subject
from tests.bench.calibration.preferences import Values

SEED = 6
DAY = datetime.date(2026, 1, 1)
N_SYSTEMS = 8
N_PEOPLE = 40
"""Visitors who read, beside whom there is one of each attacker."""
NUMBERS = (5, 10, 20, 50, 100, 200)
FAVOURITE = 3
Systems = NDArray[np.int64]
Attack = Callable[[np.random.Generator, Values, Values, Systems, Systems], tuple[Values, Values]]
"""From seconds, sides (1: left, NaN: a tie), and the systems on the left and on the right, to seconds and sides."""


def person(chance: np.random.Generator, name: str, n: int, attack: Attack | None = None) -> list[CastVote]:
    """The votes of somebody who reads, or of an attacker who would be like them.

    A person's strengths of systems differ by a taste of .5, and the side by .2, in log-odds (one standard deviation); a
    quarter of the votes is a tie. The median time is 30 seconds, with a factor of 1.6 between people and 1.8 between
    votes of a person.
    """
    strengths = np.linspace(0, 1.5, N_SYSTEMS) + 0.5 * chance.normal(size=N_SYSTEMS)
    order = np.argsort(chance.random((n, N_SYSTEMS)), axis=1)
    one, other = order[:, 0], order[:, 1]
    apart = strengths[one] - strengths[other] + chance.normal(size=n) + 0.2 * chance.normal()
    left = (chance.random(n) < 1 / (1 + np.exp(-apart))).astype(np.float64)
    left[chance.random(n) < 0.25] = np.nan
    seconds = 30 * np.exp(0.47 * chance.normal() + 0.59 * chance.normal(size=n))
    if attack is not None:
        seconds, left = attack(chance, seconds, left, one, other)
    return [
        CastVote(
            name,
            name.partition("@")[2] or name,
            DAY,
            float(time),
            None if np.isnan(side) else bool(side),
            (int(a), int(b)),
        )
        for time, side, a, b in zip(seconds, left, one, other, strict=True)
    ]


ATTACKS: dict[str, Attack] = {
    "always left": lambda c, s, left, a, b: (s, np.ones_like(left)),
    "left in 9 of 10": lambda c, s, left, a, b: (s, (c.random(len(left)) < 0.9).astype(np.float64)),
    "at random": lambda c, s, left, a, b: (s, (c.random(len(left)) < 0.5).astype(np.float64)),
    "for one system": lambda c, s, left, a, b: (s, np.where(a == FAVOURITE, 1.0, np.where(b == FAVOURITE, 0.0, left))),
    "in 1 to 10 seconds": lambda c, s, left, a, b: (c.uniform(1, 10, len(left)), left),
}
CAUGHT_FROM = {"always left": 10, "left in 9 of 10": 50, "for one system": 200, "in 1 to 10 seconds": 100}
"""With so many votes."""


def simulate(n_trials: int) -> Iterator[Figure]:
    for n in NUMBERS if n_trials >= SUBJECT.n_trials else (20,):
        chance = np.random.default_rng([SEED, n])
        of_people, of_attackers = [], []
        for _ in range(n_trials):
            votes = [vote for number in range(N_PEOPLE) for vote in person(chance, f"p{number}", n)]
            votes += [vote for name, attack in ATTACKS.items() for vote in person(chance, name, n, attack)]
            found = np.array([reason != "" for reason in suspicions(votes)]).reshape(-1, n).mean(axis=1)
            of_people.append(found[:N_PEOPLE])
            of_attackers.append(found[N_PEOPLE:])
        shares = np.concatenate(of_people)
        error = float(shares.std()) / len(shares) ** 0.5
        what = f"{n} votes of each of the people"
        yield Figure(what, float(shares.mean()), len(shares), at_most=0.01, unit="left out", standard_error=error)
        yield Figure(f"all {what}", float((shares == 1).mean()), len(shares), at_most=0.01, unit="left out")
        for name, share in zip(ATTACKS, np.mean(of_attackers, axis=0).tolist(), strict=True):
            at_least = 0.9 if n >= CAUGHT_FROM.get(name, n + 1) else None
            yield Figure(f"{n} votes {name}", share, n_trials, at_least=at_least, unit="left out")
    yield from of_addresses(n_trials)
    shared = [vote for number in range(15) for vote in person(chance, f"v{number}@address", 20)]
    share = float(np.mean([reason == "address" for reason in suspicions(shared)]))
    yield Figure("300 votes of one address in a day", share, 1, at_least=0.9, unit="left out")


def of_addresses(n_trials: int) -> Iterator[Figure]:
    """Ten cookies of one address with ten votes each for one system, beside fifteen people with twenty votes each: on
    the pairs that they are given, and on chosen ones, each with that system."""
    chance = np.random.default_rng([SEED, 0])
    shares: dict[str, list[float]] = {"of people": [], "given": [], "chosen": []}
    for _ in range(n_trials):
        people = [vote for number in range(15) for vote in person(chance, f"p{number}", 20)]
        attack = ATTACKS["for one system"]
        for kind in ("given", "chosen"):
            votes = [vote for number in range(10) for vote in person(chance, f"a{number}@attacker", 60, attack)]
            by_cookie = [votes[start : start + 60] for start in range(0, 600, 60)]
            of_cookies = [
                vote
                for cookie in by_cookie
                for vote in [vote for vote in cookie if kind == "given" or FAVOURITE in vote.systems][:10]
            ]
            caught = [reason != "" for reason in suspicions([*people, *of_cookies])]
            shares["of people"].append(float(np.mean(caught[:300])))
            shares[kind].append(float(np.mean(caught[300:])))
    means = {kind: float(np.mean(values)) for kind, values in shares.items()}
    of_people = "300 votes of fifteen people beside them"
    yield Figure("100 votes of ten cookies on chosen pairs", means["chosen"], n_trials, at_least=0.95, unit="left out")
    yield Figure("100 votes of ten cookies on given pairs", means["given"], n_trials, unit="left out")
    yield Figure(of_people, means["of people"], n_trials, at_most=0.02, unit="left out")
    pupils = [vote for number in range(15) for vote in person(chance, f"v{number}@class", 10)]
    rest = [vote for number in range(15) for vote in person(chance, f"p{number}", 20)]
    share = float(np.mean([reason != "" for reason in suspicions([*rest, *pupils])[300:]]))
    yield Figure("150 votes of a class at one address", share, 1, at_most=0.1, unit="left out")


SUBJECT = Subject(
    simulate, n_trials=20, n_short=2, about="Public votes that are left out: of people who read, and of attackers."
)
