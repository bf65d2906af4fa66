"""The content of a grader's screen, and the form in it. Nothing here reads the source of an answer, or any score of
it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django import forms
from django.db.models import F
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from humaneval.grading import access
from humaneval.grading.criteria import choices_in
from humaneval.grading.current_grades import ticked_of
from humaneval.grading.desk.evidence import evidence_of
from humaneval.grading.desk.services import LONGEST_NOTE, OUT_OF_DATE, NotGradedError
from humaneval.grading.grade_scores import MARKS, VERDICTS, Ticked, verdict_of
from humaneval.models import Grade, GradedAnswer, GradeDraft, GradingRound, GradingSlot
from humaneval.studies.evidence_measures import Gold
from humaneval.studies.masking import masked
from leaderboard.models import User
from scoring.analysis.explanations import Piece, ReferenceLine, readable
from scoring.analysis.reference_items import Item, items_of, longest_shown, reference_items, with_matches
from scoring.models import Question
from scoring.registry import task_type_of

KEYS: Final = {
    "contradicts": "c",
    "extra_wrong": "w",
    "extra_right": "m",
    "refuses": "r",
    "unclear_question": "q",
    "reference_wrong": "x",
}
"""The keys of the marks; the script reads them from the page."""
NONE: Final = "none"
"""The name of the box for an answer with none of the items and nothing wrong, so that no F is an oversight."""
NOTHING_SELECTED: Final = gettext_noop(
    "Nothing is selected. Tick the items that the answer contains, a mark, or None of the items."
)
NOTHING_AND_MORE: Final = gettext_noop("None of the items is ticked together with items or marks. Clear one of them.")
UNDECIDED: Final = gettext_noop("Some criteria are not decided: %(numbers)s. Choose Can’t say where you cannot tell.")
CRITERION: Final = "criterion-"
"""The prefix of a criterion's field, before its number from 0."""
CRITERIA_MARKS: Final = {
    "unclear_question": MARKS["unclear_question"],
    "reference_wrong": gettext_noop("A criterion is wrong"),
}
"""The labels of the marks where people decide criteria."""


@dataclass(frozen=True)
class Filled:
    """The form's values: nothing, an earlier grade, or sent values that could not be saved."""

    ticks: frozenset[int] = frozenset()
    marks: frozenset[str] = frozenset()
    none: bool = False
    """Whether the grader says that there is nothing to tick."""
    note: str = ""
    proposal: str = ""
    named: bool = False
    """Whether the answer told the grader who wrote it."""
    verdicts: Mapping[int, str] = field(default_factory=dict)
    """What is said of criteria, by their numbers."""

    @classmethod
    def of(cls, ticked: Ticked, *, note: str = "", proposal: str = "", named: bool = False) -> "Filled":
        """The values that say the same as a grade."""
        ticks = frozenset(number for number, tick in enumerate(ticked.ticks) if tick)
        verdicts = dict(enumerate(map(verdict_of, ticked.ticks)))
        return cls(ticks, frozenset(ticked.marks), not ticked.says_anything, note, proposal, named, verdicts)


class NoteField(forms.CharField):
    """A text limited as in its box: browsers count a line break as one character, and send two."""

    def to_python(self, value: Any) -> str:
        """The text with uniform line breaks."""
        return str(super().to_python(value.replace("\r\n", "\n") if isinstance(value, str) else value))


class GradeForm(forms.Form):
    """A grader's ticks, or what they say of criteria, and marks. The number of items is known only with the answer."""

    note = NoteField(label=gettext_lazy("Note"), required=False, max_length=LONGEST_NOTE)
    proposal = NoteField(label=gettext_lazy("Corrected reference"), required=False, max_length=LONGEST_NOTE)
    seconds = forms.FloatField(required=False)
    answer = forms.IntegerField(required=False)
    named = forms.BooleanField(required=False)

    def __init__(self, *args: Any, choices: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices = choices

    def filled(self) -> Filled:
        """The sent values, to be shown again."""
        data = self._sent
        return Filled(
            ticks=frozenset(int(number) for number in data.getlist("item") if _is_number(number)),
            marks=frozenset(mark for mark in MARKS if mark in data),
            none=NONE in data,
            note=data.get("note", ""),
            proposal=data.get("proposal", ""),
            named="named" in data,
            verdicts={number: data.get(name, "") for name in data if (number := _criterion(name)) is not None},
        )

    def ticked(self, n_items: int) -> Ticked:
        """The sent values as a grade of an answer with *n_items*.

        Raises:
            NotGradedError: it names an item that does not exist, says nothing, or also that there is nothing to tick;
                it leaves a criterion undecided; or a text cannot be stored.
        """
        self._require_texts()
        if self.choices:
            return self._decided(n_items)
        numbers = self._sent.getlist("item")
        if not all(_is_number(number) and int(number) < n_items for number in numbers):
            raise NotGradedError(gettext(OUT_OF_DATE))
        on = {int(number) for number in numbers}
        ticked = Ticked(
            tuple(number in on for number in range(n_items)), **{mark: mark in self._sent for mark in MARKS}
        )
        if ticked.says_anything == (NONE in self._sent):
            raise NotGradedError(gettext(NOTHING_AND_MORE if ticked.says_anything else NOTHING_SELECTED))
        return ticked

    def _require_texts(self) -> None:
        for name in ("note", "proposal"):
            if self.errors.get(name):
                raise NotGradedError(f"{self[name].label}: {' '.join(map(str, self.errors[name]))}")

    def _decided(self, n_items: int) -> Ticked:
        said = [self._sent.get(f"{CRITERION}{number}", "") for number in range(n_items)]
        missing = [str(number) for number, verdict in enumerate(said, 1) if verdict not in self.choices]
        if missing:
            raise NotGradedError(gettext(UNDECIDED) % {"numbers": ", ".join(missing)})
        marks = {mark: mark in self._sent for mark in CRITERIA_MARKS}
        return Ticked(tuple(VERDICTS[str(verdict)][0] for verdict in said), **marks)

    def as_draft(self) -> str:
        """The sent values that are those of a grade of criteria, complete or not, URL-encoded. Raises
        `NotGradedError` if a text cannot be stored."""
        self._require_texts()
        kept = QueryDict(mutable=True)
        for name, value in self._sent.items():
            if _criterion(name) is not None and value in self.choices:
                kept[name] = str(value)
            elif name in CRITERIA_MARKS or name == "named":
                kept[name] = "on"
        for name in ("note", "proposal"):
            kept[name] = self.cleaned_data[name]
        return kept.urlencode()

    @property
    def _sent(self) -> QueryDict:
        data = self.data
        return data if isinstance(data, QueryDict) else QueryDict()


def _criterion(name: str) -> int | None:
    """The number of the criterion that a field is about, from 0; None for another field."""
    number = name.removeprefix(CRITERION)
    return int(number) if name.startswith(CRITERION) and _is_number(number) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 7


@dataclass(frozen=True)
class CriterionField:
    """A criterion to decide."""

    item: Item
    choices: tuple[tuple[str, str, bool], ...]
    """What can be said of it: value, label and whether it is chosen."""

    @property
    def name(self) -> str:
        return f"{CRITERION}{self.item.number}"


@dataclass(frozen=True)
class Screen:
    """One answer to grade."""

    position: int
    """The answer's randomly assigned number in the round."""
    question: str
    """Text of the question, as it can be shown."""
    asked: Question
    """The question, for its options, context and language."""
    lines: tuple[ReferenceLine[Item], ...]
    filled: Filled
    answer: tuple[Piece, ...]
    n_left_out: int
    """The number of characters of a very long answer that are hidden."""
    masked: bool
    evidence: tuple[Gold, ...]
    again: bool
    """Whether the answer was graded before and reopened."""
    choices: tuple[str, ...] = ()
    """What can be said of each criterion; empty if items are ticked."""
    report: str = ""
    """The answer where answers are Markdown, masked and as far as it is shown, to be formatted; its ``answer`` is
    empty."""

    @property
    def items(self) -> list[Item]:
        return items_of(self.lines)

    @property
    def criteria(self) -> list[CriterionField]:
        """The criteria to decide, in order; empty if items are ticked."""
        labels = [(choice, gettext(VERDICTS[choice][1])) for choice in self.choices]
        said = self.filled.verdicts
        return [
            CriterionField(item, tuple((value, label, said.get(item.number) == value) for value, label in labels))
            for item in (self.items if labels else ())
        ]

    @property
    def highlighted(self) -> bool:
        """Whether the matches of the string metric are marked."""
        return any(piece.marked for piece in self.answer)

    @property
    def marks(self) -> list[tuple[str, str, str]]:
        """The marks other than items: names, labels and keys."""
        marks = CRITERIA_MARKS if self.choices else MARKS
        return [(name, gettext(label), KEYS[name]) for name, label in marks.items()]


def screens_of_slots(
    round_: GradingRound, slots: Sequence[GradingSlot], *, user: User, filled: dict[int, Filled] | None = None
) -> list[Screen]:
    """The screens of claimed slots, in order. Three queries, four where people decide criteria, and one for each slot
    that was graded before."""
    if not slots:
        return []
    earlier = Grade.objects.filter(slot__in=[slot.pk for slot in slots]).order_by("version")
    last = {grade.slot_id: grade for grade in earlier}
    values = _drafts(round_, slots) | (filled or {})
    shown = [
        (slot.graded_answer, values.get(slot.pk) or filled_from(last.get(slot.pk)), slot.pk in last) for slot in slots
    ]
    return _screens(round_, shown, user)


def _drafts(round_: GradingRound, slots: Sequence[GradingSlot]) -> dict[int, Filled]:
    """What the graders of slots have decided so far, by the slot's key; one query where people decide criteria."""
    choices = choices_in(round_)
    if not choices:
        return {}
    drafts = GradeDraft.objects.filter(slot__in=[slot.pk for slot in slots], grader=F("slot__grader"))
    return {draft.slot_id: GradeForm(QueryDict(draft.form), choices=choices).filled() for draft in drafts}


def screen_of_answer(round_: GradingRound, answer: GradedAnswer, *, user: User, filled: Filled) -> Screen:
    """The screen of an answer for which a maintainer gives a known grade or a decision."""
    (screen,) = _screens(round_, [(answer, filled, False)], user)
    return screen


def filled_from(grade: Grade | None) -> Filled:
    return (
        Filled()
        if grade is None
        else Filled.of(ticked_of(grade), note=grade.note, proposal=grade.proposal, named=grade.named)
    )


def _screens(round_: GradingRound, shown: Sequence[tuple[GradedAnswer, Filled, bool]], user: User) -> list[Screen]:
    """The screens of answers, each with the form's values and whether it was graded before."""
    right = access.right_of(user, round_)
    references = reference_items(round_.revision, {answer.question.qid for answer, _, _ in shown}, right=right)
    longest, choices = longest_shown(round_.revision), choices_in(round_)
    has_markdown = task_type_of(round_.revision.split.benchmark.slug).has_markdown
    screens = []
    for answer, filled, again in shown:
        text = masked(answer.text, round_.masks)
        qid = answer.question.qid
        screens.append(
            Screen(
                position=answer.position,
                question=readable(answer.question.text),
                asked=answer.question,
                lines=references[qid],
                filled=filled,
                answer=()
                if has_markdown
                else with_matches(round_.revision, qid, text, right=right, mark=round_.shows_matches),
                n_left_out=max(len(text) - longest, 0),
                masked=text != answer.text,
                evidence=evidence_of(answer.question),
                again=again,
                choices=choices,
                report=text[:longest] if has_markdown else "",
            )
        )
    return screens
