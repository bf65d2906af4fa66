"""Two people change a team at the same moment: it keeps an owner, and nobody is in it twice."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from leaderboard.accounts.teams import services as teams
from leaderboard.models import Membership, Team, TeamInvitation, TeamRole, User
from tests import factories
from tests.reliability.test_publishing_at_once import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
ROUNDS = 3


def pressing(user: User, path: str, data: dict[str, Any] | None = None) -> Callable[[], int]:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    if "delete" in path:
        client.post("/accounts/password/again/", {"password": factories.PASSWORD})
    return lambda: client.post(path, data or {}).status_code


def team_of(*owners: User) -> Team:
    team = teams.create_team(by=owners[0], name="Readers")
    for owner in owners[1:]:
        Membership.objects.create(team=team, user=owner, role=TeamRole.OWNER)
    return team


@pytest.mark.parametrize("act", ["leave", "delete the account"])
def test_two_owners_who_go_at_once_leave_one_behind(act: str) -> None:
    for number in range(ROUNDS):
        ada, bob = factories.user(f"ada{number}"), factories.user(f"bob{number}")
        team = team_of(ada, bob)
        paths = [
            (f"/teams/{team.slug}/leave/", {}) if act == "leave" else ("/accounts/delete/", {"username": one.username})
            for one in (ada, bob)
        ]
        statuses = at_once(*(pressing(one, *path) for one, path in zip((ada, bob), paths, strict=True)))
        assert set(statuses) <= {302, 422}
        assert list(team.memberships.values_list("role", flat=True)) == ["owner"]


def test_an_invitation_that_is_accepted_twice_at_once_is_used_once() -> None:
    team = team_of(factories.user("ada"))
    bob = factories.user("bob")
    for _ in range(ROUNDS):
        teams.invite(by=team.memberships.get().user, team=team, email=bob.email)
        (path,) = re.findall(r"/teams/join/\S+", str(mail.outbox[-1].body))
        assert sorted(at_once(pressing(bob, path), pressing(bob, path))) in ([302, 302], [302, 422])
        assert team.memberships.filter(user=bob).count() == 1
        team.memberships.filter(user=bob).delete()


def test_an_address_that_is_invited_twice_at_once_has_one_invitation() -> None:
    ada = factories.user("ada")
    team = team_of(ada, factories.user("bob"))
    works = [
        pressing(one.user, f"/teams/{team.slug}/invite/", {"email": "carol@example.org"})
        for one in team.memberships.all()
    ]
    assert sorted(at_once(*works)) == [302, 422]
    assert TeamInvitation.objects.count() == 1
    assert len(mail.outbox) == 1
