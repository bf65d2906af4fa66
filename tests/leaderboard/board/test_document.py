"""A board's document: what is stored is what is read, by processes of its own format alone."""

import msgspec
import pytest
from django.test import Client

from leaderboard.board import standings
from leaderboard.board.document import FORMAT, Document, StoredCell, packed, unpacked
from leaderboard.board.lookup import find_board
from leaderboard.board.staleness import mark_split
from leaderboard.board.write import open_board
from leaderboard.models import BoardChange, BoardDocument
from scoring.models import Benchmark, Setting, Split
from tests import boards, factories

pytestmark = pytest.mark.django_db

BOARD = "/fanoutqa/dev/openbook/"


@pytest.fixture
def place() -> tuple[Split, Setting]:
    made: Benchmark = factories.benchmark(n_dev=12)
    dev, openbook = factories.split(made, "dev"), factories.setting(made)
    boards.fill(dev, openbook, 5)
    standings.refresh(dev, openbook)
    return dev, openbook


def whole(place: tuple[Split, Setting]) -> Document:
    split, setting = place
    found = find_board(split.benchmark.slug, split.slug, setting.slug)
    assert found is not None
    return found.content


def test_what_is_read_is_what_was_stored(place: tuple[Split, Setting]) -> None:
    document = whole(place)
    assert unpacked(packed(document)) == document
    assert len(document.rows) == 5
    assert all(row.by_column.keys() == document.rows[0].by_column.keys() for row in document.rows)


def test_a_column_declared_later_has_only_gaps(place: tuple[Split, Setting]) -> None:
    assert whole(place).rows[0].cell("declared.later") == StoredCell(state="not_scored", reason="Not scored yet.")


def test_a_document_of_another_format_is_no_document() -> None:
    with pytest.raises(msgspec.ValidationError):
        unpacked(packed(Document(FORMAT + 1, [], {}, [], None)))  # type: ignore[arg-type]


def test_versions_run_side_by_side(place: tuple[Split, Setting], client: Client) -> None:
    """A process of another version keeps its own documents: this one neither reads nor changes them."""
    split, setting = place
    BoardDocument.objects.update(format=FORMAT - 1, content=b"of another version", serial=77)
    assert find_board("fanoutqa", "dev", "openbook").document is None  # type: ignore[union-attr]
    BoardChange.objects.all().delete()
    mark_split(split.pk)
    assert not BoardChange.objects.exists()  # the first document is written from the current inputs
    assert client.get(BOARD).status_code == 200
    assert open_board("fanoutqa", "dev", "openbook") is not None
    assert standings.refresh(split, setting) is False
    own, others = (BoardDocument.objects.get(format=number) for number in (FORMAT, FORMAT - 1))
    assert (bytes(others.content), others.serial) == (b"of another version", 77)
    assert own.fingerprint == others.fingerprint
    assert own.snapshot == others.snapshot is not None
