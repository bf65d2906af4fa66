"""A participant's session: its deadline, its steps, and its end."""

import datetime
from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from humaneval.models import Participant
from humaneval.participants.services import exclude
from humaneval.studies import activity_log
from humaneval.studies.drawing import StudyClosedError as StudyClosedError
from humaneval.studies.learning import Shown, awaits_test
from humaneval.studies.queries import NOT_QUALIFIED

TEST: Final = "the qualification test"
"""Who excludes those who fail, in the study's log."""
GRACE: Final = datetime.timedelta(hours=1)
"""Time after the end within which an answer is still accepted from a participant who is typing when the study
closes."""
LAST_SEEN_INTERVAL: Final = datetime.timedelta(minutes=1)
"""The precision of the stored last-seen time."""


def closed_reason(participant: Participant) -> str:
    """Reason why a participant cannot continue at all, whatever the time; empty if they can."""
    if participant.withdrawn_at:
        return gettext("You withdrew from this study.")
    if participant.has_no_time_at(timezone.now()):
        return gettext("Your time for this study is over. Your saved answers are still stored.")
    if participant.dropped_at:
        return gettext(
            "You were inactive for a long time, so your place was given to someone else. Your saved answers are "
            "still stored."
        )
    if participant.excluded_at and participant.exclusion_reason == NOT_QUALIFIED:
        return gettext(
            "Thank you for your time. Too many of your answers to the first questions differ from what we know, so the "
            "study ends for you here. Your answers do not count."
        )
    if participant.excluded_at:
        return gettext("The study team has ended your participation. Contact them if you have questions.")
    return ""


def touch_last_seen(participant: Participant) -> None:
    """Record that the participant is active; written once a minute at most, and at every step, so that no step is later
    than the last time they were seen."""
    now = timezone.now()
    if participant.last_seen_at is None or now - participant.last_seen_at > LAST_SEEN_INTERVAL:
        Participant.objects.filter(pk=participant.pk).update(last_seen_at=now)


# --- When --------------------------------------------------------------------------------------------------------


def ends_at(participant: Participant) -> datetime.datetime | None:
    """The participant's deadline: the study's end, or their own later deadline, or the end of the time limit if that
    is sooner; None without all of them."""
    closes = participant.study.closes_at
    if closes is not None and participant.extended_until is not None:
        closes = max(closes, participant.extended_until)
    return min((end for end in (closes, participant.time_ends_at) if end is not None), default=None)


def is_open_for(participant: Participant, *, grace: bool = False) -> bool:
    """Whether a participant may answer now; with *grace* also shortly after the end, for text being typed then.

    A preview always may.
    """
    if participant.is_preview:
        return True
    study, now = participant.study, timezone.now()
    if study.opens_at is None or now < study.opens_at:
        return False
    end = ends_at(participant)
    return end is None or now < end + (GRACE if grace else datetime.timedelta())


def require_changeable(participant: Participant, *, grace: bool = False) -> None:
    """Require a participant who has consented, has not finished or left, and is within the deadline.

    Raises:
        StudyClosedError: with the reason.
    """
    problem = closed_reason(participant)
    if problem:
        raise StudyClosedError(problem)
    if participant.finished_at:
        raise StudyClosedError(gettext("You have finished the study, so your answers can no longer be changed."))
    if participant.consented_at is None:
        raise StudyClosedError(gettext("You have not given consent yet, so nothing is stored."))
    if not is_open_for(participant, grace=grace):
        raise StudyClosedError(gettext("The study has closed. Answers saved before then are still stored."))


# --- Steps ---------------------------------------------------------------------------------------------------------


def leave(participant: Participant, step: str) -> None:
    """Record when the participant first left a step before the questions.

    Args:
        step: the column of its time: *instructed_at*, *rehearsed_at* (practice with feedback), *practised_at*.
    """
    now = timezone.now()
    Participant.objects.filter(pk=participant.pk, **{step: None}).update(**{step: now}, last_seen_at=now)


@transaction.atomic
def decide(participant: Participant, number: int, answered: Sequence[Shown]) -> None:
    """Decide one attempt at the test. Who fails the last one is excluded, which frees the seat.

    Nothing happens if the attempt is decided already: sending it twice, or from two tabs, is harmless.

    Args:
        number: the attempt that the form was of, from 1.

    Raises:
        StudyClosedError: the participant can change nothing any more.
    """
    row = locked(participant)
    require_changeable(row)
    if not awaits_test(row) or number != len(row.attempts) + 1:
        return
    n_right, now = sum(item.is_right for item in answered), timezone.now()
    passed = n_right >= row.study.qualification_share * len(answered) - 1e-9  # as 0.1 has no exact binary form
    row.attempts = [*row.attempts, {"right": n_right, "of": len(answered), "passed": passed, "at": now.isoformat()}]
    row.last_seen_at = now
    row.save(update_fields=["attempts", "last_seen_at"])
    if not passed and not awaits_test(row):
        exclude(row, NOT_QUALIFIED, by=TEST)


@transaction.atomic
def finish(participant: Participant) -> None:
    """Finish the session; nothing can be changed afterwards. Repeating is harmless.

    Raises:
        StudyClosedError: the participant has left, or never consented.
    """
    participant = locked(participant)
    if closed_reason(participant):
        raise StudyClosedError(closed_reason(participant))
    if participant.consented_at is None:
        raise StudyClosedError(gettext("You have not started the study."))
    if participant.finished_at is None:
        participant.finished_at = participant.last_seen_at = timezone.now()
        participant.save(update_fields=["finished_at", "last_seen_at"])
        activity_log.record(participant.study, "Finished.", participant=participant)


def locked(participant: Participant) -> Participant:
    """The participant's current row, locked until the end of the transaction."""
    return Participant.objects.select_for_update(of=("self",)).select_related("study", "consent").get(pk=participant.pk)
