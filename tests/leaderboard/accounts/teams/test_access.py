"""What belongs to a team: every member's to act on, a former member's no more, and nobody else's to see."""

import uuid
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from leaderboard import access
from leaderboard.models import Membership, Submission, Team, User
from tests import factories

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Cast:
    """Ada sent one submission for herself and one for her team, in which Bob is; Eve is in another team."""

    ada: User
    bob: User
    eve: User
    maintainer: User
    own: Submission
    teams: Submission


@pytest.fixture
def cast() -> Cast:
    split = factories.split(factories.benchmark(), "test")
    ada, bob, eve = (factories.user(name) for name in ("ada", "bob", "eve"))
    team, other = (Team.objects.create(name=name, slug=name.lower()) for name in ("Readers", "Others"))
    for member, of in ((ada, team), (bob, team), (eve, other)):
        Membership.objects.create(user=member, team=of)
    own = Submission.objects.create(owner=ada, split=split, name="Own", authors="Ada")
    teams = Submission.objects.create(owner=ada, team=team, split=split, name="Team's", authors="Ada and Bob")
    return Cast(ada, bob, eve, factories.maintainer(), own, teams)


def test_every_member_may_act_on_what_is_the_teams_and_only_the_sender_on_what_is_theirs(cast: Cast) -> None:
    assert access.can_edit(cast.ada, cast.own)
    assert access.can_edit(cast.ada, cast.teams)
    assert access.can_edit(cast.bob, cast.teams)
    assert not access.can_edit(cast.bob, cast.own)
    for nobody in (cast.eve, cast.maintainer, AnonymousUser()):
        assert not access.can_edit(nobody, cast.own)
        assert not access.can_edit(nobody, cast.teams)


def test_lists_hold_what_is_ones_own_and_ones_teams_once_each(cast: Cast) -> None:
    def names(user: User | AnonymousUser) -> list[str]:
        return sorted(access.submissions_visible_to(user).values_list("name", flat=True))

    assert names(cast.ada) == ["Own", "Team's"]
    assert names(cast.bob) == ["Team's"]
    assert names(cast.eve) == names(cast.maintainer) == names(AnonymousUser()) == []


def test_whoever_left_the_team_can_look_at_what_they_sent_for_it_and_no_more(cast: Cast) -> None:
    Membership.objects.filter(user__in=[cast.ada, cast.bob], team=cast.teams.team).delete()
    assert access.submission_for(cast.ada, cast.teams.pk) == cast.teams
    with pytest.raises(Http404):
        access.own_submission(cast.ada, cast.teams.pk)
    with pytest.raises(Http404):
        access.submission_for(cast.bob, cast.teams.pk)


def test_whoever_left_the_team_sees_no_file_that_others_send_later(cast: Cast) -> None:
    first = {"openbook": factories.perfect("test")}
    sent = factories.submission(cast.ada, cast.own.split, first, team=cast.teams.team)
    Membership.objects.filter(user=cast.ada).delete()
    assert access.submission_for(cast.ada, sent.pk) == sent
    assert sent in access.submissions_visible_to(cast.ada)
    factories.replace_file(sent, factories.perfect("test", right=1), by=cast.bob)
    assert sent not in access.submissions_visible_to(cast.ada)
    with pytest.raises(Http404):
        access.submission_file_for(cast.ada, sent.pk, "openbook")


def test_what_is_somebody_elses_looks_as_what_is_not_there(cast: Cast) -> None:
    said = set()
    for pk in (cast.own.pk, cast.teams.pk, uuid.uuid4()):
        with pytest.raises(Http404) as refused:
            access.submission_for(cast.eve, pk)
        said.add(str(refused.value))
    assert len(said) == 1


def test_asking_costs_one_query_at_most(cast: Cast, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        access.can_edit(cast.ada, cast.own)
    with django_assert_num_queries(1):
        access.can_edit(cast.bob, cast.teams)
    with django_assert_num_queries(1):
        list(access.submissions_visible_to(cast.ada))
