"""Grades without a slot: known grades of calibration answers, with each grader's results on these, and decisions where
grades differ."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from humaneval.grading.criteria import is_by_criteria, rubrics_of, share_of
from humaneval.grading.current_grades import by_answer, current_grades, newest, ticked_of
from humaneval.grading.desk.page import Filled, filled_from
from humaneval.grading.desk.services import check
from humaneval.grading.errors import RoundClosedError
from humaneval.grading.grade_scores import MARKS, VERDICTS, Tick, Ticked, equal_share, mean, verdict_of
from humaneval.models import Grade, GradedAnswer, GradeKind, GradingRound
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.analysis.reference_items import Item

# --- Calibration ---------------------------------------------------------------------------------------------------


def calibrations(round_: GradingRound) -> dict[int, dict[str, float | None]]:
    """Each grader's results on the answers with a known grade, by the grader's key. Three queries, or four.

    The number of graded ones; and, None without any, the share with the known letter, the mean share of items that are
    ticked, or criteria that are decided, as in the known grade, and the bias: the mean of graded loose, or of the
    score, minus the known value, above 0 if the grader is more generous.
    """
    known = {pk: ticked_of(grade) for pk, grade in newest(round_, GradeKind.KNOWN).items()}
    rubrics = rubrics_of(round_) if known else {}
    pairs: dict[int, list[tuple[Ticked, Ticked]]] = {}
    biases: dict[int, list[float]] = {}
    for grade in current_grades(round_):
        if grade.graded_answer_id in known and grade.slot is not None and grade.slot.grader_id is not None:
            pair = (ticked_of(grade), known[grade.graded_answer_id])
            pairs.setdefault(grade.slot.grader_id, []).append(pair)
            given, right = (share_of(grade.graded_answer, ticked, rubrics) for ticked in pair)
            if given is not None and right is not None:
                biases.setdefault(grade.slot.grader_id, []).append(given - right)
    results = {}
    for grader in round_.graders.values_list("pk", flat=True):
        mine = pairs.get(grader, [])
        results[grader] = {
            "n_graded": len(mine),
            "letters": mean([float(given.letter == right.letter) for given, right in mine]),
            "items": mean([equal_share(given.ticks, right.ticks) for given, right in mine]),
            "bias": mean(biases.get(grader, [])),
        }
    return results


def calibration_answers(round_: GradingRound) -> list[tuple[GradedAnswer, bool]]:
    """The calibration answers by position, each with whether it has its known grade. Two queries."""
    known = newest(round_, GradeKind.KNOWN)
    answers = round_.answers.filter(is_calibration=True).select_related("question")
    return [(answer, answer.pk in known) for answer in answers]


# --- Differences ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """An answer with grades that differ."""

    answer: GradedAnswer
    letters: tuple[str, ...]
    """The grades, ordered by the graders' numbers."""
    n_items_differ: int
    decided: bool


def differ(grades: Sequence[Ticked]) -> bool:
    """Whether grades of one answer differ in an item, the letter, or a mark on the question or the reference."""
    return len({(grade.ticks, grade.letter, grade.unclear_question, grade.reference_wrong) for grade in grades}) > 1


def yet_to_grade(round_: GradingRound, user: User) -> set[int]:
    """The numbers of the answers that a user may still grade in an open round, and whose grades they must not see
    before: none for a user who does not grade in it. Two queries."""
    grader = round_.graders.filter(user=user, removed_at=None).first()
    if grader is None or round_.closed_at is not None:
        return set()
    graded = grader.slots.filter(graded_at__isnull=False).values("graded_answer")
    waiting = round_.answers.filter(is_calibration=False, slots__graded_at=None).exclude(pk__in=graded)
    return set(waiting.values_list("position", flat=True))


def differences(round_: GradingRound, *, but: Collection[int] = ()) -> list[Difference]:
    """The answers with grades that differ, but those of some numbers (`yet_to_grade`): undecided ones first, then those
    where most items differ. Three queries."""
    decided = newest(round_, GradeKind.DECISION)
    answers = {answer.pk: answer for answer in round_.answers.filter(is_calibration=False).select_related("question")}
    differing = []
    for pk, grades in by_answer(current_grades(round_)).items():
        given = [ticked_of(grade) for grade in grades]
        if pk not in answers or answers[pk].position in but or not differ(given):
            continue
        differing.append(
            Difference(
                answer=answers[pk],
                letters=tuple(grade.letter for grade in given),
                n_items_differ=sum(
                    len(set(ticks)) > 1 for ticks in zip(*(grade.ticks for grade in given), strict=True)
                ),
                decided=pk in decided,
            )
        )
    differing.sort(key=lambda row: (row.decided, -row.n_items_differ / row.answer.n_items, row.answer.position))
    return differing


def next_difference(round_: GradingRound, user: User) -> Difference | None:
    """The first undecided difference that the user may decide. Five queries at most."""
    waiting = differences(round_, but=yet_to_grade(round_, user))
    return next((difference for difference in waiting if not difference.decided), None)


def side_by_side(round_: GradingRound, answer: GradedAnswer) -> list[tuple[Grade, Ticked]]:
    """The graders' grades of one answer that count, in order of the graders' numbers. One query."""
    return [(grade, ticked_of(grade)) for grade in current_grades(round_) if grade.graded_answer_id == answer.pk]


def filled_for(answer: GradedAnswer, kind: GradeKind, given: Iterable[Ticked]) -> Filled:
    """The initial values of the form: the last grade of its kind, or else the majority of the graders. One query."""
    last = answer.grades.filter(kind=kind).order_by("-version").first()
    if last is not None:
        return filled_from(last)
    grades = list(given)
    if is_by_criteria(answer.round):
        said = (Counter(column).most_common(1)[0] for column in zip(*(grade.ticks for grade in grades), strict=True))
        return Filled(verdicts={n: verdict_of(tick) for n, (tick, count) in enumerate(said) if count * 2 > len(grades)})
    most = majority(grades)
    return Filled() if most is None else Filled.of(most)


def rows_of(items: Sequence[Item], given: Sequence[Ticked]) -> list[tuple[str, list[tuple[Tick, str]], bool]]:
    """The items, or criteria, of an answer: the text, what each grader says of it, with its words for a criterion, and
    whether they differ."""
    rows = []
    for item in items:
        ticks = [ticked.ticks[item.number] for ticked in given]
        words = [gettext(VERDICTS[verdict_of(tick)][1]) if item.criterion else "" for tick in ticks]
        rows.append((item.text, list(zip(ticks, words, strict=True)), len(set(ticks)) > 1))
    return rows


def majority(grades: Iterable[Ticked]) -> Ticked | None:
    """The ticks and marks of more than half of the graders, with which a decision begins; None without grades."""
    given = list(grades)
    if not given:
        return None
    ticks = tuple(
        sum(map(bool, column)) * 2 > len(given) for column in zip(*(grade.ticks for grade in given), strict=True)
    )
    marks = {mark: sum(getattr(grade, mark) for grade in given) * 2 > len(given) for mark in MARKS}
    if any(ticks):
        marks["refuses"] = False
    return Ticked(ticks, **marks)


@transaction.atomic
def decide(
    *,
    round_: GradingRound,
    answer: GradedAnswer,
    kind: GradeKind,
    by: User,
    ticked: Ticked,
    note: str = "",
    proposal: str = "",
) -> Grade:
    """Store a known grade or a decision; all grades and all earlier ones of its kind remain.

    Decisions may be made after the round is closed; known grades may not, because graders were compared with them.

    Raises:
        NotGradedError: the ticks and marks are inconsistent.
        RoundClosedError: a known grade in a closed round.
    """
    check(ticked, answer.n_items)
    # Versions of decisions about one answer are numbered one after the other.
    locked = GradedAnswer.objects.select_for_update(of=("self",)).select_related("round").get(pk=answer.pk)
    if kind == GradeKind.KNOWN and locked.round.closed_at is not None:
        raise RoundClosedError
    last = locked.grades.filter(kind=kind).order_by("-version").values_list("version", flat=True).first() or 0
    grade = Grade.objects.create(
        graded_answer=locked,
        kind=kind,
        author=by,
        version=last + 1,
        ticks=list(ticked.ticks),
        note=note,
        proposal=proposal,
        **{mark: getattr(ticked, mark) for mark in MARKS},
    )
    what = "grading.decided" if kind == GradeKind.DECISION else "grading.known-grade"
    audit.record(by, what, f"grading round {round_.slug}", f"Answer {answer.position}, version {last + 1}.")
    return grade
