"""The table of a board: its rows in order, with columns, links and marks, for every page and export that shows a board.

A `Board` is made of a board's document (`leaderboard.board.write`) and the parameters of a URL (`BoardParams`). Only
``ordering`` orders rows.
"""

from leaderboard.board.lookup import StoredBoard, board_url, find_board
from leaderboard.board.table.builder import PAGE_ROWS, board_for
from leaderboard.board.table.cells import other_values
from leaderboard.board.table.links import (
    ShownColumn,
    Tab,
    labelled_signatures,
    plain_columns,
    ranking_url,
)
from leaderboard.board.table.params import BoardParams, SortKey
from leaderboard.board.table.types import Board, ShownCell, ShownRow

__all__ = [
    "PAGE_ROWS",
    "Board",
    "BoardParams",
    "ShownCell",
    "ShownColumn",
    "ShownRow",
    "SortKey",
    "StoredBoard",
    "Tab",
    "board_for",
    "board_url",
    "find_board",
    "labelled_signatures",
    "other_values",
    "plain_columns",
    "ranking_url",
]
