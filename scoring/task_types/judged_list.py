"""The task type *judged list*: a list of texts per question, compared with a gold list by a judge (MoNaCo)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from scoring.task_types.answer_list import ANSWER_LIST
from scoring.task_types.base import MetricChoice, deferred

EXAMPLE: Final = '{"id": "…", "question": "…", "answers": ["…"], "evidence_pages": 12}'

JUDGED_LIST: Final = replace(
    ANSWER_LIST,
    name="judged-list",
    metrics={"list-f1": MetricChoice("scoring.metrics.list_f1:ListF1")},
    site_metrics=("list-judge",),
    references_format=f"JSON Lines as {EXAMPLE}, also as gzip or zip",
    read_references=deferred("scoring.task_types.judged_list_files:read_gold"),
    read_passages=None,
)
"""Answers and stored references are those of `ANSWER_LIST`; gold answers have no further names. The judge itself needs
a site; the command line compares texts."""
