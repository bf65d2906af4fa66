"""Entering a study by a link."""

from typing import Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext, gettext_noop

from humaneval.answering.session import closed_reason
from humaneval.models import Invitation, InvitationKind, Participant, Study, StudyState
from humaneval.participants.invitations import personal_link_for
from humaneval.participants.platform_ids import PlatformIds
from humaneval.participants.services import release_seats
from humaneval.studies import activity_log
from humaneval.studies.kinds import KINDS

CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
NOT_OPEN: Final = gettext_noop("This study has not opened yet. Your link will work once it opens.")
CLOSED: Final = gettext_noop("This study has closed. Thank you for your interest.")
ID_TAKEN: Final = gettext_noop(
    "Somebody takes part in this study with this ID, or took part. To continue, use the browser in which you started, "
    "or the link of your own that the instructions showed you."
)
FULL: Final = gettext_noop("This study is full. If a place opens up, your link will work again.")


class EntryRefusedError(Exception):
    """A link admits nobody now; the message says why, politely, to the person who has it."""


@transaction.atomic
def enter(invitation: Invitation, ids: PlatformIds | None = None) -> Participant:
    """Admit a participant by a link.

    The first use of a personal link creates its participant, later uses resume the session. Each use of a shared link
    creates a participant with a personal link to return by: ``participant.invitation``.

    Args:
        ids: of a person who came from the study's platform by a shared link.

    Raises:
        EntryRefusedError: the study is not open or is over, the study is full, the link has reached its limit, this
            participant has left, or somebody came with the same id before.
    """
    # The study before the link, as everywhere: seats and numbers are counted under this lock. FOR NO KEY UPDATE lets
    # other requests insert rows that refer to the study meanwhile.
    study = Study.objects.select_for_update(no_key=True).get(pk=invitation.study_id)
    link = Invitation.objects.select_for_update(of=("self",)).select_related("participant").get(pk=invitation.pk)
    # The generation is counted up when a link is renewed: the address that was sent before then no longer works.
    if link.revoked_at is not None or link.generation != invitation.generation:
        raise EntryRefusedError(gettext("This link no longer works."))
    if link.participant is not None:
        link.participant.study = study
        if reason := closed_reason(link.participant):
            raise EntryRefusedError(reason)
        link.participant.invitation = link
        return link.participant
    # An id in an address is no secret: only the cookie or the own link lets a person continue.
    if ids is not None and ids.participant_in(study) is not None:
        raise EntryRefusedError(ID_TAKEN)
    if study.state == StudyState.DRAFT:
        raise EntryRefusedError(gettext(NOT_OPEN))
    if study.state == StudyState.CLOSED:
        raise EntryRefusedError(gettext(CLOSED))
    if link.n_used >= link.limit:
        raise EntryRefusedError(
            gettext("This link has reached its limit of participants. Ask the sender for a new link.")
        )
    release_seats(study)
    if not KINDS[study.kind].has_free_seat(study):
        raise EntryRefusedError(gettext(FULL))
    numbers = Participant.objects.filter(study=study, is_preview=False)
    now = timezone.now()
    participant = Participant.objects.create(
        study=study,
        number=(numbers.aggregate(last=Max("number"))["last"] or 0) + 1,
        receipt_code=new_receipt_code(),
        joined_at=now,
        last_seen_at=now,
        platform_id=ids.stored if ids is not None else None,
        platform_key=ids.key_in(study) if ids is not None else None,
    )
    link.n_used += 1
    if link.kind == InvitationKind.PERSONAL:
        link.participant = participant
        own = link
    else:
        own = personal_link_for(participant, label=link.label)
    link.save(update_fields=["n_used", "participant"])
    activity_log.record(study, "Joined with a link.", participant=participant)
    participant.invitation = own
    return participant


def come_back(participant: Participant, ids: PlatformIds) -> None:
    """Record the submission of a participant who comes from the platform again: who gives a task back and takes it
    later has another one, which is to be paid. Once they have finished, nothing changes."""
    unfinished = Participant.objects.filter(pk=participant.pk, finished_at=None, platform_id__isnull=False)
    unfinished.update(platform_id=ids.stored)


def new_receipt_code() -> str:
    """A code that cannot be guessed and is easy to copy by hand: twelve letters and digits without lookalikes."""
    return "-".join(get_random_string(4, CODE_LETTERS) for _ in range(3))
