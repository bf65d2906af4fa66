"""One system's report on a question, or those of two side by side: a mode of the question's page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.board.table import Tab
from leaderboard.models import System
from leaderboard.questions.question import QuestionPage, ShownAnswer

SIDES: Final = ("left", "right")
"""The parameters of a URL that name systems by their slugs."""


@dataclass(frozen=True)
class Reading:
    """The reports on a question that are shown, and those that can be."""

    reports: Mapping[str, ShownAnswer]
    """By side, from left to right; empty if the URL names none."""
    choices: Sequence[System]
    """The systems whose answers may be read, by name."""
    previous_url: str
    """The same systems on the question before; empty at the first one."""
    next_url: str
    attempts: Sequence[Tab]
    """Links to the attempts of the shown systems; empty if each has one."""

    @property
    def cited(self) -> list[ShownAnswer]:
        """Shown answers whose sentences have marks."""
        return [row for row in self.reports.values() if row.marked is not None]

    @property
    def slugs(self) -> dict[str, str]:
        """The shown system of each side; empty without one."""
        return dict.fromkeys(SIDES, "") | {side: row.entry.system.slug for side, row in self.reports.items()}


def reading_of(page: QuestionPage, query: Mapping[str, str]) -> Reading | None:
    """The reports that a URL asks for; None if answers to the question are no reports. Two queries, and those of
    `QuestionPage.shown`.

    Args:
        query: `SIDES`, of which any may be missing. A slug that the setting does not have is left out, and so is the
            second of two equal ones.
    """
    if not page.has_reports:
        return None
    entries = page.entries([entry for _, entry, _ in page.asked.rows])
    readable = page.readable(entries)
    places = {entries[entry].system.slug: place for place, (_, entry, _) in enumerate(page.asked.rows)}
    named = {side: slug for side in SIDES if (slug := query.get(side, "")) in places}
    if named.get("right") == named.get("left"):
        named.pop("right", None)
    rows = page.shown([places[slug] for slug in named.values()]) if named else []
    reports = dict(zip(named, rows, strict=True))
    near = ["", *(summary.qid for summary in page.asked.summaries), ""][page.place : page.place + 3 : 2]
    before, after = (page.url(qid, **named) if qid else "" for qid in near)
    systems = sorted(
        (row.system for row in entries.values() if row.pk in readable), key=lambda system: system.name.casefold()
    )
    return Reading(reports, systems, before, after, page.attempt_tabs(rows, **named))
