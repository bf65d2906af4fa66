"""A text as a row of words and digits, with what stands between them."""

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
    scale: int = 1
    """Factor that the words of a number stand for, such as million; the value has it."""

    @property
    def amount(self) -> Fraction:
        """Number in the basic unit of its dimension; a share of 1 for per cents."""
        return self.value * self.unit.factor if self.unit else self.value

    @property
    def dimension(self) -> str:
        """Dimension that a number counts; empty for a plain number, and a share is one."""
        return self.unit.dimension if self.unit and self.unit.dimension != "share" else ""

    @property
    def form(self) -> str:
        """Form in which numbers are compared like words: equal for equal amounts."""
        return f"#{self.amount}@{self.dimension}"


@dataclass(frozen=True, slots=True)
class Item:
    """A word, a number, or a character of a script without spaces between words."""

    text: str
    """Text of the item as written."""
    start: int
    end: int
    gap: str
    """Text between the item before and this one."""
    forms: frozenset[str]
    """Forms in which a word may be written: folded, with ``ä`` as ``a`` or ``ae``, without a possessive."""
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


def word_item(text: str, start: int, gap: str, *, spaceless: bool = False) -> Item:
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


def scanned(text: str, language: Language) -> Iterator[Item]:
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
            item = word_item(word, match.start(), gap, spaceless=bool(match["spaceless"]))
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
