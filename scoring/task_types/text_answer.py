"""The task type *text answer*: one text per question, compared with a nested reference answer."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

from scoring.generations.records import TEXT_ANSWERS
from scoring.metrics.base import ReferenceAnswer, UnusableReference, check_references
from scoring.task_types.base import MetricChoice, Outcomes, References, TaskType, UnusableInputError


def read_references(path: Path) -> References:
    """Read a file of questions with reference answers.

    :param path: a JSON list of objects with ``id`` and ``answer``; other keys are ignored.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
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
        found = "an empty list" if questions == [] else f"a JSON {type(questions).__name__}"
        raise UnusableInputError([f'{path}: expected a JSON list of objects with "id" and "answer", found {found}'])
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
        problems += [f"{places[one.index]}: answer{one.place}: {one.what}" for one in error.problems]
    if problems:
        raise UnusableInputError(problems)
    return References(tuple(answers), tuple(answers.values()), hashlib.sha256(content).hexdigest()[:8])


TEXT_ANSWER: Final = TaskType(
    name="text-answer",
    metrics={
        "accuracy": MetricChoice("scoring.metrics.string_accuracy:StringAccuracy", ("lemmatiser",)),
        "rouge": MetricChoice("scoring.metrics.rouge:Rouge"),
        "accuracy-repaired": MetricChoice(
            "scoring.metrics.string_accuracy_v2:RepairedStringAccuracy", ("lemmatiser",), default=False
        ),
    },
    site_metrics=("bleurt", "judge"),
    references_format='a JSON list of questions with "id" and "answer"',
    read_references=read_references,
    answer_format=lambda separator: TEXT_ANSWERS,
    check_answers=check_references,
    outcomes=Outcomes("accuracy", shown="loose", some="loose", all="strict", opinions=("strict", "judge")),
)
