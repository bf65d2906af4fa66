"""Writing boards: nothing is lost by two changes that cross, by two workers at once, or by one that is killed."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import lookup, snapshots, standings
from leaderboard.board.fingerprint import BoardInputs, read_inputs
from leaderboard.board.staleness import mark_stale, mark_systems
from leaderboard.board.table import find_board
from leaderboard.models import BoardChange, BoardDocument, BoardState, BoardStatistics, Entry, System
from scoring.models import Run, Setting, Split
from scoring.models.run_states import RunState
from tests import boards, factories
from tests.processes import ROOT, child_environment

BOARD = "/fanoutqa/test/openbook/"
Place = tuple[Split, Setting]


def make_place() -> Place:
    made = factories.benchmark(n_test=20)
    return factories.split(made, "test"), factories.setting(made)


@pytest.fixture
def place(db: None) -> Place:
    return make_place()


def rename(number: int, name: str) -> None:
    system = System.objects.get(slug=f"system-{number}")
    system.name = name
    system.save()
    mark_systems(system)


def names(place: Place) -> set[str]:
    """The systems that the board's document holds."""
    split, setting = place
    found = find_board(split.benchmark.slug, split.slug, setting.slug)
    assert found is not None
    return {row["name"] for row in lookup.document_of(found)["rows"]}


def elsewhere(act: Callable[[], object]) -> None:
    """Do something as another process would: with a connection of its own, and committed."""

    def run() -> None:
        act()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


# --- Two at once -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_change_that_arrives_while_another_is_being_written_is_written_next(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = make_place()
    boards.fill(*place, 3)
    standings.refresh(*place)

    def meanwhile(split: Split, setting: Setting) -> BoardInputs:
        found = read_inputs(split, setting)
        monkeypatch.setattr(snapshots, "read_inputs", read_inputs)
        elsewhere(lambda: rename(2, "Second change"))
        return found

    rename(1, "First change")
    monkeypatch.setattr(snapshots, "read_inputs", meanwhile)
    assert snapshots.write(*place) is True
    assert names(place) == {"First change", "System 2", "System 3"}
    assert BoardState.objects.count() == 1, "no dated state of a board that has changed already"
    found = find_board("fanoutqa", "test", "openbook")
    assert found is not None
    assert found.is_stale
    assert snapshots.write(*place) is True
    assert names(place) == {"First change", "Second change", "System 3"}
    assert not BoardChange.objects.exists()
    assert BoardState.objects.count() == 2
    assert snapshots.write(*place) is False


@pytest.mark.django_db(transaction=True)
def test_who_looked_before_another_wrote_does_not_write_over_it(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = make_place()
    boards.fill(*place, 3)
    standings.refresh(*place)

    def slow(split: Split, setting: Setting) -> BoardInputs:
        found = read_inputs(split, setting)
        monkeypatch.setattr(snapshots, "read_inputs", read_inputs)
        elsewhere(lambda: rename(2, "Newer"))
        elsewhere(lambda: snapshots.write(*place))
        return found

    rename(1, "Older")
    monkeypatch.setattr(snapshots, "read_inputs", slow)
    snapshots.write(*place)
    assert names(place) == {"Older", "Newer", "System 3"}
    assert not BoardChange.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_that_write_the_first_document_write_one(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    place = make_place()
    boards.fill(*place, 3)

    def slow(split: Split, setting: Setting) -> BoardInputs:
        found = read_inputs(split, setting)
        monkeypatch.setattr(snapshots, "read_inputs", read_inputs)
        elsewhere(lambda: snapshots.write(*place))
        return found

    monkeypatch.setattr(snapshots, "read_inputs", slow)
    snapshots.write(*place)
    assert BoardDocument.objects.count() == 1


# --- Killed ----------------------------------------------------------------------------------------------------------


@contextmanager
def stopped_at(place_in_code: str) -> Iterator["subprocess.Popen[str]"]:
    """Another process that writes the boards that were marked, and gets no further than this."""
    script = (
        "import time, django; django.setup()\n"
        "from leaderboard import standings\n"
        "from leaderboard.board import snapshots\n"
        "def stop(*args, **options):\n"
        "    print('there', flush=True); time.sleep(600)\n"
        f"{place_in_code} = stop\n"
        "standings.refresh_marked()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=child_environment(), cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(act: Callable[[], bool]) -> None:
    """A database server takes a moment to notice that a client is dead."""
    for _ in range(100):
        if act():
            return
        threading.Event().wait(0.1)
    pytest.fail("What the killed process held was not let go of.")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("where", "is_written"),
    [
        ("snapshots.read_inputs", False),  # marked, and not looked at yet
        ("snapshots.contents_of", False),  # looked at, and not written
        ("snapshots.take_state", True),  # written, and no dated state kept
    ],
)
def test_a_worker_that_is_killed_leaves_everything_to_the_next(
    transactional_db: None, where: str, is_written: bool
) -> None:
    place = make_place()
    boards.fill(*place, 3)
    standings.refresh(*place)
    rename(1, "Renamed")
    with stopped_at(where) as worker:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert ("Renamed" in names(place)) is is_written
    assert BoardChange.objects.exists() is not is_written
    wait_until(lambda: standings.refresh_stale() == 1)
    assert "Renamed" in names(place)
    assert not BoardChange.objects.exists()
    assert BoardState.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_the_document_and_the_marks_go_together(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between writing and clearing there is no moment: whoever is stopped there has done neither."""
    place = make_place()
    boards.fill(*place, 3)
    standings.refresh(*place)
    rename(1, "Renamed")
    changes = snapshots._changes
    calls: list[int] = []

    def failing(split: Split, setting: Setting) -> Any:
        calls.append(1)
        if len(calls) > 1:
            raise RuntimeError("killed")
        return changes(split, setting)

    monkeypatch.setattr(snapshots, "_changes", failing)
    with pytest.raises(RuntimeError):
        snapshots.write(*place)
    assert names(place) == {"System 1", "System 2", "System 3"}
    assert BoardChange.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_while_it_computes_has_shown_the_change_already(transactional_db: None) -> None:
    place = make_place()
    boards.fill(*place, 3)
    standings.refresh(*place)
    boards.fill(*place, 1, prefix="Later")
    mark_stale([(place[0].pk, place[1].pk)])
    with stopped_at("standings.column_statistics") as worker:
        assert "Later 1" in names(place)
        found = find_board("fanoutqa", "test", "openbook")
        assert found is not None
        assert lookup.document_of(found)["statistics_stale"]
        assert not found.is_stale, "it shows what there is; statistics are another matter"
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    wait_until(lambda: standings.refresh_stale() == 1)
    found = find_board("fanoutqa", "test", "openbook")
    assert found is not None
    assert not lookup.document_of(found)["statistics_stale"]


# --- Marks that are lost, and boards without a document --------------------------------------------------------------


def test_a_lost_mark_costs_a_sweep(place: Place) -> None:
    boards.fill(*place, 3)
    standings.refresh(*place)
    rename(1, "Renamed")
    BoardChange.objects.all().delete()
    assert standings.refresh_marked() == 0
    assert "Renamed" not in names(place)
    assert standings.refresh_stale() == 1
    assert "Renamed" in names(place)


def test_a_mark_without_a_change_writes_nothing(place: Place) -> None:
    boards.fill(*place, 3)
    standings.refresh(*place)
    before = BoardDocument.objects.values_list("serial", "written_at").get()
    mark_stale([(place[0].pk, place[1].pk)])
    assert standings.refresh_marked() == 1
    assert BoardDocument.objects.values_list("serial", "written_at").get() == before
    assert not BoardChange.objects.exists()


def test_the_first_who_looks_has_a_document_written(
    place: Place, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    boards.fill(*place, 3)
    assert "System 1" in client.get(BOARD).content.decode()
    assert not BoardStatistics.objects.exists(), "a page computes none"
    with django_assert_num_queries(1):
        client.get(BOARD)


def test_a_board_that_loses_its_rows_loses_them_on_its_page(place: Place, client: Client) -> None:
    boards.fill(*place, 3)
    standings.refresh(*place)
    Entry.objects.update(replaced_at=timezone.now())
    assert standings.refresh_stale() == 1
    assert "No system has been scored here yet" in client.get(BOARD).content.decode()
    assert BoardState.objects.count() == 1
    assert standings.refresh_stale() == 0


# --- Dated states ----------------------------------------------------------------------------------------------------


def test_reasons_that_pass_are_shown_and_make_no_dated_state(place: Place, client: Client) -> None:
    boards.fill(*place, 10)
    standings.refresh(*place)
    parked = Run.objects.filter(state=RunState.NOT_CONFIGURED, metric="judge")
    assert parked.update(state=RunState.WAITING, reason="In line for a judge.") == 1
    assert standings.refresh_stale() == 1
    assert "In line for a judge." in client.get(f"{BOARD}?columns=all").content.decode()
    assert BoardState.objects.count() == 1
    assert standings.refresh_stale() == 0


def test_a_document_without_statistics_is_no_dated_state(place: Place) -> None:
    boards.fill(*place, 3)
    assert snapshots.write(*place) is True
    assert not BoardState.objects.exists()
    assert standings.refresh(*place) is True
    document = BoardDocument.objects.get()
    assert document.state == BoardState.objects.get()


def test_a_state_taken_before_this_version_is_the_newest_until_another_is_kept(place: Place, client: Client) -> None:
    """As in a database of 0.5.0, which has dated states and no documents."""
    boards.fill(*place, 3)
    standings.refresh(*place)
    kept = BoardState.objects.values_list("pk", "digest", "taken_at").get()
    BoardDocument.objects.all().delete()
    assert kept[1][:8] in client.get(BOARD).content.decode()
    standings.refresh_stale()
    assert BoardState.objects.values_list("pk", "digest", "taken_at").get() == kept, "the same content is the same"


def test_documents_are_held_within_a_bound() -> None:
    cache = lookup.DocumentCache(max_bytes=10)
    for number in range(4):
        cache.put(number, 4, {"number": number})
    assert [cache.get(number) for number in range(4)] == [None, None, {"number": 2}, {"number": 3}]
    cache.get(2)
    cache.put("large", 100, {})
    assert cache.get("large") == {}, "one is always held"
    assert cache.get(2) is None
