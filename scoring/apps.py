"""The Django application ``scoring``."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    """Names the application, has workers check themselves when they start, and has declared benchmarks known."""

    name = "scoring"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.core.signals import request_started

        from scoring import benchmarks, declarations, worker_hooks  # noqa: F401 - connects to the start of workers
        from scoring.registry import checks  # noqa: F401 - registers them

        benchmarks.read_declared_with(declarations.read_definitions)
        request_started.connect(declarations.expire, dispatch_uid="declared benchmarks")
