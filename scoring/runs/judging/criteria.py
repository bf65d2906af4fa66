"""The criteria of a question of an open split, and what a judge decided about the answers.

Like `scoring.analysis.explanations`, a way from reference answers to pages: a hidden split is refused for every caller,
whatever their rights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from scoring.analysis.explanations import HiddenSplitError, readable
from scoring.benchmarks import definition_of
from scoring.metrics.asking.items import JudgeSettings
from scoring.metrics.graded_answer.items import stored_texts
from scoring.metrics.rubric.decisions import Decision
from scoring.metrics.rubric.judge import RubricJudge
from scoring.metrics.rubric.references import rubrics_of
from scoring.models import Question, Reference, Score
from scoring.models.run_states import RunState
from scoring.registry import judge_of, metric_named, scored_texts
from scoring.runs.judging.store import replies_of

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
        self.criteria = self._rubric.criteria

    def decisions(self, metric: str, signature: str, answers: Mapping[UUID, str]) -> dict[UUID, Decisions]:
        """What a judge decided about answers that are scored under a signature. Two queries.

        Args:
            metric: one of `judges_of_criteria`.
            answers: by answer set, as stored.
        """
        question, benchmark = self._reference.question, self._reference.question.revision.split.benchmark.slug
        scores = Score.objects.counting().filter(name=metric, signature=signature, run__state=RunState.DONE)
        scores = scores.filter(run__revision=question.revision, run__subset="", run__answer_set__in=list(answers))
        scored = [key.hex for key in scores.values_list("run__answer_set", flat=True)]
        if not scored:  # the signature may be that of a judge that cannot be asked
            return {}
        by_hex = {key.hex: text for key, text in answers.items()}
        texts = scored_texts(benchmark, {key: by_hex[key] for key in scored})
        judge, settings = judge_of(benchmark, metric), JudgeSettings.of_signature(signature, metric)
        assert isinstance(judge, RubricJudge)  # noqa: S101 - see the argument
        n = len(texts)
        stored = [stored_texts(question, judge.question_fields)] * n
        references, questions = [self._reference.answer] * n, [question.text] * n
        items = judge.items(
            list(texts), questions, references, list(texts.values()), longest=settings.longest, stored=stored
        )
        addressed = [(item, item.address(settings)) for item in items]
        replies = replies_of([address for _, address in addressed])
        replies |= {address: (item.known, "") for item, address in addressed if item.known}
        own: dict[str, list[tuple[str, str] | None]] = {}
        for item, address in addressed:
            part = item.part_of(*replies[address]) if address in replies else None
            own.setdefault(item.answer_key, []).append(part)
        return {
            UUID(key): tuple(
                one and replace(one, reason=readable(one.reason)) for one in judge.decisions(self._rubric, parts)
            )
            for key, parts in own.items()
        }


def without_reasons(decisions: Decisions) -> Decisions:
    """Decisions for readers who may not read the answer, which reasons may quote."""
    return tuple(one and replace(one, reason="") for one in decisions)
