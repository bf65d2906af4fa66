"""Delete a study with all its data: an action of a maintainer, of which only a record remains."""

from django.db import transaction
from django.db.models import Q, QuerySet

from humaneval.models import Assignment, GradedAnswer, Study
from humaneval.studies.queries import source_of
from leaderboard.models import AuditRecord, Entry, System, User
from leaderboard.operations import audit
from scoring.models import AnswerSet
from scoring.runs import withdrawals


class StudyOnBoardError(ValueError):
    """A study with a row on the leaderboard cannot be deleted; the message says what to do first."""


def contents_of(study: Study) -> dict[str, int]:
    """Numbers of what would be deleted with a study: participants, except previews; answers, except blank ones; answer
    sets; and its answers in grading rounds, with their grades."""
    answers = Assignment.objects.filter(participant__study=study, participant__is_preview=False).exclude(text="")
    return {
        "n_people": study.participants.filter(is_preview=False).count(),
        "n_answers": answers.count(),
        "n_answer_sets": study.results.count(),
        "n_graded": GradedAnswer.objects.filter(origin__assignment__participant__study=study).count(),
    }


def on_board(study: Study) -> list[str]:
    """The names of a study's rows on the leaderboard, which must be removed first."""
    rows = _rows(study).filter(replaced_at=None)
    return list(rows.order_by("system__name").values_list("system__name", flat=True))


@transaction.atomic
def delete_study(study: Study, *, by: User, reason: str = "") -> AuditRecord:
    """Delete a study permanently, with its participants, links and addresses, every answer, search, visit, grade,
    answer set and score, and the judge's replies; return the record of the deletion, which names no participant.

    Leaderboard snapshots are unchanged, and so are backups.

    Raises:
        StudyOnBoardError: the leaderboard has a row of it.
    """
    # Whoever is joining, consenting or publishing waits for the end, and then finds no study.
    study = Study.objects.select_for_update(of=("self",)).select_related("split").get(pk=study.pk)
    if on_board(study):
        raise StudyOnBoardError("The study is on the leaderboard. Remove its row first.")
    n = contents_of(study)
    record = audit.record(
        by,
        "study.deleted",
        f"study {study.slug}",
        f"“{study.name}” on {study.split}. Participants: {n['n_people']}; answers: {n['n_answers']}; "
        f"answer sets: {n['n_answer_sets']}; graded answers: {n['n_graded']}. Reason: {reason or 'none was given'}",
    )
    rows = _rows(study)
    systems = list(System.objects.filter(is_human=True, entries__in=rows).distinct())
    rows.delete()
    System.objects.filter(pk__in=[system.pk for system in systems], entries=None).delete()
    answer_sets = list(AnswerSet.objects.filter(study_result__study=study).values_list("pk", flat=True))
    study.results.all().delete()
    withdrawals.delete_sets(AnswerSet.objects.filter(pk__in=answer_sets))
    study.participants.all().delete()  # before the consent texts, which they protect
    study.delete()
    return record


def _rows(study: Study) -> QuerySet[Entry]:
    """Every current or former leaderboard row of a study: the Human row, and the row graded by hand."""
    return Entry.objects.filter(Q(answer_set__study_result__study=study) | Q(source=source_of(study)))
