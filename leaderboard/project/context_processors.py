"""The template context of every page."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.board.lookup import benchmark_links
from leaderboard.discovery.canonical import canonical_of
from leaderboard.maintenance import needs
from leaderboard.project.demo.environment import MAILS


def site(request: HttpRequest) -> dict[str, Any]:
    """``site``: its name and version, the page's canonical address, and the benchmarks for the navigation (one
    query, if a page shows them). ``has_docs``: whether ``/docs/`` is there. ``prints_links``: whether emails are not
    sent but their links printed, as in the demo. ``n_needs``: how many things need maintainers' attention, computed if
    a page shows it."""
    return {
        "site": {
            "name": settings.SITE_NAME,
            "version": settings.MANYHOP_VERSION,
            "canonical": canonical_of(request),
            "benchmarks": SimpleLazyObject(benchmark_links),
            "has_docs": (settings.DOCS_DIR / "index.html").is_file(),
            "prints_links": getattr(settings, "EMAIL_FILE_PATH", None) == str(settings.DATA_DIR / MAILS),
        },
        "n_needs": needs.number,
    }
