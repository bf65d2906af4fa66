"""The tabs and saved passages of the practice question, in the visitor's session: nothing of them is study data.

Enters: the session of a request. Leaves: tabs and passages as the answer page shows them, and changes to them.
"""

from collections.abc import MutableMapping
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

from django.http import QueryDict

from humaneval.answering.answers import LONGEST_NOTE, clean
from humaneval.answering.passages import LONGEST_PASSAGE, NOTHING_TO_SAVE, OPEN_IT_FIRST
from humaneval.answering.tabs import MOST_TABS
from humaneval.answering.visit_log import VisitError
from humaneval.encyclopedia.base import Article

MOST_PASSAGES: Final = 20
"""Beyond this number, the oldest passage is dropped: a session is no place for more."""


@dataclass
class PracticeTab:
    """An open article."""

    path: str
    title: str


@dataclass
class PracticePassage:
    """A saved passage or note with its article."""

    pk: int
    path: str
    title: str
    text: str
    note: str


class PracticeDesk:
    """What the practice question's page keeps for one participant, as long as the session."""

    def __init__(self, session: MutableMapping[str, Any], participant: UUID) -> None:
        self._session, self._key = session, f"practice-{participant}"
        stored = session.get(self._key) or {}
        self.tabs = [PracticeTab(**one) for one in stored.get("tabs", ())]
        self.passages = [PracticePassage(**one) for one in stored.get("passages", ())]

    def _save(self) -> None:
        self._session[self._key] = {
            "tabs": [asdict(one) for one in self.tabs],
            "passages": [asdict(one) for one in self.passages],
        }

    def clear(self) -> None:
        """Forget everything."""
        self._session.pop(self._key, None)

    def open_tab(self, article: Article) -> None:
        """Open the tab of an article, unless it is open; the oldest one is closed if there are too many."""
        if all(one.path != article.path for one in self.tabs):
            self.tabs = [*self.tabs, PracticeTab(article.path, article.title)][-MOST_TABS:]
            self._save()

    def close_tab(self, path: str) -> PracticeTab | None:
        """Close a tab; returns the one to show instead: the next one, or else the one before."""
        place = next((number for number, one in enumerate(self.tabs) if one.path == path), None)
        if place is None:
            return None
        del self.tabs[place]
        self._save()
        return self.tabs[min(place, len(self.tabs) - 1)] if self.tabs else None

    def save_passage(self, *, path: str, text: str, note: str) -> None:
        """Save a passage of an open article, a note with it, or both; the same one once.

        Raises:
            VisitError: there is neither text nor note, or the article is not open.
            AnswerError: one of them is too long.
        """
        text, note = clean(text, LONGEST_PASSAGE).strip(), clean(note, LONGEST_NOTE).strip()
        if not text and not note:
            raise VisitError(NOTHING_TO_SAVE)
        tab = next((one for one in self.tabs if one.path == path), None)
        if tab is None:
            raise VisitError(OPEN_IT_FIRST)
        if all((one.path, one.text, one.note) != (path, text, note) for one in self.passages):
            number = max((one.pk for one in self.passages), default=0) + 1
            self.passages = [*self.passages, PracticePassage(number, path, tab.title, text, note)][-MOST_PASSAGES:]
            self._save()

    def write_note(self, pk: int, note: str) -> None:
        """Save the note on a passage.

        Raises:
            AnswerError: the note is too long.
        """
        for one in self.passages:
            if one.pk == pk:
                one.note = clean(note, LONGEST_NOTE)
                self._save()

    def write_notes(self, fields: QueryDict) -> None:
        """Save the notes in the form of the whole page, cut to the length of a note."""
        for one in self.passages:
            note = fields.get(f"passage-note-{one.pk}", one.note)[:LONGEST_NOTE]
            if note != one.note:
                self.write_note(one.pk, note)

    def remove(self, pk: int) -> None:
        """Remove a passage."""
        self.passages = [one for one in self.passages if one.pk != pk]
        self._save()
