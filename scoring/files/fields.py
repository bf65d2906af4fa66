"""Fields of published objects: the way to a value, through lists and objects, also where these are written as text."""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from scoring.files.json_values import DECODER
from scoring.files.mistakes import described

LONGEST_WRITTEN: Final = 2**20
"""The most characters of a list or object that is written as text in JSON; in Python at most `LONGEST_PYTHON`."""
LONGEST_PYTHON: Final = 10**5
_MOST_BITS: Final = 2**13
"""Most bits of a whole number that is read; about 2,500 digits, of those 4,300 that Python turns into text."""
_STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[(\d*)\]")
_PATH: Final = re.compile(r"(?:[^.\[\]]+|\[\d*\])(?:\.[^.\[\]]+|\[\d*\])*")
_PYTHON_TEXT: Final = r"""(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")"""
_WITHOUT_COMMA: Final = re.compile(rf"(?s)(?:{_PYTHON_TEXT}(?!\s*['\"])|[^'\"])*+{_PYTHON_TEXT}\s*['\"]")
"""Two texts side by side, which Python joins: the form in which NumPy writes an array as text."""


class FieldError(ValueError):
    """A value through which a path does not lead: found, expected, and what to do."""

    def __init__(self, found: str, expected: str, fix: str = "") -> None:
        super().__init__(found, expected, fix)
        self.found, self.expected, self.fix = found, expected, fix


@dataclass(frozen=True)
class FieldPath:
    """The way to a value in an object: names, ``[]`` for each element of a list, ``[0]`` for its first one.

    >>> FieldPath("answers[].text").value({"answers": [{"text": "Oslo"}, {}, {"text": "Bern"}]})
    ['Oslo', 'Bern']
    >>> FieldPath("metadata.topic").value({"metadata": "{'topic': 'Art'}"}), FieldPath("a[0]").value({"a": []})
    ('Art', None)
    >>> FieldPath("a.b").value({"a.b": 1})
    1
    """

    text: str

    @staticmethod
    def is_path(text: str) -> bool:
        """Whether a text can be a path."""
        return _PATH.fullmatch(text) is not None

    @cached_property
    def steps(self) -> tuple[str | int | None, ...]:
        """The names, and the positions in lists; None for each element."""
        return tuple(
            step[1] if step[1] is not None else int(step[2]) if step[2] else None for step in _STEP.finditer(self.text)
        )

    def value(self, record: Mapping[str, Any]) -> Any:
        """The value in an object; None if it has none. A field whose name is the whole path comes first.

        Raises:
            FieldError: The path leads through a value that is no list or object.
        """
        return record[self.text] if self.text in record else _value(record, self.steps)


def _value(value: Any, steps: tuple[str | int | None, ...]) -> Any:
    for position, step in enumerate(steps):
        if value is None:
            return None
        inner: Any = read_written(value) if isinstance(value, str) else value
        leads = isinstance(inner, dict) if isinstance(step, str) else isinstance(inner, list)
        if not leads:
            raise FieldError(described(value), f"{'an object' if isinstance(step, str) else 'a list'}, also as text")
        if isinstance(step, str):
            value = inner.get(step)
        elif step is not None:
            value = inner[step] if step < len(inner) else None
        else:
            rest = steps[position + 1 :]
            values = [found for item in inner if (found := _value(item, rest)) is not None]
            return [part for found in values for part in found] if None in rest else values
    return value


def read_written(text: str) -> Any:
    """A list or an object that is written as text, in JSON or as Python writes it; None if it is neither.

    >>> read_written('["a"]'), read_written("{'a': (1, None)}"), read_written("Oslo"), read_written("1")
    (['a'], {'a': [1, None]}, None, None)

    Raises:
        FieldError: It is a list in which commas are missing, or too long.
    """
    start = text.lstrip()[:1]
    if start not in ("[", "{", "("):
        return None
    if len(text) > LONGEST_WRITTEN:
        raise FieldError(f"a text of {len(text):,} characters", f"a list or object of at most {LONGEST_WRITTEN:,}")
    try:
        return DECODER.decode(text) if start != "(" else _python(text)
    except (ValueError, RecursionError):
        return _python(text)


def _python(text: str) -> Any:
    if len(text) > LONGEST_PYTHON:
        raise FieldError(f"a text of {len(text):,} characters", f"a list or object of at most {LONGEST_PYTHON:,}")
    if _WITHOUT_COMMA.match(text):
        fix = "It looks like an array of NumPy: write it with .tolist()."
        raise FieldError("a list written as text, without a comma between two texts", "commas between its texts", fix)
    try:
        with warnings.catch_warnings():  # odd escapes, which a message would quote
            warnings.simplefilter("ignore")
            return _plain(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _plain(value: Any) -> Any:
    """A Python literal as JSON has it.

    Raises:
        ValueError: JSON has no such value.
    """
    match value:
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case float() if not math.isfinite(value):
            raise ValueError(value)
        case int() if value.bit_length() > _MOST_BITS:  # such as a hexadecimal one; it could not be written
            raise ValueError("a long number")
        case None | str() | bool() | int() | float():
            return value
    raise ValueError(type(value).__name__)
