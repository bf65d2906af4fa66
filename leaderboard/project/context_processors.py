"""The template context of every page, with the one address of public pages.

Filters, orders and choices of a page are no part of that address, so that they do not count as pages of their own.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.board.lookup import benchmark_links
from leaderboard.maintenance import needs
from leaderboard.project.demo.environment import MAILS
from leaderboard.web.site_address import at_site

BOARD: Final = ("benchmark", "split", "setting")
IDENTIFYING: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("home", "board", "board-pictures", "board-states", "board-state", "board-ranking"), ()),
    **dict.fromkeys(("board-matrix", "system", "about", "how-to-submit", "definitions", "data-card", "api-docs"), ()),
    **dict.fromkeys(("questions", "question"), ("setting",)),
    **dict.fromkeys(("board-questions", "board-question"), ("first", "second")),
    **dict.fromkeys(("system-questions", "system-against"), BOARD),
    "compare": (*BOARD, "system"),
}
"""Parameters that say what a page is about, by its name. Pages that are not here are not public."""


def canonical_of(request: HttpRequest) -> str:
    """The address of a public page at ``SITE_URL`` without its filters and orders; empty for other pages. Further pages
    of a list keep their number."""
    name = (request.resolver_match and request.resolver_match.url_name) or ""
    if name not in IDENTIFYING:
        return ""
    kept = [(key, value) for key in IDENTIFYING[name] for value in request.GET.getlist(key) if value]
    page = request.GET.get("page", "")
    if page.isdecimal() and len(page) < 6 and int(page) > 1:
        kept.append(("page", page))
    return at_site(f"{request.path}{f'?{urlencode(kept)}' if kept else ''}")


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
