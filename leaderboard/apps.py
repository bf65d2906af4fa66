"""The Django application ``leaderboard``."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class LeaderboardConfig(AppConfig):
    """Names the application and makes the Celery app current, so that tasks sent from a web request find the broker."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from leaderboard.operations import checks  # noqa: F401


class RecordedAdminConfig(AdminConfig):
    """The administration with a record of whatever is changed in it."""

    default_site = "leaderboard.operations.admin_site.Site"
