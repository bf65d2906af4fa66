"""Teams: created by any user, joined by invitation, managed by their owners.

An invitation is a link with a random token in an email; only the token's SHA-256 is stored. It takes effect for an
account with the invited address verified, so another person who obtains the link cannot join. A team always has an
owner. Every change of a team locks its row first, so that two changes cannot interleave.
"""

import datetime
import logging
import secrets
import smtplib
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify

from leaderboard.accounts.queries import OPEN, verified_addresses
from leaderboard.accounts.tokens import digest_of
from leaderboard.models import Membership, Team, TeamInvitation, TeamRole, User
from leaderboard.operations import audit
from leaderboard.web.rate_limits import OverLimitError, RateLimit, require_room
from leaderboard.web.site_address import at_site

VALID_FOR: Final = datetime.timedelta(days=14)
"""Time within which an invitation can be accepted."""
MAX_OPEN_INVITATIONS: Final = 50
MAX_TEAMS: Final = 50
"""The maximum number of teams per account."""
INVITATION_RATE: Final = RateLimit(30, 3600)
"""The maximum number of invitations per account and hour: the emails go to people who did not ask for them."""
TOKEN_BYTES: Final = 32
SLUG_LENGTH: Final = 60
SLUG_TRIES: Final = 20
RESERVED_SLUGS: Final = frozenset({"join", "accept"})
OWNERS_ONLY: Final = "Only team owners can do this."
OWNER_NEEDED: Final = "A team must have an owner. Make another member an owner first."
HAS_SUBMISSIONS: Final = "This team has submissions, so it cannot be deleted."
INVITATION_CLOSED: Final = "This invitation has already been used or revoked."
SENDER_LEFT: Final = "The person who sent this invitation no longer owns the team. Ask an owner to send it again."
logger = logging.getLogger(__name__)


class TeamError(ValueError):
    """A change that the team's state does not allow; the message is for the user who tried it."""


class WrongAccountError(TeamError):
    """The invitation is for an email address that the account does not have."""


# --- The team itself -----------------------------------------------------------------------------------------------


def create_team(*, by: User, name: str) -> Team:
    """Create a team with *by* as its owner.

    Raises:
        TeamError: *by* is in too many teams already.
    """
    if by.memberships.count() >= MAX_TEAMS:
        raise TeamError(f"You are already in {MAX_TEAMS} teams, the maximum for one account.")
    base = slugify(name)[:SLUG_LENGTH].strip("-") or "team"
    if base in RESERVED_SLUGS:
        base = f"{base}-team"
    numbered = [f"{base}-{number}" for number in range(2, SLUG_TRIES // 2 + 1)]
    random = [f"{base}-{secrets.token_hex(4)}" for _ in range(SLUG_TRIES // 2)]
    for slug in (base, *numbered, *random):
        try:
            with transaction.atomic():
                team = Team.objects.create(name=name, slug=slug)
                Membership.objects.create(team=team, user=by, role=TeamRole.OWNER)
                audit.record(by, "team.created", _target(team), name)
                return team
        except IntegrityError:
            continue
    raise TeamError("We could not create a unique URL for this team name. Choose another name.")


def rename(*, by: User, team: Team, name: str) -> None:
    """Rename the team; its URL does not change.

    Raises:
        TeamError: *by* is not an owner.
    """
    with transaction.atomic():
        _owner(team, by)
        Team.objects.filter(pk=team.pk).update(name=name)
        audit.record(by, "team.renamed", _target(team), f"{team.name} → {name}")


def dissolve(*, by: User, team: Team) -> None:
    """Delete a team that has never had a submission.

    Raises:
        TeamError: *by* is not an owner, or submissions belong to the team.
    """
    with transaction.atomic():
        _owner(team, by)
        if team.submissions.exists():
            raise TeamError(HAS_SUBMISSIONS)
        audit.record(by, "team.dissolved", _target(team), team.name)
        team.delete()


# --- Invitations ---------------------------------------------------------------------------------------------------


def invite(*, by: User, team: Team, email: str) -> TeamInvitation:
    """Invite an email address; the email is sent once the invitation is committed.

    Raises:
        TeamError: *by* is not an owner, the address is a member's or invited already, or there are too many
            invitations; or the username of *by* is an email address that they have not verified.
    """
    email = email.lower()
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with transaction.atomic():
        _owner(team, by)
        open_ones = team.invitations.filter(OPEN)
        if Membership.objects.filter(
            team=team, user__emailaddress__email=email, user__emailaddress__verified=True
        ).exists():
            raise TeamError(f"{email} is already in the team.")
        if open_ones.filter(email=email).exists():
            raise TeamError(f"{email} already has an invitation. Resend or revoke that invitation.")
        if open_ones.count() >= MAX_OPEN_INVITATIONS:
            raise TeamError(
                f"The team has {MAX_OPEN_INVITATIONS} open invitations, the maximum. Revoke "
                "invitations that are no longer needed."
            )
        _require_own_name(by)
        _count(by)
        invitation = TeamInvitation.objects.create(
            team=team, email=email, digest=digest_of(token), invited_by=by, expires_at=timezone.now() + VALID_FOR
        )
        audit.record(by, "team.invited", _target(team), email)
    send(invitation, token)
    return invitation


def resend(*, by: User, team: Team, invitation: TeamInvitation) -> None:
    """Send an invitation again with a new link; the earlier link stops working.

    Raises:
        TeamError: *by* is not an owner, the invitation was used or revoked before, or too many emails were sent.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with transaction.atomic():
        _owner(team, by)
        _require_own_name(by)
        _count(by)
        changed = TeamInvitation.objects.filter(OPEN, pk=invitation.pk, team=team).update(
            digest=digest_of(token), expires_at=timezone.now() + VALID_FOR, invited_by=by
        )
        if not changed:
            raise TeamError(INVITATION_CLOSED)
        audit.record(by, "team.invited again", _target(team), invitation.email)
    send(invitation, token)


def _require_own_name(by: User) -> None:
    """Require an inviter whose username, which the email shows, is no address of another person."""
    if by.has_foreign_name:
        raise TeamError("Your username is an email address that you have not verified. Verify it, then invite.")


def revoke(*, by: User, team: Team, invitation: TeamInvitation) -> None:
    """Revoke an invitation; its link stops working.

    Raises:
        TeamError: *by* is not an owner, or the invitation was used or revoked before.
    """
    with transaction.atomic():
        _owner(team, by)
        if not TeamInvitation.objects.filter(OPEN, pk=invitation.pk, team=team).update(revoked_at=timezone.now()):
            raise TeamError(INVITATION_CLOSED)
        audit.record(by, "team.invitation revoked", _target(team), invitation.email)


def send(invitation: TeamInvitation, token: str) -> None:
    """Send an invitation's email, with the link in which the token is.

    Raises:
        TeamError: the mail server cannot be reached or refuses it. The invitation remains and can be sent again.
    """
    by = invitation.invited_by
    context = {
        "team": invitation.team.name,
        "by": by.get_username() if by else "",
        "email": invitation.email,
        "address": at_site(reverse("team-join", args=[token])),
        "days": VALID_FOR.days,
        "site_name": settings.SITE_NAME,
    }
    subject = " ".join(f"{settings.SITE_NAME}: invitation to the team {invitation.team.name}".split())
    try:
        EmailMessage(subject, render_to_string("emails/team_invitation.txt", context), to=[invitation.email]).send()
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("Could not send a team invitation: %s", type(error).__name__)
        raise TeamError(
            f"{invitation.email} was invited, but the email could not be sent: the mail server is unavailable "
            "or refused it. Resend the invitation later."
        ) from error


def invitation_of(token: str) -> TeamInvitation | None:
    """The invitation of a link, even if it was used or has expired; None for an unknown link."""
    return TeamInvitation.objects.select_related("team", "invited_by").filter(digest=digest_of(token)).first()


def why_not(invitation: TeamInvitation) -> str:
    """The reason why nobody can accept an invitation; empty if somebody can. At most one query."""
    if invitation.accepted_at is not None:
        return "This invitation has already been accepted."
    if invitation.revoked_at is not None:
        return "This invitation was revoked."
    if invitation.has_run_out:
        return "This invitation has expired. Ask the sender to send it again."
    owners = Membership.objects.filter(team=invitation.team_id, user=invitation.invited_by_id, role=TeamRole.OWNER)
    if not owners.exists():
        return SENDER_LEFT
    return ""


def is_for(invitation: TeamInvitation, user: User) -> bool:
    """Whether the invited address is a verified address of the account. One query."""
    return invitation.email.lower() in verified_addresses(user)


def accept(*, user: User, invitation: TeamInvitation) -> Team:
    """Join the team of an invitation. A user who is a member already uses the invitation up too.

    Raises:
        WrongAccountError: the invitation is for an address that the account does not have or has not verified.
        TeamError: the invitation was used, was revoked or has expired, or the account is in too many teams.
    """
    with transaction.atomic():
        # The team before the invitation, as in `remove`, which revokes invitations. Only one account uses it.
        team = Team.objects.select_for_update(no_key=True).get(pk=invitation.team_id)
        invitation = TeamInvitation.objects.select_for_update().get(pk=invitation.pk)
        reason = why_not(invitation)
        if reason:
            raise TeamError(reason)
        if not is_for(invitation, user):
            raise WrongAccountError(f"This invitation is for {invitation.email}.")
        if user.memberships.exclude(team=team).count() >= MAX_TEAMS:
            raise TeamError(f"You are already in {MAX_TEAMS} teams, the maximum for one account.")
        Membership.objects.get_or_create(team=team, user=user)
        invitation.accepted_at = timezone.now()
        invitation.save(update_fields=["accepted_at"])
        audit.record(user, "team.joined", _target(team), f"invited as {invitation.email}")
    return team


# --- Members -------------------------------------------------------------------------------------------------------


def change_role(*, by: User, team: Team, member: Membership, role: TeamRole) -> None:
    """Make a member an owner, or an owner a plain member.

    Raises:
        TeamError: *by* is not an owner, or no owner would be left.
    """
    with transaction.atomic():
        _owner(team, by)
        if role != TeamRole.OWNER:
            _another_owner_than(team, member)
        if not team.memberships.filter(pk=member.pk).update(role=role):
            raise TeamError("This person is no longer in the team.")
        audit.record(by, f"team.made {role.label.lower()}", _target(team), member.user.get_username())


def remove(*, by: User, team: Team, member: Membership) -> None:
    """Remove a member from the team. Their submissions for the team stay with the team, and invitations to their
    addresses are revoked.

    Raises:
        TeamError: *by* is not an owner, or no owner would be left.
    """
    with transaction.atomic():
        _owner(team, by)
        _another_owner_than(team, member)
        audit.record(by, "team.removed", _target(team), member.user.get_username())
        revoke_invitations_to(member)
        team.memberships.filter(pk=member.pk).delete()


def revoke_invitations_to(member: Membership) -> None:
    """Revoke the open invitations to a member's addresses, so that a removed member cannot join again."""
    addresses = member.user.emailaddress_set.values("email")  # type: ignore[attr-defined]
    member.team.invitations.filter(OPEN, email__in=addresses).update(revoked_at=timezone.now())


def leave(*, user: User, team: Team) -> None:
    """Leave the team. The user's submissions for the team stay with the team.

    Raises:
        TeamError: the user is its only owner.
    """
    with transaction.atomic():
        _lock(team)
        member = team.memberships.filter(user=user).first()
        if member is None:
            return
        _another_owner_than(team, member)
        audit.record(user, "team.left", _target(team))
        member.delete()


def _lock(team: Team) -> None:
    # Called for the lock alone; `no_key` lets memberships and submissions that refer to the team be inserted.
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def _owner(team: Team, user: User) -> None:
    """Lock the team's row, and refuse everybody except its owners."""
    _lock(team)
    if not team.memberships.filter(user=user, role=TeamRole.OWNER).exists():
        raise TeamError(OWNERS_ONLY)


def _another_owner_than(team: Team, member: Membership) -> None:
    """Refuse to take the role from the last owner who can sign in."""
    owners = team.memberships.filter(role=TeamRole.OWNER)
    if owners.filter(pk=member.pk).exists() and not owners.filter(user__is_active=True).exclude(pk=member.pk).exists():
        raise TeamError(OWNER_NEEDED)


def _count(by: User) -> None:
    try:
        require_room(f"team-invitations:{by.pk}", INVITATION_RATE)
    except OverLimitError as error:
        many = f"You sent {INVITATION_RATE.number} invitations in the last hour, the maximum."
        raise TeamError(f"{many} Wait, then send more.") from error


def _target(team: Team) -> str:
    return f"team {team.slug}"
