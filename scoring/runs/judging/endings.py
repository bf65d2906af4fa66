"""The end of a session with a judge run: scores, a wait, or the reason why verdicts will not come.

Enters: a session that has finished asking. Leaves: stored scores, or an error that determines the run's next state.
"""

import datetime
from collections import Counter
from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from scoring.metrics.base import SERVED, ScoredVector
from scoring.models import CurrentSignature, Run, Score, Split
from scoring.models.run_states import RunState
from scoring.queries import data_of
from scoring.registry import task_type_of
from scoring.runs import leases, outcomes
from scoring.runs.errors import RetryLaterError, RunUnavailableError
from scoring.runs.intervals import Ends
from scoring.runs.judging import comparisons
from scoring.runs.judging.missing import metric_of_run
from scoring.runs.judging.session import JudgeSession
from scoring.runs.judging.store import histories_of, served_by

LEFT_OUT = "{n:,} of {total:,} questions do not count in the scores, because a comparison has no verdict: {reasons}"
MAX_LEFT_OUT = 0.25
"""Comparisons have scores over the rest if at most this share of the questions has no verdict: otherwise they would be
scores of other questions, and answers that the judge refuses to read would gain."""
GIVEN_UP = "The provider did not answer in as many batches as allowed."
LONGEST_RETRY_SECONDS = 900.0
LONGEST_RETURN_SECONDS = 86_400.0


def finish(session: JudgeSession) -> None:
    """Score, if no verdict is missing; otherwise raise an error that says what is missing and why.

    Raises:
        RunUnavailableError, RetryLaterError: some are missing.
        LeaseLostError: the run was taken away in the meantime.
    """
    missing = session.verdicts.missing
    if not missing:
        _store_scores(session)
        return
    session.record_progress(always=True)
    histories = histories_of(missing, session.run)
    outcomes = {address: histories[address].last_outcome for address in missing if address in histories}
    # The outcomes of the answers without a verdict, the most frequent first.
    last = (outcomes.get(address) for address in session.verdicts.missing_answers)
    counts = Counter(outcome.label if outcome else "not asked yet" for outcome in last)
    reasons = "; ".join(f"{count} {label}" for label, count in counts.most_common()) + "."
    if session.n_given_up:
        raise incomplete(session, f"{reasons} {GIVEN_UP}", returns=False)
    latest = [outcomes.get(address) for address in missing]
    # A verdict may still come that was not asked for yet, or for which the obstacle is temporary.
    if any(outcome is None or outcome.passing for outcome in latest):
        raise defer(session, f"Without a verdict: {reasons}.", bounded=True)
    left_out, total = session.verdicts.n_open, session.verdicts.n_asked
    if session.run.opponent_id is not None and left_out <= MAX_LEFT_OUT * total:
        _store_scores(session, LEFT_OUT.format(n=left_out, total=total, reasons=reasons))
        return
    raise incomplete(session, reasons, returns=False)


@transaction.atomic
def _store_scores(session: JudgeSession, reason: str = "") -> None:
    verdicts, run = session.verdicts, session.run
    served = served_by(set(verdicts.addresses.values()))
    scores: Mapping[str, ScoredVector]
    ends: Mapping[str, Ends] | None
    if run.opponent_id is None:
        addresses = map(verdicts.addresses.get, verdicts.scored.keys)
        letters = [verdicts.letters[address] if address else None for address in addresses]
        scores, ends = metric_of_run(run).score_verdicts(letters), None  # intervals are those of the vectors
        is_answered = task_type_of(run.revision.split.benchmark.slug).is_answered
        n_answered = sum(map(is_answered, verdicts.scored.generations))
    else:
        scores, ends, n_answered = comparisons.store(verdicts)
    leases.finish(
        str(run.pk),
        session.token,
        scores=scores,
        ends=ends,
        signature=_agreed_signature(run, session.config.judge.signature(data_of(run), served)),
        n_answered=n_answered,
        clusters=verdicts.scored.clusters,
        reason=reason,
    )


def _agreed_signature(run: Run, signature: str) -> str:
    """The signature of a run's scores; others under the run's signature are given the same where they name no model.

    A run without requests (of a baseline, which is compared with itself, or of blank answers) names no model that
    replied, and its scores are comparable with any. They take the signature of the others, now or when these come.
    """
    split = Split.objects.select_for_update(of=("self",)).get(pk=run.answer_set.split_id)  # one run at a time
    alike = {"run__repeat__gt": 0} if run.repeat else {"run__repeat": 0}
    others = Score.objects.filter(run__answer_set__split=split, run__metric=run.metric, **alike)
    others = others.filter(run__signature=run.signature)
    shown = CurrentSignature.objects.filter(split=split, metric=run.metric)
    shown = shown.none() if run.repeat else shown
    if SERVED not in signature:
        named = f"{run.signature}{SERVED}"
        known = [
            shown.filter(signature__startswith=named).values_list("signature", flat=True).first(),
            others.filter(signature__startswith=named).order_by("-pk").values_list("signature", flat=True).first(),
        ]
        return next(filter(None, known), signature)
    if others.filter(signature=run.signature).update(signature=signature):
        shown.filter(signature=run.signature).update(signature=signature)
        outcomes.split_changed(split.pk)
    return signature


def defer(
    session: JudgeSession, why: str, *, wait: float | None = None, bounded: bool
) -> RetryLaterError | RunUnavailableError:
    """Requeue the run, with a growing delay.

    *bounded* troubles may be caused by some answers rather than the endpoint: after ``RUN_MAX_ATTEMPTS`` times without
    a single new verdict, over ``JUDGE_GIVE_UP_SECONDS``, the run is incomplete. It still comes back by itself, ever
    more rarely.
    """
    n_deferrals = 1 if session.n_new else session.run.n_deferrals + 1
    if bounded and n_deferrals > settings.RUN_MAX_ATTEMPTS and _troubled_for(session) >= settings.JUDGE_GIVE_UP_SECONDS:
        return incomplete(session, why, returns=True)
    seconds = min(session.config.retry_seconds * 2 ** min(n_deferrals - 1, 20), LONGEST_RETRY_SECONDS)
    seconds = max(seconds, wait or 0.0)
    at = timezone.localtime(timezone.now() + datetime.timedelta(seconds=seconds))
    return RetryLaterError(
        f"{why} {session.verdicts.coverage()} The other answers will be retried at {at:%H:%M} ({at:%Z}).",
        seconds=seconds,
        n_deferrals=n_deferrals,
    )


def incomplete(session: JudgeSession, why: str, *, returns: bool) -> RunUnavailableError:
    """End without a score: verdicts are missing, and will not arrive without a change.

    *returns*: whether the change may be at the endpoint, so that the run asks again later by itself.
    """
    seconds = min(max(_troubled_for(session) / 2, LONGEST_RETRY_SECONDS), LONGEST_RETURN_SECONDS) if returns else None
    next_step = "a maintainer can retry the other answers."
    if seconds is not None:
        next_step = f"the others are asked for again in {round(seconds / 60)} minutes, or when a maintainer retries."
    return RunUnavailableError(
        RunState.INCOMPLETE,
        f"{session.verdicts.coverage()} The others: {why} The verdicts are saved; {next_step}",
        seconds=seconds,
    )


def _troubled_for(session: JudgeSession) -> float:
    """Seconds since the first of the run's consecutive returns to the queue without a new verdict."""
    since = session.run.trouble_since
    return (timezone.now() - since).total_seconds() if since is not None and not session.n_new else 0.0
