"""The template context of every page."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.board import addresses
from leaderboard.maintenance import needs
from leaderboard.project.demo.environment import MAILS


def site(request: HttpRequest) -> dict[str, Any]:
    """``site``: its name and version and the benchmarks for the navigation (one query, if a page shows them).
    ``prints_links``: whether emails are not sent but their links printed, as in the demo.
    ``n_needs``: how many things need maintainers' attention, computed if a page shows it."""
    del request
    return {
        "site": {
            "name": settings.SITE_NAME,
            "version": settings.MANYHOP_VERSION,
            "benchmarks": SimpleLazyObject(addresses.benchmark_links),
            "prints_links": getattr(settings, "EMAIL_FILE_PATH", None) == str(settings.DATA_DIR / MAILS),
        },
        "n_needs": needs.number,
    }
