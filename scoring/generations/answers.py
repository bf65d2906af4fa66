"""The answers of a file, collected by id: which ids the split knows, which come twice, and which are missing.

Enters: records of lines. Leaves: answers by id, the ids without one, and problems in the log. Plain Python: no
Django.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, Literal

from scoring.generations.lines import Line
from scoring.generations.nearest_id import NearestId
from scoring.generations.problems import ProblemLog, clean, quote
from scoring.generations.records import Record
from scoring.generations.report import KnownQuestions, Limits

ALMOST_ALL: Final = 0.9
"""From this share of ids of other splits on, the whole file is taken for one of another split."""


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


def summarise(collected: AnswerCollector, *, max_shown: int) -> tuple[str, ...]:
    """Log what a file lacks that was readable to its end; returns the ids of the split that are on none of its lines.

    At most `max_shown` of them are logged one by one, the others are counted. None is missing from a file of another
    split.
    """
    wrong_split = _check_split(collected)
    missing: tuple[str, ...] = ()
    if collected.known and not wrong_split:
        missing = tuple(one for one in collected.known.current if one not in collected.first_lines)
    n_answered = collected.n_answered
    if not collected.log.has_errors and n_answered == collected.n_empty:
        _no_answers(collected.log, n_answered)
    elif collected.n_ids and not wrong_split:
        _report_missing(collected.log, missing, max_shown)
    return missing


def _check_split(collected: AnswerCollector) -> bool:
    n_other = collected.other_splits.total()
    if not n_other or n_other < ALMOST_ALL * collected.n_ids:
        return False
    split = clean(collected.other_splits.most_common(1)[0][0])
    collected.log.forget("other-split-id")
    collected.log.add(
        "wrong-split",
        f"{n_other:,} of {collected.n_ids:,} ids that belong to the {split} split",
        fix=f"Choose the {split} split, or the file made for this split.",
    )
    return True


def _no_answers(log: ProblemLog, n_answered: int) -> None:
    log.forget("empty-answer")
    log.add("no-answers", "only empty answers" if n_answered else "no answer to a question of this split")


def _report_missing(log: ProblemLog, missing: Sequence[str], max_shown: int) -> None:
    found, fix = "no line with this id", None
    if log.has_errors:
        found = "no readable line with this id"
        fix = "Mend the lines with errors first; add a line with an answer if the question is still without one."
    for question_id in missing:
        if not log.wants("missing-answer"):
            log.count("missing-answer", len(missing) - max_shown)
            break
        log.add("missing-answer", found, question_id=question_id, fix=fix)
