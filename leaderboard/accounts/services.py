"""Creating, changing and deleting accounts."""

import secrets
from typing import Final

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import ProtectedError

from leaderboard.models import (
    AuditRecord,
    Event,
    Membership,
    Publication,
    Submission,
    SubmissionFile,
    System,
    Team,
    TeamRole,
    User,
)
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
    user.first_name, user.last_name = name, ""
    user.save(update_fields=["first_name", "last_name"])


RECORDS: Final = (
    (Submission, "owner"),
    (System, "owner"),
    (SubmissionFile, "sent_by"),
    (Event, "actor"),
    (Publication, "requested_by"),
)
"""Records of who sent, published or changed a submission, and whose a system's name is."""


def delete_account(*, user: User, erased: bool = False) -> None:
    """Delete an account with its tokens, email addresses and memberships. Its submissions stay; see
    `leaderboard.submissions.deletion.delete_account`.

    If `RECORDS` name it, they then name a disabled account without further data: under the same username, which nobody
    else can take, or under a random one if *erased*; then the audit log names that one too.

    Raises:
        AccountError: a permanent record, such as a study, depends on it, or it is a team's only owner.
    """
    with transaction.atomic():
        mine = Team.objects.filter(memberships__user=user).order_by("pk").values_list("pk", flat=True)
        # `list` runs the query: without it nothing would be locked. The locks let two last owners not leave at once,
        # and are taken in one order, so that two deletions do not wait for each other's.
        list(Team.objects.select_for_update(no_key=True).filter(pk__in=list(mine)).order_by("pk"))
        reason = deletion_blocker(user)
        if reason:
            raise AccountError(reason)
        name = user.get_username()
        # The record that stays has a random name first: the account holds its own until it is deleted below.
        left = User.objects.create_user(f"deleted-{secrets.token_hex(4)}", is_active=False)
        n_records = sum(model._default_manager.filter(**{by: user}).update(**{by: left}) for model, by in RECORDS)
        if erased:
            name = left.username
            AuditRecord.objects.filter(actor=user).update(actor_name=name)
        audit.record(name, "account.deleted", f"account {name}")
        try:
            user.delete()
        except ProtectedError as error:
            raise AccountError(BLOCKING_RECORDS) from error
        if n_records:
            left.username = name
            left.save(update_fields=["username", "username_skeleton"])
        else:
            left.delete()


BLOCKING_RECORDS = (
    "This account cannot be deleted because it has a study, a grading round or grades, which the site must keep. Ask a "
    "maintainer to give your studies another owner, or to disable the account."
)


def deletion_blocker(user: User) -> str:
    """The reason why an account cannot be deleted; empty if it can. One query."""
    alone = teams_without_another_owner(user)
    if alone:
        return f"You are the only owner of {', '.join(alone)}. First make another member an owner, or delete the team."
    return ""


def teams_without_another_owner(user: User) -> list[str]:
    """The names of the teams that nobody else who can sign in owns. One query."""
    owned = Membership.objects.filter(user=user, role=TeamRole.OWNER).select_related("team").order_by("team__name")
    others = Membership.objects.filter(role=TeamRole.OWNER, user__is_active=True).exclude(user=user).values("team")
    return [membership.team.name for membership in owned.exclude(team__in=others)]
