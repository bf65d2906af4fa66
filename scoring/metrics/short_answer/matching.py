"""Whether an answer, a word or a sentence, states one of the accepted answers as a person would read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, get_args

from scoring.metrics.short_answer.choices import Options, chosen, labelled, labels_of
from scoring.metrics.short_answer.cleaning import cleaned, statement
from scoring.metrics.short_answer.dates import DateInText, dates
from scoring.metrics.short_answer.items import Number
from scoring.metrics.short_answer.languages import Language, language_named
from scoring.metrics.short_answer.names import is_whole_name, occurrences
from scoring.metrics.short_answer.quantities import Range, Reading, read
from scoring.metrics.short_answer.statements import is_bare, is_stated
from scoring.metrics.short_answer.units import PER_CENT, UNITS
from scoring.metrics.text.answer_names import folded_name

Kind = Literal["auto", "text", "number", "date", "choice", "yes-no"]
KINDS: Final[tuple[str, ...]] = get_args(Kind)
_EXPECTED: Final = {"yes-no": "yes or no", "date": "a date", "number": "a number"}
UNANSWERABLE: Final = "unanswerable"
"""The accepted answer of a question that cannot be answered; an empty one means the same."""
_FIRST_SENTENCES: Final = 200
"""Characters within which an answer says that there is none."""

_LAST_NAME_FIRST: Final = re.compile(r"((?:[^\W\d_][\w'’-]*\s?){1,2}),\s+((?:[^\W\d_][\w'’.-]*\s?){1,3})")
_LONGEST_NAME: Final = 100
_WITH_UNIT: Final = re.compile(r".*\d[ -]?((?:[^\W\d_]|[°%‰])(?:[^\W_]|[°%/·*^+-])*)")
"""A number and a unit, such as g/cm^3: letters and signs, without white space."""
_EXPONENT: Final = re.compile(r"(?<=[^\W\d_])(?=-?\d)")

Place = tuple[int, int]


@dataclass(frozen=True)
class Tolerance:
    """Largest distance of a number from an accepted one; without either it is equal."""

    absolute: float | None = None
    relative: float | None = None
    """A share of the accepted number."""

    def __post_init__(self) -> None:
        for name, value in (("absolute", self.absolute), ("relative", self.relative)):
            if value is not None and not value >= 0:
                raise ValueError(f"{name}: a tolerance is a number from 0 on, found {value}")

    def allows(self, wanted: Fraction, found: Fraction) -> bool:
        """Whether a number is near enough."""
        # By their decimals, as written: as floats, 0.3 is not within 0.1 of 0.2.
        absolute, relative = (Fraction(str(limit or 0)) for limit in (self.absolute, self.relative))
        return abs(wanted - found) <= max(absolute, relative * abs(wanted))


def matches(
    answer: str,
    accepted: Sequence[str],
    kind: Kind = "auto",
    language: str = "en",
    *,
    absolute: float | None = None,
    relative: float | None = None,
    per_cent: bool = False,
    options: Options = (),
) -> bool:
    """Whether an answer states one of the accepted answers. No benchmark publishes such rules; these are Manyhop's.

    - **text**: the words of an accepted answer in their order, whatever their case, accents, hyphens and initials, as
      the whole name of a thing (*Washington* is not in *Washington Irving*). Where only the case differs (*US* and
      *us*), and for a single letter, nothing else may be said beside. Words are Unicode's; Chinese, Japanese and Thai
      are compared character by character, with the characters beside.
    - **number**: an equal amount, or one within the tolerance: in digits or words, with the separators of the language,
      scales, units, per cents (12 % is .12, not 12), exponents, fractions and signs. The ends of a range, *more than 5*
      and the 19 of *COVID-19* are not stated. A bare number may leave out the unit of the accepted answer. A unit that
      is not known here, such as g/cm³, is equal where it is written alike; nothing is converted to it.
    - **date**: all parts of the accepted date; the answer may say more.
    - **yes-no**: the first clause that is yes or no.
    - **choice**: the letter or the text of an option. ``["A", "C"]`` accepts either, ``["A, C"]`` both together.
    - **unanswerable** (or an empty text): that there is no answer.

    Of an answer with *the answer is …* or a box only what follows counts. What is denied, asked, or one of two
    alternatives is not stated. Reasoning and markup are not read.

    Args:
        kind: ``auto`` takes what each accepted answer is.
        language: Code of the language, such as ``de``.
        absolute: How far a number may be from the accepted one.
        relative: The same as a share of the accepted number; the wider of the two counts.
        per_cent: Whether plain numbers, accepted or answered, are per cents.
        options: The texts of the options, in the order of their letters or by label.

    Raises:
        ValueError: For no accepted answer, an unknown kind, an accepted answer that is not of the kind, a label without
            its option, or a tolerance below 0.

    >>> matches("It was built by Ada Berg in 1843.", ["Ada Berg"]), matches("Bergen", ["Berg"])
    (True, False)
    >>> matches("about 3.2 million", ["3,200,000"]), matches("711/11", ["11"]), matches("99", ["100"], relative=0.01)
    (True, False, True)
    >>> matches("14 March 1879", ["1879"]), matches("1879", ["14 March 1879"])
    (True, False)
    >>> matches("(B)", ["B"], "choice", options=["Oslo", "Bergen"]), matches("A closer look: Bergen", ["A"], "choice")
    (True, False)
    """
    if not accepted:
        raise ValueError("no accepted answer")
    if kind not in KINDS:
        raise ValueError(f"kind: found {kind!r}, expected one of {', '.join(KINDS)}")
    words = language_named(language)
    comparison = _Comparison(words, Tolerance(absolute, relative), per_cent)
    if any(_is_unanswerable(text) for text in accepted) and _says_unanswerable(answer, words):
        return True
    wanted = [text for text in accepted if not _is_unanswerable(text)]
    if not wanted:
        return False
    if kind == "choice" or options:
        return _matches_choice(answer, wanted, options, language)
    wants = [_wanted(one, kind, language) for one in wanted]
    plain = cleaned(answer)
    if plain and any(plain == cleaned(one) for one in wanted):
        return True
    reading = _read(statement(plain, words), language, tuple(want.own_unit for want in wants if want.own_unit))
    found = [(want, places) for want in wants if (places := want.places(reading, comparison))]
    accepted_at = {position for _, places in found for start, end in places for position in range(start, end)}
    return any(
        want.is_conclusive or is_stated(reading, start, end, words, accepted_at - set(range(start, end)))
        for want, places in found
        for start, end in places
    )


def check_accepted(accepted: str, kind: Kind, language: str, options: Options = ()) -> None:
    """Check that an accepted answer is of its kind.

    Raises:
        ValueError: If it is not; the message says what was expected, without a part of it.
    """
    if kind == "choice" or options:
        labels_of(accepted, _option_texts(options))
    elif kind in _EXPECTED and not _is_unanswerable(accepted):  # any text is of the other kinds
        _wanted(accepted, kind, language)


def is_amount(accepted: str, kind: Kind, language: str) -> bool:
    """Whether an accepted answer, which is of its kind, is compared as a number, so that tolerances apply.

    >>> is_amount("380 m", "auto", "en"), is_amount("Oslo", "auto", "en"), is_amount("12", "text", "en")
    (True, False, False)
    """
    return not _is_unanswerable(accepted) and _wanted(accepted, kind, language).is_amount


def is_in_no_calendar(accepted: str, language: str) -> bool:
    """Whether an accepted answer has a date whose month never had such a day.

    >>> [is_in_no_calendar(text, "en") for text in ("2021-02-31", "31 June", "29 February 1900", "May 2021", "Oslo")]
    [True, True, False, False, False]
    """
    found = dates(cleaned(accepted), language_named(language))
    return any(not any(reading.exists for reading in date.readings) for date in found)


def has_two_readings(accepted: str) -> bool:
    """Whether day and month of a date in an accepted answer could be exchanged.

    >>> has_two_readings("03/04/2021"), has_two_readings("13/04/2021"), has_two_readings("4 March 2021")
    (True, False, False)
    """
    return any(len(date.readings) > 1 for date in dates(cleaned(accepted), language_named("en")))


UNIT_ASKED: Final = re.compile(r"\bin ((?:square )?[a-z]+(?: per [a-z]+)?)\s?\?$")
"""The words in which an English question asks for a number, at its end."""


def has_other_unit(accepted: str, words: str, language: str) -> bool:
    """Whether an accepted answer is a number in another unit than words name.

    >>> has_other_unit("536 ha", "square kilometres", "en"), has_other_unit("5", "metres", "en")
    (True, False)
    """
    unit = UNITS.get(words)
    number = _only_number(read(cleaned(accepted), language_named(language)), language_named(language)) if unit else None
    return isinstance(number, Number) and number.unit not in (None, unit)


# --- What an accepted answer is --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Comparison:
    """Comparison of an answer with the accepted ones."""

    words: Language
    tolerance: Tolerance
    per_cent: bool


@dataclass(frozen=True)
class _Wanted:
    """An accepted answer as it was read."""

    places: Callable[[Reading, _Comparison], list[Place]]
    """Function that finds the places where an answer has an accepted one."""
    is_conclusive: bool = False
    """Whether nothing around a place matters."""
    is_amount: bool = False
    """Whether tolerances apply, because it is a number or a range."""
    own_unit: str = ""
    """The unit of a number that is not among `UNITS`."""


@lru_cache(maxsize=4096)
def _wanted(text: str, kind: Kind, language: str) -> _Wanted:
    """An accepted answer as what it is.

    Raises:
        ValueError: If it is not of the kind.
    """
    words = language_named(language)
    plain = cleaned(text)
    reading = read(plain, words)
    polarity = _polarity_word(reading, words) if kind in ("auto", "yes-no") else None
    if polarity is not None:
        return _Wanted(lambda answer, how: [(0, 0)] if _polarity(answer, how.words) is polarity else [], True)
    date = _only_date(plain, reading, words) if kind in ("auto", "date") else None
    number = _only_number(reading, words) if kind in ("auto", "number") else None
    own_unit = ""
    is_other = kind == "number" and number is None and _only_date(plain, reading, words) is None
    if is_other and (match := _WITH_UNIT.fullmatch(plain)):
        own_unit = _EXPONENT.sub("^", match[1])
        number = _only_number(read(plain, words, [own_unit]), words)
    if kind in ("yes-no", "date", "number") and date is None and number is None:
        raise ValueError(f"expected {_EXPECTED[kind]}")
    if isinstance(number, Number) and (date is None or date.is_bare_year):
        # A year may be meant as a number, or stated in a date.
        return _Wanted(
            lambda answer, how: (
                _number_places(answer, number, how) + (_date_places(answer, date, how) if date is not None else [])
            ),
            is_amount=True,
            own_unit=own_unit,
        )
    if date is not None:
        return _Wanted(lambda answer, how: _date_places(answer, date, how))
    if isinstance(number, Range):
        return _Wanted(lambda answer, how: _range_places(answer, number, how), is_amount=True, own_unit=own_unit)
    readings = [read(name, words) for name in dict.fromkeys((plain, _turned(plain)))]
    return _Wanted(lambda answer, how: [place for own in readings for place in _text_places(answer, own, how)])


@lru_cache(maxsize=64)
def _read(text: str, language: str, own_units: tuple[str, ...]) -> Reading:
    """An answer is compared with many accepted ones."""
    return read(text, language_named(language), own_units)


@lru_cache(maxsize=64)
def _dates(text: str, words: Language) -> tuple[DateInText, ...]:
    return tuple(dates(text, words))


def _only_date(text: str, reading: Reading, words: Language) -> DateInText | None:
    """The date that a text is, apart from words that say nothing."""
    found = _dates(text, words)
    if len(found) != 1:
        return None
    (date,) = found
    outside = [item for item in reading.items if item.end <= date.start or item.start >= date.end]
    return date if all(not item.forms.isdisjoint(words.small) for item in outside) else None


def _only_number(reading: Reading, words: Language) -> Number | Range | None:
    """The number or range that a text is, apart from words that say nothing."""
    items = reading.items
    if len(reading.ranges) == 1:
        (numbers,) = reading.ranges
        others = [*items[: numbers.first], *items[numbers.last + 1 :]]
        return numbers if all(not item.forms.isdisjoint(words.small | words.between) for item in others) else None
    stated = [item for item in items if item.number is not None and not item.is_bound]
    others = [item for item in items if item not in stated]
    if len(stated) != 1 or not all(not item.forms.isdisjoint(words.small) for item in others):
        return None
    return stated[0].number


# --- Where an answer has it ------------------------------------------------------------------------------------------


def _text_places(answer: Reading, wanted: Reading, how: _Comparison) -> list[Place]:
    if not wanted.items:
        same = wanted.text.strip() == answer.text.strip()
        return [(0, len(answer.items))] if same else []
    if (turned := _turned(answer.text)) != answer.text and folded_name(turned) == folded_name(wanted.text):
        return [(0, len(answer.items))]
    if _is_its_bare_number(answer, wanted):
        return [(0, 1)]
    places = []
    for start, end in occurrences(wanted.items, answer, how.words):
        if is_whole_name(wanted.items, answer, start, end, how.words) and (
            not _needs_to_be_bare(wanted, answer, start, end) or is_bare(answer, start, end, how.words)
        ):
            places.append((start, end))
    return places


def _is_its_bare_number(answer: Reading, wanted: Reading) -> bool:
    """Whether an answer is a bare 6 where “6 bridges” is accepted."""
    quantity, number = wanted.items[0].number, answer.items[0].number if len(answer.items) == 1 else None
    if quantity is None or number is None or answer.items[0].is_bound:
        return False
    counts = len(wanted.items) > 1 and all(item.text.islower() for item in wanted.items[1:])
    return counts and number.value == quantity.value and number.unit in (None, quantity.unit)


def _turned(text: str) -> str:
    """A name whose last part is written first, in its order; other text as it is.

    >>> _turned("Berg, Ada"), _turned("It is Oslo, Norway.")
    ('Ada Berg', 'It is Oslo, Norway.')
    """
    match = _LAST_NAME_FIRST.fullmatch(text) if len(text) <= _LONGEST_NAME else None
    return f"{match[2]} {match[1]}" if match else text


def _needs_to_be_bare(wanted: Reading, answer: Reading, start: int, end: int) -> bool:
    """Whether what stands at a place may be another word: a single letter, or one that only its case tells apart."""
    if len(wanted.items) > 1 or wanted.items[0].is_spaceless or wanted.items[0].number is not None:
        return False
    own, found = wanted.items[0].text, "".join(item.text for item in answer.items[start:end])
    if len(own) == 1:
        return True
    is_acronym = own.isupper() and not found.isupper()
    return is_acronym or (own[0].isupper() and found.islower())


def _number_places(answer: Reading, wanted: Number, how: _Comparison) -> list[Place]:
    if how.per_cent and wanted.unit is None:
        wanted = Number(wanted.value, PER_CENT)
    is_in_date = bytearray(len(answer.text))
    for date in _dates(answer.text, how.words):
        if not date.is_bare_year:
            is_in_date[date.start : date.end] = b"\1" * (date.end - date.start)
    is_alone = len(answer.items) == 1
    places = []
    for position, item in enumerate(answer.items):
        number = item.number
        if is_alone and number is None and wanted.form in item.forms:  # VIII
            return [(0, 1)]
        if number is None or item.is_bound or is_in_date[item.start]:
            continue
        if how.per_cent and number.unit is None:
            number = Number(number.value, PER_CENT)
        if wanted.dimension and number.dimension != wanted.dimension:
            if number.unit is not None or not is_alone:
                continue
            amounts = (wanted.value, number.value)
        elif wanted.dimension:
            amounts = (wanted.amount, number.amount)
        else:
            # A plain number is found with any unit, in which it is stated.
            amounts = (wanted.amount, number.amount if not number.dimension else number.value)
        if how.tolerance.allows(*amounts):
            places.append((position, position + 1))
    return places


def _range_places(answer: Reading, wanted: Range, how: _Comparison) -> list[Place]:
    return [
        (numbers.first, numbers.last + 1)
        for numbers in answer.ranges
        if all(
            own.dimension in ("", other.dimension) and how.tolerance.allows(own.amount, other.amount)
            for own, other in ((wanted.low, numbers.low), (wanted.high, numbers.high))
        )
    ]


def _date_places(answer: Reading, wanted: DateInText, how: _Comparison) -> list[Place]:
    places = []
    for date in _dates(answer.text, how.words):
        if any(found.states(one) for found in date.readings for one in wanted.readings):
            positions = [
                place for place, item in enumerate(answer.items) if item.start < date.end and date.start < item.end
            ]
            places.append((positions[0], positions[-1] + 1) if positions else (0, len(answer.items)))
    return places


# --- Yes, no, and no answer ------------------------------------------------------------------------------------------

_AFTER_NO: Final = frozenset(
    ["it", "he", "she", "they", "we", "i", "you", "that", "this", "these", "those", "there", "the", "not", "is", "was"]
)


def _polarity_word(reading: Reading, words: Language) -> bool | None:
    """Whether a text is a word for yes or no."""
    forms = {"".join(item.text for item in reading.items).lower()}
    forms |= reading.items[0].forms if len(reading.items) == 1 else set()
    return _polarity_of(forms, words)


def _polarity_of(forms: Set[str], words: Language) -> bool | None:
    if not forms.isdisjoint(words.yes):
        return True
    return None if forms.isdisjoint(words.no) else False


def _polarity(answer: Reading, words: Language) -> bool | None:
    """What an answer says to a question of yes or no: the first clause that says nothing else decides."""
    items = answer.items
    for position, item in enumerate(items):
        polarity = _polarity_of(item.forms, words)
        if polarity is not None and is_bare(answer, position, position + 1, words):
            return polarity
    if not items or _says_both(answer, words):
        return None
    if items[0].is_spaceless:
        return _polarity_without_spaces(answer.text, words)
    # “Yes it was”, but not “No bridge was”.
    first = _polarity_of(items[0].forms, words)
    return first if first or (len(items) > 1 and not items[1].forms.isdisjoint(_AFTER_NO)) else None


def _polarity_without_spaces(text: str, words: Language) -> bool | None:
    begins = [
        (len(word), polarity)
        for polarity, of in ((True, words.yes), (False, words.no))
        for word in of
        if not word.isascii() and text.startswith(word)
    ]
    return max(begins)[1] if begins else None


def _says_both(answer: Reading, words: Language) -> bool:
    return any(
        not items[0].forms.isdisjoint(words.yes | words.no)
        and not items[1].forms.isdisjoint(words.and_)
        and not items[2].forms.isdisjoint(words.yes | words.no)
        for items in zip(answer.items, answer.items[1:], answer.items[2:], strict=False)
    )


def _is_unanswerable(accepted: str) -> bool:
    return accepted.strip().casefold() in ("", UNANSWERABLE)


def _says_unanswerable(answer: str, words: Language) -> bool:
    """Whether an answer says that there is none: it is empty, or says so in its first sentences."""
    text = statement(cleaned(answer), words)
    if not text:
        return True
    beginning = text[:_FIRST_SENTENCES]
    reading = read(beginning, words)
    names = [folded_name(item.text) for item in reading.items]
    sentence, unspaced = f" {' '.join(names)} ", beginning.replace(" ", "")
    return any(
        is_bare(reading, place, place + 1, words) for place, name in enumerate(names) if name in words.unknown
    ) or any(
        f" {phrase} " in sentence if phrase.isascii() else phrase.replace(" ", "") in unspaced
        for phrase in words.unknown
        if " " in phrase or not phrase.isascii()
    )


# --- Choices ---------------------------------------------------------------------------------------------------------


def _matches_choice(answer: str, accepted: Sequence[str], options: Options, language: str) -> bool:
    texts = _option_texts(options)
    right = [labels_of(text, texts) for text in accepted]
    labels = chosen(
        answer, texts, language_named(language), lambda text, option: matches(text, [option], "text", language)
    )
    alone = frozenset().union(*(one for one in right if len(one) == 1))
    return bool(labels) and (labels in right or labels <= alone)


def _option_texts(options: Options) -> Mapping[str, str]:
    """The options by label; without any, all letters are labels."""
    return labelled(options) if options else {chr(code): "" for code in range(ord("A"), ord("Z") + 1)}
