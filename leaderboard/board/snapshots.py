"""Keeping a board as it stands, so that a paper can cite it. `leaderboard.board.exports.snapshots` reads what is kept
here."""

import gzip
import hashlib

from leaderboard.board import table as boards
from leaderboard.board.exports import as_document, canonical_json
from leaderboard.models import BoardState
from scoring.models import Setting, Split

PARTS = ("rows", "apart_rows", "pinned_rows")


class StaleBoardError(RuntimeError):
    """A board changed since its statistics were computed: what it shows now lacks ranks' ranges and marks."""


def take_state(split: Split, setting: Setting, *, settled: bool = False) -> BoardState | None:
    """Keep what a board shows now, all rows and columns of it; nothing of a board without rows.

    A board that shows what it has shown before is that state still: no other is kept. The content is the document of
    `leaderboard.board.exports.as_document` as JSON, gzip-compressed, and holds nothing of when it was taken.

    Args:
        settled: keep it only if its statistics are of the scores that it shows.

    Raises:
        StaleBoardError: they are not, although *settled* asks for it.
    """
    board = boards.board_for(split, setting, boards.Asked(columns="all"), paged=False)
    if settled and board.statistics_stale:
        raise StaleBoardError(f"{split}, {setting} changed since its statistics were computed.")
    document = as_document(board)
    n_rows = sum(row["kind"] != "ceiling" for part in PARTS for row in document[part])
    if not n_rows:
        return None
    content = canonical_json(document)
    state, _ = BoardState.objects.get_or_create(
        split=split,
        setting=setting,
        digest=hashlib.sha256(content).hexdigest(),
        defaults={"content": gzip.compress(content, mtime=0), "n_rows": n_rows},
    )
    return state
