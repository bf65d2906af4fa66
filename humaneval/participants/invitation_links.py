"""The links of a study for its maintainer, and as a list to send by other means."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from django.db.models import F, Q, QuerySet

from humaneval.models import Invitation, InvitationKind, Study
from humaneval.participants import invitations
from humaneval.studies import activity_log
from humaneval.studies.csv import csv_text
from leaderboard.models import User
from leaderboard.web.site_address import at_site

CSV_FIELDS: Final = ("label", "kind", "link", "lets_in", "used", "participant", "sent")


def shown_address(invitation: Invitation, *, absolute: Callable[[str], str] = at_site) -> str:
    """The complete link; empty if it can no longer be derived, or is revoked.

    Args:
        absolute: completes a path: at the address of a request, or at that of the settings.
    """
    if invitation.revoked_at is None:
        with suppress(invitations.UnknownTokenError):
            return absolute(invitations.path_of(invitation))
    return ""


def link_rows(study: Study) -> QuerySet[Invitation]:
    """Every link of a study, newest first, except those of previews. One query."""
    return (
        Invitation.objects.filter(Q(participant=None) | Q(participant__is_preview=False), study=study)
        .exclude(participant=None, label__startswith=invitations.PREVIEW_LABEL)
        .select_related("study", "participant", "contact")
        .order_by("-created_at", "-pk")
    )


def open_links(study: Study) -> QuerySet[Invitation]:
    """Shared links that still admit people, oldest first. One query."""
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
