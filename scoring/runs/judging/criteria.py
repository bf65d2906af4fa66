"""The criteria of a question of an open split, and what a judge decided about the answers.

Like `scoring.analysis.explanations`, a way from reference answers to pages: a hidden split is refused for every caller,
whatever their rights.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from uuid import UUID

from scoring.analysis.explanations import HiddenSplitError, readable
from scoring.benchmarks import definition_of
from scoring.metrics.rubric.decisions import Decision
from scoring.metrics.rubric.judge import RubricJudge
from scoring.metrics.rubric.references import rubrics_of
from scoring.models import Question, Reference
from scoring.registry import judge_of, metric_named, scored_texts
from scoring.runs.judging.queries import replies_about

Decisions = tuple[Decision | None, ...]
"""Decisions about an answer in the order of its question's criteria; None where there is none."""


def judges_of_criteria(benchmark: str) -> list[str]:
    """The metrics of a benchmark that decide criteria, by name."""
    return [name for name in definition_of(benchmark).metrics if issubclass(metric_named(name), RubricJudge)]


class QuestionCriteria:
    """The criteria of one question.

    Raises:
        HiddenSplitError: the question's split is hidden, or the question has no reference answer.
    """

    def __init__(self, question: Question) -> None:
        """One query."""
        related = Reference.objects.select_related("question__revision__split__benchmark")
        reference = related.filter(question=question, question__revision__split__hidden=False).first()
        if reference is None:
            raise HiddenSplitError("Reference answers and per-question results of a hidden split are private.")
        self._reference = reference
        (self._rubric,) = rubrics_of([reference.answer])
        self.criteria, self.dimensions = self._rubric.criteria, self._rubric.dimensions
        self.report = self._rubric.report
        """The reference report; empty without one."""

    def decisions(
        self, signatures: Mapping[str, str], answers: Mapping[UUID, str], public: Container[UUID]
    ) -> dict[UUID, dict[str, Decisions]]:
        """What judges decided about answers, by answer set and metric. Two queries for each metric.

        Args:
            signatures: those that boards show, by metric.
            answers: by answer set, as stored.
            public: the answer sets that the reader may read; reasons, which may quote an answer, are of these alone.
        """
        question = self._reference.question
        benchmark = question.revision.split.benchmark.slug
        texts = scored_texts(benchmark, answers)
        decided: dict[UUID, dict[str, Decisions]] = {key: {} for key in answers}
        for metric in filter(signatures.__contains__, judges_of_criteria(benchmark)):
            said = replies_about(question, self._reference.answer, metric, signatures[metric], texts)
            for key, replies in said.items():
                if not replies:  # an answer without content is no request
                    continue
                judge = judge_of(benchmark, metric)
                assert isinstance(judge, RubricJudge)  # noqa: S101 - one of the judges of criteria
                decided[key][metric] = tuple(
                    decision and replace(decision, reason=readable(decision.reason) if key in public else "")
                    for decision in judge.decisions(self._rubric, list(replies.values()))
                )
        return decided
