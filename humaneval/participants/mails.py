"""Mails of a study: invitations with the link, and reminders to participants who began and did not finish.

A failed mail loses nothing: the link still exists, the invitation is marked as not sent, and the maintainer sees the
error and can send again. Addresses are never written to a log or an event.
"""

import logging
import smtplib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.conf import settings
from django.core.mail import BadHeaderError, EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from humaneval.models import Contact, Invitation, InvitationKind, Participant, Study
from humaneval.participants import invitations
from humaneval.studies import activity_log
from humaneval.studies.languages import in_language_of
from leaderboard.models import User
from leaderboard.web.dates import moment_in_words

logger = logging.getLogger(__name__)

AT_ONCE: Final = 50
"""The maximum number of mails at once: a page must not hang on hundreds of them."""
NO_ADDRESS: Final = "The link has no email address."
SERVER_UNAVAILABLE: Final = "The mail server cannot be reached. No email was sent; try again later."
REMINDED: Final = "A reminder was sent."


class MailError(ValueError):
    """A mail cannot be sent; the message is for the maintainer."""


class MailServerUnavailableError(MailError):
    """The mail server cannot be reached: no other mail could be sent either."""


@dataclass(frozen=True)
class Outcome:
    """The result of sending mails."""

    n_sent: int
    n_refused: int
    """Mails that the mail server refused, mostly because the address is wrong."""
    n_left: int
    """Mails not tried: the server could not be reached, or there were more than `AT_ONCE`."""
    server_unavailable: bool
    """Whether the server could not be reached."""

    @property
    def text(self) -> str:
        said = [f"{self.n_sent} sent."]
        if self.n_refused:
            said.append(f"The mail server rejected {self.n_refused}. Check the addresses.")
        if self.server_unavailable:
            said.append(f"The mail server cannot be reached; {self.n_left} not sent. Send again later.")
        elif self.n_left:
            said.append(f"{self.n_left} not sent yet. Send again for the next {min(self.n_left, AT_ONCE)}.")
        return " ".join(said)


def unsent(study: Study) -> QuerySet[Invitation]:
    """Personal links with an address that are neither used nor sent nor revoked, oldest first."""
    return (
        Invitation.objects.filter(
            study=study,
            kind=InvitationKind.PERSONAL,
            participant=None,
            contact__isnull=False,
            sent_at=None,
            revoked_at=None,
        )
        .select_related("study", "contact")
        .order_by("created_at", "pk")
    )


def send_unsent(study: Study, *, by: User | str, message: str = "") -> Outcome:
    """Send the next `AT_ONCE` links that have an address and were not sent."""
    links = list(unsent(study)[: AT_ONCE + 1])
    n_later = unsent(study).count() - AT_ONCE if len(links) > AT_ONCE else 0
    outcome = _send(links[:AT_ONCE], message)
    outcome = replace(outcome, n_left=outcome.n_left + n_later)
    if links:
        activity_log.record_action(study, "study.mailed", f"Invitations by email: {outcome.text}", by=by)
    return outcome


def send_one(invitation: Invitation, *, by: User | str, message: str = "") -> None:
    """Send one link, even if it was sent before.

    Raises:
        MailError: it has no address, is revoked, or the mail was refused.
    """
    if invitation.revoked_at is not None:
        raise MailError("The link is revoked. Renew it first.")
    if not Contact.objects.filter(invitation=invitation).exists():
        raise MailError(NO_ADDRESS)
    outcome = _send([invitation], message)
    if not outcome.n_sent:
        raise MailError(outcome.text)
    who = invitation.participant
    activity_log.record_action(invitation.study, "study.mailed", "A link was sent by email.", by=by, participant=who)


def remind(participant: Participant, *, by: User | str, message: str = "") -> None:
    """Send a participant who has not finished a reminder with their link.

    Raises:
        MailError: there is no address or no valid link, the participant has finished or left, or the mail was refused.
        MailServerUnavailableError: the mail server cannot be reached.
    """
    over = (participant.finished_at, participant.withdrawn_at, participant.declined_at, participant.dropped_at)
    if any(over) or participant.excluded_at or participant.is_preview:
        raise MailError(f"{participant.code} has finished or no longer takes part.")
    invitation = (
        Invitation.objects.select_related("study", "contact").filter(participant=participant, revoked_at=None).first()
    )
    if invitation is None or not Contact.objects.filter(invitation=invitation).exists():
        raise MailError(f"{participant.code} has no email address, or the link was revoked.")
    mail = _mail("emails/study_reminder.txt", gettext_noop("Reminder about %(study)s"), invitation, message)
    outcome = _deliver([mail])
    if outcome.server_unavailable:
        raise MailServerUnavailableError(SERVER_UNAVAILABLE)
    if not outcome.n_sent:
        raise MailError(f"The mail server rejected the address of {participant.code}.")
    Participant.objects.filter(pk=participant.pk).update(reminded_at=timezone.now())
    activity_log.record_action(participant.study, "study.reminded", REMINDED, by=by, participant=participant)


def _send(links: Sequence[Invitation], message: str) -> Outcome:
    mails = [
        _mail("emails/study_invitation.txt", gettext_noop("Invitation to %(study)s"), link, message) for link in links
    ]
    return _deliver(mails)


def _mail(template: str, subject: str, invitation: Invitation, message: str) -> tuple[Invitation, EmailMessage]:
    study = invitation.study
    extended_until = invitation.participant.extended_until if invitation.participant is not None else None
    closes_at = study.closes_at and max(study.closes_at, extended_until or study.closes_at)
    context: dict[str, Any] = {
        "site_name": settings.SITE_NAME,
        "contact": settings.SITE_CONTACT,
        "study": study,
        "message": message.strip(),
        "reward_note": study.reward_note.strip(),
        "address": invitations.address_of(invitation),
        "n_questions": study.n_asked,
    }
    if invitation.participant is not None:
        asked = invitation.participant.assignments.all()
        context["n_done"] = asked.filter(done_at__isnull=False).count()
        context["n_questions"] = asked.count() or context["n_questions"]
    with in_language_of(study):
        context["closes"] = moment_in_words(closes_at) if closes_at else ""
        body = render_to_string(template, context).strip() + "\n"
        line = " ".join(f"{settings.SITE_NAME}: {gettext(subject) % {'study': study.name}}".split())
    return invitation, EmailMessage(line, body, to=[invitation.contact.email])


def _deliver(mails: Sequence[tuple[Invitation, EmailMessage]]) -> Outcome:
    connection: BaseEmailBackend = get_connection()
    n_sent = n_refused = 0
    server_unavailable = False
    for invitation, mail in mails:
        mail.connection = connection
        try:
            mail.send()
        except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, BadHeaderError, UnicodeError) as error:
            logger.warning("An email of study %s was rejected: %s", invitation.study.slug, type(error).__name__)
            n_refused += 1
        except (OSError, smtplib.SMTPException) as error:
            logger.warning("The mail server cannot be reached: %s", type(error).__name__)
            server_unavailable = True
            break
        else:
            Invitation.objects.filter(pk=invitation.pk).update(sent_at=timezone.now())
            n_sent += 1
    return Outcome(n_sent, n_refused, len(mails) - n_sent - n_refused, server_unavailable)
