"""Names that readers could mistake for another row."""

import datetime
import re
from itertools import product

import pytest
from django.test import Client

from leaderboard.board import write
from leaderboard.models import Entry, Publication, Submission, System, Team, User
from leaderboard.publishing import names
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.pseudonyms import disclosed_fields, today
from leaderboard.publishing.services import publish_submission
from scoring.models import Setting, Split
from tests import factories
from tests.boards import board_for

IMITATIONS = [
    "Human", "HUMAN", "Нumаn", "Ηuman", "H u m a n", "Hurnan", "Humán", "Ｈｕｍａｎ", "Hum\u200ban", "People", "Реорle",
    "Ceiling", "CeiIing", "Сеiling", "Ce1ling", "Upper bound", "HUMAN, GRADED BY HAND", "Human graded by hand",
    "Anonymous 3f2a", "Ⲏuman", "Ꮋuman", "ꓧꓴꓟꓮꓠ",
]  # fmt: skip


@pytest.fixture
def dev(db: None) -> Split:
    return factories.split(factories.benchmark(), "dev")


@pytest.mark.parametrize("name", IMITATIONS)
def test_a_name_like_a_reference_row_is_refused(name: str, dev: Split) -> None:
    assert "could be mistaken" in names.why_refused(name, owner=factories.user(), team=None)


@pytest.mark.parametrize(
    "name", ["GPT-4", "Human-in-the-loop agent", "Qwen3 8B + BM25", "Anonymous agents", "人間", "Ла́да"]
)
def test_other_names_are_not(name: str, dev: Split) -> None:
    assert names.why_refused(name, owner=factories.user(), team=None) == ""


def test_another_s_name_is_refused_if_it_only_looks_the_same_and_flagged_if_it_is(dev: Split) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")
    factories.published(ada, dev, {"openbook": factories.perfect()}, name="Claude 2.1")
    fake, same = "Сlaude 2.1", "claude-2.1"
    assert "looks like “Claude 2.1”" in names.why_refused(fake, owner=bob, team=None)
    assert names.why_refused(same, owner=bob, team=None) == ""
    assert [(one.name, one.differs) for one in names.same_names(same, owner=bob, team=None)] == [("Claude 2.1", False)]
    assert names.same_names("Claude 2.1", owner=ada, team=None) == []
    team = Team.objects.create(name="Team", slug="team")
    assert names.same_names(same, owner=ada, team=team) == []


@pytest.mark.parametrize(
    ("name", "imitation"),
    [("Mixtral-8x7B", "Μixtral-8x7B"), ("Nemotron", "Νemotron"), ("Yi-34B", "Υi-34B"), ("Zephyr", "Ζephyr")],
)
def test_greek_capitals_make_no_other_name(dev: Split, name: str, imitation: str) -> None:
    factories.published(factories.user("ada"), dev, {"openbook": factories.perfect()}, name=name)
    bob = factories.user("bob")
    assert imitation != name
    sent = factories.scored(bob, dev, {"openbook": factories.perfect(right=1)}, name=imitation)
    with pytest.raises(SubmissionError, match=f"looks like “{name}”"):
        publish_submission(sent, actor=bob)


def test_a_name_that_no_board_shows_is_not_revealed(dev: Split) -> None:
    factories.scored(factories.user("ada"), dev, {"openbook": factories.perfect()}, name="Secret 1")
    assert names.why_refused("Sесrеt 1", owner=factories.user("bob"), team=None) == ""


def test_the_form_and_publishing_refuse_it(dev: Split, client: Client) -> None:
    ada = factories.user("ada")
    client.force_login(ada)
    fields = {"split": "dev", "name": "Нuman", "authors": "Ada", "type": "PROMPT"}
    files = {"openbook": factories.upload(factories.perfect())}
    page = client.post("/submit/", fields | files)
    assert page.status_code == 422
    assert page.context["form"].errors["name"] == [names.why_refused("Нuman", owner=ada, team=None)]
    assert not Submission.objects.exists()
    sent = factories.scored(ada, dev, {"openbook": factories.perfect()}, name="Ceiling")
    with pytest.raises(SubmissionError, match="could be mistaken"):
        publish_submission(sent, actor=ada)
    assert not Publication.objects.exists()


@pytest.mark.parametrize("name", ["Human", "Ceiling", "Anonymous 7f3a", "Сlaude 2.1"])
@pytest.mark.parametrize(("path", "signed_in"), [("validate/", False), ("validate/", True), ("", True)])
def test_the_api_refuses_it_before_anything_is_scored(
    dev: Split, client: Client, name: str, path: str, signed_in: bool
) -> None:
    factories.published(factories.user("bob"), dev, {"openbook": factories.perfect()}, name="Claude 2.1")
    ada = factories.user("ada")
    headers = factories.token_of(ada) if signed_in else {}
    data = factories.form_data(name=name) | {"openbook": factories.upload(factories.perfect(right=1))}
    response = client.post(f"/api/v1/submissions/{path}", data, headers=headers)
    assert response.status_code == 422
    assert response.json()["errors"] == {"name": [names.why_refused(name, owner=ada, team=None)]}
    assert Submission.objects.count() == 1


def test_maintainers_see_who_has_the_same_name(dev: Split, client: Client) -> None:
    factories.published(factories.user("ada"), dev, {"openbook": factories.perfect()}, name="Analytical Engine")
    other = factories.scored(factories.user("bob"), dev, {"openbook": factories.perfect()}, name="analytical-engine")
    client.force_login(factories.maintainer())
    page = client.get(f"/maintenance/moderation/{other.pk}/").content.decode()
    assert re.findall(r'data-name="([^"]*)"', page) == ["analytical-engine"]
    assert "/systems/analytical-engine/" in page


def test_an_anonymous_row_says_withheld(dev: Split, client: Client) -> None:
    ada: User = factories.user("ada")
    sent = factories.scored(ada, dev, {"openbook": factories.perfect()}, type="PROMPT", context_size=4096)
    publish_submission(sent, actor=ada, anonymous_until=today() + datetime.timedelta(days=300))
    system = System.objects.get(is_pseudonym=True)
    setting = factories.setting(dev.benchmark)
    (row,) = board_for(dev, setting).rows
    assert (row.type, row.type_label, row.context_size) == ("WITHHELD", "Withheld", None)
    page = client.get("/fanoutqa/dev/openbook/?type=OTHER").content.decode()
    assert system.name not in page.partition('id="board-table"')[2]
    for address in ("/fanoutqa/dev/openbook/", f"/systems/{system.slug}/"):
        shown = client.get(address).content.decode()
        assert "ithheld" in shown
        assert "not stated</span>" not in shown
    assert client.get(f"/api/v1/systems/{system.slug}/").json()["type"] == "WITHHELD"
    fields = disclosed_fields(sent, until=today(), shows_traits=True)
    assert (fields["type"], fields["traits_withheld"]) == ("PROMPT", False)
    System.objects.filter(pk=system.pk).update(**fields)
    write.write(dev, setting)
    (row,) = board_for(dev, setting).rows
    assert (row.type_label, row.context_size) == ("Prompting method", 4096)


def test_a_name_is_another_s_unless_owner_or_team_is_the_same(dev: Split) -> None:
    users = [factories.user("ada"), factories.user("bob")]
    teams = [None, *(Team.objects.create(name=name, slug=name) for name in ("first", "second"))]
    parties = list(product(users, teams))
    setting = Setting.objects.filter(benchmark=dev.benchmark)[0]
    for its_owner, its_team in parties:
        system = System.objects.create(name="Name 1", slug="name-1", owner=its_owner, team=its_team)
        Entry.objects.create(system=system, split=dev, setting=setting, kind="reported")
        for owner, team in parties:
            own = its_team == team if its_team else its_owner == owner
            same = names.same_names("name-1", owner=owner, team=team)
            assert bool(same) != own, (its_owner, its_team, owner, team)
        system.delete()


def test_renaming_a_system_changes_its_stored_skeleton(dev: Split) -> None:
    System.objects.update_or_create(slug="one", defaults={"name": "Оne", "authors": "Ada"})
    system, _ = System.objects.update_or_create(slug="one", defaults={"name": "Twо"})
    system.refresh_from_db()
    assert system.name_skeleton == "two"
