"""The criteria of a question with what a judge decided about each answer that its page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.questions.lookup import PARTIAL, RIGHT, WRONG
from leaderboard.questions.question import QuestionPage, ShownAnswer
from scoring.metrics.rubric.decisions import Decision, is_met
from scoring.metrics.rubric.references import Criterion
from scoring.metrics.rubric.relative import AgainstReference
from scoring.registry import metric_named
from scoring.runs.judging.criteria import judges_of_criteria

WORDS: Final = {1.0: "Met", 0.5: "Partly met", 0.0: "Not met"}


@dataclass(frozen=True)
class DecidedAnswer:
    """One system's answer, and the decision about one criterion of it."""

    row: ShownAnswer
    decision: Decision
    is_fault: bool
    """Whether the criterion names a fault."""

    @property
    def words(self) -> str:
        """The decision in words; empty beside a reference report."""
        if self.decision.reference is not None:
            return ""
        return WORDS.get(self.decision.score, f"Met to {100 * self.decision.score:.0f} %")

    @property
    def tone(self) -> str:
        """How good it is: a fault that is met is wrong."""
        if 0 < self.decision.score < 1:
            return PARTIAL
        return RIGHT if (self.decision.score == 1) is not self.is_fault else WRONG


@dataclass(frozen=True)
class CriterionLine:
    """A criterion with the decisions about it."""

    criterion: Criterion
    answers: Sequence[DecidedAnswer]
    dimension_weight: str = ""
    """The weight of its dimension, by which its own is multiplied; empty if dimensions have none."""

    @property
    def weight(self) -> str:
        """Its weight as declared, with a true minus sign."""
        return f"{self.criterion.weight:.7g}".replace("-", "−")

    @property
    def n_best(self) -> int:
        """The number of answers that meet it; beside a reference report, of those with a higher score than that."""
        scores = ((answer.decision.score, answer.decision.reference) for answer in self.answers)
        return sum(is_met(score) if reference is None else score > reference for score, reference in scores)


@dataclass(frozen=True)
class CriteriaTable:
    """The criteria as one judge decided them."""

    judge: str
    """The label of the metric."""
    is_relative: bool
    """Whether it scores answers beside a reference report."""
    lines: Sequence[CriterionLine]


def criteria_of(page: QuestionPage) -> list[CriteriaTable]:
    """The criteria of a question, once for each metric that decides them; none for other questions."""
    if page.criteria is None:
        return []
    tables = []
    for metric in judges_of_criteria(page.asked.split.benchmark.slug):
        lines = []
        for place, criterion in enumerate(page.criteria.criteria):
            decided = [(row, row.decisions[metric][place]) for row in page.answers if metric in row.decisions]
            answers = [DecidedAnswer(row, one, criterion.is_fault) for row, one in decided if one is not None]
            weight = page.criteria.dimensions[criterion.dimension] if page.criteria.dimensions else None
            lines.append(CriterionLine(criterion, answers, "" if weight is None else f"{weight:.7g}"))
        judge = metric_named(metric)
        tables.append(CriteriaTable(judge.label, issubclass(judge, AgainstReference), lines))
    return tables
