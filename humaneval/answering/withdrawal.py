"""Withdrawing from a study, as the consent text promises."""

import secrets

from django.db import transaction
from django.utils import timezone

from humaneval.answering.session import locked
from humaneval.models import Contact, Invitation, Participant, Study, Visit, Withdrawal
from humaneval.results.answer_sets import withdraw_answers
from humaneval.studies import activity_log
from leaderboard.models import User


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
    found = locked(participant)
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
    done = "was deleted" if promised == Withdrawal.DELETE else "was anonymised"
    if by is None:
        activity_log.record(found.study, f"Withdrew; recorded data {done}.", participant=found)
    else:
        text = f"Withdrawn at their request; recorded data {done}."
        activity_log.record_action(found.study, "study.withdrawn", text, by=by, participant=found)
    return promised


def promise_to(participant: Participant) -> Withdrawal:
    """What the consent text that somebody agreed to, or would have been shown, promises of a withdrawal."""
    return Withdrawal(participant.consent.on_withdrawal if participant.consent else participant.study.on_withdrawal)
