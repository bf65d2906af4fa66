"""The Django application ``leaderboard.project``: commands that span apps."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The last of our apps in ``INSTALLED_APPS``: what it does needs all the others."""

    name = "leaderboard.project"

    def ready(self) -> None:
        from leaderboard.project import celery  # noqa: F401 - makes the app current: web requests send tasks through it
