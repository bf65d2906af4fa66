"""The board: what stands on it, in which order and among which others. Everything that shows a board asks here.

`board_for` makes a `Board` of what an address asks (`Asked`); ``ordering`` is the one place that orders it.
"""

from leaderboard.board.table.builder import FORMATS, PAGE_ROWS, board_for
from leaderboard.board.table.cells import Missing, cells_of, missing_of
from leaderboard.board.table.links import board_url, labelled_signatures, plain_columns
from leaderboard.board.table.ordering import ranked, valued_entries
from leaderboard.board.table.params import Asked, SortKey
from leaderboard.board.table.types import Board, BoardRow, Cell, Column, ColumnGroup, CorrectedValue, Tab

__all__ = [
    "FORMATS",
    "PAGE_ROWS",
    "Asked",
    "Board",
    "BoardRow",
    "Cell",
    "Column",
    "ColumnGroup",
    "CorrectedValue",
    "Missing",
    "SortKey",
    "Tab",
    "board_for",
    "board_url",
    "cells_of",
    "labelled_signatures",
    "missing_of",
    "plain_columns",
    "ranked",
    "valued_entries",
]
