"""Explanations of a question's score: the reference items that were found in an answer, and where.

This module is one of two ways from reference answers to pages, and the only one for everybody. It serves splits with
public answers only: a hidden split is refused for every caller, whatever their rights. Graders use the other way,
`scoring.analysis.reference_items`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from scoring.metrics.base import Metric, Primitive
from scoring.metrics.list_f1 import ListF1
from scoring.metrics.short_answer.metrics import ShortAnswerMetric
from scoring.metrics.short_answer.references import short_references
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import AnswerBlock, AnswerSet, Question, Reference, Revision, Split
from scoring.registry import metric_of, outcomes_of, scored_texts, signature_of, task_type_of

LONGEST_ANSWER = 20_000
"""Characters of an answer that are read for a page; the longest real answer known has 13,618. Nothing is explained for
a longer answer."""
MOST_QUESTIONS = 100
"""The maximum number of questions explained at once: their answers are read and normalised for it."""
NOT_EXPLAINED = "No metric of this task type explains results question by question."


class HiddenSplitError(PermissionError):
    """The split's reference answers and per-question outcomes are hidden from everybody."""


@dataclass(frozen=True)
class Piece:
    """A part of an answer's text, or of a search result's."""

    text: str
    marked: bool = False
    """Whether the part is an item of the reference, as written there; or matches the query."""


@dataclass(frozen=True)
class ReferenceItem:
    """One item of a reference answer."""

    text: str
    found: bool
    by: tuple[str, ...] = ()
    """The predictions that found a gold answer, if they are written otherwise and may be shown."""
    also: tuple[str, ...] = ()
    """Further accepted answers, of which any is enough."""


_I = TypeVar("_I")


@dataclass(frozen=True)
class ReferenceLine(Generic[_I]):
    """An item of a reference answer, or a key with its value; items nested in a key follow, one level deeper."""

    items: tuple[_I, ...]
    depth: int
    """The nesting depth, from 0."""


@dataclass(frozen=True)
class Explanation:
    """One question, its reference answer, and the reference items in an answer."""

    qid: str
    text: str
    """The question."""
    categories: tuple[str, ...]
    lines: tuple[ReferenceLine[ReferenceItem], ...]
    """The reference answer."""
    answered: bool
    answer: tuple[Piece, ...] | None
    """The answer's text in order; ``None`` if the text was not requested, or there is no answer."""
    answer_length: int
    """The length in characters."""
    too_long: bool
    """Whether the answer is longer than `LONGEST_ANSWER`: its text is cut there, and its items are not known."""
    is_list: bool = False
    """Whether the pieces of the answer are the predictions of a list."""
    is_whole: bool = False
    """Whether the answer is right or wrong as a whole: the reference is one item."""
    language: str = ""
    """The code of the question's language; empty if it is not stated."""

    @property
    def n_items(self) -> int:
        """The number of items of the reference."""
        return sum(len(line.items) for line in self.lines)

    @property
    def n_found(self) -> int:
        """The number of these items that are in the answer."""
        return sum(item.found for line in self.lines for item in line.items)


def explain(
    answer_set: AnswerSet, revision: Revision, places: Sequence[int], *, with_answers: bool
) -> list[Explanation]:
    """The reference items that an answer set contains, for some questions of a revision.

    Items are matched by this site's current version of the task type's metric; a score made by another version may
    differ. An item that is found only in its normalised form (another inflection, for example) counts as *found*, but
    is not marked in a text. Four queries, whatever the number of questions.

    Args:
        answer_set: a system's answers (not a study's); of several attempts the first.
        places: positions of questions in the revision, from 0; at most `MOST_QUESTIONS`.
        with_answers: whether to include the answers' own text. Without it only the found reference items are returned.

    Returns:
        One for each of *places*, in their order.

    Raises:
        HiddenSplitError: the split is hidden.
        ValueError: the answers belong to another split, or there are too many places.
    """
    benchmark = (
        Split.with_drafts.filter(pk=revision.split_id, hidden=False).values_list("benchmark__slug", flat=True).first()
    )
    if benchmark is None:
        raise HiddenSplitError("Reference answers and per-question results of a hidden split are private.")
    if answer_set.split_id != revision.split_id:
        raise ValueError("The answers are for the questions of another split.")
    if len(places) > MOST_QUESTIONS:
        raise ValueError(f"At most {MOST_QUESTIONS} questions can be explained at once, not {len(places)}.")
    qids = list(Question.objects.filter(revision=revision).order_by("position").values_list("qid", flat=True))
    wanted = [qids[place] for place in places]
    references = {
        reference.question.qid: reference
        for reference in Reference.objects.filter(question__revision=revision, question__qid__in=wanted).select_related(
            "question"
        )
    }
    answers = {
        qid: (text[:LONGEST_ANSWER], len(text))
        for qid, text in scored_texts(benchmark, AnswerBlock.objects.first_texts_of(answer_set, wanted)).items()
    }
    metric = metric_for(benchmark)
    return [
        _explanation(metric, references[qid], *answers.get(qid, (None, 0)), with_answers=with_answers)
        for qid in wanted
        if qid in references
    ]


def explain_text(question: Question, text: str) -> Explanation:
    """The reference items of one question in a text that is in no answer set: for practice.

    The text is as typed; of a list, one answer a line.

    Raises:
        HiddenSplitError: the question's split is hidden, or the question has no reference answer.
    """
    reference = (
        Reference.objects.select_related("question")
        .filter(question=question, question__revision__split__hidden=False)
        .first()
    )
    if reference is None:
        raise HiddenSplitError("Reference answers and per-question results of a hidden split are private.")
    benchmark = question.revision.split.benchmark.slug
    stored = task_type_of(benchmark).typed(text)
    return _explanation(metric_for(benchmark), reference, stored, len(stored), with_answers=True)


class QuestionItems:
    """The reference of one question of an open split: its items, which of them an answer has, and where.

    Raises:
        HiddenSplitError: the question's split is hidden, or the question has no reference answer.
        TypeError: as `metric_for`.
    """

    def __init__(self, question: Question) -> None:
        """One query."""
        related = Reference.objects.select_related("question__revision__split__benchmark")
        reference = related.filter(question=question, question__revision__split__hidden=False).first()
        if reference is None:
            raise HiddenSplitError("Reference answers and per-question results of a hidden split are private.")
        self._reference = reference
        self._metric = metric_for(reference.question.revision.split.benchmark.slug)
        self.lines = _explanation(self._metric, reference, None, 0, with_answers=False).lines
        """The reference answer, with no item found."""
        self.n_items = sum(len(line.items) for line in self.lines)
        matches = self._metric.explain(reference.answer, None) if isinstance(self._metric, StringAccuracy) else []
        self._written = [match.text for match in matches]
        self._is_whole = isinstance(self._metric, ShortAnswerMetric)

    @property
    def signature(self) -> str:
        """The signature of the scores that the matches belong to."""
        return signature_of(self._metric, self._reference.question.revision.signature_part)

    def found(self, text: str) -> tuple[bool, ...]:
        """Whether an answer has each item, in the order of `lines`. The text is normalised, which takes a
        millisecond or two."""
        lines = _explanation(self._metric, self._reference, text, len(text), with_answers=False).lines
        return tuple(item.found for line in lines for item in line.items)

    def pieces(self, text: str, marks: Sequence[bool]) -> tuple[Piece, ...]:
        """An answer, or the beginning of a text, with the found items marked."""
        if isinstance(self._metric, ListF1):
            _, predictions = self._metric.explain(self._reference.answer, text)
            return tuple(Piece(readable(prediction), is_right) for prediction, is_right in predictions)
        if self._is_whole:
            return _short_pieces(self._reference, text, is_right=all(marks))
        return tuple(marked(text, [item for item, is_found in zip(self._written, marks, strict=True) if is_found]))


def explaining_metric(benchmark: str) -> str | None:
    """The name of the metric whose decisions are explained; None if the benchmark declares none."""
    outcomes = outcomes_of(benchmark)
    return outcomes.metric if outcomes is not None else None


def signature_now(revision: Revision) -> str:
    """The signature of scores that the explanations match exactly."""
    return signature_of(metric_for(revision.split.benchmark.slug), revision.signature_part)


def metric_for(benchmark: str) -> Metric:
    """The metric whose decisions are explained, with the benchmark's parameters.

    Raises:
        TypeError: it explains nothing.
    """
    name = explaining_metric(benchmark)
    metric = metric_of(benchmark, name) if name is not None else None
    if not isinstance(metric, StringAccuracy | ListF1 | ShortAnswerMetric):
        raise TypeError(NOT_EXPLAINED)
    return metric


def _explanation(
    metric: Metric, reference: Reference, text: str | None, length: int, *, with_answers: bool
) -> Explanation:
    too_long = length > LONGEST_ANSWER
    known = None if too_long else text
    shown: tuple[Piece, ...] | None = None
    if isinstance(metric, ListF1):  # each gold answer is a line, and the answer is the list of predictions
        golds, predictions = metric.explain(reference.answer, known)
        items = []
        for gold, by in golds:  # with the predictions that are written otherwise, each once
            others = tuple(readable(prediction) for prediction in dict.fromkeys(by) if prediction != gold)
            items.append(ReferenceItem(readable(gold), bool(by), others if with_answers else ()))
        lines = tuple(ReferenceLine((item,), 0) for item in items)
        if with_answers and known is not None:
            shown = tuple(Piece(readable(prediction), is_right) for prediction, is_right in predictions)
    elif isinstance(metric, StringAccuracy):
        matches = metric.explain(reference.answer, known)
        lines = tuple(
            ReferenceLine(tuple(ReferenceItem(readable(match.text), match.found) for match in line), depth)
            for line, depth in line_by_line(matches)
        )
        if with_answers and known is not None:
            shown = tuple(marked(known, [match.text for match in matches if match.found]))
    elif isinstance(metric, ShortAnswerMetric):  # one line, whatever the number of accepted answers
        (accepted,) = short_references([reference.answer])
        is_right = metric.is_right(reference.answer, known)
        texts = tuple(map(readable, accepted.in_words))
        lines = (ReferenceLine((ReferenceItem(texts[0], is_right, also=texts[1:]),), 0),)
        if with_answers and known is not None:
            shown = _short_pieces(reference, known, is_right=is_right)
    else:
        raise TypeError(f"{metric.name} explains nothing.")
    if with_answers and too_long and text is not None:
        shown = (Piece(readable(text), marked=False),)
    question = reference.question
    return Explanation(
        qid=question.qid,
        text=question.text,
        language=question.language,
        categories=tuple(question.categories),
        lines=lines,
        answered=text is not None,
        answer=shown,
        answer_length=length,
        too_long=too_long,
        is_list=isinstance(metric, ListF1) and not too_long,
        is_whole=isinstance(metric, ShortAnswerMetric),
    )


def _short_pieces(reference: Reference, text: str, *, is_right: bool) -> tuple[Piece, ...]:
    """A short answer with the accepted answers marked, if it is right."""
    (accepted,) = short_references([reference.answer])
    return tuple(marked(text, accepted.marked if is_right else ()))


PrimitiveItem = TypeVar("PrimitiveItem", bound=Primitive)


def line_by_line(items: Iterable[PrimitiveItem]) -> Iterator[tuple[tuple[PrimitiveItem, ...], int]]:
    """The primitives of a reference as lines, each with its depth: a primitive value is next to its key, several values
    are below it."""
    line: list[PrimitiveItem] = []
    for item in items:
        if line and (item.is_key or item.path != line[0].path):
            yield tuple(line), max(len(line[0].path) - 1, 0)
            line = []
        line.append(item)
        if not item.is_key:
            yield tuple(line), max(len(line[0].path) - 1, 0)
            line = []
    if line:
        yield tuple(line), max(len(line[0].path) - 1, 0)


# --- The text of answers -------------------------------------------------------------------------------------------


def marked(text: str, items: Sequence[str]) -> Iterator[Piece]:
    """A text in pieces, with the *found* items marked: as written except for case, as whole words.

    Overlapping items are marked once, the longest first. Every piece is `readable`.

    >>> [(piece.text, piece.marked) for piece in marked("Oslo, in oslofjord: OSLO", ["Oslo"])]
    [('Oslo', True), (', in oslofjord: ', False), ('OSLO', True)]
    """
    words = sorted({item.strip() for item in items if item.strip()}, key=len, reverse=True)
    end = 0
    if words:
        whole = re.compile(r"\w(?:.*\w)?", re.DOTALL)  # a word, or several, is found only as a whole
        patterns = (rf"(?<!\w){re.escape(word)}(?!\w)" if whole.fullmatch(word) else re.escape(word) for word in words)
        for hit in re.compile("|".join(patterns), re.IGNORECASE).finditer(text):
            if hit.start() > end:
                yield Piece(readable(text[end : hit.start()]), marked=False)
            yield Piece(readable(hit.group()), marked=True)
            end = hit.end()
    if end < len(text):
        yield Piece(readable(text[end:]), marked=False)


def readable(text: str) -> str:
    """Text that can be shown as sent without affecting the page around it.

    Characters that are invisible, or reverse the direction of the following text, become ``U+202E`` in brackets; line
    breaks and tabs stay, as do the joiners that scripts and emoji need.

    >>> readable("a\\u202eb\\x07\\n")
    'a⟨U+202E⟩b⟨U+0007⟩\\n'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if character in _ALLOWED_WHITESPACE or unicodedata.category(character) not in _INVISIBLE_CATEGORIES
        else f"⟨U+{ord(character):04X}⟩"
        for character in text.replace("\r\n", "\n")
    )


_ALLOWED_WHITESPACE = frozenset("\n\t\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{SOFT HYPHEN}")
_INVISIBLE_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
