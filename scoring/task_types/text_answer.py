"""The task type *text answer*: one text per question, compared with a nested reference answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from scoring.generations.records import TEXT_ANSWERS, AnswerFormat
from scoring.metrics.base import ReferenceAnswer, UnusableReference, check_references
from scoring.task_types.base import Outcomes, References, TaskType, UnusableInputError


class TextAnswer(TaskType):
    """One text for each question, such as FanOutQA's.

    >>> TextAnswer().is_answered(" "), TextAnswer().copy_of({"Oslo": True})
    (False, 'Oslo - yes')
    """

    name = "text-answer"
    references_format = 'a JSON list of questions with "id" and "answer"'
    outcomes: Outcomes | None = Outcomes(
        "accuracy", shown="loose", some="loose", all="strict", opinions=("strict", "judge")
    )
    names_without_review = 200
    length_without_review = 8_000

    def read_references(self, path: Path) -> References:
        """Read a JSON list of objects with ``id`` and ``answer``; other keys are ignored."""
        try:
            content = path.read_bytes()
            questions = json.loads(content)
        except OSError as error:
            raise UnusableInputError([f"{path}: cannot be read: {error.strerror}"]) from error
        except json.JSONDecodeError as error:
            raise UnusableInputError(
                [f"{path}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}"]
            ) from error
        except (UnicodeDecodeError, RecursionError, ValueError) as error:
            raise UnusableInputError([f"{path}: not JSON in UTF-8: {error}"]) from error
        if not isinstance(questions, list) or not questions:
            what = "an empty list" if questions == [] else f"a JSON {type(questions).__name__}"
            raise UnusableInputError([f'{path}: expected a JSON list of objects with "id" and "answer", found {what}'])
        answers: dict[str, ReferenceAnswer] = {}
        places: list[str] = []
        problems: list[str] = []
        for number, question in enumerate(questions, start=1):
            where = f"{path}: question {number}"
            if not isinstance(question, dict):
                problems.append(f"{where}: expected an object, found {type(question).__name__}")
                continue
            missing = [f'the key "{key}" is missing' for key in ("id", "answer") if key not in question]
            problems += [f"{where}: {what}" for what in missing]
            name = question.get("id")
            if "id" in question and not isinstance(name, str):
                problems.append(f"{where}: the id is not a string")
            elif isinstance(name, str) and name in answers:
                problems.append(f"{where}: the id {name!r} has been used before")
            elif isinstance(name, str) and not missing:
                answers[name] = question["answer"]
                places.append(f"{where} ({name})")
        try:
            check_references(list(answers.values()))
        except UnusableReference as error:
            problems += [
                f"{places[problem.index]}: answer{problem.place}: {problem.what}" for problem in error.problems
            ]
        if problems:
            raise UnusableInputError(problems)
        return References(tuple(answers), tuple(answers.values()), hashlib.sha256(content).hexdigest()[:8])

    def answer_format(self, separator: str | None) -> AnswerFormat:
        return TEXT_ANSWERS

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        check_references(references)
