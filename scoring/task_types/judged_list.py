"""The task type *judged list*: a list of texts per question, compared with a gold list by a judge (MoNaCo).

Its files are JSON Lines of a format of this site, since the published file is protected. They may be compressed with
gzip, or be the only such file in a zip archive. Every problem is reported at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from scoring.generations.lines import Line
from scoring.task_types.answer_list import AnswerList
from scoring.task_types.base import References, UnusableInputError
from scoring.task_types.file_reader import FileReader, found_instead

EXAMPLE: Final = '{"id": "…", "question": "…", "answers": ["…"], "evidence_pages": 12}'


class JudgedList(AnswerList):
    """Answers and stored references are those of `AnswerList`; gold answers have no further names. The judge itself
    needs a site; the command line compares texts."""

    name = "judged-list"
    references_format = f"JSON Lines as {EXAMPLE}, also as gzip or zip"
    has_passages = False

    def read_references(self, path: Path) -> References:
        """Read the gold lists of a file, all of whose questions must have them; see `read_questions`."""
        questions = read_questions(path)
        lacking = [question.qid for question in questions if question.answers is None]
        if lacking:
            first = f"{len(lacking):,} questions have no answers, the first is {lacking[0]!r}"
            raise UnusableInputError([f"{path}: {first}"])
        answers: dict[str, Any] = {question.qid: gold_list(question.answers or ()) for question in questions}
        return FileReader(path, EXAMPLE, "question").references(answers)


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

    Args:
        path: JSON Lines, each an object with ``id``, ``question`` and, if they are known, ``answers`` (a list of
            texts), ``evidence_pages`` and ``intermediate_answers`` (whole numbers) and ``time_dependence`` (one of
            `TIME_DEPENDENCE`). Other keys are ignored.

    Raises:
        UnusableInputError: Listing everything that is wrong with it.
    """
    reader = FileReader(path, EXAMPLE, "question")
    questions = []
    for name, line, values in reader.objects():
        text = reader.question_in(line, "question", values)
        time_dependence = values.get("time_dependence")
        if time_dependence is not None and time_dependence not in TIME_DEPENDENCE:
            what = "another text" if type(time_dependence) is str else found_instead(time_dependence)
            expected = " or ".join(f'"{name}"' for name in TIME_DEPENDENCE)
            reader.add(line, "time_dependence", what, expected, "Correct the value, or remove the key.")
        questions.append(
            JudgedQuestion(
                name,
                text,
                _answers(line, values, reader) if "answers" in values else None,
                _count(line, values, "evidence_pages", reader),
                _count(line, values, "intermediate_answers", reader),
                time_dependence,
            )
        )
    reader.refuse_problems(questions)
    return questions


def gold_list(answers: tuple[str, ...]) -> list[dict[str, Any]]:
    """Gold answers as references store them, without further names.

    >>> gold_list(("Oslo",))
    [{'answer_text': 'Oslo', 'aliases': ['Oslo']}]
    """
    return [{"answer_text": answer, "aliases": [answer]} for answer in answers]


def _answers(line: Line, values: Mapping[str, Any], reader: FileReader) -> tuple[str, ...]:
    listed = values["answers"]
    if type(listed) is not list or not listed:
        what = "an empty list" if listed == [] else found_instead(listed)
        reader.add(line, "answers", what, "a list with at least one text", "Add the gold answers, or remove the key.")
        return ()
    for index, answer in enumerate(listed):
        if type(answer) is not str or not answer.strip():
            what = found_instead(answer) if type(answer) is not str else "a text without content"
            reader.add(line, f"answers[{index}]", what, "a text in double quotes", "Add the text.")
    return tuple(answer for answer in listed if type(answer) is str)


def _count(line: Line, values: Mapping[str, Any], key: str, reader: FileReader) -> int | None:
    value = values.get(key)
    if value is None or (type(value) is int and value >= 0):
        return value
    what = "a number below 0" if type(value) is int else found_instead(value)
    reader.add(line, key, what, "a whole number from 0", "Correct the number, or remove the key.")
    return None
