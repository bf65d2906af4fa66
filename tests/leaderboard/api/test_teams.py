"""Submitting for a team from a program, and what its members can do there."""

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Membership, Submission, Team, User
from leaderboard.submissions.forms import NOT_IN_TEAM
from scoring.models import Benchmark
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(ada: User) -> Team:
    return factories.team(ada, name="Readers")


def send(client: Client, token: dict[str, str], team: str) -> Any:
    data = factories.form_data(team=team) | {"openbook": factories.upload(factories.perfect())}
    return client.post("/api/v1/submissions/", data, headers=token)


def test_what_is_sent_for_a_team_is_every_members(
    client: Client, made: Benchmark, team: Team, token: dict[str, str]
) -> None:
    sent = send(client, token, "readers")
    assert (sent.status_code, sent.json()["team"]) == (201, "readers")
    bob = factories.user("bob")
    address, bobs = f"/api/v1/submissions/{sent.json()['id']}/", factories.token_of(bob)
    assert client.get(address, headers=bobs).status_code == 404
    Membership.objects.create(team=team, user=bob)
    assert client.get(address, headers=bobs).json()["team"] == "readers"
    assert [line["team"] for line in client.get("/api/v1/submissions/", headers=bobs).json()] == ["readers"]
    withdrawn = client.post(f"{address}withdraw/", {"confirm": "true"}, headers=bobs)
    assert (withdrawn.status_code, withdrawn.json()["state"]) == (200, "withdrawn")


def test_nothing_is_sent_for_a_team_that_one_is_not_in(
    client: Client, made: Benchmark, token: dict[str, str], team: Team
) -> None:
    Team.objects.create(name="Others", slug="others")
    for name in ("others", "nowhere"):
        refused = send(client, token, name)
        assert refused.status_code == 422
        assert refused.json()["errors"]["team"] == [NOT_IN_TEAM % {"value": name}]
    assert not Submission.objects.exists()


def test_without_a_team_it_is_the_senders_alone(
    client: Client, made: Benchmark, token: dict[str, str], team: Team
) -> None:
    assert send(client, token, "").json()["team"] == ""
    assert Submission.objects.get().team is None
