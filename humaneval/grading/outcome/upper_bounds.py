"""Upper bounds: human grades of participants' answers, published as a reported row."""

import statistics
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from humaneval.grading.current_grades import by_answer, current_grades, newest, ticked_of
from humaneval.models import GradedAnswer, GradeKind, GradingRound, Selection, Study
from humaneval.results.human_row import HumanRowError, require_enough
from humaneval.studies import activity_log
from humaneval.studies.queries import source_of
from leaderboard.board.staleness import mark_entries
from leaderboard.models import Entry, EntryKind, ReportedValue, System, SystemType, User
from leaderboard.publishing.systems import free_slug
from scoring.statistics import BOARD_SEED, TooFewUnitsError, bootstrap_interval


@dataclass(frozen=True)
class UpperBound:
    """Human performance in a study when answers are graded by hand, 0 to 1."""

    study: Study
    loose: float
    """The mean share of the items that graders found."""
    low: float | None
    """With ``high`` the 95 % interval of ``loose``, over participants; None with a single one."""
    high: float | None
    strict: float
    n_answers: int
    n_people: int
    n_questions: int


def upper_bounds_of(round_: GradingRound) -> list[UpperBound]:
    """Human performance by a round's grades, for each study in it. An answer's share is the decision's, or the graders'
    mean.

    After Zhu et al. (2024), section 4.5, whose human upper bound is from grading by hand. Answers of participants who
    were excluded or withdrew since the round was made do not count. A round of the answers on which scores differ most
    gives no result: they are not a sample of the participants' answers. Three queries.
    """
    if round_.selection == Selection.DISAGREEMENTS:
        return []
    grades, decisions = by_answer(current_grades(round_)), newest(round_, GradeKind.DECISION)
    rows = (
        GradedAnswer.objects.filter(
            round=round_, is_calibration=False, origin__assignment__isnull=False, pk__in=[*grades, *decisions]
        )
        .filter(origin__assignment__participant__excluded_at=None, origin__assignment__participant__withdrawn_at=None)
        .select_related("question", "origin__assignment__participant__study__split", "origin__assignment__participant")
        .order_by("origin__assignment__participant__number", "position")
    )
    found: dict[Study, list[tuple[float, float, str, str]]] = {}
    for row in rows:
        if row.origin.assignment is None:
            continue
        decision = decisions.get(row.pk)
        given = [ticked_of(decision)] if decision else [ticked_of(grade) for grade in grades[row.pk]]
        loose = statistics.fmean(one.loose for one in given)
        strict = statistics.fmean(one.strict for one in given)
        person = row.origin.assignment.participant
        found.setdefault(person.study, []).append((loose, strict, person.code, row.question.qid))
    return [_upper_bound(study, answers) for study, answers in found.items()]


def _upper_bound(study: Study, answers: list[tuple[float, float, str, str]]) -> UpperBound:
    shares, codes = [loose for loose, _, _, _ in answers], [code for _, _, code, _ in answers]
    try:
        ends = bootstrap_interval(shares, seed=BOARD_SEED, clusters=codes)
    except TooFewUnitsError:
        ends = None
    return UpperBound(
        study=study,
        loose=statistics.fmean(shares),
        low=float(ends.low) if ends else None,
        high=float(ends.high) if ends else None,
        strict=statistics.fmean(strict for _, strict, _, _ in answers),
        n_answers=len(answers),
        n_people=len(set(codes)),
        n_questions=len({qid for _, _, _, qid in answers}),
    )


@transaction.atomic
def publish_upper_bound(round_: GradingRound, slug: str, *, by: User | str) -> Entry:
    """Publish a study's human performance graded by hand on the leaderboard, beside its Human row; replaces an earlier
    one.

    It is shown as a reported number, because it is not a metric's score: no system was graded like this.

    Args:
        slug: the study's slug.

    Raises:
        HumanRowError: the round is open, has no grades of this study or of too few questions of a hidden split, or took
            the answers on which scores differ.
    """
    if round_.closed_at is None:
        raise HumanRowError("Close the round first, so that published scores do not change with every grade.")
    if round_.selection == Selection.DISAGREEMENTS:
        raise HumanRowError(
            "This round contains the answers on which scores differ most, not a random sample. It cannot "
            "estimate human performance."
        )
    bound = next((one for one in upper_bounds_of(round_) if one.study.slug == slug), None)
    if bound is None:
        raise HumanRowError("No answers of this study were graded in the round.")
    study = bound.study
    require_enough(study, bound.n_questions)
    system = _system_of(study)
    now = timezone.now()
    system.entries.filter(replaced_at=None).update(replaced_at=now, updated_at=now)
    ends = f", 95 % confidence interval {bound.low:.3f} to {bound.high:.3f}" if bound.low is not None else ""
    entry = Entry.objects.create(
        system=system,
        split=study.split,
        setting=study.setting,
        kind=EntryKind.REPORTED,
        source=source_of(study),
        note=f"{bound.n_answers} answers of {bound.n_people} people graded by hand in “{round_.name}”{ends}"[:400],
        n_answered=bound.n_questions,
        published_at=now,
    )
    ReportedValue.objects.bulk_create(
        [
            ReportedValue(entry=entry, name="loose", value=bound.loose),
            ReportedValue(entry=entry, name="strict", value=bound.strict),
        ]
    )
    activity_log.record_action(
        study, "study.upper-bound-published", f"Published on the leaderboard as {system.name}.", by=by
    )
    mark_entries(Entry.objects.filter(system=system))
    return entry


def _system_of(study: Study) -> System:
    """The system of a study's participants as graded by hand, saved with the study's current names."""
    system = System.objects.filter(entries__source=source_of(study), is_human=True).first()
    if system is None:
        system = System(slug=free_slug(f"graded {study.slug}"), is_human=True, type=SystemType.OTHER)
    system.name = f"People, graded by hand ({study.name})"[:200]
    system.authors = study.owner.get_full_name() or study.owner.get_username()
    system.save()
    return system
