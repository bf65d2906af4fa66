"""What a copy of the reference answers scores: a metric that gives it less than its best misreads some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scoring.benchmarks.base import BenchmarkDefinition, SourceQuestion
from scoring.files.mistakes import listed
from scoring.metrics.base import ROUNDING, Metric, ScoredVector, ScoresError, check_scores
from scoring.metrics.columns import Column, shown
from scoring.task_types import TaskType, known_metrics, task_type_named

TRIED: Final = 5_000
"""Questions of a split that are tried, spread evenly, besides those with doubtful entries: each takes a millisecond or
two with metrics of lists."""
KEPT: Final = 100
"""Ids of questions that are kept for each score."""
SHOWN: Final = 10


class LostScore(Struct, frozen=True):
    """Scores of copies of the reference answers that are below the best in the same questions. Never an answer."""

    metric: str
    values: dict[str, float]
    """By score; empty if the metric gives no scores for the copies."""
    n_questions: int
    """The tried questions."""
    n_lost: int
    """Questions whose copy does not score the best."""
    qids: list[str]
    """The first of them."""
    text: str
    """The scores as pages show them, or why there are none."""
    entries: dict[str, list[int]] = {}
    """By question, of the first ones: the entries of its reference answer, from 1, that lose by themselves or repeat
    another one."""

    def __str__(self) -> str:
        if not self.values:
            return f"The metric {self.metric} gives no scores for copies of the reference answers: {self.text}."
        named = [self._with_entries(qid) for qid in self.qids]
        return (
            f"Copies of the reference answers have {self.text}: {self.n_lost:,} of {self.n_questions:,} questions lose "
            f"something ({listed(named, SHOWN)}). Correct them, or say in the data card that no answer gets more."
        )

    def _with_entries(self, qid: str) -> str:
        entries = self.entries.get(qid, [])
        word = "entry" if len(entries) == 1 else "entries"
        return f"{qid}: {word} {listed(list(map(str, entries)), SHOWN)}" if entries else qid


def scorers_of(definition: BenchmarkDefinition) -> list[Metric]:
    """The declared metrics that read answers and need no judge, checkpoint or setting of a site."""
    known = ((known_metrics()[name], definition.metric_parameters.get(name, {})) for name in definition.metrics)
    return [metric(**parameters) for metric, parameters in known if not metric.needs_site and not metric.compares]


def lost_scores(definition: BenchmarkDefinition, questions: Iterable[SourceQuestion]) -> Iterator[LostScore]:
    """Score copies of a split's reference answers, each once with each metric, and name what is below the best.

    Scores without bounds have no best, and those that no column shows are passed over.
    """
    task = task_type_named(definition.task_type)
    answered = [question for question in questions if question.has_answer] if task.needs_references else []
    every = max(1, -(-len(answered) // TRIED))
    answered = [
        question
        for place, question in enumerate(answered)
        if place % every == 0 or task.doubtful_entries(question.answer)
    ]
    if not answered:
        return
    references = [question.answer for question in answered]
    copies = [task.copy_of(reference) for reference in references]
    for metric in scorers_of(definition):
        columns = {column.score: column for column in definition.columns if column.metric == metric.name}
        bounds = {score: column.bounds for score, column in columns.items()}
        try:
            scores = metric.score(metric.prepare(references), copies)
            check_scores(metric, scores, len(references), bounds)
            if metric.package:  # whether it knows unanswered questions is known before the first upload
                nothing: Sequence[str | None] = [None] * len(references)
                check_scores(metric, metric.score(metric.prepare(references), nothing), len(references), bounds)
        except Exception as error:  # noqa: BLE001 - an import does not fail by it, and a message may hold an answer
            problem = str(error) if isinstance(error, ScoresError) else type(error).__name__
            yield LostScore(metric.name, {}, len(answered), 0, [], problem)
            continue
        lost: dict[bytes, list[Column]] = {}
        for column in columns.values():
            if column.bounds is not None and column.score in scores:
                below = _is_below(scores, column)
                if below.any():
                    lost.setdefault(below.tobytes(), []).append(column)
        for places, of_same in lost.items():
            lost_at = np.flatnonzero(np.frombuffer(places, dtype=bool))
            values = {column.score: scores[column.score].value for column in of_same}
            text = ", ".join(f"{column.label} {shown(values[column.score], column)}" for column in of_same)
            text = f"{text}, not {shown(_best(of_same[0]), of_same[0])}"
            qids = [answered[place].qid for place in lost_at[:KEPT]]
            entries = {
                answered[place].qid: lost_entries
                for place in lost_at[:SHOWN]
                if (lost_entries := _lost_entries(metric, task, answered[place].answer, of_same))
            }
            yield LostScore(metric.name, values, len(answered), len(lost_at), qids, text, entries)


def _lost_entries(metric: Metric, task: TaskType, reference: Any, columns: Sequence[Column]) -> list[int]:
    """The entries of a reference answer, from 1, that a copy of each alone does not get, or that repeat another one."""
    if isinstance(reference, dict):
        parts: list[Any] = [{key: value} for key, value in reference.items()]
    else:
        parts = [[entry] for entry in reference] if isinstance(reference, list) else []
    if not parts:
        return []
    lost = set(task.doubtful_entries(reference))
    with suppress(Exception):  # as above; a metric may refuse a part of a reference
        scores = metric.score(metric.prepare(parts), [task.copy_of(part) for part in parts])
        lost |= {int(place) for column in columns for place in np.flatnonzero(_is_below(scores, column))}
    return [place + 1 for place in sorted(lost)]


def _is_below(scores: Mapping[str, ScoredVector], column: Column) -> NDArray[np.bool_]:
    """Which items have less than the best score of a column."""
    below: NDArray[np.bool_] = np.abs(scores[column.score].per_item - _best(column)) > ROUNDING
    return below


def _best(column: Column) -> float:
    """The best number of a column with bounds."""
    low, high = column.bounds or (0.0, 1.0)
    return high if column.higher_is_better else low
