"""Unknown parameters of addresses: refused by the API and in files, named on pages."""

import pytest
from django.http import QueryDict
from django.test import Client

from leaderboard.board import standings
from leaderboard.web.parameters import NUMBER, Parameter, unknown_parameters
from tests import boards, factories

UNKNOWN = ("sort=zzz", "kind=zzz", "colour=red", "sort=-loose,zzz", "context_min=many", "columns=zzz", "run.access=zzz")


@pytest.fixture
def board(db: None) -> str:
    made = factories.benchmark(n_dev=4)
    dev, openbook = factories.split(made, "dev"), factories.setting(made)
    boards.fill(dev, openbook, 3)
    standings.refresh(dev, openbook)
    return "fanoutqa/dev/openbook"


@pytest.mark.parametrize("query", UNKNOWN)
def test_the_api_refuses_what_it_does_not_know_and_names_what_it_knows(client: Client, board: str, query: str) -> None:
    response = client.get(f"/api/v1/board/?{query}")
    assert response.status_code == 400
    assert response.json()["detail"].count("known: ") == 1
    assert client.get("/api/v1/board/?sort=-loose&kind=all&type=&page=1&columns=default").status_code == 200


@pytest.mark.parametrize("query", UNKNOWN)
def test_a_page_says_what_it_ignores(client: Client, board: str, query: str) -> None:
    response = client.get(f"/{board}/?{query}")
    assert response.status_code == 200
    assert "unknown-parameters" in response.content.decode()
    assert "unknown-parameters" not in client.get(f"/{board}/?sort=-loose&utm_source=mail").content.decode()


def test_the_home_page_of_one_benchmark_says_it_too(client: Client, board: str) -> None:
    assert "unknown-parameters" in client.get("/?sort=zzz").content.decode()
    assert "unknown-parameters" not in client.get("/?sort=-loose").content.decode()


@pytest.mark.parametrize("query", UNKNOWN)
def test_a_file_of_a_board_is_refused(client: Client, board: str, query: str) -> None:
    response = client.get(f"/{board}/export.csv?{query}")
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize("path", ["benchmarks/", "systems/", "comparison/", "ranking/", ""])
def test_every_list_of_the_api_refuses_unknown_names(client: Client, board: str, path: str) -> None:
    assert client.get(f"/api/v1/{path}?colour=red").status_code == 400


def test_only_what_is_not_known_is_found() -> None:
    known = {"sort": Parameter(("name", "-name"), listed=True), "page": NUMBER}
    query = QueryDict("sort=name,zzz&page=2&colour=red&page=")
    assert [str(unknown) for unknown in unknown_parameters(query, known)] == ["sort=zzz", "colour=red"]
