"""The schema of exports and snapshots: what was stored once is read and written again, byte for byte."""

import base64
import gzip
import json
import tarfile
from functools import cache
from typing import Any

import msgspec
import pytest

from leaderboard.board.exports.schema import Board, canonical_json
from leaderboard.board.exports.snapshots import with_fields_of
from tests.contracts.upgrade.version_0_6_0 import ARCHIVE


@cache
def snapshots() -> list[bytes]:
    """The text of every snapshot of the site of 0.6.0; the first ones are from earlier versions."""
    with tarfile.open(ARCHIVE) as packed:
        columns = json.loads(packed.extractfile("manifest.json").read())["tables"]  # type: ignore[union-attr]
        place = columns["leaderboard.boardsnapshot"]["columns"].index("content")
        lines = packed.extractfile("tables/leaderboard.boardsnapshot.jsonl").readlines()  # type: ignore[union-attr]
    return [gzip.decompress(base64.b64decode(json.loads(line)[place])) for line in lines]


def test_every_snapshot_of_0_6_0_is_written_as_it_was() -> None:
    texts = [text for text in snapshots() if b'"evidence":' in text]
    assert len(texts) >= 5
    for text in texts:
        assert canonical_json(msgspec.convert(json.loads(text), Board)) == text
        assert canonical_json(msgspec.json.decode(text, type=Board)) == text


def test_earlier_snapshots_keep_the_fields_that_they_had() -> None:
    for text in snapshots():
        stored: dict[str, Any] = json.loads(text)
        document = msgspec.convert(stored, Board)
        assert canonical_json(with_fields_of(stored, msgspec.to_builtins(document))) == text


@pytest.mark.parametrize("name", ["corrected", "subsets", "baseline", "alternatives"])
def test_fields_that_may_be_left_out_are_in_some_snapshot(name: str) -> None:
    """Otherwise the tests above would prove nothing about them."""
    assert any(f'"{name}"'.encode() in text for text in snapshots())
