"""The Django application ``humaneval``."""

from django.apps import AppConfig


class HumanevalConfig(AppConfig):
    """Names the application and registers its checks."""

    name = "humaneval"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from humaneval.studies import checks  # noqa: F401
