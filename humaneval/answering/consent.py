"""Consent to a study: the consent text, its promise about withdrawal, and declining."""

import hashlib

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from humaneval.answering.session import closed_reason, is_open_for, locked
from humaneval.models import Assignment, ConsentVersion, Participant, Study
from humaneval.participants.services import release_seats
from humaneval.studies import activity_log
from humaneval.studies.drawing import StudyClosedError
from humaneval.studies.kinds import KINDS
from humaneval.studies.kinds.base import NOT_READY


def consent_digest(study: Study) -> str:
    """A digest of the consent text shown to a participant and of its promise about withdrawal."""
    return hashlib.sha256(f"{study.on_withdrawal}\n{study.consent_in_full}".encode()).hexdigest()


def awaits_consent(participant: Participant) -> bool:
    """Whether a participant must agree before going on: they never did, or to another text, and the study is not over
    for them."""
    if participant.consent is None:
        return participant.consented_at is None
    study, agreed = participant.study, (participant.consent.text, participant.consent.on_withdrawal)
    return agreed != (study.consent_in_full, study.on_withdrawal) and is_open_for(participant)


@transaction.atomic
def give_consent(participant: Participant, *, digest: str, to_publication: bool | None = None) -> bool:
    """Record a participant's consent to the text that they were shown, and draw their questions. Repeating is harmless.
    If the text has changed since they first agreed, that time stays, and the log has both.

    Args:
        digest: `consent_digest` of the text that was shown.
        to_publication: whether their answers may be published word for word; None if that was not asked.

    Returns:
        False if the text has changed since: it must be shown again.

    Raises:
        StudyClosedError: the participant has left or finished, the study is over, has no questions, or they declined
            before and it is full.
    """
    # Consents of one study run one after the other: each draws the questions that the others left.
    study = (
        Study.objects.select_for_update(of=("self",), no_key=True)
        .select_related("split__current_revision", "practice_question")
        .get(pk=participant.study_id)
    )
    participant = locked(participant)
    participant.study = study  # the locked row, with its current text
    if not awaits_consent(participant):
        return True
    if closed_reason(participant):
        raise StudyClosedError(closed_reason(participant))
    if not is_open_for(participant):
        raise StudyClosedError(gettext("This study is not open."))
    if digest != consent_digest(study):
        return False
    if participant.declined_at is not None:  # who declined gave the seat away, and needs another
        release_seats(study)
        if not KINDS[study.kind].has_free_seat(study):
            raise StudyClosedError(gettext("This study is now full."))
        participant.declined_at = None
    agreed = {"text": study.consent_in_full, "on_withdrawal": study.on_withdrawal}
    version = study.consent_versions.filter(**agreed).first()
    if version is None:  # a text gets a number when somebody consents to it for the first time
        last = study.consent_versions.order_by("-number").first()
        version = ConsentVersion.objects.create(study=study, number=last.number + 1 if last else 1, **agreed)
    participant.consent, participant.agrees_to_publication = version, to_publication
    participant.last_seen_at = timezone.now()
    participant.consented_at = participant.consented_at or participant.last_seen_at
    participant.save(update_fields=["declined_at", "consent", "agrees_to_publication", "consented_at", "last_seen_at"])
    # What is drawn as missing must not be asked of somebody whose time ended meanwhile, and who could get more.
    release_seats(study)
    draw(study, participant)
    activity_log.record(study, f"Gave consent (text {version.number}).", participant=participant)
    return True


def draw(study: Study, participant: Participant) -> list[Assignment]:
    """Assign a participant what they are asked, as the study's type plans it. Existing assignments are unchanged.

    The caller locks the study's row, so that two simultaneous consents do not both get the questions with the fewest
    answers.

    Raises:
        StudyClosedError: the study has no questions, or needs no more answers.
    """
    kept = list(participant.assignments.order_by("position"))
    if kept:
        return kept
    planned = KINDS[study.kind].plan(study, participant) if study.split.current_revision is not None else []
    if not planned:  # questions are given here only: people who agreed to none would never get any
        raise StudyClosedError(NOT_READY)
    for position, assignment in enumerate(planned, start=1):
        assignment.position = position
    return Assignment.objects.bulk_create(planned)


@transaction.atomic
def decline(participant: Participant) -> None:
    """Record that a participant declines, so that another person can take part. After consent, they withdraw instead.

    Raises:
        StudyClosedError: the participant has consented or left.
    """
    participant = locked(participant)
    if participant.consented_at is not None or participant.withdrawn_at is not None:
        raise StudyClosedError(gettext("You have already given consent. To leave the study, withdraw."))
    if participant.declined_at is None:
        participant.declined_at = participant.last_seen_at = timezone.now()
        participant.save(update_fields=["declined_at", "last_seen_at"])
        activity_log.record(participant.study, "Declined consent.", participant=participant)
