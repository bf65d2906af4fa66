"""A participant's progress and recorded data, for the participant's own pages."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from humaneval.models import Assignment, Origin, Participant, SearchKind
from humaneval.studies.evidence_measures import total_seconds


@dataclass(frozen=True)
class QuestionRow:
    """A question in the participant's list."""

    assignment: Assignment
    number: int
    text: str
    n_searches: int
    n_articles: int

    @property
    def state(self) -> str:
        """``done``, ``skipped``, ``begun`` (there is an answer) or ``open``."""
        if self.assignment.done_at:
            return "done"
        if self.assignment.skipped_at:
            return "skipped"
        return "begun" if self.assignment.text.strip() else "open"


@dataclass(frozen=True)
class Progress:
    """All questions of a participant, in order."""

    rows: tuple[QuestionRow, ...]

    def count(self, state: str) -> int:
        """The number of questions in a state."""
        return sum(row.state == state for row in self.rows)

    @property
    def n_done(self) -> int:
        """The number of questions marked done."""
        return self.count("done")

    @property
    def n_answered(self) -> int:
        """The number of questions with an answer, marked done or not."""
        return sum(bool(row.assignment.text.strip()) for row in self.rows)

    @property
    def without_answer(self) -> list[int]:
        """The numbers of the questions without an answer."""
        return [row.number for row in self.rows if not row.assignment.text.strip()]

    @property
    def skipped_with_text(self) -> list[int]:
        """The numbers of the skipped questions with a text, which does not count."""
        return [row.number for row in self.rows if row.state == "skipped" and row.assignment.text.strip()]

    @property
    def next_number(self) -> int | None:
        """Where to continue: the first question neither done nor skipped, else the first skipped one, if any."""
        for wanted in (("begun", "open"), ("skipped",)):
            for row in self.rows:
                if row.state in wanted:
                    return row.number
        return None


def progress_of(participant: Participant) -> Progress:
    """The participant's questions. One query."""
    reading = Q(visits__isnull=False)
    rows = (
        Assignment.objects.filter(participant=participant)
        .select_related("question", "item__question")
        .annotate(
            n_searches=Count("searches", filter=Q(searches__kind=SearchKind.ENCYCLOPEDIA), distinct=True),
            n_read=Count("visits__path", filter=reading & ~Q(visits__origin=Origin.REPORTED), distinct=True),
            n_reported=Count("visits", filter=Q(visits__origin=Origin.REPORTED), distinct=True),
        )
        .order_by("position")
    )
    return Progress(
        tuple(
            QuestionRow(row, row.position, row.asked_text, row.n_searches, row.n_read + row.n_reported) for row in rows
        )
    )


def record_of(participant: Participant) -> dict[str, Any]:
    """The data recorded about a participant, shown at the end. One query."""
    overview = progress_of(participant)
    return {
        "progress": overview,
        "n_versions": sum(row.assignment.version for row in overview.rows),
        "n_searches": sum(row.n_searches for row in overview.rows),
        "n_articles": sum(row.n_articles for row in overview.rows),
        "active_seconds": total_seconds(row.assignment.active_seconds for row in overview.rows),
    }
