"""Unknown parameters of addresses: refused by the API and in files, named on pages."""

import pytest
from django.http import QueryDict
from django.test import Client

from leaderboard.board import standings
from leaderboard.models import System
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
def test_what_is_unknown_is_refused_by_the_api_and_in_a_file_and_named_on_the_page(
    client: Client, board: str, query: str
) -> None:
    refused = client.get(f"/api/v1/board/?{query}")
    assert (refused.status_code, refused.json()["detail"].count("known: ")) == (400, 1)
    file = client.get(f"/{board}/export.csv?{query}")
    assert (file.status_code, file["Content-Type"]) == (400, "application/problem+json")
    page = client.get(f"/{board}/?{query}")
    assert (page.status_code, "unknown-parameters" in page.content.decode()) == (200, True)


def test_what_is_known_is_not(client: Client, board: str) -> None:
    assert client.get("/api/v1/board/?sort=-loose&kind=all&type=&page=1&columns=default").status_code == 200
    assert "unknown-parameters" not in client.get(f"/{board}/?sort=-loose&utm_source=mail").content.decode()


def test_the_home_page_of_one_benchmark_says_it_too(client: Client, board: str) -> None:
    assert "unknown-parameters" in client.get("/?sort=zzz").content.decode()
    assert "unknown-parameters" not in client.get("/?sort=-loose").content.decode()


HERE = "benchmark=fanoutqa&split=dev&setting=openbook"


@pytest.mark.parametrize(
    ("page", "ignored"),
    [
        (f"/systems/system-3/against/?{HERE}", "score=zzz"),
        (f"/systems/system-3/against/?{HERE}", "sort=zzz"),
        (f"/systems/system-1/questions/?{HERE}", "outcome=zzz"),
        (f"/systems/system-1/questions/?{HERE}&outcome=found", "colour=red"),
        ("/fanoutqa/dev/openbook/states/?", "page=2"),
        (f"/compare/?system=system-1&system=system-2&{HERE}", "score=zzz"),
        ("/compare/?system=system-1&system=system-2&split=dev&setting=openbook", "benchmark=zzz"),
        ("/compare/?system=system-1&system=system-2&benchmark=fanoutqa&split=dev", "setting=zzz"),
        ("/compare/?system=system-1&system=system-2", "place=fanoutqa/dev/zzz"),
        ("/check/?split=dev", "benchmark=zzz"),
        ("/check/?benchmark=fanoutqa", "split=zzz"),
    ],
)
def test_pages_of_systems_say_it_too(client: Client, board: str, page: str, ignored: str) -> None:
    System.objects.filter(slug="system-3").update(is_human=True)
    usual = client.get(page)
    assert (usual.status_code, "unknown-parameters" in usual.content.decode()) == (200, False)
    text = client.get(f"{page}&{ignored}").content.decode()
    assert f"<code>{ignored}</code>" in text


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("export.tex", "uncertainty=zzz"),
        ("ranking/export.csv", "colour=red"),
        ("ranking/matrix/export.csv", "colour=red"),
        ("pictures/score.svg", "chart=zzz"),
        ("systems/system-1/model-index.yml", "sort=name"),
        ("states/2026-07-14/export.csv", "sort=name"),
    ],
)
def test_every_file_is_refused(client: Client, board: str, name: str, query: str) -> None:
    assert client.get(f"/{board}/{name}?{query}").status_code == 400


@pytest.mark.parametrize("path", ["benchmarks/", "systems/", "comparison/", "ranking/", ""])
def test_every_list_of_the_api_refuses_unknown_names(client: Client, board: str, path: str) -> None:
    assert client.get(f"/api/v1/{path}?colour=red").status_code == 400


def test_only_what_is_not_known_is_found() -> None:
    known = {"sort": Parameter(("name", "-name"), listed=True), "page": NUMBER}
    query = QueryDict("sort=name,zzz&page=2&colour=red&page=")
    assert [str(unknown) for unknown in unknown_parameters(query, known)] == ["sort=zzz", "colour=red"]
