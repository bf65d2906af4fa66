"""The items of reference answers, for people who grade answers by hand.

This module is the second way from reference answers to a page, beside `scoring.analysis.explanations`, and the only one
for hidden splits. It requires a `ReadingRight` to the split. This app knows nothing of users, so it does not decide who
has a right: the grading console creates rights for the graders of a round and for maintainers, in one place
(``humaneval/grading/access.py``), and tests check that nothing else creates one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count

from scoring.analysis.explanations import (
    LONGEST_ANSWER,
    Piece,
    ReferenceLine,
    line_by_line,
    marked,
    metric_for,
    readable,
)
from scoring.metrics.base import primitives
from scoring.metrics.list_f1 import ListF1
from scoring.metrics.rubric.items import MAX_ANSWER_CHARACTERS
from scoring.metrics.rubric.references import Criterion, Rubric, rubrics_of
from scoring.metrics.short_answer.metrics import ShortAnswerMetric
from scoring.metrics.short_answer.references import short_references
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import Reference, Revision
from scoring.registry import task_type_of


class NoReadingRightError(PermissionError):
    """The given right does not cover this split's reference answers."""


@dataclass(frozen=True)
class ReadingRight:
    """A user's right to see the reference answers of one split, created where the permission was checked."""

    split_id: int
    holder: str
    """The account."""
    reason: str
    """The reason for the right, for example ``grader of spring-2024``."""


@dataclass(frozen=True)
class Item:
    """One text, number, yes or no of a reference: an item that loose accuracy searches for; or a gold answer, or a
    criterion."""

    number: int
    """The position among the reference's items, from 0, in reading order; a key comes before its value."""
    text: str
    is_key: bool
    """Whether the item is the key of a pair, not a value."""
    also: tuple[str, ...] = ()
    """The other names of a gold answer, which count too."""
    criterion: Criterion | None = None
    """The criterion, with its weight, if references are criteria."""


Lines = tuple[ReferenceLine[Item], ...]


def items_of(lines: Lines) -> list[Item]:
    """The items of a reference answer, in reading order."""
    return [item for line in lines for item in line.items]


def reference_items(revision: Revision, qids: Iterable[str], *, right: ReadingRight) -> dict[str, Lines]:
    """The reference answers of some questions of a revision as lines of items, by the questions' ids. One query.

    The items and their order are those of `StringAccuracy.explain`. Questions without a reference answer are left out.

    Raises:
        NoReadingRightError: the right is for another split.
    """
    _require(right, revision)
    rows = Reference.objects.filter(question__revision=revision, question__qid__in=list(qids))
    task = task_type_of(revision.split.benchmark.slug)
    references: dict[str, Lines] = {}
    for row in rows.select_related("question"):
        others = task.other_names(row.answer)
        if task.by_criteria:
            (rubric,) = rubrics_of([row.answer])
            shown = (
                replace(
                    one,
                    criterion=readable(one.criterion),
                    dimension=readable(one.dimension),
                    explanation=readable(one.explanation),
                    rubric=readable(one.rubric),
                )
                for one in rubric.criteria
            )
            items = [Item(n, one.criterion, False, criterion=one) for n, one in enumerate(shown)]
            lines = [ReferenceLine((item,), 0) for item in items]
        elif others is not None:
            plain = task.plain(row.answer)
            names = zip([plain] if isinstance(plain, str) else plain, others, strict=True)
            items = [Item(n, readable(text), False, tuple(map(readable, also))) for n, (text, also) in enumerate(names)]
            lines = [ReferenceLine((item,), 0) for item in items]
        else:
            numbers = count()
            lines = [
                ReferenceLine(tuple(Item(next(numbers), readable(part.text), part.is_key) for part in line), depth)
                for line, depth in line_by_line(primitives(row.answer))
            ]
        references[row.question.qid] = tuple(lines)
    return references


def reference_json(revision: Revision, qids: Iterable[str], *, right: ReadingRight) -> dict[str, str]:
    """The reference answers of some questions as JSON, by the questions' ids, for corrections. One query.

    Raises:
        NoReadingRightError: the right is for another split.
    """
    _require(right, revision)
    rows = Reference.objects.filter(question__revision=revision, question__qid__in=list(qids))
    return dict(rows.values_list("question__qid", "answer_json"))


def item_counts(revision: Revision) -> dict[str, int]:
    """The number of items in the reference answer of each question of a revision, by the questions' ids. One query.

    The numbers do not reveal the items, but are internal: an answer's length is not shown to anybody without the right.
    """
    rows = Reference.objects.filter(question__revision=revision).select_related("question")
    task = task_type_of(revision.split.benchmark.slug)
    if task.by_criteria:
        return {row.question.qid: len(row.answer["criteria"]) for row in rows}
    return {row.question.qid: sum(1 for _ in primitives(task.plain(row.answer))) for row in rows}


def weights_of_criteria(revision: Revision) -> dict[int, Rubric]:
    """The criteria of each question of a revision without their texts, by the question's key: what they count, and
    their dimensions. Empty if references are no criteria. One query.

    Like `item_counts`, for computing alone.
    """
    if not task_type_of(revision.split.benchmark.slug).by_criteria:
        return {}
    rows = Reference.objects.filter(question__revision=revision).order_by("question__position")
    answers = {row.question_id: row.answer for row in rows}
    return {
        key: replace(
            rubric,
            criteria=tuple(replace(one, criterion="", explanation="") for one in rubric.criteria),
            report="",
        )
        for key, rubric in zip(answers, rubrics_of(list(answers.values())), strict=True)
    }


def longest_shown(revision: Revision) -> int:
    """How many characters of an answer graders see: of a report as many as its judge reads."""
    is_report = task_type_of(revision.split.benchmark.slug).by_criteria
    return MAX_ANSWER_CHARACTERS if is_report else LONGEST_ANSWER


def with_matches(revision: Revision, qid: str, text: str, *, right: ReadingRight, mark: bool) -> tuple[Piece, ...]:
    """An answer's text in pieces; if *mark*, with the items that string accuracy finds in their written form marked.

    Of a list, each prediction is a piece on a line of its own, marked if it is a gold answer.

    The list of found items is not passed on: it would be a score. An answer longer than `longest_shown` is cut there,
    and nothing in it is marked, as in all reports. One query if *mark*, otherwise none.

    Raises:
        NoReadingRightError: the right is for another split.
    """
    _require(right, revision)
    benchmark = revision.split.benchmark.slug
    task, longest = task_type_of(benchmark), longest_shown(revision)
    texts = task.texts_of(text)
    if not mark or task.by_criteria or len(text) > longest:
        return (Piece(readable("\n".join(texts)[:longest]), marked=False),)
    reference = Reference.objects.filter(question__revision=revision, question__qid=qid).first()
    metric = metric_for(benchmark)
    if reference is None:
        return (Piece(readable("\n".join(texts)), marked=False),)
    if isinstance(metric, ListF1):
        _, predictions = metric.explain(reference.answer, text)
        lines = [[Piece(readable(entry), is_right), Piece("\n", marked=False)] for entry, is_right in predictions]
        return tuple(piece for line in lines for piece in line)[:-1]
    if isinstance(metric, ShortAnswerMetric):
        (accepted,) = short_references([reference.answer])
        return tuple(marked(text, accepted.marked if metric.is_right(reference.answer, text) else ()))
    matches = metric.explain(reference.answer, text) if isinstance(metric, StringAccuracy) else []
    return tuple(marked(text, [match.text for match in matches if match.found]))


def _require(right: ReadingRight, revision: Revision) -> None:
    if right.split_id != revision.split_id:
        raise NoReadingRightError("Reading the reference answers requires access to the split.")
