"""Lists of submissions for moderation: pending requests, anomalies, public submissions."""

import datetime
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.http import QueryDict
from django.urls import reverse

from leaderboard.board.table import Tab
from leaderboard.maintenance.moderation import anomalies as oddities
from leaderboard.models import Anomaly, Entry, Publication, PublicationState, Submission, SubmissionFile
from leaderboard.publishing import flags as all_flags
from leaderboard.publishing import names, requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions.page import submission_view
from leaderboard.web.dates import day_in_words

PAGE_SIZE = 25
MAX_DIGITS = 6
"""Of the number of a page of a list that nobody counts."""
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
    if tab in (WAITING, ODD):
        rows: Any = waiting.values_list("submission", "requested_at")
        if tab == ODD:
            files = SubmissionFile.objects.filter(submission=OuterRef("pk"))
            checked = files.order_by(F("anomalies_checked_at").desc(nulls_last=True)).values("anomalies_checked_at")
            rows = Submission.objects.filter(pk__in=odd).annotate(at=Subquery(checked[:1]))
            rows = rows.order_by("-at", "pk").values_list("pk", "at")
        paginator = Paginator(rows, PAGE_SIZE)
        paginator.count = counts[tab]
        page = paginator.get_page(asked.get("page"))
        return context | {"page": page, "rows": _rows(dict(page.object_list))}

    # Nobody counts these: they grow with the site.
    digits = asked.get("page", "")
    number = max(1, int(digits)) if digits.isdecimal() and len(digits) <= MAX_DIGITS else 1
    listed = _newest(tab, number)
    if not listed and number > 1:
        number, listed = 1, _newest(tab, 1)
    return context | {
        "previous_url": f"{urls[tab]}&page={number - 1}" if number > 1 else "",
        "next_url": f"{urls[tab]}&page={number + 1}" if len(listed) > PAGE_SIZE else "",
        "rows": _rows(dict(listed[:PAGE_SIZE])),
    }


def flagged() -> dict[uuid.UUID, list[tuple[str, datetime.datetime]]]:
    """By submission with flags that no maintainer decided about: the code of each, and when it was found. Flags go with
    the row. One query."""
    rows = Entry.objects.filter(submission=OuterRef("file__submission")).order_by()
    has_row = Exists(rows.filter(replaced_at=None)) | ~Exists(rows)
    opened = Anomaly.objects.filter(has_row, file__replaced_at=None, file__submission__withdrawn_at=None, reason="")
    result: dict[uuid.UUID, list[tuple[str, datetime.datetime]]] = {}
    for submission, code, at in opened.order_by().values_list("file__submission", "code", "found_at"):
        result.setdefault(submission, []).append((code, at))
    return result


def _newest(tab: str, number: int) -> list[tuple[uuid.UUID, datetime.datetime]]:
    """The submissions on a page of those on the board, or decided about, and the first one of the next page: each with
    the time by which they are ordered. By index, up to this page."""

    def newest(rows: Any, time: str) -> list[tuple[uuid.UUID, datetime.datetime]]:
        """The first rows; of a submission, only the newest."""
        same = rows.filter(submission=OuterRef("submission"))
        newer = same.filter(
            Q(**{f"{time}__gt": OuterRef(time)}) | Q(**{time: OuterRef(time), "pk__gt": OuterRef("pk")})
        )
        listed = rows.exclude(Exists(newer)).order_by(f"-{time}", "submission")
        return list(listed.values_list("submission", time)[: end + 1])

    start, end = (number - 1) * PAGE_SIZE, number * PAGE_SIZE
    if tab == DECIDED:
        return newest(Publication.objects.exclude(decided_by=None), "decided_at")[start:]
    current = Entry.objects.filter(replaced_at=None)
    joining = Publication.objects.filter(state=PublicationState.JOINING)
    joining = joining.exclude(Exists(current.filter(submission=OuterRef("submission"))))
    public = newest(current.exclude(submission=None), "published_at") + newest(joining, "requested_at")
    return sorted(public, key=lambda row: row[1], reverse=True)[start : end + 1]


def _rows(times: Mapping[uuid.UUID, datetime.datetime | None]) -> list[dict[str, Any]]:
    """The submissions of a list, each with its publication state in words, and its anomalies by title and number."""
    known = Submission.objects.select_related("owner", "team", "split__benchmark").in_bulk(times)
    submissions = [known[pk] for pk in times if pk in known]
    newest: dict[uuid.UUID, Publication] = {}
    for publication in Publication.objects.filter(submission__in=submissions).order_by("requested_at", "pk"):
        newest[publication.submission_id] = publication
    public = set(
        Entry.objects.filter(submission__in=submissions, replaced_at=None).values_list("submission", flat=True)
    )
    odd: dict[uuid.UUID, list[tuple[str, int]]] = {}
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
    """A submission, with everything that a maintainer's decision depends on. Twenty queries, one more if its name
    is to be checked, two more to name the files whose answers it has, and three more while a request waits, whatever
    its size."""
    view = submission_view(submission, viewer_id=None, can_edit=False, for_maintainer=True)
    anomalies = oddities.anomalies_of(submission)
    publications = submission.publications.select_related("requested_by", "decided_by").order_by("-requested_at", "-pk")
    checked = list(submission.files.filter(replaced_at=None).values_list("anomalies_checked_at", flat=True))
    why_not = ""
    if view.publication.is_waiting:
        try:
            requests.require_publishable(submission)
        except SubmissionError as error:
            why_not = str(error)
    return {
        "submission": view,
        "publication": replace(view.publication, fingerprint=requests.fingerprint(submission, all_flags.ALL)),
        "same_names": names.same_names(submission.name, owner=submission.owner, team=submission.team),
        "name_is_published": names.is_published(submission.name),
        "anomalies": anomalies,
        "why_not": why_not,  # why its request cannot be approved now; empty if it can
        "has_open_flags": any(not anomaly.reason for anomaly in anomalies),
        # None while a file is unchecked.
        "anomalies_checked_at": max((at for at in checked if at), default=None) if all(checked) else None,
        "publications": list(publications),
        "url": reverse("maintenance-moderate", args=[submission.pk]),
    }
