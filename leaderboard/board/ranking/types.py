"""A ranking as it is stored with a board's statistics: numbers by row, without names."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Self, TypeAlias

import msgspec


@dataclass(frozen=True)
class Estimate:
    """A number with its interval; without one, of a single question."""

    value: float
    low: float | None = None
    """Lower end of the 95 % confidence interval over questions."""
    high: float | None = None
    """Upper end of that interval."""


@dataclass(frozen=True)
class RankedSystem:
    """A system in a ranking."""

    entry: int | None
    """The key of its row on the board; None for a baseline that has none."""
    is_baseline: bool
    n_opponents: int
    n_comparisons: int
    """A comparison is a question with an opponent, in both orders."""
    n_unparsed: int
    """Further comparisons whose reply could not be read, even after it was requested again."""
    n_ties: int | None = None
    """Ties among the comparisons; empty where it is not shown."""
    strength: Estimate | None = None
    """Logarithm of odds (Bradley and Terry), mean 0; empty without a readable comparison."""
    rank: int | None = None
    """By strength; empty without a comparison."""
    best_rank: int | None = None
    """Best rank of the rank range, which holds with 95 % confidence for all systems of the column at once."""
    worst_rank: int | None = None
    """Worst rank of that range."""
    win_rate: Estimate | None = None
    """Against the baseline, from 0 to 1; empty for the baseline."""
    controlled: Estimate | None = None
    """The win rate if both answers were equally long, fitted with all systems of the board. Empty where it cannot be
    estimated."""
    mean_score: Estimate | None = None
    """The judge's score beside the baseline, to 100."""
    consistency: float | None = None
    """Share of comparisons with the same result in both orders. Empty where it is not shown: on hidden splits, or with
    too few questions."""
    first_place: Estimate | None = None
    """Mean outcome for the answer shown first; 0.5 without bias. Empty where it is not shown: on hidden splits, or with
    too few questions."""


PairShare: TypeAlias = tuple[int, int, float | None, int]
"""Two systems of a ranking against each other: their positions from 0, the better one first; the share of wins of the
first, a tie as half a win (None where it is not shown); and the number of questions."""


@dataclass(frozen=True)
class Ranking:
    """The ranking of a board's systems by a judge that compared them two at a time."""

    systems: tuple[RankedSystem, ...]
    """The strongest first; last those without a readable comparison."""
    pairs_json: str
    """The pairs as JSON (`pairs`): to read those of 200 systems takes longer than to render their ranking."""
    n_questions: int
    n_comparisons: int
    n_ties: int | None
    n_unparsed: int
    consistency: float | None
    """The share of comparisons with the same winner, or a tie, in both orders; of those where the judge saw both
    answers."""
    first_place: Estimate | None
    """The mean outcome for the answer shown first in those: 0.5 without bias."""
    regularised: bool
    """Whether a tie was added for each system, because strengths would be infinite without (see
    `scoring.statistics.Strengths`)."""

    @cached_property
    def pairs(self) -> tuple[PairShare, ...]:
        """The pairs that were compared."""
        return tuple(map(tuple, json.loads(self.pairs_json)))

    @property
    def packed(self) -> bytes:
        """The stored form."""
        text = json.dumps(asdict(self), separators=(",", ":"), allow_nan=False)
        return gzip.compress(text.encode(), compresslevel=6, mtime=0)

    @classmethod
    def unpacked(cls, stored: bytes) -> Self:
        """Ranking read from its stored form."""
        fields = json.loads(gzip.decompress(stored))
        if "pairs" in fields:  # stored before the pairs were a text of their own
            fields["pairs_json"] = json.dumps(fields.pop("pairs"))
        return msgspec.convert(fields, cls)
