"""The task type *answer list*: a list of texts per question, compared with gold answers and their aliases (QAMPARI)."""

from __future__ import annotations

from functools import partial
from typing import Final

from scoring.generations.formats import AnswerFormat, list_answers
from scoring.metrics.answer_lists import predictions_of
from scoring.metrics.list_f1_alce import split_text
from scoring.task_types.base import MetricChoice, TaskType
from scoring.task_types.gold_list_files import read_gold_lists, read_passages


def _answer_format(separator: str | None) -> AnswerFormat:
    return list_answers(None if separator is None else partial(split_text, separator=separator))


ANSWER_LIST: Final = TaskType(
    name="answer-list",
    metrics={
        "list-f1": MetricChoice("scoring.metrics.list_f1:ListF1"),
        "list-f1-repaired": MetricChoice("scoring.metrics.list_f1_repaired:RepairedListF1", default=False),
        "list-f1-alce": MetricChoice("scoring.metrics.list_f1_alce:AlceListF1", default=False),
    },
    references_format='JSON Lines with "qid" and "answer_list" as QAMPARI is published, also as gzip or zip',
    read_references=read_gold_lists,
    answer_format=_answer_format,
    splits_texts=True,
    scores_empty_files=True,
    is_answered=lambda answer: any(one.strip() for one in predictions_of(answer)),
    read_passages=read_passages,
)
