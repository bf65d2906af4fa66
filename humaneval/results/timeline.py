"""One participant's session: every question with its searches, visits and saves, in chronological order."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Prefetch

from humaneval.models import (
    AnswerRevision,
    Assignment,
    Origin,
    Participant,
    Search,
    SearchKind,
    StudyEvent,
    Visit,
)
from humaneval.studies.evidence_measures import (
    Step,
    answer_measures,
    gold_of,
    passes_check,
    steps_of,
    total_seconds,
)

STRIP_WIDTH: Final = 1000
LONGEST_GAP: Final = 120.0
"""Seconds: longer pauses are drawn at this length, and marked."""
LEAST_WIDTH: Final = 4
MAX_SAVES_SHOWN: Final = 60.0
"""Saves less than this many seconds apart are merged into one."""


Mark = tuple[str, int, int, str]
"""An event on a strip: its kind, its start and its width (both in 1/1,000), and its label."""


@dataclass(frozen=True)
class TimelineEvent:
    """A line of the timeline."""

    at: datetime.datetime
    kind: str
    text: str
    detail: str = ""
    seconds: float = 0.0
    url: str = ""
    gold: bool = False
    used: bool = False


def session_of(participant: Participant) -> dict[str, Any]:
    """A participant's whole session. Six queries, for any length."""
    given = list(
        participant.assignments.select_related("question", "item__question")
        .prefetch_related(
            Prefetch("visits", Visit.objects.order_by("opened_at", "pk")),
            Prefetch("searches", Search.objects.order_by("at", "pk")),
            Prefetch("revisions", AnswerRevision.objects.defer("text").order_by("version")),
        )
        .order_by("position")
    )
    events = StudyEvent.objects.filter(study=participant.study_id, participant_code=participant.code)
    milestones = [
        ("Joined", participant.joined_at),
        ("Gave consent", participant.consented_at),
        ("Declined consent", participant.declined_at),
        ("Read the instructions", participant.instructed_at),
        ("Completed practice", participant.practised_at),
        ("Finished", participant.finished_at),
        ("Withdrew", participant.withdrawn_at),
        ("Dropped out", participant.dropped_at),
        ("Excluded", participant.excluded_at),
        ("Last seen", participant.last_seen_at),
    ]
    return {
        "participant": participant,
        "answers": [_answer(asked) for asked in given],
        "milestones": [(label, at) for label, at in milestones if at is not None],
        "events": list(events.select_related("actor").order_by("at", "pk")),
        "active_seconds": total_seconds(asked.active_seconds for asked in given),
    }


def _answer(assignment: Assignment) -> dict[str, Any]:
    """One question of a session with its events, and with these on a strip of width 1,000."""
    visits, searches = list(assignment.visits.all()), list(assignment.searches.all())
    gold = gold_of(assignment.question.evidence) if assignment.question else []
    opened = [_opened(step) for step in steps_of(visits, gold)]
    moments = (
        ("open", "Opened the question", assignment.opened_at),
        ("done", "Marked as done", assignment.done_at),
        ("skip", "Skipped the question", assignment.skipped_at),
    )
    lines = []
    for search in searches:
        in_article = search.kind == SearchKind.PASSAGES
        where = f"Searched in “{search.article}” for" if in_article else "Searched for"
        results = f"{search.n_results} result{'' if search.n_results == 1 else 's'}"
        kind = "passages" if in_article else "search"
        lines.append(TimelineEvent(search.at, kind, f"{where}: {search.query}", results))
    lines += [*opened, *_saved(assignment.revisions.all())]
    lines += [TimelineEvent(at, kind, text) for kind, text, at in moments if at is not None]
    first = {"open": 0, "done": 2, "skip": 2}
    happenings = sorted(lines, key=lambda line: (line.at, first.get(line.kind, 1)))
    marks, n_gaps = _strip(happenings)
    return {
        "given": assignment,
        "check_passed": passes_check(assignment, has_finished=assignment.participant.finished_at is not None),
        "measures": answer_measures(assignment, visits, [search.kind for search in searches]),
        "events": happenings,
        "marks": marks,
        "n_gaps": n_gaps,  # pauses that are drawn shorter than they were
    }


def _opened(step: Step) -> TimelineEvent:
    visit = step.visit
    how = {
        Origin.RESULT: f"from search result {visit.rank}" if visit.rank else "from a search result",
        Origin.SUGGESTION: "from a suggestion",
        Origin.LINK: "from a link",
        Origin.BACK: "back",
        Origin.TAB: "from a tab",
        Origin.REPORTED: "read elsewhere, reported by the participant",
    }[Origin(visit.origin)]
    parts = [f"article {step.number}{', again' if step.again else ''}", how]
    if visit.n_reloads:
        parts.append(f"reloaded {visit.n_reloads} time{'' if visit.n_reloads == 1 else 's'}")
    if visit.scrolled_share is not None:
        parts.append(f"scrolled {round(100 * visit.scrolled_share)} %")
    return TimelineEvent(
        at=visit.opened_at,
        kind="reported" if visit.reported else "visit",
        text=visit.title or visit.url,
        detail="; ".join(parts),
        seconds=visit.visible_seconds or 0.0,
        url=visit.url,
        gold=step.gold is not None,
        used=visit.used,
    )


def _saved(saves: Iterable[AnswerRevision]) -> list[TimelineEvent]:
    """Saves, with those in quick succession merged at the time of the last."""
    groups: list[list[AnswerRevision]] = []
    for save in saves:
        if groups and (save.saved_at - groups[-1][-1].saved_at).total_seconds() <= MAX_SAVES_SHOWN:
            groups[-1].append(save)
        else:
            groups.append([save])
    lines = []
    for group in groups:
        first, last = group[0].version, group[-1].version
        versions = f"version {last}" if first == last else f"versions {first} to {last}"
        lines.append(TimelineEvent(group[-1].saved_at, "save", f"Saved the answer ({versions})"))
    return lines


def _strip(happenings: Sequence[TimelineEvent]) -> tuple[list[Mark], int]:
    """The events on a strip of width 1,000, with long pauses shortened; and the number of these pauses."""
    if len(happenings) < 2:
        return [], 0
    points, begins, at, n_gaps = [], 0.0, happenings[0].at, 0
    gaps: list[float] = []
    for line in happenings:
        gap = (line.at - at).total_seconds()
        if gap > LONGEST_GAP:
            n_gaps += 1
            gaps.append(begins + LONGEST_GAP / 2)
        begins += min(gap, LONGEST_GAP)
        points.append(begins)
        at = line.at
    last = happenings[-1]
    length = max(begins + min(last.seconds, LONGEST_GAP), 1.0)
    scale = (STRIP_WIDTH - LEAST_WIDTH) / length
    marks = [("gap", round(place * scale), 0, "Pause (shortened)") for place in gaps]
    for number, (line, begin) in enumerate(zip(happenings, points, strict=True)):
        room = (points[number + 1] - begin) if number + 1 < len(points) else length - begin
        wide = max(min(line.seconds, room), 0.0) if line.kind == "visit" else 0.0
        kind = f"{line.kind}-gold" if line.gold else line.kind
        marks.append((kind, round(begin * scale), max(round(wide * scale), LEAST_WIDTH), line.text))
    return marks, n_gaps
