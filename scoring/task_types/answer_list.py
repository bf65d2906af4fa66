"""The task type *answer list*: a list of texts per question, compared with gold answers and their aliases (QAMPARI)."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from scoring.generations.records import AnswerFormat, has_content, list_answers
from scoring.metrics.answer_lists import predictions_of, text_of
from scoring.task_types.base import MetricChoice, Outcomes, TaskType, deferred, load


def _answer_format(separator: str | None) -> AnswerFormat:
    if separator is None:
        return list_answers()
    return list_answers(partial(load("scoring.metrics.list_f1_alce:split_text"), separator=separator))


def _is_answered(answer: str | None) -> bool:
    return any(map(has_content, predictions_of(answer)))


def _names(reference: Any) -> list[str]:
    return [one["answer_text"] for one in reference]


def _gold_list(answer: Any) -> Any:
    """A list whose items may be texts, or lists of a text and its aliases, as gold answers with their aliases."""
    return [_gold_answer(one) for one in answer] if isinstance(answer, list) else answer


def _gold_answer(one: Any) -> Any:
    texts = [one] if isinstance(one, str) else one
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        return one
    return {"answer_text": texts[0], "aliases": texts}


ANSWER_LIST: Final = TaskType(
    name="answer-list",
    metrics={
        "list-f1": MetricChoice("scoring.metrics.list_f1:ListF1"),
        "list-f1-repaired": MetricChoice("scoring.metrics.list_f1_repaired:RepairedListF1", default=False),
        "list-f1-alce": MetricChoice("scoring.metrics.list_f1_alce:AlceListF1", default=False),
    },
    site_metrics=("passage-recall",),
    references_format='JSON Lines with "qid" and "answer_list" as QAMPARI is published, also as gzip or zip',
    read_references=deferred("scoring.task_types.gold_list_files:read_gold_lists"),
    answer_format=_answer_format,
    check_answers=deferred("scoring.metrics.answer_lists:gold_lists"),
    reference_from=_gold_list,
    outcomes=Outcomes(
        "list-f1", shown="list-f1.f1", some="list-f1.recall", all="list-f1.recall", opinions=("list-f1.f1_above",)
    ),
    splits_texts=True,
    scores_empty_files=True,
    is_answered=_is_answered,
    plain=_names,
    other_names=lambda reference: [
        tuple(alias for alias in one["aliases"] if alias != one["answer_text"]) for one in reference
    ],
    copy_of=lambda reference: text_of(_names(reference)),
    texts_of=lambda answer: tuple(predictions_of(answer)),
    sent=predictions_of,
    typed=lambda text: text_of([line.strip() for line in text.splitlines() if line.strip()]),
    read_passages=deferred("scoring.task_types.gold_list_files:read_passages"),
)
