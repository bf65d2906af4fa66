"""Consent to a study: the consent text, its promise about withdrawal, and declining."""

import hashlib

from django.db import transaction
from django.utils import timezone

from humaneval.answering.sampling import draw
from humaneval.answering.session import StudyClosedError, closed_reason, is_open_for, locked
from humaneval.models import ConsentVersion, Participant, Study
from humaneval.studies import activity_log
from humaneval.studies.queries import seated


def consent_digest(study: Study) -> str:
    """A digest of the consent text shown to a participant and of its promise about withdrawal."""
    return hashlib.sha256(f"{study.on_withdrawal}\n{study.consent_text}".encode()).hexdigest()


@transaction.atomic
def give_consent(participant: Participant, *, digest: str) -> bool:
    """Record a participant's consent to the text that they were shown, and draw their questions. Repeating is harmless.

    Args:
        digest: `consent_digest` of the text that was shown.

    Returns:
        False if the text has changed since: it must be shown again.

    Raises:
        StudyClosedError: the participant has left or finished, the study is over, or they declined before and the study
            is full.
    """
    study = (
        Study.objects.select_for_update(of=("self",), no_key=True)
        .select_related("split__current_revision", "practice_question")
        .get(pk=participant.study_id)
    )
    found = locked(participant)
    if found.consented_at is not None:
        return True
    if closed_reason(found):
        raise StudyClosedError(closed_reason(found))
    if not is_open_for(found):
        raise StudyClosedError("This study is not open.")
    if digest != consent_digest(study):
        return False
    if found.declined_at is not None:
        if seated(study).count() >= study.seats:
            raise StudyClosedError("This study is now full.")
        found.declined_at = None
    found.consent = _consent_version(study)
    found.consented_at = found.last_seen_at = timezone.now()
    found.save(update_fields=["declined_at", "consent", "consented_at", "last_seen_at"])
    draw(study, found)
    activity_log.record(study, f"Gave consent (text {found.consent.number}).", participant=found)
    return True


def _consent_version(study: Study) -> ConsentVersion:
    """The current consent text; it gets a number when a participant consents to it for the first time."""
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
    """Record that a participant declines, so that another person can take part. After consent, they withdraw instead.

    Raises:
        StudyClosedError: the participant has consented or left.
    """
    found = locked(participant)
    if found.consented_at is not None or found.withdrawn_at is not None:
        raise StudyClosedError("You have already given consent. To leave the study, withdraw.")
    if found.declined_at is None:
        found.declined_at = found.last_seen_at = timezone.now()
        found.save(update_fields=["declined_at", "last_seen_at"])
        activity_log.record(found.study, "Declined consent.", participant=found)
