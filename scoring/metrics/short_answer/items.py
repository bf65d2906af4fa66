"""A text as a row of words and numbers, with what stands between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final

from scoring.metrics.short_answer.languages import Language
from scoring.metrics.short_answer.units import UNITS, Unit
from scoring.metrics.text.answer_names import folded_name
from scoring.metrics.text.scripts import CHARACTERS, MARKS

MOST_DIGITS: Final = 400
"""Longer numbers are words: nobody states them."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is stated."""

    value: Fraction
    unit: Unit | None = None
    is_scaled: bool = False
    """Whether a word such as million was part of it."""

    @property
    def amount(self) -> Fraction:
        """In the basic unit of its dimension; a share of 1 for per cents."""
        return self.value * self.unit.factor if self.unit else self.value

    @property
    def dimension(self) -> str:
        """What it counts; empty for a plain number, and a share is one."""
        return self.unit.dimension if self.unit and self.unit.dimension != "share" else ""

    @property
    def form(self) -> str:
        """As words are compared: equal for equal amounts."""
        return f"#{self.amount}@{self.dimension}"


@dataclass(frozen=True, slots=True)
class Item:
    """A word, a number, or a character of a script without spaces between words."""

    text: str
    """As written."""
    start: int
    end: int
    gap: str
    """What stands between the item before and this one."""
    forms: frozenset[str]
    """How it may be written: folded, with ``ä`` as ``a`` or ``ae``, without a possessive."""
    reduced: frozenset[str]
    """The forms, and those without an ending or prefix that grammar adds."""
    number: Number | None = None
    is_bound: bool = False
    """Whether it is a number that is not itself stated: an end of a range, part of a name, or after “more than”."""
    is_spaceless: bool = False

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_initial(self) -> bool:
        return self.number is None and len(self.text) == 1 and self.text.isupper()


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
    """What follows the last item."""

    def gap_after(self, position: int) -> str:
        """What follows an item, up to the next one."""
        return self.items[position + 1].gap if position + 1 < len(self.items) else self.rest


# --- Words ----------------------------------------------------------------------------------------------------------

_UMLAUTS: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "å": "aa", "Ø": "Oe", "Å": "Aa"}
)
_ABBREVIATIONS: Final = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}
_ELISIONS: Final = re.compile(r"(?:[ldjmnst]|qu|un)'(?=\w\w)", re.IGNORECASE)
_ROMAN: Final = re.compile(r"(X{0,3})(IX|IV|V?I{0,3})")
_CYRILLIC_ENDING: Final = re.compile(
    r"(?<=\w{3})(?:ами|ями|ого|его|ому|ему|ыми|ими|ой|ей|ою|ею|ом|ем|ам|ям|ах|ях|ый|ий|ая|яя|ое|ее|ые|ие|ую|юю|ых|их|ым"
    r"|им|[аяоеуюыиьйії])$"
)
_KOREAN_ENDING: Final = re.compile(
    r"(?<=\w{2})(?:입니다|이었다|이다|이에요|예요|에서|으로|은|는|이|가|을|를|에|의|도|로|와|과|특별시|광역시|시|씨)$"
)
_ARABIC_PREFIX: Final = re.compile(r"^(?:[وف]?(?:[بك]?ال|لل)|[وفبلك])(?=\w{3})")
_HEBREW_PREFIX: Final = re.compile(r"^[ובלמהשכ]{1,2}(?=\w{3})")
_ENGLISH_PLURAL: Final = re.compile(r"(?<=\w{2})(?:(?<=ch|sh|ss|.x)es|(?<![sui])s)$")


def _folded(word: str) -> str:
    signs = word[len(word.rstrip("+#-")) :]
    return folded_name(word) + signs if signs != word else word


@lru_cache(maxsize=2**16)
def _forms(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """The forms of a word, and the reduced ones."""
    spellings = {word, word.translate(_UMLAUTS)}
    base, _, suffix = word.partition("'")
    if suffix and (suffix in ("s", "S") or (len(base) > 2 and len(suffix) < 4)):
        spellings |= {base, base.translate(_UMLAUTS)}
    if elided := _ELISIONS.match(word):
        spellings.add(word[elided.end() :])
    forms = {_folded(spelling) for spelling in spellings}
    forms |= {_ABBREVIATIONS[form] for form in forms if form in _ABBREVIATIONS}
    reduced = set(forms)
    for form in forms:
        if form.isascii():
            if word.islower() and len(form) > 3:
                reduced |= {_ENGLISH_PLURAL.sub("", form), re.sub(r"(?<=\w\w)ies$", "y", form)}
        elif "\u0400" <= form[0] <= "\u04ff":
            reduced.add(_CYRILLIC_ENDING.sub("", form))
        elif "\u0590" <= form[0] <= "\u05ff":
            reduced.add(_HEBREW_PREFIX.sub("", form))
        elif "\u0600" <= form[0] <= "\u06ff":
            reduced.add(_ARABIC_PREFIX.sub("", form))
    if "\uac00" <= word[0] <= "\ud7a3":  # decomposed by folding
        shorter = _KOREAN_ENDING.sub("", word)
        reduced |= {_folded(shorter), _folded(_KOREAN_ENDING.sub("", shorter))}
    return frozenset(forms), frozenset(reduced)


def _word(text: str, start: int, gap: str, *, spaceless: bool = False) -> Item:
    forms, reduced = _forms(text.replace(".", "") or text) if not spaceless else (frozenset({text}),) * 2
    return Item(text, start, start + len(text), gap, forms, reduced, is_spaceless=spaceless)


def _roman(item: Item, before: Item | None) -> Item:
    """A word of the letters I, V and X that may be a number, with the number among its forms."""
    match = _ROMAN.fullmatch(item.text)
    if match is None or not (len(item.text) > 1 or (before is not None and before.is_capitalised and item.gap == " ")):
        return item
    units = {"": 0, "IV": 4, "V": 5, "IX": 9}
    value = 10 * len(match[1]) + (
        units[match[2]] if match[2] in units else match[2].count("I") + 5 * match[2].count("V")
    )
    form = Number(Fraction(value)).form
    return replace(item, forms=item.forms | {form}, reduced=item.reduced | {form})


# --- Numbers --------------------------------------------------------------------------------------------------------


@cache
def _token() -> Any:
    import regex  # takes 50 ms, so only where it is needed

    letter = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--[{CHARACTERS}{MARKS}]]"
    sign = r"(?:(?<![\p{L}\p{N})\]%.,])[-+–](?=(?:US)?[$€£¥₹]?\s?\.?\d))"
    digits = r"(?:\d{1,3}(?:\ \d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*|\.\d+)"
    return regex.compile(
        rf"""
        (?P<decade>(?<!\w)\d{{3}}0['’]?s(?!\w))
        |(?P<clock>(?<!\w)\d{{1,2}}(?::\d\d){{1,2}}(?!\d))
        |(?P<dated>(?<![\w.,/-])\d{{1,4}}(?P<separator>[-./])\d{{1,2}}(?P=separator)\d{{1,4}}(?![\w/-]))
        |(?P<number>
            (?<![\p{{Latin}}\p{{Greek}}\p{{Cyrillic}}\d_^])(?P<sign>{sign})?
            (?:(?P<currency>(?:US)?[$€£¥₹])\s?)?(?P<minus>-(?=\d))?(?P<digits>{digits})
            (?:
                (?P<divisor>/\d+(?![\d/]|\.\d))
                |(?P<ten>\s?[x×·*]\s?10\s?\^\s?[-+]?\d{{1,3}}(?!\d))
                |(?P<e>[eE][-+]?\d{{1,3}}(?![\p{{L}}\d]))
                |(?P<power>\^[-+]?\d{{1,3}}(?!\d))
            )?
        )
        |(?P<spaceless>[{CHARACTERS}][{MARKS}]*)
        |(?P<initials>(?:\p{{L}}\.){{2,}}(?:\p{{L}}(?![\p{{L}}\p{{M}}]))?)
        |(?P<word>{letter}+(?:['’]{letter}+)*(?:[+\#]+(?!{letter})|(?<=(?<!{letter})[A-Z]{{1,2}})-(?=$|[\s.,;:!?)]))?)
        |(?P<and>&)
        """,
        regex.VERBOSE | regex.VERSION1,
    )


def _digits(text: str, language: Language) -> Fraction | None:
    """The value of digits with separators; None if they are none of one number, as in 1.2.3.

    >>> from scoring.metrics.short_answer.languages import language_named
    >>> english, german = language_named("en"), language_named("de")
    >>> [str(_digits(text, english)) for text in ("1,234", "1.234", "1,5", "1.234,5", "1,2,3")]
    ['1234', '617/500', '3/2', '2469/2', 'None']
    >>> str(_digits("1.234", german)), str(_digits("1,234", german))
    ('1234', '617/500')
    """
    text = text.replace(" ", "").replace("'", "").replace("’", "")
    if len(text) > MOST_DIGITS:
        return None
    separators = [sign for sign in text if sign in ".,"]
    if not separators:
        return Fraction(text)
    last = separators[-1]
    is_grouped = re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{2,3})*[.,]\d{3}", text) is not None
    if len(set(separators)) == 2:
        whole, _, decimals = text.rpartition(last)
        groups = set(separators[:-1]) == {whole.strip("0123456789")[:1]} and last not in whole
        return Fraction(whole.replace(separators[0], "") + "." + decimals) if groups else None
    if len(separators) > 1:
        return Fraction(text.replace(last, "")) if is_grouped else None
    if last == language.thousands and is_grouped:
        return Fraction(text.replace(last, ""))
    return Fraction(text.replace(",", "."))


def _number_at(match: Any, gap: str, language: Language) -> Item | None:
    """The number of a match; None if it is none."""
    value = _digits(match["digits"], language)
    if value is None:
        return None
    if match["divisor"]:
        divisor = int(match["divisor"][1:]) if len(match["divisor"]) < MOST_DIGITS else 0
        if not divisor or value.denominator != 1:
            return None
        value /= divisor
    elif match["ten"]:
        value *= Fraction(10) ** int(match["ten"].partition("^")[2])
    elif match["e"]:
        value *= Fraction(10) ** int(match["e"][1:])
    elif match["power"]:
        exponent = int(match["power"][1:])
        if abs(value) > 1000 or value.denominator > 1000 or (not value and exponent < 0):
            return None
        value **= exponent
    if match["minus"] or (match["sign"] and match["sign"] in "-–"):
        value = -value
    currency = match["currency"]
    number = Number(value, UNITS[currency.lower()] if currency else None)
    return Item(match[0], match.start(), match.end(), gap, frozenset(), frozenset(), number)


def _scan(text: str, language: Language) -> Iterator[Item]:
    """The words and digits of a text, before words are joined to numbers."""
    end, before = 0, None
    for match in _token().finditer(text):
        gap = text[end : match.start()]
        item = None
        if match["number"]:
            item = _number_at(match, gap, language)
        if item is None:
            written = match[0]
            word = (
                written.lstrip("0").replace("'", "").replace("’", "") if match["decade"] or match["clock"] else written
            )
            item = _word(word, match.start(), gap, spaceless=bool(match["spaceless"]))
            item = replace(item, text=written, end=match.end())
        if match["and"] or not item.forms.isdisjoint(language.and_):
            item = replace(item, forms=item.forms | {"&"}, reduced=item.reduced | {"&"})
        if item.is_capitalised and (
            month := next((language.months[form] for form in item.forms if form in language.months), 0)
        ):
            item = replace(item, forms=item.forms | {f"month {month}"}, reduced=item.reduced | {f"month {month}"})
        item = _roman(item, before)
        yield item
        end, before = item.end, item


# --- Words that belong to numbers -----------------------------------------------------------------------------------


@cache
def _unit_after() -> Any:
    import regex

    of_words = "|".join(name for name in UNITS if " " in name)
    return regex.compile(
        r"[ -]?(?:(?P<share>(?:per|pour|por)\s?(?:cent|ciento|cento)(?!\p{L}))"
        rf"|(?P<words>(?i:{of_words}))(?!\p{{L}})"
        r"|(?P<unit>US\$|°\s?[CFcf](?!\p{L})|km/h|m/s|k?m\^?2(?!\d)|[%‰°$€£¥₹円元]|(?:(?!["
        + CHARACTERS
        + r"])[\p{L}\p{M}])+))"
    )


_LETTER_SCALES: Final = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
_CURRENCY_SCALES: Final = {"m": 10**6, "b": 10**9}
_ORDINAL: Final = re.compile(r"st|nd|rd|th|er|º|ª", re.IGNORECASE)


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
        form = min(item.forms & language.number_words, default=None)
        if form is None or (position == start and form in language.scales and form not in ("hundred", "thousand")):
            following = items[position + 1] if position + 1 < len(items) else None
            if last is None or item.forms.isdisjoint(language.and_) or following is None or not _is_joined(following):
                break
            if "half" in following.forms:
                return total + current + Fraction(1, 2), position + 2
            if (
                items[position + 1].text.lower() == "a"
                and position + 2 < len(items)
                and "half" in items[position + 2].forms
            ):
                return total + current + Fraction(1, 2), position + 3
            if last < 100 or following.forms.isdisjoint(language.numbers.keys()):
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
        position += 1
    return None if last is None else (total + current, position)


_FRACTION_WORDS: Final = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "tenths": 10}


def _with_words(items: list[Item], text: str, language: Language) -> Iterator[Item]:
    """The items with number words, signs, scales, units and fractions joined to their numbers."""
    if len(items) == 1 and not items[0].forms.isdisjoint(language.nothing):
        zero = Number(Fraction(0))
        yield replace(items[0], forms=items[0].forms | {zero.form}, reduced=items[0].reduced | {zero.form}, number=zero)
        return
    position = 0
    while position < len(items):
        first = items[position]
        begin, is_negative = position, False
        is_minus = first.number is None and not first.forms.isdisjoint(language.minus)
        if is_minus and position + 1 < len(items) and items[position + 1].gap == " ":
            is_negative, begin = True, position + 1
        number, after, has_words = items[begin].number, begin + 1, False
        if number is None:
            in_words = _number_words(items, begin, language)
            if in_words is None and items[begin].text.lower() in ("half", "a") and not is_negative:
                in_words = _half(items, begin)
            if in_words is None or items[begin].is_spaceless:
                yield first
                position += 1
                continue
            number, after, has_words = Number(in_words[0]), in_words[1], True
        number, after, end = _scaled(number, items, begin, after, language)
        if (
            after < len(items)
            and items[after].number is None
            and items[after].gap == ""
            and not items[after].is_spaceless
            and end == items[after].start
        ):
            if _ORDINAL.fullmatch(items[after].text):
                end, after = items[after].end, after + 1
            elif _unit(text, end) is None:  # 3D, 4x4: a word that begins with a digit
                joined = _word(text[first.start : items[after].end].replace(" ", ""), first.start, first.gap)
                yield replace(joined, end=items[after].end)
                position = after + 1
                continue
        if not has_words and after < len(items) and (fraction := items[after].number) is not None:
            # 2 1/2
            is_mixed = items[after].gap == " " and "/" in items[after].text and number.value.denominator == 1
            if is_mixed and 0 < fraction.value < 1 and number.unit is None:
                number, end, after = replace(number, value=number.value + fraction.value), items[after].end, after + 1
        if number.value.denominator == 1 and 0 < number.value < 10 and after < len(items):
            parts = _FRACTION_WORDS.get(items[after].text.lower())
            if (
                parts
                and _is_joined(items[after])
                and (parts == 2 or items[after].text.endswith("s") or number.value == 1)
            ):
                number, end, after = Number(number.value / parts), items[after].end, after + 1
                number, after, scaled_end = _scaled(number, items, begin, after, language)
                end = max(end, scaled_end)
        if number.unit is None and (found := _unit(text, end)) is not None:
            number, end = replace(number, unit=found[0]), found[1]
        while after < len(items) and items[after].start < end:
            after += 1
        if (
            number.unit is None
            and begin
            and (code := UNITS.get(items[begin - 1].text.lower()))
            and items[begin - 1].text.isupper()
        ):
            number = (
                replace(number, unit=code) if len(items[begin - 1].text) == 3 and items[begin].gap == " " else number
            )
        if is_negative:
            number = replace(number, value=-number.value)
        forms = frozenset({number.form})
        yield Item(text[first.start : end], first.start, end, first.gap, forms, forms, number)
        position = after


def _half(items: list[Item], start: int) -> tuple[Fraction, int] | None:
    """*half*, *half a*, *a half*."""
    words = [item.text.lower() for item in items[start : start + 2]]
    if words[:1] == ["half"]:
        return Fraction(1, 2), start + (2 if words[1:] == ["a"] else 1)
    return (Fraction(1, 2), start + 2) if words == ["a", "half"] else None


def _scaled(number: Number, items: list[Item], begin: int, after: int, language: Language) -> tuple[Number, int, int]:
    """A number with the scales after it, the place after them, and where it ends in the text."""
    end = items[after - 1].end
    while after < len(items) and items[after].number is None and _is_joined(items[after]):
        item = items[after]
        scale = next((language.scales[form] for form in item.forms if form in language.scales), None)
        if scale is None and (item.gap == "" or number.unit is not None):
            letters = _LETTER_SCALES | (_CURRENCY_SCALES if number.unit is not None else {})
            scale = letters.get(item.text) if items[begin].number is not None else None
        if scale is None:
            break
        number = replace(number, value=number.value * scale, is_scaled=True)
        end, after = item.end, after + 1
    return number, after, end


def _unit(text: str, end: int) -> tuple[Unit, int] | None:
    """The unit that follows a number in a text, and where it ends."""
    match = _unit_after().match(text, end)
    if match is None:
        return None
    name = "percent" if match["share"] else match["words"] or match["unit"].replace(" ", "")
    if len(name) == 1 and name.isupper():
        return None
    unit = UNITS.get(name.lower())
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
        if high.is_scaled and not low.is_scaled and 0 < low.value < 1000 <= high.value:
            scale = 1000
            while scale * 1000 <= high.value:
                scale *= 1000
            low = replace(low, value=low.value * scale)
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


def read(text: str, language: Language) -> Reading:
    """Read a cleaned text.

    >>> from scoring.metrics.short_answer.languages import language_named
    >>> reading = read("Twenty-one of 3.2 million, or 12 %", language_named("en"))
    >>> [item.number and str(item.number.amount) for item in reading.items]
    ['21', None, '3200000', None, '3/25']
    """
    scanned = list(_scan(text, language))
    items = list(_with_words(scanned, text, language))
    rest = text[items[-1].end :] if items else text
    ranges = _ranges(items, language)
    return Reading(text, tuple(_bound(items, rest, ranges, language)), tuple(ranges), rest)
