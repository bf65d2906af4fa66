"""A worker's lease on a run: claim, renew, finish, end or requeue it."""

import datetime
import secrets
from collections.abc import Mapping, Sequence

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from numpy.typing import NDArray

from scoring.metrics.base import ScoredVector, clipped
from scoring.models import CurrentSignature, Run, Score, Split, clock, vector_bytes
from scoring.models.run_states import AGAIN, UNLEASED, RunState, check_move
from scoring.runs import intervals, outcomes
from scoring.runs.dispatch import claimable
from scoring.statistics.arrays import Clusters


class LeaseLostError(RuntimeError):
    """A run no longer belongs to this worker, whose lease expired; another may have it. The work is discarded."""


def claim(run_id: str) -> str | None:
    """Claim a waiting run for this worker by one conditional UPDATE; returns the lease's token, or ``None`` if the run
    is gone."""
    token = secrets.token_hex(16)
    now = clock.now()  # the database's: the clocks of workers' machines may differ
    claimed = Run.objects.filter(claimable(now), pk=run_id).update(
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


def renew(run_id: str, token: str, *, done: int | None = None, total: int | None = None, is_kept: bool = False) -> None:
    """Renew a lease, noting progress.

    Args:
        is_kept: whether this start has stored results that the next one need not compute again. The attempts before
            it then do not count: a run that gets ahead is not failed, however often its worker is killed.

    Raises:
        LeaseLostError: the run no longer belongs to this worker.
    """
    changes: dict[str, object] = {"lease_until": clock.now() + datetime.timedelta(seconds=settings.RUN_LEASE_SECONDS)}
    if done is not None:
        changes["done_items"] = done
    if total is not None:
        changes["total_items"] = total
    if is_kept:
        changes["attempts"] = 1
    if not _leased_by(run_id, token).update(**changes):
        raise LeaseLostError(run_id)


def finish(
    run_id: str,
    token: str,
    *,
    scores: Mapping[str, ScoredVector],
    n_answered: int,
    n_attempts: int = 1,
    clusters: Clusters | None = None,
    signature: str = "",
    too_long: Sequence[str] = (),
    ends: Mapping[str, intervals.Ends] | None = None,
    shares: Sequence[bool] | bool = True,
    reason: str = "",
) -> None:
    """Store the run's scores and intervals and mark it done, in one transaction; a repetition writes the same rows.

    Of several attempts the mean of each question is stored as its value, and with it the value of each attempt.
    Where attempts count differently, it is their weighted mean alone.

    Args:
        scores: with a value for each item; of several attempts first all of the first attempt.
        n_answered: the number of items that were answered.
        n_attempts: how often each question was answered (`scoring.queries.ScoredItems.n_attempts`).
        clusters: of the stored values (`scoring.queries.ScoredItems.clusters`), for the intervals.
        signature: of the scores, if it says more than the run's: what is known only after judging.
        too_long: ids of the questions whose answers were not scored, because they took longer than the time budget.
        ends: the intervals by score, if they are not those of the vectors.
        shares: whether each score is one of shares.
        reason: what readers must know about the scores.

    Raises:
        LeaseLostError: the run no longer belongs to this worker; nothing is written.
    """
    # Shape (n_attempts, n_questions), or (n_attempts, 0) for a score that is no mean over items.
    attempts = {name: score.per_item.reshape(n_attempts, -1) for name, score in scores.items()}
    vectors = {name: values.mean(axis=0) if n_attempts > 1 else values[0] for name, values in attempts.items()}
    weights: dict[str, NDArray[np.float64]] = {}
    for name, score in scores.items():
        if score.weights is not None:
            counts = score.weights.reshape(n_attempts, -1)
            weights[name] = counts.mean(axis=0)
            if (counts != counts[0]).any():
                sums = (attempts.pop(name) * counts).mean(axis=0)
                vectors[name] = np.divide(sums, weights[name], out=np.zeros_like(sums), where=weights[name] > 0)
    if ends is None:
        listed = [weights.get(name) for name in vectors]
        guarded: list[bool] = []
        if n_attempts > 1:
            split = Split.every.select_related("subset_of").get(revisions__runs__pk=run_id)
            guarded = [name in attempts and intervals.tells_attempts(split, attempts[name]) for name in vectors]
        computed = intervals.intervals_of(
            list(vectors.values()), clusters, shares=shares, weights=listed, by_mean_alone=guarded
        )
        ends = dict(zip(vectors, computed, strict=True))
    if too_long and not reason:
        answers = f"{len(too_long)} {'answer is' if len(too_long) == 1 else 'answers are'}"
        reason = (
            f"{answers} not scored: too long. Scoring took more than {settings.METRIC_ANSWER_SECONDS:g} "
            "seconds of processor time for each. They count as unanswered."
        )
    n_items = max((len(score.per_item) for score in scores.values()), default=0)
    with transaction.atomic():
        # First the state: the row stays locked until the commit, so nobody cancels the run or takes it meanwhile.
        if not _leased_by(run_id, token).update(
            **UNLEASED,
            state=RunState.DONE,
            reason=reason,
            done_items=n_items,
            total_items=n_items,
            finished_at=timezone.now(),
            n_deferrals=0,
            trouble_since=None,
            too_long=list(too_long),
        ):
            raise LeaseLostError(run_id)
        run = Run.objects.select_related("answer_set", "revision__split__subset_of").get(pk=run_id)
        signature = signature or run.signature
        Score.objects.bulk_create(
            [
                Score(
                    run=run,
                    name=name,
                    value=clipped(score.value, signature),
                    vector=vector_bytes(vectors[name]),
                    attempts=(
                        vector_bytes(attempts[name])
                        if n_attempts > 1 and name in attempts and vectors[name].size
                        else None
                    ),
                    weights=vector_bytes(weights[name]) if name in weights else None,
                    n_items=len(vectors[name]),
                    n_answered=n_answered // n_attempts,
                    signature=signature,
                    low=low,
                    high=high,
                )
                for name, score in scores.items()
                for low, high in (intervals.stored(ends[name], signature),)
            ],
            update_conflicts=True,
            unique_fields=["run", "name"],
            update_fields=[
                *("value", "vector", "attempts", "weights", "n_items", "n_answered", "signature", "low", "high")
            ],
        )
        # Boards show a metric's first score on a current revision, which is the split's or that of a subset; not yet
        # one on what a split keeps for the end.
        scored = run.revision.split
        if run.counts and run.revision_id == scored.current_revision_id and scored.is_shown:
            CurrentSignature.objects.get_or_create(
                split_id=run.answer_set.split_id,
                metric=run.metric,
                subset=run.subset,
                defaults={"signature": signature},
            )
        outcomes.runs_ended(run.pk)


@transaction.atomic
def end_run(run_id: str, token: str, *, state: RunState, reason: str, seconds: float | None = None) -> bool:
    """End a run without scores (failed, not configured, …) with a reason; false if it no longer belongs to this worker.

    After *seconds*, if given, the sweeper starts an incomplete run again.

    Raises:
        ForbiddenMoveError: a running run cannot go to that state.
    """
    check_move(RunState.RUNNING, state)
    changed = _leased_by(run_id, token).update(
        **UNLEASED,
        state=state,
        reason=reason,
        finished_at=timezone.now(),
        not_before=None if seconds is None else clock.now() + datetime.timedelta(seconds=seconds),
    )
    if changed:
        outcomes.runs_ended(run_id)
    return bool(changed)


def requeue(run_id: str, token: str, *, reason: str, seconds: float = 0.0, n_deferrals: int = 0) -> bool:
    """Requeue a run normally, with a delay in seconds; false if it no longer belongs to this worker.

    The worker did not die, so the count of attempts restarts. ``n_deferrals`` is the number of consecutive deferrals
    without progress.
    """
    # Set by the first deferral in a row; `Coalesce` keeps it in the next ones.
    trouble_since = None if not n_deferrals else Now() if n_deferrals == 1 else Coalesce("trouble_since", Now())
    changed = _leased_by(run_id, token).update(
        **UNLEASED,
        **AGAIN,
        reason=reason,
        not_before=clock.now() + datetime.timedelta(seconds=seconds),
        n_deferrals=n_deferrals,
        trouble_since=trouble_since,
    )
    return bool(changed)


def _leased_by(run_id: str, token: str) -> QuerySet[Run]:
    return Run.objects.filter(pk=run_id, state=RunState.RUNNING, lease_token=token)
