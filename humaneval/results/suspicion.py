"""Which public votes are suspicious. Plain Python: ``make bench ARGS=calibration-public-votes`` simulates the rules."""

import datetime
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

FASTEST_SECONDS: Final = 4.0
"""A vote that is faster was not read for."""
FEWEST_TIMED: Final = 8
MOST_FAST: Final = 0.25
"""If more than this share of so many votes or more are fast, none of the visitor's votes counts."""
MOST_A_DAY: Final = 200
"""More votes of one address on a day (in UTC) are not those of people who read."""
IMPROBABLE: Final = 0.005
"""Left out is what a visitor who reads does with at most this probability, the more extreme side of both."""
SIDE_BIAS: Final = 0.58
"""A visitor who reads chooses one side in at most this share of the decided votes, on average."""
TASTE: Final = 0.9
"""A visitor who reads may like a system so much more or less than the other visitors do, in log-odds."""
FEWEST_OTHERS: Final = 8
"""With fewer other visitors who voted on a system, how much they like it is not known."""


@dataclass(frozen=True)
class CastVote:
    """What the rules look at."""

    visitor: str
    address: str
    day: datetime.date
    seconds: float
    left: bool | None
    """Whether the answer on the left was chosen; None for a tie, or if both are bad."""
    systems: tuple[object, object]
    """From left to right."""


def suspicions(votes: Sequence[CastVote]) -> list[str]:
    """Why each vote is left out: ``fast``, ``one side``, ``one system`` or ``address``; empty if it counts.

    The first three are then looked for in all other votes of an address together: a new cookie is no other person.

    >>> day = datetime.date(2026, 1, 1)
    >>> votes = [CastVote("v", "a", day, 3.0 if n == 0 else 30.0, True, ("x", "y")) for n in range(8)]
    >>> suspicions(votes)
    ['fast', '', '', '', '', '', '', '']
    """
    reasons = _by_visitor(votes)
    rest = [place for place, reason in enumerate(reasons) if not reason]
    together = [replace(votes[place], visitor=votes[place].address) for place in rest]
    for place, reason in zip(rest, _by_visitor(together), strict=True):
        reasons[place] = reason
    per_day = Counter((vote.address, vote.day) for vote in votes)
    return [
        reason or ("address" if per_day[vote.address, vote.day] > MOST_A_DAY else "")
        for vote, reason in zip(votes, reasons, strict=True)
    ]


def _by_visitor(votes: Sequence[CastVote]) -> list[str]:
    """Why each vote is left out because of what its visitor does; empty if it is not."""
    n_votes = Counter(vote.visitor for vote in votes)
    fast = Counter(vote.visitor for vote in votes if vote.seconds < FASTEST_SECONDS)
    quick = {
        visitor for visitor, n in fast.items() if n_votes[visitor] >= FEWEST_TIMED and n > MOST_FAST * n_votes[visitor]
    }
    sides: dict[str, Counter[bool]] = defaultdict(Counter)
    for vote in votes:
        if vote.left is not None:
            sides[vote.visitor][vote.left] += 1
    sided = {visitor for visitor, own in sides.items() if tail(own.total(), max(own.values()), SIDE_BIAS) < IMPROBABLE}
    favoured = _favouring(votes)
    reasons = []
    for vote in votes:
        if vote.seconds < FASTEST_SECONDS or vote.visitor in quick:
            reasons.append("fast")
        elif vote.visitor in sided:
            reasons.append("one side")
        else:
            reasons.append("one system" if vote.visitor in favoured else "")
    return reasons


def _favouring(votes: Sequence[CastVote]) -> set[str]:
    """Visitors who choose one system, or another than it, far more often than the mean of the other visitors."""
    own: dict[str, Counter[object]] = defaultdict(Counter)
    won: dict[str, Counter[object]] = defaultdict(Counter)
    for vote in votes:
        if vote.left is not None:
            own[vote.visitor].update(vote.systems)
            won[vote.visitor][vote.systems[0 if vote.left else 1]] += 1
    rates: dict[object, dict[str, float]] = defaultdict(dict)
    for visitor, seen in own.items():
        for system, n in seen.items():
            rates[system][visitor] = won[visitor][system] / n
    totals = {system: sum(of.values()) for system, of in rates.items()}
    favouring = set()
    for visitor, seen in own.items():
        for system, n in seen.items():
            others, k = len(rates[system]) - 1, won[visitor][system]
            if others < FEWEST_OTHERS:
                continue
            rate = (totals[system] - k / n + 1) / (others + 2)
            high, low = _shifted(rate, TASTE), _shifted(rate, -TASTE)
            if min(tail(n, k, high), tail(n, n - k, 1 - low)) < IMPROBABLE / len(rates):
                favouring.add(visitor)
    return favouring


def _shifted(rate: float, log_odds: float) -> float:
    return 1 / (1 + (1 - rate) / rate * math.exp(-log_odds))


@lru_cache(maxsize=4096)
def tail(n: int, k: int, rate: float) -> float:
    """The probability of k or more of n.

    >>> round(tail(10, 10, 0.5) * 1024, 6), round(tail(3, 0, 0.2), 6)
    (1.0, 1.0)
    """
    return math.fsum(math.comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(k, n + 1))
