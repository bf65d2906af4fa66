"""One system's report on a question, or those of two side by side: a mode of the question's page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.models import System
from leaderboard.questions.question import QuestionPage
from scoring.models import AnswerBlock

SIDES: Final = ("left", "right")
"""The parameters of a URL that name systems by their slugs."""


@dataclass(frozen=True)
class ShownReport:
    """A system with its answer."""

    side: str
    system: System
    is_readable: bool
    text: str | None
    """The whole answer, of several attempts the first; None if there is none, or none that may be read."""
    n_attempts: int


@dataclass(frozen=True)
class Reading:
    """The reports on a question that are shown, and those that can be."""

    reports: Sequence[ShownReport]
    """From left to right; empty if the URL names none."""
    choices: Sequence[System]
    """The systems whose answers may be read, by name."""
    previous_url: str
    """The same systems on the question before; empty at the first one."""
    next_url: str

    @property
    def slugs(self) -> dict[str, str]:
        """The shown system of each side; empty without one."""
        return dict.fromkeys(SIDES, "") | {report.side: report.system.slug for report in self.reports}


def reading_of(page: QuestionPage, query: Mapping[str, str]) -> Reading | None:
    """The reports that a URL asks for; None if answers to the question are no reports. Two queries, and at most three
    more.

    Args:
        query: `SIDES`, of which any may be missing. A slug that the setting does not have is left out, and so is the
            second of two equal ones.
    """
    if not page.has_reports:
        return None
    entries = page.entries([entry for _, entry, _ in page.asked.rows])
    readable, by_slug = page.readable(entries), {row.system.slug: row for row in entries.values()}
    wanted = {side: query.get(side, "") for side in SIDES}
    if wanted["right"] == wanted["left"]:
        del wanted["right"]
    rows = [(side, by_slug[slug]) for side, slug in wanted.items() if slug in by_slug]
    sets = {row.pk: row.answer_set_id for _, row in rows if row.pk in readable and row.answer_set_id is not None}
    found = AnswerBlock.objects.attempts(sets.values(), [page.question.qid]) if sets else ()
    attempts = {answer_set: answers for answer_set, _, answers in found}
    reports = []
    for side, row in rows:
        answers = attempts[sets[row.pk]] if sets.get(row.pk) in attempts else (None,)
        reports.append(ShownReport(side, row.system, row.pk in readable, answers[0], len(answers)))
    named = {report.side: report.system.slug for report in reports}
    near = ["", *(summary.qid for summary in page.asked.summaries), ""][page.place : page.place + 3 : 2]
    before, after = (page.url(qid, **named) if qid else "" for qid in near)
    systems = [row.system for row in entries.values() if row.pk in readable]
    return Reading(reports, sorted(systems, key=lambda system: system.name.casefold()), before, after)
