"""Passages and notes that a participant saves with the article they are from."""

from typing import Final

from django.utils import timezone

from humaneval.answering.answers import LONGEST_NOTE, clean
from humaneval.answering.visit_log import VisitError, last_visit
from humaneval.models import Assignment, SavedPassage

LONGEST_PASSAGE: Final = 5000
NOTHING_TO_SAVE: Final = "There is nothing to save. Select a passage in the article, or write a note."
OPEN_IT_FIRST: Final = "Passages and notes are saved with an open article. Open the article first."


def passages_of(assignment: Assignment) -> list[SavedPassage]:
    """The saved passages of a question, in the order in which they were saved. One query."""
    return list(SavedPassage.objects.filter(assignment=assignment, removed_at=None).order_by("saved_at", "pk"))


def save_passage(assignment: Assignment, *, path: str, text: str = "", note: str = "") -> SavedPassage:
    """Save a passage of an article that was shown, a note with it, or both. The same one is saved once.

    Args:
        path: the source's path of the article.
        text: the selected text.

    Raises:
        VisitError: there is neither text nor note, or the article was not opened for this question.
        AnswerError: one of them is too long.
    """
    text, note = clean(text, LONGEST_PASSAGE).strip(), clean(note, LONGEST_NOTE).strip()
    if not text and not note:
        raise VisitError(NOTHING_TO_SAVE)
    visit = last_visit(assignment, path)
    if visit is None:
        raise VisitError(OPEN_IT_FIRST)
    said = {"path": visit.path, "text": text, "note": note, "removed_at": None}
    known = SavedPassage.objects.filter(assignment=assignment, **said).first()
    return known or SavedPassage.objects.create(
        assignment=assignment,
        title=visit.title,
        url=visit.url,
        page_id=visit.page_id,
        revision_id=visit.revision_id,
        **said,
    )


def write_note(passage: SavedPassage, note: str) -> None:
    """Save the note on a saved passage.

    Raises:
        AnswerError: the note is too long.
    """
    SavedPassage.objects.filter(pk=passage.pk).update(note=clean(note, LONGEST_NOTE))


def remove(passage: SavedPassage) -> None:
    """Remove a saved passage from the list. It remains in the study's record."""
    SavedPassage.objects.filter(pk=passage.pk, removed_at=None).update(removed_at=timezone.now())
