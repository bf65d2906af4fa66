"""One system, one row: its sources are alternatives of that row."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import inputs, standings, table, write
from leaderboard.board.exports.schema import Board
from leaderboard.board.exports.snapshots import without
from leaderboard.board.table import BoardParams
from leaderboard.maintenance import system_merges
from leaderboard.models import (
    AuditRecord,
    BoardDocument,
    BoardSnapshot,
    Entry,
    EntryKind,
    ReportedValue,
    System,
    User,
)
from leaderboard.publishing import merges
from leaderboard.publishing.reported_rows import report_row
from leaderboard.publishing.systems import free_slug
from leaderboard.systems.page import system_page
from leaderboard.systems.rank_history import positions_of
from scoring.benchmarks import definition_of
from scoring.models import Score, Setting, Split
from scoring.queries import current_signatures
from tests import factories
from tests.boards import board_for
from tests.notices import plain

BOARD = "/fanoutqa/dev/openbook/"


@pytest.fixture
def dev(db: None) -> Split:
    return factories.split(factories.benchmark(), "dev")


@pytest.fixture
def openbook(dev: Split) -> Setting:
    return factories.setting(dev.benchmark)


@pytest.fixture
def grace(db: None) -> User:
    return factories.maintainer()


def report(split: Split, setting: Setting, name: str, *, official: bool = False, **values: float) -> System:
    system = System.objects.filter(owner=None, name=name).first()
    system = system or System.objects.create(name=name, slug=free_slug(name), authors="Paper")
    report_row(
        system=system,
        split=split,
        setting=setting,
        source=f"Official, {name}.json" if official else "Table 2",
        note="",
        context_size=None,
        values=values,
        published_at=timezone.now(),
        is_official=official,
    )
    return system


def published(split: Split, name: str, right: int, owner: str = "ada") -> System:
    user = User.objects.filter(username=owner).first() or factories.user(owner)
    factories.published(user, split, {"openbook": factories.perfect(right=right)}, name=name)
    return System.objects.get(owner=user, name=name)


def params(query: str) -> BoardParams:
    return BoardParams.of(QueryDict(query), definition_of("fanoutqa"))


def shown(split: Split, setting: Setting, query: str = "", **kwargs: Any) -> list[tuple[str, str, int | None]]:
    board = board_for(split, setting, params(query), **kwargs)
    return [(row.name, row.evidence, row.rank) for row in board.rows]


def test_official_results_and_a_paper_are_one_row_with_the_official_ones_first(dev: Split, openbook: Setting) -> None:
    report(dev, openbook, "GPT-4", loose=0.5)
    report(dev, openbook, "GPT-4", official=True, loose=0.4)
    (row,) = board_for(dev, openbook).rows
    assert (row.evidence, row.cells[0].value) == ("official", 0.4)
    assert [(one.evidence, one.cells[0].value, one.rank) for one in row.alternatives] == [("paper", 0.5, None)]
    report(dev, openbook, "GPT-4", official=True, loose=0.45)
    (row,) = board_for(dev, openbook).rows
    assert (row.cells[0].value, len(row.alternatives)) == (0.45, 1)


def test_merged_systems_are_one_row_scored_here_first(dev: Split, openbook: Setting, grace: User) -> None:
    paper = report(dev, openbook, "GPT-4", loose=0.9)
    report(dev, openbook, "GPT-4", official=True, loose=0.8)
    own = published(dev, "gpt 4", 2)
    published(dev, "Other", 1)
    assert len(shown(dev, openbook, "kind=all")) == 3
    merges.merge(own.slug, paper.slug, by=grace)
    assert shown(dev, openbook, "kind=all") == [("GPT-4", "scored", 1), ("Other", "scored", 2)]
    row = board_for(dev, openbook).rows[0]
    assert (row.slug, row.cells[0].value) == ("gpt-4", 0.5)
    assert [(one.evidence, one.name) for one in row.alternatives] == [("official", "GPT-4"), ("paper", "GPT-4")]
    system_merges.split(own.pk, by=grace)
    assert sorted(shown(dev, openbook, "kind=all")) == sorted(
        [("gpt 4", "scored", 1), ("GPT-4", "official", None), ("Other", "scored", 2)]
    )
    assert list(AuditRecord.objects.order_by("pk").values_list("action", flat=True)) == [
        "system.merged",
        "system.split",
    ]


@pytest.mark.slow
def test_of_two_scored_rows_only_the_newest_is_ranked(dev: Split, openbook: Setting, grace: User) -> None:
    first, second = published(dev, "A", 4), published(dev, "B", 1, owner="bob")
    published(dev, "C", 2, owner="carl")
    (preview,) = system_merges.merge_page(first.slug, second.slug)["preview"]
    assert [(one["name"], one["evidence"]) for one in preview["before"]] == [("A", "Scored here"), ("B", "Scored here")]
    assert [one["name"] for one in (*preview["after"], *preview["alternatives"])] == ["B", "A"]
    assert preview["n_unranked"] == 1
    merges.merge(first.slug, second.slug, by=grace)
    standings.refresh(dev, openbook)
    assert shown(dev, openbook) == [("C", "scored", 1), ("B", "scored", 2)]
    row = board_for(dev, openbook).rows[1]
    assert [(one.name, one.rank, one.cells[0].best) for one in row.alternatives] == [("A", None, False)]
    positions = positions_of(
        second.pk, dev, [openbook.pk], definition_of("fanoutqa").column("loose"), current_signatures(dev)["accuracy"]
    )
    history, n_ranked = positions[openbook.pk]
    assert (n_ranked, history[-1].rank) == (2, 2)


def unscored(split: Split, name: str = "Waits") -> System:
    """A system on the open-book board without any score."""
    sent = factories.submission(factories.user("zoe"), split, {"openbook": factories.perfect()}, name=name)
    system = System.objects.create(name=name, slug=free_slug(name), owner=sent.owner)
    place = {"split": split, "setting": factories.setting(split.benchmark), "kind": EntryKind.SCORED}
    Entry.objects.create(system=system, answer_set=sent.files.get().answer_set, submission=sent, **place)
    return system


def test_a_row_without_a_score_hides_no_reported_one(dev: Split, openbook: Setting, client: Client) -> None:
    for name, value in (("First", 0.9), ("Second", 0.4)):
        report(dev, openbook, name, loose=value)
    waiting = unscored(dev)
    assert [name for name, *_ in shown(dev, openbook)] == ["First", "Second", "Waits"]
    board = board_for(dev, openbook)
    assert (board.n_total, board.n_scored, board.n_reported, board.n_unscored) == (3, 0, 2, 1)
    assert board.filter_links == []
    assert system_page(waiting).results[0].is_waiting
    assert "scored here</span>" not in client.get(f"/systems/{waiting.slug}/").content.decode()


def test_a_row_stays_until_its_system_has_the_score_of_the_board(dev: Split, openbook: Setting, grace: User) -> None:
    paper = report(dev, openbook, "GPT-4", loose=0.4)
    other = published(dev, "gpt 4", 2)
    merges.merge(other.slug, paper.slug, by=grace)
    assert shown(dev, openbook) == [("GPT-4", "scored", 1)]
    Score.objects.filter(run__answer_set__board_entry__system=other, name="loose").delete()
    assert shown(dev, openbook) == [("GPT-4", "paper", None)], "the others of its scores do not replace the row"


def test_the_declaration_names_the_source_that_is_the_row(
    dev: Split, openbook: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = report(dev, openbook, "GPT-4", loose=0.35)
    report(dev, openbook, "GPT-4", official=True, loose=0.355)
    for first, others in (("official", ["paper"]), ("paper", ["official"])):
        definition = replace(definition_of("fanoutqa"), first_source=first)
        monkeypatch.setattr(inputs, "definition_on", lambda split, found=definition: found)
        (row,) = board_for(dev, openbook).rows
        assert (row.evidence, [one.evidence for one in row.alternatives]) == (first, others)
        assert write.write(dev, openbook) is False
    known = inputs.read_inputs(dev, openbook)
    other = replace(known, definition=replace(known.definition, first_source="official"))
    assert known.fingerprint(None) != other.fingerprint(None), "another choice is noticed"
    results = system_page(system).results
    assert sorted(one.cells[0].value or 0 for one in results) == [0.35, 0.355]
    assert len({one.anchor for one in results}) == 2


def test_of_two_papers_the_one_that_is_declared_first_is_the_row(dev: Split, openbook: Setting, grace: User) -> None:
    first, second = (report(dev, openbook, name, loose=value) for name, value in (("GPT-4", 0.3), ("GPT-4 Chat", 0.4)))
    Entry.objects.update(published_at=timezone.now())
    merges.merge(second.slug, first.slug, by=grace)
    (row,) = board_for(dev, openbook).rows
    assert [row.cells[0].value, *(one.cells[0].value for one in row.alternatives)] == [0.3, 0.4]


@pytest.mark.parametrize(
    ("names", "n_pairs"),
    [
        (("LLaMA 2 70B", "LLaMA 2 Chat 70B"), 1),
        (("Mistral-7B", "Mistral-7B Instruct"), 1),
        (("Mixtral-8x7B-Instruct", "Mixtral-8x7B"), 1),
        (("GPT-4", "gpt 4"), 1),
        (("GPT-4", "GPT-4-turbo"), 0),
        (("Llama 3.1-405B", "Llama 3.1-405B, few-shot chains"), 0),
        (("Chat", "Instruct"), 0),
    ],
)
def test_a_model_under_two_names_is_suggested_for_merging(
    dev: Split, openbook: Setting, names: tuple[str, str], n_pairs: int
) -> None:
    systems = [report(dev, openbook, name, loose=0.5) for name in names]
    assert [(two, one) for two, one in system_merges.merge_page()["suggestions"]] == [tuple(systems[::-1])] * n_pairs


def test_reported_rows_include_systems_that_are_scored_here(dev: Split, openbook: Setting, grace: User) -> None:
    paper = report(dev, openbook, "GPT-4", loose=0.9)
    merges.merge(published(dev, "gpt 4", 2).slug, paper.slug, by=grace)
    (row,) = board_for(dev, openbook, params("kind=reported")).rows
    assert (row.name, row.evidence, row.cells[0].value, row.rank) == ("GPT-4", "paper", 0.9, None)
    assert [one.evidence for one in row.alternatives] == ["scored"]


def test_no_reported_judge_s_score_is_best_if_its_judges_may_differ(dev: Split, openbook: Setting) -> None:
    report(dev, openbook, "A", loose=0.5, judge=0.3)
    report(dev, openbook, "B", loose=0.4, judge=0.2)
    best = {row.name: [cell.column.key for cell in row.cells if cell.best] for row in board_for(dev, openbook).rows}
    assert best == {"A": ["loose", "judge"], "B": []}
    report(dev, openbook, "C", official=True, judge=0.1)
    best = {row.name: [cell.column.key for cell in row.cells if cell.best] for row in board_for(dev, openbook).rows}
    assert best == {"A": ["loose"], "B": [], "C": []}


def test_the_others_are_a_click_away_without_javascript(dev: Split, openbook: Setting, client: Client) -> None:
    report(dev, openbook, "GPT-4", loose=0.512)
    report(dev, openbook, "GPT-4", official=True, loose=0.4)
    page = client.get(BOARD).content.decode()
    assert "0.512" not in page
    assert f'href="{BOARD}?sources=all"' in page
    opened = client.get(f"{BOARD}?sources=all").content.decode()
    assert "0.512" in opened
    assert "Table 2" in opened
    assert "Hide other sources" in opened


def test_exports_and_the_api_have_every_source(dev: Split, openbook: Setting, client: Client) -> None:
    report(dev, openbook, "GPT-4", loose=0.5)
    report(dev, openbook, "GPT-4", official=True, loose=0.4)
    document = json.loads(client.get(f"{BOARD}export.json").content)
    (row,) = document["rows"]
    assert (row["evidence"], row["alternatives"][0]["cells"]["loose"]["value"]) == ("official", 0.5)
    rows = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}export.csv").content.decode())))
    assert [(one["evidence"], one["alternative_of"]) for one in rows if one["slug"]] == [
        ("official", ""), ("paper", "gpt-4"),
    ]  # fmt: skip
    api = client.get("/api/v1/board/?split=dev&setting=openbook").json()["rows"][0]
    assert (api["evidence"], api["alternatives"][0]["evidence"]) == ("official", "paper")
    assert without(msgspec.convert(document, Board), {"gpt-4"}).rows[0].alternatives == []


def test_pages_of_a_merged_system_lead_to_the_other(dev: Split, openbook: Setting, grace: User, client: Client) -> None:
    paper = report(dev, openbook, "GPT-4", loose=0.9)
    own = published(dev, "gpt 4", 2)
    published(dev, "Other", 1)
    merges.merge(own.slug, paper.slug, by=grace)
    assert client.get(f"/systems/{own.slug}/")["Location"] == "/systems/gpt-4/"
    assert {result.entry.kind for result in system_page(paper).results} == {"scored", "reported"}
    assert client.get("/systems/gpt-4/questions/?split=dev&setting=openbook").status_code == 200
    for slug in ("gpt-4", own.slug):
        page = client.get(f"/compare/?system={slug}&system=other&split=dev&setting=openbook").content.decode()
        assert "/systems/gpt-4/" in page
        assert "cannot be compared" not in page
    assert len(client.get("/api/v1/systems/gpt-4/scores/").json()) == 2
    assert client.get(f"/api/v1/systems/{own.slug}/").status_code in (301, 302, 307, 308)


READS_NOTHING = ("/api/v1/systems/{}/", "/api/v1/systems/{}/scores/")


@pytest.mark.parametrize(
    "page",
    [
        *("/systems/{}/", "/systems/{}/questions/", "/systems/{}/questions/verdicts.csv", "/systems/{}/against/"),
        *("/api/v1/systems/{}/", "/api/v1/systems/{}/scores/", "/api/v1/systems/{}/verdicts/"),
    ],
)
def test_every_address_of_a_former_system_leads_to_the_same_of_the_other(
    dev: Split, openbook: Setting, grace: User, client: Client, page: str
) -> None:
    query = "" if page in READS_NOTHING else "?benchmark=fanoutqa&split=dev&setting=openbook"
    published(dev, "Alpha", 1)
    beta = published(dev, "Beta", 2)
    pseudonym = System.objects.create(name="Anonymous 1234", slug="anonymous-1234", is_pseudonym=True, revealed_as=beta)
    address = page.format(pseudonym.slug) + query
    assert client.get(address)["Location"] == page.format("beta") + query
    merges.merge("beta", "alpha", by=grace)
    assert client.get(page.format("beta") + query)["Location"] == page.format("alpha") + query
    assert client.get(address, follow=True).redirect_chain[-1][0] == page.format("alpha") + query
    assert client.get(page.format("nobody") + query).status_code == 404
    system_merges.split(beta.pk, by=grace)
    assert "Location" not in client.get(page.format("beta") + query)


@pytest.mark.parametrize("hidden", [False, True])
def test_the_preview_tells_which_of_two_scored_rows_stays(
    dev: Split, openbook: Setting, grace: User, client: Client, hidden: bool
) -> None:
    alpha, beta = published(dev, "Alpha", 3), published(dev, "Beta", 1)
    Split.objects.update(hidden=hidden)
    (preview,) = system_merges.merge_page(beta.slug, alpha.slug)["preview"]
    (row,), (other,) = preview["after"], preview["alternatives"]
    assert (row["name"], row["slug"], row["value"]) == ("Alpha", "beta", 0.25)
    assert (other["name"], other["slug"], other["value"]) == ("Alpha", "alpha", 0.75)
    assert row["published_at"] == Entry.objects.get(system=beta).published_at > other["published_at"]
    client.force_login(grace)
    page = client.get("/maintenance/systems/", {"system": beta.slug, "into": alpha.slug}).content.decode()
    assert page.count("0.250") == page.count("0.750") == 2
    merges.merge(beta.slug, alpha.slug, by=grace)
    (shown_now,) = board_for(dev, openbook).rows
    assert (shown_now.name, shown_now.cells[0].value) == (row["name"], row["value"])


def test_a_merge_is_previewed_refused_and_undone_on_its_page(
    dev: Split, openbook: Setting, grace: User, client: Client
) -> None:
    paper, own = report(dev, openbook, "GPT-4", loose=0.9), published(dev, "gpt 4", 2)
    person = System.objects.create(name="People", slug="people", is_human=True)
    hidden = System.objects.create(name="Anonymous 1234", slug="anonymous-1234", is_pseudonym=True)
    client.force_login(grace)
    address = "/maintenance/systems/"
    content = client.get(address).content.decode()
    assert f"?system={own.slug}&amp;into={paper.slug}" in content
    assert "Sources that have no score in the column that the board is ordered by come last." in plain(content)
    (preview,) = client.get(address, {"system": own.slug, "into": paper.slug}).context["page"]["preview"]
    assert [(one["name"], one["evidence"]) for one in preview["after"]] == [("GPT-4", "Scored here")]
    assert not System.objects.exclude(same_as=None).exists()
    reasons = [
        (person, "cannot be merged"),
        (hidden, "cannot be merged"),
        (own, "one system already"),
        (None, "no system"),
    ]
    for other, reason in reasons:
        said = {"system": own.slug, "into": other.slug if other else "nothing"}
        refusal = client.post(address, said)
        assert refusal.status_code == 422
        assert reason in refusal.context["page"]["problem"]
        assert f'list="systems"\n                 value="{own.slug}"' in refusal.content.decode()
        assert not System.objects.exclude(same_as=None).exists()
    client.post(address, {"system": own.slug, "into": paper.slug})
    own.refresh_from_db()
    assert own.same_as == paper
    client.post(f"{address}{own.pk}/split/")
    own.refresh_from_db()
    assert own.same_as is None


def test_a_board_with_merged_systems_takes_as_many_queries_as_any(
    dev: Split, openbook: Setting, grace: User, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    paper = report(dev, openbook, "GPT-4", loose=0.9)
    merges.merge(published(dev, "gpt 4", 2).slug, paper.slug, by=grace)
    client.get(BOARD)
    with django_assert_num_queries(6):
        found = table.find_board("fanoutqa", "dev", "openbook")
        assert found is not None
        assert len(table.board_for(found).rows) == 1
    assert BoardDocument.objects.get(setting=openbook, split=dev).n_systems == 1
    assert ReportedValue.objects.count() == 1
    standings.refresh(dev, openbook)
    assert BoardSnapshot.objects.filter(setting=openbook).exists()
    assert client.get(f"{BOARD}states/").status_code == 200


def test_a_source_without_numbers_is_not_shown_first(dev: Split, openbook: Setting, grace: User) -> None:
    paper = report(dev, openbook, "GPT-4", loose=0.9)
    sent = factories.submission(factories.user(), dev, {"openbook": factories.perfect()}, name="GPT-4")
    file = sent.files.get()
    own = System.objects.create(name="GPT-4", slug="gpt-4-2", owner=sent.owner)
    Entry.objects.create(
        system=own, split=dev, setting=openbook, kind=EntryKind.SCORED, answer_set=file.answer_set, submission=sent
    )
    merges.merge(own.slug, paper.slug, by=grace)
    write.write(dev, openbook)
    (row,) = board_for(dev, openbook).rows
    assert (row.evidence, [one.evidence for one in row.alternatives]) == ("paper", ["scored"])
