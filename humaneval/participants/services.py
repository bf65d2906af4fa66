"""A maintainer's actions on participants: extend, give up on, replace, exclude, and the reversal of each."""

import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from humaneval.models import Invitation, Participant, SamplingMethod, Study
from humaneval.participants import invitations
from humaneval.studies import activity_log
from humaneval.studies.kinds import KINDS
from leaderboard.models import User
from leaderboard.web.dates import moment_in_words

IN_THE_PAST: Final = "This time is in the past. Enter a later one."
DROPPED: Final = "Marked as dropped out; the seat is free."
RELEASED: Final = "the site"
"""Who gives up on participants that were not seen for the study's time, or have no time left."""


class ParticipantError(ValueError):
    """The action is impossible; the message is for the maintainer."""


@transaction.atomic
def extend(participant: Participant, until: datetime.datetime, *, by: User | str) -> None:
    """Extend one participant's deadline beyond the end of the study.

    Raises:
        ParticipantError: the time is in the past, or the study is open for longer anyway.
    """
    study = participant.study
    if until <= timezone.now():
        raise ParticipantError(IN_THE_PAST)
    if study.time_limit is None and (study.closes_at is None or until <= study.closes_at):
        raise ParticipantError("The study is open longer than that. Enter a time after it closes.")
    row = _locked(participant)
    if row.withdrawn_at or row.declined_at:
        raise ParticipantError(f"{row.code} has left the study.")
    _change(row, "study.extended", f"Deadline extended to {moment_in_words(until)}.", by, extended_until=until)


@transaction.atomic
def give_up(participant: Participant, *, by: User | str) -> None:
    """Give up on a participant who has not finished: another can take part instead; their answers remain and count.

    Raises:
        ParticipantError: they have finished or left, or were given up on before.
    """
    row = _locked(participant)
    if row.finished_at or row.withdrawn_at or row.declined_at or row.dropped_at:
        raise ParticipantError(f"{row.code} has already finished or left.")
    _change(row, "study.dropped", DROPPED, by, dropped_at=timezone.now())


def release_seats(study: Study) -> None:
    """Give up on the participants of a study who have not finished and were not seen for the study's time, or have no
    time left, so that the next person can have a seat. The caller has locked the study's row."""
    now, gone = timezone.now(), Q()
    if study.release_hours is not None:
        gone |= Q(last_seen_at__lt=now - datetime.timedelta(hours=study.release_hours))
    if study.time_limit is not None:
        gone |= Q(consented_at__lt=now - datetime.timedelta(minutes=study.time_limit))
    if gone:
        # Also of those whom a rule excludes: with a longer time they would count again, beside those who replaced them.
        waiting = study.participants.filter(gone, is_preview=False, finished_at=None, excluded_at=None)
        waiting = waiting.filter(declined_at=None, withdrawn_at=None, dropped_at=None)
        for participant in waiting.exclude(extended_until__gt=now):
            give_up(participant, by=RELEASED)


@transaction.atomic
def replace(participant: Participant, *, by: User | str, email: str = "") -> Invitation:
    """Give up on a participant, unless already done, and make a personal link for the person who replaces them.

    Raises:
        ParticipantError: as `give_up`.
    """
    if _locked(participant).dropped_at is None:
        give_up(participant, by=by)
    return invitations.invite(participant.study, by=by, label=f"Replaces {participant.code}", email=email)


@transaction.atomic
def take_back(participant: Participant, *, by: User | str) -> None:
    """Readmit a participant who was given up on, if the study is not full.

    Raises:
        ParticipantError: they were not given up on, or the study is full.
    """
    # Entering takes the same lock, so that the last seat is not given to somebody new at the same time.
    study = Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
    row = _locked(participant)
    if row.dropped_at is None:
        raise ParticipantError(f"{row.code} is not marked as dropped out.")
    if study.drawing == SamplingMethod.PLANNED and row.consented_at is not None:
        raise ParticipantError(f"What {row.code} was asked is planned for others now. Invite them again instead.")
    if not KINDS[study.kind].has_free_seat(study):
        raise ParticipantError(f"All {study.seats} seats are taken. Add a seat to the study first.")
    _change(row, "study.taken-back", "Reinstated.", by, dropped_at=None)


@transaction.atomic
def exclude(participant: Participant, reason: str, *, by: User | str) -> None:
    """Exclude a participant's answers from every score and measure, with the reason. Nothing is deleted.

    Raises:
        ParticipantError: there is no reason, or they are excluded already.
    """
    reason = " ".join(reason.split())
    if not reason:
        raise ParticipantError("Enter a reason. It appears in the export.")
    row = _locked(participant)
    if row.excluded_at is not None:
        raise ParticipantError(f"{row.code} is already excluded.")
    now = timezone.now()
    _change(row, "study.excluded", f"Excluded: {reason}", by, excluded_at=now, exclusion_reason=reason)


@transaction.atomic
def include(participant: Participant, *, by: User | str) -> None:
    """Include a participant's answers again.

    Raises:
        ParticipantError: they are not excluded.
    """
    row = _locked(participant)
    if row.excluded_at is None:
        raise ParticipantError(f"{row.code} is not excluded.")
    _change(row, "study.included", "Answers included again.", by, excluded_at=None, exclusion_reason="")


def _locked(participant: Participant) -> Participant:
    """The participant's current row: two maintainers act one after the other."""
    return Participant.objects.select_for_update(of=("self",)).select_related("study").get(pk=participant.pk)


def _change(row: Participant, action: str, text: str, by: User | str, **columns: Any) -> None:
    Participant.objects.filter(pk=row.pk).update(**columns)
    activity_log.record_action(row.study, action, text, by=by, participant=row)
