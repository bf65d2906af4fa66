"""The task type *open answer compared side by side*: a text per question that a judge compares with another system's
(Researchy Questions). There are mostly no reference answers; a question may have one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoring.files.objects import fingerprint
from scoring.metrics.base import ReferenceAnswer, ReferenceProblem, UnusableReference
from scoring.task_types.base import References
from scoring.task_types.text_answer import TextAnswer


class ComparedAnswer(TextAnswer):
    """Answers are those of `TextAnswer`, with Markdown. They are compared on a site alone.

    >>> ComparedAnswer().check(["Because.", ""])
    Traceback (most recent call last):
    ...
    scoring.metrics.base.UnusableReference: reference 1: expected a text with content
    """

    name = "compared-answer"
    references_format = (
        'JSON Lines as {"id": "…", "question": "…", "answer": "…"}, also as gzip or zip; most questions have no answer'
    )
    outcomes = None
    has_markdown = True
    needs_references = False

    def read_references(self, path: Path) -> References:
        from scoring.files.rows import read_rows
        from scoring.task_types.reference_files import COMPARED_EXAMPLE, ComparedRow

        rows = read_rows(path, ComparedRow, COMPARED_EXAMPLE)
        return References(tuple(rows), tuple(row.answer for row in rows.values()), fingerprint(path))

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        problems = [
            ReferenceProblem(index, (), "expected a text with content")
            for index, reference in enumerate(references)
            if not isinstance(reference, str) or not reference.strip()
        ]
        if problems:
            raise UnusableReference(problems)
