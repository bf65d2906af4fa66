"""What needs a maintainer's attention: one list, which the maintenance page, the number in the navigation and the mail
show."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone

from leaderboard import access
from leaderboard.accounts import mails
from leaderboard.disclosure import WITHHOLDING
from leaderboard.maintenance.moderation.queries import flagged
from leaderboard.maintenance.queues import QueuesPage, queues_page
from leaderboard.maintenance.rescoring import pending_switches
from leaderboard.models import Entry, KnownNeed, MailKind, Publication, PublicationState
from leaderboard.operations import audit, health
from leaderboard.web.dates import day_in_words
from scoring.declarations import known_benchmarks, unreadable_benchmarks
from scoring.models import Answer, Split
from scoring.models.run_states import RunState
from scoring.task_types import installed
from scoring.workers.broker import SITE
from scoring.workers.locks import only_one

NUMBER_SECONDS: Final = 60
"""Most seconds that the number in the navigation may be old; a maintainer's own action updates it at once."""

MAIL_EVERY: Final = datetime.timedelta(days=1)
REQUESTS: Final = "requests"
"""The key of the requests, of which each maintainer who has not turned that off gets an email at once."""


@dataclass(frozen=True)
class Need:
    """Something that needs a maintainer's attention."""

    key: str
    """Names the need: the same while it lasts, and the anchor on the page."""
    count: int
    title: str
    """Number and name of what needs attention."""
    text: str
    url: str
    """The page on which it is done."""
    action: str
    """The label of the link to that page."""
    tone: str = "warn"
    since: datetime.datetime | None = None
    """Time at which the first of the things came; None where nothing records that."""
    newest: datetime.datetime | None = None
    """Time at which the latest of the things came; None where nothing records that."""


def needs() -> list[Need]:
    """Everything that needs attention now, the most urgent first. Fourteen queries, whatever the number of rows, and
    some for each split whose boards wait for a switch."""
    page = queues_page()
    listed = [
        *_processes(page),
        *_software(),
        *_requests(),
        *_flags(),
        *_runs(page),
        *_human_rows(),
        *_references(),
        *_switches(),
    ]
    listed.sort(key=lambda need: ("bad", "warn", "info").index(need.tone))
    cache.set(audit.NUMBER_OF_NEEDS, len(listed), NUMBER_SECONDS)
    return listed


def number() -> int:
    """The length of the list, for the navigation of every page; at most `NUMBER_SECONDS` old."""
    known: int | None = cache.get(audit.NUMBER_OF_NEEDS)
    return len(needs()) if known is None else known


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _processes(page: QueuesPage) -> Iterator[Need]:
    """A broker, scheduler or worker that does not work."""
    to_queues = (reverse("maintenance-queues"), "View queues and workers", "bad")
    if (broker_state := health.queue_state()) != "ok":
        text = (
            "Runs stay in the database, and workers receive none. Check that Redis runs and has memory left, and that "
            "REDIS_URL is right."
        )
        yield Need("broker", 1, f"The message broker {broker_state}", text, *to_queues)
    if page.overdue_sweep:
        text = (
            f"Reason: {page.overdue_sweep}. Runs that were postponed or whose message was lost are not sent again, and "
            "emails wait. Start the scheduler: celery -A leaderboard.celery:app beat."
        )
        title = "The scheduler has stopped, or no worker carries out its tasks"
        yield Need("scheduler", 1, title, text, *to_queues, since=page.swept_at)
    for queue in page.queues:
        # One queue must always have a worker; the others may have none while nothing waits.
        if queue.is_stalled or (queue.name == health.NEEDED_QUEUE and not queue.n_workers):
            waiting = f"{_counted(queue.n_waiting, 'run')} of {', '.join(queue.metrics)} waiting. " * bool(
                queue.n_waiting
            )
            since = page.at - queue.waited if queue.waited else None
            yield Need(
                f"queue-{queue.name}",
                queue.n_waiting,
                f"No worker for queue {queue.name}",
                f"{waiting}Runs start when a worker is available.",
                *to_queues,
                since=since,
                newest=since,
            )
    if not any(worker.is_alive and SITE in worker.queue_names for worker in page.workers):
        yield Need(
            f"queue-{SITE}",
            1,
            f"No worker for queue {SITE}",
            "Workers of the queue cpu do its work between runs: leaderboards and emails can be late. "
            f"Start one: celery -A leaderboard.celery:app worker --queues {SITE}.",
            *to_queues[:2],
        )
    if others := [worker for worker in page.workers if worker.is_alive and worker.version != settings.MANYHOP_VERSION]:
        names = ", ".join(f"{worker.name} ({worker.version or 'unknown'})" for worker in others)
        yield Need(
            "worker-versions",
            len(others),
            f"{_counted(len(others), 'worker')} of another version",
            f"{names}; this web server has version {settings.MANYHOP_VERSION}. Runs that one version cannot finish "
            "wait for a worker of the other. Restart all processes with the same version to complete the upgrade.",
            *to_queues[:2],
            since=min(worker.started_at for worker in others),
        )


def _software() -> Iterator[Need]:
    """Packages and benchmarks that this version of the site cannot use."""
    here = reverse("maintenance-benchmarks")
    for problem in installed().problems:
        key = f"package-{hashlib.sha256(problem.encode()).hexdigest()[:12]}"
        yield Need(key, 1, "A metric or task type is left out", problem, f"{here}#packages", "View packages", "bad")
    for slug, reason in unreadable_benchmarks().items():
        title = f"The benchmark {slug} cannot be read and is not shown"
        yield Need(f"benchmark-{slug}", 1, title, reason, f"{here}#benchmarks", "View benchmarks", "bad")


def _requests() -> Iterator[Need]:
    pending = Publication.objects.filter(state=PublicationState.PENDING)
    row = pending.aggregate(count=Count("pk"), since=Min("requested_at"), newest=Max("requested_at"))
    if row["count"]:
        title = _counted(row["count"], "publication request")
        text = "Approve or return each; its submitter waits for the decision."
        yield Need(
            REQUESTS, title=title, text=text, url=reverse("maintenance-moderation"), action="Review requests", **row
        )


def _flags() -> Iterator[Need]:
    """Flags to decide about; apart, those that hold back scores."""
    times: dict[str, list[tuple[datetime.datetime, datetime.datetime]]] = {}
    for flags in flagged().values():
        key = "withheld" if any(code in WITHHOLDING for code, _ in flags) else "flagged"
        at = [at for _, at in flags]
        times.setdefault(key, []).append((min(at), max(at)))
    for key, title, text in (
        ("withheld", "whose scores wait", "Its submitter sees the scores when you dismiss the flags."),
        ("flagged", "with flags", "Dismiss the flags or confirm them, with a reason."),
    ):
        if chosen := times.get(key):
            title = f"{_counted(len(chosen), 'submission')} {title}"
            url = f"{reverse('maintenance-moderation')}?tab=odd"
            yield Need(key, len(chosen), title, text, url, "Review flags", **_span(chosen))


def _span(times: Sequence[tuple[datetime.datetime | None, datetime.datetime | None]]) -> dict[str, Any]:
    """Times of the first and the latest, of things with a first and a latest time each."""
    return {
        "since": min((first for first, _ in times if first), default=None),
        "newest": max((last for _, last in times if last), default=None),
    }


def _runs(page: QueuesPage) -> Iterator[Need]:
    """Runs that stopped and that no maintainer has marked as read."""
    failed = [group for group in page.stopped if group.can_retry and not group.is_read]
    if failed:
        yield Need(
            "failed",
            sum(group.n_runs for group in failed),
            f"{_counted(sum(group.n_runs for group in failed), 'run')} stopped without a score",
            f"Retry them, or mark the error as read. Most frequent: {failed[0].label}: {failed[0].cause}",
            f"{reverse('maintenance-queues')}#stopped",
            "View errors",
            "bad",
            **_span([(group.first_at, group.last_at) for group in failed]),
        )
    if expensive := [group for group in page.stopped if group.state == RunState.OVER_BUDGET]:
        count = sum(group.n_runs for group in expensive)
        yield Need(
            "budget",
            count,
            f"{_counted(count, 'run')} over budget",
            "Release them to continue. Until then their answers have no score.",
            reverse("maintenance-judge"),
            "Release runs",
            **_span([(group.first_at, group.last_at) for group in expensive]),
        )


def _human_rows() -> Iterator[Need]:
    """Rows of people on boards that count answers which were withdrawn since."""
    answers = Answer.objects.filter(answer_set=OuterRef("answer_set"))
    withdrawn = answers.exclude(withdrawn_at=None).order_by("withdrawn_at").values("withdrawn_at")
    rows = Entry.objects.filter(Exists(withdrawn), replaced_at=None).annotate(
        left=Exists(answers.filter(withdrawn_at=None)),
        # `withdrawn` is in the order of time: its first row, and reversed its last one.
        first=Subquery(withdrawn[:1]),
        last=Subquery(withdrawn.reverse()[:1]),
    )
    times = list(rows.values_list("left", "first", "last"))
    for left, key, title, text in (
        (True, "rows-to-publish", "with withdrawn answers", "Score the study and publish it again."),
        (
            False,
            "rows-to-remove",
            "whose answers have all been withdrawn",
            "Remove the row, unless the study has later answers that can be scored and published instead.",
        ),
    ):
        if chosen := [row[1:] for row in times if row[0] == left]:
            title = f"{_counted(len(chosen), 'human performance row')} {title}"
            yield Need(key, len(chosen), title, text, reverse("manage-studies"), "View studies", **_span(chosen))


def _references() -> Iterator[Need]:
    """Splits without reference answers, whose submissions cannot be scored."""
    unanswered = Split.every.filter(
        part="", benchmark__in=known_benchmarks(drafts=True), current_revision__has_references=False
    )
    for split in unanswered.annotate(since=F("current_revision__created_at")).select_related("benchmark"):
        place = split.benchmark.slug, split.slug
        yield Need(
            f"references-{'-'.join(place)}",
            1,
            f"{split.benchmark.name}, {split.name.lower()}, has no reference answers",
            "Its submissions cannot be scored.",
            reverse("maintenance-import", args=place),
            "Import reference answers",
            since=split.since,
            newest=split.since,
        )


def _switches() -> Iterator[Need]:
    """Splits whose boards wait for a switch."""
    for switch in pending_switches():
        split, revision = switch.split, switch.split.current_revision
        assert revision is not None  # noqa: S101 - its boards have scores
        shown = f"revision {', '.join(switch.old_revisions)}" if switch.old_revisions else "earlier signatures"
        since = revision.created_at if switch.old_revisions else None
        yield Need(
            f"switch-{split.benchmark.slug}-{split.slug}",
            len(switch.boards),
            f"{_counted(len(switch.boards), 'board')} of {split.benchmark.name}, {split.name.lower()}, to switch",
            f"{', '.join(name for name, _ in switch.boards)}: shown with {shown}; the current revision is "
            f"{revision.short_hash} of {day_in_words(revision.date)}. "
            f"{switch.n_done:,} of {switch.n_runs:,} runs done.",
            reverse("maintenance-rescore", args=[split.benchmark.slug, split.slug]),
            "Compare and switch",
            "info",
            since=since,
            newest=since,
        )


# --- Mail ----------------------------------------------------------------------------------------------------------


def queue_mails() -> int:
    """Queue an email to each maintainer if something needs attention that no earlier email named, and the last of these
    emails is a day old; returns how many."""
    with only_one("attention") as mine:
        mailed = KnownNeed.objects.exclude(mailed_at=None)
        if not mine or mailed.filter(mailed_at__gt=timezone.now() - MAIL_EVERY).exists():
            return 0
        listed = needs()
        mailed.exclude(key__in=[need.key for need in listed]).update(mailed_at=None)  # done: new if it comes back
        at = dict(mailed.values_list("key", "mailed_at"))
        new = {need.key for need in listed if not (told := at.get(need.key)) or (need.newest and need.newest > told)}
        return _queue_mail(listed, new) if new else 0


@transaction.atomic
def _queue_mail(listed: Sequence[Need], new: Collection[str]) -> int:
    n_queued = 0
    for user in access.maintainers():
        new_to_user = {*new} - ({REQUESTS} if MailKind.REQUEST not in user.muted_mails else set())
        if new_to_user:
            ordered = sorted(listed, key=lambda need: need.key not in new_to_user)
            context = {
                "needs": ordered,
                "new": new_to_user,
                "address": reverse("maintenance"),
            }
            subject = f"{ordered[0].title} and {len(listed) - 1} more" if len(listed) > 1 else ordered[0].title
            mails.queue(MailKind.ATTENTION, user, subject, "attention.txt", context)
            n_queued += 1
    if n_queued:
        for need in listed:
            KnownNeed.objects.update_or_create(key=need.key, defaults={"mailed_at": timezone.now()})
    return n_queued
