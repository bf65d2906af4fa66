"""Queries of accounts and teams."""

from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from leaderboard.models import Membership, TeamInvitation, TeamRole, User


def addresses_of(user: User) -> list[EmailAddress]:
    """The email addresses of a user, the primary one first. One query."""
    addresses = list(EmailAddress.objects.filter(user=user).order_by("-primary", "email"))
    if not addresses and user.email:  # an account that a command created
        addresses = [EmailAddress(user=user, email=user.email, verified=False, primary=True)]
    return addresses


def verified_addresses(user: User) -> QuerySet[Any, str]:
    """The verified email addresses of a user, in lower case. No query by itself."""
    addresses: QuerySet[Any, str] = EmailAddress.objects.filter(user=user, verified=True).values_list(
        "email", flat=True
    )
    return addresses


def memberships_of(user: User) -> QuerySet[Membership]:
    """A user's memberships with their teams, ordered by name, with ``n_members`` and ``n_submissions``. One query."""
    return (
        Membership.objects.filter(user=user)
        .select_related("team")
        .annotate(
            n_members=Count("team__memberships", distinct=True), n_submissions=Count("team__submissions", distinct=True)
        )
        .order_by("team__name")
    )


OPEN = Q(accepted_at=None, revoked_at=None)
"""Invitations that were neither used nor revoked; they may have expired."""


def invitations_to(user: User) -> QuerySet[TeamInvitation]:
    """The invitations that a user can accept, by the verified addresses of the account."""
    # An invitation ends when the person who sent it is no owner of the team any more.
    sender = Membership.objects.filter(team=OuterRef("team"), user=OuterRef("invited_by"), role=TeamRole.OWNER)
    return (
        TeamInvitation.objects.filter(OPEN, Exists(sender), email__in=verified_addresses(user))
        .filter(expires_at__gt=timezone.now())
        .exclude(team__memberships__user=user)
        .select_related("team", "invited_by")
    )
