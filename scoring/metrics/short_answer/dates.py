"""Dates in texts, with the precision in which they are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from scoring.metrics.short_answer.languages import Language
from scoring.metrics.short_answer.units import UNITS

_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True)
class Date:
    """A date of which parts may be left out."""

    year: int | None = None
    """Negative before the common era; with *is_decade* the first year of the decade."""
    month: int | None = None
    day: int | None = None
    is_decade: bool = False

    @property
    def exists(self) -> bool:
        """Whether the Gregorian or the Julian calendar has it; in the latter, 1900 is a leap year."""
        if self.month is None or self.day is None:
            return True
        is_leap = self.year is None or self.year < 0 or self.year % 4 == 0
        return self.day <= (29 if is_leap and self.month == 2 else _DAYS[self.month - 1])

    def states(self, wanted: Date) -> bool:
        """Whether this date says all that another one says."""
        if wanted.is_decade:
            return self.year is not None and wanted.year is not None and 0 <= self.year - wanted.year < 10
        return (
            (wanted.year is None or (wanted.year == self.year and not self.is_decade))
            and wanted.month in (None, self.month)
            and wanted.day in (None, self.day)
        )


@dataclass(frozen=True)
class DateInText:
    """A date with its place."""

    start: int
    end: int
    readings: tuple[Date, ...]
    """More than one where day and month could be exchanged."""
    is_bare_year: bool = False


_ERA: Final = (
    r"(?:\s*(?P<era>bce?\b|b\.\s?c\.(?:\s?e\.)?|v\.?\s?chr\.?|ad\b|a\.\s?d\.|ce\b|n\.?\s?chr\.?"
    r"|до н\.\s?э\.|av\.?\s?j\.?-?c\.?))?"
)
_BEFORE: Final = ("b", "v", "д", "av")
_WORD_AFTER: Final = re.compile(r"[ -]?([^\W\d_]+|[%°$€£¥])")
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|e|º|\.)?"
_YEAR: Final = r"(?P<year>\d{3,4})(?!\d)"
_OF: Final = r"(?:\s+|(?<=\.))(?:of\s+|de\s+|del\s+)?"
_MONTH_ENDS: Final = r"(?![^\W\d_])\.?"


@cache
def _patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    names = "|".join(sorted(map(re.escape, language.months), key=len, reverse=True))
    month = rf"(?<![^\W\d_])(?P<month>{names}){_MONTH_ENDS}"
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"(?<![\w]){_DAY}{_OF}{month}(?:,?{_OF}{_YEAR}{_ERA})?",
            rf"{month}\s+{_DAY}(?![\d:])(?:,?\s+{_YEAR}{_ERA})?",
            rf"{month},?{_OF}{_YEAR}{_ERA}",
            r"(?<!\d)(?P<year>\d{3,4}) ?[年년](?: ?(?P<number>\d{1,2}) ?[月월](?: ?(?P<day>\d{1,2}) ?[日일])?)?",
            r"(?<!\d)(?P<number>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日일]",
            r"(?<![\d./-])(?P<year>\d{4})(?P<separator>[-/.])(?P<number>\d{1,2})(?P=separator)(?P<day>\d{1,2})(?![\d/-]|\.\d)",
            r"(?<![\d./-])(?P<one>\d{1,2})(?P<separator>[-/.])(?P<other>\d{1,2})(?P=separator)(?P<year>\d{4})(?!\d)",
            r"(?<!\w)(?P<decade>\d{3}0)['’]?s(?!\w)",
            rf"(?<![\w.,$€£¥])(?P<year>\d{{1,4}})(?!\w){_ERA.removesuffix('?')}",
            r"(?<!\w)(?:ad|a\.d\.)\s+(?P<year>\d{1,4})(?!\d)",
            r"(?<![^\W\d_]-)(?<![\w.,$€£¥/+])(?<!\d-)(?P<bare>1\d{3}|20\d{2})(?![\w/+%]|[.,]\d|-\d)",
        )
    )


def dates(text: str, language: Language) -> Iterator[DateInText]:
    """The dates of a cleaned text, each part of it once, the fullest reading first.

    >>> from scoring.metrics.short_answer.languages import language_named
    >>> [one.readings[0] for one in dates("On 14 March 1879, or in 1900.", language_named("en"))]
    [Date(year=1879, month=3, day=14, is_decade=False), Date(year=1900, month=None, day=None, is_decade=False)]
    """
    plain = text.lower() if text.isascii() else "".join(map(_plain, text))
    is_taken = bytearray(len(text))
    for pattern in _patterns(language):
        for match in pattern.finditer(plain):
            if any(is_taken[match.start() : match.end()]):
                continue
            readings = tuple(_readings(match.groupdict(), language))
            is_bare = match.groupdict().get("bare") is not None
            if not readings or (is_bare and _counts_something(text, match.end())):
                continue
            is_taken[match.start() : match.end()] = b"\1" * len(match[0])
            yield DateInText(match.start(), match.end(), readings, is_bare)


def _counts_something(text: str, end: int) -> bool:
    after = _WORD_AFTER.match(text, end)
    return after is not None and after[1].lower() in UNITS


def _plain(character: str) -> str:
    """A character in lower case without its accent: one character always, a syllable of Korean as it is."""
    return character if "가" <= character <= "힣" else unicodedata.normalize("NFKD", character)[0].lower()[0]


def _readings(parts: dict[str, str | None], language: Language) -> Iterator[Date]:
    if decade := parts.get("decade"):
        yield Date(int(decade), is_decade=True)
        return
    written = parts.get("year") or parts.get("bare")
    year = int(written) if written else None
    if year is not None and (parts.get("era") or "").startswith(_BEFORE):
        year = -year
    if one := parts.get("one"):
        first, second = int(one), int(parts["other"] or "0")
        candidates = {(first, second), (second, first)}
    else:
        month = language.months.get(parts.get("month") or "", 0) or int(parts.get("number") or 0)
        candidates = {(int(parts.get("day") or 0), month)}
    for day, month in sorted(candidates):
        if day <= 31 and month <= 12 and (year or month) and (not parts.get("one") or (day and month)):
            yield Date(year, month or None, day or None)
