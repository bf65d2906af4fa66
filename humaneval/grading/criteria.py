"""Rounds in which people decide criteria: what they may say of each, and what answers earn of the weights by it."""

from collections.abc import Mapping

from humaneval.grading.grade_scores import VERDICTS, Ticked
from humaneval.models import GradedAnswer, GradingRound
from scoring.analysis.reference_items import weights_of_criteria
from scoring.metrics.rubric.judge import RubricJudge
from scoring.metrics.rubric.references import Rubric
from scoring.registry import judge_of, task_type_of
from scoring.runs.judging.criteria import judges_of_criteria

Rubrics = Mapping[int, Rubric]
"""The weights of criteria by the question's key; empty for a round of items."""


def is_by_criteria(round_: GradingRound) -> bool:
    """Whether people decide criteria in a round, instead of ticking items."""
    return task_type_of(round_.revision.split.benchmark.slug).by_criteria


def choices_in(round_: GradingRound) -> tuple[str, ...]:
    """What a grader may say of a criterion, of `VERDICTS`: partly met only where a judge may say it. Empty for a round
    of items."""
    if not is_by_criteria(round_):
        return ()
    benchmark = round_.revision.split.benchmark.slug
    judges = (judge_of(benchmark, name) for name in judges_of_criteria(benchmark))
    is_graded = any(isinstance(judge, RubricJudge) and judge.is_graded for judge in judges)
    return tuple(name for name in VERDICTS if is_graded or name != "partly")


def rubrics_of(round_: GradingRound) -> Rubrics:
    """The weights of a round's criteria. One query."""
    return weights_of_criteria(round_.revision)


def share_of(answer: GradedAnswer, ticked: Ticked, rubrics: Rubrics) -> float | None:
    """What an answer earned by a grade: the share of the items, or of the weights of the criteria that the grader could
    decide; None if they decided none with a weight above 0."""
    return rubrics[answer.question_id].score(ticked.ticks) if rubrics else ticked.loose


def lowest_mean(rubrics: Rubrics) -> float:
    """What no mean score can be below, also that of a system that left questions out; 0 without criteria."""
    return min((rubric.lowest for rubric in rubrics.values()), default=0.0)
