"""The home page: every benchmark with its size, its first systems and its newest result."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.board.benchmarks import benchmark_cards
from scoring.models import Benchmark
from tests import factories

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
    standings.refresh_stale()


def test_each_with_its_size_its_systems_and_its_newest_result(client: Client) -> None:
    two_benchmarks()
    first, lists = benchmark_cards()
    assert [(system.name, system.cell.value) for system in first.systems] == [("Reader", 1.0)]
    assert (first.n_systems, lists.n_systems, lists.systems) == (1, 1, ())
    assert first.newest_at is not None
    assert first.newest_at.date() == timezone.now().date()
    assert LIST in templates(client)
    text = client.get(HOME).content.decode()
    assert all(f">{benchmark.name}</a>" in text for benchmark in Benchmark.objects.all())
    assert reverse("system", args=["reader"]) in text


def test_with_one_benchmark_it_is_its_first_board(client: Client) -> None:
    factories.benchmark()
    assert "leaderboard/board/_page.html" in templates(client)
    assert LIST not in templates(client)


def test_cards_take_two_queries_once_the_boards_were_read(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    two_benchmarks()
    benchmark_cards()
    with django_assert_num_queries(2):
        assert len(benchmark_cards()) == 2


def test_boards_that_were_never_written_are_shown_too(client: Client) -> None:
    factories.benchmark()
    factories.list_benchmark()
    assert [card.n_systems for card in benchmark_cards()] == [0, 0]
    assert LIST in templates(client)
