"""What is kept of a board is never shown once anything of it changed, and never to the wrong reader."""

import gzip
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.contrib import messages
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.models import (
    BoardDocument,
    BoardSnapshot,
    BoardStatistics,
    Entry,
    EntryKind,
    ReportedValue,
    System,
    User,
)
from scoring.models import Benchmark, Run, Score, Setting, Split, vector_bytes
from scoring.models.run_states import RunState
from scoring.runs import answer_sets
from tests import boards, factories
from tests.rows import remembered

pytestmark = pytest.mark.django_db
BOARD = "/fanoutqa/dev/openbook/"
ALL = f"{BOARD}?kind=all&columns=all"
TABLE = {"HX-Request": "true", "HX-Target": "board-table"}


@pytest.fixture
def made() -> Benchmark:
    """A board with drawn rows, one submission and one reported row; its statistics are computed."""
    remembered("cache", _fill)
    return Benchmark.objects.get()


@pytest.fixture
def dev(made: Benchmark) -> Split:
    return factories.split(made, "dev")


@pytest.fixture
def filled(made: Benchmark) -> Setting:
    return factories.setting(made)


def _fill() -> None:
    made = factories.benchmark(n_dev=8)
    dev, openbook = factories.split(made, "dev"), factories.setting(made)
    boards.fill(dev, openbook, 3)
    factories.published(factories.user(), dev, {"openbook": factories.perfect(n=8)}, name="Ada's system")
    reported = Entry.objects.create(
        system=System.objects.create(name="Reported", slug="reported", authors="B"),
        split=dev,
        setting=openbook,
        kind=EntryKind.REPORTED,
    )
    ReportedValue.objects.create(entry=reported, name="loose", value=0.123)
    boards.refresh()


def text(response: Any) -> str:
    content: bytes = response.content
    return (gzip.decompress(content) if response.headers.get("Content-Encoding") == "gzip" else content).decode()


# --- Changes -------------------------------------------------------------------------------------------------------


def publish(dev: Split) -> None:
    ada = User.objects.get(username="ada")
    factories.published(ada, dev, {"openbook": factories.perfect(n=8, right=3)}, name="Fresh system")


def rename(dev: Split) -> None:
    system = System.objects.get(name="System 2")
    system.name = "Renamed system"
    system.save()


def correct_a_value(dev: Split) -> None:
    ReportedValue.objects.update(value=0.919)


def score_late(dev: Split) -> None:
    run = Run.objects.get(metric="bleurt", answer_set__board_entry__system__name="Ada's system")
    Run.objects.filter(pk=run.pk).update(state=RunState.DONE, finished_at=timezone.now())
    Score.objects.create(
        run=run,
        name="bleurt",
        value=0.98765,
        vector=vector_bytes(np.full(8, 0.98765)),
        n_items=8,
        n_answered=8,
        signature=run.signature,
    )


def switch(dev: Split) -> None:
    answer_sets.switch_signature(dev, "rouge", "rouge|another:signature")


def rename_a_split(dev: Split) -> None:
    Split.objects.filter(slug="test").update(name="Other split")


def reword_a_setting(dev: Split) -> None:
    Setting.objects.filter(slug="closedbook").update(name="Shut book")


def recite(dev: Split) -> None:
    Benchmark.objects.update(citation="Another citation")


def fill_another_board(dev: Split) -> None:
    boards.fill(dev, Setting.objects.get(slug="closedbook"), 7, prefix="Elsewhere")


MARKED: dict[Callable[[Split], None], str] = {
    publish: "Fresh system",
    switch: "another:signature",
}
"""What the site's own services change, and what the page then shows."""

FORGOTTEN: dict[Callable[[Split], None], str] = {
    rename: "Renamed system",
    correct_a_value: "0.919",
    score_late: "0.988",
}
"""What nobody marks, since the database is changed behind the services' back."""

AROUND: dict[Callable[[Split], None], str] = {
    rename_a_split: "Other split",
    reword_a_setting: "Shut book",
    recite: "Another citation",
}
"""What stands in no document."""


@pytest.mark.slow
@pytest.mark.parametrize("change", MARKED, ids=lambda change: change.__name__)
def test_a_change_is_told_at_once_and_shown_once_a_worker_wrote_it(
    change: Callable[[Split], None], dev: Split, filled: Setting, client: Client
) -> None:
    boards.refresh()
    before = client.get(ALL)
    assert MARKED[change] not in text(before)
    change(dev)
    told = client.get(ALL, headers={"If-None-Match": before["ETag"]})
    assert told.status_code == 200
    assert 'id="board-stale"' in text(told)
    assert MARKED[change] not in text(told)
    assert standings.refresh_marked() >= 1
    after = client.get(ALL, headers={"If-None-Match": told["ETag"]})
    assert after.status_code == 200
    assert MARKED[change] in text(after)
    assert "being updated" not in text(after)
    if change is not switch:
        assert MARKED[change] in text(client.get(ALL, headers=TABLE))
    assert boards.refresh() == 0, "and nothing is left for the sweeper"


@pytest.mark.slow
@pytest.mark.parametrize("change", FORGOTTEN, ids=lambda change: change.__name__)
def test_what_nobody_marked_is_found_by_the_sweeper(
    change: Callable[[Split], None], dev: Split, filled: Setting, client: Client
) -> None:
    boards.refresh()
    before = client.get(ALL)
    assert FORGOTTEN[change] not in text(before)
    change(dev)
    assert client.get(ALL, headers={"If-None-Match": before["ETag"]}).status_code == 304
    assert boards.refresh() == 1
    assert FORGOTTEN[change] in text(client.get(ALL))
    assert boards.refresh() == 0


@pytest.mark.parametrize("change", AROUND, ids=lambda change: change.__name__)
def test_names_are_shown_as_they_are_now(
    change: Callable[[Split], None], dev: Split, filled: Setting, client: Client
) -> None:
    before = client.get(BOARD)
    change(dev)
    after = client.get(BOARD, headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert AROUND[change] in text(after)


def test_how_many_systems_another_board_has_is_that_boards_own(dev: Split, filled: Setting, client: Client) -> None:
    fill_another_board(dev)
    assert ", </span>7<span" in text(client.get(BOARD)), "counted while it has no document"
    boards.fill(dev, Setting.objects.get(slug="closedbook"), 2, prefix="Two more")
    boards.write()
    assert ", </span>9<span" in text(client.get(BOARD))


def test_statistics_come_after_what_they_are_of(dev: Split, filled: Setting, client: Client) -> None:
    for model in (BoardDocument, BoardStatistics, BoardSnapshot):
        model.objects.all().delete()
    assert "are being computed" in text(client.get(BOARD))
    assert standings.refresh(dev, filled) is True
    page = text(client.get(BOARD))
    assert "are being computed" not in page
    (state,) = BoardSnapshot.objects.all()
    assert state.digest[:8] in page, "how to cite it"


# --- Who gets what -------------------------------------------------------------------------------------------------


class TestAnswers:
    def test_what_is_kept_is_not_made_again_and_a_304_neither(
        self, dev: Split, filled: Setting, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        first = client.get(BOARD)
        with django_assert_num_queries(5):
            again = client.get(BOARD)
        assert text(again) == text(first)
        with django_assert_num_queries(5):
            unchanged = client.get(BOARD, headers={"If-None-Match": first["ETag"]})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert unchanged["ETag"] == first["ETag"]
        for response in (first, again, unchanged):
            assert response["Cache-Control"] == "no-cache"
            assert {"Cookie", "HX-Request", "HX-Target", "Accept-Encoding"} <= set(response["Vary"].split(", "))

    def test_it_travels_compressed_to_whoever_takes_it_so(self, dev: Split, filled: Setting, client: Client) -> None:
        plain = client.get(BOARD)
        packed = client.get(BOARD, headers={"Accept-Encoding": "br, gzip"})
        assert "Content-Encoding" not in plain
        assert packed["Content-Encoding"] == "gzip"
        assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content) / 3
        assert text(packed) == text(plain)

    def test_each_way_of_asking_has_its_own_answer(self, dev: Split, filled: Setting, client: Client) -> None:
        tags = [
            client.get(address + query, headers=headers)["ETag"]
            for address in ("/fanoutqa/dev/openbook/", "/fanoutqa/dev/closedbook/", "/fanoutqa/test/openbook/", "/")
            for query in ("", "?sort=name")
            for headers in ({}, TABLE)
        ]
        assert len(set(tags)) == len(tags)
        canonical = client.get(f"{BOARD}?q=&sort=name&page=1")["ETag"]
        assert canonical == client.get(f"{BOARD}?sort=name")["ETag"]

    def test_a_swap_is_told_the_one_address_of_what_it_shows(self, dev: Split, filled: Setting, client: Client) -> None:
        response = client.get(f"{BOARD}?q=&kind=&context_min=&sort=name&type=PROMPT", headers=TABLE)
        assert response["HX-Push-Url"] == f"{BOARD}?sort=name&type=PROMPT"
        assert "<h1" not in text(response)
        assert "HX-Push-Url" not in client.get(BOARD)

    def test_what_is_asked_again_is_no_new_entry_in_the_history(
        self, dev: Split, filled: Setting, client: Client
    ) -> None:
        for here, params, pushed in (
            (f"{BOARD}?q=&type=PROMPT&sort=name", "?sort=name&type=PROMPT", "false"),
            (BOARD, "?q=", "false"),
            (f"{BOARD}?sort=name", "?sort=-name", f"{BOARD}?sort=-name"),
            ("/", "?q=", BOARD),
            ("http://[", "", BOARD),
        ):
            address = here if here.startswith("http") else f"http://testserver{here}"
            response = client.get(BOARD + params, headers=TABLE | {"HX-Current-URL": address})
            assert response["HX-Push-Url"] == pushed, (here, params)
            assert "HX-Current-URL" in response["Vary"]

    def test_who_is_signed_in_gets_a_page_of_their_own_that_nobody_else_gets(
        self, dev: Split, filled: Setting, client: Client
    ) -> None:
        anonymous = client.get(BOARD)
        ada, eve = Client(), Client()
        ada.force_login(User.objects.get(username="ada"))
        eve.force_login(factories.user("eve"))
        for _ in range(2):
            for one, name, other in ((ada, "ada", "eve"), (eve, "eve", "ada")):
                for headers in ({}, {"If-None-Match": anonymous["ETag"]}):
                    response = one.get(BOARD, headers=headers)
                    assert response.status_code == 200
                    assert response["Cache-Control"] == "private, no-cache"
                    assert "ETag" not in response
                    assert f'<span class="nav-link__text">{name}</span>' in text(response)
                    assert f'<span class="nav-link__text">{other}</span>' not in text(response)
                table = one.get(BOARD, headers=TABLE)
                assert table["Cache-Control"] == "private, no-cache"
        assert text(client.get(BOARD)) == text(anonymous)
        assert "csrfmiddlewaretoken" not in text(anonymous)

    def test_a_message_is_told_once_to_its_reader_alone(
        self, dev: Split, filled: Setting, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from django.contrib.messages.storage.cookie import CookieStorage
        from django.test import RequestFactory

        told = HttpResponse()
        storage = CookieStorage(RequestFactory().get("/"))
        storage.add(messages.INFO, "Only for you.")
        storage.update(told)
        reader = Client()
        reader.cookies = told.cookies
        assert "Only for you." in text(reader.get(BOARD))
        assert "Only for you." not in text(reader.get(BOARD))
        assert "Only for you." not in text(client.get(BOARD))

    def test_what_is_typed_is_not_kept(self, dev: Split, filled: Setting, client: Client) -> None:
        def keep(key: str, value: object, timeout: int) -> None:
            kept.append(key)

        kept: list[str] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cache, "set", keep)
            client.get(f"{BOARD}?q=anything")
            client.get(f"{BOARD}?context_min=17")
            client.get(f"{BOARD}?sort=name,loose,-judge")
            assert kept == []
            client.get(f"{BOARD}?type=PROMPT")
            assert kept

    def test_a_cache_that_is_away_costs_time_but_no_page(
        self, dev: Split, filled: Setting, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(*_: object, **__: object) -> None:
            raise ConnectionError("Redis is away.")

        monkeypatch.setattr(cache, "get", away)
        monkeypatch.setattr(cache, "set", away)
        assert "System 1" in text(client.get(BOARD))
