"""The objects in a file of JSON Lines, or of a JSON list, with their lines, and every mistake in the file.

The file may be compressed with gzip. Messages name the line and describe values; they never show one, because it may be
a hidden answer.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from scoring.files.mistakes import MAX_MISTAKES, Mistake, SourceError, decoded, described, refuse
from scoring.generations.json_errors import explain
from scoring.generations.lines import (
    HEAD_BYTES,
    BrokenGzipError,
    ByteSource,
    TooLargeError,
    recognise,
    split_lines,
    take_head,
    text_blocks,
)
from scoring.generations.problems import size_in_words
from scoring.generations.records import TOO_DEEP

MAX_BYTES: Final = 2**33
MAX_LINE_BYTES: Final = 2**26
NO_OBJECT: Final = "no object"
OBJECT: Final = "an object with id, question and answer"
_MEMBERS: Final = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
_LIST_START: Final = re.compile(r"\ufeff?\s*\[\s*")
_BETWEEN: Final = re.compile(r"\s*([,\]]?)\s*")


class Place(NamedTuple):
    """Where an object begins."""

    file: str
    line: int
    number: int = 0
    """Its number from 1, if another object is before it on its line; otherwise 0."""

    def mistake(self, field: str, found: str, expected: str, fix: str = "") -> Mistake:
        """A mistake in the object."""
        parts = [f"object {self.number:,}"] * bool(self.number) + [field] * bool(field)
        return Mistake(self.file, self.line, ", ".join(parts), found, expected, fix)


def in_words(path: Iterable[str | int], first: int = 0) -> str:
    """The way to a value as a message names it.

    >>> in_words(("questions", 1, "name")), in_words(("questions", 1, "name"), first=1)
    ('questions[1].name', 'questions[2].name')
    """
    return "".join(f"[{step + first}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def fingerprint(path: Path) -> str:
    """The first 8 hexadecimal digits of the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:8]


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file, or the only file of its kind in it if it is a zip archive.

    Raises:
        SourceError: It cannot be read, or the archive has no such file or several.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"PK"
            file.seek(0)
            if not packed:
                yield file
                return
            with zipfile.ZipFile(file) as archive:
                names = [name for name in archive.namelist() if name.endswith(_MEMBERS) and "__MACOSX/" not in name]
                if len(names) != 1:
                    actual = f"{len(names)} of them: {', '.join(names)}" if names else "none"
                    expected = "one file of JSON Lines in the archive"
                    refuse([Mistake(path.name, 0, "", actual, expected, "Unpack it.")])
                with archive.open(names[0]) as member:
                    yield cast("BinaryIO", member)
    except OSError as error:
        raise SourceError([f"{path.name}: cannot be read: {error.strerror or error}."]) from error
    except (zipfile.BadZipFile, RuntimeError) as error:
        raise SourceError([f"{path.name}: cannot be unpacked: {error}."]) from error


def objects_in(
    name: str, stream: BinaryIO, mistakes: list[Mistake], *, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a file with their places; what is wrong is added to ``mistakes``, until no more mistakes are
    listed."""
    at_file = partial(Mistake, name, 0, "")
    try:
        head, blocks = take_head(text_blocks(ByteSource(stream, max_bytes), max_bytes), HEAD_BYTES)
        recognised = recognise(head[:HEAD_BYTES])
        if recognised:
            mistakes.append(at_file(recognised.found, recognised.expected or "text in JSON Lines", recognised.fix))
            return
        is_list = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
        records = _of_list(name, b"".join(blocks), mistakes) if is_list else _of_lines(name, blocks, mistakes)
        before = 0
        for number, (line, record) in enumerate(records, start=1):
            place = Place(name, line, number if line == before else 0)
            before = line
            if len(mistakes) > MAX_MISTAKES:
                return
            if isinstance(record, dict):
                yield place, record
            else:
                mistakes.append(place.mistake("", described(record), OBJECT))
    except (BrokenGzipError, zlib.error, EOFError) as error:
        mistakes.append(at_file(f"a damaged file that cannot be unpacked ({error})", "a whole file", "Pack it again."))
    except TooLargeError:
        fix = "Split the file, and list its parts."
        mistakes.append(at_file("more than can be read", f"at most {size_in_words(max_bytes)} of text", fix))


def _of_lines(name: str, blocks: Iterator[bytes], mistakes: list[Mistake]) -> Iterator[tuple[int, Any]]:
    for line in split_lines(blocks, MAX_LINE_BYTES):
        if len(mistakes) > MAX_MISTAKES:
            return
        if line.content is None:
            most = f"at most {size_in_words(MAX_LINE_BYTES)} per line"
            mistakes.append(Mistake(name, line.number, "", size_in_words(line.length), most, "Shorten it."))
        elif line.content.strip():
            text = ""
            try:
                text = line.content.decode()
                yield line.number, _decoder.decode(text)
            except (ValueError, RecursionError) as error:
                mistakes.append(_not_json(name, line.number, text, error))


def _of_list(name: str, data: bytes, mistakes: list[Mistake]) -> Iterator[tuple[int, Any]]:
    text = decoded(name, data, mistakes)
    start = _LIST_START.match(text or "")
    if text is None or start is None:
        return
    line, counted, position = 1, 0, start.end()
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
        actual = f"text that is not JSON at column {error.colno}"
        return Mistake(name, line, "", actual, explained.expected, explained.fix)
    if isinstance(error, _UnusableError):
        return Mistake(name, line, "", *error.args)
    if isinstance(error, RecursionError):
        return Mistake(name, line, "", TOO_DEEP, "fewer levels", "Write it with fewer levels.")
    if isinstance(error, UnicodeDecodeError):
        return Mistake(name, line, "", "a byte that is not UTF-8", "text in UTF-8", "Save it as UTF-8.")
    return Mistake(name, line, "", "text that is not JSON", "valid JSON", "Write it with a JSON library.")
