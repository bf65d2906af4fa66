"""The Django application ``leaderboard``."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class LeaderboardConfig(AppConfig):
    """Names the application, marks boards as stale when scores change, and tells of new revisions."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from leaderboard.board import staleness  # models are not available before
        from leaderboard.operations import checks  # noqa: F401
        from leaderboard.publishing import flags
        from leaderboard.submissions import notifications
        from scoring.runs import outcomes

        outcomes.RUNS.append(staleness.mark_runs)
        outcomes.SPLITS.append(staleness.mark_split)
        outcomes.REVISIONS.append(notifications.revision_changed)
        outcomes.REVISIONS.append(flags.references_imported)


class RecordedAdminConfig(AdminConfig):
    """The Django admin, with a record of every change."""

    default_site = "leaderboard.operations.admin_site.Site"
