"""Texts that say something else than their author meant: left from the template, or damaged on the way into a file.

Of a text nothing is shown but the sign itself: it may be a hidden answer.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import ftfy

PLACEHOLDER: Final = "TODO:"
"""What the texts of the template that ``benchmark new`` writes begin with."""
_LEFT_OPEN: Final = re.compile(r"(?<![A-Za-z])(?:X{4,}|TODO|FIXME|(?i:lorem ipsum))(?![A-Za-z])")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|(?:amp|lt|gt|quot|apos|nbsp|[A-Za-z]{3,8}));")
_TAG: Final = re.compile(
    r"</?(a|b|br|div|em|i|li|ol|p|span|strong|sub|sup|table|td|tr|u|ul)\b[^<>]{0,200}>", re.IGNORECASE
)
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_JOINED: Final = re.compile(r"\w\s?\|{1,2}\s?\w")
_NO_VALUES: Final = {
    *("nan", "none", "null", "nil", "na", "n/a", "n.a.", "#n/a", "<na>", "nat", "undefined", "unknown", "missing"),
    *("inf", "-inf", "#ref!", "#value!", "tbd", "?", "-", "--", "\N{EN DASH}", "\N{EM DASH}"),
}
_LETTER: Final = re.compile(r"\s*\(?[A-Za-z][).:]?\s*")
_REREAD: Final = "Read the source in its own encoding, and write it as UTF-8."
_LONGEST_LIST: Final = 10_000
_LONGEST_LINE: Final = 2_000
INVISIBLE: Final = {
    *"\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u3164\ufeff\uffa0",
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x206A)),
}
"""Characters that nobody sees and that change which texts are equal, or the order in which others are shown. The
joiners of Persian, Indian scripts and emoji are none of them."""
_INVISIBLE: Final = re.compile(f"[{''.join(INVISIBLE)}]")


class Oddity(NamedTuple):
    """What is odd about a text."""

    found: str
    expected: str
    fix: str
    certain: bool = False
    """Whether the author of a text cannot mean it, though a source that is copied may have it."""


LETTER: Final = Oddity(
    "a single letter",
    "an answer in words",
    "Is it one of several choices? Then write the text of the option: most answers contain a letter.",
)


def answer_oddities(text: str) -> Iterator[Oddity]:
    """What is odd about a text as a reference answer, besides `oddities`.

    >>> [oddity.found for text in ("B", " Oslo", "NYC|New York") for oddity in answer_oddities(text)]
    ['a single letter', 'white space around it', 'several answers in one text']
    """
    if is_letter(text):
        yield LETTER
    if text != text.strip():
        yield Oddity("white space around it", "a text without", "Remove it: some metrics find no answer that has it.")
    if "|" in text and _JOINED.search(text):
        fix = "Write a list, or aliases where the task type has them."
        yield Oddity("several answers in one text", "one answer in each text", fix)


def is_letter(text: str) -> bool:
    """Whether a text is a letter that names an option, with or without its punctuation.

    >>> is_letter("B"), is_letter("(b)"), is_letter("Bern"), is_letter("5")
    (True, True, False, False)
    """
    return len(text) < 5 and _LETTER.fullmatch(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether a text is one of the template's.

    >>> is_placeholder("TODO: a sentence"), is_placeholder("TODO"), is_placeholder("Todo o nada")
    (True, True, False)
    """
    return text.startswith(PLACEHOLDER) or text.strip() == PLACEHOLDER[:-1]


def left_open_in(text: str) -> str:
    """What an author put in the place of a text or number to come; empty if there is nothing.

    >>> [left_open_in(text) for text in ("https://arxiv.org/abs/26XX.XXXXX", "FIXME later", "Super Bowl XXX", "todos")]
    ['XXXXX', 'FIXME', '', '']
    """
    match = _LEFT_OPEN.search(text)
    return match[0] if match is not None else ""


def oddities(text: str, *, is_value: bool = True) -> Iterator[Oddity]:
    """What is odd about a text.

    Args:
        text: one that an author wrote.
        is_value: whether a word such as nan or a list in brackets would be odd as the whole text.

    >>> [oddity.found for text in ("Oslo", "nan", "['a', 'b']", "R&amp;D") for oddity in oddities(text)]
    ['the text nan', 'a list written as text', 'the HTML entity &amp;']
    """
    if is_value and len(text) < 10 and text.strip().casefold() in _NO_VALUES:
        yield Oddity(
            f"the text {text.strip()}", "a value", "A program may have written it for a missing one: then leave it out."
        )
    if is_value and _is_list(text):
        yield Oddity("a list written as text", "a list", "Write it as JSON, without quotation marks around it.")
    if "<" in text and (tag := _TAG.search(text)):
        yield Oddity(f"the HTML tag <{tag[1]}>", "plain text", "Remove it: pages show it as it is written.")
    if "\\" in text and (escape := _ESCAPE.search(text)):
        yield Oddity(f"the escape {escape[0]}, written out", "the character", "Write the character that it stands for.")
    if "&" in text and (entity := _ENTITY.search(text)):
        fix = "Write the character that it stands for."
        yield Oddity(f"the HTML entity {entity[0]}", "the character", fix, certain=True)
    if not text.isascii():
        yield from _damaged(text)


@lru_cache(maxsize=2**10)
def _damaged(text: str) -> tuple[Oddity, ...]:
    """Traces of a wrong encoding, and characters that nobody sees."""
    odd = []
    if "\ufffd" in text:
        odd.append(Oddity("the character U+FFFD", "the one that was lost", _REREAD, certain=True))
    elif any(ftfy.fix_encoding(line[:_LONGEST_LINE]) != line[:_LONGEST_LINE] for line in text.splitlines()):
        odd.append(Oddity("characters of a wrong encoding (mojibake)", "text as people read it", _REREAD))
    if hidden := invisible_in(text):
        odd.append(Oddity(hidden, "characters that can be seen", "Remove it.", certain=True))
    return tuple(odd)


def invisible_in(text: str) -> str:
    """The first character of a text that nobody sees, by code and name; empty if there is none.

    >>> invisible_in("dev\\u200b-1"), invisible_in("dev-1")
    ('the invisible character U+200B (zero width space)', '')
    """
    match = _INVISIBLE.search(text)
    if match is None:
        return ""
    name = unicodedata.name(match[0], "without a name").lower()
    return f"the invisible character U+{ord(match[0]):04X} ({name})"


def _is_list(text: str) -> bool:
    """Whether a text is a list or table as Python or JSON prints it."""
    bare = text.strip()
    if len(bare) > _LONGEST_LIST or (bare[:1], bare[-1:]) not in (("[", "]"), ("{", "}")):
        return False
    try:
        value = ast.literal_eval(bare.replace("null", "None").replace("true", "True").replace("false", "False"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return isinstance(value, list | dict | set)
