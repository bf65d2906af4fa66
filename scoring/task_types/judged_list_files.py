"""Read MoNaCo's questions with gold lists: JSON Lines of a format of this site, since the published file is protected.

The file may be compressed with gzip, or be the only such file in a zip archive. Every problem is reported at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from scoring.generations.lines import Line
from scoring.generations.reader import NO_CONTENT
from scoring.task_types.base import References, UnusableInputError
from scoring.task_types.gold_list_files import FileReader, found_instead
from scoring.task_types.judged_list import EXAMPLE

TIME_DEPENDENCE: Final = ("none", "years", "yearly")
"""Whether the answer stays as it is, changes every few years, or changes each year."""


class JudgedQuestion(NamedTuple):
    """One line of a file."""

    qid: str
    text: str
    answers: tuple[str, ...] | None
    """The gold answers, at least one; None if the file has none for the question."""
    evidence_pages: int | None
    """The number of pages with evidence, from 0; None if the file does not say it. Likewise the next."""
    intermediate_answers: int | None
    time_dependence: str | None
    """One of `TIME_DEPENDENCE`."""


def read_questions(path: Path) -> list[JudgedQuestion]:
    """Read a file of questions, with or without gold answers.

    :param path: JSON Lines, each an object with ``id``, ``question`` and, if they are known, ``answers`` (a list of
        texts), ``evidence_pages`` and ``intermediate_answers`` (whole numbers) and ``time_dependence`` (one of
        `TIME_DEPENDENCE`). Other keys are ignored.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    reader = FileReader(path, EXAMPLE, "question")
    questions = []
    for name, line, values in reader.objects():
        text = reader.text_in(line, "question", values.get("question")).strip()
        if not text and type(values.get("question")) is str:
            reader.add(line, "question", "a text without content", "a text in double quotes", "Add the question.")
        questions.append(
            JudgedQuestion(
                name,
                text,
                _answers(line, values, reader) if "answers" in values else None,
                _count(line, values, "evidence_pages", reader),
                _count(line, values, "intermediate_answers", reader),
                _time_dependence(line, values, reader),
            )
        )
    reader.refuse_problems()
    if not questions:
        raise UnusableInputError([f"{path}: expected lines as {EXAMPLE}, found {NO_CONTENT}"])
    return questions


def gold_list(answers: tuple[str, ...]) -> list[dict[str, Any]]:
    """Gold answers as references store them, without further names.

    >>> gold_list(("Oslo",))
    [{'answer_text': 'Oslo', 'aliases': ['Oslo']}]
    """
    return [{"answer_text": one, "aliases": [one]} for one in answers]


def read_gold(path: Path) -> References:
    """Read the gold lists of a file, all of whose questions must have them; see `read_questions`.

    :raises UnusableInputError: listing everything that is wrong with it.
    """
    questions = read_questions(path)
    lacking = [one.qid for one in questions if one.answers is None]
    if lacking:
        raise UnusableInputError([f"{path}: {len(lacking):,} questions have no answers, the first is {lacking[0]!r}"])
    with path.open("rb") as stream:
        fingerprint = hashlib.file_digest(stream, "sha256").hexdigest()[:8]
    answers: list[Any] = [gold_list(one.answers or ()) for one in questions]
    return References(tuple(one.qid for one in questions), tuple(answers), fingerprint)


def _answers(line: Line, values: Mapping[str, Any], reader: FileReader) -> tuple[str, ...]:
    listed = values["answers"]
    if type(listed) is not list or not listed:
        found = "an empty list" if listed == [] else found_instead(listed)
        reader.add(line, "answers", found, "a list with at least one text", "Add the gold answers, or remove the key.")
        return ()
    for index, one in enumerate(listed):
        if type(one) is not str or not one.strip():
            found = found_instead(one) if type(one) is not str else "a text without content"
            reader.add(line, f"answers[{index}]", found, "a text in double quotes", "Add the text.")
    return tuple(one for one in listed if type(one) is str)


def _count(line: Line, values: Mapping[str, Any], key: str, reader: FileReader) -> int | None:
    value = values.get(key)
    if value is None or (type(value) is int and value >= 0):
        return value
    found = "a number below 0" if type(value) is int else found_instead(value)
    reader.add(line, key, found, "a whole number from 0", "Correct the number, or remove the key.")
    return None


def _time_dependence(line: Line, values: Mapping[str, Any], reader: FileReader) -> str | None:
    value = values.get("time_dependence")
    if value is None or value in TIME_DEPENDENCE:
        return value
    found = "another text" if type(value) is str else found_instead(value)
    expected = " or ".join(f'"{one}"' for one in TIME_DEPENDENCE)
    reader.add(line, "time_dependence", found, expected, "Correct the value, or remove the key.")
    return None
