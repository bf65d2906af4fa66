"""The overview of a round: for its maintainer, and in the lists of rounds."""

import datetime
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from humaneval.grading.current_grades import current_grades, newest
from humaneval.grading.desk.adjudication import differences
from humaneval.grading.desk.calibration import Calibration, calibrations
from humaneval.grading.outcome.reference_corrections import open_corrections
from humaneval.models import GradeKind, Grader, GradingRound, GradingSlot, Study
from leaderboard.models import SubmissionFile, User
from scoring.benchmarks import definitions
from scoring.models import Split
from scoring.task_types import task_type_named


@dataclass(frozen=True)
class RoundRow:
    """A round in a list."""

    round: GradingRound
    n_answers: int
    n_slots: int
    n_graded: int
    is_mine: bool
    """Whether the visitor grades in it."""

    @property
    def percent(self) -> float:
        """The graded part in per cent, 0 to 100."""
        return 100 * self.n_graded / self.n_slots if self.n_slots else 100.0


@dataclass(frozen=True)
class GraderRow:
    """A grader in a round."""

    grader: Grader
    n_graded: int
    seconds: float | None
    """The median time on the screen; None if it is not known."""
    calibration: Calibration
    last_at: datetime.datetime | None


@dataclass(frozen=True)
class Source:
    """A source of answers in a round."""

    name: str
    setting: str
    n_answers: int


@dataclass(frozen=True)
class Overview:
    """The overview of a round."""

    row: RoundRow
    graders: list[GraderRow]
    sources: list[Source] | None
    """None if the visitor may not see them yet."""
    n_claimed: int
    """Slots that are on a grader's screen now."""
    n_calibration: int
    n_known: int
    """Calibration answers that have their known grade."""
    n_different: int
    n_undecided: int
    n_corrections: int
    seconds: float | None


def rounds_of(user: User, *, can_maintain: bool) -> list[RoundRow]:
    """The rounds that a user grades in, and, if they manage rounds, all. Newest first; two queries."""
    mine = set(Grader.objects.filter(user=user, removed_at=None).values_list("round", flat=True))
    rounds = GradingRound.objects.select_related("revision__split__benchmark")
    return [
        _row(round_, is_mine=round_.pk in mine)
        for round_ in _counted(rounds if can_maintain else rounds.filter(pk__in=mine))
    ]


def gradable_splits() -> QuerySet[Split]:
    """The splits whose answers can be graded: those with reference answers that answers are scored against."""
    slugs = [slug for slug, one in definitions().items() if task_type_named(one.task_type).needs_references]
    found = Split.objects.filter(current_revision__has_references=True, benchmark__slug__in=slugs)
    return found.select_related("benchmark", "current_revision")


def _counted(rounds: QuerySet[GradingRound]) -> QuerySet[GradingRound]:
    ordinary = Q(answers__is_calibration=False)
    return rounds.annotate(
        n_answers=Count("answers", filter=ordinary, distinct=True),
        n_slots=Count("answers__slots", filter=ordinary, distinct=True),
        n_graded=Count("answers__slots", filter=ordinary & Q(answers__slots__graded_at__isnull=False), distinct=True),
    ).order_by("-created_at", "slug")


def _row(round_: GradingRound, *, is_mine: bool) -> RoundRow:
    n_answers, n_slots, n_graded = (getattr(round_, name) for name in ("n_answers", "n_slots", "n_graded"))
    return RoundRow(round_, n_answers=n_answers, n_slots=n_slots, n_graded=n_graded, is_mine=is_mine)


def overview_of(round_: GradingRound, *, grader: Grader | None, with_sources: bool) -> Overview:
    """The overview of a round, for its maintainer. The number of queries does not grow with answers or graders."""
    counted = _counted(GradingRound.objects.filter(pk=round_.pk)).get()
    counted.revision = round_.revision
    grades = current_grades(round_)
    by_grader: dict[int, list[float]] = {}
    for grade in grades:
        if grade.slot is not None and grade.slot.grader_id is not None and grade.seconds is not None:
            by_grader.setdefault(grade.slot.grader_id, []).append(grade.seconds)
    calibrated = calibrations(round_)
    stated = dict(
        GradingSlot.objects.filter(graded_answer__round=round_, graded_at__isnull=False)
        .order_by()
        .values_list("grader")
        .annotate(n=Count("pk"))
    )
    last: dict[int, datetime.datetime] = {}
    for grade in grades:
        if grade.slot is not None and grade.slot.grader_id is not None:
            at = last.get(grade.slot.grader_id)
            last[grade.slot.grader_id] = max(at, grade.made_at) if at else grade.made_at
    different = differences(round_)
    return Overview(
        row=_row(counted, is_mine=grader is not None),
        graders=[
            GraderRow(
                grader=one,
                n_graded=stated.get(one.pk, 0),
                seconds=_median(by_grader.get(one.pk, [])),
                calibration=calibrated[one.pk],
                last_at=last.get(one.pk),
            )
            for one in round_.graders.select_related("user")
        ],
        sources=sources_of(round_) if with_sources else None,
        n_claimed=GradingSlot.objects.filter(
            graded_answer__round=round_, graded_at=None, lease_until__gte=timezone.now()
        ).count(),
        n_calibration=round_.answers.filter(is_calibration=True).count(),
        n_known=len(newest(round_, GradeKind.KNOWN)),
        n_different=len(different),
        n_undecided=sum(not one.decided for one in different),
        n_corrections=len(open_corrections(round_)),
        seconds=_median([value for values in by_grader.values() for value in values]),
    )


def sources_of(round_: GradingRound, *, calibration: bool = True) -> list[Source]:
    """The sources of a round's answers; only for a visitor with `may_see_sources`. Two queries.

    Args:
        calibration: whether to count calibration answers too.
    """
    submission = "origin__answer__answer_set__submission_file__submission__name"
    setting = "origin__answer__answer_set__setting__name"
    study = "origin__assignment__participant__study__name"
    answers = round_.answers.order_by() if calibration else round_.answers.order_by().filter(is_calibration=False)
    rows = answers.filter(origin__answer__isnull=False).values_list(submission, setting)
    people = answers.filter(origin__assignment__isnull=False).values_list(study)
    found = [Source(name or "", where or "", n) for name, where, n in rows.annotate(n=Count("pk"))]
    found += [Source(name or "", "people", n) for name, n in people.annotate(n=Count("pk"))]
    return sorted(found, key=lambda one: (one.name.casefold(), one.setting))


def drawn_from(round_: GradingRound, files: Iterable[SubmissionFile], studies: Iterable[Study]) -> list[Source]:
    """The number of answers that a round took from each chosen source, including 0. Two queries."""
    taken = {(one.name, one.setting): one.n_answers for one in sources_of(round_, calibration=False)}
    chosen = [(file.submission.name, file.setting.name) for file in files]
    chosen += [(study.name, "people") for study in studies]
    return [Source(name, where, taken.get((name, where), 0)) for name, where in dict.fromkeys(chosen)]


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None
