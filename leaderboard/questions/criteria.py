"""The criteria of a question with what a judge decided about each answer that its page shows, and how many of all
systems meet them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.questions.lookup import PARTIAL, RIGHT, WRONG
from leaderboard.questions.question import QuestionPage, ShownAnswer
from scoring.metrics.rubric.decisions import Decision, is_met
from scoring.metrics.rubric.references import Criterion
from scoring.metrics.rubric.relative import AgainstReference
from scoring.models import AnswerBlock
from scoring.registry import metric_named
from scoring.runs.judging.criteria import Decisions, QuestionCriteria, judges_of_criteria

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
    """Those on the page."""
    decisions: Sequence[Decision]
    """Those about all systems."""
    dimension_weight: str = ""
    """The weight of its dimension, by which its own is multiplied; empty if dimensions have none."""

    @property
    def weight(self) -> str:
        """Its weight as declared, with a true minus sign."""
        return f"{self.criterion.weight:g}".replace("-", "−")

    @property
    def n_best(self) -> int:
        """The number of systems that meet it; beside a reference report, of those with a higher score than that."""
        scores = ((decision.score, decision.reference) for decision in self.decisions)
        return sum(is_met(score) if reference is None else score > reference for score, reference in scores)


@dataclass(frozen=True)
class CriteriaTable:
    """The criteria as one judge decided them."""

    judge: str
    """The label of the metric."""
    is_relative: bool
    """Whether it scores answers beside a reference report."""
    lines: Sequence[CriterionLine]

    @property
    def is_part(self) -> bool:
        """Whether the page shows the decisions about some of the systems alone."""
        return any(len(line.answers) < len(line.decisions) for line in self.lines)


def criteria_of(page: QuestionPage) -> list[CriteriaTable]:
    """The criteria of a question, once for each metric that decides them; none for other questions. For queries see
    `_of_all`."""
    if page.criteria is None:
        return []
    tables, of_all = [], _of_all(page, page.criteria)
    for metric in judges_of_criteria(page.asked.split.benchmark.slug):
        lines = []
        for place, criterion in enumerate(page.criteria.criteria):
            decided = [(row, row.decisions[metric][place]) for row in page.answers if metric in row.decisions]
            answers = [DecidedAnswer(row, one, criterion.is_fault) for row, one in decided if one is not None]
            decisions = [own[metric][place] for own in of_all if metric in own]
            everyone = [one for one in decisions if one is not None]
            weight = f"{page.criteria.dimensions[criterion.dimension]:g}" if page.criteria.dimensions else ""
            lines.append(CriterionLine(criterion, answers, everyone, weight))
        judge = metric_named(metric)
        tables.append(CriteriaTable(judge.label, issubclass(judge, AgainstReference), lines))
    return tables


def _of_all(page: QuestionPage, criteria: QuestionCriteria) -> list[Mapping[str, Decisions]]:
    """What judges decided about the answer of each system, by metric; reasons are of answers on the page alone. One
    query and two for each metric, if the page does not show all systems."""
    shown = {row.outcome.answer_set: row.decisions for row in page.answers}
    others = [answer_set for answer_set, *_ in page.asked.rows if answer_set not in shown]
    if not others:
        return list(shown.values())
    found = AnswerBlock.objects.attempts(others, [page.question.qid])
    texts = {answer_set: answers[min(page.attempt, len(answers)) - 1] for answer_set, _, answers in found}
    answered = {answer_set: text for answer_set, text in texts.items() if text is not None}
    return [*shown.values(), *criteria.decisions(page.asked.signatures, answered, ()).values()]
