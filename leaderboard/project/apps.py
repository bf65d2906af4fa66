"""The Django application ``leaderboard.project``: commands that span apps, and what follows once all apps are ready."""

import gc

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The last of our apps in ``INSTALLED_APPS``: what it does needs all the others."""

    name = "leaderboard.project"

    def ready(self) -> None:
        from leaderboard.project import celery  # noqa: F401 - makes the app current: web requests send tasks through it

        gc.freeze()  # what is imported stays: later collections need not visit it
        gc.set_threshold(20_000)  # most of what a request or a board makes is gone by then, and never visited
        gc.enable()  # the programs disable it while they import, which takes a fifth less time
