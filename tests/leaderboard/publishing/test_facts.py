"""What a system states of itself can be changed, by whom, and what stays."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.board.exports.snapshots import find_snapshot, snapshot_name
from leaderboard.models import BoardSnapshot, Entry, FactsChange, Submission, System, User
from leaderboard.publishing import facts
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission, unpublish_submission
from leaderboard.submissions.facts import EditFactsForm
from scoring.models import Benchmark, Run, Score, Usage
from tests import boards, factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def of(db: None) -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def owner(db: None) -> User:
    return factories.user("owner")


@pytest.fixture
def sent(of: Benchmark, owner: User) -> Submission:
    return factories.published(owner, factories.split(of, "test"), {"openbook": factories.perfect("test")})


def form_of(subject: Any, **changes: str) -> dict[str, Any]:
    form = EditFactsForm(subject=subject)
    return {name: form[name].value() or "" for name in form.fields} | changes


def test_an_owner_edits_the_facts_on_the_page_and_sees_the_history(client: Client, sent: Submission) -> None:
    client.force_login(sent.owner)
    system = System.objects.get()
    place = "usage.fanoutqa.test.openbook.cost_usd"
    changes = {
        "url": "https://example.org",
        "run_facts.model": "openai/gpt-4o",
        "run_facts.access": "api",
        place: "2.5",
    }
    changes["run_facts.released"] = "2024-05-13"
    runs, scores = Run.objects.count(), list(Score.objects.values_list("pk", "value"))
    answer = client.post("/systems/example-system/edit/", form_of(system, **changes))
    assert answer.status_code == 302
    system.refresh_from_db()
    sent.refresh_from_db()
    assert system.url == sent.url == "https://example.org"
    assert system.run_facts == sent.run_facts
    assert system.run_facts["model"] == "openai/gpt-4o"
    assert Usage.objects.get().totals == {"cost_usd": 2.5, "n_answers": 4}
    assert (Run.objects.count(), list(Score.objects.values_list("pk", "value"))) == (runs, scores)
    change = system.changes.get()
    assert change.changes["run_facts.model"] == [None, "openai/gpt-4o"]
    assert change.actor_name == "owner"
    assert set(change.changes) == set(changes)
    assert "openai/gpt-4o" in client.get("/systems/example-system/edit/").content.decode()
    boards.refresh()
    board = client.get("/api/v1/board/?benchmark=fanoutqa&split=test&setting=openbook").json()
    assert board["rows"][0]["run_facts"]["access"] == "api"


def test_a_new_name_redirects_the_old_address_for_good_and_snapshots_stay(client: Client, sent: Submission) -> None:
    setting = factories.setting(sent.split.benchmark)
    kept = boards.take_state(sent.split, setting)
    assert kept is not None
    content = bytes(kept.content)
    facts.change_facts(System.objects.get(), {"name": "Better name"}, actor=sent.owner)
    assert System.objects.get().slug == "better-name"
    for path in ("/systems/{}/", "/api/v1/systems/{}/", "/api/v1/systems/{}/scores/"):
        answer = client.get(path.format("example-system"))
        assert answer.status_code == 301
        assert answer["Location"].endswith(path.format("better-name"))
        assert client.get(path.format("better-name")).status_code == 200
    assert bytes(BoardSnapshot.objects.get(pk=kept.pk).content) == content
    view = find_snapshot(boards.find(sent.split, setting), snapshot_name(kept))
    assert view is not None
    assert view.n_removed == 0
    facts.change_facts(System.objects.get(), {"name": "Example system"}, actor=sent.owner)
    assert client.get("/systems/example-system/").status_code == 200
    assert client.get("/systems/better-name/").status_code == 301


@pytest.mark.parametrize(("path", "query"), [("badges/{}.svg", "?x=1"), ("systems/{}/model-index.yaml", "")])
def test_badges_and_exports_follow_a_new_name(client: Client, sent: Submission, path: str, query: str) -> None:
    boards.refresh()
    place = f"/fanoutqa/test/openbook/{path}"
    assert client.get(place.format("example-system")).status_code == 200
    facts.change_facts(System.objects.get(), {"name": "Better name"}, actor=sent.owner)
    boards.refresh()
    answer = client.get(place.format("example-system") + query)
    assert (answer.status_code, answer["Location"]) == (301, place.format("better-name") + query)
    assert client.get(place.format("better-name")).status_code == 200
    assert client.get(place.format("nobody")).status_code == 404


def test_an_address_that_a_system_had_is_given_to_no_other(sent: Submission) -> None:
    facts.change_facts(System.objects.get(), {"name": "Better name"}, actor=sent.owner)
    other = factories.published(factories.user("other"), sent.split, {"openbook": factories.perfect("test", right=2)})
    assert {entry.system.slug for entry in other.entries.all()} == {"example-system-2"}


def test_publishing_again_keeps_the_edited_facts(sent: Submission) -> None:
    facts.change_facts(System.objects.get(), {"authors": "B. Author"}, actor=factories.maintainer())
    sent.refresh_from_db()
    publish_submission(sent, actor=sent.owner, shows_answers=False)
    assert System.objects.get().authors == "B. Author"


def test_strangers_change_nothing_and_maintainers_all(client: Client, sent: Submission) -> None:
    system = System.objects.get()
    path = "/api/v1/systems/example-system/"
    asked: dict[str, Any] = {"run_facts": {"access": "api"}}
    assert client.patch(path, asked, content_type="application/json").status_code == 401
    client.force_login(factories.user("stranger"))
    assert client.patch(path, asked, content_type="application/json").status_code == 404
    assert client.patch(f"/api/v1/submissions/{sent.pk}/", asked, content_type="application/json").status_code == 404
    assert client.get("/systems/example-system/edit/").status_code == 404
    client.force_login(factories.maintainer())
    answer = client.patch(path, asked, content_type="application/json")
    assert answer.status_code == 200
    assert answer.json()["run_facts"]["access"] == "api"
    system.refresh_from_db()
    assert system.run_facts == {"access": "api"}


def test_the_history_of_facts_is_in_the_api_for_those_who_may_change_them(client: Client, sent: Submission) -> None:
    grace = factories.maintainer()
    usage = "usage.fanoutqa.test.openbook.cost_usd"
    facts.change_facts(System.objects.get(), {"authors": "B. Author", usage: 3.5}, actor=sent.owner)
    facts.change_facts(System.objects.get(), {"name": "Better name", "context_size": None}, actor=grace)
    addresses = ("/api/v1/systems/better-name/changes/", f"/api/v1/submissions/{sent.pk}/changes/")
    for path in addresses:
        client.logout()
        assert client.get(path).status_code == 401
        client.force_login(User.objects.filter(username="stranger").first() or factories.user("stranger"))
        assert client.get(path).status_code == 404
        client.force_login(sent.owner)
        newest, first = client.get(path).json()
        assert (newest["by"], newest["former_slug"], first["by"], first["former_slug"]) == (
            *("grace", "example-system"),
            *(sent.owner.username, ""),
        )
        assert {change["fact"]: (change["old"], change["new"]) for change in newest["changes"]} == {
            "name": ("Example system", "Better name"),
            "context_size": (8192, None),
        }
        assert {"fact": usage, "old": None, "new": 3.5} in first["changes"]
        page = client.get(path, {"page_size": 1})
        assert page.json() == [newest]
        assert 'rel="next"' in page["Link"]
        assert client.get(path, {"size": 1}).status_code == 400


def test_the_history_of_facts_takes_as_many_queries_however_long_it_is(
    client: Client, sent: Submission, django_assert_num_queries: Any
) -> None:
    client.force_login(sent.owner)
    for authors in ("B. Author", "C. Author", "D. Author"):
        facts.change_facts(System.objects.get(), {"authors": authors}, actor=sent.owner)
        with django_assert_num_queries(4):
            assert client.get("/api/v1/systems/example-system/changes/").json()[0]["changes"][0]["new"] == authors


def test_a_wrong_fact_is_named_and_changes_nothing(client: Client, sent: Submission) -> None:
    client.force_login(sent.owner)
    asked = {"authors": "B. Author", "run_facts": {"model": "no developer", "speed": 3}}
    answer = client.patch("/api/v1/systems/example-system/", asked, content_type="application/json")
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {"run_facts.model", "run_facts.speed"}
    assert System.objects.get().authors == "A. Author"
    assert not FactsChange.objects.exists()


def test_null_states_a_fact_no_more(client: Client, sent: Submission) -> None:
    client.force_login(sent.owner)
    answer = client.patch(f"/api/v1/submissions/{sent.pk}/", {"context_size": None}, content_type="application/json")
    assert answer.status_code == 200
    assert System.objects.get().attributes == {}


def test_a_name_of_others_is_refused(sent: Submission) -> None:
    other = factories.published(
        factories.user("other"), sent.split, {"openbook": factories.perfect("test", right=2)}, name="Other"
    )
    system = other.entries.get().system
    for name in ("Human", "Example systеm", "Example system", "GPT-4", "Anonymous 12ab"):
        with pytest.raises(SubmissionError):
            facts.change_facts(system, {"name": name}, actor=other.owner)
    system.refresh_from_db()
    assert (system.name, system.slug) == ("Other", "other")


def test_a_pseudonym_stays_hidden(client: Client, of: Benchmark, owner: User) -> None:
    sent = factories.scored(owner, factories.split(of, "test"), {"openbook": factories.perfect("test")})
    publish_submission(sent, actor=owner, anonymous_until=timezone.now().date() + timedelta(days=30), shows_traits=True)
    pseudonym = System.objects.get()
    client.force_login(factories.maintainer())
    assert client.get(f"/systems/{pseudonym.slug}/edit/").status_code == 404
    values = {"authors": "Someone", "name": "Secret", "run_facts.access": "api", "run_facts.organisation": "Us"}
    facts.change_facts(facts.subject_of(sent), values, actor=owner)
    shown = System.objects.get()
    assert (shown.name, shown.slug) == (pseudonym.name, pseudonym.slug)
    assert shown.run_facts == {"access": "api"}
    for page in (f"/systems/{shown.slug}/", "/fanoutqa/test/openbook/", f"/api/v1/systems/{shown.slug}/"):
        text = client.get(page).content.decode()
        assert "Secret" not in text
        assert "Someone" not in text


def test_the_facts_of_a_private_submission_are_its_own(client: Client, of: Benchmark, owner: User) -> None:
    sent = factories.scored(owner, factories.split(of, "test"), {"openbook": factories.perfect("test")})
    client.force_login(owner)
    answer = client.post(f"/submissions/{sent.pk}/edit/", form_of(sent, name="Private"))
    assert answer.status_code == 302
    sent.refresh_from_db()
    assert sent.name == "Private"
    assert facts.original_of(sent)["name"] == "Example system"
    assert not Entry.objects.exists()


def test_a_table_changes_many_systems_as_its_preview_showed(client: Client, sent: Submission) -> None:
    other = factories.user("other")
    factories.published(other, sent.split, {"openbook": factories.perfect("test", right=2)}, name="Other")
    client.force_login(factories.maintainer())
    path = "/maintenance/systems/facts/"
    wrong = "system,run_facts.access,context_size\nexample-system,open,\nnobody,api,\nother,api,few\n"
    answer = client.post(path, {"table": wrong})
    assert answer.status_code == 422
    assert [line for line, _ in answer.context["table"].mistakes] == [2, 3, 4]
    text = "system,run_facts.access,context_size\nexample-system,api,-\nother,open-weights,\n"
    table = client.post(path, {"table": text}).context["table"]
    assert [line.system.slug for line in table.changed] == ["example-system", "other"]
    assert not FactsChange.objects.exists()
    assert client.post(path, {"table": text, "seen": "another"}).status_code == 422
    assert client.post(path, {"table": text, "seen": table.fingerprint}).status_code == 302
    stated = dict(System.objects.values_list("slug", "attributes"))
    assert stated == {"example-system": {}, "other": {"context_size": 8192}}
    assert {system.run_facts["access"] for system in System.objects.all()} == {"api", "open-weights"}


def test_an_import_fills_what_nobody_stated_and_leaves_what_was_edited(of: Benchmark) -> None:
    system = System.objects.create(name="Reported", slug="reported", authors="A. Author")
    facts.change_facts(system, {"url": "https://edited.example", "name": "Renamed"}, actor=factories.maintainer())
    assert facts.known_as("Reported", owner=None) == system
    system.refresh_from_db()
    filled = facts.fill(
        system, {"authors": "Others", "url": "https://import.example", "run_facts.access": "api"}, actor="import"
    )
    assert filled == ["run_facts.access"]
    system.refresh_from_db()
    assert (system.authors, system.url, system.run_facts) == ("A. Author", "https://edited.example", {"access": "api"})


def test_all_suggested_merges_are_made_in_one_step(client: Client, sent: Submission) -> None:
    for name in ("other", "third"):
        factories.published(
            factories.user(name), sent.split, {"openbook": factories.perfect("test", right=2)}, name="Example system"
        )
    client.force_login(factories.maintainer())
    path = "/maintenance/systems/suggestions/"
    suggestions = client.get(path).context["suggestions"]
    pairs = [f"{system.slug} {into.slug}" for system, into, _ in suggestions]
    assert len(pairs) == 2
    assert client.post(path, {"pair": [*pairs, "nobody example-system"]}).status_code == 422
    assert not System.objects.exclude(same_as=None).exists()
    assert client.post(path, {"pair": pairs}).status_code == 302
    assert System.objects.exclude(same_as=None).count() == 2


def test_an_old_address_does_not_tell_the_new_name_of_a_system_that_left_the_boards(
    client: Client, sent: Submission
) -> None:
    unpublish_submission(sent, actor=sent.owner)
    facts.change_facts(System.objects.get(), {"name": "Private name"}, actor=sent.owner)
    assert client.get("/systems/example-system/").status_code == 404
    assert client.get("/api/v1/systems/example-system/").status_code == 404
