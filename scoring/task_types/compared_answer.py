"""The task type *open answer compared side by side*: a text per question that a judge compares with another system's
(Researchy Questions). There are mostly no reference answers; a question may have one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scoring.metrics.base import ReferenceAnswer, ReferenceProblem, UnusableReference
from scoring.task_types.base import References
from scoring.task_types.file_reader import FileReader
from scoring.task_types.text_answer import TextAnswer

EXAMPLE: Final = '{"id": "…", "question": "…", "answer": "…"}'


class ComparedAnswer(TextAnswer):
    """Answers are those of `TextAnswer`, with Markdown. They are compared on a site alone.

    >>> ComparedAnswer().check(["Because.", ""])
    Traceback (most recent call last):
    ...
    scoring.metrics.base.UnusableReference: reference 1: expected a text with content
    """

    name = "compared-answer"
    references_format = f"JSON Lines as {EXAMPLE}, also as gzip or zip; most questions have no answer"
    outcomes = None
    needs_references = False

    def read_references(self, path: Path) -> References:
        """Read questions, some of which may have a reference answer; that of the others is an empty text.

        Args:
            path: JSON Lines, each an object with ``id`` and, if there is one, ``answer``; other keys are ignored. It
                may be compressed with gzip, or be the only such file in a zip archive.
        """
        reader = FileReader(path, EXAMPLE, "id")
        answers: dict[str, ReferenceAnswer] = {}
        for name, line, values in reader.objects():
            answers[name] = reader.text_in(line, "answer", values["answer"]) if "answer" in values else ""
        return reader.references(answers)

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        problems = [
            ReferenceProblem(index, (), "expected a text with content")
            for index, reference in enumerate(references)
            if not isinstance(reference, str) or not reference.strip()
        ]
        if problems:
            raise UnusableReference(problems)
