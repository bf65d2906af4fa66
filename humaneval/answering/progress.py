"""How far a participant is, and what was recorded: read for the participant's own pages."""

from dataclasses import dataclass

from django.db.models import Count, Q

from humaneval.models import Assignment, Origin, Participant, SearchKind


@dataclass(frozen=True)
class QuestionLine:
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
class Overview:
    """All questions of a participant, in order."""

    lines: tuple[QuestionLine, ...]

    def count(self, state: str) -> int:
        """How many are in a state."""
        return sum(line.state == state for line in self.lines)

    @property
    def n_done(self) -> int:
        """How many are marked done."""
        return self.count("done")

    @property
    def n_answered(self) -> int:
        """How many have an answer, marked done or not."""
        return sum(bool(line.assignment.text.strip()) for line in self.lines)

    @property
    def without_answer(self) -> list[int]:
        """The numbers of those that have none."""
        return [line.number for line in self.lines if not line.assignment.text.strip()]

    @property
    def next_number(self) -> int | None:
        """Where to go on: the first that is neither done nor skipped, else the first skipped one, if any."""
        for wanted in (("begun", "open"), ("skipped",)):
            for line in self.lines:
                if line.state in wanted:
                    return line.number
        return None


def overview_of(participant: Participant) -> Overview:
    """The participant's questions. One query."""
    reading = Q(visits__isnull=False)
    rows = (
        Assignment.objects.filter(participant=participant)
        .select_related("question")
        .annotate(
            n_searches=Count("searches", filter=Q(searches__kind=SearchKind.ENCYCLOPEDIA), distinct=True),
            n_read=Count("visits__path", filter=reading & ~Q(visits__origin=Origin.REPORTED), distinct=True),
            n_reported=Count("visits", filter=Q(visits__origin=Origin.REPORTED), distinct=True),
        )
        .order_by("position")
    )
    return Overview(
        tuple(
            QuestionLine(row, row.position, question_text(row), row.n_searches, row.n_read + row.n_reported)
            for row in rows
        )
    )


def question_text(assignment: Assignment) -> str:
    """What is asked: the question's text, or the attention check's."""
    if assignment.question is not None:
        return assignment.question.text
    return str((assignment.attention_check or {}).get("text", ""))


@dataclass(frozen=True)
class Record:
    """What was recorded of a participant, to be shown at the end."""

    overview: Overview
    n_versions: int
    n_searches: int
    n_articles: int
    active_seconds: float


def record_of(participant: Participant) -> Record:
    """What was recorded. One query."""
    overview = overview_of(participant)
    return Record(
        overview=overview,
        n_versions=sum(line.assignment.version for line in overview.lines),
        n_searches=sum(line.n_searches for line in overview.lines),
        n_articles=sum(line.n_articles for line in overview.lines),
        active_seconds=sum(line.assignment.active_seconds for line in overview.lines),
    )
