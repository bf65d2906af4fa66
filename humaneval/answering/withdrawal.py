"""Withdrawing from a study, as the consent text promises."""

import secrets

from django.db import transaction
from django.utils import timezone

from humaneval.answering.session import locked
from humaneval.models import Contact, Invitation, Participant, ReaderTab, Study, Withdrawal
from humaneval.models.studies import CODE_STAYS
from humaneval.results.answer_sets import withdraw_answers
from humaneval.studies import activity_log
from leaderboard.models import User


@transaction.atomic
def withdraw(participant: Participant, *, by: User | str | None = None) -> Withdrawal:
    """Withdraw a participant permanently, as the consent text that they agreed to promises.

    Deleting leaves only the participant number and the times of joining, consent and withdrawal: answers with every
    revision, searches, visits, notes, other times, the study's records of the person and the mail address are deleted,
    and so are the texts in answer sets and the judge's replies to them. Scores computed from all answers together
    remain, and so does the pseudonym of an id on a platform, if the consent text says so: that person is not admitted
    again. Anonymising leaves answers, scores, searches and visits, and deletes notes, marks, tabs, and everything that
    identifies a person: mail address, link and recognisable receipt. Either way the link is invalid, and the withdrawal
    is recorded.

    Args:
        by: the maintainer whom the participant asked to do it; None if the participant withdraws directly.
    """
    # Takes the same lock as making an answer set, so that no set is made of answers that are being deleted here.
    Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
    participant = locked(participant)
    promised = promise_to(participant)
    if participant.withdrawn_at is not None:
        return promised
    now = timezone.now()
    Contact.objects.filter(invitation__participant=participant).delete()
    Invitation.objects.filter(participant=participant).update(participant=None, revoked_at=now, label="")
    participant.receipt_code = f"withdrawn-{secrets.token_hex(8)}"
    participant.platform_id = None
    if not keeps_code(participant):
        participant.platform_key = None
    participant.withdrawn_at = now
    if promised == Withdrawal.DELETE:
        participant.assignments.all().delete()
        participant.last_seen_at = participant.instructed_at = participant.practised_at = None
        participant.finished_at = participant.reminded_at = participant.dropped_at = None
        participant.declined_at = participant.excluded_at = participant.extended_until = None
        participant.agrees_to_publication, participant.exclusion_reason = None, ""
        participant.rehearsed_at, participant.attempts = None, []
        participant.study.events.filter(participant_code=participant.code).delete()
    else:
        participant.assignments.update(note="")
        # Row by row: the ORM cannot take keys out of stored JSON.
        for row in participant.assignments.exclude(critique={}):
            row.critique = {place: {"score": said["score"]} for place, said in row.critique.items() if "score" in said}
            row.save(update_fields=["critique"])
        ReaderTab.objects.filter(assignment__participant=participant).delete()
    participant.save()
    withdraw_answers(participant, delete=promised == Withdrawal.DELETE)
    done = "was deleted" if promised == Withdrawal.DELETE else "was anonymised"
    if by is None:
        activity_log.record(participant.study, f"Withdrew; recorded data {done}.", participant=participant)
    else:
        text = f"Withdrawn at their request; recorded data {done}."
        activity_log.record_action(participant.study, "study.withdrawn", text, by=by, participant=participant)
    return promised


def keeps_code(participant: Participant) -> bool:
    """Whether the pseudonym of a participant's id on a platform stays after a withdrawal."""
    text = participant.consent.text if participant.consent else participant.study.consent_in_full
    deletes = promise_to(participant) == Withdrawal.DELETE
    return participant.platform_key is not None and deletes and CODE_STAYS in text


def promise_to(participant: Participant) -> Withdrawal:
    """The promise about withdrawal in the consent text that the participant agreed to, or would be shown."""
    return Withdrawal(participant.consent.on_withdrawal if participant.consent else participant.study.on_withdrawal)
