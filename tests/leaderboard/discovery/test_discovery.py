"""What search engines, previews of links and badges get."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest
import yaml
from django.test import Client

from leaderboard.board import write
from leaderboard.board.document import Row
from leaderboard.board.table.builder import _RowMaker
from leaderboard.discovery.views import NOT_CRAWLED
from leaderboard.models import Entry, System
from leaderboard.project.context_processors import IDENTIFYING
from leaderboard.templatetags.discovery import json_ld
from scoring.models import Benchmark
from tests import boards, factories
from tests.leaderboard.test_access import names_of
from tests.paths import ROOT
from tests.releases import last_version
from tests.rows import remembered

pytestmark = pytest.mark.django_db
BOARD = "/fanoutqa/dev/openbook/"
SITE = "https://boards.example"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture
def made(settings: Any) -> Benchmark:
    settings.SITE_URL = SITE
    remembered("discovery", _publish)
    return Benchmark.objects.get()


def _publish() -> None:
    made = factories.benchmark()
    ada = factories.user("ada")
    factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="All <of> it")
    factories.published(ada, factories.split(made, "test"), {"openbook": factories.perfect("test")}, name="Hidden")
    boards.write()


def head_of(client: Client, path: str) -> dict[str, str]:
    content = client.get(path).content.decode()
    found = re.findall(r'<meta\s+(?:name|property)="([^"]+)"\s+content="([^"]*)"', content)
    found += re.findall(r'<link\s+rel="(canonical)"[^>]*?href="([^"]*)"', content)
    return {name: unescape(value) for name, value in found}


class TestCanonical:
    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            (BOARD, BOARD),
            (f"{BOARD}?sort=-strict&columns=all&type=OTHER", BOARD),
            ("/", "/fanoutqa/test/openbook/"),
            ("/?sort=-strict", "/fanoutqa/test/openbook/"),
            ("/fanoutqa/dev/questions/?sort=discrimination", "/fanoutqa/dev/questions/"),
            ("/fanoutqa/dev/questions/?page=2&sort=difficulty", "/fanoutqa/dev/questions/?page=2"),
            ("/fanoutqa/dev/questions/dev-0/?verdict=right", "/fanoutqa/dev/questions/dev-0/"),
            ("/fanoutqa/dev/questions/dev-0/?setting=openbook", "/fanoutqa/dev/questions/dev-0/?setting=openbook"),
            (
                "/systems/all-of-it/questions/?split=dev&setting=openbook&benchmark=fanoutqa&outcome=found",
                "/systems/all-of-it/questions/?benchmark=fanoutqa&split=dev&setting=openbook",
            ),
            ("/about/?utm_source=x", "/about/"),
            ("/fanoutqa/data-card/", "/fanoutqa/data-card/"),
        ],
    )
    def test_a_page_has_one_address(self, made: Benchmark, client: Client, path: str, expected: str) -> None:
        head = head_of(client, path)
        assert head["canonical"] == head["og:url"] == SITE + expected

    @pytest.mark.parametrize("path", ["/accounts/sign-in/", "/submit/", "/my-submissions/"])
    def test_pages_that_are_not_public_have_none(self, made: Benchmark, client: Client, path: str) -> None:
        assert "canonical" not in head_of(client, path)

    def test_every_page_in_the_table_is_a_page(self) -> None:
        from django.urls import get_resolver

        assert set(IDENTIFYING) <= names_of(get_resolver().url_patterns)


class TestDescriptions:
    @pytest.mark.parametrize("path", [BOARD, "/systems/all-of-it/", "/fanoutqa/dev/questions/dev-0/", "/about/"])
    def test_a_page_describes_itself(self, made: Benchmark, client: Client, path: str) -> None:
        head = head_of(client, path)
        assert len(head["description"]) > 40
        assert head["description"] == head["og:description"]


class TestCrawlers:
    def test_robots_keeps_crawlers_to_pages(self, made: Benchmark, client: Client) -> None:
        lines = client.get("/robots.txt").content.decode().splitlines()
        assert f"Sitemap: {SITE}/sitemap.xml" in lines
        assert "Disallow: /*?" in lines
        for path in NOT_CRAWLED:
            assert f"Disallow: /{path}" in lines
        assert not any("Disallow: /fanoutqa" in line or line == "Disallow: /" for line in lines)

    def test_the_sitemap_has_every_public_page_once(self, made: Benchmark, client: Client) -> None:
        index = ET.fromstring(client.get("/sitemap.xml").content)
        addresses: list[str] = []
        for location in index.iter(f"{SITEMAP}loc"):
            section = ET.fromstring(client.get(urlsplit(location.text or "").path).content)
            addresses += [element.text or "" for element in section.iter(f"{SITEMAP}loc")]
        assert len(addresses) == len(set(addresses))
        paths = {address.removeprefix(SITE) for address in addresses}
        assert {f"/fanoutqa/dev/questions/dev-{number}/" for number in range(4)} <= paths
        assert {BOARD, "/fanoutqa/test/openbook/", "/systems/all-of-it/", "/fanoutqa/data-card/", "/about/"} <= paths
        assert not any("/test/questions/" in path for path in paths)
        assert "/fanoutqa/dev/closedbook/" not in paths, "a board without a system"
        for path in paths:
            assert client.get(path).status_code == 200, path

    def test_a_system_that_left_its_board_leaves_the_sitemap(self, made: Benchmark, client: Client) -> None:
        Entry.objects.filter(system__name="Hidden").update(replaced_at="2026-01-01T00:00Z")
        assert "/systems/hidden/" not in client.get("/sitemap-systems.xml").content.decode()

    def test_a_data_card_is_a_dataset(self, made: Benchmark, client: Client) -> None:
        content = client.get("/fanoutqa/data-card/").content.decode()
        (block,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', content)
        data = json.loads(block)
        assert data["@type"] == "Dataset"
        assert data["url"] == f"{SITE}/fanoutqa/data-card/"
        assert 50 <= len(data["description"]) <= 5000
        assert data["license"] == made.licence

    def test_no_value_ends_a_data_block(self) -> None:
        text = str(json_ld({"name": "</script><script>alert(1)</script> & <!--"}))
        assert text.count("<") == 2
        assert json.loads(text.removeprefix('<script type="application/ld+json">').removesuffix("</script>"))["name"]


class TestBadges:
    def test_a_badge_names_board_score_and_revision(self, made: Benchmark, client: Client) -> None:
        response = client.get(f"{BOARD}badges/all-of-it.svg")
        assert response["Content-Type"] == "image/svg+xml"
        drawing = ET.fromstring(response.content)
        text = " ".join(drawing.itertext())
        revision = factories.split(made, "dev").current_revision
        assert revision is not None
        for part in ("FanOutQA development, open book", "1.000", revision.short_hash, "All <of> it"):
            assert part in text
        again = client.get(f"{BOARD}badges/all-of-it.svg", headers={"If-None-Match": response["ETag"]})
        assert again.status_code == 304

    def test_a_badge_of_a_hidden_split_has_the_digits_of_its_board(self, made: Benchmark, client: Client) -> None:
        text = client.get("/fanoutqa/test/openbook/badges/hidden.svg").content.decode()
        assert not re.search(r"\d\.\d{4}", text)

    def test_a_badge_makes_its_own_row_alone(
        self, made: Benchmark, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows: list[Row] = []
        make = _RowMaker._row

        def counted(self: _RowMaker, row: Row, **changes: Any) -> Any:
            rows.append(row)
            return make(self, row, **changes)

        monkeypatch.setattr(_RowMaker, "_row", counted)
        dev = factories.split(Benchmark.objects.get(), "dev")
        factories.published(factories.user("carl"), dev, {"openbook": factories.perfect()}, name="Another")
        write.write_marked()
        assert client.get(f"{BOARD}badges/all-of-it.svg").status_code == 200
        assert len(rows) == 1

    def test_other_systems_have_no_badge(self, made: Benchmark, client: Client) -> None:
        assert client.get(f"{BOARD}badges/hidden.svg").status_code == 404


def test_the_citation_names_the_last_release() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == last_version()
    assert {"cff-version", "message", "title", "authors", "type"} <= set(citation)


def test_sitemaps_cost_the_same_with_more_rows(
    made: Benchmark, client: Client, django_assert_max_num_queries: Any
) -> None:
    boards.fill(factories.split(made, "dev"), factories.setting(made), 12)
    assert System.objects.count() > 12
    for path in ("/sitemap-systems.xml", "/sitemap-questions.xml"):
        with django_assert_max_num_queries(4):
            assert client.get(path).status_code == 200


def test_no_page_may_be_in_a_frame(made: Benchmark, client: Client) -> None:
    for path in (BOARD, "/", "/about/", f"{BOARD}badges/all-of-it.svg", f"{BOARD}nowhere/"):
        response = client.get(path)
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
        assert response["X-Frame-Options"] == "DENY"
