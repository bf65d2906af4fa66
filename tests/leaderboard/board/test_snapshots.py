"""Dated states: one for each content that a board has had, byte for byte what it showed then, and none of nothing."""

import gzip
import json
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.board import standings, write
from leaderboard.board.exports.document import as_document
from leaderboard.board.exports.schema import canonical_json
from leaderboard.board.exports.snapshots import find_snapshot, snapshots_of
from leaderboard.board.inputs import BoardInputs
from leaderboard.board.table import BoardParams
from leaderboard.models import BoardSnapshot, Entry, EntryKind, ReportedValue, Standing
from leaderboard.publishing.services import unpublish_submission
from scoring.models import Setting, Split
from tests import boards, factories
from tests.boards import board_for

N = 20
pytestmark = pytest.mark.django_db


@pytest.fixture
def place() -> tuple[Split, Setting]:
    made = factories.benchmark(n_test=N)
    return factories.split(made, "test"), factories.setting(made)


def contents() -> list[dict[str, Any]]:
    kept = BoardSnapshot.objects.order_by("pk")
    return [json.loads(gzip.decompress(bytes(snapshot.content))) for snapshot in kept]


@pytest.mark.slow
def test_a_state_is_what_the_board_shows_with_all_rows_and_columns(place: tuple[Split, Setting]) -> None:
    boards.fill(*place, 103)
    standings.refresh(*place)
    (snapshot,) = BoardSnapshot.objects.all()
    shown = canonical_json(as_document(board_for(*place, BoardParams(columns="all"), paged=False)))
    assert gzip.decompress(bytes(snapshot.content)) == shown
    (document,) = contents()
    assert (snapshot.n_rows, len(document["rows"])) == (103, 103), "more than a page"
    assert len(document["columns"]) > len(board_for(*place).columns)
    assert document["rows"][0]["cells"]["loose"]["low"] is not None
    assert {row["cells"]["loose"]["rank"] for row in document["rows"]} >= {1}
    found_board = boards.find(*place)
    (line,) = snapshots_of(found_board)
    found = find_snapshot(found_board, line["name"])
    assert found is not None
    assert json.loads(found.json) == document


@pytest.mark.slow
def test_each_change_is_a_state_and_going_back_is_not(place: tuple[Split, Setting]) -> None:
    entries = boards.fill(*place, 3)
    ada = factories.user()
    standings.refresh(*place)
    sent = factories.published(ada, place[0], {"openbook": factories.perfect("test", N)})
    boards.refresh()
    unpublish_submission(sent, actor=ada)
    boards.refresh()
    assert [len(document["rows"]) for document in contents()] == [3, 4]
    entries[0].system.name = "Renamed"
    entries[0].system.save()
    boards.refresh()
    assert "Renamed" in {row["system"] for row in contents()[-1]["rows"]}
    assert BoardSnapshot.objects.count() == 3
    assert boards.refresh() == 0


def test_reported_numbers_are_content_too(place: tuple[Split, Setting]) -> None:
    entry = boards.fill(*place, 2)[0]
    Entry.objects.all().update(kind=EntryKind.REPORTED, answer_set=None, source="A paper")
    value = ReportedValue.objects.create(entry=entry, name="loose", value=0.25)
    assert standings.refresh(*place) is True
    assert not Standing.objects.exists(), "published numbers have no standing"
    ReportedValue.objects.filter(pk=value.pk).update(value=0.5)
    assert standings.refresh(*place) is True
    documents = contents()
    assert len(documents) == 2
    rows = [{row["slug"]: row for row in document["rows"]}[entry.system.slug] for document in documents]
    assert [row["cells"]["loose"]["value"] for row in rows] == [0.25, 0.5]
    assert BoardSnapshot.objects.order_by("pk").last().n_rows == 2  # type: ignore[union-attr]


def test_no_state_is_kept_of_a_board_that_changed_since_its_statistics(
    place: tuple[Split, Setting], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = boards.fill(*place, 4)
    compute = standings.compute

    def meanwhile(inputs: BoardInputs) -> standings.Computed:
        found = compute(inputs)
        Entry.objects.filter(pk=entries[0].pk).update(replaced_at=timezone.now(), updated_at=timezone.now())
        return found

    monkeypatch.setattr(standings, "compute", meanwhile)
    assert standings.refresh(*place) is True
    assert not BoardSnapshot.objects.exists(), "three rows with standings among four"
    monkeypatch.undo()
    assert standings.refresh(*place) is True
    (document,) = contents()
    assert len(document["rows"]) == 3
    assert all(row["best_rank"] for row in document["rows"])
    assert standings.refresh(*place) is False


def test_statistics_are_good_though_a_state_cannot_be_kept(
    place: tuple[Split, Setting], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    boards.fill(*place, 4)

    def failing(*args: Any, **options: Any) -> None:
        BoardSnapshot.objects.create(split=place[0], setting=place[1], digest="half", content=b"", n_rows=1)
        raise ValueError

    monkeypatch.setattr(write, "take_snapshot", failing)
    assert standings.refresh(*place) is True
    assert Standing.objects.filter(name="loose").count() == 4
    assert not BoardSnapshot.objects.exists()
    assert "was not saved: ValueError" in caplog.text
    monkeypatch.undo()
    before = list(Standing.objects.order_by("pk").values_list("pk", flat=True))
    assert standings.refresh(*place) is True, "it is tried again"
    assert BoardSnapshot.objects.count() == 1
    assert list(Standing.objects.order_by("pk").values_list("pk", flat=True)) == before, "and nothing else is"
    assert standings.refresh(*place) is False


def test_no_state_tells_of_single_questions_or_references(place: tuple[Split, Setting]) -> None:
    boards.fill(*place, 2)
    factories.published(factories.user(), place[0], {"openbook": factories.perfect("test", N)})
    standings.refresh(*place)
    (snapshot,) = BoardSnapshot.objects.all()
    text = gzip.decompress(bytes(snapshot.content)).decode()
    for word in [*factories.CAPITALS, *factories.CAPITALS.values(), "test-0", "qid"]:
        assert word not in text
