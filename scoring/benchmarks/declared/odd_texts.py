"""Texts that say something else than their author meant: left from the template, or damaged on the way into a file.

Of a text nothing is shown but the sign itself: it may be a hidden answer.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import Final, NamedTuple

import ftfy
from ftfy.badness import is_bad

PLACEHOLDER: Final = "TODO:"
"""What the texts of the template that ``benchmark new`` writes begin with."""
_LEFT_OPEN: Final = re.compile(
    r"(?<![A-Za-z])(?:X{4,}|TODO|FIXME|(?i:lorem ipsum)|(?:Last|Surname), First(?:name)?|Author One)(?![A-Za-z])"
    r"|(?<=\{)Title of (?:the|your) [Pp]aper(?=\})|\[[^][]*\bto be (?:added|filled in|written)\b[^][]*\](?!\()"
    r"|(?<!\S)\?\?(?![\w?!])"
)
_EXAMPLE: Final = re.compile(
    r"(?:your|example|sample|my) (?:system|model|method|name|team|organi[sz]ation)|(?:jane|john) doe", re.IGNORECASE
)
_LOST_LETTER: Final = re.compile(r"(?<!\S)[^\W\d_]+\?[^\W\d_]+(?!\S)")
_LOST_LAST_LETTER: Final = re.compile(r"(?!(?:Wh|How|Really))[A-Z][^\W\d_]+\? [A-Z][^\W\d_]+")
_UNDERSCORES: Final = re.compile(r"[A-Z][^\W\d_A-Z]+(?:_[^\W\d_A-Z]+)*_[A-Z][^\W\d_A-Z]+")
_AS_LATIN: Final = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"
    "\u03bf\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)
"""Letters of Cyrillic and Greek that look like Latin ones."""
_TWO_SCRIPTS: Final = re.compile(f"[A-Za-z][{_AS_LATIN}]|[{_AS_LATIN}][A-Za-z]")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|(?:amp|lt|gt|quot|apos|nbsp|[A-Za-z]{3,8}));")
_TAG: Final = re.compile(
    r"</?(a|b|br|div|em|i|li|ol|p|span|strong|sub|sup|table|td|tr|u|ul)\b[^<>]{0,200}>", re.IGNORECASE
)
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_JOINED: Final = re.compile(r"\w\s?(?:\|{1,2}|;)\s?\w|[^\W\d_]\s/\s[^\W\d_]")
_MOST_JOINED: Final = 100
"""In a longer answer, a semicolon or stroke is one of its sentences."""
_TWO_NAMES: Final = re.compile(r"[A-Z][^()]* \([A-Z][^()]*\)")
_BREAK: Final = re.compile(r"(?<!\\)\\[nt](?![a-z])|(?<=\w)\\n(?=[a-z]{2,} )")
_MARKDOWN: Final = re.compile(r"(?<!\w)\*\*\w[^*]*\*\*(?!\w)|\[[^\]]+\]\(https?://|```|^#{1,6} \w")
_MARKS: Final = ("**", "](", "```", "# ")
_SLOT: Final = re.compile(r"(?<![\\\w}^_{])\{{1,2}[a-z][a-z_]{2,30}\}{1,2}(?![\w{}])")
_ROLE: Final = re.compile(r"\s*(?:(?:the )?(?:correct )?answer(?: is)?|question|q ?\d*|gold)\s*:\s", re.IGNORECASE)
_BULLET: Final = re.compile(r"\s*[-*\u2022]\s+\w")
_LATEX: Final = re.compile(
    r"\\(?:frac|d?frac|text|math[a-z]+|sqrt|cdot|times|left|circ|pi|boxed)\b|\$[^$]*[\\^_{][^$]*\$"
)
_FOOTNOTE: Final = re.compile(r"(?<=\w)\[\d{1,3}\]|[^\W\d_]{4}[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+$")
_AND_OTHERS: Final = re.compile(
    r"(?:.*[,\s])?(?:etc\.?|et cetera|usw\.|u\. ?a\.)|(?:and|among) (?:many )?(?:others?|more|so on)\.?", re.IGNORECASE
)
_ADDRESS: Final = re.compile(r"https?://\S+")
_MARKED: Final = re.compile(
    r"[(\[](?:correct|right|richtig|true)[)\]]|[\u2713\u2714\u2705]|^\*\s?\w|\w\s\*$", re.IGNORECASE
)
_NO_VALUES: Final = {
    *("nan", "none", "null", "nil", "na", "n/a", "n.a.", "#n/a", "<na>", "nat", "undefined", "unknown", "missing"),
    *("not available", "not applicable", "todo", "fixme", "xxx", "...", "\N{HORIZONTAL ELLIPSIS}", "lorem ipsum"),
    *("inf", "-inf", "#ref!", "#value!", "tbd", "?", "-", "--", "\N{EN DASH}", "\N{EM DASH}"),
}
_LETTER: Final = re.compile(r"\s*\(?[A-Za-z][).:]?\s*")
_COUNTRIES: Final = ("jp", "cn", "gr", "cz", "dk", "ua", "us", "gb", "vn", "mx")
"""Codes of countries that no language has, and that are written for one; se, kr and others are codes of both."""
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


QUOTED: Final = Oddity(
    "quotation marks around it", "a text without", "Remove them, unless they are part of the answer."
)
SECOND_NAME: Final = Oddity(
    "a further name in brackets", "one name in each text", "Write each name as an answer of its own."
)
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
    text = unescape(text)  # the semicolon of an entity separates nothing
    if is_letter(text):
        yield LETTER
    if text != text.strip():
        yield Oddity("white space around it", "a text without", "Remove it: some metrics find no answer that has it.")
    may_be_joined = "|" in text or (len(text) <= _MOST_JOINED and (";" in text or "/" in text))
    if may_be_joined and _JOINED.search(text):
        fix = "Write a list, or aliases where the task type has them."
        yield Oddity("several answers in one text", "one answer in each text", fix)
    if text[:1] in ('"', "\u201c") and text[-1:] in ('"', "\u201d") and text.count(text[-1]) <= 2 and len(text) > 2:
        yield QUOTED
    if text[-1:] == ")" and len(text) <= _MOST_JOINED and _TWO_NAMES.fullmatch(text):
        yield SECOND_NAME
    if "?" in text and len(text) <= _MOST_JOINED and (_LOST_LETTER.search(text) or _LOST_LAST_LETTER.fullmatch(text)):
        yield Oddity("a question mark inside a name", "the letter that was lost", _REREAD)
    if "_" in text and _UNDERSCORES.fullmatch(text):
        yield Oddity("words joined by underscores", "spaces", "Write the name as people do.")
    if text.rstrip()[-1:] in (",", ";", ":"):
        yield Oddity("a separator at its end", "a text without", "Remove it, or add what should follow.")
    if not text[:1].isalnum() and _BULLET.match(text):
        yield Oddity("the mark of a list before it", "the answer alone", "Remove it.")
    if text[-1:] in "]\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079" and _FOOTNOTE.search(text):
        yield Oddity("the mark of a footnote", "the answer alone", "Remove it.")
    if len(text) <= _MOST_JOINED and _AND_OTHERS.fullmatch(text.strip()):
        yield Oddity("words for further answers", "each of them by its name", "Write them, or remove the words.")
    if ("\\" in text or "$" in text) and _LATEX.search(text):
        yield Oddity(
            "LaTeX", "an answer as people write it", "Write it in plain characters: answers are compared as text."
        )


def is_address(text: str) -> bool:
    """Whether a text is the address of a page.

    >>> is_address("https://en.wikipedia.org/wiki/Sweden"), is_address("See https://example.org")
    (True, False)
    """
    return _ADDRESS.fullmatch(text.strip()) is not None


def is_marked(text: str) -> bool:
    """Whether an option says of itself that it is right.

    >>> is_marked("Newton (correct)"), is_marked("Pascal *"), is_marked("A*"), is_marked("The correct one")
    (True, True, False, False)
    """
    return _MARKED.search(text) is not None


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
    >>> left_open_in("Table ??"), left_open_in("Why??"), left_open_in("Jane Doe")
    ('??', '', 'Jane Doe')
    """
    match = _LEFT_OPEN.search(text) or _EXAMPLE.fullmatch(text)
    return match[0] if match is not None else ""


def oddities(text: str, *, is_value: bool = True) -> Iterator[Oddity]:
    """What is odd about a text.

    >>> [oddity.found for text in ("Oslo", "nan", "['a', 'b']", "R&amp;D") for oddity in oddities(text)]
    ['the text nan', 'a list written as text', 'the HTML entity &amp;']
    >>> [oddity.found for text in ("Answer: 5", "**a**", "In {city}?", "a\\\\nB") for oddity in oddities(text)]
    ['the word Answer before it', 'marks of Markdown', 'a slot in braces', 'the line break \\\\n, written out']
    >>> list(oddities("\\\\nu and \\\\frac{a}{b}"))
    []
    """
    if is_value and len(text) < 20 and text.strip().casefold() in _NO_VALUES:
        yield Oddity(
            f"the text {text.strip()}", "a value", "A program may have written it for a missing one: then leave it out."
        )
    if is_value and _is_list(text):
        yield Oddity("a list written as text", "a list", "Write it as JSON, without quotation marks around it.")
    if "<" in text and (tag := _TAG.search(text)):
        yield Oddity(f"the HTML tag <{tag[1]}>", "plain text", "Remove it: pages show it as it is written.")
    if "\\" in text and (escape := _ESCAPE.search(text)):
        yield Oddity(f"the escape {escape[0]}, written out", "the character", "Write the character that it stands for.")
    if "\\" in text and (written := _BREAK.search(text)):
        yield Oddity(f"the line break {written[0]}, written out", "the character", "Write a line break, or a space.")
    if is_value and ":" in text[:30] and (role := _ROLE.match(text)):
        what = role[0].strip().removesuffix(":").strip()
        yield Oddity(f"the word {what} before it", "the text alone", "Remove what a prompt puts there.")
    if is_value and any(map(text.__contains__, _MARKS)) and _MARKDOWN.search(text):
        yield Oddity("marks of Markdown", "plain text", "Remove them: pages show them as they are written.")
    if is_value and "{" in text and _SLOT.search(text):
        yield Oddity("a slot in braces", "what a template puts there", "Fill it in.")
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
    elif any(
        is_bad(line) and ftfy.fix_encoding(line) != line
        for line in (line[:_LONGEST_LINE] for line in text.splitlines())
    ):
        odd.append(Oddity("characters of a wrong encoding (mojibake)", "text as people read it", _REREAD))
    if _TWO_SCRIPTS.search(text):
        found, fix = "letters of two scripts that look alike in one word", "Type the word again."
        odd.append(Oddity(found, "letters of one script", fix))
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


def wrong_code(language: str) -> str:
    """What the code of a language is instead; empty if it may be one.

    >>> wrong_code("jp"), wrong_code("pt-BR"), wrong_code("")
    ('jp, the code of a country', '', '')
    """
    code = language.split("-")[0].lower()
    return f"{code}, the code of a country" if code in _COUNTRIES else ""


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
