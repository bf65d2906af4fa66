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


class Explanation(NamedTuple):
    """A common mistake: what was found, what was expected, how to fix it.

    The texts may contain ``{here}``, the text at the mistake, and ``{written}``, what JSON has instead.
    """

    found: str
    expected: str
    fix: str

    def at(self, position: int, here: str = "", written: str = "") -> JsonError:
        """The mistake at an index into the line."""
        found, expected, fix = (text.format(here=here, written=written) for text in self)
        return JsonError(found, position, expected, fix)


_BY_LIBRARY: Final = "write the line with json.dumps, not with str or print."
_PYTHON_WORDS: Final = {"None": "null", "True": "true", "False": "false"}
CUT_OFF: Final = Explanation(
    "the end of the line", "the rest of the object", "Write the whole object on one line, up to its closing brace."
)


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
        return CUT_OFF.at(position)
    return JsonError(
        _snippet(text, position), position, _EXPECTED.get(message.split(" at:")[0], "valid JSON"), GENERAL_FIX
    )


GENERAL_FIX: Final = "Write the line with a JSON library (in Python: json.dumps), not by hand."
_EXPECTED: Final = {
    "Expecting ',' delimiter": "a comma or a closing bracket",
    "Expecting ':' delimiter": "a colon after the key",
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a key in double quotes",
}


def _snippet(text: str, position: int) -> str:
    return quote(text[position : position + _AROUND + 1], _AROUND)


CONSTANT: Final = Explanation(
    "{here}", "a JSON value", "Write null or a string, or leave the key out: JSON has no {here}."
)


def _constant(text: str, message: str, position: int, here: str) -> JsonError | None:
    del text, here
    if message in ("NaN", "Infinity", "-Infinity"):
        return CONSTANT.at(position, message)
    return None


BYTE_ORDER_MARK: Final = Explanation(
    "a byte order mark (U+FEFF)",
    "an opening brace",
    "Remove the mark: it comes from joining files and may occur only at the very start.",
)


def _byte_order_mark(text: str, message: str, position: int, here: str) -> JsonError | None:
    del message, position, here
    if text.startswith("\ufeff"):
        return BYTE_ORDER_MARK.at(0)
    return None


NO_BRACE: Final = Explanation(
    "text that does not begin with a brace: {here}",
    "a JSON object",
    'Write the line as {{"id": "…", "answer": "…"}}, or remove it.',
)


def _no_brace(text: str, message: str, position: int, here: str) -> JsonError | None:
    del message, position, here
    if text.lstrip(" \t").startswith(("{", "[")):
        return None
    return NO_BRACE.at(0, _snippet(text, 0))


SINGLE_QUOTE: Final = Explanation(
    "a single quote at {here}", "valid JSON", f"Put keys and texts in double quotes: {_BY_LIBRARY}"
)
TYPOGRAPHIC_QUOTE: Final = Explanation(
    "a typographic quote at {here}",
    'a straight quote (")',
    'Put keys and texts in straight double quotes ("), as a JSON library does.',
)


def _quotes(text: str, message: str, position: int, here: str) -> JsonError | None:
    del message
    if here.startswith("'"):
        return SINGLE_QUOTE.at(position, _snippet(text, position))
    if here.startswith(("“", "”", "„", "‘", "’", "«", "»")):
        return TYPOGRAPHIC_QUOTE.at(position, _snippet(text, position))
    return None


PYTHON_WORD: Final = Explanation(
    "the Python word {here}", "the JSON word {written}", f"Write {{written}}, as JSON does: {_BY_LIBRARY}"
)


def _python_word(text: str, message: str, position: int, here: str) -> JsonError | None:
    del text, message
    for word, json_word in _PYTHON_WORDS.items():
        if here.startswith(word):
            return PYTHON_WORD.at(position, word, json_word)
    return None


LAST_COMMA: Final = Explanation("a comma before the closing bracket", "no comma there", "Remove the last comma.")


def _commas(text: str, message: str, position: int, here: str) -> JsonError | None:
    closing = here.lstrip()[:1]
    if "trailing comma" in message.lower() or (closing in ("}", "]") and closing):
        before = text[max(0, position - _AROUND) : position + 1].rstrip(" \t}]")
        if before.endswith(","):
            comma = max(0, position - _AROUND) + len(before) - 1
            return LAST_COMMA.at(comma)
    return None


SECOND_OBJECT: Final = Explanation(
    "a second object on the same line", "the end of the line", "Start a new line after each object."
)
COMMA_AFTER: Final = Explanation(
    "a comma after the object",
    "the end of the line",
    "Remove the comma after the closing brace: the lines are not an array.",
)
TEXT_AFTER: Final = Explanation("{here} after the object", "the end of the line", "Remove the text after the object.")


def _after_the_object(text: str, message: str, position: int, here: str) -> JsonError | None:
    if not message.startswith("Extra data"):
        return None
    rest = here.lstrip()
    at = position + len(here) - len(rest)
    if rest.startswith("{"):
        return SECOND_OBJECT.at(at)
    if rest.startswith(","):
        return COMMA_AFTER.at(at)
    return TEXT_AFTER.at(at, _snippet(text, at))


NO_END: Final = Explanation(
    "a text that does not end: {here}",
    "a closing quote",
    r"Close the text with a double quote; a line break inside a text is written \n.",
)
CONTROL_CHARACTER: Final = Explanation(
    "{here} inside a text", "an escape", "Write it as {written}, as json.dumps does."
)
WRONG_ESCAPE: Final = Explanation(
    "a wrong escape at {here}", r"an escape such as \n, \" or \\", r"Write a backslash as \\ (two), as json.dumps does."
)
INNER_QUOTE: Final = Explanation(
    "{here} after a closing quote",
    "a comma or a closing brace",
    r"Write a double quote inside a text as \", as json.dumps does.",
)


def _inside_a_string(text: str, message: str, position: int, here: str) -> JsonError | None:
    if message.startswith("Unterminated string"):
        return NO_END.at(position, _snippet(text, position))
    if message.startswith("Invalid control character"):
        name = "a tab" if here.startswith("\t") else f"the control character {clean(here[:1])}"
        written = r"\t" if here.startswith("\t") else rf"\u{ord(here[:1] or ' '):04x}"
        return CONTROL_CHARACTER.at(position, name, written)
    if message.startswith(("Invalid \\escape", "Invalid \\u")):
        return WRONG_ESCAPE.at(position, _snippet(text, position))
    if message.startswith("Expecting ',' delimiter") and here[:1].isalnum():
        return INNER_QUOTE.at(position, _snippet(text, position))
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
