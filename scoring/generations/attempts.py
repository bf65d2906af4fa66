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


def in_words(n_attempts: int) -> str:
    """A number of attempts in words."""
    return f"{n_attempts:,} attempt{'' if n_attempts == 1 else 's'} at each question"
