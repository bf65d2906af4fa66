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
    """A common mistake: what was found, what was expected, how to fix it, where (an index into the line).

    Before `at`, the texts may contain ``{here}``, the text at the mistake, and ``{written}``, what JSON has instead.
    """

    found: str
    expected: str
    fix: str
    position: int = 0

    def at(self, position: int, here: str = "", written: str = "") -> JsonError:
        """The mistake at an index into the line."""
        found, expected, fix = (text.format(here=here, written=written) for text in self[:3])
        return JsonError(found, expected, fix, position)


_BY_LIBRARY: Final = "write the line with json.dumps, not with str or print."
CONSTANT: Final = JsonError(
    "{here}", "a JSON value", "Write null or a string, or leave the key out: JSON has no {here}."
)
BYTE_ORDER_MARK: Final = JsonError(
    "a byte order mark (U+FEFF)",
    "an opening brace",
    "Remove the mark: it comes from joining files and may occur only at the very start.",
)
NO_BRACE: Final = JsonError(
    "text that does not begin with a brace: {here}",
    "a JSON object",
    'Write the line as {{"id": "…", "answer": "…"}}, or remove it.',
)
SINGLE_QUOTE: Final = JsonError(
    "a single quote at {here}", "valid JSON", f"Put keys and texts in double quotes: {_BY_LIBRARY}"
)
TYPOGRAPHIC_QUOTE: Final = JsonError(
    "a typographic quote at {here}",
    'a straight quote (")',
    'Put keys and texts in straight double quotes ("), as a JSON library does.',
)
PYTHON_WORD: Final = JsonError(
    "the Python word {here}", "the JSON word {written}", f"Write {{written}}, as JSON does: {_BY_LIBRARY}"
)
_PYTHON_WORDS: Final = {"None": "null", "True": "true", "False": "false"}
LAST_COMMA: Final = JsonError("a comma before the closing bracket", "no comma there", "Remove the last comma.")
SECOND_OBJECT: Final = JsonError(
    "a second object on the same line", "the end of the line", "Start a new line after each object."
)
COMMA_AFTER: Final = JsonError(
    "a comma after the object",
    "the end of the line",
    "Remove the comma after the closing brace: the lines are not an array.",
)
TEXT_AFTER: Final = JsonError("{here} after the object", "the end of the line", "Remove the text after the object.")
NO_END: Final = JsonError(
    "a text that does not end: {here}",
    "a closing quote",
    r"Close the text with a double quote; a line break inside a text is written \n.",
)
CONTROL_CHARACTER: Final = JsonError("{here} inside a text", "an escape", "Write it as {written}, as json.dumps does.")
WRONG_ESCAPE: Final = JsonError(
    "a wrong escape at {here}", r"an escape such as \n, \" or \\", r"Write a backslash as \\ (two), as json.dumps does."
)
INNER_QUOTE: Final = JsonError(
    "{here} after a closing quote",
    "a comma or a closing brace",
    r"Write a double quote inside a text as \", as json.dumps does.",
)
CUT_OFF: Final = JsonError(
    "the end of the line", "the rest of the object", "Write the whole object on one line, up to its closing brace."
)
GENERAL_FIX: Final = "Write the line with a JSON library (in Python: json.dumps), not by hand."
_EXPECTED: Final = {
    "Expecting ',' delimiter": "a comma or a closing bracket",
    "Expecting ':' delimiter": "a colon after the key",
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a key in double quotes",
}


def explain(text: str, message: str, position: int) -> JsonError:
    """Turn the parser's `message` at `position` of the line `text` into what went wrong and how to fix it."""
    position = max(0, min(position, len(text)))
    here = text[position : position + _AROUND]
    if message in ("NaN", "Infinity", "-Infinity"):
        return CONSTANT.at(position, message)
    if text.startswith("\ufeff"):
        return BYTE_ORDER_MARK.at(0)
    if not text.lstrip(" \t").startswith(("{", "[")):
        return NO_BRACE.at(0, _snippet(text, 0))
    if here.startswith("'"):
        return SINGLE_QUOTE.at(position, _snippet(text, position))
    if here.startswith(("“", "”", "„", "‘", "’", "«", "»")):
        return TYPOGRAPHIC_QUOTE.at(position, _snippet(text, position))
    for word, json_word in _PYTHON_WORDS.items():
        if here.startswith(word):
            return PYTHON_WORD.at(position, word, json_word)
    if "trailing comma" in message.lower() or here.lstrip().startswith(("}", "]")):
        before = text[max(0, position - _AROUND) : position + 1].rstrip(" \t}]")
        if before.endswith(","):
            return LAST_COMMA.at(max(0, position - _AROUND) + len(before) - 1)
    if message.startswith("Extra data"):
        rest = here.lstrip()
        position += len(here) - len(rest)
        if rest.startswith("{"):
            return SECOND_OBJECT.at(position)
        return COMMA_AFTER.at(position) if rest.startswith(",") else TEXT_AFTER.at(position, _snippet(text, position))
    if message.startswith("Unterminated string"):
        return NO_END.at(position, _snippet(text, position))
    if message.startswith("Invalid control character"):
        if here.startswith("\t"):
            return CONTROL_CHARACTER.at(position, "a tab", r"\t")
        written = rf"\u{ord(here[:1] or ' '):04x}"
        return CONTROL_CHARACTER.at(position, f"the control character {clean(here[:1])}", written)
    if message.startswith(("Invalid \\escape", "Invalid \\u")):
        return WRONG_ESCAPE.at(position, _snippet(text, position))
    if message.startswith("Expecting ',' delimiter") and here[:1].isalnum():
        return INNER_QUOTE.at(position, _snippet(text, position))
    if not here.strip():
        return CUT_OFF.at(position)
    expected = _EXPECTED.get(message.split(" at:")[0], "valid JSON")
    return JsonError(_snippet(text, position), expected, GENERAL_FIX, position)


def _snippet(text: str, position: int) -> str:
    return quote(text[position : position + _AROUND + 1], _AROUND)


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
