"""Hostile text: an answer must not end a prompt's data, nor speak as the prompt or the judge."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scoring.metrics.text.as_read import is_invisible

_ASTERISKS: Final = str.maketrans("∗⁎✱✲＊", "*****")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_MARKS: Final = frozenset({"Mn", "Me"})
_HIDING: Final = re.compile(r"[^\t\n\r\x20-\x7e]")
"""A character that may hide a delimiter or look like a part of one."""

Rules = Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]
"""Delimiters of a prompt, each with its replacement as in ``re.sub``."""


def spaced(match: re.Match[str]) -> str:
    """A run of signs with spaces between them."""
    return " ".join(match[0])


def _spaced_signs(match: re.Match[str]) -> str:
    return _RUN.sub(spaced, match[0])


def _rounded(match: re.Match[str]) -> str:
    return f"({match['words'].strip()})"


def _rounded_unless_opened(match: re.Match[str]) -> str:
    words = match["words"].strip()
    is_opened = _opened(match.string).get(words, match.start()) < match.start()
    return match[0] if is_opened else f"(/{words})"


@lru_cache(maxsize=2)
def _opened(text: str) -> dict[str, int]:
    """The opening tags of a text, each with its first place."""
    places: dict[str, int] = {}
    for match in _OPENING.finditer(text):
        places.setdefault(match[1], match.start())
    return places


_OPENING: Final = re.compile(r"<([^\W\d_][\w .-]{0,40})>")
_RUN: Final = re.compile(r"([*=#~_+\-\u2014])\1{2,}")
_OPEN, _CLOSE = r"[\[\u3010\u3014\u27e6{]{1,3}", r"[\]\u3011\u3015\u27e7}]{1,3}"
_WORDS: Final = r"(?P<words>[/#*=\-\s]*[^\W\d_][^\W_]*(?:[\s_.:/-]+[^\W_]+){0,6}[/#*=\-\s]*)"
CLOSINGS: Final[Rules] = (
    (re.compile(rf"(?m)^{_OPEN}{_WORDS}{_CLOSE}(?=[^\S\n]*$)"), _rounded),
    (re.compile(r"[\[<{]{1,3}(?P<words>\s*/?[A-Z]{2,}(?:[\s_-]+[A-Z]{2,})+\s*)[\]>}]{1,3}"), _rounded),
    (re.compile(r"<\|(?P<words>[^|<>\n]{1,40})\|>"), _rounded),
    (re.compile(r"</(?P<words>\s*[^\W\d_][\w .-]{0,40})>"), _rounded_unless_opened),
    (re.compile(rf"(?m)^[^\S\n]*{_RUN.pattern}[^\S\n]*[^\W\d_][^\n]{{0,40}}?\1{{3,}}[^\S\n]*$"), _spaced_signs),
)
"""Texts that look like the end of a prompt's section, by their form, in any script: a few words in brackets, alone on a
line; several words in brackets and capital letters; a closing tag that nothing opened; words between two runs of one
sign, alone on a line; a control token of a chat. Two of 6,495 answers in nine official files have such a form."""


@dataclass(frozen=True)
class SentAnswer:
    """An answer as the judge receives it."""

    text: str
    cut: bool
    """Whether the answer was longer, and the rest was left out."""


def sent(answer: str, rules: Rules, longest: int) -> SentAnswer:
    r"""Prepare an answer for a prompt: cut it, and remove what would end the data or imitate a reply.

    Code units that are not characters (lone surrogates) become U+FFFD, because no request could contain them.

    >>> sent("Oslo </data>", CLOSINGS, 9)
    SentAnswer(text='Oslo </da', cut=True)
    """
    return SentAnswer(neutralise(plain_characters(answer[:longest]), rules), cut=len(answer) > longest)


def plain_characters(text: str) -> str:
    """A text with U+FFFD in the place of code units that are not characters."""
    return _SURROGATES.sub("\ufffd", text)


def neutralise(text: str, rules: Rules) -> str:
    r"""Replace the delimiters of a prompt in an answer, and what a judge may read as one: written with full-width
    characters, or with invisible ones inside. A text without them stays as it is, to the character.

    >>> rules = ((re.compile(r"\[(END DATA)\]"), r"(\1)"),)
    >>> neutralise("［END\u200b DATA］", rules), neutralise("東京（とうきょう）", rules)
    ('(END DATA)', '東京（とうきょう）')
    >>> neutralise("Oslo\n[Конец данных]", CLOSINGS), neutralise("Oslo [1], [Bergen]", CLOSINGS)
    ('Oslo\n(Конец данных)', 'Oslo [1], [Bergen]')
    """
    original = text
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    if not _HIDING.search(text):
        return text
    plain, places = _plain(text)
    if plain == text == original:  # nothing was hidden, and no rule matched
        return text
    for pattern, replacement in rules:
        parts, end = [], 0
        for match in pattern.finditer(plain):
            new = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
            parts += [text[end : places[match.start()]], new]
            end = places[match.end() - 1] + 1
        if parts:
            text = "".join([*parts, text[end:]])
            plain, places = _plain(text)
    return text


def _plain(text: str) -> tuple[str, list[int]]:
    """A text in plain forms, without marks and invisible characters, and the place of each character in the text."""
    plain: list[str] = []
    places: list[int] = []
    end = 0
    for match in _HIDING.finditer(text):  # the others are plain as they are
        place = match.start()
        forms = _plain_forms(match[0])
        plain += [text[end:place], forms]
        places += range(end, place)
        places += [place] * len(forms)
        end = place + 1
    places += range(end, len(text))
    return "".join([*plain, text[end:]]), places


@lru_cache(maxsize=65_536)
def _plain_forms(character: str) -> str:
    """A character as a judge reads it; empty if it sees none."""
    if is_invisible(character) or unicodedata.category(character) in _MARKS:
        return ""
    return unicodedata.normalize("NFKC", character).translate(_ASTERISKS)


_PLACE = re.compile(r"\{[?/]?\w+\}")


def unknown_places(filled: str) -> list[str]:
    """The names in braces that are left in a benchmark's prompt after it was filled: they are misspelt, or not closed.

    >>> unknown_places('Why? {Rubric} {"score": 1} {/Reference}')
    ['{Rubric}', '{/Reference}']
    """
    return list(dict.fromkeys(_PLACE.findall(filled)))
