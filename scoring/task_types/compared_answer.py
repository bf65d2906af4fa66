"""The task type *open answer compared side by side*: a text per question that a judge compares with another system's
(Researchy Questions). There are mostly no reference answers; a question may have one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scoring.metrics.base import ReferenceAnswer, ReferenceProblem, UnusableReference
from scoring.task_types.base import deferred
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


COMPARED_ANSWER: Final = replace(
    TEXT_ANSWER,
    name="compared-answer",
    metrics={},
    site_metrics=("side-by-side",),
    references_format=f"JSON Lines as {EXAMPLE}, also as gzip or zip; most questions have no answer",
    read_references=deferred("scoring.task_types.compared_answer_files:read_references"),
    check_answers=check_texts,
    outcomes=None,
    needs_references=False,
)
"""Answers are those of `TEXT_ANSWER`, with Markdown. They are compared on a site alone."""
