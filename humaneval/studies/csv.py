"""CSV files that spreadsheets open safely."""

import csv
import datetime
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leaderboard.board.exports.csv import neutralised


def csv_field(value: Any) -> str:
    """A value as it is written to a CSV file: nothing that a spreadsheet would run."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, datetime.datetime):
        return json_default(value)
    return neutralised(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def csv_text(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV (RFC 4180), with one line of headings."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([csv_field(row[name]) for name in names])
    return out.getvalue()


def json_default(value: Any) -> str:
    """Values that `json` cannot write: times, in UTC."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat()
    raise TypeError(f"{type(value).__name__} cannot be exported")
