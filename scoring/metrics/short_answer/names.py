"""Where a text names what an accepted answer names, and whether that is the whole name, or a part of a longer one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from scoring.metrics.short_answer.items import Item
from scoring.metrics.short_answer.languages import Language
from scoring.metrics.short_answer.quantities import Reading
from scoring.metrics.text.answer_names import folded_name

_WITHIN: Final = re.compile(r"[\s\"'“”‘’«»()\[\]_*~-]*|\.\s?|,\s?|[·・]")
"""Characters that may stand between two words of a name."""
_ADJACENT: Final = re.compile(r"[ \t\"'“”‘’]*|\.?-")
_SUFFIXES: Final = frozenset({"inc", "ltd", "corp", "gmbh", "plc", "llc", "co", "jr"})
"""Words that may follow a name, or be missing after it."""
_LONGEST_SPAN: Final = 4
"""Words of a text in which one of an accepted answer is looked for, initials and articles included."""
_FEWEST_THAI: Final = 4
_FEWEST_OTHERS: Final = 3

# What may stand beside a name in Chinese and Japanese: words that are no part of it, and kinds of places and people.
_HAN_BEFORE: Final = frozenset(
    "是在为為于於到从從和与與及了的即叫名位由向往去被把对對有来來"  # Chinese, function words
    "国國省市县縣州区區都府道郡町村"  # the larger place comes first
    "家者人王帝"
)
_HAN_AFTER: Final = (
    *"是在为為于於到从從和与與及了的有不也就都吗呢吧啊",
    *"市省县縣州区區国國府町村氏君",
    *("特別市", "特别市", "先生", "女士"),
)
_KANA: Final = re.compile("[\u3041-\u30ff]")
_HIRAGANA: Final = re.compile("[\u3041-\u309f]")
_PARTICLES: Final = frozenset("はがをにでともへのやか")
_THAI: Final = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f]")
_THAI_LEADING_VOWELS: Final = frozenset("เแโใไ")


def same_word(wanted: Item, item: Item) -> bool:
    return not wanted.reduced.isdisjoint(item.reduced)


def _is_initial_of(initial: Item, word: Item) -> bool:
    if not initial.is_initial or word.number is not None or not word.is_capitalised:
        return False
    return any(form.startswith(initial.text.lower()) for form in word.forms)


def occurrences(wanted: Sequence[Item], reading: Reading, language: Language) -> Iterator[tuple[int, int]]:
    """The places of a text where the words of an accepted answer stand, as the first position and that after the last.

    Initials stand for names and may be missing between two names; an article may be missing; words may be joined.
    """
    wanted = _without_lead(wanted, language)
    if not wanted:
        return
    for start in range(len(reading.items)):
        end = _end_of(wanted, reading.items, start, language)
        if end is not None:
            yield start, end


def _without_lead(wanted: Sequence[Item], language: Language) -> Sequence[Item]:
    """The words of an accepted answer without a leading article, and without titles before a name."""
    for words in (language.articles, language.titles):
        while (
            len(wanted) > 1
            and not wanted[0].forms.isdisjoint(words)
            and (words is language.articles or wanted[1].is_capitalised)
        ):
            wanted = wanted[1:]
    if len(wanted) > 1 and not wanted[-1].forms.isdisjoint(_SUFFIXES):
        wanted = wanted[:-1]
    return wanted


def _end_of(wanted: Sequence[Item], items: Sequence[Item], start: int, language: Language) -> int | None:
    """The position after the words that match from a position on; None if they do not."""
    n, position = 0, start
    last = min(start + _LONGEST_SPAN * len(wanted), len(items))
    while n < len(wanted):
        if position == last:
            return None
        gap = items[position].gap
        if n and gap.strip() != wanted[n].gap.strip() and not _WITHIN.fullmatch(gap):
            return None
        step = _step(wanted, n, items, position, language)
        if step is None:
            return None
        n, position = n + step[0], position + step[1]
    return position


def _step(
    wanted: Sequence[Item], n: int, items: Sequence[Item], position: int, language: Language
) -> tuple[int, int] | None:
    """Numbers of words of both sides that are the same from two places on, or may be passed over; None if they
    differ."""
    one, item = wanted[n], items[position]
    if same_word(one, item):
        return 1, 1
    if one.number is None and item.number is None and (joined := _joined(wanted, n, items, position)):
        return joined
    is_last = n + 1 == len(wanted)
    if not is_last and (_is_initial_of(one, item) or _is_initial_of(item, one)):
        return 1, 1
    if n == 0:
        return None
    if wanted[n - 1].is_capitalised and one.is_capitalised:
        if item.is_initial or (is_last and n == 1 and _is_middle_name(item, wanted, items, position, language)):
            return 0, 1
        if one.is_initial and not is_last and not wanted[n - 1].is_initial:
            return 1, 0
    if not item.forms.isdisjoint(language.articles):
        return 0, 1
    return None if one.forms.isdisjoint(language.articles) else (1, 0)


def _is_middle_name(
    item: Item, wanted: Sequence[Item], items: Sequence[Item], position: int, language: Language
) -> bool:
    """Whether a word is a second given name, which stands between the two words of a name."""
    return (
        item.is_capitalised
        and item.number is None
        and item.gap == " "
        and wanted[0].forms.isdisjoint(language.part_before)
        and position + 1 < len(items)
        and same_word(wanted[1], items[position + 1])
    )


def _joined(wanted: Sequence[Item], n: int, items: Sequence[Item], position: int) -> tuple[int, int] | None:
    """Numbers of words on both sides that are the same when written as one: Spider Man, Spiderman; J. K., JK."""
    if not any(
        own.startswith(other) or other.startswith(own) for own in wanted[n].forms for other in items[position].forms
    ):
        return None
    for count in (2, 3, 4):
        parts = items[position : position + count]
        if _all_words(parts, count) and "".join(folded_name(part.text) for part in parts) in wanted[n].forms:
            return 1, count
        parts = wanted[n : n + count]
        if _all_words(parts, count) and "".join(folded_name(part.text) for part in parts) in items[position].forms:
            return count, 1
    return None


def _all_words(items: Sequence[Item], count: int) -> bool:
    return (
        len(items) == count
        and all(item.number is None and not item.is_spaceless for item in items)
        and all(re.fullmatch(r"[.\s-]*", item.gap) for item in items[1:])
    )


# --- Whether the name goes on ---------------------------------------------------------------------------------------


def is_whole_name(wanted: Sequence[Item], reading: Reading, start: int, end: int, language: Language) -> bool:
    """Whether what stands at a place is the whole name of a thing, not a part of a longer one.

    A name goes on with a capitalised word or an ordinal directly after it (*Washington Irving*, *Henry VIII*), with a
    hyphen, after a single word with *of* (*Lord of the Rings*), and before it with words such as *New* and *South*.
    """
    items = reading.items
    first, last = items[start], items[end - 1]
    if first.is_spaceless and start and not _may_stand_before(items[start - 1], first, end - start):
        return False
    if last.is_spaceless and end < len(items) and not _may_stand_after(last, items[end], end - start, reading.text):
        return False
    is_shouted = reading.text.isupper()
    before = items[start - 1] if start else None
    if before is not None and not first.is_spaceless and before.number is None:
        are_capitalised = before.is_capitalised and wanted[0].is_capitalised
        is_part = first.gap == " " and are_capitalised and not before.forms.isdisjoint(language.part_before)
        if is_part or first.gap == "-":
            return False
    if end == len(items) or last.is_spaceless or last.number is not None:
        return True
    after = items[end]
    if after.gap == "-":
        return False
    if not last.is_capitalised or is_shouted or not _ADJACENT.fullmatch(after.gap) or after.is_spaceless:
        return True
    if after.number is not None:
        return not (after.number.unit is None and 0 < after.number.value < 1000 and after.number.value.denominator == 1)
    if not after.forms.isdisjoint(_SUFFIXES):
        return True
    if after.is_capitalised:
        return after.text == "I" and end + 1 < len(items) and items[end + 1].text.islower()
    if end - start == 1 and after.text == "of" and end + 1 < len(items):
        following = (
            items[end + 2]
            if not items[end + 1].forms.isdisjoint(language.articles) and end + 2 < len(items)
            else items[end + 1]
        )
        return not following.is_capitalised
    return True


def _may_stand_before(before: Item, first: Item, length: int) -> bool:
    """Whether a name in a script without spaces may begin after a character."""
    if first.gap or not before.is_spaceless:
        return True
    if _THAI.match(first.text):
        return length >= _FEWEST_THAI and before.text[0] not in _THAI_LEADING_VOWELS
    if _HIRAGANA.match(first.text):
        return before.text in _PARTICLES
    if _KANA.match(first.text):
        return not _KANA.match(before.text) or _HIRAGANA.match(before.text) is not None
    return length >= _FEWEST_OTHERS or _KANA.match(before.text) is not None or before.text in _HAN_BEFORE


def _may_stand_after(last: Item, after: Item, length: int, text: str) -> bool:
    """Whether a name in a script without spaces may end before a character."""
    if after.gap or not after.is_spaceless:
        return True
    if _THAI.match(last.text):
        return length >= _FEWEST_THAI and last.text[0] not in _THAI_LEADING_VOWELS
    if _HIRAGANA.match(after.text):
        return not _HIRAGANA.match(last.text) or after.text in _PARTICLES or after.text == "で"
    if _KANA.match(after.text):
        return not _KANA.match(last.text)
    return text.startswith(_HAN_AFTER, after.start)
