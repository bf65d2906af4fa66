"""The rows of a Parquet file as objects; pyarrow reads them (the extra ``parquet``)."""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Iterator
from decimal import Decimal
from functools import partial
from typing import Any, BinaryIO, Final

from scoring.files.mistakes import Mistake
from scoring.files.parquet_pages import page_sizes
from scoring.generations.problems import size_in_words

MAGIC: Final = b"PAR1"
MAX_PAGE_BYTES: Final = 2**27
"""Of a page when it is unpacked; programs write pages of about 1 MiB."""
_ROWS: Final = 256
"""Number of rows that are in memory at once."""


def objects_of_parquet(
    name: str, stream: BinaryIO, mistakes: list[Mistake], max_bytes: int, fields: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of a file; values that JSON lacks are texts or a mistake.

    Args:
        fields: The columns that are read; None for all.
    """
    at = partial(Mistake, name)
    try:
        from pyarrow import ArrowException, parquet  # an extra, and slow to load
    except ImportError:
        fix = "Install it: pip install 'manyhop[parquet]'."
        mistakes.append(at(0, "", "a Parquet file", "the package pyarrow, which reads it", fix))
        return
    too_large = at(0, "", "more than can be read", f"at most {size_in_words(max_bytes)} of data", "Split the file.")
    number = n_bytes = 0
    try:
        schema = parquet.ParquetFile(stream).schema
        repeated = [schema.column(at).path for at in range(len(schema))]
        # A few bytes may repeat a long text in each row; it is in memory once, until its row is read.
        file = parquet.ParquetFile(stream, read_dictionary=repeated)
        columns = None if fields is None else [column for column in file.schema_arrow.names if column in fields]
        if not _unpacks_within(stream, file.metadata, columns, max_bytes):
            mistakes.append(too_large)
            return
        for batch in file.iter_batches(batch_size=_ROWS, columns=columns):
            for row in _rows(batch):
                n_bytes += _size(row)
                if n_bytes > max_bytes:
                    mistakes.append(too_large)
                    return
                number += 1
                values = {}
                for key, value in row.items():
                    try:
                        values[key] = _plain(value)
                    except ValueError as error:
                        field = f"object {number:,}, {key[:60]}"
                        mistakes.append(at(0, field, str(error), "a text, number, list or object"))
                yield {key: value for key, value in values.items() if value is not None}
    except (ArrowException, OSError, ValueError) as error:
        actual = f"a Parquet file that cannot be read ({type(error).__name__})"
        mistakes.append(at(0, "", actual, "a whole file", "Write or copy it again."))


def _unpacks_within(stream: BinaryIO, metadata: Any, columns: Collection[str] | None, max_bytes: int) -> bool:
    """Whether the pages of some columns are within a limit together, as they state it themselves.

    pyarrow unpacks a page as a whole before a row can be counted.

    Raises:
        ValueError: A page cannot be read.
    """
    left = max_bytes
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            path = column.path_in_schema
            if columns is None or any(path == name or path.startswith(f"{name}.") for name in columns):
                for size in page_sizes(stream, column):
                    left -= size
                    if size > MAX_PAGE_BYTES or left < 0:
                        return False
    return True


def _rows(batch: Any) -> Iterator[dict[str, Any]]:
    """The rows of a batch, one by one."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for index in range(batch.num_rows):
        yield {name: column[index].as_py() for name, column in columns.items()}


def _size(value: Any) -> int:
    """About how many bytes a value takes."""
    match value:
        case dict():
            return sum(_size(inner) for inner in value.values())
        case list() | tuple():
            return sum(map(_size, value))
        case str() | bytes():
            return len(value)
    return 8


def _plain(value: Any) -> Any:
    """A value as JSON has it.

    Raises:
        ValueError: JSON has no such value; its kind.
    """
    match value:
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case float() if not math.isfinite(value):
            raise ValueError(f"the number {value}")
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case datetime.date() | datetime.time():  # a datetime is a date
            return value.isoformat()
        case None | str() | bool() | int() | float():
            return value
    raise ValueError(f"a value of the type {type(value).__name__}")
