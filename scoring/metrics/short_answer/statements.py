"""Whether what stands at a place of an answer is stated: not denied, not asked, not one of two alternatives."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from scoring.metrics.short_answer.items import Item
from scoring.metrics.short_answer.languages import Language
from scoring.metrics.short_answer.quantities import Reading

_BREAK: Final = re.compile(r"[;:!?。！？；：,，、()|\n—•]|\s[–-]\s|\.(?=\s|$)|\.$")
_NOT: Final = re.compile(r"n['’]t$", re.IGNORECASE)
_QUESTION: Final = re.compile(r"[?？]")
LONGEST_CLAUSE: Final = 60
"""Words on each side of a place that are looked at."""
_REACH: Final = 4
"""A denial reaches over this many words."""


def clause_around(reading: Reading, start: int, end: int, language: Language) -> tuple[int, int]:
    """The first position of the clause of a place, and the position after its last."""
    first, last = start, end
    while (
        first > 0
        and start - first < LONGEST_CLAUSE
        and not _breaks(reading.items[first].gap)
        and not _is_contrast(reading.items[first - 1], language)
    ):
        first -= 1
    while (
        last < len(reading.items)
        and last - end < LONGEST_CLAUSE
        and not _breaks(reading.items[last].gap)
        and not _is_contrast(reading.items[last], language)
    ):
        last += 1
    return first, last


def _breaks(gap: str) -> bool:
    # A point after one letter or an abbreviation ends no clause; the words around it are short, so little is lost.
    return _BREAK.search(gap) is not None


def _is_contrast(item: Item, language: Language) -> bool:
    return not item.forms.isdisjoint(language.contrasts)


def is_stated(reading: Reading, start: int, end: int, language: Language, accepted_at: Container[int] = ()) -> bool:
    """Whether an answer states what stands at a place.

    Args:
        reading: The answer.
        start: The first position of the place.
        end: The position after its last.
        language: Its words.
        accepted_at: The positions of other accepted answers, which are no alternatives.
    """
    items = reading.items
    first, last = clause_around(reading, start, end, language)
    before, after = items[first:start], items[end:last]
    if _is_denied_before(before, language) or _is_denied_after(after, language):
        return False
    if _is_asked(reading, end):
        return False
    return not _is_alternative(reading, start, end, language, accepted_at)


def _is_denied_before(before: tuple[Item, ...], language: Language) -> bool:
    for distance, item in enumerate(reversed(before)):
        if item.forms.isdisjoint(language.negations) and not _NOT.search(item.text):
            continue
        following = before[len(before) - distance :]
        if any(
            not one.forms.isdisjoint(("only", "just", "merely", "simply", "until", "later")) for one in following[:1]
        ):
            return False
        if distance < _REACH:
            return True
    text = "".join(item.text for item in before[-_REACH:])
    return (
        bool(before)
        and before[-1].is_spaceless
        and any(text.endswith(word) for word in language.negations if not word.isascii())
    )


def _is_denied_after(after: tuple[Item, ...], language: Language) -> bool:
    words = after[:3]
    for place, item in enumerate(words):
        if _NOT.search(item.text):
            return True
        if item.forms.isdisjoint(language.copulas):
            return place > 0 and not item.forms.isdisjoint(language.negations | language.wrong)
    return False


def _is_asked(reading: Reading, end: int) -> bool:
    """Whether it is part of a question, and the answer goes on after it."""
    for position in range(end - 1, min(end + LONGEST_CLAUSE, len(reading.items))):
        gap = reading.gap_after(position)
        if _QUESTION.search(gap):
            return position + 1 < len(reading.items)
        if re.search(r"[.!。！]\s|\n", gap):
            return False
    return False


def _is_alternative(reading: Reading, start: int, end: int, language: Language, accepted_at: Container[int]) -> bool:
    items = reading.items
    if end < len(items):
        gap, after = items[end].gap, items[end]
        if not after.forms.isdisjoint(language.or_) and end + 1 < len(items) and not _breaks(after.gap):
            other = items[end + 1]
            return end + 1 not in accepted_at and other.text.lower() not in ("so", "thereabouts")
        if gap.strip() == "/" and end not in accepted_at:
            return True
    if start:
        before = items[start - 1]
        if not before.forms.isdisjoint(language.or_) and start > 1 and items[start].gap == " ":
            return start - 2 not in accepted_at
        if items[start].gap.strip() == "/" and start - 1 not in accepted_at:
            return True
    return False


def is_bare(reading: Reading, start: int, end: int, language: Language) -> bool:
    """Whether the clause of a place says nothing else: the place is what the answer states.

    Then the case of letters does not matter, and a single letter is an answer.
    """
    first, last = clause_around(reading, start, end, language)
    others = (*reading.items[first:start], *reading.items[end:last])
    if first == 0 and last == len(reading.items) and not others:
        return True
    return end == last and all(not item.forms.isdisjoint(language.small) for item in others)
