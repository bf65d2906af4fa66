"""How often a file may answer each question.

Plain Python: no Django.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ATTEMPT: Final = "attempt"
"""The key of an attempt's number in a line; without it, a line is of the first attempt."""
MOST_ATTEMPTS: Final = 100


@dataclass(frozen=True)
class AttemptRule:
    """The number of attempts that a split takes; 0: any."""

    exactly: int = 0
    because: str = ""

    @property
    def expected(self) -> str:
        """The number in words, with the reason."""
        return f"{in_words(self.exactly)}, {self.because}"

    @property
    def fix(self) -> str:
        """What to do about a file with another number."""
        if self.exactly == 1:
            return f'Keep one line for each question, without the key "{ATTEMPT}".'
        return f'Answer each question {self.exactly} times, and number the lines by "{ATTEMPT}" from 1.'


ANY_NUMBER: Final = AttemptRule()


def rule_of(declared: int | None, *, is_hidden: bool, is_compared: bool) -> AttemptRule:
    """The number of attempts that a split takes.

    Args:
        declared: what the benchmark declares for the split, if anything.
        is_hidden: whether the split's answers are hidden.
        is_compared: whether a metric of the benchmark compares two answers to a question.

    >>> rule_of(4, is_hidden=True, is_compared=False).expected
    '4 attempts at each question, as the benchmark declares'
    """
    if is_compared:
        return AttemptRule(1, "because answers are compared side by side")
    if declared is not None:
        return AttemptRule(declared, "as the benchmark declares")
    return AttemptRule(1, "because the split is hidden and declares no other number") if is_hidden else ANY_NUMBER


def in_words(n_attempts: int) -> str:
    """A number of attempts in words."""
    return f"{n_attempts:,} attempt{'' if n_attempts == 1 else 's'} at each question"
