"""The tabs of the reader: the articles that are open for a question, stored so that they are there on return.

Each article has one tab. Showing an article opens its tab; one that is opened in the background is no visit until it is
shown.
"""

from typing import Final

from django.db import transaction
from django.utils import timezone

from humaneval.encyclopedia.base import Article
from humaneval.models import Assignment, ReaderTab

MOST_TABS: Final = 12
"""Beyond this number, the tab that was shown longest ago is closed; its article stays among the articles read."""


def tabs_of(assignment: Assignment) -> list[ReaderTab]:
    """The tabs of a question, in the order in which they were opened. One query."""
    found: dict[str, ReaderTab] = {}
    for tab in ReaderTab.objects.filter(assignment=assignment).order_by("opened_at", "pk"):
        found.setdefault(tab.path, tab)
    return list(found.values())


@transaction.atomic
def open_tab(assignment: Assignment, article: Article, *, in_background: bool = False) -> ReaderTab:
    """Open the tab of an article, unless it is open, and record that it is shown, unless it is in the background."""
    Assignment.objects.select_for_update(of=("self",)).get(pk=assignment.pk)
    shown_at = None if in_background else timezone.now()
    path = article.path[:1000]
    tabs = tabs_of(assignment)
    tab = next((one for one in tabs if one.path == path), None)
    if tab is None:
        oldest = sorted(tabs, key=lambda one: one.shown_at or one.opened_at)
        close_tabs(assignment, [one.path for one in oldest[: max(len(tabs) + 1 - MOST_TABS, 0)]])
        return ReaderTab.objects.create(assignment=assignment, path=path, title=article.title[:500], shown_at=shown_at)
    if shown_at is not None:
        tab.shown_at = shown_at
        tab.save(update_fields=["shown_at"])
    return tab


def close_tabs(assignment: Assignment, paths: list[str]) -> None:
    """Close the tabs of articles."""
    ReaderTab.objects.filter(assignment=assignment, path__in=paths).delete()


def neighbour(assignment: Assignment, path: str) -> ReaderTab | None:
    """The tab to show when one is closed: the next one, or else the one before; None if it is the only one."""
    tabs = tabs_of(assignment)
    place = next((number for number, one in enumerate(tabs) if one.path == path), None)
    if place is None or len(tabs) < 2:
        return None
    return tabs[place + 1] if place + 1 < len(tabs) else tabs[place - 1]
