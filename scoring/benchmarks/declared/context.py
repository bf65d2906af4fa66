"""What belongs to a question besides its text, as pages show it: texts, tables and pictures that it is about, and its
options."""

from __future__ import annotations

from typing import Any, Final

from scoring.files.mistakes import described
from scoring.files.tables import wrong

Picture = dict[str, Any]
"""``picture`` and ``alt``, what it shows in words. In a file ``picture`` is its path; of a question that was read it is
the SHA-256 of its content, and the pixels of ``width`` and ``height`` are known."""
Block = str | list[list[str]] | Picture
"""A text, the rows of a table, each with its cells, or a picture."""
Options = dict[str, str]
"""The texts of the options by their labels."""
LABELS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_CHARACTERS: Final = 200_000
MAX_CELLS: Final = 20_000
MAX_LABEL: Final = 10
MAX_PATH: Final = 200
PICTURE: Final = "picture"
"""The key that tells a picture from options, which have no such label."""
_EXPECTED: Final = (
    'a text, a table (a list of rows, each a list of cells), a picture ({"picture": "figures/1.png", "alt": "…"}), or '
    "a list of these"
)


def blocks_of(value: Any) -> list[Block]:
    """The texts, tables and pictures of a context.

    >>> blocks_of("a"), blocks_of(["a", "b"]), blocks_of([["x", 1], ["y", None]])
    (['a'], ['a', 'b'], [[['x', '1'], ['y', '']]])
    >>> blocks_of([[["x", "1"]], "a"]) == blocks_of(blocks_of([[["x", 1]], "a"]))
    True
    >>> blocks_of({"picture": "figures/1.png"})
    [{'picture': 'figures/1.png', 'alt': ''}]

    Raises:
        PydanticCustomError: It is something else, or too long.
    """
    values = [] if value is None else [value] if isinstance(value, str | dict) or _is_table(value) else value
    if not isinstance(values, list):
        raise wrong(described(value), _EXPECTED)
    blocks: list[Block] = []
    for item in values:
        if isinstance(item, str):
            blocks += [item] * bool(item.strip())
        elif _is_table(item):
            blocks.append([["" if cell is None else str(cell) for cell in row] for row in item])
        elif is_picture(item):
            blocks.append(_picture(item))
        else:
            raise wrong(f"a list with {described(item)}", _EXPECTED)
    cells = [cell for block in blocks if isinstance(block, list) for row in block for cell in row]
    texts = [block["alt"] if isinstance(block, dict) else block for block in blocks if not isinstance(block, list)]
    length = sum(map(len, [*cells, *texts]))
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
        if label == PICTURE:
            raise wrong(f"the label {PICTURE}", "another label")
    return {label: str(text) for label, text in options.items()}


def is_picture(block: object) -> bool:
    """Whether a block is a picture, and not a text, a table or options."""
    return isinstance(block, dict) and PICTURE in block


def described_picture(block: Picture) -> str:
    """A picture where none can be shown.

    >>> described_picture({"picture": "figures/1.png", "alt": "A map."}), described_picture({"picture": "1", "alt": ""})
    ('[picture: A map.]', '[picture]')
    """
    return f"[picture: {block['alt']}]" if block["alt"] else "[picture]"


def _picture(value: dict[str, Any]) -> Picture:
    if unknown := value.keys() - {PICTURE, "alt"}:
        raise wrong(f"the key {min(unknown)[:40]!r} of a picture", "picture and alt", "Remove it.")
    path, alt = value[PICTURE], value.get("alt") or ""
    if not isinstance(path, str) or not isinstance(alt, str):
        raise wrong(described(alt if isinstance(path, str) else path), "a path, and a text as alt")
    expected = "the path of a file below the folder of benchmark.toml"
    if "://" in path or path.startswith(("//", "data:")):
        fix = "Put the picture into the folder: a page that loads it from elsewhere tells others who reads it."
        raise wrong("the web address of a picture", expected, fix)
    parts = path.split("/")
    if len(path) > MAX_PATH or "\\" in path or ":" in path or any(part.strip(".") == "" for part in parts):
        raise wrong("an absolute path, or one that leads out of the folder", expected, "Write it as figures/1.png.")
    return {PICTURE: path, "alt": alt.strip()}


def _is_table(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(row, list) and all(cell is None or isinstance(cell, str | int | float) for cell in row)
            for row in value
        )
    )
