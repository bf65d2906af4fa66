"""The Human row: a study's answers on the leaderboard, shown with the systems but not ranked."""

from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from humaneval.models import GradingRound, Selection, Study, StudyResult
from humaneval.studies import activity_log
from humaneval.studies.evidence_measures import median_of
from humaneval.studies.queries import counted_answers, source_of
from leaderboard.board.staleness import mark_entries
from leaderboard.board.write import write_on_commit
from leaderboard.models import Entry, EntryKind, System, SystemType, User
from leaderboard.publishing.systems import free_slug
from scoring.analysis.categories import FEWEST
from scoring.models import Answer, Run, Score
from scoring.models.run_states import ACTIVE
from scoring.queries import current_signatures, shows_earlier_revision
from scoring.statistics import FEWEST_PEOPLE

DEFAULT_NAME = "People"
NAMES_NEEDED: Final = "Enter a row name and the study authors."
LONGEST_NAME: Final = 200
LONGEST_AUTHORS: Final = 1_000
NAMES_TOO_LONG: Final = f"Enter at most {LONGEST_NAME} characters as the row name and {LONGEST_AUTHORS:,} as authors."
NOT_ON_BOARD: Final = "The study is not on the leaderboard."
NO_ROUND: Final = "No grading round has answers of this study."
STILL_SCORING: Final = "This answer set is still being scored. Publish it when scoring is done."
NO_SCORES: Final = "This answer set has no scores yet, so there is nothing to publish."
EARLIER_REVISION: Final = (
    "The leaderboard shows an earlier revision of the questions than the one that this answer set is scored on. "
    "Publish it once the leaderboard is switched."
)
WITHDRAWN_SINCE: Final = (
    "Answers in this set were withdrawn after it was created. Score the study again and publish the new answer set."
)


class HumanRowError(ValueError):
    """A study's answers cannot be put on the leaderboard, or removed from it; the message is for the maintainer."""


@transaction.atomic
def publish_people(result: StudyResult, *, by: User | str, name: str = DEFAULT_NAME, authors: str) -> Entry:
    """Publish an answer set of a study on the leaderboard, as the Human row in its split and setting.

    Its values are means over the given answers, with intervals over participants and questions. The row shows the
    number of people, answers and questions, and the time per question. An earlier row of the study is replaced but
    remains stored.

    Args:
        authors: the people who made the study.

    Raises:
        HumanRowError: names are missing or too long, the set is being scored or has no score, answers in it were
            withdrawn since, it has too few questions of a hidden split, or the leaderboard shows an earlier revision.
    """
    # One publication at a time, so that the study has one current row.
    study = Study.objects.select_for_update(no_key=True).get(pk=result.study_id)
    name, authors = " ".join(name.split()), " ".join(authors.split())
    if not name or not authors:
        raise HumanRowError(NAMES_NEEDED)
    if len(name) > LONGEST_NAME or len(authors) > LONGEST_AUTHORS:
        raise HumanRowError(NAMES_TOO_LONG)
    if Run.objects.filter(answer_set=result.answer_set_id, state__in=ACTIVE).exists():
        raise HumanRowError(STILL_SCORING)
    scores = Score.objects.counting().filter(run__answer_set=result.answer_set_id)
    if not scores.exists():
        raise HumanRowError(NO_SCORES)
    if Answer.objects.filter(answer_set=result.answer_set_id, withdrawn_at__isnull=False).exists():
        raise HumanRowError(WITHDRAWN_SINCE)
    split = result.answer_set.split
    if shows_earlier_revision(split) and not scores.filter(signature__in=current_signatures(split).values()).exists():
        raise HumanRowError(EARLIER_REVISION)
    require_enough(study, result.n_questions)
    system = System.objects.filter(entries__answer_set__study_result__study=study).first()
    if system is None:
        system = System(slug=free_slug(f"people {study.slug}"), is_human=True, type=SystemType.OTHER)
    system.name, system.authors = name, authors
    n_questions = study.n_asked - len(study.attention_checks)
    system.details = f"The study “{study.name}”: {n_questions} questions per person."
    system.save()
    now = timezone.now()
    others = system.entries.filter(kind=EntryKind.SCORED, replaced_at=None).exclude(answer_set=result.answer_set_id)
    others.update(replaced_at=now, updated_at=now)
    entry, _ = Entry.objects.update_or_create(
        answer_set=result.answer_set,
        defaults={"replaced_at": None, "published_at": now},
        create_defaults={
            "system": system,
            "split": study.split,
            "setting": study.setting,
            "kind": EntryKind.SCORED,
            "n_answered": result.n_questions,
            "note": note_of(result),
            "published_at": now,
        },
    )
    activity_log.record_action(
        study, "study.published", f"Published on the leaderboard as {system.name}: {entry.note.rstrip('.')}.", by=by
    )
    mark_entries(Entry.objects.filter(system=system))
    return entry


@transaction.atomic
def unpublish_people(study: Study, *, by: User | str) -> None:
    """Remove a study's rows from the leaderboard, the Human row and the row graded by hand; both stay stored with their
    scores.

    Raises:
        HumanRowError: the study is not on the leaderboard.
    """
    now = timezone.now()
    of_study = Q(answer_set__study_result__study=study) | Q(source=source_of(study))
    rows = Entry.objects.filter(of_study, replaced_at=None)
    mark_entries(rows)
    boards = set(rows.order_by().values_list("split", "setting"))
    if not rows.update(replaced_at=now, updated_at=now):
        raise HumanRowError(NOT_ON_BOARD)
    write_on_commit(boards)
    activity_log.record_action(study, "study.unpublished", "Removed from the leaderboard.", by=by)


def row_of(study: Study) -> Entry | None:
    """The study's row on the leaderboard, if it has one. One query."""
    return (
        Entry.objects.filter(answer_set__study_result__study=study, replaced_at=None)
        .select_related("system", "answer_set__study_result")
        .first()
    )


def note_of(result: StudyResult) -> str:
    """The numbers of people and answers and the time taken, as the row shows them."""
    people = f"{result.n_participants} {'person' if result.n_participants == 1 else 'people'}"
    text = f"{people}, {result.n_answers} answers to {result.n_questions} questions"
    seconds = median_seconds(result.study)
    if result.n_unfinished:
        text += f", {result.n_unfinished} of the answers unfinished"
    if seconds is not None:
        text += f", median active time {seconds / 60:.1f} min per question"
    return ". ".join(filter(None, [text, warning_of(result.n_participants)]))


def warning_of(n_people: int) -> str:
    """A warning about results of very few people, as rows and pages show it; empty for enough of them."""
    if n_people >= FEWEST_PEOPLE:
        return ""
    return f"Fewer than {FEWEST_PEOPLE} people: other people may have very different results."


def why_not_graded(study: Study) -> str:
    """Reason why the leaderboard has no grades by hand of a study's answers, for its maintainer; empty if it has
    some."""
    if Entry.objects.filter(kind=EntryKind.GRADED, source=source_of(study), replaced_at=None).exists():
        return ""
    rounds = GradingRound.objects.filter(answers__origin__assignment__participant__study=study)
    rounds = rounds.distinct().order_by("-created_at")
    if not rounds:
        return NO_ROUND
    random = [round_ for round_ in rounds if round_.selection != Selection.DISAGREEMENTS]
    if not random:
        return "Its grading rounds have the answers with the largest disagreement: no random sample."
    closed = next((round_ for round_ in random if round_.closed_at), None)
    if closed is None:
        return f"The grading round {random[0].name} is not closed."
    return f"The grading round {closed.name} is closed, but its human performance is not published; see its outcome."


def median_seconds(study: Study) -> float | None:
    """The median active time on a question whose answer counts, in seconds; None if no time is known."""
    return median_of(counted_answers(study).values_list("active_seconds", flat=True))


def require_enough(study: Study, n_questions: int) -> None:
    """Require enough questions that the row reveals no single hidden question's score.

    Raises:
        HumanRowError: there are too few.
    """
    if study.split.hidden and n_questions < FEWEST:
        raise HumanRowError(
            f"The split is hidden, so a published row needs at least {FEWEST} questions; fewer could reveal "
            f"single scores. This row has {n_questions}."
        )
