"""Explain to the author of a line why the line is not JSON.

Python's parser reports "Expecting ',' delimiter"; the author needs to know that a double quote in the answer needs a
backslash. Only the text around the place where parsing stopped is read, so long lines cost nothing.
"""

from __future__ import annotations

import re
import sys
from typing import Final, NamedTuple

from scoring.generations.problems import clean, quote

_AROUND: Final = 24
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|-?(?:NaN|Infinity)|-?\d+', re.DOTALL)


class JsonError(NamedTuple):
    """What was found, where (an index into the line), what was expected, how to fix it."""

    found: str
    position: int
    expected: str
    fix: str


_BY_LIBRARY: Final = "write the line with json.dumps, not with str or print."
_PYTHON_WORDS: Final = {"None": "null", "True": "true", "False": "false"}


def explain(text: str, message: str, position: int) -> JsonError:
    """Turn the parser's `message` at `position` of the line `text` into what went wrong and how to fix it."""
    position = max(0, min(position, len(text)))
    here = text[position : position + _AROUND]
    for look in (
        _constant,
        _byte_order_mark,
        _no_brace,
        _quotes,
        _python_word,
        _commas,
        _after_the_object,
        _inside_a_string,
    ):
        mistake = look(text, message, position, here)
        if mistake:
            return mistake
    if not here.strip():
        return JsonError(
            "the end of the line",
            position,
            "the rest of the object",
            "Write the whole object on one line, up to its closing brace.",
        )
    return JsonError(
        _snippet(text, position), position, _EXPECTED.get(message.split(" at:")[0], "valid JSON"), _GENERAL
    )


_GENERAL: Final = "Write the line with a JSON library (in Python: json.dumps), not by hand."
_EXPECTED: Final = {
    "Expecting ',' delimiter": "a comma or a closing bracket",
    "Expecting ':' delimiter": "a colon after the key",
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a key in double quotes",
}


def _snippet(text: str, position: int) -> str:
    return quote(text[position : position + _AROUND + 1], _AROUND)


def _constant(text: str, message: str, position: int, here: str) -> JsonError | None:
    del text, here
    if message in ("NaN", "Infinity", "-Infinity"):
        fix = f"Write null or a string, or leave the key out: JSON has no {message}."
        return JsonError(message, position, "a JSON value", fix)
    return None


def _byte_order_mark(text: str, message: str, position: int, here: str) -> JsonError | None:
    del message, position, here
    if text.startswith("\ufeff"):
        fix = "Remove the mark: it comes from joining files and may occur only at the very start."
        return JsonError("a byte order mark (U+FEFF)", 0, "an opening brace", fix)
    return None


def _no_brace(text: str, message: str, position: int, here: str) -> JsonError | None:
    del message, position, here
    if text.lstrip(" \t").startswith(("{", "[")):
        return None
    fix = 'Write the line as {"id": "…", "answer": "…"}, or remove it.'
    return JsonError(f"text that does not begin with a brace: {_snippet(text, 0)}", 0, "a JSON object", fix)


def _quotes(text: str, message: str, position: int, here: str) -> JsonError | None:
    del message
    if here.startswith("'"):
        fix = f"Put keys and texts in double quotes: {_BY_LIBRARY}"
        return JsonError(f"a single quote at {_snippet(text, position)}", position, "valid JSON", fix)
    if here.startswith(("“", "”", "„", "‘", "’", "«", "»")):
        fix = 'Put keys and texts in straight double quotes ("), as a JSON library does.'
        return JsonError(f"a typographic quote at {_snippet(text, position)}", position, 'a straight quote (")', fix)
    return None


def _python_word(text: str, message: str, position: int, here: str) -> JsonError | None:
    del text, message
    for word, json_word in _PYTHON_WORDS.items():
        if here.startswith(word):
            fix = f"Write {json_word}, as JSON does: {_BY_LIBRARY}"
            return JsonError(f"the Python word {word}", position, f"the JSON word {json_word}", fix)
    return None


def _commas(text: str, message: str, position: int, here: str) -> JsonError | None:
    closing = here.lstrip()[:1]
    if "trailing comma" in message.lower() or (closing in ("}", "]") and closing):
        before = text[max(0, position - _AROUND) : position + 1].rstrip(" \t}]")
        if before.endswith(","):
            comma = max(0, position - _AROUND) + len(before) - 1
            return JsonError("a comma before the closing bracket", comma, "no comma there", "Remove the last comma.")
    return None


def _after_the_object(text: str, message: str, position: int, here: str) -> JsonError | None:
    if not message.startswith("Extra data"):
        return None
    rest = here.lstrip()
    at = position + len(here) - len(rest)
    if rest.startswith("{"):
        fix = "Start a new line after each object."
        return JsonError("a second object on the same line", at, "the end of the line", fix)
    if rest.startswith(","):
        fix = "Remove the comma after the closing brace: the lines are not an array."
        return JsonError("a comma after the object", at, "the end of the line", fix)
    fix = "Remove the text after the object."
    return JsonError(f"{_snippet(text, at)} after the object", at, "the end of the line", fix)


def _inside_a_string(text: str, message: str, position: int, here: str) -> JsonError | None:
    if message.startswith("Unterminated string"):
        fix = r"Close the text with a double quote; a line break inside a text is written \n."
        return JsonError(f"a text that does not end: {_snippet(text, position)}", position, "a closing quote", fix)
    if message.startswith("Invalid control character"):
        name = "a tab" if here.startswith("\t") else f"the control character {clean(here[:1])}"
        written = r"\t" if here.startswith("\t") else rf"\u{ord(here[:1] or ' '):04x}"
        return JsonError(f"{name} inside a text", position, "an escape", f"Write it as {written}, as json.dumps does.")
    if message.startswith(("Invalid \\escape", "Invalid \\u")):
        fix = r"Write a backslash as \\ (two), as json.dumps does."
        expected = r"an escape such as \n, \" or \\"
        return JsonError(f"a wrong escape at {_snippet(text, position)}", position, expected, fix)
    if message.startswith("Expecting ',' delimiter") and here[:1].isalnum():
        fix = r"Write a double quote inside a text as \", as json.dumps does."
        return JsonError(
            f"{_snippet(text, position)} after a closing quote", position, "a comma or a closing brace", fix
        )
    return None


def find_constant(text: str, name: str) -> int:
    """The index of the first `name` (NaN, Infinity, -Infinity) outside a string; 0 if there is none."""
    return next((match.start() for match in _TOKEN.finditer(text) if match.group() == name), 0)


def find_long_number(text: str) -> tuple[int, int]:
    """The index and the number of digits of the first integer outside a string that Python refuses to convert."""
    limit = sys.get_int_max_str_digits()
    for match in _TOKEN.finditer(text):
        n_digits = len(match.group().lstrip("-"))
        if n_digits > limit and not match.group().startswith('"'):
            return match.start(), n_digits
    return 0, 0


def name_type(value: object) -> str:
    """The name of the type of a JSON value that is not a string."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an object" if isinstance(value, list) and type(value) is not list else "a list"
