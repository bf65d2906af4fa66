"""The differences that are allowed between the site of version 0.7.0 and the same site after the upgrade.

Add a line when a migration removes, recomputes or adds something. Each exception gives the reason why nothing is lost.
"""

from typing import Final

CHANGED_TABLES: Final[dict[str, str]] = {
    "auth_permission": "Rights of new tables are added.",
    "django_content_type": "The types of new tables are added.",
    "django_migrations": "The migrations of this version are added.",
    "leaderboard_draftfile": "Files of refused forms were saved for an hour; the site saves none any more.",
    "leaderboard_uploaddraft": "As its files.",
}
"""Tables that are not compared and may be removed → the reason."""

CHANGED_COLUMNS: Final[dict[tuple[str, str], str]] = {
    ("leaderboard_receivedupload", "request_id"): "It named a repeated request, which is kept for a week.",
}
"""A table and a column whose values may change, or which may be removed → the reason. The rows must remain."""
