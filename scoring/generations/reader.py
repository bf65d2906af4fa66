"""Reading a file of generations: answers, or every problem with its place and its remedy.

The format is JSON Lines: UTF-8 text (also compressed with gzip), one object with ``id`` and ``answer`` a line; the
description for submitters is docs/submission-format.md. The same reader serves the upload form, the API and
``python -m scoring``. Plain Python: no Django.

>>> import io
>>> known = KnownQuestions(current=["a1", "b2"])
>>> report = read_generations(io.BytesIO(b'{"id": "a1", "answer": "Paris"}'), known)
>>> report.ok, report.answers, report.missing
(True, {'a1': 'Paris'}, ('b2',))
>>> report.warnings[0].title
'1 of 2 questions has no answer and will score 0'
>>> report = read_generations(io.BytesIO(b"{'id': 'a1', 'answer': 'Paris'}"), known)
>>> print(report.errors[0].problems[0].message)
Line 1, column 2: found a single quote at “'id': 'a1', 'answer': 'P…”, expected valid JSON; put keys and \
texts in double quotes: write the line with json.dumps, not with str or print.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO, Final

from scoring.generations.json_errors import explain, find_constant, find_long_number, name_type
from scoring.generations.lines import (
    HEAD_BYTES,
    BrokenGzipError,
    ByteSource,
    Counted,
    Line,
    TooLargeError,
    recognise,
    split_lines,
    take_head,
    text_blocks,
)
from scoring.generations.nearest_id import NearestId
from scoring.generations.problems import KINDS, Problem, ProblemGroup, ProblemLog, Severity, clean, quote, size_in_words
from scoring.generations.report import GenerationsReport, KnownQuestions, Limits

__all__ = [
    "KINDS",
    "GenerationsReport",
    "KnownQuestions",
    "Limits",
    "Problem",
    "ProblemGroup",
    "Severity",
    "read_generations",
]

ALMOST_ALL: Final = 0.9
"""From this share of ids of other splits on, the whole file is taken for one of another split."""

SHOWN_KEY: Final = 30

_COMPLEX_FROM_BYTES: Final = 2**18
_MAX_STRUCTURE_BYTES: Final = 10**5
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)

_ID_NAMES: Final = ("question_id", "questionid", "qid", "question-id", "_id", "uid")
_ANSWER_NAMES: Final = (
    "generation", "response", "output", "prediction", "answers", "text", "completion", "model_answer", "result",
)  # fmt: skip


def read_generations(stream: BinaryIO, known: KnownQuestions | None, limits: Limits | None = None) -> GenerationsReport:
    """Read a file of generations once, from where the stream stands, and report everything there is to say about it.

    Reads at most ``limits.max_bytes + 1`` bytes. Memory is bounded by the limits and the answers that are kept,
    whatever is sent. With `known` None any id is taken, as when only the format is of interest.

    Raises:
        OSError: and whatever else the stream itself raises; never anything because of the content.
    """
    limits = limits or Limits()
    reader = _Reader(known, limits)
    source = ByteSource(stream, limits.max_bytes)
    readable = True
    try:
        try:
            readable = reader.read(source)
        except BrokenGzipError as error:
            readable = False
            reader.log.forget()
            reader.log.add("broken-gzip", str(error))
        source.read_to_end()
    except TooLargeError as error:
        readable = False
        size = size_in_words(limits.max_bytes)
        out_of = f" after decompression, out of {size_in_words(source.size)}" if error.decompressed else ""
        reader.log.add(
            "too-large",
            f"more than {size}{out_of}",
            expected=f"at most {size}" + (" after decompression" if error.decompressed else ""),
        )
    return reader.report(source, readable=readable)


class _DuplicateKeyError(Exception):
    pass


class _ConstantError(Exception):
    pass


class _Object(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that a key written twice is seen."""

    __slots__ = ()


def _refuse_constant(name: str) -> None:
    raise _ConstantError(name)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_refuse_constant)


class _Reader:
    """One reading of one file: from lines to answers, with a log of problems."""

    def __init__(self, known: KnownQuestions | None, limits: Limits) -> None:
        self.log = ProblemLog(limits.max_shown_per_group)
        self._known = known
        self._retired: Mapping[str, str] = known.retired if known else {}
        self._elsewhere: Mapping[str, str] = known.other_splits if known else {}
        self._limits = limits
        self._current = frozenset(known.current) if known else frozenset()
        self._nearest = NearestId((*known.current, *known.retired), limits.max_comparisons) if known else None
        self._answers: dict[str, str] = {}
        self._first_lines: dict[str, int] = {}
        self._extra_keys: dict[str, tuple[int, int]] = {}
        self._other_splits: Counter[str] = Counter()
        self._text = Counted(())
        self._n_lines = 0
        self._n_ids = 0
        self._n_empty = 0

    def read(self, source: ByteSource) -> bool:
        """Go through the lines; False if the file as a whole is not in the format. Raises as the bytestream does."""
        self._text = Counted(text_blocks(source, self._limits.max_bytes))
        head, blocks = take_head(self._text, HEAD_BYTES)
        recognised = recognise(head[:HEAD_BYTES])
        if recognised:
            self.log.add("wrong-format", recognised.found, expected=recognised.expected, fix=recognised.fix)
            return False
        for line in split_lines(blocks, self._limits.max_line_bytes):
            if line.number > self._limits.max_lines:
                self.log.add("too-many-lines", f"more than {self._limits.max_lines:,} lines")
                return False
            if not line.head.strip() and (line.content is None or not line.content.strip()):
                continue
            self._n_lines += 1
            if self._n_lines == 1 and self._is_one_value(line):
                return False
            self._read_line(line)
        if self._n_lines == 0:
            self.log.add("empty-file", "no line with content" if source.size else "no bytes at all")
            return False
        return True

    # --- the file as a whole ---------------------------------------------------------------------------------------

    def _is_one_value(self, line: Line) -> bool:
        """Whether the first line shows that the file is one array, or one object that maps ids to answers."""
        if line.head.lstrip().startswith(b"["):
            value = _value_of(line)
            if type(value) is list and value and not any(type(item) is _Object for item in value):
                return False  # a line like ["id", "answer"]: wrong, but line by line
            self.log.add(
                "wrong-format",
                "a JSON array",
                line=line.number,
                column=1,
                fix="Write each object of the array on a line of its own, without the brackets and the commas between "
                "(jq -c '.[]' FILE does it).",
            )
            return True
        if line.head.lstrip().startswith(b"{") and self._known:
            value = _value_of(line)
            keys = [key for key, _ in value] if type(value) is _Object else []
            if "id" not in keys and any(self._status(key) != "unknown" for key in keys):
                self.log.add(
                    "wrong-format",
                    "one object that maps ids to answers",
                    line=line.number,
                    column=1,
                    fix='Write each entry as {"id": "…", "answer": "…"} on a line of its own.',
                )
                return True
        return False

    # --- one line --------------------------------------------------------------------------------------------------

    def _read_line(self, line: Line) -> None:
        if line.content is None:
            self.log.add(
                "line-too-long",
                f"{size_in_words(line.length)} in one line",
                line=line.number,
                expected=f"at most {size_in_words(self._limits.max_line_bytes)} a line",
            )
            return
        try:
            text = line.content.decode()
        except UnicodeDecodeError as error:
            self._not_utf8(line, line.content, error.start)
            return
        if _is_too_complex(line.content):
            self.log.add("too-complex", "a very large number of values in one line", line=line.number)
            return
        try:
            value = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            self._broken(line, text, error.msg, error.pos)
        except _ConstantError as error:
            self._broken(line, text, str(error), find_constant(text, str(error)))
        except RecursionError:
            self.log.add("too-complex", "lists or objects nested very deeply", line=line.number)
        except ValueError:  # the number of digits that Python converts is limited
            at, n_digits = find_long_number(text)
            self.log.add("number-too-long", f"a number of {n_digits:,} digits", line=line.number, column=at + 1)
        else:
            if type(value) is _Object:
                self._read_object(line, value)
            else:
                self.log.add("not-an-object", name_type(value), line=line.number)

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

    def _read_object(self, line: Line, pairs: _Object) -> None:
        values = dict(pairs)
        question_id = self._read_id(line, values)
        answer = self._read_answer(line, values, question_id)
        for key in ("id", "answer") if len(values) != len(pairs) else ():
            if sum(name == key for name, _ in pairs) > 1:
                self.log.add("duplicate-key", f"the key {quote(key)} twice", line=line.number, field=key)
                if key == "id":
                    question_id = None
                answer = None
        if "id" in values and "answer" in values:
            for key in values:
                if key not in ("id", "answer"):
                    self._ignore_key(line, key)
        if question_id is not None:
            self._take(line, question_id, answer)

    def _missing_key(self, line: Line, key: str, values: Mapping[str, Any], question_id: str | None) -> None:
        if not self.log.wants("missing-key"):
            self.log.count("missing-key")
            return
        others = [name for name in values if name not in ("id", "answer")]
        aliases = (key, *(_ID_NAMES if key == "id" else _ANSWER_NAMES))
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
            fix=f'Rename the key {quote(similar, 30)} to "{key}".' if similar else f'Add the key "{key}" and its text.',
        )

    def _read_id(self, line: Line, values: Mapping[str, Any]) -> str | None:
        if "id" not in values:
            self._missing_key(line, "id", values, None)
            return None
        question_id = values["id"]
        if type(question_id) is not str:
            self.log.add(
                "id-not-a-string",
                name_type(question_id),
                line=line.number,
                field="id",
                fix=f'Write it in double quotes: "id": "{question_id}".'
                if type(question_id) is int and abs(question_id) < 10**40
                else None,
            )
            return None
        if self._cannot_be_stored(line, "id", question_id):
            return None
        return question_id

    def _read_answer(self, line: Line, values: Mapping[str, Any], question_id: str | None) -> str | None:
        if "answer" not in values:
            self._missing_key(line, "answer", values, question_id)
            return None
        answer = values["answer"]
        if type(answer) is not str:
            self.log.add(
                "answer-not-a-string",
                name_type(answer),
                line=line.number,
                field="answer",
                question_id=question_id,
                fix=_ANSWER_FIXES.get(type(answer)),
            )
            return None
        if self._cannot_be_stored(line, "answer", answer, question_id):
            return None
        return answer

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

    # --- ids -------------------------------------------------------------------------------------------------------

    def _status(self, question_id: str) -> str:
        """ "current", "retired", "other" or "unknown"; without known questions every id is current."""
        if self._known is None or question_id in self._current:
            return "current"
        if question_id in self._retired:
            return "retired"
        return "other" if question_id in self._elsewhere else "unknown"

    def _take(self, line: Line, question_id: str, answer: str | None) -> None:
        self._n_ids += 1
        status = self._status(question_id)
        if status == "unknown":
            self._unknown(line, question_id)
            return
        if status == "other":
            split = self._elsewhere[question_id]
            self._other_splits[split] += 1
            self.log.add(
                "other-split-id",
                f"id {quote(question_id)} of the {clean(split)} split",
                line=line.number,
                field="id",
                question_id=question_id,
                fix=f"Remove the line, or choose the {clean(split)} split.",
            )
            return
        first_line = self._first_lines.setdefault(question_id, line.number)
        if first_line != line.number:
            self._again(line, question_id, answer, first_line)
            return
        if status == "retired":
            self.log.add(
                "retired-id",
                f"id {quote(question_id)}, {clean(self._retired[question_id], 200)}",
                line=line.number,
                field="id",
                question_id=question_id,
            )
        if answer is None:
            return
        self._answers[question_id] = answer
        if status == "current" and not answer.strip():
            self._n_empty += 1
            self.log.add(
                "empty-answer",
                "white space only" if answer else "an empty string",
                line=line.number,
                field="answer",
                question_id=question_id,
            )

    def _again(self, line: Line, question_id: str, answer: str | None, first_line: int) -> None:
        same = answer is not None and self._answers.get(question_id) == answer
        code = "repeated-answer" if same else "duplicate-id"
        if not self.log.wants(code):
            self.log.count(code)
            return
        self.log.add(
            code,
            f"id {quote(question_id)} again after line {first_line:,}, with {'the same' if same else 'another'} answer",
            line=line.number,
            field="id",
            question_id=question_id,
            fix=None if same else f"Remove line {first_line:,} or line {line.number:,}.",
        )

    def _unknown(self, line: Line, question_id: str) -> None:
        if not self.log.wants("unknown-id"):
            self.log.count("unknown-id")
            return
        nearest = self._nearest.find(question_id) if self._nearest else None
        self.log.add(
            "unknown-id",
            f"id {quote(question_id)}" if question_id else "an empty id",
            line=line.number,
            field="id",
            question_id=question_id,
            fix=f"Copy the id from the question file; the nearest id there is {quote(nearest)}." if nearest else None,
        )

    # --- at the end ------------------------------------------------------------------------------------------------

    def report(self, source: ByteSource, *, readable: bool) -> GenerationsReport:
        """The report; only a file that was `readable` to its end is told what it lacks."""
        n_questions = len(self._current) if self._known else len(self._answers)
        n_answered = sum(question_id in self._current for question_id in self._answers) if self._known else n_questions
        missing: tuple[str, ...] = ()
        for key, (first_line, times) in self._extra_keys.items():
            self._describe_extra_key(key, first_line, times)
        if readable:
            wrong_split = self._check_split()
            if self._known and not wrong_split:
                missing = tuple(one for one in self._known.current if one not in self._first_lines)
            if not self.log.has_errors and n_answered == self._n_empty:
                self._no_answers(n_answered)
            elif self._n_ids and not wrong_split:
                self._report_missing(missing)
        return GenerationsReport(
            answers=self._answers,
            n_lines=self._n_lines,
            n_questions=n_questions,
            n_answered=n_answered,
            missing=missing,
            size=source.size,
            sha256=source.sha256,
            groups=self.log.groups(n_questions),
            text_size=self._text.size,
            packed=source.packed,
        )

    def _describe_extra_key(self, key: str, first_line: int, times: int) -> None:
        self.log.add(
            "extra-key",
            f"the key {quote(key, SHOWN_KEY)}" + ("" if times == 1 else f" {times:,} times, first on this line"),
            line=first_line,
            field=clean(key, SHOWN_KEY),
            times=times,
        )

    def _check_split(self) -> bool:
        n_other = self._other_splits.total()
        if not n_other or n_other < ALMOST_ALL * self._n_ids:
            return False
        split = clean(self._other_splits.most_common(1)[0][0])
        self.log.forget("other-split-id")
        self.log.add(
            "wrong-split",
            f"{n_other:,} of {self._n_ids:,} ids that belong to the {split} split",
            fix=f"Choose the {split} split, or the file made for this split.",
        )
        return True

    def _no_answers(self, n_answered: int) -> None:
        self.log.forget("empty-answer")
        self.log.add("no-answers", "only empty answers" if n_answered else "no answer to a question of this split")

    def _report_missing(self, missing: Sequence[str]) -> None:
        found, fix = "no line with this id", None
        if self.log.has_errors:
            found = "no readable line with this id"
            fix = "Mend the lines with errors first; add a line with an answer if the question is still without one."
        for question_id in missing:
            if not self.log.wants("missing-answer"):
                self.log.count("missing-answer", len(missing) - self._limits.max_shown_per_group)
                break
            self.log.add("missing-answer", found, question_id=question_id, fix=fix)


_ANSWER_FIXES: Final[Mapping[type, str]] = {
    type(None): 'Write "" for no answer, or leave the line out.',
    int: 'Write the number in double quotes: "answer": "42".',
    float: 'Write the number in double quotes: "answer": "4.2".',
    bool: 'Write "yes" or "no" in double quotes.',
    list: "Join the items into one text, for example one item a line (\\n).",
    _Object: "Write the object as one text, for example one “key: value” pair a line (\\n).",
}


def _is_too_complex(content: bytes) -> bool:
    """Whether a long line is mostly brackets, commas and numbers, which take far more memory parsed than as text."""
    return len(content) > _COMPLEX_FROM_BYTES and len(_STRING.sub(b"", content)) > _MAX_STRUCTURE_BYTES


def _value_of(line: Line) -> object:
    """The line's JSON value; None if it has none."""
    if line.content is None or _is_too_complex(line.content):
        return None
    try:
        return _DECODER.decode(line.content.decode())
    except (ValueError, RecursionError, _ConstantError):
        return None
