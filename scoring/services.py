"""Changing the ground floor: answer sets, runs and their leases, scores.

Services take plain arguments, hold the transaction, and send messages only after it is committed. A message that
cannot be sent is not an error: the sweeper finds the run in the database.
"""

import datetime
import logging
import secrets
import uuid
from collections.abc import Iterable, Mapping, Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from scoring import intervals, queries
from scoring.benchmarks import definition_of
from scoring.metrics.base import ScoredVector
from scoring.models import Answer, AnswerSet, CurrentSignature, Revision, Run, Score, Setting, Split, vector_bytes
from scoring.models.run_states import RunState, check_move, sources_of
from scoring.registry import METRICS, metric_named
from scoring.workers import broker

logger = logging.getLogger(__name__)

NO_REFERENCES = "The reference answers of this split have not been imported on this site yet."
SUPERSEDED = "A later revision of the split took its place."
CLOSED = "An answer in this set was withdrawn, so nothing scores the set again."
MAX_RESEND_SECONDS = 3600
SENT_AT_ONCE = 100
"""How many messages a request sends; whoever asked does not wait for more."""
RETRIABLE = (RunState.FAILED, RunState.INCOMPLETE)
"""The states out of which somebody can have a run tried again."""


class LeaseLostError(RuntimeError):
    """The run is no longer this worker's: its lease passed and another may have taken it. The work is thrown away."""


# --- Answer sets and their runs ------------------------------------------------------------------------------------


@transaction.atomic
def create_answer_set(
    *, split: Split, setting: Setting, answers: Mapping[str, str], handed_in: uuid.UUID | None = None
) -> AnswerSet:
    """Keep the answers of one party (id of question → text) and the runs that will score them, sent on commit.

    Answer sets that are handed in together carry the same ``handed_in``.
    """
    answer_set = AnswerSet.objects.create(split=split, setting=setting, handed_in=handed_in)
    Answer.objects.bulk_create(
        [Answer(answer_set=answer_set, qid=qid, text=text) for qid, text in answers.items()], batch_size=1000
    )
    ensure_runs(answer_set)
    return answer_set


@transaction.atomic
def ensure_runs(answer_set: AnswerSet) -> list[Run]:
    """Make the runs that an answer set lacks: one per metric of its benchmark, against the current revision.

    While a board still shows a metric's scores against an earlier revision (until a maintainer switches it over), the
    answers are scored against that one too, so that a newcomer can be ranked at once.

    Runs of an earlier revision that were never scored for want of references are cancelled in favour of these. A set
    that is closed gets none.
    """
    split = answer_set.split
    revision = split.current_revision
    if revision is None or answer_set.closed_at is not None:
        return []
    revision.split = split
    runs = []
    for name in definition_of(split.benchmark.slug).metrics:
        for against in [revision, *queries.revisions_still_shown(split, name)]:
            run = ensure_run(answer_set, name, against)
            if run is not None:
                runs.append(run)
    _cancel_superseded(answer_set, revision)
    return runs


@transaction.atomic
def ensure_run(answer_set: AnswerSet, metric_name: str, revision: Revision) -> Run | None:
    """Make the run of one metric against one revision, under the signature it has now; nothing if it is there, or the
    answer set is closed."""
    if answer_set.closed_at is not None:
        return None
    metric = metric_named(metric_name)
    reason = metric.unavailable() or ("" if revision.has_references else NO_REFERENCES)
    run, created = Run.objects.get_or_create(
        answer_set=answer_set,
        metric=metric_name,
        signature=metric.signature(revision.signature_part),
        repeat=0,
        defaults={
            "revision": revision,
            "state": RunState.NOT_CONFIGURED if reason else RunState.WAITING,
            "reason": reason,
        },
    )
    if not created:
        return None
    if run.state == RunState.WAITING:
        send_on_commit([run.pk])
    return run


@transaction.atomic
def switch_signature(split: Split, metric: str, signature: str) -> None:
    """Have a split's boards show a metric's scores under another signature from now on. No score is changed."""
    CurrentSignature.objects.update_or_create(
        split=split, metric=metric, defaults={"signature": signature, "since": timezone.now()}
    )


def _cancel_superseded(answer_set: AnswerSet, revision: Revision) -> None:
    now = timezone.now()
    Run.objects.filter(answer_set=answer_set, state=RunState.NOT_CONFIGURED).exclude(revision=revision).update(
        state=RunState.CANCELLED, reason=SUPERSEDED, finished_at=now
    )


def ensure_runs_of_split(split: Split) -> int:
    """`ensure_runs` for every answer set of a split that waits for its first score; returns how many runs were made.

    One whose runs were all cancelled (its submission was withdrawn, say) waits for nothing.
    """
    waiting_sets = waiting_for_references(split).select_related("split__benchmark")
    return sum(len(ensure_runs(answer_set)) for answer_set in waiting_sets)


def waiting_for_references(split: Split) -> QuerySet[AnswerSet]:
    """The answer sets of a split that have no score yet, withdrawn ones left out."""
    alive = Run.objects.filter(answer_set=OuterRef("pk")).exclude(state=RunState.CANCELLED)
    return AnswerSet.objects.filter(Exists(alive), split=split).exclude(runs__state=RunState.DONE)


@transaction.atomic
def cancel_runs(answer_sets: Iterable[AnswerSet], *, reason: str) -> int:
    """Stop what is not finished. A worker that is at it loses its lease and throws its work away."""
    return Run.objects.filter(
        answer_set__in=list(answer_sets), state__in=[s for s in sources_of(RunState.CANCELLED) if s != RunState.DONE]
    ).update(state=RunState.CANCELLED, reason=reason, lease_token="", lease_until=None, finished_at=timezone.now())


def retry_run(run: Run) -> bool:
    """Put a failed or incomplete run back in line with a fresh count of attempts; false if it is in neither state."""
    return bool(retry_runs(Run.objects.filter(pk=run.pk)))


@transaction.atomic
def retry_runs(runs: QuerySet[Run]) -> int:
    """`retry_run` for each of *runs*; returns how many there were.

    The messages of the first hundred are sent on commit; the sweeper sends those of the rest.
    """
    ids = list(
        runs.filter(state__in=RETRIABLE)
        .order_by("created_at")
        .select_for_update(of=("self",))
        .values_list("pk", flat=True)
    )
    Run.objects.filter(pk__in=ids).update(
        state=RunState.WAITING,
        reason="",
        attempts=0,
        times_sent=0,
        sent_at=None,
        finished_at=None,
        not_before=None,
        waits=0,
        asked_since=timezone.now(),
    )
    send_on_commit(ids[:SENT_AT_ONCE])
    return len(ids)


# --- Messages ------------------------------------------------------------------------------------------------------


def send_on_commit(run_ids: Iterable[object]) -> None:
    """Send a message for each run once the transaction is committed, and no sooner.

    Nothing that goes wrong then reaches the caller, who must not take what is committed for undone.
    """
    ids = [str(run_id) for run_id in run_ids]

    def send_them() -> None:
        _send_unless_away(ids)

    if ids:
        transaction.on_commit(send_them, robust=True)


def _send_unless_away(run_ids: Sequence[str]) -> None:
    """Send, unless the broker could not be reached a moment ago: a request waits for it once, not for each run."""
    if not broker.is_away():
        send(run_ids)


def send(run_ids: Iterable[str]) -> int:
    """Hand runs that wait to the broker now; returns how many.

    If the broker cannot be reached, or does not answer, it is left alone after the first try, with a line in the log:
    whoever submits does not wait for it, and the sweeper finds the runs in the database.
    """
    from scoring.tasks import execute_run

    sent = 0
    with broker.producer_for(execute_run) as producer:
        for run_id in run_ids:
            run = Run.objects.filter(_startable(timezone.now()), pk=run_id).only("metric").first()
            if run is None:
                continue
            try:
                execute_run.apply_async((run_id,), queue=metric_named(run.metric).queue, producer=producer, retry=False)
            except Exception as error:  # noqa: BLE001 - each broker has its own errors; none may lose a submission
                name = type(error).__name__
                logger.warning("Run %s stays in the database: the broker cannot be reached (%s).", run_id, name)
                broker.note_away()
                break
            Run.objects.filter(pk=run_id).update(sent_at=timezone.now(), times_sent=F("times_sent") + 1)
            sent += 1
    return sent


# --- A worker's side -----------------------------------------------------------------------------------------------


def claim(run_id: str) -> str | None:
    """Take a waiting run for this worker by one conditional UPDATE; the lease's token, or nothing if it is gone."""
    token = secrets.token_hex(16)
    now = timezone.now()
    claimed = Run.objects.filter(_startable(now), pk=run_id).update(
        state=RunState.RUNNING,
        reason="",
        lease_token=token,
        lease_until=now + datetime.timedelta(seconds=settings.RUN_LEASE_SECONDS),
        attempts=F("attempts") + 1,
        done_items=0,
        started_at=now,
        finished_at=None,
    )
    return token if claimed else None


def renew(run_id: str, token: str, *, done: int | None = None, total: int | None = None) -> None:
    """Renew a lease, noting progress.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    changes: dict[str, object] = {
        "lease_until": timezone.now() + datetime.timedelta(seconds=settings.RUN_LEASE_SECONDS)
    }
    if done is not None:
        changes["done_items"] = done
    if total is not None:
        changes["total_items"] = total
    if not _mine(run_id, token).update(**changes):
        raise LeaseLostError(run_id)


def finish(
    run_id: str,
    token: str,
    *,
    scores: Mapping[str, ScoredVector],
    n_answered: int,
    participants: Sequence[str] | None = None,
) -> None:
    """Keep a run's scores with their intervals and close it, in one transaction; a repetition writes the same rows.

    Args:
        participants: in a study, who gave each answer; their intervals are clustered by it.

    Raises:
        LeaseLostError: the run is not this worker's any more; nothing is written.
    """
    found = intervals.intervals_of([score.per_item for score in scores.values()], participants)
    _keep(run_id, token, scores=scores, ends=dict(zip(scores, found, strict=True)), n_answered=n_answered)


@transaction.atomic
def _keep(
    run_id: str,
    token: str,
    *,
    scores: Mapping[str, ScoredVector],
    ends: Mapping[str, intervals.Ends],
    n_answered: int,
) -> None:
    now = timezone.now()
    n_items = max((len(score.per_item) for score in scores.values()), default=0)
    if not _mine(run_id, token).update(
        state=RunState.DONE,
        reason="",
        lease_token="",
        lease_until=None,
        done_items=n_items,
        total_items=n_items,
        finished_at=now,
    ):
        raise LeaseLostError(run_id)
    run = Run.objects.select_related("answer_set__split").get(pk=run_id)
    Score.objects.bulk_create(
        [
            Score(
                run=run,
                name=name,
                value=score.value,
                vector=vector_bytes(score.per_item),
                n_items=len(score.per_item),
                n_answered=n_answered,
                signature=run.signature,
                low=ends[name][0],
                high=ends[name][1],
            )
            for name, score in scores.items()
        ],
        update_conflicts=True,
        unique_fields=["run", "name"],
        update_fields=["value", "vector", "n_items", "n_answered", "signature", "low", "high"],
    )
    split = run.answer_set.split
    if run.revision_id == split.current_revision_id and not run.repeat:
        CurrentSignature.objects.get_or_create(split=split, metric=run.metric, defaults={"signature": run.signature})


def leave(run_id: str, token: str, *, state: RunState, reason: str) -> bool:
    """End a run without scores (failed, not configured, …) and say why; false if it is not ours now.

    Raises:
        ForbiddenMoveError: a running run cannot go to that state.
    """
    check_move(RunState.RUNNING, state)
    changed = _mine(run_id, token).update(
        state=state, reason=reason, lease_token="", lease_until=None, finished_at=timezone.now()
    )
    return bool(changed)


def back_in_line(run_id: str, token: str, *, reason: str, seconds: float = 0.0, waits: int = 0) -> bool:
    """Put a run back in line in good order, to be taken up again after some seconds; false if it is not ours now.

    The worker did not die in it, so its attempts begin anew. ``waits`` says how often in a row this has happened
    without anything having been achieved.
    """
    changed = _mine(run_id, token).update(
        state=RunState.WAITING,
        reason=reason,
        lease_token="",
        lease_until=None,
        attempts=0,
        times_sent=0,
        sent_at=None,
        finished_at=None,
        not_before=timezone.now() + datetime.timedelta(seconds=seconds),
        waits=waits,
    )
    return bool(changed)


def _startable(now: datetime.datetime) -> Q:
    return Q(state=RunState.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))


def _mine(run_id: str, token: str) -> QuerySet[Run]:
    return Run.objects.filter(pk=run_id, state=RunState.RUNNING, lease_token=token)


# --- The sweeper ---------------------------------------------------------------------------------------------------


def sweep() -> dict[str, int]:
    """Find every run that is not finished and that nobody is at, and get it going again.

    Leases that have passed go back to waiting (or to failed, after ``RUN_MAX_ATTEMPTS``), runs parked for want of
    something that is there now start, and waiting runs whose message was lost are sent again, ever more rarely.
    Returns how many of each.
    """
    now = timezone.now()
    return {
        "failed": _fail_hopeless(now),
        "reclaimed": _reclaim(now),
        "configured": start_parked(),
        "sent": _send_waiting(now),
    }


def _fail_hopeless(now: datetime.datetime) -> int:
    return (
        queries.overdue_runs(now)
        .filter(attempts__gte=settings.RUN_MAX_ATTEMPTS)
        .update(
            state=RunState.FAILED,
            reason=f"The worker stopped in the middle of this {settings.RUN_MAX_ATTEMPTS} times. "
            "The answers are kept; a maintainer can start it again.",
            lease_token="",
            lease_until=None,
            finished_at=now,
        )
    )


def _reclaim(now: datetime.datetime) -> int:
    return queries.overdue_runs(now).update(
        state=RunState.WAITING,
        reason="The worker stopped in the middle of it; it will be started again.",
        lease_token="",
        lease_until=None,
        sent_at=None,
        times_sent=0,
    )


def start_parked() -> int:
    """Start the parked runs of every metric that can run on this machine; returns how many."""
    available = [name for name, metric in METRICS.items() if not metric.unavailable()]
    return sum(_start_parked(run) for run in queries.startable_runs(available))


@transaction.atomic
def _start_parked(run: Run) -> bool:
    """Start a parked run under the signature its metric has now; cancel it if no board would show its scores."""
    signature = metric_named(run.metric).signature(run.revision.signature_part)
    split = run.revision.split
    parked = Run.objects.filter(pk=run.pk, state=RunState.NOT_CONFIGURED)
    same = Run.objects.filter(
        answer_set=run.answer_set, metric=run.metric, signature=signature, repeat=run.repeat
    ).exclude(pk=run.pk)
    why_not = ""
    if same.exists():
        why_not = "The same was scored by another run."
    elif run.revision_id != split.current_revision_id and run.revision not in queries.revisions_still_shown(
        split, run.metric
    ):
        why_not = SUPERSEDED
    if why_not:
        parked.update(state=RunState.CANCELLED, reason=why_not, finished_at=timezone.now())
        return False
    started = parked.update(state=RunState.WAITING, reason="", signature=signature, sent_at=None, times_sent=0)
    if started:
        send_on_commit([run.pk])
    return bool(started)


def _send_waiting(now: datetime.datetime) -> int:
    never_sent = Q(sent_at__isnull=True, created_at__lt=now - datetime.timedelta(seconds=2))
    sent_before = Q(sent_at__lt=now - datetime.timedelta(seconds=settings.RUN_RESEND_SECONDS))
    candidates = Run.objects.filter(_startable(now), never_sent | sent_before).order_by("created_at")
    return send(str(run.pk) for run in candidates.only("pk", "sent_at", "times_sent") if _is_due(run, now))


def _is_due(run: Run, now: datetime.datetime) -> bool:
    wait = min(settings.RUN_RESEND_SECONDS * 2 ** max(run.times_sent - 1, 0), MAX_RESEND_SECONDS)
    return run.sent_at is None or run.sent_at <= now - datetime.timedelta(seconds=wait)
