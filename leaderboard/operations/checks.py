"""What ``manage.py check --deploy`` remarks on beside Django's own warnings: what works, but not as it should."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Info, Tags, register

from leaderboard.operations.startup_checks import is_this_machine

CONSOLE = "django.core.mail.backends.console.EmailBackend"


@register(Tags.security, deploy=True)
def remarks(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Remarks, no warnings: each is right for some site, and wrong for most that others reach."""
    del app_configs, kwargs
    found = {
        "leaderboard.I001": (
            settings.EMAIL_BACKEND == CONSOLE,
            "Mails are printed to the log, where whoever reads it finds the links in them.",
            "Set EMAIL_URL and EMAIL_FROM.",
        ),
        "leaderboard.I002": (
            not all(map(is_this_machine, settings.ALLOWED_HOSTS))
            and is_this_machine(urlsplit(settings.SITE_URL).hostname or ""),
            f"Mails lead to {settings.SITE_URL}, which nobody else can reach.",
            "Set SITE_URL, or CSRF_TRUSTED_ORIGINS.",
        ),
        "leaderboard.I003": (
            not settings.REDIS_URL,
            "Limits on signing in and on the API are counted by each process for itself.",
            "Set REDIS_URL.",
        ),
        "leaderboard.I004": (
            settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"),
            "The database is a SQLite file: all processes have to be on one machine, and one of them writes at a time.",
            "Set DATABASE_URL to a PostgreSQL database.",
        ),
        "leaderboard.I005": (
            not settings.RECEIPT_KEY,
            "Receipts are signed with a key that changes with SECRET_KEY.",
            "Set RECEIPT_KEY, so that each can be changed without the other.",
        ),
    }
    return [Info(text, hint=hint, id=name) for name, (holds, text, hint) in found.items() if holds]
