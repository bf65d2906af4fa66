"""Queries of accounts and teams."""

import datetime
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.models import SocialAccount
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from leaderboard.accounts.second_factor import FACTORS
from leaderboard.models import ApiToken, Membership, Team, TeamInvitation, TeamRole, User

# --- An account ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AddressView:
    """An email address of a user."""

    email: str
    verified: bool
    primary: bool


@dataclass(frozen=True)
class AccountView:
    """The content of an account's own page, except its tokens."""

    username: str
    name: str
    joined_at: datetime.datetime
    has_password: bool
    has_second_factor: bool
    addresses: list[AddressView]
    other_sites: list[str]
    teams: list["TeamRow"]
    invitations: list[TeamInvitation]
    n_submissions: int


def account_view(user: User, *, n_submissions: int) -> AccountView:
    """An account. Five queries."""
    addresses = EmailAddress.objects.filter(user=user).order_by("-primary", "email")
    views = [AddressView(address.email, address.verified, address.primary) for address in addresses]
    if not views and user.email:
        views = [AddressView(user.email, verified=False, primary=True)]
    return AccountView(
        username=user.get_username(),
        name=user.get_full_name(),
        joined_at=user.date_joined,
        has_password=user.has_usable_password(),
        has_second_factor=is_mfa_enabled(user, FACTORS),
        addresses=views,
        other_sites=list(SocialAccount.objects.filter(user=user).values_list("provider", flat=True)),
        teams=team_rows(user),
        invitations=list(invitations_to(user)),
        n_submissions=n_submissions,
    )


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """A user's API tokens: active ones first, then the newest."""
    return user.api_tokens.order_by(F("revoked_at").desc(nulls_first=True), "-created_at")


def verified_addresses(user: User) -> QuerySet[Any, str]:
    """The verified email addresses of a user, in lower case. No query by itself."""
    addresses: QuerySet[Any, str] = EmailAddress.objects.filter(user=user, verified=True).values_list(
        "email", flat=True
    )
    return addresses


# --- Teams ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TeamRow:
    """A team in the list of a member."""

    name: str
    slug: str
    role: str
    n_members: int
    n_submissions: int


@dataclass(frozen=True)
class MemberView:
    """A member of a team; ``pk`` is the membership's."""

    pk: int
    username: str
    name: str
    role: str
    role_label: str
    joined_at: datetime.datetime
    is_reader: bool


@dataclass(frozen=True)
class InvitationView:
    """An open invitation as shown to the team's owners."""

    pk: int
    email: str
    by: str
    expires_at: datetime.datetime
    has_run_out: bool


@dataclass(frozen=True)
class TeamView:
    """A team as shown to a member."""

    name: str
    slug: str
    created_at: datetime.datetime
    is_owner: bool
    is_last_owner: bool
    can_dissolve: bool
    members: list[MemberView]
    invitations: list[InvitationView]
    n_submissions: int


def team_rows(user: User) -> list[TeamRow]:
    """The teams that a user is in, ordered by name. One query."""
    memberships = (
        Membership.objects.filter(user=user)
        .select_related("team")
        .annotate(
            n_members=Count("team__memberships", distinct=True), n_submissions=Count("team__submissions", distinct=True)
        )
        .order_by("team__name")
    )
    return [
        TeamRow(
            membership.team.name,
            membership.team.slug,
            membership.get_role_display(),
            membership.n_members,
            membership.n_submissions,
        )
        for membership in memberships
    ]


def team_view(team: Team, reader: User) -> TeamView:
    """A team with its members and open invitations. Three queries."""
    memberships = list(team.memberships.select_related("user").order_by("joined_at", "pk"))
    owners = [member.user_id for member in memberships if member.role == TeamRole.OWNER and member.user.is_active]
    n_submissions = team.submissions.count()
    return TeamView(
        name=team.name,
        slug=team.slug,
        created_at=team.created_at,
        is_owner=reader.pk in owners,
        is_last_owner=owners == [reader.pk],
        can_dissolve=reader.pk in owners and not n_submissions,
        members=[
            MemberView(
                pk=one.pk,
                username=one.user.get_username(),
                name=one.user.get_full_name(),
                role=one.role,
                role_label=one.get_role_display(),
                joined_at=one.joined_at,
                is_reader=one.user_id == reader.pk,
            )
            for one in memberships
        ],
        invitations=[
            InvitationView(
                pk=one.pk,
                email=one.email,
                by=one.invited_by.get_username() if one.invited_by else "",
                expires_at=one.expires_at,
                has_run_out=one.expires_at <= timezone.now(),
            )
            for one in team.invitations.filter(OPEN).select_related("invited_by")
        ],
        n_submissions=n_submissions,
    )


OPEN = Q(accepted_at=None, revoked_at=None)
"""Invitations that were neither used nor revoked; they may have expired."""


def invitations_to(user: User) -> QuerySet[TeamInvitation]:
    """The invitations that a user can accept, by the verified addresses of the account."""
    sender = Membership.objects.filter(team=OuterRef("team"), user=OuterRef("invited_by"), role=TeamRole.OWNER)
    return (
        TeamInvitation.objects.filter(OPEN, Exists(sender), email__in=verified_addresses(user))
        .filter(expires_at__gt=timezone.now())
        .exclude(team__memberships__user=user)
        .select_related("team", "invited_by")
    )
