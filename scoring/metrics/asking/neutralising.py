"""Hostile text: an answer must not end a prompt's data, nor speak as the prompt or the judge."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

_ASTERISKS: Final = str.maketrans("∗⁎✱✲＊", "*****")
_MARKS: Final = frozenset({"Mn", "Me"})
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and signs that are as empty as a space of no width."""
_HIDING: Final = re.compile(r"[^\t\n\r\x20-\x7e]")
"""A character that may hide a delimiter or look like a part of one."""

Rules = Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]
"""Delimiters of a prompt, each with its replacement as in ``re.sub``."""


def spaced(match: re.Match[str]) -> str:
    """A run of signs with spaces between them."""
    return " ".join(match[0])


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
    """
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    for pattern, replacement in rules if _HIDING.search(text) else ():
        plain, places = _plain(text)
        parts, end = [], 0
        for match in pattern.finditer(plain):
            new = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
            parts += [text[end : places[match.start()]], new]
            end = places[match.end() - 1] + 1
        text = "".join([*parts, text[end:]])
    return text


def is_invisible(character: str) -> bool:
    """Whether a character shows nothing and is no white space."""
    return character in _FILLERS or (unicodedata.category(character) in ("Cc", "Cf") and not character.isspace())


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
