"""The task type *open answer compared side by side*: a text per question that a judge compares with another system's
(Researchy Questions). There are mostly no reference answers; a question may have one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from scoring.generations.reader import NO_CONTENT
from scoring.metrics.base import ReferenceAnswer, ReferenceProblem, UnusableReference
from scoring.task_types.base import References, UnusableInputError
from scoring.task_types.gold_list_files import FileReader
from scoring.task_types.text_answer import TEXT_ANSWER

EXAMPLE: Final = '{"id": "…", "question": "…", "answer": "…"}'


def check_texts(references: Sequence[ReferenceAnswer]) -> None:
    """Check reference answers, which are texts.

    :raises UnusableReference: naming every reference that is none, or empty.
    """
    problems = [
        ReferenceProblem(index, (), "expected a text with content")
        for index, one in enumerate(references)
        if not isinstance(one, str) or not one.strip()
    ]
    if problems:
        raise UnusableReference(problems)


def read_references(path: Path) -> References:
    """Read a file of questions, some of which may have a reference answer.

    :param path: JSON Lines, each an object with ``id`` and, if there is one, ``answer``; other keys are ignored. It may
        be compressed with gzip, or be the only such file in a zip archive.
    :returns: an empty text as the answer of a question that has no reference.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    reader = FileReader(path, EXAMPLE, "id")
    answers: dict[str, ReferenceAnswer] = {}
    for name, line, values in reader.objects():
        answers[name] = reader.text_in(line, "answer", values["answer"]) if "answer" in values else ""
    reader.refuse_problems()
    if not answers:
        raise UnusableInputError([f"{path}: expected lines as {EXAMPLE}, found {NO_CONTENT}"])
    with path.open("rb") as stream:
        fingerprint = hashlib.file_digest(stream, "sha256").hexdigest()[:8]
    return References(tuple(answers), tuple(answers.values()), fingerprint)


COMPARED_ANSWER: Final = replace(
    TEXT_ANSWER,
    name="compared-answer",
    metrics={},
    site_metrics=("side-by-side",),
    references_format=f"JSON Lines as {EXAMPLE}, also as gzip or zip; most questions have no answer",
    read_references=read_references,
    check_answers=check_texts,
    outcomes=None,
    needs_references=False,
)
"""Answers are those of `TEXT_ANSWER`, with Markdown. They are compared on a site alone."""
