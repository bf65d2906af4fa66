"""Dated states: what a board was on a day, readable for ever, with what has become of its rows since."""

import datetime
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.board.exports.document import as_document
from leaderboard.board.exports.schema import canonical_json
from leaderboard.board.exports.snapshots import OFF_THE_BOARD, snapshot_name
from leaderboard.board.table import BoardParams
from leaderboard.models import BoardSnapshot, System
from leaderboard.submissions import services
from scoring.models import Benchmark
from tests import boards, factories
from tests.boards import board_for

pytestmark = pytest.mark.django_db

PLACE = "/fanoutqa/dev/openbook/states/"
TAKEN = datetime.datetime(2026, 7, 14, 23, 30, tzinfo=datetime.UTC)
FIRST_VERSION = Path(__file__).with_name("board_state_v1.json")
"""A document as version 1 of the schema wrote it. It is never changed: states of that time look like it."""


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_dev=12)


def keep(made: Benchmark, content: bytes, taken_at: datetime.datetime = TAKEN) -> BoardSnapshot:
    return BoardSnapshot.objects.create(
        split=factories.split(made, "dev"),
        setting=factories.setting(made),
        taken_at=taken_at,
        digest=hashlib.sha256(content).hexdigest(),
        content=gzip.compress(content, mtime=0),
        n_rows=3,
    )


def keep_now(made: Benchmark, n: int = 5) -> BoardSnapshot:
    dev, openbook = factories.split(made, "dev"), factories.setting(made)
    boards.fill(dev, openbook, n)
    standings.refresh(dev, openbook)
    BoardSnapshot.objects.all().delete()
    return keep(made, canonical_json(as_document(board_for(dev, openbook, BoardParams(columns="all"), paged=False))))


def address(snapshot: BoardSnapshot) -> str:
    return f"{PLACE}{snapshot_name(snapshot)}/"


class TestTheList:
    def test_names_each_state_by_its_day_in_utc_and_its_digest(self, made: Benchmark, client: Client) -> None:
        snapshot = keep_now(made)
        later = keep(made, b'{"schema":"manyhop-board","schema_version":1}', TAKEN + datetime.timedelta(hours=1))
        page = client.get(PLACE).content.decode()
        assert f"2026-07-14-{snapshot.digest[:8]}" in page
        assert f"2026-07-15-{later.digest[:8]}" in page
        assert page.index("2026-07-15") < page.index("2026-07-14")

    def test_reads_no_content_and_takes_as_many_queries_for_any_number(
        self, made: Benchmark, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(1, 20):
            keep(made, str(number).encode(), TAKEN + datetime.timedelta(days=number))
        with django_assert_num_queries(7) as queries:
            assert client.get(PLACE).status_code == 200
        assert not any('"content"' in query["sql"] for query in queries.captured_queries)


class TestAState:
    def test_shows_the_numbers_of_its_day(self, made: Benchmark, client: Client) -> None:
        snapshot = keep_now(made)
        System.objects.filter(slug="system-1").update(name="Renamed since")
        page = client.get(address(snapshot)).content.decode()
        document = json.loads(gzip.decompress(bytes(snapshot.content)))
        assert 'id="snapshot"' in page
        assert "Renamed since" not in page
        for row in document["rows"]:
            assert row["system"] in page
            assert f"{row['cells']['loose']['value']:.3f}" in page
        assert f"http://testserver{address(snapshot)}" in page
        assert "leaderboard-2026-07-14" in page
        assert 'href="/fanoutqa/dev/openbook/"' in page

    def test_its_json_is_what_was_kept_to_the_byte(self, made: Benchmark, client: Client) -> None:
        snapshot = keep_now(made)
        response = client.get(f"{address(snapshot)}export.json")
        assert hashlib.sha256(response.content).hexdigest() == snapshot.digest
        assert f"openbook-2026-07-14-{snapshot.digest[:8]}.json" in response["Content-Disposition"]
        assert (
            client.get(f"{address(snapshot)}export.json", headers={"If-None-Match": response["ETag"]}).status_code
            == 304
        )

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "name",
        ["2026-07-13-{}", "2026-07-14-00000000", "2026-07-14-", "2026-07-14-{}0", "20260714-{}", "2026-13-45-{}", "x"],
    )
    def test_a_snapshot_has_exactly_one_address(self, made: Benchmark, client: Client, name: str) -> None:
        snapshot = keep_now(made)
        assert client.get(f"{PLACE}{name.format(snapshot.digest[:8])}/").status_code == 404
        assert client.get(f"/fanoutqa/test/openbook/states/{snapshot_name(snapshot)}/").status_code == 404
        assert client.get(f"{address(snapshot)}export.txt").status_code == 404


class TestWhatBecameOfItsRows:
    def test_a_row_that_left_the_board_is_noted_and_stays(self, made: Benchmark, client: Client) -> None:
        owner = factories.user()
        sent = factories.published(
            owner, factories.split(made, "dev"), {"openbook": factories.perfect(n=12)}, name="Gone"
        )
        snapshot = keep_now(made)
        before = client.get(address(snapshot)).content.decode()
        assert OFF_THE_BOARD.rstrip(".") not in before
        services.withdraw_submission(sent, actor=owner)
        after = client.get(address(snapshot)).content.decode()
        assert "Gone" in after
        assert OFF_THE_BOARD.rstrip(".") in after
        assert 'href="/systems/gone/"' in before
        assert 'href="/systems/gone/"' not in after
        response = client.get(f"{address(snapshot)}export.json")
        assert hashlib.sha256(response.content).hexdigest() == snapshot.digest

    def test_of_a_deleted_system_the_numbers_alone_stay(self, made: Benchmark, client: Client) -> None:
        snapshot = keep_now(made)
        told = {
            "name": "Person McPrivate",
            "slug": "mcprivate",
            "authors": "P. McPrivate",
            "citation": "McPrivate 2024",
        }
        document = json.loads(gzip.decompress(bytes(snapshot.content)))
        value = document["rows"][0]["cells"]["loose"]["value"]
        document["rows"][0] |= {
            "system": told["name"],
            "slug": told["slug"],
            "authors": told["authors"],
            "citation": told["citation"],
            "url": "https://mcprivate.example/",
            "note": "Made by McPrivate.",
        }
        BoardSnapshot.objects.all().delete()
        snapshot = keep(made, canonical_json(document))
        texts = [client.get(address(snapshot)).content.decode()]
        texts += [
            client.get(f"{address(snapshot)}export.{name}").content.decode() for name in ("json", "csv", "tex", "bib")
        ]
        assert all("mcprivate" not in text.lower() for text in texts)
        assert all("Removed 1" in text for text in texts)
        assert f"{value:.3f}" in texts[0]
        assert repr(value) in texts[1]
        assert "Their scores remain" in texts[0]
        assert snapshot.digest not in texts[0]


class TestForEver:
    def test_a_document_of_the_first_version_is_shown_and_exported(self, made: Benchmark, client: Client) -> None:
        content = FIRST_VERSION.read_bytes().strip()
        assert json.loads(content)["schema_version"] == 1
        snapshot = keep(made, content)
        page = client.get(address(snapshot)).content.decode()
        assert "Removed 1" in page  # none of its systems is known here
        assert "0.812" in page
        for name in ("csv", "json", "tex", "bib"):
            assert client.get(f"{address(snapshot)}export.{name}").status_code == 200

    def test_a_document_of_a_later_version_is_told_to_be_one(self, made: Benchmark, client: Client) -> None:
        snapshot = keep(made, b'{"schema":"manyhop-board","schema_version":99}')
        for target in (address(snapshot), f"{address(snapshot)}export.csv"):
            response = client.get(target)
            assert response.status_code == 503
            assert "newer version" in response.content.decode()


def shape(document: dict[str, Any]) -> set[str]:
    """The names of all fields, with where they stand."""
    found = {f"{name}" for name in document}
    for name in ("benchmark", "split", "setting", "revision", "asked", "statistics"):
        found |= {f"{name}.{key}" for key in document[name]}
    found |= {f"columns.{key}" for column in document["columns"] for key in column}
    for row in document["rows"]:
        found |= {f"rows.{key}" for key in row}
        found |= {f"cells.{key}" for cell in row["cells"].values() for key in cell}
    return found
