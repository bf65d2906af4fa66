"""Lists of submissions for moderation: pending requests, anomalies, public submissions."""

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Exists, Max, OuterRef, Q
from django.db.models.functions import Coalesce
from django.http import QueryDict
from django.urls import reverse

from leaderboard.board.table import Tab
from leaderboard.models import Anomaly, Entry, Publication, PublicationState, Submission
from leaderboard.publishing import flags as all_flags
from leaderboard.publishing import names, requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions.page import submission_view
from leaderboard.web.dates import day_in_words
from scoring.models import Setting

PAGE_SIZE = 25
WAITING, ODD, PUBLIC, DECIDED = "waiting", "odd", "public", "decided"
TABS = {
    WAITING: "Awaiting approval",
    ODD: "Flagged",
    PUBLIC: "On the board",
    DECIDED: "Past decisions",
}


def queue_page(asked: QueryDict) -> dict[str, Any]:
    """The submissions that a URL selects (``tab``, ``page``), oldest request first, in other lists newest first.
    Unknown values select the first.

    At most eleven queries, whatever their number.
    """
    tab = asked.get("tab", "")
    tab = tab if tab in TABS else WAITING
    odd = flagged()
    waiting = Publication.objects.filter(state=PublicationState.PENDING).order_by("requested_at", "submission")
    counts = {WAITING: waiting.count(), ODD: len(odd)}
    here = reverse("maintenance-moderation")
    urls = {name: here if name == WAITING else f"{here}?tab={name}" for name in TABS}
    context = {
        "tab": tab,
        "label": TABS[tab],
        "tabs": [Tab(label, urls[name], name == tab, counts.get(name, 0)) for name, label in TABS.items()],
    }
    rows: Any = waiting.values_list("submission", "requested_at")
    if tab != WAITING:
        # By the time of what the list is about: the check of the files, the row on the board, the decision.
        times = {
            ODD: Max("files__anomalies_checked_at"),
            PUBLIC: Coalesce(
                Max("entries__published_at", filter=Q(entries__replaced_at=None)),
                Max("publications__requested_at", filter=Q(publications__state=PublicationState.JOINING)),
            ),
            DECIDED: Max("publications__decided_at", filter=Q(publications__decided_by__isnull=False)),
        }
        submissions = Submission.objects.annotate(at=times[tab])
        submissions = submissions.filter(pk__in=odd) if tab == ODD else submissions.exclude(at=None)
        rows = submissions.order_by("-at", "pk").values_list("pk", "at")
    page = Paginator(rows, PAGE_SIZE).get_page(asked.get("page"))
    return context | {"page": page, "rows": _rows(dict(page.object_list))}


def flagged() -> dict[UUID, list[tuple[str, datetime.datetime]]]:
    """Codes and times of the flags that no maintainer decided about, by submission. Flags go with the row. One
    query."""
    rows = Entry.objects.filter(submission=OuterRef("file__submission")).order_by()
    # Either a current row, or none yet: a submission whose rows have all left the boards needs no decision.
    has_row = Exists(rows.filter(replaced_at=None)) | ~Exists(rows)
    opened = Anomaly.objects.filter(has_row, file__replaced_at=None, file__submission__withdrawn_at=None, reason="")
    result: dict[UUID, list[tuple[str, datetime.datetime]]] = {}
    for submission, code, at in opened.order_by().values_list("file__submission", "code", "found_at"):
        result.setdefault(submission, []).append((code, at))
    return result


def _rows(times: Mapping[UUID, datetime.datetime | None]) -> list[dict[str, Any]]:
    """The submissions of a list, each with its publication state in words, and its anomalies by title and number."""
    known = Submission.objects.select_related("owner", "team", "split__benchmark").in_bulk(times)
    submissions = [known[pk] for pk in times if pk in known]
    newest: dict[UUID, Publication] = {}
    for publication in Publication.objects.filter(submission__in=submissions).order_by("requested_at", "pk"):
        newest[publication.submission_id] = publication
    public = set(
        Entry.objects.filter(submission__in=submissions, replaced_at=None).values_list("submission", flat=True)
    )
    odd: dict[UUID, list[tuple[str, int]]] = {}
    anomalies = Anomaly.objects.filter(file__submission__in=submissions, file__replaced_at=None).order_by("code")
    anomalies = anomalies.filter(reason="")
    for pk, code, count in anomalies.values_list("file__submission", "code", "count"):
        odd.setdefault(pk, []).append((all_flags.TITLES.get(code, code), count))
    unseen = set(
        Submission.objects.filter(
            pk__in=[submission.pk for submission in submissions],
            files__replaced_at=None,
            files__anomalies_checked_at=None,
        ).values_list("pk", flat=True)
    )
    rows = []
    for submission in submissions:
        pk = submission.pk
        state, tone = _state(submission, newest.get(pk), is_public=pk in public)
        rows.append(
            {
                "pk": pk,
                "name": submission.name,
                "party": submission.team.name if submission.team else submission.owner.get_username(),
                "board": f"{submission.split.benchmark.name}, {submission.split.name.lower()}",
                "at": times[pk] or submission.created_at,
                "state": state,
                "tone": tone,
                "anomalies": odd.get(pk, []),
                "checked": pk not in unseen,
                "url": reverse("maintenance-moderate", args=[pk]),
            }
        )
    return rows


def _state(submission: Submission, publication: Publication | None, *, is_public: bool) -> tuple[str, str]:
    """A submission's publication state, in words, and its colour."""
    if submission.withdrawn_at:
        return "Withdrawn", ""
    until = publication.anonymous_until if publication else None
    how = f"anonymous until {day_in_words(until)}" if until else "under its name"
    if publication is not None and publication.state == PublicationState.PENDING:
        return f"Request: {how}", "info"
    if publication is not None and publication.state == PublicationState.JOINING:
        return f"Joins the board with the switch, {how}", "info"
    if is_public:
        hidden = publication is not None and until is not None and publication.revealed_at is None
        return ("On the board, anonymous" if hidden else "On the board"), "good"
    if publication is not None and publication.state == PublicationState.RETRACTED:
        return "Retracted", "bad"
    if publication is not None and publication.state == PublicationState.RETURNED:
        return "Returned", "warn"
    return "Private", ""


# --- One submission ------------------------------------------------------------------------------------------------


def moderation_page(submission: Submission) -> dict[str, Any]:
    """A submission, with everything that a maintainer's decision depends on. 21 queries, one more if its name
    is to be checked, two more to name the files whose answers it has, and three more while a request waits, whatever
    its size."""
    view = submission_view(submission, viewer_id=None, can_edit=False, for_maintainer=True)
    anomalies = anomalies_of(submission)
    publications = submission.publications.select_related("requested_by", "decided_by").order_by("-requested_at", "-pk")
    checked = list(submission.files.filter(replaced_at=None).values_list("anomalies_checked_at", flat=True))
    why_not = ""
    if view.publication.is_waiting:
        try:
            requests.require_publishable(submission, by_site=True)
        except SubmissionError as error:
            why_not = str(error)
    return {
        "submission": view,
        "publication": replace(view.publication, fingerprint=requests.fingerprint(submission, all_flags.ALL)),
        "same_names": names.same_names(submission.name, owner=submission.owner, team=submission.team),
        "name_is_published": names.is_published(submission.name),
        "anomalies": anomalies,
        "why_not": why_not,  # why its request cannot be approved now; empty if it can
        "has_open_flags": any(not anomaly["row"].reason for anomaly in anomalies),
        # None while a file is unchecked.
        "anomalies_checked_at": max((at for at in checked if at), default=None) if all(checked) else None,
        "publications": list(publications),
        "url": reverse("maintenance-moderate", args=[submission.pk]),
    }


FACTS: Final = {
    "files": "nearly identical files",
    "differing": "answers that differ, at most",
    "limit": "limit of an answer",
    "most": "largest answer",
    "longer_references": "reference answers of more than three words",
}
"""Further facts of a flag, in words."""


def anomalies_of(submission: Submission) -> list[dict[str, Any]]:
    """All anomalies of a submission's current files, each ``row`` with what it says in words, and, where another file
    has the answers, that file's submission, setting, and number of these answers. Three queries."""
    rows = list(
        Anomaly.objects.filter(file__submission=submission, file__replaced_at=None)
        .select_related("file__setting")
        .order_by("file__setting__position", "code")
    )
    named_files = [other for row in rows for other in row.details.get("others", [])]
    submissions = Submission.objects.in_bulk({other["submission"] for other in named_files})
    of_benchmark = Setting.objects.filter(benchmark=submission.split.benchmark_id)
    settings = dict(
        of_benchmark.filter(slug__in={other["setting"] for other in named_files}).values_list("slug", "name")
    )

    def others_of(row: Anomaly) -> list[tuple[Submission, str, int]]:
        # Of several versions of a file, the one that has most of the answers counts.
        counts: dict[tuple[str, str], int] = {}
        for other in row.details.get("others", []):
            key = other["submission"], other["setting"]
            counts[key] = max(other["count"], counts.get(key, 0))
        others = [
            (submissions[UUID(pk)], settings.get(setting, setting), count)
            for (pk, setting), count in counts.items()
            if UUID(pk) in submissions
        ]
        return sorted(others, key=lambda other: -other[2])

    anomalies = []
    for row in rows:
        questions = row.details.get("questions", [])
        anomalies.append(
            {
                "row": row,
                "title": all_flags.TITLES.get(row.code, row.code),
                "meaning": all_flags.MEANINGS.get(row.code, ""),
                "questions": questions,
                "n_unnamed": max(0, row.count - len(questions)),
                "others": others_of(row),
                "facts": [(FACTS.get(name, name), value) for name, value in row.details.get("facts", {}).items()],
            }
        )
    return anomalies
