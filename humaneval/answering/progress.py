"""A participant's progress and recorded data, for the participant's own pages."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from humaneval.models import Assignment, Origin, Participant, SearchKind
from humaneval.studies.evidence_measures import total_seconds


@dataclass(frozen=True)
class Progress:
    """All questions of a participant, in order."""

    rows: tuple[Any, ...]
    """The assignments, each with the numbers of its searches and of the articles read: ``n_searches``,
    ``n_articles``."""

    @property
    def n_done(self) -> int:
        return sum(row.progress == "done" for row in self.rows)

    @property
    def n_answered(self) -> int:
        return sum(bool(row.text.strip()) for row in self.rows)

    @property
    def without_answer(self) -> list[int]:
        return [row.position for row in self.rows if not row.text.strip()]

    @property
    def skipped_with_text(self) -> list[int]:
        """The numbers of the skipped questions with a text, which does not count."""
        return [row.position for row in self.rows if row.progress == "skipped" and row.text.strip()]

    @property
    def next_number(self) -> int | None:
        """Number of the question to continue with: the first one neither done nor skipped, else the first skipped one,
        if any."""
        for wanted in (("begun", "open"), ("skipped",)):
            for row in self.rows:
                if row.progress in wanted:
                    return int(row.position)
        return None


def progress_of(participant: Participant) -> Progress:
    """The participant's questions."""
    reported = Q(visits__origin=Origin.REPORTED)
    rows = (
        Assignment.objects.filter(participant=participant)
        .select_related("question", "item__question")
        .annotate(
            n_searches=Count("searches", filter=Q(searches__kind=SearchKind.ENCYCLOPEDIA), distinct=True),
            # Distinct, because the two joins multiply the rows. Articles read elsewhere have no path.
            n_articles=Count("visits__path", filter=Q(visits__isnull=False) & ~reported, distinct=True)
            + Count("visits", filter=reported, distinct=True),
        )
        .order_by("position")
    )
    return Progress(tuple(rows))


def record_of(participant: Participant) -> dict[str, Any]:
    """The data recorded about a participant, shown at the end."""
    overview = progress_of(participant)
    return {
        "progress": overview,
        "n_versions": sum(row.version for row in overview.rows),
        "n_searches": sum(row.n_searches for row in overview.rows),
        "n_articles": sum(row.n_articles for row in overview.rows),
        "active_seconds": total_seconds(row.active_seconds for row in overview.rows),
    }
