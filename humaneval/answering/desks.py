"""The desk beside an answer: open articles in tabs, and passages saved with their articles. One desk, two stores.

That of a question of the study is study data, in the database. That of the practice question is in the visitor's
session, and nothing of it is study data. Each article has one tab. Showing an article opens its tab; one that is opened
in the background is no visit until it is shown.
"""

from abc import ABC, abstractmethod
from collections.abc import MutableMapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone

from humaneval.answering.answers import LONGEST_NOTE, AnswerError, changed_note, clean, write_note
from humaneval.answering.visit_log import last_visit
from humaneval.encyclopedia.base import Article
from humaneval.models import Assignment, ReaderTab, SavedPassage

MOST_TABS: Final = 12
"""Beyond this number, the tab that was shown longest ago is closed; its article stays among the articles read."""
MOST_PRACTICE_PASSAGES: Final = 20
"""Beyond this number, the oldest one is dropped: a session is no place for more."""
LONGEST_PASSAGE: Final = 5000
NOTHING_TO_SAVE: Final = "There is nothing to save. Select a passage in the article, or write a note."
OPEN_IT_FIRST: Final = "Passages and notes are saved with an open article. Open the article first."


class Desk(ABC):
    """The tabs and saved passages of one question of one participant."""

    @property
    @abstractmethod
    def tabs(self) -> list[ReaderTab]:
        """The tabs, in the order in which they were opened."""

    @property
    @abstractmethod
    def passages(self) -> list[SavedPassage]:
        """The saved passages, in the order in which they were saved."""

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
    def save_passage(self, *, path: str, text: str = "", note: str = "") -> None:
        """Save a passage of an article that was shown, a note with it, or both. The same one is saved once.

        Args:
            path: the source's path of the article.
            text: the selected text.

        Raises:
            AnswerError: there is neither text nor note, one of them is too long, or the article was not opened.
        """

    def write_notes(self, fields: QueryDict) -> None:
        """Save what was changed among the notes in the form of the whole page.

        Raises:
            AnswerError: a note is too long.
        """
        for passage in self.passages:
            note = fields.get(f"passage-note-{passage.pk}", passage.note)
            if note != passage.note:
                self.write_note(passage.pk, note, fields.getlist(f"passage-note-{passage.pk}_was"))

    @abstractmethod
    def write_note(self, pk: int, note: str, before: Sequence[str] = ()) -> str:
        """Save the note on a passage, as `humaneval.answering.answers.changed_note` says."""

    @abstractmethod
    def remove_passage(self, pk: int) -> None:
        """Remove a passage from the list."""

    @abstractmethod
    def _remove_tab(self, path: str) -> None: ...


def text_and_note(text: str, note: str) -> dict[str, str]:
    """A passage and the note with it, as they are stored.

    Raises:
        AnswerError: there is neither, or one of them is too long.
    """
    said = {"text": clean(text, LONGEST_PASSAGE).strip(), "note": clean(note, LONGEST_NOTE).strip()}
    if not any(said.values()):
        raise AnswerError(NOTHING_TO_SAVE)
    return said


class StudyDesk(Desk):
    """The desk of a question of the study. A removed passage remains in the study's record."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment

    @property
    def tabs(self) -> list[ReaderTab]:
        by_path: dict[str, ReaderTab] = {}
        for tab in ReaderTab.objects.filter(assignment=self._assignment).order_by("opened_at", "pk"):
            by_path.setdefault(tab.path, tab)
        return list(by_path.values())

    @property
    def _saved(self) -> QuerySet[SavedPassage]:
        return SavedPassage.objects.filter(assignment=self._assignment)

    @property
    def passages(self) -> list[SavedPassage]:
        return list(self._saved.filter(removed_at=None).order_by("saved_at", "pk"))

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

    @transaction.atomic
    def save_passage(self, *, path: str, text: str = "", note: str = "") -> None:
        said = text_and_note(text, note)
        Assignment.objects.select_for_update(of=("self",)).get(pk=self._assignment.pk)  # the same one may be sent twice
        visit = last_visit(self._assignment, path)
        if visit is None:
            raise AnswerError(OPEN_IT_FIRST)
        if not self._saved.filter(path=visit.path, removed_at=None, **said).exists():
            article = {name: getattr(visit, name) for name in ("path", "title", "url", "page_id", "revision_id")}
            SavedPassage.objects.create(assignment=self._assignment, **said, **article)

    def write_note(self, pk: int, note: str, before: Sequence[str] = ()) -> str:
        return write_note(self._saved.get(pk=pk), note, before)

    def remove_passage(self, pk: int) -> None:
        self._saved.filter(pk=pk, removed_at=None).update(removed_at=timezone.now())

    def _remove_tab(self, path: str) -> None:
        ReaderTab.objects.filter(assignment=self._assignment, path=path).delete()


class PracticeDesk(Desk):
    """The desk of the practice question, for one participant, as long as the session. Its records are never stored."""

    def __init__(self, session: MutableMapping[str, Any], participant: UUID) -> None:
        self._session, self._key = session, f"practice-{participant}"
        self._kept: dict[str, list[dict[str, Any]]] = {"tabs": [], "passages": [], **session.get(self._key, {})}

    @property
    def tabs(self) -> list[ReaderTab]:
        return [ReaderTab(**tab) for tab in self._kept["tabs"]]

    @property
    def passages(self) -> list[SavedPassage]:
        return [SavedPassage(**passage) for passage in self._kept["passages"]]

    def open_tab(self, article: Article, *, in_background: bool = False) -> ReaderTab:
        tab = {"path": article.path, "title": article.title}
        if all(kept["path"] != article.path for kept in self._kept["tabs"]):
            self._keep("tabs", [*self._kept["tabs"], tab][-MOST_TABS:])
        return ReaderTab(**tab)

    def save_passage(self, *, path: str, text: str = "", note: str = "") -> None:
        said, passages = text_and_note(text, note), self._kept["passages"]
        title = next((kept["title"] for kept in self._kept["tabs"] if kept["path"] == path), None)
        if title is None:
            raise AnswerError(OPEN_IT_FIRST)
        said |= {"path": path, "title": title}
        if all(said.items() - kept.items() for kept in passages):
            number = max((kept["pk"] for kept in passages), default=0) + 1
            self._keep("passages", [*passages, {"pk": number, **said}][-MOST_PRACTICE_PASSAGES:])

    def write_note(self, pk: int, note: str, before: Sequence[str] = ()) -> str:
        now = next((kept["note"] for kept in self._kept["passages"] if kept["pk"] == pk), "")
        changed = {"note": changed_note(now, before, note)}
        self._keep("passages", [kept | changed if kept["pk"] == pk else kept for kept in self._kept["passages"]])
        return changed["note"]

    def remove_passage(self, pk: int) -> None:
        self._keep("passages", [kept for kept in self._kept["passages"] if kept["pk"] != pk])

    def clear(self) -> None:
        """Forget everything."""
        self._session.pop(self._key, None)

    def _remove_tab(self, path: str) -> None:
        self._keep("tabs", [kept for kept in self._kept["tabs"] if kept["path"] != path])

    def _keep(self, name: str, rows: list[dict[str, Any]]) -> None:
        self._kept[name] = rows
        self._session[self._key] = self._kept
