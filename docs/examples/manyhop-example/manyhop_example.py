"""Two metrics, a task type and an importer for Manyhop.

``first-answer`` is a further metric of answer lists. ``number`` is a task type whose answers and references are
numbers, and ``closeness`` its metric. ``numbers-csv`` reads questions from a table.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from scoring.benchmarks.base import NO_ANSWER, Importer, SourceError, SourceFile, SourceQuestion
from scoring.generations.records import TEXT_ANSWERS, AnswerFormat, Mistake, ReadAnswer
from scoring.metrics.answer_lists import gold_lists, mean_vector, predictions_of
from scoring.metrics.base import (
    AnswerBudget,
    Metric,
    Progress,
    ReferenceAnswer,
    ReferenceProblem,
    ScoredVector,
    UnusableReference,
    check_lengths,
)
from scoring.metrics.list_judge import number_similarity
from scoring.task_types import TextAnswer

MOST: Final = 1e300


class FirstAnswer(Metric):
    """Whether the first answer of a list is a gold answer, as written there except for case.

    Shares from 0 to 1; higher is better. No answer scores 0.
    """

    name: ClassVar[str] = "first-answer"
    label: ClassVar[str] = "First answer"
    version: ClassVar[str] = "0.6.0"
    task_types: ClassVar[tuple[str, ...]] = ("answer-list", "judged-list")
    score_names: ClassVar[tuple[str, ...]] = ("first-answer",)

    def signature_parts(self) -> tuple[str, ...]:
        """Nothing but the package's version, which Manyhop adds."""
        return ()

    def prepare(self, references: Sequence[ReferenceAnswer]) -> list[set[str]]:
        """The names of each question's gold answers."""
        return [
            {name.casefold() for one in gold for name in (one.text, *one.aliases)} for gold in gold_lists(references)
        ]

    def score(
        self,
        prepared: list[set[str]],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """One value for each question: 1 or 0."""
        del progress, budget  # for metrics that take long
        check_lengths(len(prepared), len(generations))
        first = [next(iter(predictions_of(one)), None) for one in generations]
        right = [one is not None and one.casefold() in names for one, names in zip(first, prepared, strict=True)]
        return {"first-answer": mean_vector([float(one) for one in right])}


class Closeness(Metric):
    """How close a number is to the reference: 1 − |g − p| / max(|g|, |p|), and whether that is at least a bound.

    From 0 to 1; higher is better. No answer scores 0.
    """

    name: ClassVar[str] = "closeness"
    label: ClassVar[str] = "Closeness"
    version: ClassVar[str] = "0.6.0"
    task_types: ClassVar[tuple[str, ...]] = ("number",)
    score_names: ClassVar[tuple[str, ...]] = ("closeness.similarity", "closeness.close")

    def __init__(self, *, bound: float = 0.95) -> None:
        """Keyword-only arguments are parameters: a benchmark sets them as ``[metrics.closeness.parameters]``."""
        if not 0 < bound <= 1:
            raise ValueError(f"bound is more than 0 and at most 1, not {bound}")
        self._bound = bound

    def signature_parts(self) -> tuple[str, ...]:
        """All that can change a number, besides the versions."""
        return (f"bound:{self._bound!r}",)

    def prepare(self, references: Sequence[ReferenceAnswer]) -> list[float]:
        """The references as numbers."""
        return numbers_of(references)

    def score(
        self,
        prepared: list[float],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """One value for each question and score."""
        del progress, budget
        check_lengths(len(prepared), len(generations))
        similarity = [
            max(0.0, number_similarity(gold, number)) if (number := number_in(one)) is not None else 0.0
            for one, gold in zip(generations, prepared, strict=True)
        ]
        close = [float(one >= self._bound) for one in similarity]
        return {"closeness.similarity": mean_vector(similarity), "closeness.close": mean_vector(close)}


def is_number(value: object) -> bool:
    """Whether a value is a number of a usual size; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST


def number_in(answer: str | None) -> float | None:
    """The number that an answer is; None if it is none: in a study, people may type anything."""
    try:
        number = float(answer or "")
    except ValueError:
        return None
    return number if is_number(number) else None


def numbers_of(references: Sequence[ReferenceAnswer]) -> list[float]:
    """Reference answers as numbers; raises `UnusableReference` with everything that is none."""
    problems = [ReferenceProblem(i, (), "expected a number") for i, one in enumerate(references) if not is_number(one)]
    if problems:
        raise UnusableReference(problems)
    checked: Sequence[Any] = references
    return [float(one) for one in checked]


def read_number(value: object) -> ReadAnswer:
    """A number as the text that is stored, or what is wrong with it."""
    if not is_number(value):
        return ReadAnswer(mistakes=(Mistake("answer-not-usable", type(value).__name__, 'Write "answer": 42.'),))
    text = repr(value)
    return ReadAnswer(text, (text,))


NUMBERS: Final = replace(
    TEXT_ANSWERS,
    example='{"id": "…", "answer": 42}',
    holds="number",
    read=read_number,
    sample='{"id": "a1b2c3d4e5f60718", "answer": 42}\n{"id": "b2c3d4e5f6071829", "answer": 0.5}',
)


class Number(TextAnswer):
    """A number for each question. Whatever it does not say is as for texts."""

    name = "number"
    metrics = ("accuracy",)  # besides those that name this task type
    references_format = 'a JSON list of questions with "id" and "answer", a number'

    def answer_format(self, separator: str | None) -> AnswerFormat:
        """How a line of a generations file holds an answer; only lists can be split."""
        return NUMBERS

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        """Raise `UnusableReference` with everything that is no number."""
        numbers_of(references)


COLUMNS: Final = ["id", "question", "answer"]


def read_file(path: Path) -> SourceFile:
    """Read a CSV file with the columns ``id``, ``question`` and ``answer``, a number; test questions have no answer.

    Raises:
        SourceError: with every problem found, each naming its line and column.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != COLUMNS:
            found = ",".join(rows.fieldnames or [])
            raise SourceError([f"{path.name}: found the columns {found}, expected {','.join(COLUMNS)}."])
        problems: list[str] = []
        questions = []
        for row in rows:
            try:
                answer: Any = float(row["answer"]) if row["answer"] else NO_ANSWER
            except ValueError:
                problems.append(
                    f"{path.name}, line {rows.line_num}, answer: found {row['answer']!r}, expected a number."
                )
            else:
                questions.append(SourceQuestion(row["id"], row["question"], (), (), answer=answer))
    if problems:
        raise SourceError(problems)
    return SourceFile(tuple(questions))


NUMBERS_CSV: Final = Importer(read_file)
