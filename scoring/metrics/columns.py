"""The visible parts of a metric: its columns, how their numbers are written, and its explanation in words."""

import math
from dataclasses import dataclass, replace
from typing import Final, Literal, Self, get_args

Unit = Literal["share", "number", "seconds", "usd", "tokens"]
UNITS: Final[tuple[str, ...]] = get_args(Unit)
UNITS_IN_WORDS: Final = {
    "seconds": (" (s)", "", "\N{NO-BREAK SPACE}s"),
    "usd": (" (US$)", "US$", ""),
    "tokens": (" (tokens)", "", " tokens"),
}
"""Words of each unit: what follows a column's label, and the text before and after a number in a sentence."""
MOST_DIGITS: Final = 6
"""Digits after the point of amounts that would be shown as 0."""
MINUS: Final = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Column:
    """A score that the boards show as a column.

    A column that is not a ``default`` is shown only when all columns are requested.
    """

    score: str
    """Name of the column in the API, on boards and in `sort`."""
    metric: str
    label: str
    short_label: str
    group: str
    description: str
    default: bool = True
    """Whether boards show the column by default."""
    disclosed: bool = True
    """Whether the column is shown on a hidden split. False if it reveals more about single references than a share of
    correct answers does, as precision and recall do."""
    higher_is_better: bool = True
    """The direction of its numbers."""
    unit: Unit = "share"
    digits: int = 3
    """Digits after the point that are shown of the stored number."""
    bounds: tuple[float, float] | None = (0.0, 1.0)
    """The smallest and the largest possible number; None if there is none."""
    is_dimension: bool = False
    """Whether it is a part of its metric's score, which boards show beside it."""
    percent: bool = False
    """Whether its benchmark shows shares as per cent. Stored, exported and sent are shares of 1."""

    @property
    def key(self) -> str:
        """The column's name in URLs and in the API."""
        return self.score

    @property
    def sign(self) -> int:
        """Factor by which numbers are multiplied to order them: the largest product is the best."""
        return 1 if self.higher_is_better else -1

    @property
    def width(self) -> float | None:
        """The largest possible difference of two numbers; None if there is none."""
        return None if self.bounds is None else self.bounds[1] - self.bounds[0]

    @property
    def scale(self) -> float:
        """Factor of the steps and errors of shares for this column: its width, if it has bounds."""
        return 1.0 if self.width is None else self.width

    @property
    def is_share(self) -> bool:
        """Whether its numbers are shares, or similarities on their scale."""
        return self.unit == "share"

    @property
    def unit_label(self) -> str:
        """The unit behind the label of a column, as in ``Time (s)``; empty for shares and numbers without one."""
        return UNITS_IN_WORDS[self.unit][0] if self.unit in UNITS_IN_WORDS else ""

    @property
    def in_percent(self) -> bool:
        """Whether its numbers are written as per cent: shares, and similarities on their scale."""
        return self.percent and self.is_share

    @property
    def coarse(self) -> Self:
        """The column with a digit less, for dense tables."""
        return replace(self, digits=max(self.digits - 1, 0))


def shown(value: float, column: Column, *, signed: bool = False) -> str:
    """A number of a column as text: the same one on pages, in exports, mails and commands.

    Args:
        signed: write a plus sign, as before a difference; a number that is rounded to 0 has no sign.

    >>> recall = Column("recall", "recall", "Recall", "Rec", "Recall", "", percent=True)
    >>> shown(0.2834, recall), shown(0.2834, replace(recall, percent=False)), shown(0.2834, recall, signed=True)
    ('28.3', '0.283', '+28.3')
    >>> seconds = Column("seconds", "time", "Time", "Time", "Time", "", unit="seconds", digits=1, bounds=None)
    >>> shown(1234.56, seconds), shown(-0.04, seconds, signed=True), shown(-2, seconds)
    ('1,234.6', '0.0', '−2.0')
    >>> shown(0.00003, seconds), shown(1e-9, seconds), shown(0, seconds)
    ('0.00003', 'under 0.000001', '0.0')
    """
    digits = max(column.digits - 2, 0) if column.in_percent else column.digits
    if column.unit in UNITS_IN_WORDS and not signed and 0 < value < 0.5 * 10**-digits:
        digits = -math.floor(math.log10(value))  # a run that took something did not take 0
        if digits > MOST_DIGITS:
            return f"under {10**-MOST_DIGITS:.{MOST_DIGITS}f}"
    text = f"{100 * value if column.in_percent else value:,.{digits}f}"
    is_zero = not text.strip("-0.")
    if text.startswith("-"):
        return text[1:] if is_zero else MINUS + text[1:]
    return f"+{text}" if signed and not is_zero else text


def with_unit(value: float, column: Column, of_percent: str = "%") -> str:
    """A number of a column with its unit, in a sentence.

    Args:
        of_percent: the unit of numbers in per cent; that of their differences is *points*: "%" would be a share of one.
    """
    if column.in_percent:
        return f"{shown(value, column)}\N{NO-BREAK SPACE}{of_percent}"
    _, before, after = UNITS_IN_WORDS.get(column.unit, ("", "", ""))
    return before + shown(value, column) + after


@dataclass(frozen=True)
class Explanation:
    """The description of a metric for readers."""

    measures: str
    formula: str
    surprises: tuple[str, ...]
    source: str = ""
    """The URL of the metric's paper."""
