"""The rows of a table in CSV or TSV as objects, with their lines, and every mistake in the file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from scoring.files.mistakes import MAX_MISTAKES, Mistake, repeated
from scoring.generations.lines import split_lines
from scoring.generations.problems import size_in_words

SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
"""Separators between the values of a table, by the ending of its file's name."""
_NAMES: Final = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
UNNAMED: Final = "Unnamed: {}"
"""The name of a column that has none, as pandas and pages that show tables call it."""


def objects_of_cells(
    name: str,
    blocks: Iterator[bytes],
    separator: str,
    mistakes: list[Mistake],
    max_line_bytes: int,
    columns: Sequence[str] = (),
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a table. An empty cell is a field that the row lacks.

    Args:
        columns: The names of the columns; empty if the first row has them.
    """
    at = partial(Mistake, name)
    expected_in = "as declared" if columns else "as in the first row"
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for line in split_lines(blocks, max_line_bytes):
            read = line.number
            if line.content is None:
                raise csv.Error(f"a line of {size_in_words(line.length)}")
            yield f"{line.content.decode()}\n"

    rows = csv.reader(lines(), delimiter=separator, strict=True)
    names = list(columns)
    try:
        while True:
            first = read + 1
            row = next(rows, None)
            if row is None or len(mistakes) > MAX_MISTAKES:
                break
            if not any(row):
                continue
            if not names:
                names = [cell.strip() or UNNAMED.format(index) for index, cell in enumerate(row)]
                wrong = list(_names_mistakes(names, separator, partial(at, first, "")))
                mistakes += wrong
                if wrong:
                    return
            elif len(row) != len(names):
                fix = f"Put cells with {_NAMES[separator]} or line breaks into double quotes."
                mistakes.append(at(first, "", f"{len(row):,} cells", f"{len(names):,}, {expected_in}", fix))
            else:
                yield first, {key: cell for key, cell in zip(names, row, strict=True) if cell}
    except csv.Error as error:
        last = f", up to line {read:,}" if read > first else ""  # a cell that a lone quotation mark begins has no end
        fix = "Double the quotation marks inside a cell, or shorten the cell."
        mistakes.append(at(first, "", f"a row that cannot be read ({error}{last})", "cells in double quotes", fix))
    except UnicodeDecodeError:
        mistakes.append(at(read, "", "a byte that is not UTF-8", "text in UTF-8", "Save it as UTF-8."))


def _names_mistakes(names: list[str], separator: str, at: partial[Mistake]) -> Iterator[Mistake]:
    """Columns with one name, and a row of names with another separator."""
    for _, name in repeated(names):
        yield at(f"the column {name[:60]!r} again", "each name once", "Rename or remove a column.")
    other = next((mark for mark in _NAMES if mark != separator and len(names) == 1 and mark in names[0]), "")
    if other:
        fix = "Write .tsv at the end of the name of a file with tabs." if other == "\t" else "Save the table anew."
        yield at(f"values separated by {_NAMES[other]}", f"{_NAMES[separator]} between values", fix)
