"""Checks of the settings: errors, with which the site does not start, and remarks of ``manage.py check --deploy`` about
configurations that work, but not well."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, register

from leaderboard.operations.startup_checks import is_this_machine

CONSOLE = "django.core.mail.backends.console.EmailBackend"


@register()
def errors(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Every setting with which the processes of the site do not start."""
    from leaderboard.operations import setting_rules  # imports metrics, which every process would otherwise wait for

    del app_configs, kwargs
    hint = "The README has a table of all settings."
    return [Error(problem, hint=hint, id="leaderboard.E001") for problem in setting_rules.problems()]


@register(Tags.security, deploy=True)
def remarks(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Remarks, not warnings: each configuration is right for some site, and wrong for most public ones."""
    del app_configs, kwargs
    by_code = {
        "leaderboard.I001": (
            settings.EMAIL_BACKEND == CONSOLE,
            "Emails are printed to the log, including their sign-in and verification links.",
            "Set EMAIL_URL and EMAIL_FROM.",
        ),
        "leaderboard.I002": (
            not all(map(is_this_machine, settings.ALLOWED_HOSTS))
            and is_this_machine(urlsplit(settings.SITE_URL).hostname or "unknown"),
            f"Links in emails lead to {settings.SITE_URL}, which only this machine can reach.",
            "Set SITE_URL, or CSRF_TRUSTED_ORIGINS.",
        ),
        "leaderboard.I003": (
            not settings.REDIS_URL,
            (
                "Each process has a cache of its own, and counts requests for account emails for itself. The limits on "
                "sign-ins and API requests hold for all processes, at the cost of some queries each."
            ),
            "Set REDIS_URL.",
        ),
        "leaderboard.I004": (
            settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"),
            (
                "The database is a SQLite file: all processes must run on one machine, and only one of them can "
                "write at a time."
            ),
            "Set DATABASE_URL to a PostgreSQL database.",
        ),
        "leaderboard.I006": (
            not settings.REQUIRE_SECOND_FACTOR,
            "A password alone is enough to sign in as staff.",
            "Set REQUIRE_SECOND_FACTOR=1.",
        ),
        "leaderboard.I007": (
            settings.SECURE_SSL and not settings.BEHIND_PROXY,
            (
                "Every request without HTTPS is redirected to HTTPS, and what a proxy says about the protocol is not "
                "believed: behind a proxy, every page redirects to itself without end."
            ),
            "Set BEHIND_PROXY=1 if a proxy has the certificate and sets X-Forwarded-Proto.",
        ),
    }
    return [Info(text, hint=hint, id=name) for name, (holds, text, hint) in by_code.items() if holds]
