"""Creating, changing and deleting accounts."""

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import ProtectedError

from leaderboard.models import Membership, Team, TeamRole, User
from leaderboard.operations import audit


class AccountError(ValueError):
    """A change that the account's state does not allow; the message is for its holder."""


def make_account(username: str, email: str, password: str, *, verified: bool, maintainer: bool = False) -> User:
    """Create an account on the operator's authority.

    Args:
        verified: whether the address counts as verified without a verification email.
        maintainer: whether the account has every right.
    """
    with transaction.atomic():
        create = User.objects.create_superuser if maintainer else User.objects.create_user
        user: User = create(username, email, password)
        if verified:
            vouch(user)
    return user


def vouch(user: User) -> None:
    """Mark an account's email address as verified on the operator's authority; no effect without an address."""
    if user.email:
        EmailAddress.objects.update_or_create(
            user=user, email=user.email.lower(), defaults={"verified": True, "primary": True}
        )


def rename(*, user: User, name: str) -> None:
    """Store a user's display name."""
    user.first_name, user.last_name = name, ""
    user.save(update_fields=["first_name", "last_name"])


def delete_account(*, user: User) -> None:
    """Delete an account with its tokens, email addresses and memberships.

    Raises:
        AccountError: a permanent record, such as a submission, depends on it, or it is a team's only owner.
    """
    with transaction.atomic():
        mine = Team.objects.filter(memberships__user=user).order_by("pk").values_list("pk", flat=True)
        list(Team.objects.select_for_update(no_key=True).filter(pk__in=list(mine)).order_by("pk"))
        reason = deletion_blocker(user)
        if reason:
            raise AccountError(reason)
        audit.record(user.get_username(), "account.deleted", f"account {user.get_username()}")
        try:
            user.delete()
        except ProtectedError as error:
            raise AccountError(BLOCKING_RECORDS) from error


BLOCKING_RECORDS = "This account cannot be deleted because the site must keep something you created. Ask a maintainer."


def deletion_blocker(user: User) -> str:
    """The reason why an account cannot be deleted; empty if it can. Two queries."""
    n_sent = user.submissions.count()
    if n_sent:
        sent = "a submission" if n_sent == 1 else f"{n_sent:,} submissions"
        return (
            f"You sent {sent}. We keep submissions, their scores and the record of who sent them, even after "
            "withdrawal. To have your name removed, ask a maintainer."
        )
    alone = _teams_without_another_owner(user)
    if alone:
        return f"You are the only owner of {', '.join(alone)}. First make another member an owner, or delete the team."
    return ""


def _teams_without_another_owner(user: User) -> list[str]:
    owned = Membership.objects.filter(user=user, role=TeamRole.OWNER).select_related("team").order_by("team__name")
    others = Membership.objects.filter(role=TeamRole.OWNER).exclude(user=user).values("team")
    return [membership.team.name for membership in owned.exclude(team__in=others)]
