"""The objects in a file of JSON Lines, or of a JSON list, with their lines.

Messages name the line and describe values; they never show one, because it may be a hidden answer.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import sys
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from scoring.benchmarks.base import described
from scoring.benchmarks.declared.files import MAX_BYTES
from scoring.benchmarks.declared.problems import MAX_MISTAKES, Mistake, decoded
from scoring.generations.json_errors import explain
from scoring.generations.lines import HEAD_BYTES, UTF16, UTF32, recognise
from scoring.generations.records import TOO_DEEP

_LIST_START: Final = re.compile(r"\s*\[\s*")
_BETWEEN: Final = re.compile(r"\s*([,\]]?)\s*")


def records(name: str, data: bytes, mistakes: list[Mistake]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with the lines on which they begin; what is wrong is added to ``mistakes``, until no more
    mistakes are listed."""
    text = _text(name, data, mistakes)
    listed = _LIST_START.match(text)
    values = _of_list(name, text, listed.end(), mistakes) if listed else _of_lines(name, text, mistakes)
    for line, record in values:
        if len(mistakes) > MAX_MISTAKES:
            return
        if isinstance(record, dict):
            yield line, record
        else:
            mistakes.append(Mistake(name, line, "", described(record), "an object with id, question and answer"))


def _text(name: str, data: bytes, mistakes: list[Mistake]) -> str:
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(data)) as stream:
                data = stream.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            mistakes.append(Mistake(name, 0, "", f"damaged gzip ({error})", "a file of gzip", "Compress it again."))
            return ""
        if len(data) > MAX_BYTES:
            fix = "Split the file, and list its parts."
            mistakes.append(Mistake(name, 0, "", "more than can be read", f"at most {MAX_BYTES:,} bytes", fix))
            return ""
    wide = recognise(data[:HEAD_BYTES])
    if wide in (UTF16, UTF32):
        mistakes.append(Mistake(name, 0, "", wide.found, wide.expected or "", wide.fix))
        return ""
    return decoded(name, data, mistakes) or ""


def _of_lines(name: str, text: str, mistakes: list[Mistake]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if len(mistakes) > MAX_MISTAKES:
            return
        if line.strip():
            try:
                yield number, _decoder.decode(line)
            except (ValueError, RecursionError) as error:
                mistakes.append(_not_json(name, number, line, error))


def _of_list(name: str, text: str, start: int, mistakes: list[Mistake]) -> Iterator[tuple[int, Any]]:
    line, counted, position = 1, 0, start
    after = ""
    while text[position : position + 1] not in ("", "]"):
        line, counted = line + text.count("\n", counted, position), position
        try:
            record, end = _decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            at = getattr(error, "pos", position)
            mistakes.append(_not_json(name, line + text.count("\n", position, at), text[position:], error, position))
            return
        yield line, record
        separator = _BETWEEN.match(text, end)
        assert separator is not None  # noqa: S101 - the pattern matches everywhere
        after, position = separator[1], separator.end()
        if not after:
            break
        if after == "]":
            position = separator.end(1) - 1
    # A file that is cut off would lose questions unnoticed. The position is that of the closing bracket, or of what is
    # there instead.
    rest = text[position:].strip()
    at = partial(Mistake, name, text.count("\n", 0, len(text[:position].rstrip())) + 1, "")
    if not rest:
        mistakes.append(at("the end of the file", "] at the end of the list", "Check that the file is complete."))
    elif rest[0] != "]":
        mistakes.append(at("other text after an object", "a comma, or ] at the end"))
    elif after == ",":
        mistakes.append(at("a comma before the closing bracket", "no comma there", "Remove the last comma."))
    elif rest != "]":
        further = position + 1 + len(text[position + 1 :]) - len(text[position + 1 :].lstrip())
        line, fix = text.count("\n", 0, further) + 1, "Put all objects into the list."
        mistakes.append(Mistake(name, line, "", "text after the closing bracket", "nothing there", fix))


class _UnusableError(ValueError):
    """JSON that Python reads although it has no single meaning, or does not read: found, expected, and what to do."""


def _reject(constant: str) -> None:
    raise _UnusableError(f"the number {constant}", "a number that JSON has")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _UnusableError("a number that is too large", "a number that can be stored")
    return number


def _whole(digits: str) -> int:
    length = len(digits.lstrip("-"))
    if length > sys.get_int_max_str_digits():
        raise _UnusableError(f"a number of {length:,} digits", "a shorter number", "Put it in quotation marks.")
    return int(digits)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise _UnusableError("an object with a key that occurs twice", "each key once")
    return record


_decoder: Final = json.JSONDecoder(
    parse_constant=_reject, parse_float=_finite, parse_int=_whole, object_pairs_hook=_once
)


def _not_json(name: str, line: int, text: str, error: Exception, start: int = 0) -> Mistake:
    """A message about text that is not JSON; without the text, which may be an answer."""
    if isinstance(error, json.JSONDecodeError):
        explained = explain(text, error.msg, error.pos - start)
        return Mistake(name, line, "", "a line that is not JSON", explained.expected, explained.fix)
    if isinstance(error, _UnusableError):
        return Mistake(name, line, "", *error.args)
    if isinstance(error, RecursionError):
        return Mistake(name, line, "", TOO_DEEP, "fewer levels", "Write it with fewer levels.")
    return Mistake(name, line, "", "a line that is not JSON", "valid JSON", "Write it with a JSON library.")
