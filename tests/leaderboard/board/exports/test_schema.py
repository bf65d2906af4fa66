"""The schema of exports and snapshots: what was stored once is read and written again, byte for byte."""

import gzip
import json
import lzma
import sqlite3
from contextlib import closing
from functools import cache
from typing import Any

import msgspec
import pytest

from leaderboard.board.exports.schema import Board, canonical_json
from leaderboard.board.exports.snapshots import with_fields_of
from tests.upgrade.version_0_7_0 import DUMPS


@cache
def snapshots() -> list[bytes]:
    """The text of every snapshot of the site of 0.7.0; the first ones are from earlier versions."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(lzma.decompress(DUMPS["sqlite"].read_bytes()).decode())
        rows = database.execute("SELECT content FROM leaderboard_boardstate ORDER BY id").fetchall()
    return [gzip.decompress(content) for (content,) in rows]


def test_snapshots_of_earlier_versions_keep_the_fields_that_they_had() -> None:
    assert len(snapshots()) >= 5
    for text in snapshots():
        stored: dict[str, Any] = json.loads(text)
        document = msgspec.convert(stored, Board)
        assert canonical_json(with_fields_of(stored, msgspec.to_builtins(document))) == text


@pytest.mark.parametrize("name", ["corrected", "subsets", "baseline", "alternatives"])
def test_fields_that_may_be_left_out_are_in_some_snapshot(name: str) -> None:
    """Otherwise the tests above would prove nothing about them."""
    assert any(f'"{name}"'.encode() in text for text in snapshots())
