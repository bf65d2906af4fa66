"""The items of reference answers, for who grades answers by hand.

The second way from reference answers to a page, beside `scoring.analysis.explanations`, and the only one that leads
from a hidden split. It opens only to a `ReadingRight` to that split. Who has one is not known here, where nobody knows
of users: the grading console gives it to the graders of a round and to maintainers, in one place
(``humaneval/grading/access.py``), and tests hold that nothing else makes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoring.analysis.explanations import LONGEST_ANSWER, METRIC, Piece, marked, readable
from scoring.metrics.base import ReferencePath, primitives
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import Reference, Revision
from scoring.registry import metric_named


class NoReadingRightError(PermissionError):
    """The right that was shown is none to this split's reference answers."""


@dataclass(frozen=True)
class ReadingRight:
    """Somebody's right to see the reference answers of one split, made where it was checked that they have it."""

    split_id: int
    holder: str
    """The account."""
    reason: str
    """Why they have it, for example ``grader of spring-2024``."""


@dataclass(frozen=True)
class Item:
    """One text, number, yes or no of a reference: what loose accuracy looks for."""

    number: int
    """Its place among the reference's items, from 0, in reading order; a key comes before its value."""
    text: str
    is_key: bool
    """Whether it is the key of a pair, not a value."""


@dataclass(frozen=True)
class ItemLine:
    """An item, or a key with its value; what is nested in a key follows, one deeper."""

    items: tuple[Item, ...]
    depth: int
    """How deep it is nested, from 0."""


@dataclass(frozen=True)
class ItemisedReference:
    """A reference answer in its items."""

    qid: str
    lines: tuple[ItemLine, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """Its items, shape (n_items,), in reading order."""
        return tuple(item for line in self.lines for item in line.items)

    def __len__(self) -> int:
        return sum(len(line.items) for line in self.lines)


def reference_items(revision: Revision, qids: Iterable[str], *, right: ReadingRight) -> dict[str, ItemisedReference]:
    """The reference answers of some questions of a revision in their items, by the questions' ids. One query.

    The same items, in the same order, as `StringAccuracy.explain` decides about. Questions without a reference answer
    are left out.

    Raises:
        NoReadingRightError: the right is to another split.
    """
    _require(right, revision)
    rows = Reference.objects.filter(question__revision=revision, question__qid__in=list(qids))
    return {row.question.qid: _itemised(row) for row in rows.select_related("question")}


def reference_json(revision: Revision, qids: Iterable[str], *, right: ReadingRight) -> dict[str, str]:
    """The reference answers of some questions as JSON, by the questions' ids, for who corrects them. One query.

    Raises:
        NoReadingRightError: the right is to another split.
    """
    _require(right, revision)
    rows = Reference.objects.filter(question__revision=revision, question__qid__in=list(qids))
    return dict(rows.values_list("question__qid", "answer_json"))


def item_counts(revision: Revision) -> dict[str, int]:
    """How many items the reference answer of each question of a revision has, by the questions' ids. One query.

    It says nothing of what they are, but stays inside: how long an answer is, is told to nobody without the right.
    """
    rows = Reference.objects.filter(question__revision=revision).select_related("question")
    return {row.question.qid: sum(1 for _ in primitives(row.answer)) for row in rows}


def with_matches(revision: Revision, qid: str, text: str, *, right: ReadingRight, mark: bool) -> tuple[Piece, ...]:
    """An answer's text in pieces; if *mark*, those that string accuracy finds and that stand there as written marked.

    Which items were found is told no further: it would be a score. Of an answer longer than `LONGEST_ANSWER` only so
    much is given, and nothing is marked. One query if *mark*, otherwise none.

    Raises:
        NoReadingRightError: the right is to another split.
    """
    _require(right, revision)
    if not mark or len(text) > LONGEST_ANSWER:
        return (Piece(readable(text[:LONGEST_ANSWER]), found=False),)
    reference = Reference.objects.filter(question__revision=revision, question__qid=qid).first()
    matches = _metric().explain(reference.answer, text) if reference is not None else []
    return tuple(marked(text, [match.text for match in matches if match.found]))


def _require(right: ReadingRight, revision: Revision) -> None:
    if right.split_id != revision.split_id:
        raise NoReadingRightError("Reading the reference answers requires access to the split.")


def _metric() -> StringAccuracy:
    build = metric_named(METRIC).build
    metric = build() if build else None
    if not isinstance(metric, StringAccuracy):
        raise TypeError(f"{METRIC} finds no items")
    return metric


def _itemised(reference: Reference) -> ItemisedReference:
    lines: list[ItemLine] = []
    waiting: tuple[Item, ReferencePath] | None = None
    for number, primitive in enumerate(primitives(reference.answer)):
        item = Item(number, readable(primitive.text), primitive.is_key)
        if waiting is not None and not primitive.is_key and primitive.path == waiting[1]:
            lines.append(_line((waiting[0], item), primitive.path))
            waiting = None
            continue
        if waiting is not None:
            lines.append(_line((waiting[0],), waiting[1]))
        waiting = (item, primitive.path) if primitive.is_key else None
        if waiting is None:
            lines.append(_line((item,), primitive.path))
    if waiting is not None:
        lines.append(_line((waiting[0],), waiting[1]))
    return ItemisedReference(reference.question.qid, tuple(lines))


def _line(items: Sequence[Item], path: ReferencePath) -> ItemLine:
    return ItemLine(tuple(items), max(len(path) - 1, 0))
