"""What belongs to a question besides its text, as pages show it: texts and tables that it is about, and its options."""

from __future__ import annotations

from typing import Any, Final

from scoring.files.mistakes import described
from scoring.files.tables import wrong

Block = str | list[list[str]]
"""A text, or the rows of a table, each with its cells."""
Options = dict[str, str]
"""The texts of the options by their labels."""
LABELS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_CHARACTERS: Final = 200_000
MAX_CELLS: Final = 20_000
MAX_LABEL: Final = 10
_EXPECTED: Final = "a text, a table (a list of rows, each a list of cells), or a list of these"


def blocks_of(value: Any) -> list[Block]:
    """The texts and tables of a context.

    >>> blocks_of("a"), blocks_of(["a", "b"]), blocks_of([["x", 1], ["y", None]])
    (['a'], ['a', 'b'], [[['x', '1'], ['y', '']]])
    >>> blocks_of([[["x", "1"]], "a"]) == blocks_of(blocks_of([[["x", 1]], "a"]))
    True

    Raises:
        PydanticCustomError: It is something else, or too long.
    """
    values = [] if value is None else [value] if isinstance(value, str) or _is_table(value) else value
    if not isinstance(values, list):
        raise wrong(described(value), _EXPECTED)
    blocks: list[Block] = []
    for item in values:
        if isinstance(item, str):
            blocks += [item] * bool(item.strip())
        elif _is_table(item):
            blocks.append([["" if cell is None else str(cell) for cell in row] for row in item])
        else:
            raise wrong(f"a list with {described(item)}", _EXPECTED)
    cells = [cell for block in blocks if not isinstance(block, str) for row in block for cell in row]
    length = sum(map(len, [*cells, *(block for block in blocks if isinstance(block, str))]))
    if length > MAX_CHARACTERS or len(cells) > MAX_CELLS:
        expected = f"at most {MAX_CHARACTERS:,}, and {MAX_CELLS:,} cells"
        raise wrong(f"{length:,} characters and {len(cells):,} cells", expected, "Leave a part of it out.")
    return blocks


def options_of(value: Any) -> Options:
    """The options of a question by their labels, which are letters unless it has others.

    >>> options_of(["Oslo", 5]), options_of({"1": "Oslo", "2": "Bern"})
    ({'A': 'Oslo', 'B': '5'}, {'1': 'Oslo', '2': 'Bern'})

    Raises:
        PydanticCustomError: They are something else, or too many.
    """
    if not isinstance(value, list | dict):
        if value is None:
            return {}
        raise wrong(described(value), "")
    if isinstance(value, list) and len(value) > len(LABELS):
        raise wrong(f"{len(value):,} texts", f"at most {len(LABELS)}, or an object with a label for each")
    options = value if isinstance(value, dict) else dict(zip(LABELS, value, strict=False))
    for label, text in options.items():
        if not isinstance(text, str | int | float) or isinstance(text, bool) or not str(text).strip():
            raise wrong(described(text), "a text for each option")
        if not label.strip() or len(label) > MAX_LABEL:
            raise wrong("a label without a character, or a long one", f"labels of at most {MAX_LABEL} characters")
    return {label: str(text) for label, text in options.items()}


def _is_table(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(row, list) and all(cell is None or isinstance(cell, str | int | float) for cell in row)
            for row in value
        )
    )
