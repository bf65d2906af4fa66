"""Queries on studies."""

from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from humaneval.models import Assignment, Invitation, Kind, OnNamed, Participant, Study
from humaneval.studies.exclusions import excluded_by_rule
from leaderboard.models import User
from scoring.models import Answer


def source_of(study: Study) -> str:
    """The source named by the row of a study's answers graded by hand."""
    return f"Graded by hand on this site: the study {study.slug}"


NOT_QUALIFIED: Final = "Did not pass the qualification test."
"""The reason for the exclusion of participants who failed every attempt at the test before the questions."""
# A regular expression, because TRIM in SQL removes spaces only, and no line breaks.
HAS_TEXT: Final = Q(text__regex=r"\S")
FINISHED: Final = Q(done_at__isnull=False) | Q(participant__finished_at__isnull=False, skipped_at=None)
"""An answer is finished if it was marked done, or if it was not skipped and its participant finished the study."""
BLIND: Final = Q(named_at=None) | Q(participant__study__on_named=OnNamed.KEEP)
"""A choice, vote or rating of which nobody said that an answer told who wrote it, unless the study keeps those."""
TESTED: Final = (
    Q(participant__study__n_qualification=0) | ~Q(participant__study__kind=Kind.ITEMS) | ~Q(participant__attempts=[])
)
"""A vote of somebody who has taken the test. Before version 0.9 its items were among the questions, and others could
be answered first."""
COMPLETE: Final = HAS_TEXT & (FINISHED | Q(participant__study__counts_unfinished=True)) & BLIND & TESTED
"""An answer that counts if its participant does."""


def studies_maintained_by(user: User, *, right: str = "change") -> QuerySet[Study]:
    """The studies that a user may manage: their own, or all with the right to change studies, or another right."""
    studies = Study.objects.select_related("split__benchmark", "split__current_revision", "setting", "owner")
    if not user.is_active:
        return studies.none()
    return studies if user.has_perm(f"humaneval.{right}_study") else studies.filter(owner=user)


def study_rows(user: User) -> QuerySet[Any]:
    """The studies that a user may manage, newest first, with the numbers of participants (``n_joined``) and of finished
    ones, and whether the row on the leaderboard includes answers that were withdrawn since (``to_publish_again``)."""
    takes_part = Q(participants__is_preview=False)
    return (
        studies_maintained_by(user)
        .annotate(
            n_joined=Count("participants", filter=takes_part),
            n_finished=Count("participants", filter=takes_part & Q(participants__finished_at__isnull=False)),
            to_publish_again=Exists(
                Answer.objects.filter(
                    answer_set__study_result__study=OuterRef("pk"),
                    answer_set__board_entry__isnull=False,
                    answer_set__board_entry__replaced_at=None,
                    withdrawn_at__isnull=False,
                )
            ),
        )
        .order_by("-created_at", "slug")
    )


def counted(study: Study) -> QuerySet[Participant]:
    """The participants whose answers count: those who consented, and neither were excluded, by hand or by a rule of the
    study, nor withdrew; no previews."""
    people = Participant.objects.filter(
        study=study, is_preview=False, consented_at__isnull=False, excluded_at=None, withdrawn_at=None
    )
    return _without_excluded(people, study)


def _without_excluded(people: QuerySet[Participant], study: Study) -> QuerySet[Participant]:
    excluded = excluded_by_rule(study)
    return people.exclude(pk__in=excluded) if excluded else people


def taking_part(study: Study) -> QuerySet[Participant]:
    """The participants who consented and have neither finished nor left."""
    return counted(study).filter(finished_at=None, dropped_at=None)


def counted_answers(study: Study) -> QuerySet[Assignment]:
    """The answers that count, to questions and items, by participant and position: not blank, and finished unless the
    study counts unfinished ones."""
    return _given(study).filter(COMPLETE)


def unfinished_answers(study: Study) -> QuerySet[Assignment]:
    """The answers that nobody finished, of participants who count, by participant and position; whether they count is
    the maintainer's choice (`Study.counts_unfinished`)."""
    return _given(study).filter(HAS_TEXT).exclude(FINISHED).select_related("participant")


def named_answers(study: Study) -> QuerySet[Assignment]:
    """The choices, votes and ratings of participants who count on answers that told them who wrote them; whether these
    count is the study's rule (`Study.on_named`)."""
    return _given(study).filter(HAS_TEXT, named_at__isnull=False)


def _given(study: Study) -> QuerySet[Assignment]:
    asked = Q(question__isnull=False) | Q(item__isnull=False)
    rows = Assignment.objects.filter(asked, participant__in=counted(study))
    return rows.order_by("participant__number", "position")


def seated(study: Study) -> QuerySet[Participant]:
    """The participants who count towards a study's limit: all except those who declined, withdrew, were given up on or
    excluded."""
    people = Participant.objects.filter(
        study=study, is_preview=False, declined_at=None, withdrawn_at=None, dropped_at=None, excluded_at=None
    )
    return _without_excluded(people, study)


def has_link(study: Study) -> bool:
    """Whether somebody can take part by a link that is not revoked; previews aside."""
    return Invitation.objects.filter(study=study, revoked_at=None).exclude(participant__is_preview=True).exists()


def has_begun(study: Study) -> bool:
    """Whether a participant, other than a preview, has been given questions."""
    return Participant.objects.filter(study=study, is_preview=False, consented_at__isnull=False).exists()
