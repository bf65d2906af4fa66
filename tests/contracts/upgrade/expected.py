"""The differences that are allowed between the site of version 0.6.0 and the same site after the upgrade.

Add a line when a migration renames, recomputes or adds something. Each exception gives the reason why nothing is lost.
"""

from typing import Final

RENAMED_TABLES: Final[dict[str, str]] = {}
"""A model's label in 0.6.0 → its label now, for example ``"leaderboard.boardstate": "leaderboard.boardsnapshot"``."""

RENAMED_COLUMNS: Final[dict[tuple[str, str], str]] = {}
"""A label and a column of 0.6.0 → the name of the column now."""

RECOMPUTED_TABLES: Final[dict[str, str]] = {}
"""Tables that are not compared at all and may be removed → the reason."""

CHANGED_COLUMNS: Final[dict[tuple[str, str], str]] = {
    ("humaneval.gradedanswerorigin", "answer_id"): "The answer set and the question name the answer.",
    ("scoring.currentsignature", "metric"): "The subset in the name has a field of its own.",
    ("scoring.judgeestimate", "run_id"): "Merged runs: of the one that stays.",
    ("scoring.run", "metric"): "Subset, repeat and further pair, which the name said, are fields.",
    ("scoring.score", "name"): "The run says on which subset, and of which repeat or further pair.",
    ("scoring.verdict", "run_id"): "Merged runs: of the one that stays.",
}
"""A label and a column of 0.6.0 whose values may change, or which may be removed → the reason. The rows must remain."""

GROWING_TABLES: Final[dict[str, str]] = {
    "contenttypes.contenttype": "New tables have a type each.",
    "auth.permission": "New tables have rights of their own.",
}
"""Tables that may get further rows → the reason."""

MERGED_ROWS: Final[dict[str, str]] = {
    "scoring.run": "Two runs that compared the same two files are merged: one was a further pair.",
    "scoring.score": "That of the further pair; the other run has the same.",
    "scoring.comparison": "The same.",
}
"""Tables that may lose rows of one run that another one of the same key stands for → the reason."""
