"""The pages and files of a ranking."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.board.ranking import lookup as pages
from leaderboard.models import Entry
from scoring.models import Split
from tests import boards, compared_site, factories
from tests.leaderboard.board.ranking.conftest import Place

Ranked = Callable[..., list[Entry]]


def rows_of(page: str) -> list[str]:
    """The rows of a page's only table, without its head."""
    return re.findall(r"<tr>.*?</tr>", page.partition("<tbody>")[2].partition("</tbody>")[0], re.DOTALL)


def text(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())


def test_the_ranking_has_every_system_once_the_strongest_first(client: Client, url: str, ranked: Ranked) -> None:
    ranked(4)
    page = text(client.get(url))
    assert len(rows_of(page)) == 5
    numbers = json.loads(client.get(f"{url}export.json").content)["systems"]
    assert [one["rank"] for one in numbers] == sorted(one["rank"] for one in numbers)
    for row, one in zip(rows_of(page), numbers, strict=True):
        assert one["system"] in row
        assert f"{one['strength']['value']:+.2f}".replace("-", "−").replace("+0.00", "0.00") in row
        assert (one["slug"] == "") == one["is_baseline"]


def test_without_comparisons_the_page_says_what_to_do(client: Client, url: str) -> None:
    page = text(client.get(url))
    assert 'class="empty"' in page and "/submit/" in page
    assert 'class="empty"' in text(client.get(f"{url}matrix/"))
    assert json.loads(client.get(f"{url}export.json").content)["systems"] == []
    assert len(client.get(f"{url}export.csv").content.splitlines()) == 1


def test_a_split_that_rounds_to_a_step_has_no_ranking(client: Client, url: str, place: Place) -> None:
    Split.objects.filter(pk=place[0].pk).update(hidden=True, rounding_step=0.01)
    assert "Submit a system" not in text(client.get(url)).partition('class="empty"')[2].partition("</div>")[0]


def test_boards_that_compare_nothing_have_no_ranking(client: Client, url: str) -> None:
    factories.benchmark()
    for path in ("", "matrix/", "export.csv", "export.json", "matrix/export.csv"):
        assert client.get(f"/fanoutqa/dev/openbook/ranking/{path}").status_code == 404, path
    assert client.get(f"{url}export.tex").status_code == 404
    assert client.get(url.replace("closed-book", "nothing")).status_code == 404


def test_the_matrix_equals_its_file(client: Client, url: str, ranked: Ranked) -> None:
    ranked(3)
    lines = list(csv.DictReader(io.StringIO(client.get(f"{url}matrix/export.csv").content.decode())))
    assert len(lines) == 3 + 1
    page = text(client.get(f"{url}matrix/"))
    shown = [re.findall(r'<td class="number">\s*(\d+)<span', row) for row in rows_of(page)]
    shares = [share for line in lines for share in (float(line["share"]), 1 - float(line["share"]))]
    expected = sorted(f"{100 * share:.0f}" for share in shares)
    assert sorted(value for row in shown for value in row) == expected


def test_parts_of_the_matrix_and_pages_of_the_table(
    client: Client, url: str, ranked: Ranked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_ROWS", 4)
    monkeypatch.setattr(pages, "WINDOW", 3)
    ranked(6)
    assert len(rows_of(text(client.get(url)))) == 4
    assert len(rows_of(text(client.get(f"{url}?page=2")))) == 3
    page = text(client.get(f"{url}matrix/?row=4&column=7"))
    assert len(rows_of(page)) == 3
    assert page.count('scope="col"') == 1 + 1
    for wrong in ("?page=x", "?page=-1", "?page=99999999", "matrix/?row=0&column=²", "matrix/?row=9999"):
        assert client.get(url + wrong).status_code == 200, wrong


def test_systems_that_left_the_board_are_left_out_at_once(client: Client, url: str, ranked: Ranked) -> None:
    first, *_ = ranked(3)
    Entry.objects.filter(pk=first.pk).update(replaced_at=first.published_at)

    boards.write()
    for path in ("", "matrix/", "export.csv", "export.json", "matrix/export.csv"):
        assert f"/{first.system.slug}/" not in text(client.get(url + path)), path
        assert f'"{first.system.slug}"' not in text(client.get(url + path)), path


def test_queries_do_not_grow_with_the_systems(
    client: Client, url: str, ranked: Ranked, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ranked(9)
    for path in ("", "matrix/", "export.csv", "matrix/export.csv", "export.json"):
        with django_assert_max_num_queries(8):
            first = client.get(url + path)
        with django_assert_max_num_queries(6):
            assert client.get(url + path, headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_hidden_splits_show_no_facts_on_single_systems(client: Client, url: str, ranked: Ranked) -> None:
    ranked(3, hidden=True)
    document = json.loads(client.get(f"{url}export.json").content)
    assert document["n_ties"] is None
    for one in document["systems"]:
        assert (one["n_ties"], one["consistency"], one["first_place"]) == (None, None, None)
    assert text(client.get(url)).count('scope="col"') == 8


def test_boards_and_systems_lead_to_the_ranking(client: Client, url: str, ranked: Ranked) -> None:
    entry = ranked(2)[0]
    assert f'href="{url}"' in text(client.get(url.removesuffix("ranking/")))
    page = text(client.get(entry.system.get_absolute_url()))
    assert f'href="{url}"' in page
    assert f'href="{url}questions/?first={entry.system.slug}"' in page
    Split.objects.update(hidden=True)
    assert "questions/" not in text(client.get(entry.system.get_absolute_url()))


def test_the_api_has_the_same_as_the_file(client: Client, url: str, ranked: Ranked) -> None:
    where = {"benchmark": compared_site.SLUG, "split": "dev", "setting": "closed-book"}
    assert client.get("/api/v1/ranking/", where).json()["systems"] == []
    ranked(2)
    found, document = client.get("/api/v1/ranking/", where).json(), json.loads(client.get(f"{url}export.json").content)
    for name in ("systems", "matrix", "first_place", "n_comparisons", "signature"):
        assert found[name] == document[name], name
    first = client.get("/api/v1/ranking/", where)
    assert first["Access-Control-Allow-Origin"] == "*"
    assert client.get("/api/v1/ranking/", where, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert client.get("/api/v1/ranking/").status_code == 404
    assert client.get("/api/v1/ranking/", where | {"benchmark": "fanoutqa"}).status_code == 404
