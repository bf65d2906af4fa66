"""Read one line of a file of generations: from its bytes to an id and an answer, or to its problems.

Enters: lines, from `scoring.generations.lines`. Leaves: records, and problems in the log. This module does not know
which ids belong to the split. Plain Python: no Django.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from scoring.generations.formats import AnswerFormat, JsonObject, is_too_complex
from scoring.generations.json_errors import explain, find_constant, find_long_number, name_type
from scoring.generations.lines import Line
from scoring.generations.problems import ProblemLog, clean, quote, size_in_words
from scoring.generations.report import Limits

SHOWN_KEY: Final = 30

_ID_NAMES: Final = ("question_id", "questionid", "qid", "question-id", "_id", "uid")


class Record(NamedTuple):
    """The content of a line: an id, and the text of its answer if the answer is usable."""

    question_id: str
    answer: str | None


class _ConstantError(Exception):
    pass


def _refuse_constant(name: str) -> None:
    raise _ConstantError(name)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=JsonObject, parse_constant=_refuse_constant)


class ObjectReader:
    """Reads the JSON objects of one file, line by line, and adds the problems of each line to the log."""

    def __init__(self, log: ProblemLog, limits: Limits) -> None:
        self.log = log
        self._limits = limits

    def read_object(self, line: Line) -> JsonObject | None:
        """The object of a line; None, with its problem in the log, if the line is no JSON object."""
        if line.content is None:
            self.log.add(
                "line-too-long",
                f"{size_in_words(line.length)} in one line",
                line=line.number,
                expected=f"at most {size_in_words(self._limits.max_line_bytes)} per line",
            )
            return None
        try:
            text = line.content.decode()
        except UnicodeDecodeError as error:
            self._not_utf8(line, line.content, error.start)
            return None
        if is_too_complex(line.content):
            self.log.add("too-complex", "a very large number of values in one line", line=line.number)
            return None
        try:
            value = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            self._broken(line, text, error.msg, error.pos)
        except _ConstantError as error:
            self._broken(line, text, str(error), find_constant(text, str(error)))
        except RecursionError:
            self.log.add("too-complex", "lists or objects nested very deeply", line=line.number)
        except ValueError:  # Python limits the number of digits that it converts
            at, n_digits = find_long_number(text)
            self.log.add("number-too-long", f"a number of {n_digits:,} digits", line=line.number, column=at + 1)
        else:
            if type(value) is JsonObject:
                return value
            self.log.add("not-an-object", name_type(value), line=line.number)
        return None

    def _not_utf8(self, line: Line, content: bytes, at: int) -> None:
        if not self.log.wants("not-utf8"):
            self.log.count("not-utf8")
            return
        self.log.add(
            "not-utf8",
            f"byte 0x{content[at]:02X} at offset {line.offset + at:,} of the text",
            line=line.number,
            column=len(content[:at].decode()) + 1,
        )

    def _broken(self, line: Line, text: str, message: str, position: int) -> None:
        if not self.log.wants("broken-json"):
            self.log.count("broken-json")
            return
        mistake = explain(text, message, position)
        self.log.add(
            "broken-json",
            mistake.found,
            line=line.number,
            column=mistake.position + 1,
            expected=mistake.expected,
            fix=mistake.fix,
        )


class RecordReader(ObjectReader):
    """Reads the answers of one file, line by line, and adds the problems of each line to the log."""

    def __init__(self, log: ProblemLog, limits: Limits, answer_format: AnswerFormat) -> None:
        super().__init__(log, limits)
        self._format = answer_format
        self._extra_keys: dict[str, tuple[int, int]] = {}

    def read(self, line: Line) -> Record | None:
        """The record of a line; None, with its problem in the log, if the line has no usable record."""
        pairs = self.read_object(line)
        if pairs is None:
            return None
        values = dict(pairs)
        id_key = next((key for key in self._format.id_keys if key in values), "id")
        keys = (id_key, self._format.answer_key)
        question_id = self._read_id(line, values, id_key)
        answer = self._read_answer(line, values, question_id)
        for key in keys if len(values) != len(pairs) else ():
            if sum(name == key for name, _ in pairs) > 1:
                self.log.add("duplicate-key", f"the key {quote(key)} twice", line=line.number, field=key)
                if key == id_key:
                    question_id = None
                answer = None
        if all(key in values for key in keys):
            for key in values:
                if key not in keys:
                    self._ignore_key(line, key)
        return None if question_id is None else Record(question_id, answer)

    def _missing_key(self, line: Line, key: str, values: Mapping[str, Any], question_id: str | None) -> None:
        if not self.log.wants("missing-key"):
            self.log.count("missing-key")
            return
        others = [name for name in values if name not in ("id", self._format.answer_key)]
        aliases = (key, *(_ID_NAMES if key == "id" else self._format.similar_keys))
        similar = next((name for name in others if name.strip().casefold() in aliases), None)
        names = ", ".join(quote(name, 30) for name in islice(values, 5))
        if not values:
            found = "an empty object"
        elif len(values) == 1:
            found = f"only the key {names}"
        else:
            found = f"the keys {names}" + (" and others" if len(values) > 5 else "")
        self.log.add(
            "missing-key",
            found,
            line=line.number,
            field=key,
            question_id=question_id,
            expected=f'the key "{key}"',
            fix=f'Rename the key {quote(similar, 30)} to "{key}".'
            if similar
            else f'Add the key "{key}" and its {"text" if key == "id" else self._format.holds}.',
        )

    def _read_id(self, line: Line, values: Mapping[str, Any], key: str) -> str | None:
        if key not in values:
            self._missing_key(line, key, values, None)
            return None
        question_id = values[key]
        if type(question_id) is not str:
            self.log.add(
                "id-not-a-string",
                name_type(question_id),
                line=line.number,
                field=key,
                fix=f'Write it in double quotes: "{key}": "{question_id}".'
                if type(question_id) is int and abs(question_id) < 10**40
                else None,
            )
            return None
        if self._cannot_be_stored(line, key, question_id):
            return None
        return question_id

    def _read_answer(self, line: Line, values: Mapping[str, Any], question_id: str | None) -> str | None:
        key = self._format.answer_key
        if key not in values:
            self._missing_key(line, key, values, question_id)
            return None
        answer = self._format.read(values[key])
        for mistake in answer.mistakes:
            self.log.add(
                mistake.code, mistake.found, line=line.number, field=key, question_id=question_id, fix=mistake.fix
            )
        unstorable = [self._cannot_be_stored(line, key, text, question_id) for text in answer.texts]
        return None if answer.mistakes or any(unstorable) else answer.stored

    def _cannot_be_stored(self, line: Line, name: str, text: str, question_id: str | None = None) -> bool:
        r"""NUL and lone surrogates: JSON can write them (``\u0000``, ``\ud800``), PostgreSQL and UTF-8 cannot."""
        if line.content is None or b"\\u" not in line.content:
            return False
        at = text.find("\0")
        what, fix = "a NUL character", r"Remove \u0000 from the text."
        if at < 0:
            try:
                text.encode()
            except UnicodeEncodeError as error:
                at = error.start
                what = "half of a surrogate pair"
                fix = r"Write the character as UTF-8 text or as both halves of its pair (json.dumps does)."
        if at < 0:
            return False
        self.log.add(
            "unstorable-character",
            rf"{what} (\u{ord(text[at]):04x}) as character {at + 1:,} of the {name}",
            line=line.number,
            field=name,
            question_id=question_id,
            fix=fix,
        )
        return True

    def _ignore_key(self, line: Line, key: str) -> None:
        name = key[: SHOWN_KEY + 1]
        first_line, times = self._extra_keys.get(name, (line.number, 0))
        if times or len(self._extra_keys) < self._limits.max_shown_per_group:
            self._extra_keys[name] = first_line, times + 1
        else:
            self.log.count("extra-key")

    def report_extra_keys(self) -> None:
        """Log the keys that were ignored: each once, with its number of occurrences."""
        for key, (first_line, times) in self._extra_keys.items():
            self._describe_extra_key(key, first_line, times)

    def _describe_extra_key(self, key: str, first_line: int, times: int) -> None:
        self.log.add(
            "extra-key",
            f"the key {quote(key, SHOWN_KEY)}" + ("" if times == 1 else f" {times:,} times, first on this line"),
            line=first_line,
            field=clean(key, SHOWN_KEY),
            times=times,
        )


def value_of(line: Line) -> object:
    """The line's JSON value; None if it has none."""
    if line.content is None or is_too_complex(line.content):
        return None
    try:
        return _DECODER.decode(line.content.decode())
    except (ValueError, RecursionError, _ConstantError):
        return None
