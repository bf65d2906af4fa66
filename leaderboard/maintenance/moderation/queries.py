"""Lists of submissions for moderation: pending requests, anomalies, public submissions."""

import datetime
import uuid
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Exists, F, Max, OuterRef
from django.http import QueryDict
from django.urls import reverse

from leaderboard.board.table import Tab
from leaderboard.maintenance.moderation import anomalies as oddities
from leaderboard.models import Anomaly, Entry, FlagDecision, Publication, PublicationState, Submission
from leaderboard.publishing import flags as all_flags
from leaderboard.publishing import names, requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions.page import submission_view
from leaderboard.web.dates import day_in_words

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

    At most fourteen queries, whatever their number; one more if a name is to be checked.
    """
    tab = asked.get("tab", "")
    tab = tab if tab in TABS else WAITING
    flags = names.flags_of(Submission.objects.filter(withdrawn_at=None))
    odd = flagged(flags)
    page = Paginator(_chosen(tab, odd), PAGE_SIZE).get_page(asked.get("page"))
    counts = {WAITING: _chosen(WAITING, ()).count(), ODD: len(odd)}
    here = reverse("maintenance-moderation")
    urls = {name: here if name == WAITING else f"{here}?tab={name}" for name in TABS}
    return {
        "tab": tab,
        "label": TABS[tab],
        "tabs": [Tab(label, urls[name], name == tab, counts.get(name, 0)) for name, label in TABS.items()],
        "page": page,
        "rows": _rows({row["submission"]: row["at"] for row in page.object_list}, flags),
    }


def flagged(
    flags: Mapping[uuid.UUID, names.NameFlags] | None = None,
) -> dict[uuid.UUID, list[tuple[str, datetime.datetime]]]:
    """By submission with flags that no maintainer decided about: the code of each, and when it was found. A flag of a
    name (*flags*, which are read unless they are given) has no code, and the time of its submission. Flags go with the
    row.

    Three queries, whose time grows with the number of such submissions, and those of `names.flags_of`.
    """
    if flags is None:
        flags = names.flags_of(Submission.objects.filter(withdrawn_at=None))
    opened = Anomaly.objects.filter(file__replaced_at=None, decision=FlagDecision.OPEN).order_by()
    open_flags = list(opened.values_list("file__submission", "code", "found_at"))
    odd = {*flags, *(submission for submission, _, _ in open_flags)}
    sent = Submission.objects.filter(pk__in=odd, withdrawn_at=None).order_by()
    entries = Entry.objects.filter(submission__in=odd).order_by().values_list("submission", "replaced_at")
    rows: dict[uuid.UUID | None, list[bool]] = {}
    for submission, replaced_at in entries:
        rows.setdefault(submission, []).append(replaced_at is None)
    times = dict(sent.values_list("pk", "created_at"))
    result = {
        pk: [("", at)] * (pk in flags) for pk, at in times.items() if any(rows.get(pk, [True]))
    }  # go with the row
    for submission, code, at in open_flags:
        if submission in result:
            result[submission].append((code, at))
    return result


def _chosen(tab: str, odd: Collection[uuid.UUID]) -> Any:
    """The submissions of a tab, each with the time by which they are ordered."""
    rows: Any
    if tab == WAITING:
        pending = Publication.objects.filter(state=PublicationState.PENDING)
        return pending.values("submission", at=F("requested_at")).order_by("at", "submission")
    if tab == ODD:
        rows = Submission.objects.filter(pk__in=odd).values(submission=F("pk"))
        rows = rows.annotate(at=Max("files__anomalies_checked_at"))
    elif tab == PUBLIC:
        current = Entry.objects.filter(replaced_at=None)
        joining = Publication.objects.filter(state=PublicationState.JOINING).order_by()
        joining = joining.exclude(Exists(current.filter(submission=OuterRef("submission"))))
        public = current.exclude(submission=None).order_by().values("submission").annotate(at=Max("published_at"))
        rows = public.union(joining.values("submission").annotate(at=Max("requested_at")), all=True)
    else:
        decided = Publication.objects.exclude(decided_by=None).order_by()
        rows = decided.values("submission").annotate(at=Max("decided_at"))
    return rows.order_by("-at", "submission")


def _rows(
    times: Mapping[uuid.UUID, datetime.datetime | None], flags: Mapping[uuid.UUID, names.NameFlags]
) -> list[dict[str, Any]]:
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
    anomalies = anomalies.filter(decision=FlagDecision.OPEN)
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
                "name_flags": flags[pk].titles if pk in flags else [],  # what should be checked about its name
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
    name_flags = names.flags_of(Submission.objects.filter(pk=submission.pk)).get(submission.pk)
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
        "name_flags": name_flags,  # what should be checked about its name; None if nothing
        "anomalies": anomalies,
        "why_not": why_not,  # why its request cannot be approved now; empty if it can
        "has_open_flags": name_flags is not None or any(not anomaly.decision for anomaly in anomalies),
        # None while a file is unchecked.
        "anomalies_checked_at": max((at for at in checked if at), default=None) if all(checked) else None,
        "publications": list(publications),
        "url": reverse("maintenance-moderate", args=[submission.pk]),
    }
