"""Answers compared side by side by a judge: what its reply says, and the win rate over many comparisons.

Rosset et al. (2024), Researchy Questions, https://arxiv.org/abs/2402.17896 (the prompt is its Figure 8); Dubois et al.
(2024), Length-Controlled AlpacaEval, https://arxiv.org/abs/2404.04475 (the win rate).

`win_rate` is for those who use the functions without the site.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

PROMPT: Final = "side_by_side_judge_prompt.txt"
"""The file of a benchmark's prompt."""
FIELDS: Final = ("Question", "CandidateAnswers", "NumCandidates")
"""The places that it must have, as Figure 8 names them, each in braces."""
END: Final = "====="
MAX_SCORE: Final = 100
BASELINE_WINS: Final = 1.0
SYSTEM_WINS: Final = 2.0
DRAW: Final = 1.5

_PROSE: Final = re.compile(r"<(Critique\d+|Explanation)>.*?</\1>", re.DOTALL)
_TAG: Final = re.compile(r"<(Score|Correct)(\d+)>([^<>]*)</\1\2>")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)


@dataclass(frozen=True)
class SideBySideVerdict:
    """Judgement of the candidates in a judge's reply, in the order in which they were shown."""

    scores: list[float | None]
    """Scores from 0 to 100; None where there is no readable one, or two different ones."""
    correct: list[bool | None]
    """Whether a candidate agrees with the reference answer; None where that cannot be read."""
    complete: bool
    """Whether the reply has its closing mark, ``=====``; a reply without it was cut off."""


def parse_reply(reply: str, n_candidates: int) -> SideBySideVerdict:
    """Read the scores and correctness marks out of a reply to the prompt of Figure 8.

    Only what comes before the closing mark and is outside of critiques and explanation is read, because those may quote
    text of the candidates. The tags may come in any order. There is no official code to be equal to.

    Args:
        reply: What follows the prompt's final ``<Critique1>``.
        n_candidates: The number of candidates, at least 1; tags with other numbers are ignored.

    Raises:
        ValueError: If `n_candidates` is below 1.

    >>> parse_reply("good</Critique1><Correct1>1</Correct1><Score1>80</Score1>=====", 1)
    SideBySideVerdict(scores=[80.0], correct=[True], complete=True)
    """
    if n_candidates < 1:
        raise ValueError(f"expected at least 1 candidate, found {n_candidates}")
    text = _PROSE.sub("", f"<Critique1>{reply}")
    verdict, mark, _ = text.partition(END)
    values: dict[tuple[str, int], set[float | None]] = {}
    for kind, number, content in _TAG.findall(verdict):
        if len(number) <= len(str(n_candidates)):
            value = float(content) if _NUMBER.fullmatch(content.strip()) else None
            is_valid = value is not None and value <= MAX_SCORE and (kind == "Score" or value in (0, 1))
            values.setdefault((kind, int(number)), set()).add(value if is_valid else None)
    read = {key: given.pop() for key, given in values.items() if len(given) == 1}
    numbers = range(1, n_candidates + 1)
    marks = [read.get(("Correct", number)) for number in numbers]
    return SideBySideVerdict(
        scores=[read.get(("Score", number)) for number in numbers],
        correct=[None if mark is None else bool(mark) for mark in marks],
        complete=bool(mark),
    )


@dataclass(frozen=True)
class WinRate:
    """A system against a baseline."""

    win_rate: float | None
    """Share of comparisons that the side wins, in per cent; a draw is half a win. None if no preference could be
    read."""
    standard_error: float | None
    """Standard error of the win rate, in per cent; None for fewer than two preferences."""
    n_wins: int
    n_wins_base: int
    n_draws: int
    n_total: int
    """Preferences that count; those that could not be read do not."""


def win_rate(preferences: Sequence[float | None]) -> WinRate:
    """The win rate of a system against a baseline, as AlpacaEval computes it.

    Args:
        preferences: One per comparison: 1 the baseline wins, 2 the system wins, 1.5 or 0 a draw, a number between 1 and
            2 a preference in between; None where the judge's reply could not be read. A number closer to 2 than to 1 is
            a win. NaN and numbers outside of 1 to 2 do not count.

    Returns:
        Per cent, never rounded, and the numbers of wins, losses and draws.

    >>> win_rate([1, 2, 1.5, 0, 2]).win_rate
    60.0
    """
    known = [DRAW if preference == 0 else float(preference) for preference in preferences if preference is not None]
    shares = (
        np.array([preference for preference in known if BASELINE_WINS <= preference <= SYSTEM_WINS], dtype=np.float64)
        - BASELINE_WINS
    )
    n_total = len(shares)
    rate = error = None
    if n_total:
        mean = shares.sum() / n_total
        rate = float(mean) * 100
    if n_total > 1:
        variance = ((mean - shares) ** 2).sum() / (n_total - 1)
        error = float(np.sqrt(variance) / np.sqrt(n_total)) * 100
    half = DRAW - BASELINE_WINS
    return WinRate(
        win_rate=rate,
        standard_error=error,
        n_wins=int((shares > half).sum()),
        n_wins_base=int((shares < half).sum()),
        n_draws=int((shares == half).sum()),
        n_total=n_total,
    )
