"""The template context of every page."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.board import addresses
from leaderboard.maintenance import needs


def site(request: HttpRequest) -> dict[str, Any]:
    """``site``: its name and version and the benchmarks for the navigation (one query, if a page shows them).
    ``n_needs``: how many things need maintainers' attention, computed if a page shows it."""
    del request
    return {
        "site": {
            "name": settings.SITE_NAME,
            "version": settings.MANYHOP_VERSION,
            "benchmarks": SimpleLazyObject(addresses.benchmark_links),
        },
        "n_needs": needs.number,
    }
