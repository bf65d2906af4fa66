"""The template context of every page, for maintainers."""

from collections.abc import Callable

from django.http import HttpRequest

from leaderboard.maintenance import needs


def maintenance(request: HttpRequest) -> dict[str, Callable[[], int]]:
    """``n_needs``: how many things need attention, computed if a page shows it."""
    del request
    return {"n_needs": needs.number}
