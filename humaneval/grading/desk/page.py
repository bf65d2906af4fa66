"""The content of a grader's screen. Nothing here reads the source of an answer, or any score of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from humaneval.grading import access
from humaneval.grading.current_grades import ticked_of
from humaneval.grading.desk.evidence import Evidence, evidence_of
from humaneval.grading.grade_scores import MARKS
from humaneval.grading.guidelines import LABELS, digit_key
from humaneval.models import Grade, GradedAnswer, GradingRound, GradingSlot
from humaneval.studies.masking import masked
from leaderboard.models import User
from scoring.analysis.explanations import LONGEST_ANSWER, Piece, readable
from scoring.analysis.reference_items import ItemLine, ReadingRight, reference_items, with_matches

KEYS: Final = {
    "contradicts": "c",
    "extra_wrong": "w",
    "extra_right": "m",
    "refuses": "r",
    "unclear_question": "q",
    "reference_wrong": "x",
}
"""The keys of the marks; the script reads them from the page."""


@dataclass(frozen=True)
class ShownItem:
    """An item with its checkbox."""

    number: int
    text: str
    is_key: bool
    key: str
    """The key that ticks it: 1 to 9 and 0, then with Shift; empty beyond the twentieth."""
    ticked: bool
    also: tuple[str, ...] = ()
    """Other names that count too."""


@dataclass(frozen=True)
class ShownLine:
    """An item, or a key with its value."""

    items: tuple[ShownItem, ...]
    depth: int


@dataclass(frozen=True)
class ShownMark:
    """A mark other than an item."""

    name: str
    label: str
    key: str
    marked: bool


@dataclass(frozen=True)
class Filled:
    """The form's values: nothing, an earlier grade, or sent values that could not be saved."""

    ticks: frozenset[int] = frozenset()
    marks: frozenset[str] = frozenset()
    note: str = ""
    proposal: str = ""


@dataclass(frozen=True)
class Screen:
    """One answer to grade."""

    position: int
    """The answer's randomly assigned number in the round."""
    question: str
    lines: tuple[ShownLine, ...]
    marks: tuple[ShownMark, ...]
    answer: tuple[Piece, ...]
    n_left_out: int
    """The number of characters of a very long answer that are hidden."""
    masked: bool
    """Whether some of it is masked."""
    evidence: tuple[Evidence, ...]
    note: str = ""
    proposal: str = ""
    again: bool = False
    """Whether it was graded before and reopened."""
    problem: str = ""
    highlighted: bool = field(default=False)
    """Whether the matches of the string metric are marked."""

    @property
    def n_items(self) -> int:
        """The number of items in the reference."""
        return len(self.items)

    @property
    def items(self) -> list[ShownItem]:
        """Its items, in reading order."""
        return [item for line in self.lines for item in line.items]


def screens_of_slots(
    round_: GradingRound, slots: Sequence[GradingSlot], *, user: User, filled: dict[int, Filled] | None = None
) -> list[Screen]:
    """The screens of claimed slots, in order. Three queries and one for each slot that was graded before."""
    if not slots:
        return []
    right = access.right_of(user, round_)
    earlier = Grade.objects.filter(slot__in=[slot.pk for slot in slots]).order_by("version")
    last = {grade.slot_id: grade for grade in earlier}
    given = filled or {}
    answers = [slot.graded_answer for slot in slots]
    return [
        _screen(
            round_,
            slot.graded_answer,
            lines=lines,
            right=right,
            filled=given.get(slot.pk) or filled_from(last.get(slot.pk)),
            again=slot.pk in last,
        )
        for slot, lines in zip(slots, _lines_of(round_, answers, right), strict=True)
    ]


def screen_of_answer(round_: GradingRound, answer: GradedAnswer, *, user: User, filled: Filled) -> Screen:
    """The screen of an answer for which a maintainer gives a known grade or a decision."""
    right = access.right_of(user, round_)
    (lines,) = _lines_of(round_, [answer], right)
    return _screen(round_, answer, lines=lines, right=right, filled=filled, again=False)


def filled_from(grade: Grade | None) -> Filled:
    """The form values of a grade."""
    if grade is None:
        return Filled()
    ticked = ticked_of(grade)
    return Filled(
        ticks=frozenset(number for number, tick in enumerate(ticked.ticks) if tick),
        marks=frozenset(mark for mark in MARKS if getattr(ticked, mark)),
        note=grade.note,
        proposal=grade.proposal,
    )


def _lines_of(round_: GradingRound, answers: Sequence[GradedAnswer], right: ReadingRight) -> list[tuple[ItemLine, ...]]:
    references = reference_items(round_.revision, {answer.question.qid for answer in answers}, right=right)
    return [references[answer.question.qid].lines for answer in answers]


def _screen(
    round_: GradingRound,
    answer: GradedAnswer,
    *,
    lines: Sequence[ItemLine],
    right: ReadingRight,
    filled: Filled,
    again: bool,
) -> Screen:
    text = masked(answer.text, round_.masks)
    pieces = with_matches(round_.revision, answer.question.qid, text, right=right, mark=round_.shows_matches)
    return Screen(
        position=answer.position,
        question=readable(answer.question.text),
        lines=tuple(
            ShownLine(
                tuple(
                    ShownItem(
                        number=item.number,
                        text=item.text,
                        is_key=item.is_key,
                        key=digit_key(item.number),
                        ticked=item.number in filled.ticks,
                        also=item.also,
                    )
                    for item in line.items
                ),
                line.depth,
            )
            for line in lines
        ),
        marks=tuple(ShownMark(mark, LABELS[mark], KEYS[mark], mark in filled.marks) for mark in MARKS),
        answer=pieces,
        n_left_out=max(len(text) - LONGEST_ANSWER, 0),
        masked=text != answer.text,
        evidence=evidence_of(answer.question),
        note=filled.note,
        proposal=filled.proposal,
        again=again,
        highlighted=any(piece.found for piece in pieces),
    )
