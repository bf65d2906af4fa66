"""CSV files that spreadsheets open safely."""

import csv
import datetime
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from leaderboard.board.exports.csv import as_field


def csv_field(value: Any) -> str:
    """A value as it is written to a CSV file: nothing that a spreadsheet would run."""
    if isinstance(value, datetime.datetime):
        return json_default(value)
    return as_field(json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | dict) else value)


def csv_text(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV (RFC 4180), with one line of headings."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([csv_field(row[name]) for name in names])
    return out.getvalue()


def json_default(value: Any) -> str:
    """Values that `json` cannot write: times, in UTC, and amounts of money."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be exported")
