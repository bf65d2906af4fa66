"""The home page: who leads each benchmark, by setting, and what is new."""

import datetime
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.board import write
from leaderboard.board.benchmarks import home_page
from leaderboard.board.lookup import find_home_boards
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from scoring.benchmarks import definition_of
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.models import Benchmark
from tests import boards, factories
from tests.counting import n_queries

pytestmark = pytest.mark.django_db
HOME = reverse("home")
LIST = "leaderboard/board/benchmarks.html"


def templates(client: Client) -> set[str | None]:
    return {template.name for template in client.get(HOME).templates}


def two_benchmarks() -> None:
    """The first has a published system on its first board; the other one on another board than its first."""
    first, lists = factories.benchmark(), factories.list_benchmark()
    ada = factories.user("ada")
    factories.published(ada, factories.split(first, "test"), {"openbook": factories.perfect("test")}, name="Reader")
    factories.published(ada, factories.split(lists, "dev"), {"closedbook": factories.list_answers()}, name="Lister")
    boards.refresh()


def test_each_with_its_size_its_leaders_and_what_is_new(client: Client) -> None:
    two_benchmarks()
    home = home_page(find_home_boards())
    first, lists = home["benchmarks"]
    assert [(one["setting"], one["first"].name, one["first"].value, one["certainty"]) for one in first["leaders"]] == [
        ("Open book", "Reader", 1.0, "the only system")
    ]
    assert [(one["first"].name, one["url"]) for one in lists["leaders"]] == [
        ("Lister", reverse("board", args=["qampari", "dev", "closedbook"]))
    ]
    assert (first["n_scored"], first["n_reported"], lists["n_scored"], home["waiting"]) == (1, 0, 1, [])
    assert {(row.name, benchmark, setting) for row, _, benchmark, setting in home["news"]} == {
        ("Reader", "FanOutQA", "open book"),
        ("Lister", "QAMPARI", "closed book"),
    }
    assert all(timezone.now() - published_at < datetime.timedelta(minutes=10) for _, published_at, *_ in home["news"])
    assert LIST in templates(client)
    text = client.get(HOME).content.decode()
    assert all(f">{benchmark.name}</a>" in text for benchmark in Benchmark.objects.all())
    assert reverse("system", args=["reader"]) in text


def test_the_boards_of_other_splits_are_named_if_they_have_results(client: Client) -> None:
    two_benchmarks()
    assert [benchmark["others"] for benchmark in home_page(find_home_boards())["benchmarks"]] == [[], []]
    dev = factories.split(Benchmark.objects.get(slug="fanoutqa"), "dev")
    published = {"closedbook": factories.perfect(), "openbook": factories.perfect()}
    factories.published(factories.user("grace"), dev, published, name="Developed")
    address = reverse("board", args=["fanoutqa", "dev", "openbook"])
    boards.refresh()
    assert [benchmark["others"] for benchmark in home_page(find_home_boards())["benchmarks"]] == [
        [("development", address)],
        [],
    ]
    assert f'<a href="{address}">Development board</a>' in client.get(HOME).content.decode()


def test_a_reported_leader_has_no_interval_and_unknown_certainty(client: Client) -> None:
    first, _ = factories.benchmark(), factories.list_benchmark()
    place = {"split": factories.split(first, "test"), "setting": factories.setting(first), "kind": EntryKind.REPORTED}
    for name, score in (("Reader", 0.6484), ("Second", 0.6)):
        system = System.objects.create(name=name, slug=name.lower())
        entry = Entry.objects.create(system=system, source="Table 1", **place)
        ReportedValue.objects.create(entry=entry, name="loose", value=score)
    write.write_all((entry.split_id, entry.setting_id) for entry in Entry.objects.all())
    home = home_page(find_home_boards())
    ((leader,),) = (benchmark["leaders"] for benchmark in home["benchmarks"])
    told = (leader["first"].name, leader["is_reported"], leader["certainty"], leader["ahead"])
    assert told == ("Reader", True, "unknown", "0.048 ahead")
    assert [benchmark["benchmark"].slug for benchmark in home["waiting"]] == ["qampari"]
    text = client.get(HOME).content.decode()
    assert "no interval" in text
    assert 'class="hollow"' in text
    assert "badge--reported" in text.partition("<tbody")[2]


def test_a_score_looks_as_on_its_board_and_in_its_table(client: Client) -> None:
    """0.648 of a benchmark in per cent is 64.8 at every door, whatever the units of the others on the page."""
    first, lists = factories.benchmark(), factories.list_benchmark()
    reader = System.objects.create(name="Reader", slug="reader")
    for made, setting, score in ((first, "openbook", "loose"), (lists, "openbook", "list-f1.f1")):
        split = factories.split(made, "test")
        place = {"split": split, "setting": factories.setting(made, setting), "kind": EntryKind.REPORTED}
        entry = Entry.objects.create(system=reader, source="Table 1", **place)
        ReportedValue.objects.create(entry=entry, name=score, value=0.6484)
    write.write_all((entry.split_id, entry.setting_id) for entry in Entry.objects.all())
    for path in (HOME, reverse("system", args=["reader"])):
        text = client.get(path).content.decode()
        assert (len(re.findall(r">\s*0\.648\s*<", text)), len(re.findall(r">\s*64\.8\s*<", text))) == (1, 1), path
    for slug, shown, other in (("qampari", "64.8", "0.648"), ("fanoutqa", "0.648", "64.8")):
        for page in ("", "export.tex"):
            text = client.get(f"/{slug}/test/openbook/{page}").content.decode()
            assert shown in text
            assert other not in text


def test_benchmarks_without_a_result_wait_for_one(client: Client) -> None:
    factories.benchmark()
    factories.list_benchmark()
    home = home_page(find_home_boards())
    assert (home["benchmarks"], len(home["waiting"]), home["news"]) == ([], 2, [])
    assert LIST in templates(client)
    assert "Waiting for a first result" in client.get(HOME).content.decode()


def test_ten_benchmarks_cost_a_page_no_more_queries_than_one(client: Client) -> None:
    def declare(slug: str) -> str:
        import_declaration(read_declaration(template(slug)))
        write.write_marked()
        return reverse("board", args=[slug, "test", "closed-book"])

    board = declare("capitals")
    of_one = n_queries(client, board)
    declare("capitals-1")
    of_two = n_queries(client, HOME)
    for number in range(2, 10):
        declare(f"capitals-{number}")
    assert Benchmark.objects.count() == 10
    assert n_queries(client, board) == of_one
    assert n_queries(client, HOME) == of_two


def test_the_address_of_a_benchmark_leads_to_its_first_board(client: Client) -> None:
    two_benchmarks()
    for benchmark in Benchmark.objects.all():
        definition = definition_of(benchmark.slug)
        answer = client.get(reverse("benchmark", args=[benchmark.slug]))
        board = reverse("board", args=[benchmark.slug, definition.default_split, definition.default_setting])
        assert (answer.status_code, answer["Location"]) == (302, board)
    assert client.get(reverse("benchmark", args=["nobody"])).status_code == 404
