"""Emails to accounts: queued in the database, sent by workers, turned off kind by kind.

An email is stored in the transaction of what it reports. Its reader can turn off its kind on the account page, or by
the link in every email, which needs no sign-in (RFC 8058).

No email is lost if a worker dies or the mail server is unavailable. One that was being sent when the worker died may be
sent twice, with the same Message-ID.
"""

import datetime
import logging
import smtplib
import time
from collections.abc import Collection, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from leaderboard.access import is_maintainer
from leaderboard.models import Mail, MailKind, Submission, User
from leaderboard.web.site_address import at_site

logger = logging.getLogger(__name__)

AT_ONCE: Final = 500
"""The maximum number of emails that are read together."""
SECONDS: Final = 20.0
"""Seconds for which emails are sent in one go; the next message of the scheduler continues with the rest."""
RETRY: Final = datetime.timedelta(minutes=5)
"""Time until an email is tried again after the worker died or the mail server could not be reached."""
RETRY_REFUSED: Final = datetime.timedelta(hours=1)
"""Time until an email is tried again that the mail server refused for now."""
GIVE_UP: Final = datetime.timedelta(days=4)
"""Time for which the mail server may refuse an email for now until it is dropped."""
REFUSED: Final = (
    smtplib.SMTPRecipientsRefused,
    smtplib.SMTPDataError,
    smtplib.SMTPNotSupportedError,
    ValueError,  # of an invalid address
)
FOR_MAINTAINERS: Final = frozenset({MailKind.REQUEST, MailKind.ATTENTION})
"""The kinds that only maintainers get."""
SALT: Final = "leaderboard.mails"


def queue(
    kind: MailKind,
    user: User,
    subject: str,
    template: str,
    context: Mapping[str, Any],
    *,
    submission: Submission | None = None,
) -> Mail:
    """Queue an email; it is sent if the caller's transaction is committed.

    Args:
        subject: without the name of the site; what follows a line break moves to the same line.
        template: in ``templates/emails/``.
        submission: the submission that the email is about; if that is deleted first, the email is not sent.
    """
    return Mail.objects.create(
        kind=kind,
        user=user,
        subject=" ".join(f"{settings.SITE_NAME}: {subject}".split())[:400],
        text=render_to_string(f"emails/{template}", dict(context)).strip(),
        submission=submission,
    )


def send_due() -> int:
    """Send the emails that are due, for `SECONDS`; returns how many were sent.

    Each is delayed before it is sent, by which other workers leave it alone, and deleted afterwards. If the mail server
    cannot be reached, all wait; one refused email does not stop the others.
    """
    n_sent = 0
    until = time.monotonic() + SECONDS
    connection = get_connection()
    for mail in Mail.objects.filter(due_at__lte=timezone.now()).select_related("user")[:AT_ONCE]:
        if time.monotonic() > until:
            break
        if not Mail.objects.filter(pk=mail.pk, due_at=mail.due_at).update(due_at=timezone.now() + RETRY):
            continue  # another worker sends it
        try:
            user = mail.user
            if user.is_active and user.email and mail.kind in {*kinds_for(user)} - {*user.muted_mails}:
                n_sent += message_of(mail, connection).send()
        except REFUSED as error:
            logger.warning("The mail server refused an email about %s: %s", mail.kind, type(error).__name__)
            if _is_refused_for_now(error) and mail.created_at > timezone.now() - GIVE_UP:
                Mail.objects.filter(pk=mail.pk).update(due_at=timezone.now() + RETRY_REFUSED)
                continue
        except (OSError, smtplib.SMTPException) as error:
            logger.warning("The mail server cannot be reached: %s", type(error).__name__)
            Mail.objects.filter(due_at__lte=timezone.now()).update(due_at=timezone.now() + RETRY)
            break
        mail.delete()
    return n_sent


def _is_refused_for_now(error: Exception) -> bool:
    """Whether the mail server may accept the email later, as its code (4xx) says."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code < 500 for code, _ in error.recipients.values())
    return isinstance(error, smtplib.SMTPDataError) and error.smtp_code < 500


def message_of(mail: Mail, connection: BaseEmailBackend | None = None) -> EmailMessage:
    """An email with the link that turns off its kind. If it is sent twice, it has the same Message-ID."""
    address = at_site(reverse("mails-leave", args=[token_of(mail.user, MailKind(mail.kind))]))
    body = render_to_string("emails/frame.txt", {"mail": mail, "kind": MailKind(mail.kind).label, "address": address})
    headers = {
        "Message-ID": f"<{mail.pk}.{mail.created_at:%Y%m%d%H%M%S%f}@{urlsplit(settings.SITE_URL).hostname}>",
        "List-Unsubscribe": f"<{address}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return EmailMessage(mail.subject, body, to=[mail.user.email], connection=connection, headers=headers)


# --- Turning off ---------------------------------------------------------------------------------------------------


def kinds_for(user: User) -> list[MailKind]:
    """The kinds of emails that *user* can get."""
    return [kind for kind in MailKind if kind not in FOR_MAINTAINERS or is_maintainer(user)]


@transaction.atomic
def choose(*, user: User, wanted: Collection[str], of: Collection[str]) -> None:
    """Turn on the *wanted* kinds of emails, and off the other ones *of* those that the user chose from."""
    # Read again under the lock: two forms sent at once would otherwise overwrite each other's kinds.
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    user.muted_mails = sorted(({*user.muted_mails} - {*of}) | ({*of} - {*wanted}))
    user.save(update_fields=["muted_mails"])


def token_of(user: User, kind: MailKind) -> str:
    """Signed token of a link that turns off one kind of emails. It does not expire."""
    return Signer(salt=SALT, sep=".").sign(f"{user.pk}-{kind}")


def account_and_kind(token: str) -> tuple[User, MailKind] | None:
    """Account and kind of emails that a `token_of` names; None if it is not valid, or the account is deleted."""
    try:
        key, _, kind = Signer(salt=SALT, sep=".").unsign(token).partition("-")
        return User.objects.get(pk=int(key)), MailKind(kind)
    except (BadSignature, ValueError, User.DoesNotExist):
        return None
