"""The Django application ``leaderboard``."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class LeaderboardConfig(AppConfig):
    """Names the application, marks boards as stale when scores change, sends emails about new revisions, and
    spares requests checks of their database connections."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.core.signals import request_started

        from leaderboard.board import staleness  # models are not available before
        from leaderboard.operations import checks  # noqa: F401
        from leaderboard.submissions import notifications
        from leaderboard.web import connections
        from scoring.runs import outcomes

        outcomes.RUNS.append(staleness.mark_runs)
        outcomes.SPLITS.append(staleness.mark_split)
        outcomes.REVISIONS.append(notifications.revision_changed)
        # After Django's receiver, which has each connection checked at the first query.
        request_started.connect(connections.spare_checks, dispatch_uid="checks of connections")


class RecordedAdminConfig(AdminConfig):
    """The Django admin, with a record of every change."""

    default_site = "leaderboard.operations.admin_site.Site"
