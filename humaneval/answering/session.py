"""A volunteer's way through a study: coming in by a link, consent, instructions, practice, finishing, withdrawing."""

import datetime
import hashlib
import secrets
from typing import Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from humaneval.answering.sampling import draw
from humaneval.models import (
    ConsentVersion,
    Contact,
    Invitation,
    InvitationKind,
    Participant,
    Study,
    StudyState,
    Visit,
    Withdrawal,
)
from humaneval.participants.invitations import PREVIEW_NUMBERS_FROM, personal_link_for
from humaneval.results.answer_sets import withdraw_answers
from humaneval.studies import activity_log
from humaneval.studies.queries import seated
from leaderboard.models import User

GRACE: Final = datetime.timedelta(hours=1)
"""How long after the end an answer is still taken: of whoever is at it when the study closes."""
SEEN_EVERY: Final = datetime.timedelta(minutes=1)
"""How exactly it is kept when somebody was last seen."""
CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTVWXYZ23456789"


class EntryRefusedError(Exception):
    """A link lets nobody in now; the message says why, kindly, for whoever has it."""


class OverError(Exception):
    """Nothing can be changed any more; the message says why."""


# --- Coming in -----------------------------------------------------------------------------------------------------


@transaction.atomic
def enter(invitation: Invitation) -> Participant:
    """Let somebody in by a link.

    The first use of a personal link makes its participant, later ones resume the session. Each use of a shared link
    makes a participant, with a personal link to come back by: ``participant.invitation``.

    Raises:
        EntryRefusedError: the study is not open or is over, its seats are taken, the link has let in as many as it
            may, or this participant has left.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=invitation.study_id)
    link = Invitation.objects.select_for_update(of=("self",)).select_related("participant").get(pk=invitation.pk)
    if link.revoked_at is not None or link.generation != invitation.generation:
        raise EntryRefusedError("This link does not work any more.")
    if link.participant is not None:
        _require_not_left(link.participant)
        link.participant.study = study
        link.participant.invitation = link
        return link.participant
    _require_open(study)
    if link.n_used >= link.limit:
        raise EntryRefusedError(
            "This link has let in as many people as it may. Ask whoever sent it to you for another."
        )
    _require_seat(study)
    numbers = Participant.objects.filter(study=study, number__lt=PREVIEW_NUMBERS_FROM)
    participant = Participant.objects.create(
        study=study,
        number=(numbers.aggregate(last=Max("number"))["last"] or 0) + 1,
        receipt_code=new_receipt_code(),
        last_seen_at=timezone.now(),
    )
    link.n_used += 1
    if link.kind == InvitationKind.PERSONAL:
        link.participant = participant
        own = link
    else:
        own = personal_link_for(participant, label=link.label)
    link.save(update_fields=["n_used", "participant"])
    activity_log.note(study, "Came in by the link.", participant=participant)
    participant.invitation = own
    return participant


def new_receipt_code() -> str:
    """A code that nobody guesses and anybody can copy by hand: twelve letters and digits, none like another."""
    letters = "".join(secrets.choice(CODE_LETTERS) for _ in range(12))
    return "-".join(letters[n : n + 4] for n in range(0, 12, 4))


def _require_open(study: Study) -> None:
    if study.state == StudyState.DRAFT:
        raise EntryRefusedError("This study has not opened yet. Your link will work once it has.")
    if study.state == StudyState.CLOSED:
        raise EntryRefusedError("This study is over. Thank you for having wanted to take part.")


def _require_seat(study: Study) -> None:
    if seated(study).count() >= study.seats:
        raise EntryRefusedError("Every seat of this study is taken. Should one become free, your link will work.")


def _require_not_left(participant: Participant) -> None:
    problem = why_over(participant)
    if problem:
        raise EntryRefusedError(problem)


def why_over(participant: Participant) -> str:
    """Why a participant cannot go on at all, whatever the time; empty if they can."""
    if participant.withdrawn_at:
        return "You withdrew from this study."
    if participant.dropped_at:
        return "Your seat was given to somebody else, since we had not seen you for long. What you answered is kept."
    if participant.excluded_at:
        return "Whoever runs this study has ended your part in it. Ask them, if you wonder why."
    return ""


def seen(participant: Participant) -> None:
    """Keep that somebody is there; written once a minute at most."""
    now = timezone.now()
    if participant.last_seen_at is None or now - participant.last_seen_at > SEEN_EVERY:
        Participant.objects.filter(pk=participant.pk).update(last_seen_at=now)


# --- When --------------------------------------------------------------------------------------------------------


def ends_at(participant: Participant) -> datetime.datetime | None:
    """Until when somebody may answer: the study's end, or the later time that they were given, if it ends."""
    closes = participant.study.closes_at
    if closes is None or participant.extended_until is None:
        return closes
    return max(closes, participant.extended_until)


def is_open_for(participant: Participant, *, grace: bool = False) -> bool:
    """Whether somebody may answer now; with *grace* also shortly after the end, for what was being typed then.

    A preview may always.
    """
    if participant.is_preview:
        return True
    study, now = participant.study, timezone.now()
    if study.opens_at is None or now < study.opens_at:
        return False
    end = ends_at(participant)
    return end is None or now < end + (GRACE if grace else datetime.timedelta())


def require_changeable(participant: Participant, *, grace: bool = False) -> None:
    """Let pass only who has consented, not finished or left, and in time.

    Raises:
        OverError: with the reason.
    """
    problem = why_over(participant)
    if problem:
        raise OverError(problem)
    if participant.finished_at:
        raise OverError("You have finished: nothing is changed any more.")
    if participant.consented_at is None:
        raise OverError("Nothing is kept before you have agreed.")
    if not is_open_for(participant, grace=grace):
        raise OverError("The study is over. What was saved before is kept.")


# --- Consent, instructions, practice --------------------------------------------------------------------------------


def consent_digest(study: Study) -> str:
    """What identifies the consent text that somebody is shown, with what it promises of a withdrawal."""
    return hashlib.sha256(f"{study.on_withdrawal}\n{study.consent_text}".encode()).hexdigest()


@transaction.atomic
def consent(participant: Participant, *, digest: str) -> bool:
    """Take somebody's consent to the text that they were shown, and draw their questions. Agreeing twice is harmless.

    Args:
        digest: `consent_digest` of the text as it was shown.

    Returns:
        False if the text has changed since: it has to be shown again.

    Raises:
        OverError: they have left or finished, the study is over, or, for whoever declined before, no seat is free.
    """
    study = (
        Study.objects.select_for_update(of=("self",), no_key=True)
        .select_related("split__current_revision", "practice_question")
        .get(pk=participant.study_id)
    )
    found = _changing(participant)
    if found.consented_at is not None:
        return True
    if why_over(found):
        raise OverError(why_over(found))
    if not is_open_for(found):
        raise OverError("The study is not open.")
    if digest != consent_digest(study):
        return False
    if found.declined_at is not None:
        if seated(study).count() >= study.seats:
            raise OverError("Meanwhile every seat of this study is taken.")
        found.declined_at = None
    found.consent = _consent_version(study)
    found.consented_at = timezone.now()
    found.save(update_fields=["declined_at", "consent", "consented_at"])
    draw(study, found)
    activity_log.note(study, f"Agreed to consent text {found.consent.number}.", participant=found)
    return True


def _consent_version(study: Study) -> ConsentVersion:
    """The consent text as it is now, numbered when somebody agrees to it for the first time."""
    known = study.consent_versions.filter(text=study.consent_text, on_withdrawal=study.on_withdrawal).first()
    if known is not None:
        return known
    last = study.consent_versions.order_by("-number").first()
    return ConsentVersion.objects.create(
        study=study,
        number=last.number + 1 if last else 1,
        text=study.consent_text,
        on_withdrawal=study.on_withdrawal,
    )


@transaction.atomic
def decline(participant: Participant) -> None:
    """Keep that somebody does not agree; their seat is free. Whoever has agreed before withdraws instead.

    Raises:
        OverError: they have agreed or left.
    """
    found = _changing(participant)
    if found.consented_at is not None or found.withdrawn_at is not None:
        raise OverError("You have agreed before. To stop now, withdraw.")
    if found.declined_at is None:
        found.declined_at = timezone.now()
        found.save(update_fields=["declined_at"])
        activity_log.note(found.study, "Declined.", participant=found)


def instructed(participant: Participant) -> None:
    """Keep when the instructions were left behind for the first time."""
    Participant.objects.filter(pk=participant.pk, instructed_at=None).update(instructed_at=timezone.now())


def practised(participant: Participant) -> None:
    """Keep when the practice question was answered, or passed over, for the first time."""
    Participant.objects.filter(pk=participant.pk, practised_at=None).update(practised_at=timezone.now())


# --- The end -------------------------------------------------------------------------------------------------------


@transaction.atomic
def finish(participant: Participant) -> None:
    """Hand everything in; nothing is changed after. Doing it twice is harmless.

    Raises:
        OverError: they have left, or never agreed.
    """
    found = _changing(participant)
    if why_over(found):
        raise OverError(why_over(found))
    if found.consented_at is None:
        raise OverError("You have not begun.")
    if found.finished_at is None:
        found.finished_at = timezone.now()
        found.save(update_fields=["finished_at"])
        activity_log.note(found.study, "Finished.", participant=found)


@transaction.atomic
def withdraw(participant: Participant, *, by: User | str | None = None) -> Withdrawal:
    """Take somebody out of the study for good, as the consent text that they agreed to promises.

    Deleting leaves the number alone, with when they withdrew: answers with every revision, searches, visits, notes,
    times and the mail address are gone, and the texts in answer sets with what a judge replied to them; scores that
    were made of all answers together stand. Anonymising leaves answers, searches and visits without notes, and nothing
    that leads to a person: no mail address, no link, no receipt that could be recognised. Either way the link is dead
    and that it happened is kept.

    Args:
        by: a maintainer whom they asked to do it; nobody if they do it themselves.
    """
    # As making an answer set does, so that none is made meanwhile of what is deleted here.
    Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
    found = _changing(participant)
    promised = promise_to(found)
    if found.withdrawn_at is not None:
        return promised
    now = timezone.now()
    Contact.objects.filter(invitation__participant=found).delete()
    Invitation.objects.filter(participant=found).update(participant=None, revoked_at=now, label="")
    found.receipt_code = f"withdrawn-{secrets.token_hex(8)}"
    found.withdrawn_at = now
    if promised == Withdrawal.DELETE:
        found.assignments.all().delete()
        found.last_seen_at = found.instructed_at = found.practised_at = None
        found.finished_at = found.reminded_at = None
    else:
        found.assignments.update(note="")
        Visit.objects.filter(assignment__participant=found).update(note="")
    found.save()
    withdraw_answers(found, delete=promised == Withdrawal.DELETE)
    done = "was deleted" if promised == Withdrawal.DELETE else "is kept without anything that leads to the person"
    if by is None:
        activity_log.note(found.study, f"Withdrew; what was recorded {done}.", participant=found)
    else:
        text = f"Withdrawn at their request; what was recorded {done}."
        activity_log.act(found.study, "study.withdrawn", text, by=by, participant=found)
    return promised


def promise_to(participant: Participant) -> Withdrawal:
    """What the consent text that somebody agreed to, or would have been shown, promises of a withdrawal."""
    return Withdrawal(participant.consent.on_withdrawal if participant.consent else participant.study.on_withdrawal)


def _changing(participant: Participant) -> Participant:
    return Participant.objects.select_for_update(of=("self",)).select_related("study", "consent").get(pk=participant.pk)
