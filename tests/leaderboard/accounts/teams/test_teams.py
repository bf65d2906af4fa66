"""Teams from their making to their end, by their pages: who may do what, and what an invitation's link is good for."""

import datetime
import re
import smtplib
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.accounts.queries import invitations_to
from leaderboard.accounts.services import teams_without_another_owner
from leaderboard.accounts.teams import services as teams
from leaderboard.accounts.tokens import digest_of
from leaderboard.models import AuditRecord, Membership, Submission, Team, TeamInvitation, TeamRole, User
from leaderboard.web.rate_limits import RateLimit
from tests import factories
from tests.notices import error_codes, notices, text_of

pytestmark = pytest.mark.django_db
INVITED = "bob@example.org"


@pytest.fixture(autouse=True)
def uncounted() -> Iterator[None]:
    cache.clear()
    yield


@pytest.fixture
def ada(client: Client) -> User:
    made = factories.user("ada")
    client.force_login(made)
    return made


@pytest.fixture
def team(ada: User) -> Team:
    return teams.create_team(by=ada, name="Readers")


def as_user(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def link_in_mail() -> str:
    found = re.search(r"http://127\.0\.0\.1:8000(/teams/join/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def invited(client: Client, email: str = INVITED) -> str:
    """Invite by the page; the link in the mail."""
    assert client.post("/teams/readers/invite/", {"email": email}).status_code == 302
    return link_in_mail()


def refusals(response: Any) -> list[str]:
    """Why the invitation was refused, as the page says it."""
    assert list(error_codes(response, "invite_form")) == ["__all__"]
    return list(response.context["invite_form"].non_field_errors())


def joined(team: Team, name: str, role: TeamRole = TeamRole.MEMBER) -> User:
    user = factories.user(name)
    Membership.objects.create(team=team, user=user, role=role)
    return user


def test_a_person_who_is_invited_by_mail_joins_the_team(client: Client, ada: User) -> None:
    made = client.post("/teams/", {"name": " The  Readers "})
    assert made["Location"] == "/teams/the-readers/"
    assert client.post("/teams/the-readers/invite/", {"email": "Bob@Example.org"}).status_code == 302
    message = mail.outbox[-1]
    assert message.to == [INVITED]
    assert re.fullmatch(r"Manyhop: .* The Readers", str(message.subject))
    link = link_in_mail()
    assert "Create account" in text_of(Client().get(link))
    bob = as_user(factories.user("bob"))
    assert "Join team" in text_of(bob.get(link))
    assert not Membership.objects.filter(user__username="bob").exists()  # looking joins nobody
    assert bob.post(link)["Location"] == "/teams/the-readers/"
    assert "bob" in text_of(client.get("/teams/the-readers/"))
    assert Membership.objects.get(user__username="bob").role == TeamRole.MEMBER
    assert list(AuditRecord.objects.order_by("pk").values_list("action", flat=True)) == [
        "team.created",
        "team.invited",
        "team.joined",
    ]


def test_a_link_lets_nobody_in_but_the_account_with_the_address(client: Client, team: Team) -> None:
    link = invited(client)
    eve = as_user(factories.user("eve"))
    page = text_of(eve.get(link))
    assert 'id="another-address"' in page
    assert "eve@example.org" in page
    assert eve.post(link).status_code == 422
    assert Client().post(link).status_code == 422
    assert team.memberships.count() == 1


def test_an_address_that_is_not_verified_is_not_enough(client: Client, team: Team) -> None:
    link = invited(client)
    bob = factories.user("bob")
    EmailAddress.objects.filter(user=bob).update(verified=False)
    assert as_user(bob).post(link).status_code == 422
    assert "invites you" not in text_of(as_user(bob).get("/teams/"))
    assert team.memberships.count() == 1


def test_a_link_works_once_and_not_for_ever(client: Client, team: Team) -> None:
    link = invited(client)
    bob = as_user(factories.user("bob"))
    TeamInvitation.objects.update(expires_at=timezone.now() - datetime.timedelta(seconds=1))
    assert "has expired" in text_of(bob.get(link))
    assert bob.post(link).status_code == 422
    assert "(expired)" in text_of(client.get("/teams/readers/"))
    pk = TeamInvitation.objects.get().pk
    client.post(f"/teams/readers/invitations/{pk}/resend/")
    newer = link_in_mail()
    assert newer != link
    assert bob.get(link).status_code == 404
    assert bob.post(newer).status_code == 302
    client.post(f"/teams/readers/members/{Membership.objects.get(user__username='bob').pk}/remove/")
    assert "already been accepted" in text_of(bob.post(newer))
    assert team.memberships.count() == 1


def test_a_revoked_invitation_lets_nobody_in(client: Client, team: Team) -> None:
    link = invited(client)
    pk = TeamInvitation.objects.get().pk
    assert client.post(f"/teams/readers/invitations/{pk}/revoke/").status_code == 302
    bob = as_user(factories.user("bob"))
    assert "was revoked" in text_of(bob.get(link))
    assert bob.post(link).status_code == 422
    assert bob.post(f"/teams/accept/{pk}/").status_code == 404
    again = client.post(f"/teams/readers/invitations/{pk}/resend/", follow=True)
    assert notices(again)[-1] == ("bad", teams.INVITATION_CLOSED)


def test_the_token_itself_is_kept_nowhere(client: Client, team: Team, caplog: pytest.LogCaptureFixture) -> None:
    token = invited(client).split("/")[3]
    assert len(token) >= 43
    client.get(f"/teams/join/{token}/")
    kept = " ".join(map(str, TeamInvitation.objects.values_list().get()))
    assert token not in kept
    assert token not in " ".join(AuditRecord.objects.values_list("text", flat=True))
    assert token not in caplog.text


def test_ones_own_pages_show_an_invitation_too(client: Client, team: Team) -> None:
    invited(client)
    bob = as_user(factories.user("bob"))
    for address in ("/teams/", "/accounts/"):
        assert "ada invites you to <strong>Readers</strong>" in text_of(bob.get(address))
    pk = TeamInvitation.objects.get().pk
    assert as_user(factories.user("eve")).post(f"/teams/accept/{pk}/").status_code == 404
    assert bob.post(f"/teams/accept/{pk}/")["Location"] == "/teams/readers/"


def test_neither_an_invited_address_nor_a_members_is_invited_again(client: Client, team: Team) -> None:
    invited(client)
    twice = client.post("/teams/readers/invite/", {"email": INVITED})
    assert (twice.status_code, INVITED in " ".join(refusals(twice))) == (422, True)
    within = client.post("/teams/readers/invite/", {"email": "ada@example.org"})
    assert (within.status_code, "ada@example.org" in " ".join(refusals(within))) == (422, True)
    assert client.post("/teams/readers/invite/", {"email": "no address"}).status_code == 422
    assert (TeamInvitation.objects.count(), len(mail.outbox)) == (1, 1)


def test_a_mail_server_that_is_away_leaves_an_invitation_to_send_again(
    client: Client, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> int:
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as patch:
        patch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        answer = client.post("/teams/readers/invite/", {"email": INVITED})
    assert (answer.status_code, INVITED in " ".join(refusals(answer))) == (422, True)
    assert not mail.outbox
    client.post(f"/teams/readers/invitations/{TeamInvitation.objects.get().pk}/resend/")
    assert mail.outbox[-1].to == [INVITED]


def test_mails_to_people_who_asked_for_none_are_limited(
    client: Client, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teams, "INVITATION_RATE", RateLimit(2, 3600))
    for number in range(3):
        answer = client.post("/teams/readers/invite/", {"email": f"{number}@example.org"})
    assert " 2 " in refusals(answer)[0]
    assert len(mail.outbox) == 2


@pytest.mark.parametrize(
    ("act", "data"),
    [
        ("invite", {"email": "eve@example.org"}),
        ("rename", {"name": "Mine"}),
        ("dissolve", {}),
        ("invitations/{invitation}/resend", {}),
        ("invitations/{invitation}/revoke", {}),
        ("members/{owner}/role", {"role": "member"}),
        ("members/{owner}/remove", {}),
        ("members/{own}/role", {"role": "owner"}),
    ],
)
def test_plain_members_do_none_of_what_owners_do(client: Client, team: Team, act: str, data: dict[str, str]) -> None:
    invited(client)
    carol = joined(team, "carol")
    pks = {
        "invitation": TeamInvitation.objects.get().pk,
        "owner": team.memberships.get(role=TeamRole.OWNER).pk,
        "own": carol.memberships.get().pk,
    }
    before = list(Membership.objects.values()), list(TeamInvitation.objects.values()), list(Team.objects.values())
    answer = as_user(carol).post(f"/teams/readers/{act.format(**pks)}/", data, follow=True)
    assert teams.OWNERS_ONLY in text_of(answer)
    assert before == (
        list(Membership.objects.values()),
        list(TeamInvitation.objects.values()),
        list(Team.objects.values()),
    )


def test_a_team_always_has_an_owner(client: Client, team: Team, ada: User) -> None:
    carol = joined(team, "carol")
    own, carols = (team.memberships.get(user=user).pk for user in (ada, carol))
    for act, data in (("leave", {}), (f"members/{own}/remove", {}), (f"members/{own}/role", {"role": "member"})):
        refused = client.post(f"/teams/readers/{act}/", data, follow=True)
        assert notices(refused) == [("bad", teams.OWNER_NEEDED)]
    client.post(f"/teams/readers/members/{carols}/role/", {"role": "owner"})
    assert client.post("/teams/readers/leave/")["Location"] == "/teams/"
    assert list(team.memberships.values_list("user__username", "role")) == [("carol", "owner")]
    assert client.get("/teams/readers/").status_code == 404


def test_the_last_owner_who_can_sign_in_stays(client: Client, team: Team, ada: User) -> None:
    carol = joined(team, "carol", TeamRole.OWNER)
    User.objects.filter(pk=carol.pk).update(is_active=False)
    refused = client.post("/teams/readers/leave/", follow=True)
    assert notices(refused) == [("bad", teams.OWNER_NEEDED)]
    assert teams_without_another_owner(ada) == ["Readers"]


def test_whoever_is_removed_does_not_return_by_an_earlier_invitation(client: Client, team: Team, ada: User) -> None:
    carol = joined(team, "carol")
    for email, verified in (("carol@lab.example", True), ("carol@home.example", False)):
        EmailAddress.objects.create(user=carol, email=email, verified=verified)
    links = [invited(client, "carol@home.example")]
    later = TeamInvitation.objects.create(
        team=team,
        email="carol@lab.example",
        digest=digest_of("token"),
        invited_by=ada,
        expires_at=timezone.now() + teams.VALID_FOR,
    )
    client.post(f"/teams/readers/members/{team.memberships.get(user=carol).pk}/remove/")
    EmailAddress.objects.filter(user=carol).update(verified=True)
    assert not TeamInvitation.objects.filter(revoked_at=None).exists()
    for invitation in (later, teams.invitation_of(links[0].rstrip("/").rsplit("/", 1)[1])):
        assert invitation is not None
        with pytest.raises(teams.TeamError):
            teams.accept(user=carol, invitation=invitation)
    assert not team.memberships.filter(user=carol).exists()


@pytest.mark.parametrize("how", ["removed", "demoted", "left"])
def test_invitations_end_with_their_senders_role(client: Client, team: Team, ada: User, how: str) -> None:
    carol = joined(team, "carol", TeamRole.OWNER)
    link = invited(client)
    bob = factories.user("bob")
    own = team.memberships.get(user=ada)
    if how == "removed":
        teams.remove(by=carol, team=team, member=own)
    elif how == "demoted":
        teams.change_role(by=carol, team=team, member=own, role=TeamRole.MEMBER)
    else:
        teams.leave(user=ada, team=team)
    assert teams.SENDER_LEFT in text_of(as_user(bob).get(link))
    assert list(invitations_to(bob)) == []
    invitation = TeamInvitation.objects.get()
    with pytest.raises(teams.TeamError, match=teams.SENDER_LEFT):
        teams.accept(user=bob, invitation=invitation)
    teams.resend(by=carol, team=team, invitation=invitation)
    invitation.refresh_from_db()
    assert teams.accept(user=bob, invitation=invitation) == team


def test_what_was_sent_stays_the_teams_when_its_sender_goes(client: Client, team: Team, ada: User) -> None:
    split = factories.split(factories.benchmark(), "dev")
    sent = Submission.objects.create(owner=ada, team=team, split=split, name="Ours", authors="Ada, Carol")
    carol = joined(team, "carol", TeamRole.OWNER)
    client.post("/teams/readers/leave/")
    assert client.post(f"/submissions/{sent.pk}/withdraw/").status_code == 404
    assert client.get(f"/submissions/{sent.pk}/").status_code == 200
    assert "Ours" in text_of(as_user(carol).get("/submissions/"))
    refused = as_user(carol).post("/teams/readers/dissolve/", follow=True)
    assert notices(refused) == [("bad", teams.HAS_SUBMISSIONS)]
    assert Team.objects.exists()


def test_a_team_without_submissions_is_dissolved(client: Client, team: Team) -> None:
    link = invited(client)
    assert client.post("/teams/readers/dissolve/")["Location"] == "/teams/"
    assert not Team.objects.exists()
    assert client.get(link).status_code == 404
    assert AuditRecord.objects.get(action="team.dissolved").target == "team readers"


def test_a_team_gets_a_free_address_and_only_a_visible_name(client: Client, ada: User) -> None:
    for name in ("Readers", "readers!", "读者", "Join", "Accept"):
        assert client.post("/teams/", {"name": name}).status_code == 302
    assert sorted(Team.objects.values_list("slug", flat=True)) == [
        "accept-team",
        "join-team",
        "readers",
        "readers-2",
        "team",
    ]
    for name in ("", "\u200b", "x" * 101, "a\u202eb"):
        assert client.post("/teams/", {"name": name}).status_code == 422
    client.post("/teams/readers/rename/", {"name": "Writers"})
    assert Team.objects.get(slug="readers").name == "Writers"
    assert client.post("/teams/readers/rename/", {"name": ""}).status_code == 422


def test_an_account_is_not_in_any_number_of_teams(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teams, "MAX_TEAMS", 1)
    client.post("/teams/", {"name": "One"})
    refused = client.post("/teams/", {"name": "Two"})
    assert (refused.status_code, list(error_codes(refused))) == (422, ["__all__"])
    assert list(ada.memberships.values_list("team__name", flat=True)) == ["One"]


def test_an_invitations_mail_cannot_be_given_other_headers(client: Client, team: Team) -> None:
    Team.objects.update(name="Readers\nBcc: everybody@example.org")
    invited(client)
    assert re.fullmatch(r"Manyhop: .* Readers Bcc: everybody@example\.org", str(mail.outbox[-1].subject))
    assert mail.outbox[-1].recipients() == [INVITED]


def test_a_teams_page_takes_as_many_queries_for_many_members_as_for_few(
    client: Client, team: Team, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    invited(client)
    with CaptureQueriesContext(connection) as few:
        client.get("/teams/readers/")
    n_few = len(few)
    for number in range(5):
        joined(team, f"member{number}")
        invited(client, f"{number}@lab.example")
    with django_assert_num_queries(n_few):
        client.get("/teams/readers/")
