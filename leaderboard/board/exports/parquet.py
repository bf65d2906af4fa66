"""A board as Parquet: the fields of the CSV, each with the type of its values. It needs pyarrow, the extra ``parquet``;
without it, the format is not offered."""

import io
from importlib.util import find_spec
from typing import Any, Final, get_args, get_type_hints

from leaderboard.board.document import Cell
from leaderboard.board.exports.csv import CELL_FIELDS, lines_of
from leaderboard.board.exports.format import Format
from leaderboard.board.exports.schema import Board, Row


def as_parquet(document: Board) -> bytes:
    """The lines of the CSV. A missing value is null; a text is stored as it is."""
    import pyarrow  # 50 MB of memory, which only a process that writes Parquet needs
    from pyarrow.parquet import write_table

    of_cell = {name: _type_in(hint) for name, hint in get_type_hints(Cell).items()}
    types = {name: _type_in(hint) for name, hint in get_type_hints(Row).items()} | {"comparable": bool}
    for column in document.columns:
        types |= {column.key: float} | {f"{column.key}_{name}": of_cell[name] for name in CELL_FIELDS}
    header, *lines = lines_of(document)
    table = {}
    for place, name in enumerate(header):
        values = [line[place] for line in lines]
        # Attributes and run facts have the types of what is stated: of numbers with a fraction, all are floats.
        stated = {type(value) for value in values if value is not None}
        kind = types.get(name) or (float if stated == {int, float} else next(iter(stated), str))
        of_arrow = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64()}.get(kind)
        convert = kind if of_arrow else str
        cells = [None if value is None else convert(value) for value in values]
        table[name] = pyarrow.array(cells, of_arrow or pyarrow.string())
    out = io.BytesIO()
    write_table(pyarrow.table(table), out)
    return out.getvalue()


def _type_in(hint: Any) -> Any:
    """The type of a field, without None."""
    return (get_args(hint) or (hint,))[0]


FORMATS: Final = (
    (Format("parquet", 15, "Parquet", "application/vnd.apache.parquet", lambda document, _: as_parquet(document)),)
    if find_spec("pyarrow")
    else ()
)
