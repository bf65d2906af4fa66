"""The human row: a study's answers on the board, beside the systems and ranked with none of them."""

import statistics
import uuid
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from humaneval import events
from humaneval.grading.current import by_answer, current_grades, newest, ticked_of
from humaneval.models import Assignment, GradedAnswer, GradeKind, GradingRound, Selection, Study, StudyResult
from humaneval.queries import counted
from leaderboard.board import standings
from leaderboard.models import Entry, EntryKind, ReportedValue, System, SystemType, User
from leaderboard.publishing.services import free_slug
from scoring.analysis.categories import FEWEST
from scoring.models import Answer, Run, Score
from scoring.models.run_states import ACTIVE
from scoring.statistics import BOARD_SEED, TooFewUnitsError, bootstrap_interval

DEFAULT_NAME = "People"


class HumanRowError(ValueError):
    """A study's answers cannot be put on the board, or taken off; the message is for the maintainer."""


@transaction.atomic
def publish_people(result: StudyResult, *, by: User | str, name: str = DEFAULT_NAME, authors: str) -> Entry:
    """Put an answer set of a study on the board, as the row of people in its split and setting.

    Its values are means over the answers that were given, with intervals over participants; the row says how many
    people, answers and questions there are and how long a question took. A row that the study had before is replaced,
    and kept.

    Args:
        name: of the row, at most 200 characters.
        authors: who made the study.

    Raises:
        HumanRowError: it is still being scored, has no score, answers in it were withdrawn since, it has too few
            questions of a hidden split, or name or authors are missing.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=result.study_id)
    name, authors = " ".join(name.split()), " ".join(authors.split())
    if not name or not authors:
        raise HumanRowError("The row needs a name and the names of those who made the study.")
    if Run.objects.filter(answer_set=result.answer_set_id, state__in=ACTIVE).exists():
        raise HumanRowError("Its answers are still being scored. Publish them when that is finished.")
    if not Score.objects.filter(run__answer_set=result.answer_set_id).exists():
        raise HumanRowError("Its answers have no score yet, so there is nothing to publish.")
    if Answer.objects.filter(answer_set=result.answer_set_id, withdrawn_at__isnull=False).exists():
        raise HumanRowError("Answers in it were withdrawn since. Score the study again, and publish that.")
    _require_enough(study, result.n_questions)
    system = _system_of(study, name, authors)
    now = timezone.now()
    others = system.entries.filter(kind=EntryKind.SCORED, replaced_at=None).exclude(answer_set=result.answer_set_id)
    others.update(replaced_at=now, updated_at=now)
    entry, created = Entry.objects.get_or_create(
        answer_set=result.answer_set,
        defaults={
            "system": system,
            "split": study.split,
            "setting": study.setting,
            "kind": EntryKind.SCORED,
            "n_answered": result.n_questions,
            "note": note_of(result),
            "published_at": now,
        },
    )
    if not created:
        entry.replaced_at = None
        entry.published_at = now
        entry.save(update_fields=["replaced_at", "published_at", "updated_at"])
    events.act(study, "study.published", f"On the board as {system.name}: {entry.note}.", by=by)
    standings.refresh_soon()
    return entry


@transaction.atomic
def unpublish_people(study: Study, *, by: User | str) -> None:
    """Take a study's rows off the board, that of its people and that graded by hand; they and their scores are kept.

    Raises:
        HumanRowError: it is not on the board.
    """
    now = timezone.now()
    of_study = Q(answer_set__study_result__study=study) | Q(source=source_of(study))
    rows = Entry.objects.filter(of_study, replaced_at=None)
    if not rows.update(replaced_at=now, updated_at=now):
        raise HumanRowError("The study is not on the board.")
    events.act(study, "study.unpublished", "Taken off the board.", by=by)
    standings.refresh_soon()


def row_of(study: Study) -> Entry | None:
    """The study's row on the board, if it has one. One query."""
    return (
        Entry.objects.filter(answer_set__study_result__study=study, replaced_at=None)
        .select_related("system", "answer_set__study_result")
        .first()
    )


def number_of(study: Study, row: Entry | None) -> int | None:
    """Which of the study's answer sets a row is of, from 1 for the first; nothing without a row. One query."""
    if row is None:
        return None
    made: list[uuid.UUID | None] = list(study.results.order_by("made_at", "pk").values_list("answer_set", flat=True))
    return made.index(row.answer_set_id) + 1


def note_of(result: StudyResult) -> str:
    """How many people gave how many answers, and how long they took, as the row says it."""
    people = f"{result.n_participants} {'person' if result.n_participants == 1 else 'people'}"
    text = f"{people}, {result.n_answers} answers to {result.n_questions} questions"
    seconds = median_seconds(result.study)
    return text if seconds is None else f"{text}, median {seconds / 60:.1f} min of work a question"


def median_seconds(study: Study) -> float | None:
    """The median of the active time on a question that was answered, in seconds; nothing if none was."""
    times = Assignment.objects.filter(
        participant__in=counted(study), question__isnull=False, active_seconds__gt=0, version__gt=0
    ).values_list("active_seconds", flat=True)
    return statistics.median(times) if times else None


def _require_enough(study: Study, n_questions: int) -> None:
    """Let pass only what tells of no single question that is hidden.

    Raises:
        HumanRowError: there are too few.
    """
    if study.split.hidden and n_questions < FEWEST:
        raise HumanRowError(
            f"The split is hidden, and a row of fewer than {FEWEST} questions would tell of single ones: "
            f"this one has {n_questions}."
        )


def _system_of(study: Study, name: str, authors: str) -> System:
    """The study's system: found by the rows that it had, or made."""
    system = System.objects.filter(entries__answer_set__study_result__study=study).first()
    if system is None:
        slug = free_slug(f"people {study.slug}")
        system = System(slug=slug, is_human=True, type=SystemType.OTHER)
    system.name, system.authors = name[:200], authors
    system.details = f"The study “{study.name}”: {study.questions_per_participant} questions a person."
    system.save()
    return system


# --- The upper bound: the same answers, graded by hand -------------------------------------------------------------


@dataclass(frozen=True)
class UpperBound:
    """What a study's people reach when their answers are graded by hand, 0 to 1."""

    study: Study
    loose: float
    """The mean share of the items that graders found."""
    low: float | None
    """With ``high`` the 95 % interval of ``loose``, over participants; nothing with a single one."""
    high: float | None
    strict: float
    n_answers: int
    n_people: int
    n_questions: int


def upper_bounds_of(round_: GradingRound) -> list[UpperBound]:
    """What a round's grades say of each study in it. An answer's share is the decision's, or the graders' mean.

    After Zhu et al. (2024), section 4.5, whose upper bound of people is from grading by hand. Of whoever was excluded
    or withdrew since the round was made nothing counts. Nothing is said by a round of the answers on which scores
    differ most: they are no sample of what people answered. Three queries.
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
    """Put what a study's people reach when graded by hand on the board, beside their row; one before it is replaced.

    It stands there as a reported number, for it is no metric's score: no system was graded so.

    Args:
        slug: of the study.

    Raises:
        HumanRowError: the round is open, has no grades of this study or of too few questions of a hidden split, or
            took the answers on which scores differ.
    """
    if round_.closed_at is None:
        raise HumanRowError("Close the round first: what is on the board should not move with every grade.")
    if round_.selection == Selection.DISAGREEMENTS:
        raise HumanRowError("The round took the answers on which scores differ most: they are no sample.")
    bound = next((one for one in upper_bounds_of(round_) if one.study.slug == slug), None)
    if bound is None:
        raise HumanRowError("Nothing of this study was graded in the round.")
    study = bound.study
    _require_enough(study, bound.n_questions)
    name = f"People, graded by hand ({study.name})"[:200]
    system = System.objects.filter(entries__source=source_of(study), is_human=True).first()
    if system is None:
        system = System(slug=free_slug(f"graded {study.slug}"), is_human=True, type=SystemType.OTHER)
    system.name, system.authors = name, study.owner.get_full_name() or study.owner.get_username()
    system.save()
    now = timezone.now()
    system.entries.filter(replaced_at=None).update(replaced_at=now, updated_at=now)
    ends = f", 95 % interval {bound.low:.3f} to {bound.high:.3f}" if bound.low is not None else ""
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
    events.act(study, "study.upper-bound-published", f"On the board as {name}.", by=by)
    standings.refresh_soon()
    return entry


def source_of(study: Study) -> str:
    """What the row of a study's answers graded by hand names as its source."""
    return f"Graded by hand on this site: the study {study.slug}"
