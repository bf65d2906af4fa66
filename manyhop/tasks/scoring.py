"""The scores of single answers, with the numbers of ``manyhop score``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from scoring.metrics.base import Metric
from scoring.task_types import known_metrics, task_type_named

Metrics = Mapping[str, Mapping[str, Any]]
"""The parameters of each metric by its name."""


def scores(
    answer: str, reference: str, task_type: str, metrics: Metrics, *, remove_reasoning: bool = False
) -> dict[str, float]:
    """The scores of an answer.

    :param answer: as a generations file has it; one that cannot be read counts as none.
    :param reference: the reference answer, as JSON.
    :param remove_reasoning: whether the benchmark removes reasoning from answers before they are scored.
    """
    task = task_type_named(task_type)
    read = task.answer_format(None).read(answer)
    stored = None if read.mistakes else read.stored
    if remove_reasoning and stored is not None:
        stored = task.without_reasoning(stored)
    values: dict[str, float] = {}
    for name, parameters in metrics.items():
        metric = _metric(name, json.dumps(parameters))
        vectors = metric.score(metric.prepare([json.loads(reference)]), [stored])
        values |= {score: vector.per_item[0].item() for score, vector in vectors.items()}
    return values


def means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The scores of an answer set, from those of its answers."""
    of_score = {score: metric for metric in known_metrics().values() for score in metric.score_names}
    return {score: of_score[score]().mean(of_answers) for score, of_answers in values.items()}


@cache
def _metric(name: str, parameters: str) -> Metric:
    return known_metrics()[name].on_site(argparse.Namespace(LEMMATISER="auto"), **json.loads(parameters))
