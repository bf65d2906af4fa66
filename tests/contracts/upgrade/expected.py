"""The differences that are allowed between the site of version 0.5.0 and the same site after the upgrade.

Add a line when a migration renames, recomputes or adds something. Each exception gives the reason why nothing is lost.
"""

from typing import Final

RENAMED_TABLES: Final[dict[str, str]] = {
    "leaderboard.boardstate": "leaderboard.boardsnapshot",
    "leaderboard.oddity": "leaderboard.anomaly",
    "scoring.workersighting": "scoring.workerheartbeat",
}
"""A model's label in 0.5.0 → its label now, for example ``"leaderboard.boardstate": "leaderboard.boardsnapshot"``."""

RENAMED_COLUMNS: Final[dict[tuple[str, str], str]] = {
    ("humaneval.answerrevision", "key"): "client_revision_id",
    ("leaderboard.submissionfile", "looked_at"): "anomalies_checked_at",
    ("leaderboard.system", "became_id"): "revealed_as_id",
    ("scoring.answerset", "handed_in"): "submission_group",
    ("scoring.run", "asked_since"): "retry_requested_at",
    ("scoring.run", "waits"): "n_deferrals",
}
"""A label and a column of 0.5.0 → the name of the column now."""

RECOMPUTED_TABLES: Final[dict[str, str]] = {
    "leaderboard.boardstatistics": "Workers compute it from the scores, and again whenever those change.",
    "leaderboard.standing": "Part of the board's statistics.",
}
"""Tables that are not compared at all and may be removed → the reason."""

CHANGED_COLUMNS: Final[dict[tuple[str, str], str]] = {
    ("auth.permission", "codename"): "The permissions of a renamed model are renamed with it.",
    ("auth.permission", "name"): "The permissions of a renamed model are renamed with it.",
    ("humaneval.assignment", "active_seconds"): "A time that was never measured is empty instead of 0.",
    ("humaneval.participant", "number"): "Previews have numbers far from those of participants.",
    ("humaneval.study", "questions_per_participant"): "It includes the attention checks.",
    ("humaneval.visit", "scrolled_share"): "A scroll position that was never measured is empty instead of 0.",
    ("humaneval.visit", "visible_seconds"): "A time that was never measured is empty instead of 0.",
    ("leaderboard.entry", "kind"): "Rows of grades by hand are no longer reported rows.",
    ("leaderboard.reportedvalue", "name"): "Grades by hand have columns of their own.",
    ("scoring.score", "high"): "Workers compute intervals again from the results, by the present method.",
    ("scoring.score", "low"): "Workers compute intervals again from the results, by the present method.",
    ("contenttypes.contenttype", "model"): "Django renames the content type of a renamed model.",
}
"""A label and a column of 0.5.0 whose values may change, or which may be removed → the reason. The rows must remain."""

GROWING_TABLES: Final[dict[str, str]] = {
    "auth.permission": "A new model has its own permissions.",
    "contenttypes.contenttype": "A new model has its own content type.",
}
"""Tables that may get further rows → the reason."""
