"""The answers of a file, collected by id: which ids the split knows, and which come twice.

Enters: records of lines. Leaves: answers by id, counts for the summary, and problems in the log. Plain Python: no
Django.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from scoring.generations.lines import Line
from scoring.generations.nearest_id import NearestId
from scoring.generations.problems import ProblemLog, clean, quote
from scoring.generations.records import Record
from scoring.generations.report import KnownQuestions, Limits


class AnswerCollector:
    """The answers of one file, as far as they were read.

    Attributes:
        answers: id to answer, in the file's order; ids of the current revision and retired ones.
        first_lines: id to the number of its first line.
        other_splits: how many lines have an id of each other split.
        n_ids: lines with an id, whatever it is.
        n_empty: empty answers to questions of the current revision.
    """

    def __init__(self, known: KnownQuestions | None, limits: Limits, log: ProblemLog) -> None:
        self.log = log
        self.known = known
        self.answers: dict[str, str] = {}
        self.first_lines: dict[str, int] = {}
        self.other_splits: Counter[str] = Counter()
        self.n_ids = 0
        self.n_empty = 0
        self._current = frozenset(known.current) if known else frozenset()
        self._retired: Mapping[str, str] = known.retired if known else {}
        self._elsewhere: Mapping[str, str] = known.other_splits if known else {}
        self._limits = limits

    @property
    def n_questions(self) -> int:
        """Questions of the split; without known questions the different ids of the file."""
        return len(self._current) if self.known else len(self.answers)

    @property
    def n_answered(self) -> int:
        """Questions of the split that have an answer, empty ones included."""
        return sum(self.status(question_id) == "current" for question_id in self.answers)

    @cached_property
    def _nearest(self) -> NearestId | None:
        """Finds the ids nearest to unknown ones; a file without any never needs it."""
        known = self.known
        return NearestId((*known.current, *known.retired), self._limits.max_comparisons) if known else None

    def status(self, question_id: str) -> Literal["current", "retired", "other", "unknown"]:
        """Whose id this is; without known questions every id is current."""
        if self.known is None or question_id in self._current:
            return "current"
        if question_id in self._retired:
            return "retired"
        return "other" if question_id in self._elsewhere else "unknown"

    def take(self, line: Line, record: Record) -> None:
        """Take the answer of a line, unless its id is unknown, another split's or there already."""
        question_id, answer = record
        self.n_ids += 1
        status = self.status(question_id)
        if status == "unknown":
            self._unknown(line, question_id)
            return
        if status == "other":
            split = self._elsewhere[question_id]
            self.other_splits[split] += 1
            self.log.add(
                "other-split-id",
                f"id {quote(question_id)} of the {clean(split)} split",
                line=line.number,
                field="id",
                question_id=question_id,
                fix=f"Remove the line, or choose the {clean(split)} split.",
            )
            return
        first_line = self.first_lines.setdefault(question_id, line.number)
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
        self.answers[question_id] = answer
        if status == "current" and not answer.strip():
            self.n_empty += 1
            self.log.add(
                "empty-answer",
                "white space only" if answer else "an empty string",
                line=line.number,
                field="answer",
                question_id=question_id,
            )

    def _again(self, line: Line, question_id: str, answer: str | None, first_line: int) -> None:
        same = answer is not None and self.answers.get(question_id) == answer
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
