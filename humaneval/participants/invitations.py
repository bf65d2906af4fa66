"""Links to studies: making them, finding the invitation of a link, revoking and renewing them, listing them.

A link's token is an HMAC-SHA256 of the invitation's id and generation, so the site can derive it again for a mail or a
list without storing it: the database has only its SHA-256. A person who can read the database cannot derive a link; a
person who also has ``SECRET_KEY`` can.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes

from humaneval.models import Contact, Invitation, InvitationKind, Participant, Study
from humaneval.models.people import PREVIEW_NUMBERS_FROM
from humaneval.studies import activity_log
from humaneval.studies.csv import csv_text
from leaderboard.models import User
from leaderboard.web.site_address import at_site

PURPOSE: Final = b"manyhop study invitations 1"
MAX_TOKEN_LENGTH: Final = 100
MAX_AT_ONCE: Final = 500
"""The maximum number of personal links made at once."""
PREVIEW_LABEL: Final = "Preview by"
CSV_FIELDS: Final = ("label", "kind", "link", "lets_in", "used", "participant", "sent")


class InvitationError(ValueError):
    """The action on an invitation is impossible; the message is for the maintainer."""


class UnknownTokenError(InvitationError):
    """The link of an invitation can no longer be derived, because ``SECRET_KEY`` was changed. It still works for the
    person who has it; renewing creates another."""


# --- Tokens --------------------------------------------------------------------------------------------------------


def token_of(invitation: Invitation) -> str:
    """The token of an invitation: 43 characters of base64url.

    Raises:
        UnknownTokenError: it was made with a key that is neither ``SECRET_KEY`` nor among its fallbacks.
    """
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        token = _token(invitation, secret)
        if hmac.compare_digest(digest_of(token), invitation.digest):
            return token
    raise UnknownTokenError(
        "The site's secret key has changed since this link was created. Renew the link, then send it."
    )


def digest_of(token: str) -> str:
    """The stored form of a token: its SHA-256 in hexadecimal."""
    return hashlib.sha256(token.encode()).hexdigest()


def path_of(invitation: Invitation) -> str:
    """The path of an invitation's link on this site; raises as `token_of`."""
    return reverse("study-join", args=[invitation.study.slug, token_of(invitation)])


def address_of(invitation: Invitation) -> str:
    """An invitation's complete link, as it is sent by mail; raises as `token_of`."""
    return at_site(path_of(invitation))


def invitation_for(study: Study, token: str) -> Invitation | None:
    """The invitation of a token: None if it is unknown, of another study, revoked, or renewed since.

    The lookup is by the token's digest, so its duration reveals nothing about how close a guess is.
    """
    if not token or len(token) > MAX_TOKEN_LENGTH:
        return None
    return (
        Invitation.objects.select_related("participant", "study")
        .filter(study=study, digest=digest_of(token), revoked_at=None)
        .first()
    )


def _token(invitation: Invitation, secret: str | bytes) -> str:
    key = hmac.digest(force_bytes(secret), PURPOSE, "sha256")
    message = f"{invitation.pk}:{invitation.generation}".encode()
    return base64.urlsafe_b64encode(hmac.digest(key, message, "sha256")).rstrip(b"=").decode()


def _set_digest(invitation: Invitation) -> None:
    invitation.digest = digest_of(_token(invitation, settings.SECRET_KEY))


# --- Making --------------------------------------------------------------------------------------------------------


@transaction.atomic
def invite(
    study: Study,
    *,
    by: User | str,
    kind: InvitationKind | str = InvitationKind.PERSONAL,
    limit: int = 1,
    label: str = "",
    email: str = "",
) -> Invitation:
    """Make one link.

    Args:
        kind: personal: for one person, who resumes with it on any device; shared: for anybody who has it.
        limit: how many people a shared link may admit; a personal link admits one.
        email: the recipient of a personal link; stored separately, and deleted on withdrawal.

    Raises:
        InvitationError: a limit below 1, or an address for a shared link.
    """
    if kind == InvitationKind.SHARED and email:
        raise InvitationError("A shared link cannot have an email address.")
    invitation = _make(study, kind=kind, limit=limit, label=label, email=email, by=by)
    text = (
        "A personal link was created."
        if kind == InvitationKind.PERSONAL
        else f"A shared link for up to {limit} people was created."
    )
    activity_log.record_action(study, "study.invited", text, by=by)
    return invitation


@transaction.atomic
def invite_many(
    study: Study, *, by: User | str, n: int = 0, emails: tuple[str, ...] = (), label: str = ""
) -> list[Invitation]:
    """Make personal links: one for each address, and *n* without one.

    An address that already has a link of this study which is not revoked gets no second.

    Raises:
        InvitationError: none or more than `MAX_AT_ONCE` are requested.
    """
    if not 1 <= n + len(emails) <= MAX_AT_ONCE:
        raise InvitationError(f"Create between 1 and {MAX_AT_ONCE} links at a time.")
    # One request at a time for a study, so that two lists with the same address do not both make a link for it.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    contacts = Contact.objects.filter(invitation__study=study, invitation__revoked_at=None)
    known = {address.lower() for address in contacts.values_list("email", flat=True)}
    fresh = {address.lower(): address for address in emails if address.lower() not in known}
    made = [_make(study, label=label, email=address, by=by) for address in (*fresh.values(), *[""] * n)]
    if made:
        links = "1 personal link was created" if len(made) == 1 else f"{len(made)} personal links were created"
        known_text = f" {len(emails) - len(fresh)} addresses already had one." if len(fresh) < len(emails) else ""
        activity_log.record_action(
            study, "study.invited", f"{links}, {len(fresh)} with an email address.{known_text}", by=by
        )
    return made


def personal_link_for(participant: Participant, *, label: str = "") -> Invitation:
    """Make the personal link for a participant who came by a shared one. The caller records the event."""
    return _make(participant.study, label=label, participant=participant, n_used=1)


@transaction.atomic
def preview_link(study: Study, *, by: User) -> Invitation:
    """Make a preview participant with a personal link; it does not count towards the study's limit or its results.

    Earlier previews by the same maintainer are deleted.
    """
    # One at a time, so that two previews do not get the same number.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    label = f"{PREVIEW_LABEL} {by.get_username()}"[:100]
    Participant.objects.filter(study=study, is_preview=True, invitation__created_by=by).delete()
    Invitation.objects.filter(study=study, label=label, participant=None, created_by=by).delete()
    last = Participant.objects.filter(study=study, is_preview=True).order_by("-number").first()
    participant = Participant.objects.create(
        study=study,
        number=last.number + 1 if last is not None else PREVIEW_NUMBERS_FROM,
        is_preview=True,
        receipt_code=f"preview-{secrets.token_hex(8)}",
    )
    activity_log.record_action(study, "study.previewed", "Started a preview.", by=by)
    return _make(study, label=label, participant=participant, by=by, n_used=1)


def _make(
    study: Study,
    *,
    kind: InvitationKind | str = InvitationKind.PERSONAL,
    limit: int = 1,
    label: str = "",
    email: str = "",
    by: User | str | None = None,
    participant: Participant | None = None,
    n_used: int = 0,
) -> Invitation:
    if limit < 1 or (kind == InvitationKind.PERSONAL and limit != 1):
        raise InvitationError("A personal link is for one person; a shared link needs a limit of at least one.")
    invitation = Invitation(
        study=study,
        kind=kind,
        limit=limit,
        label=label[:100],
        participant=participant,
        n_used=n_used,
        created_by=by if isinstance(by, User) else None,
    )
    _set_digest(invitation)
    invitation.save(force_insert=True)
    if email:
        Contact.objects.create(invitation=invitation, email=email)
    return invitation


# --- Changing ------------------------------------------------------------------------------------------------------


@transaction.atomic
def revoke(invitation: Invitation, *, by: User | str) -> bool:
    """Revoke a link: it no longer admits or resumes anybody; answers remain. False if it was already revoked."""
    now = timezone.now()
    # A conditional UPDATE: of two requests at once only one revokes the link and writes the log.
    changed = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=now)
    if changed:
        invitation.revoked_at = now
        who = invitation.participant
        activity_log.record_action(
            invitation.study, "study.link-revoked", f"{_named(invitation)} was revoked.", by=by, participant=who
        )
    return bool(changed)


@transaction.atomic
def renew(invitation: Invitation, *, by: User | str) -> Invitation:
    """Replace the link of an invitation; the old link and all its sessions become invalid at once.

    A revoked invitation becomes valid again. Its participant continues their session with the new link.
    """
    row = (
        Invitation.objects.select_for_update(of=("self",)).select_related("study", "participant").get(pk=invitation.pk)
    )
    row.generation += 1
    row.revoked_at = None
    row.sent_at = None
    _set_digest(row)
    row.save(update_fields=["generation", "revoked_at", "sent_at", "digest"])
    who = row.participant
    activity_log.record_action(row.study, "study.link-renewed", f"{_named(row)} was renewed.", by=by, participant=who)
    return row


@transaction.atomic
def change_limit(invitation: Invitation, limit: int, *, by: User | str) -> bool:
    """Change how many people a shared link admits; false if it has already admitted more.

    Raises:
        InvitationError: the link is personal, or the number is below 1.
    """
    if invitation.kind != InvitationKind.SHARED or limit < 1:
        raise InvitationError("A personal link is for one person; a shared link needs a limit of at least one.")
    # The condition is in the UPDATE, because somebody may join meanwhile.
    changed = Invitation.objects.filter(pk=invitation.pk, n_used__lte=limit).update(limit=limit)
    if changed:
        invitation.limit = limit
        activity_log.record_action(
            invitation.study, "study.link-limit", f"The limit of a shared link was changed to {limit} people.", by=by
        )
    return bool(changed)


def _named(invitation: Invitation) -> str:
    kind = "personal" if invitation.kind == InvitationKind.PERSONAL else "shared"
    return f"The {kind} link {str(invitation.pk)[:8]}"


# --- For the maintainer --------------------------------------------------------------------------------------------


def shown_address(invitation: Invitation, *, absolute: Callable[[str], str] = at_site) -> str:
    """The complete link; empty if it can no longer be derived, or is revoked.

    Args:
        absolute: completes a path: at the address of a request, or at that of the settings.
    """
    if invitation.revoked_at is None:
        with suppress(UnknownTokenError):
            return absolute(path_of(invitation))
    return ""


def link_rows(study: Study) -> QuerySet[Invitation]:
    """Every link of a study, newest first, except those of previews."""
    return (
        Invitation.objects.filter(Q(participant=None) | Q(participant__is_preview=False), study=study)
        .exclude(participant=None, label__startswith=PREVIEW_LABEL)
        .select_related("study", "participant", "contact")
        .order_by("-created_at", "-pk")
    )


def open_links(study: Study) -> QuerySet[Invitation]:
    """Shared links that still admit people, oldest first."""
    return (
        Invitation.objects.filter(study=study, kind=InvitationKind.SHARED, revoked_at=None, n_used__lt=F("limit"))
        .select_related("study")
        .order_by("created_at", "pk")
    )


def links_csv(study: Study, *, by: User, with_contacts: bool) -> str:
    """The valid links as CSV, with addresses only on request; recorded in the study's log."""
    rows = [
        {
            "label": link.label,
            "kind": link.kind,
            "link": shown_address(link),
            "lets_in": link.limit,
            "used": link.n_used,
            "participant": link.participant.code if link.participant is not None else "",
            "sent": link.sent_at,
            "email": link.email,
        }
        for link in link_rows(study).filter(revoked_at=None)
    ]
    contacts = ", with email addresses" if with_contacts else ""
    activity_log.record_action(study, "study.links-exported", f"The links were exported{contacts}.", by=by)
    return csv_text([*CSV_FIELDS, "email"] if with_contacts else CSV_FIELDS, rows)
