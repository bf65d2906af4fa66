"""Tables that the command and the client make of a board whose rows do not have the same scores."""

import argparse
from typing import Any, cast

import msgspec
import pytest

from manyhop import records
from manyhop.cli import reading
from manyhop.client import Client
from manyhop.frames import table

OF_A_CELL: dict[str, Any] = {
    **dict.fromkeys(("low", "high", "tie_group", "p_value", "rank", "best_rank", "worst_rank", "other_value")),
    "state": "done",
    "reason": "",
    "best": False,
    "marked": False,
    "corrected": None,
    "attempts": None,
}


def row(name: str, **scores: float | None) -> records.BoardRow:
    fields: dict[str, Any] = dict.fromkeys(field.name for field in msgspec.structs.fields(records.BoardRow))
    cells = [records.Cell(score=score, value=value, **OF_A_CELL) for score, value in scores.items()]
    return records.BoardRow(**(fields | {"name": name, "scores": cells}))


def board_of(*rows: records.BoardRow) -> records.Board:
    fields: dict[str, Any] = dict.fromkeys(field.name for field in msgspec.structs.fields(records.Board))
    place = {"benchmark": "small", "split": "dev", "setting": "open", "revision": "r", "n_questions": 4}
    return records.Board(**(fields | place | {"rows": list(rows), "apart_rows": [], "pinned_rows": []}))


class OneBoard:
    """A client that knows one board."""

    def __init__(self, board: records.Board) -> None:
        self._board = board

    def board(self, *place: str, **filters: str) -> records.Board:
        return self._board

    def benchmark(self, slug: str) -> records.Benchmark:
        fields: dict[str, Any] = dict.fromkeys(field.name for field in msgspec.structs.fields(records.Benchmark))
        none: dict[str, Any] = dict.fromkeys(field.name for field in msgspec.structs.fields(records.Column))
        columns = [records.Column(**(none | {"score": score, "default": True})) for score in ("loose", "strict")]
        return records.Benchmark(**(fields | {"columns": columns}))


WITH_GAPS = board_of(
    row("First", strict=0.5, seconds=9.0),
    row("Second", loose=0.25, strict=0.4, tokens=700.0, seconds=8.0),
    row("Third", loose=None, strict=0.3, tokens=600.0),
)


def test_each_number_of_a_board_stands_under_its_own_header(capsys: pytest.CaptureFixture[str]) -> None:
    options = argparse.Namespace(place="small", sort="", q="", json=False, system="", export=None, all_columns=False)
    reading._board(cast("Client", OneBoard(WITH_GAPS)), options)
    lines = capsys.readouterr().out.splitlines()
    header, *rows = [line.split() for line in lines[2:]]
    assert header == ["RANKS", "SYSTEM", "LOOSE", "STRICT", "SECONDS", "TOKENS"], "the benchmark's columns come first"
    assert rows == [
        ["-", "First", "-", "0.5000", "9.0000", "-"],
        ["-", "Second", "0.2500", "0.4000", "8.0000", "700.0000"],
        ["-", "Third", "-", "0.3000", "-", "600.0000"],
    ]


def test_each_row_of_a_table_has_the_same_keys() -> None:
    rows = table(WITH_GAPS)
    assert len({tuple(one) for one in rows}) == 1
    assert [one["tokens"] for one in rows] == [None, 700.0, 600.0]
    assert [one["loose"] for one in rows] == [None, 0.25, None]
