"""The values of JSON Lines, of a JSON list or of JSON documents in a row, with their lines, and every mistake.

A file is read as it comes: of a list, one value at a time is in memory.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from scoring.files.mistakes import MAX_MISTAKES, Mistake
from scoring.generations.json_errors import explain
from scoring.generations.lines import split_lines
from scoring.generations.problems import size_in_words
from scoring.generations.records import TOO_DEEP

MAX_LINE_BYTES: Final = 2**26
"""Most bytes of a line, and of a value in a list."""
_SPACE: Final = re.compile(r"[ \t\n\r\f\v]*")
_NEAR_END: Final = 16
"""A mistake so near to the end of what has been read may be that end: all words and escapes are shorter."""


def values_of_lines(name: str, blocks: Iterator[bytes], mistakes: list[Mistake]) -> Iterator[tuple[int, Any]]:
    """The values of JSON Lines."""
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
                yield line.number, DECODER.decode(text)
            except (ValueError, RecursionError) as error:
                mistakes.append(_not_json(name, line.number, text, error))


class _Window:
    """The part of a text that is being read. What has been read is dropped."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._position = 0
        self._dropped = 0
        """The characters before the text, on its first line."""
        self._ended = False
        self.line = 1
        """The line of the position."""
        self.end = 1
        """The line of the last character that was no white space."""

    def _more(self) -> None:
        """Read at least as much again as is there, until the end of the text; drop what has been read.

        Raises:
            UnicodeDecodeError: It is not UTF-8; ``line`` is where.
        """
        self._dropped = self._column(self._position)
        texts = [self._text[self._position :]]
        self._position = 0
        wanted = len(texts[0]) + 1
        while wanted > 0 and not self._ended:
            block = next(self._blocks, b"")
            self._ended = not block
            try:
                texts.append(self._decoder.decode(block, self._ended))
            except UnicodeDecodeError as error:
                breaks = error.object[: error.start].count(b"\n")
                self.line += sum(text.count("\n") for text in texts) + breaks
                raise
            wanted -= len(texts[-1])
        self._text = "".join(texts)

    def _column(self, position: int) -> int:
        """The characters before a position on its line."""
        start = self._text.rfind("\n", 0, position) + 1
        return position - start + (0 if start else self._dropped)

    def _go_to(self, position: int) -> None:
        self.line += self._text.count("\n", self._position, position)
        self._position = position

    def peek(self) -> str:
        """The next character that is no white space, to which it goes; empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._position)
            self._go_to(space.end() if space else self._position)
            if self._position < len(self._text) or self._ended:
                return self._text[self._position : self._position + 1]
            self._more()

    def take(self) -> None:
        """Go past a character."""
        self.end = self.line
        self._position += 1

    def value(self) -> Any:
        """The JSON value at the position, past which it goes.

        Raises:
            ValueError: It is none; `mistake` says why.
            RecursionError: It has too many levels.
        """
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._position)
                if end < len(self._text) or self._ended:
                    self._go_to(end)
                    self.end = self.line
                    return value
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _NEAR_END
                if not is_cut or self._ended:
                    raise
            self._more()
            if len(self._text) > MAX_LINE_BYTES:
                most = size_in_words(MAX_LINE_BYTES)
                raise _UnusableError(f"a value of more than {most}", f"at most {most} per value", "Shorten it.")

    def mistake(self, name: str, error: Exception) -> Mistake:
        """Mistake in the value at the position."""
        at = error.pos if isinstance(error, json.JSONDecodeError) else self._position
        line = self.line + self._text.count("\n", self._position, at)
        rest = self._text[self._position :]
        return _not_json(name, line, rest, error, start=self._position, column=self._column(at) + 1)


def values_of_documents(name: str, blocks: Iterator[bytes], mistakes: list[Mistake]) -> Iterator[tuple[int, Any]]:
    """The values of JSON documents one after the other, each on any number of lines."""
    window = _Window(blocks)
    try:
        while window.peek() and len(mistakes) <= MAX_MISTAKES:
            line = window.line
            yield line, window.value()
    except (ValueError, RecursionError) as error:
        mistakes.append(window.mistake(name, error))


def values_of_list(name: str, blocks: Iterator[bytes], mistakes: list[Mistake]) -> Iterator[tuple[int, Any]]:
    """The values of a JSON list."""
    window = _Window(blocks)
    try:
        window.peek()
        after = "["
        while after in ("[", ","):
            window.take()
            if window.peek() in ("", "]"):
                break
            line = window.line
            yield line, window.value()
            after = window.peek()
        # A file that is cut off would lose questions unnoticed.
        found, at = window.peek(), partial(Mistake, name, window.end, "")
        if not found:
            mistakes.append(at("the end of the file", "] at the end of the list", "Check that the file is complete."))
        elif found != "]":
            mistakes.append(at("other text after an object", "a comma, or ] at the end"))
        elif after == ",":
            mistakes.append(at("a comma before the closing bracket", "no comma there", "Remove the last comma."))
        else:
            window.take()
            if window.peek():
                fix = "Put all objects into the list."
                found = "text after the closing bracket"
                mistakes.append(Mistake(name, window.line, "", found, "nothing there", fix))
    except (ValueError, RecursionError) as error:
        mistakes.append(window.mistake(name, error))


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


DECODER: Final = json.JSONDecoder(
    parse_constant=_reject, parse_float=_finite, parse_int=_whole, object_pairs_hook=_once
)


def _not_json(name: str, line: int, text: str, error: Exception, start: int = 0, column: int = 0) -> Mistake:
    """A message about text that is not JSON; without the text, which may be an answer."""
    if isinstance(error, json.JSONDecodeError):
        explained = explain(text, error.msg, error.pos - start)
        actual = f"text that is not JSON at column {column or error.colno}"
        return Mistake(name, line, "", actual, explained.expected, explained.fix)
    if isinstance(error, _UnusableError):
        return Mistake(name, line, "", *error.args)
    if isinstance(error, RecursionError):
        return Mistake(name, line, "", TOO_DEEP, "fewer levels", "Write it with fewer levels.")
    if isinstance(error, UnicodeDecodeError):
        return Mistake(name, line, "", "a byte that is not UTF-8", "text in UTF-8", "Save it as UTF-8.")
    return Mistake(name, line, "", "text that is not JSON", "valid JSON", "Write it with a JSON library.")
