"""Names that readers could mistake for another row."""

import datetime
import re
from importlib import import_module
from itertools import product

import pytest
from django.apps import apps
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from leaderboard.accounts import tokens
from leaderboard.board import write
from leaderboard.maintenance import system_merges
from leaderboard.maintenance.moderation.queries import queue_page
from leaderboard.models import Anomaly, Entry, Publication, Submission, System, Team, User
from leaderboard.models.names import skeleton
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
    _, secret = tokens.create_token(user=ada, name="test")
    headers = {"Authorization": f"Token {secret}"} if signed_in else {}
    data = factories.form_data(name=name) | {"openbook": factories.upload(factories.perfect(right=1))}
    response = client.post(f"/api/v1/submissions/{path}", data, headers=headers)
    assert response.status_code == 422
    assert response.json()["errors"] == {"name": [names.why_refused(name, owner=ada, team=None)]}
    assert Submission.objects.count() == 1


def test_maintainers_see_who_has_the_same_name(dev: Split, client: Client) -> None:
    factories.published(factories.user("ada"), dev, {"openbook": factories.perfect()}, name="GPT-4")
    other = factories.scored(factories.user("bob"), dev, {"openbook": factories.perfect()}, name="gpt 4")
    client.force_login(factories.maintainer())
    page = client.get(f"/maintenance/moderation/{other.pk}/").content.decode()
    assert re.findall(r'data-flag="([^"]*)"', page) == ["of-another"]
    assert "/systems/gpt-4/" in page


def test_flagged_names_are_in_the_queue_until_the_systems_are_merged(dev: Split, client: Client) -> None:
    factories.published(factories.user("ada"), dev, {"openbook": factories.perfect()}, name="GPT-4")
    bob, carl = factories.user("bob"), factories.user("carl")
    other = factories.published(bob, dev, {"openbook": factories.perfect()}, name="gpt 4")
    factories.scored(carl, dev, {"openbook": factories.perfect()}, name="Claude")
    client.force_login(factories.maintainer())

    def flagged() -> dict[str, list[str]]:
        rows = queue_page(QueryDict("tab=odd"))["rows"]
        page = client.get("/maintenance/moderation/?tab=odd").content.decode()
        assert all(f'href="{row["url"]}"' in page for row in rows)
        return {row["name"]: row["name_flags"] for row in rows}

    Anomaly.objects.all().delete()
    assert flagged() == {"GPT-4": [names.OF_ANOTHER], "gpt 4": [names.OF_ANOTHER]}
    for submission, name in ((Submission.objects.get(name="Claude"), "Нuman"), (other, "ցPT-4")):
        submission.name = name
        submission.save()
    assert flagged() == {
        "Нuman": [names.LIKE_REFERENCE],
        "GPT-4": [names.OF_ANOTHER],
        "ցPT-4": [names.LIKE_ANOTHER],
    }
    page = client.get(f"/maintenance/moderation/{Submission.objects.get(owner=carl).pk}/").content.decode()
    assert re.findall(r'data-flag="([^"]*)"', page) == ["like-reference"]
    Submission.objects.filter(owner=carl).update(withdrawn_at=timezone.now())
    system_merges.merge("gpt-4", "gpt-4-2", by=User.objects.get(username="grace"))
    assert flagged() == {}


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


def test_submissions_of_a_party_under_one_name_are_compared_with_others_once(
    dev: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, grace = factories.user(), factories.user("grace")
    names_of_systems = ["Same name", "Samename", "same-name"]
    systems = System.objects.bulk_create(
        [System(name=name, slug=f"system-{index}", owner=grace) for index, name in enumerate(names_of_systems)]
    )
    setting = Setting.objects.filter(benchmark=dev.benchmark)[0]
    Entry.objects.bulk_create([Entry(system=one, split=dev, setting=setting, kind="reported") for one in systems])
    Submission.objects.bulk_create([Submission(name="Same name", owner=ada, split=dev) for _ in range(20)])
    calls = []

    def counted(name: str) -> str:
        calls.append(name)
        return name.casefold()

    monkeypatch.setattr(names, "plain", counted)
    flags = names.flags_of(Submission.objects.all())
    assert len(flags) == 20
    assert all(len(one.same) == len(systems) for one in flags.values())
    assert len(calls) <= 3 * len(systems), "not for every submission again"


def on_board(split: Split, *systems: System) -> None:
    setting = Setting.objects.filter(benchmark=split.benchmark)[0]
    Entry.objects.bulk_create([Entry(system=one, split=split, setting=setting, kind="reported") for one in systems])


def test_a_name_is_another_s_unless_owner_or_team_is_the_same(dev: Split) -> None:
    users = [factories.user("ada"), factories.user("bob")]
    teams = [None, *(Team.objects.create(name=name, slug=name) for name in ("first", "second"))]
    parties = list(product(users, teams))
    pairs = list(product(parties, parties))
    systems = System.objects.bulk_create(
        System(name=f"Name {number}", slug=f"name-{number}", owner=owner, team=team)
        for number, ((owner, team), _) in enumerate(pairs)
    )
    on_board(dev, *systems)
    sent = Submission.objects.bulk_create(
        Submission(name=f"name-{number}", split=dev, owner=owner, team=team)
        for number, (_, (owner, team)) in enumerate(pairs)
    )
    flags = names.flags_of(Submission.objects.all())
    for ((its_owner, its_team), (owner, team)), submission in zip(pairs, sent, strict=True):
        own = its_team == team if its_team else its_owner == owner
        assert (submission.pk in flags) != own, (its_owner, its_team, owner, team)


def test_names_that_an_earlier_release_wrote_are_found(dev: Split) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")
    on_board(dev, *System.objects.bulk_create([System(name="Corvus-4", slug="corvus-4", owner=ada)]))
    Submission.objects.bulk_create(
        [Submission(name=name, split=dev, owner=bob) for name in ("corvus 4", "Human", "Other")]
    )
    expected = {"corvus 4", "Human"}
    for without_key in ((System,), (Submission,), (System, Submission)):
        for model in (System, Submission):
            for row in model.objects.all():
                row.save()
            if model in without_key:
                model.objects.update(name_skeleton=None)
        flags = names.flags_of(Submission.objects.all())
        assert set(Submission.objects.filter(pk__in=flags).values_list("name", flat=True)) == expected
        assert "looks like “Corvus-4”" in names.why_refused("Соrvus-4", owner=bob, team=None)


def test_the_keys_of_earlier_names_are_computed_by_the_migration(dev: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = factories.user("ada")
    System.objects.bulk_create(System(name=f"Κey {number} chat", slug=f"key-{number}") for number in range(5))
    Submission.objects.bulk_create(Submission(name=f"Κey {number}", split=dev, owner=ada) for number in range(5))
    System.objects.update(name_skeleton=None, name_family=None)
    Submission.objects.update(name_skeleton=None)
    migration = import_module("leaderboard.migrations.0046_keys_of_names")
    monkeypatch.setattr(migration, "AT_ONCE", 2)
    migration.compute(apps, None)
    keys = System.objects.order_by("slug").values_list("name_skeleton", "name_family")
    assert list(keys[:2]) == [("keyochat", "keyo"), ("keyichat", "keyi")]
    assert set(Submission.objects.values_list("name_skeleton", flat=True)) == {f"key{letter}" for letter in "oi234"}


def test_a_key_follows_its_name(dev: Split) -> None:
    System.objects.update_or_create(slug="one", defaults={"name": "Оne", "authors": "Ada"})
    system, _ = System.objects.update_or_create(slug="one", defaults={"name": "Twо"})
    system.refresh_from_db()
    assert (system.name_skeleton, system.name_family) == ("two", "two")


def test_names_that_nobody_else_has_are_not_read(dev: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")
    systems = System.objects.bulk_create(System(name=f"Of ada {n}", slug=f"ada-{n}", owner=ada) for n in range(20))
    on_board(dev, *systems)
    Submission.objects.bulk_create(Submission(name=f"Of ada {n}", split=dev, owner=ada) for n in range(20))
    Submission.objects.bulk_create(Submission(name=f"Of bob {n}", split=dev, owner=bob) for n in range(20))
    names.flags_of(Submission.objects.all())  # the names of benchmarks are kept
    compared = []

    def counted(name: str) -> str:
        compared.append(name)
        return skeleton(name)

    monkeypatch.setattr(names, "skeleton", counted)
    assert names.flags_of(Submission.objects.all()) == {}
    assert names.same_names("Of carl", owner=bob, team=None) == []
    assert compared == ["Of carl"]


def test_names_that_were_compared_are_read_again_only_where_they_look_like_another_s(dev: Split) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")

    def flagged() -> set[str]:
        flags = names.flags_of(Submission.objects.all())
        return set(Submission.objects.filter(pk__in=flags).values_list("name", flat=True))

    def unchecked() -> set[str]:
        return set(Submission.objects.filter(name_checked=False).values_list("name", flat=True))

    on_board(dev, *System.objects.bulk_create(System(name=f"Of ada {n}", slug=f"ada-{n}", owner=ada) for n in range(3)))
    sent = [(f"Of ada {n}", ada) for n in range(3)] + [("Of ada O", bob), ("Of bob", bob), ("Later", bob)]
    Submission.objects.bulk_create(Submission(name=name, split=dev, owner=owner) for name, owner in sent)
    assert flagged() == {"Of ada O"}
    assert names.check_names() == 3 + 5
    assert unchecked() == flagged() == {"Of ada O"}
    assert names.check_names() == 0

    # A system that comes or is renamed later is compared at once, and marks what looks like it.
    later = System.objects.create(name="Lаter", slug="later", owner=ada)
    on_board(dev, later)
    assert flagged() == {"Of ada O", "Later"}
    assert names.check_names() == 1
    assert unchecked() == flagged() == {"Of ada O", "Later"}
    later.refresh_from_db()
    later.name = "Of bob"
    later.save()
    assert flagged() == {"Of ada O", "Of bob"}
    names.check_names()
    assert flagged() == {"Of ada O", "Of bob"}
    # So is a submission.
    renamed = Submission.objects.get(name="Of ada 1")
    renamed.name, renamed.owner = "Of ada 2", bob
    renamed.save()
    assert flagged() == {"Of ada O", "Of ada 2", "Of bob"}


def test_many_names_are_compared_in_parts(dev: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")
    System.objects.bulk_create(System(name=f"Name {n}", slug=f"name-{n}", owner=ada) for n in range(4))
    Submission.objects.bulk_create(Submission(name=f"Name {n}", split=dev, owner=bob) for n in range(2, 7))
    monkeypatch.setattr(names, "AT_ONCE", 2)
    assert names.check_names() == 4 + 3
    assert not System.objects.filter(name_checked=False).exists()
    assert sorted(Submission.objects.filter(name_checked=False).values_list("name", flat=True)) == ["Name 2", "Name 3"]
