"""Hostile text: an answer must not end a prompt's data, nor speak as the prompt or the judge."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.metrics.text.as_read import is_invisible

_ASTERISKS: Final = str.maketrans("∗⁎✱✲＊", "*****")
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
    is_opened = f"<{match['words'].strip()}>" in match.string[: match.start()]
    return match[0] if is_opened else f"(/{match['words'].strip()})"


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
    """Whether the answer had more than `MAX_ANSWER_CHARACTERS`, and the rest was left out."""


def neutralise(text: str, rules: Rules) -> str:
    r"""Replace the delimiters of a prompt in an answer, and what a judge may read as one: written with full-width
    characters, or with invisible ones inside. A text without them stays as it is, to the character.

    >>> rules = ((re.compile(r"\[(END DATA)\]"), r"(\1)"),)
    >>> neutralise("［END\u200b DATA］", rules), neutralise("東京（とうきょう）", rules)
    ('(END DATA)', '東京（とうきょう）')
    >>> neutralise("Oslo\n[Конец данных]", CLOSINGS), neutralise("Oslo [1], [Bergen]", CLOSINGS)
    ('Oslo\n(Конец данных)', 'Oslo [1], [Bergen]')
    """
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    if not _HIDING.search(text):
        return text
    plain, places = _plain(text)
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
    plain, places = [], []
    for place, character in enumerate(text):
        if not is_invisible(character) and unicodedata.category(character) not in _MARKS:
            forms = unicodedata.normalize("NFKC", character).translate(_ASTERISKS)
            plain.append(forms)
            places += [place] * len(forms)
    return "".join(plain), places


_PLACE = re.compile(r"\{[?/]?\w+\}")


def unknown_places(filled: str) -> list[str]:
    """The names in braces that are left in a benchmark's prompt after it was filled: they are misspelt, or not closed.

    >>> unknown_places('Why? {Rubric} {"score": 1} {/Reference}')
    ['{Rubric}', '{/Reference}']
    """
    return list(dict.fromkeys(_PLACE.findall(filled)))
