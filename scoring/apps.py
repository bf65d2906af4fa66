"""The Django application ``scoring``."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    """Names the application, and has workers check themselves when they start."""

    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from scoring import worker_hooks  # noqa: F401 - connects to the start of workers
