"""Answers of the API as rows, and as data frames of pandas or polars where one of them is installed."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import msgspec

from manyhop import records

LIBRARIES = ("pandas", "polars")


def table(answer: records.Board | Sequence[records.Record]) -> list[dict[str, Any]]:
    """One dictionary a row, with the same keys in each.

    Of a board: its rows in order, then people, with a score's value under its name and the ends of its
    interval under ``NAME_low`` and ``NAME_high``. Of results of a system: one row a score. Of scores of questions: one
    row a question, with a key for each score. Of other lists: the fields.
    """
    rows: list[dict[str, Any]] = []
    if isinstance(answer, records.Board):
        for row in (*answer.rows, *answer.apart_rows, *answer.pinned_rows):
            fields = {name: getattr(row, name) for name in _OF_A_ROW}
            for cell in row.scores:
                fields |= {cell.score: cell.value, f"{cell.score}_low": cell.low, f"{cell.score}_high": cell.high}
            rows.append(fields)
        return _with_same_keys(rows)
    for record in answer:
        fields = msgspec.structs.asdict(record)
        if isinstance(record, records.Result):
            del fields["scores"]
            rows += [fields | msgspec.structs.asdict(score) for score in record.scores]
        elif isinstance(record, records.QuestionScores):
            rows.append({"question_id": record.question_id, "answered": record.answered, **record.scores})
        else:
            rows.append(
                {name: msgspec.to_builtins(value, builtin_types=_AS_THEY_ARE) for name, value in fields.items()}
            )
    return _with_same_keys(rows)


def _with_same_keys(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, with None under each key that only others have."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in keys} for row in rows]


_AS_THEY_ARE = (datetime.datetime, datetime.date)
_OF_A_ROW = (
    *("system", "name", "authors", "type", "kind", "rank", "best_rank", "worst_rank"),
    *("n_answered", "n_questions"),
)


def frame(answer: records.Board | Sequence[records.Record], library: str = "") -> Any:
    """The `table` as a data frame.

    :param library: ``pandas`` or ``polars``; the first that is installed if not given.
    :raises ModuleNotFoundError: it is not installed.
    """
    name = library or next((name for name in LIBRARIES if find_spec(name)), LIBRARIES[0])
    if name not in LIBRARIES:
        raise ValueError(f"no library {name!r}; there are {', '.join(LIBRARIES)}")
    rows = table(answer)
    if name == "pandas":
        import pandas as pd  # where it is used: neither library is needed for anything else

        return pd.DataFrame.from_records(rows)
    import polars as pl

    return pl.from_dicts(rows, infer_schema_length=None) if rows else pl.DataFrame()
