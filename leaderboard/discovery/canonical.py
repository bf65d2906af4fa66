"""The one address of each public page, so that filters, orders and choices of it do not count as pages of their own."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest

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
