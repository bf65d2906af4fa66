"""A text as words and quantities: digits and number words with their signs, scales, fractions and units, and ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

from scoring.metrics.short_answer.items import Item, Number, scanned, word_item
from scoring.metrics.short_answer.languages import Language
from scoring.metrics.short_answer.units import UNITS, Unit
from scoring.metrics.text.answer_names import folded_name
from scoring.metrics.text.scripts import CHARACTERS


@dataclass(frozen=True)
class Range:
    """Two numbers of which a text states that something is between them."""

    low: Number
    high: Number
    first: int
    last: int
    """The positions of its items."""


@dataclass(frozen=True)
class Reading:
    """A text as it was read."""

    text: str
    items: tuple[Item, ...]
    ranges: tuple[Range, ...]
    rest: str
    """Text after the last item."""

    def gap_after(self, position: int) -> str:
        """Text between an item and the next one."""
        return self.items[position + 1].gap if position + 1 < len(self.items) else self.rest


def read(text: str, language: Language, own_units: Sequence[str] = ()) -> Reading:
    """Read a cleaned text.

    Args:
        text: any.
        language: of the text.
        own_units: further units as they are written, with ``^`` before exponents, which a text may leave out.

    >>> from scoring.metrics.short_answer.languages import language_named
    >>> reading = read("Twenty-one of 3.2 million, or 12 %", language_named("en"))
    >>> [item.number and str(item.number.amount) for item in reading.items]
    ['21', None, '3200000', None, '3/25']
    """
    items = list(_Quantities(text, language, own_units))
    rest = text[items[-1].end :] if items else text
    ranges = _ranges(items, language)
    return Reading(text, tuple(_bound(items, rest, ranges, language)), tuple(ranges), rest)


# --- Quantities -----------------------------------------------------------------------------------------------------

_LETTER_SCALES: Final = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
_CURRENCY_SCALES: Final = {"m": 10**6, "b": 10**9}
_ORDINAL: Final = re.compile(r"st|nd|rd|th|er|º|ª", re.IGNORECASE)
_PARTS: Final = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "tenths": 10}


class _Quantities:
    """The words of a text, with those that belong to a number joined to it."""

    def __init__(self, text: str, language: Language, own_units: Sequence[str]) -> None:
        self._text = text
        self._own_units = own_units
        self._language = language
        self._items = list(scanned(text, language))
        self._place = 0
        """The position of the next item that was not read yet."""
        self._end = 0
        """Where the last item that was read ends in the text."""

    def __iter__(self) -> Iterator[Item]:
        items = self._items
        if len(items) == 1 and not items[0].forms.isdisjoint(self._language.nothing):
            zero = Number(Fraction(0))
            forms, reduced = items[0].forms | {zero.form}, items[0].reduced | {zero.form}
            yield replace(items[0], forms=forms, reduced=reduced, number=zero)
            return
        while self._place < len(items):
            yield self._next()

    def _next(self) -> Item:
        first, start = self._items[self._place], self._place
        is_negative = self._takes_minus()
        begin = self._place
        number = self._number()
        if number is None:
            self._place = start + 1
            return first
        number = self._scaled(number, in_digits=self._items[begin].number is not None)
        if (attached := self._attached(first)) is not None:
            return attached
        number = self._with_fraction(number, in_digits=self._items[begin].number is not None)
        number = self._with_unit(number, self._items[begin - 1] if begin else None, self._items[begin].gap)
        if is_negative:
            number = replace(number, value=-number.value)
        forms = frozenset({number.form})
        return Item(self._text[first.start : self._end], first.start, self._end, first.gap, forms, forms, number)

    def _peek(self) -> Item | None:
        return self._items[self._place] if self._place < len(self._items) else None

    def _take(self, n_items: int = 1) -> None:
        self._place += n_items
        self._end = self._items[self._place - 1].end

    def _takes_minus(self) -> bool:
        """Whether a word such as *minus* comes first; then it is taken."""
        items, place = self._items, self._place
        is_minus = items[place].number is None and not items[place].forms.isdisjoint(self._language.minus)
        if is_minus and place + 1 < len(items) and items[place + 1].gap == " ":
            self._take()
            return True
        return False

    def _number(self) -> Number | None:
        """The number in digits or words that comes next; None if none does."""
        item = self._items[self._place]
        if item.number is not None:
            self._take()
            return item.number
        if item.is_spaceless:
            return None
        in_words = _number_words(self._items, self._place, self._language) or _half(self._items, self._place)
        if in_words is None:
            return None
        self._take(in_words[1] - self._place)
        return Number(in_words[0])

    def _scaled(self, number: Number, *, in_digits: bool) -> Number:
        """The number with the scales that follow: *million*, *bn*, *k*."""
        while (item := self._peek()) is not None and item.number is None and _is_joined(item):
            scales = self._language.scales
            scale = max((scales[form] for form in item.forms if form in scales), default=0)
            if not scale and in_digits and (item.gap == "" or number.unit is not None):
                letters = _LETTER_SCALES | _CURRENCY_SCALES if number.unit is not None else _LETTER_SCALES
                scale = letters.get(item.text, 0)
            if not scale:
                break
            number = replace(number, value=number.value * scale, scale=number.scale * scale)
            self._take()
        return number

    def _attached(self, first: Item) -> Item | None:
        """The word that begins with a digit (3D), if the number is a part of one; the ending of *21st* is taken."""
        item = self._peek()
        if item is None or item.number is not None or item.gap or item.is_spaceless:
            return None
        if _ORDINAL.fullmatch(item.text):
            self._take()
        elif _unit_after(self._text, self._end, self._own_units) is None:
            self._take()
            joined = word_item(self._text[first.start : self._end].replace(" ", ""), first.start, first.gap)
            return replace(joined, end=self._end)
        return None

    def _with_fraction(self, number: Number, *, in_digits: bool) -> Number:
        """The number with the fraction that follows: *2 1/2*, *three quarters*."""
        item = self._peek()
        if item is None or number.value.denominator != 1 or number.unit is not None:
            return number
        fraction = item.number
        if in_digits and fraction is not None and item.gap == " " and "/" in item.text and 0 < fraction.value < 1:
            self._take()
            return replace(number, value=number.value + fraction.value)
        name = item.text.lower()
        parts = _PARTS.get(name)
        if parts and 0 < number.value < 10 and _is_joined(item) and (name.endswith("s") or number.value == 1):
            self._take()
            return self._scaled(Number(number.value / parts), in_digits=in_digits)
        return number

    def _with_unit(self, number: Number, before: Item | None, gap: str) -> Number:
        """The number with the unit that follows, or the code of a currency before it."""
        if number.unit is not None:
            return number
        if (found := _unit_after(self._text, self._end, self._own_units)) is not None:
            unit, self._end = found
            while (item := self._peek()) is not None and item.start < self._end:
                self._place += 1
            return replace(number, unit=unit)
        is_code = before is not None and len(before.text) == 3 and before.text.isupper() and gap == " "
        return replace(number, unit=UNITS.get(before.text.lower())) if before is not None and is_code else number


def _is_joined(item: Item) -> bool:
    return item.gap in (" ", "-", "")


def _number_words(items: list[Item], start: int, language: Language) -> tuple[Fraction, int] | None:
    """The number that words state from a place on, and the place after them.

    Below a hundred: a ten and a unit (*twenty-one*), or the two halves of a year (*nineteen eighty-four*).
    """
    total = current = Fraction(0)
    last: int | None = None
    position = start
    while position < len(items):
        item = items[position]
        if item.number is not None or (position > start and not _is_joined(item)):
            break
        several = _several_words(items, position, language)
        form = several or min(item.forms & language.number_words, default=None)
        if form is None or (position == start and form in language.scales and form not in ("hundred", "thousand")):
            following = items[position + 1] if position + 1 < len(items) else None
            if last is None or item.forms.isdisjoint(language.and_) or following is None or not _is_joined(following):
                break
            if half := _half(items, position + 1):  # two and a half
                return total + current + half[0], half[1]
            next_value = max(
                (language.numbers[word] for word in following.forms if word in language.numbers), default=0
            )
            is_ten_and_unit = last in range(20, 100, 10) and next_value < 10 and bool(item.forms & language.tens_and)
            if not next_value or (last < 100 and not is_ten_and_unit):
                break
            position += 1
            continue
        if form in language.scales:
            scale = language.scales[form]
            if scale == 100:
                current = (current or Fraction(1)) * scale
            else:
                total, current = total + (current or Fraction(1)) * scale, Fraction(0)
            last = scale
        else:
            value = language.numbers.get(form, language.ordinals.get(form, 0))
            if last is None or last >= 100 or (last >= 20 and last % 10 == 0 and 0 < value < 10):
                current += value
            elif 10 <= last <= 20 and value >= 10 and current == last:
                current = current * 100 + value
            else:
                break
            last = value
            if form in language.ordinals:
                position += 1
                break
        position += 1 + (several or "").count("-")
    return None if last is None else (total + current, position)


def _several_words(items: list[Item], start: int, language: Language) -> str | None:
    """The longest name of several words that is a number below a hundred: *quatre-vingt-dix*."""
    for length in range(language.most_words, 1, -1):
        words = items[start : start + length]
        if len(words) == length and all(map(_is_joined, words[1:])):
            name = "-".join(folded_name(word.text) for word in words)
            if name in language.numbers:
                return name
    return None


def _half(items: list[Item], start: int) -> tuple[Fraction, int] | None:
    """*half*, *half a*, *a half*, and the place after it."""
    words = [item.text.lower() for item in items[start : start + 2]]
    if words[:1] == ["half"]:
        return Fraction(1, 2), start + (2 if words[1:] == ["a"] else 1)
    return (Fraction(1, 2), start + 2) if words == ["a", "half"] else None


@lru_cache(maxsize=4096)
def _pattern_of(own_unit: str) -> re.Pattern[str]:
    return re.compile("[ -]?" + re.escape(own_unit).replace(r"\^", r"\^?") + r"(?![\w/^·*])")


@cache
def _unit_pattern() -> Any:
    import regex  # when needed: it takes 50 ms

    of_words = "|".join(name for name in UNITS if " " in name)
    return regex.compile(
        r"[ -]?(?:(?P<share>(?:per|pour|por)\s?(?:cent|ciento|cento)(?!\p{L}))"
        rf"|(?P<words>(?i:{of_words}))(?!\p{{L}})"
        r"|(?P<unit>US\$|°\s?[CFcf](?!\p{L})|km/h|m/s|k?m\^?2(?!\d)|[%‰°$€£¥₹円元]|(?:(?!["
        + CHARACTERS
        + r"])[\p{L}\p{M}])+))"
    )


def _unit_after(text: str, end: int, own_units: Sequence[str]) -> tuple[Unit, int] | None:
    """The unit that follows a number in a text, and where it ends."""
    for own in own_units:
        if (stated := _pattern_of(own).match(text, end)) is not None:
            return Unit(own, Fraction(1)), stated.end()
    match = _unit_pattern().match(text, end)
    if match is None:
        return None
    name = "percent" if match["share"] else match["words"] or match["unit"].replace(" ", "")
    unit = None if len(name) == 1 and name.isupper() else UNITS.get(name.lower())
    return None if unit is None else (unit, match.end())


# --- Ranges and bounds ----------------------------------------------------------------------------------------------

_RANGE_SIGN: Final = re.compile(r"\s?[-–—~〜]\s?")
_LESS_OR_MORE: Final = re.compile(r"[<>≤≥±]\s*$")


def _ranges(items: list[Item], language: Language) -> list[Range]:
    """The ranges of a text; a range's end that lacks it takes the scale and the unit of the other."""
    ranges = []
    for place, item in enumerate(items):
        low = item.number
        if low is None:
            continue
        last = place + 1
        if last < len(items) and items[last].number is None:
            joins = language.to
            if place and not items[place - 1].forms.isdisjoint(language.between):
                joins = joins | language.and_
            if items[last].gap != " " or items[last].forms.isdisjoint(joins) or last + 1 == len(items):
                continue
            last += 1
            if items[last].gap != " ":
                continue
        elif last < len(items) and not _RANGE_SIGN.fullmatch(items[last].gap):
            continue
        if last == len(items) or (high := items[last].number) is None:
            continue
        if low.unit is None:
            low = replace(low, unit=high.unit)
        elif high.unit is None:
            high = replace(high, unit=low.unit)
        if low.scale == 1 and 0 < low.value < 1000:  # 5–10 million
            low = replace(low, value=low.value * high.scale)
        ranges.append(Range(low, high, place, last))
    return ranges


def _bound(items: list[Item], rest: str, ranges: list[Range], language: Language) -> list[Item]:
    """The items, with the numbers marked that are not stated themselves."""
    of_ranges = {place for numbers in ranges for place in (numbers.first, numbers.last)}
    marked = []
    for place, item in enumerate(items):
        if item.number is None:
            marked.append(item)
            continue
        before = items[place - 1] if place else None
        after = items[place + 1 : place + 3]
        is_bound = (
            place in of_ranges
            or _LESS_OR_MORE.search(item.gap) is not None
            or (items[place + 1].gap if after else rest).startswith("+")
            or (
                before is not None
                and before.number is None
                and (
                    (item.gap == "-" and not before.is_spaceless)  # COVID-19
                    or (item.gap == " " and not before.forms.isdisjoint(language.bounds | language.no))
                )
            )
            or [one.text.lower() for one in after] in (["or", "more"], ["or", "less"], ["or", "fewer"])
        )
        marked.append(replace(item, is_bound=is_bound))
    return marked
