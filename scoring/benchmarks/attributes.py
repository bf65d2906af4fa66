"""Attributes of systems: what a benchmark wants to know of each system, such as its context size.

A declaration names them in ``[[attributes]]``, and an `Attribute` reads their values. Values are stored by name, so an
attribute has the same kind in all benchmarks of a site.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from scoring.files import URL

Value = bool | int | float | str
"""As stored: a date is a text (ISO 8601)."""
Kind = Literal["yes-no", "choice", "text", "number", "date", "url"]
FILTERED_KINDS: Final = ("yes-no", "choice", "number", "date")
OnBoard = Literal["filter", "show", "none"]
LONGEST_TEXT: Final = 200
_NUMBER: Final = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?")


@dataclass(frozen=True)
class Attribute:
    """What systems of a benchmark may state of themselves."""

    name: str
    """Name of the field in submissions, and in `attributes` of systems."""
    label: str
    kind: str
    """yes-no, choice, text, number, date or url."""
    help: str = ""
    board: str = "none"
    """Whether boards filter by it (`attribute.NAME`; of numbers and dates `attribute.NAME.min`, `.max`) and show it
    (filter), only show it (show) or neither (none)."""
    choices: tuple[str, ...] = ()
    """Values of the kind choice."""
    unit: str = ""
    low: float | None = None
    high: float | None = None
    whole: bool = False
    """Whether only whole numbers are values."""
    pattern: str = ""
    """The regular expression of a text's values."""
    example: str = ""
    """A value that has the pattern."""
    labels: tuple[str, ...] = ()
    """How pages write the choices, in the same order; as they are if it is empty."""

    @property
    def expected(self) -> str:
        """What a value is, in words."""
        return {
            "yes-no": "true or false",
            "choice": f"one of {', '.join(self.choices)}",
            "text": f"a text of at most {LONGEST_TEXT} characters"
            + (f" such as {self.example}" if self.example else ""),
            "number": " ".join(
                [
                    "a whole number" if self.whole else "a number",
                    *([f"of {self.unit}"] if self.unit else []),
                    *([f"of at least {self.low:,}"] if self.low is not None else []),
                    *([f"of at most {self.high:,}"] if self.high is not None else []),
                ]
            ),
            "date": "a date such as 2026-01-31",
            "url": "a URL that begins with https:// or http://",
        }[self.kind]

    def read(self, given: object) -> Value | None:
        """The value that a text (or a value of JSON) means; None if it means none.

        >>> CONTEXT_SIZE.read("4096"), CONTEXT_SIZE.read("4096.5"), CONTEXT_SIZE.read(0)
        (4096, None, None)
        >>> FUNCTION_CALLING.read("True"), Attribute("day", "Day", "date").read("2026-02-30")
        (True, None)
        """
        text = str(given)
        if self.kind == "yes-no":
            return {"true": True, "false": False}.get(text.lower())
        if self.kind == "number":
            if isinstance(given, bool) or not _NUMBER.fullmatch(text):
                return None
            number = float(text) if "." in text and not float(text).is_integer() else int(text.partition(".")[0])
            inside = (self.low is None or number >= self.low) and (self.high is None or number <= self.high)
            return number if inside and not (self.whole and isinstance(number, float)) else None
        if self.kind == "date":
            try:
                return datetime.date.fromisoformat(text).isoformat()
            except ValueError:
                return None
        is_value = isinstance(given, str) and (
            text in self.choices
            if self.kind == "choice"
            else 0 < len(text) <= LONGEST_TEXT
            and not any(character < " " or "\ud800" <= character <= "\udfff" for character in text)
            and re.fullmatch(URL if self.kind == "url" else self.pattern or ".*", text) is not None
        )
        return text if is_value else None


CONTEXT_SIZE: Final = Attribute(
    name="context_size",
    label="Context size",
    kind="number",
    help="Maximum input length, in tokens.",
    board="filter",
    unit="tokens",
    low=1,
    high=10**12,
    whole=True,
)
FUNCTION_CALLING: Final = Attribute(
    name="trained_for_function_calling",
    label="Trained for function calling",
    kind="yes-no",
    help="Whether the model was trained for function calling.",
)
OLD_NAMES: Final[Mapping[str, Attribute]] = {
    attribute.name: attribute for attribute in (CONTEXT_SIZE, FUNCTION_CALLING)
}
"""Fields of every system before version 0.7.0. The API, CSV, JSON and tables of published results keep them, whether or
not a benchmark declares them; pages show what it declares."""
