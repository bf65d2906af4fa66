"""The desk beside an answer: open articles in tabs. One desk, two stores.

That of a question of the study is study data, in the database. That of the practice question is in the visitor's
session, and nothing of it is study data. Each article has one tab. Showing an article opens its tab; one that is opened
in the background is no visit until it is shown.
"""

from abc import ABC, abstractmethod
from collections.abc import MutableMapping
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from humaneval.encyclopedia.base import Article
from humaneval.models import Assignment, ReaderTab

MOST_TABS: Final = 12
"""Beyond this number, the tab that was shown longest ago is closed; its article stays among the articles read."""


class Desk(ABC):
    """The tabs of one question of one participant."""

    @property
    @abstractmethod
    def tabs(self) -> list[ReaderTab]:
        """The tabs, in the order in which they were opened."""

    @abstractmethod
    def open_tab(self, article: Article, *, in_background: bool = False) -> ReaderTab:
        """Open the tab of an article, unless it is open; record that it is shown, unless it is in the background."""

    def close_tab(self, path: str) -> ReaderTab | None:
        """Close a tab; return the one to show instead: the next one, or else the one before."""
        tabs = self.tabs
        place = next((number for number, tab in enumerate(tabs) if tab.path == path), None)
        if place is None:
            return None
        self._remove_tab(path)
        del tabs[place]
        return tabs[min(place, len(tabs) - 1)] if tabs else None

    @abstractmethod
    def _remove_tab(self, path: str) -> None: ...


class StudyDesk(Desk):
    """The desk of a question of the study."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment

    @property
    def tabs(self) -> list[ReaderTab]:
        by_path: dict[str, ReaderTab] = {}
        for tab in ReaderTab.objects.filter(assignment=self._assignment).order_by("opened_at", "pk"):
            by_path.setdefault(tab.path, tab)
        return list(by_path.values())

    @transaction.atomic
    def open_tab(self, article: Article, *, in_background: bool = False) -> ReaderTab:
        Assignment.objects.select_for_update(of=("self",)).get(pk=self._assignment.pk)  # one tab at a time
        shown_at = None if in_background else timezone.now()
        path, tabs = article.path[:1000], self.tabs
        tab = next((tab for tab in tabs if tab.path == path), None)
        if tab is None:
            by_age = sorted(tabs, key=lambda tab: tab.shown_at or tab.opened_at)
            for oldest in by_age[: max(len(tabs) + 1 - MOST_TABS, 0)]:
                self._remove_tab(oldest.path)
            title = article.title[:500]
            return ReaderTab.objects.create(assignment=self._assignment, path=path, title=title, shown_at=shown_at)
        if shown_at is not None:
            tab.shown_at = shown_at
            tab.save(update_fields=["shown_at"])
        return tab

    def _remove_tab(self, path: str) -> None:
        ReaderTab.objects.filter(assignment=self._assignment, path=path).delete()


class PracticeDesk(Desk):
    """The desk of the practice question, for one participant, as long as the session. Its records are never stored."""

    def __init__(self, session: MutableMapping[str, Any], participant: UUID) -> None:
        self._session, self._key = session, f"practice-{participant}"
        self._tabs: list[dict[str, str]] = session.get(self._key, {}).get("tabs", [])

    @property
    def tabs(self) -> list[ReaderTab]:
        return [ReaderTab(**tab) for tab in self._tabs]

    def open_tab(self, article: Article, *, in_background: bool = False) -> ReaderTab:
        tab = {"path": article.path, "title": article.title}
        if all(kept["path"] != article.path for kept in self._tabs):
            self._keep([*self._tabs, tab][-MOST_TABS:])
        return ReaderTab(**tab)

    def clear(self) -> None:
        self._session.pop(self._key, None)

    def _remove_tab(self, path: str) -> None:
        self._keep([kept for kept in self._tabs if kept["path"] != path])

    def _keep(self, tabs: list[dict[str, str]]) -> None:
        self._tabs = tabs
        self._session[self._key] = {"tabs": tabs}
