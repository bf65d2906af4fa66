"""Judge one claimed run: missing verdicts are asked for, every reply is stored at once, and then the score is computed.

A judge run can be interrupted anywhere and resumed: its remaining work is the answers that have no verdict yet.
"""

import datetime
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from decimal import Decimal

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from scoring.benchmarks.columns import JUDGES
from scoring.metrics.asking.config import JudgeConfig, judge_config
from scoring.metrics.asking.cost import token_counter
from scoring.metrics.asking.errors import EndpointUnavailableError, MisconfiguredError
from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.pool import JudgePool, PendingItem
from scoring.metrics.asking.replies import Outcome, Reply
from scoring.metrics.base import SERVED, ScoredVector
from scoring.models import CurrentSignature, JudgeTurn, Run, Score, Split, clock
from scoring.models.run_states import RunState
from scoring.queries import data_of, generations_for
from scoring.registry import task_type_of
from scoring.runs import dispatch, leases, outcomes, turns
from scoring.runs.errors import NO_ANSWERS, RetryLaterError, RunUnavailableError
from scoring.runs.intervals import Ends
from scoring.runs.judging import budget, comparisons
from scoring.runs.judging.items import Askable, RunVerdicts, metric_of_run, references_of
from scoring.runs.judging.store import VerdictStore, forget_deleted, histories_of, letters_of, served_by

logger = logging.getLogger(__name__)

OTHERS_FIRST = "Other answers are being judged first; this run follows."
TURN_SECONDS = 2.0
PROGRESS_SECONDS = 0.5
"""Seconds between two writes of progress to the database, at least."""
SLICE = 0.5
"""A run that takes longer than this share of a run's time limit continues in a second session."""
LEFT_OUT = "{n:,} of {total:,} questions do not count in the scores, because a comparison has no verdict: {reasons}"
MAX_LEFT_OUT = 0.25
"""Comparisons have scores over the rest if at most this share of the questions has no verdict: otherwise they would be
scores of other questions, and answers that the judge refuses to read would gain."""
LONGEST_RETRY_SECONDS = 900.0
LONGEST_RETURN_SECONDS = 86_400.0


def execute_judge(run: Run, metric: JudgeMetric, token: str, *, check: Callable[[], None]) -> None:
    """Judge the answers of a claimed run.

    Raises:
        RunUnavailableError: verdicts are missing and will not arrive without a change, or the money or a valid key is
            missing.
        RetryLaterError: the judge cannot be asked now.
        LeaseLostError: the run was taken away in the meantime; replies are stored nevertheless.
    """
    config = judge_config(settings, metric.settings)
    take_turn(run)
    verdicts = RunVerdicts.of(run, config.judge)
    if not verdicts.scored:
        raise RunUnavailableError(RunState.FAILED, NO_ANSWERS)
    store = VerdictStore(run, config, token_counter(config.judge.model))
    session = JudgeSession(run, token, config, check, verdicts, store)
    session.record_progress(always=True)
    try:
        if askable := verdicts.askable(config.pool.max_asks):
            items = [*(item for item, _, _ in askable), *verdicts.possible(config.judge).values()]
            allowance = budget.check_budget(run, config, items, store.counter)
        while askable:
            session.ask(askable, allowance)
            if verdicts.missing or not verdicts.extend(config.judge):
                break
            askable = verdicts.askable(config.pool.max_asks)
    except leases.LeaseLostError:
        forget_deleted(run, verdicts.addresses)
        raise
    except (RunUnavailableError, RetryLaterError):
        session.record_progress(always=True)
        raise
    except MisconfiguredError as error:
        session.record_progress(always=True)
        raise RunUnavailableError(RunState.FAILED, str(error)) from None
    except EndpointUnavailableError as error:
        session.record_progress(always=True)
        raise session.deferral(str(error), wait=error.wait, bounded=not error.whole) from None
    session.finish()


# --- Turns -----------------------------------------------------------------------------------------------------------


@transaction.atomic
def take_turn(run: Run) -> None:
    """Take the turn to ask the judge for this run.

    Raises:
        RetryLaterError: another run has the turn, and its worker is alive.
    """
    # The table has one row, which exists to be locked: workers decide about the turn one after another.
    JudgeTurn.objects.get_or_create(pk=1)
    turn = JudgeTurn.objects.select_for_update().get(pk=1)
    if turn.run_id != run.pk and _turn_is_taken():
        raise RetryLaterError(OTHERS_FIRST, seconds=TURN_SECONDS, n_deferrals=run.n_deferrals)
    turn.run = run
    turn.save(update_fields=["run"])


def _turn_is_taken() -> bool:
    """Whether a run has the turn, and its worker is alive."""
    return JudgeTurn.objects.filter(run__state=RunState.RUNNING, run__lease_until__gte=clock.now()).exists()


def send_next() -> None:
    """Send the first run that waits for its turn, if the turn is free: judging continues without the next sweep.

    Called whenever a run has ended or is queued again, of whatever metric: one query if no run waits for its turn.
    """
    waiting = Run.objects.filter(metric__in=JUDGES, state=RunState.WAITING, reason=OTHERS_FIRST)
    first = turns.in_turn(waiting, JudgeMetric.queue).values_list("pk", flat=True).first()
    if first is None or _turn_is_taken():
        return
    waiting.filter(pk=first).update(not_before=None)
    dispatch.send([str(first)])


# --- A session -------------------------------------------------------------------------------------------------------


@dataclass
class JudgeSession:
    """One worker's session with a claimed judge run."""

    run: Run
    token: str
    """The token of the worker's lease."""
    config: JudgeConfig
    check: Callable[[], None]
    """Raises once the lease is known to be lost."""
    verdicts: RunVerdicts
    store: VerdictStore
    n_new: int = field(default=0, init=False)
    """The number of verdicts that this session has obtained."""
    _n_replies: int = field(default=0, init=False)
    _spent: Decimal = field(default=Decimal(0), init=False)
    """US dollars that the session has cost."""
    _written_at: float = field(default=float("-inf"), init=False)

    def record_progress(self, *, always: bool = False) -> None:
        """Renew the lease and store the number of finished questions, at most every half second unless *always*.

        Raises:
            LeaseLostError: the run no longer belongs to this worker.
        """
        if always or time.monotonic() - self._written_at >= PROGRESS_SECONDS:
            leases.renew(
                str(self.run.pk),
                self.token,
                done=self.verdicts.n_done,
                total=len(self.verdicts.scored),
                is_kept=self._n_replies > 0,
            )
            self._written_at = time.monotonic()

    # Asking ----------------------------------------------------------------------------------------------------------

    def ask(self, askable: Sequence[Askable], allowance: budget.Allowance) -> None:
        """Ask for missing verdicts, several at a time, and store each reply before anything else is done.

        Raises:
            RunUnavailableError: the cost exceeds the budget.
            RetryLaterError: the session has used up its time; another session asks for the rest.
            LeaseLostError: the run was taken away in the meantime.
            MisconfiguredError, EndpointUnavailableError: see `Endpoint.complete`.
        """
        until = time.monotonic() + SLICE * settings.RUN_TIME_LIMIT_SECONDS
        config, (left, because) = self.config, allowance
        is_spent = False

        def affordable() -> Iterator[PendingItem]:
            """The missing verdicts, until the money is spent: then no further answer is begun, and the one whose
            criteria are being asked about is finished."""
            nonlocal is_spent
            begun = None
            for item, _, history in askable:
                if item.answer_key != begun and (is_spent := self._spent > left):
                    return
                begun = item.answer_key
                yield PendingItem(
                    item,
                    asks_before=history.last_ask,
                    unread_before=history.n_unread,
                    asks_left=config.pool.max_asks - history.n_against,
                )

        def check() -> None:
            """Called before every new item."""
            self.check()
            if time.monotonic() > until and self._n_replies:
                raise RetryLaterError(f"{self.verdicts.coverage()} Judging continues shortly.")

        async def run() -> None:
            # Replies are stored in the main thread, whose database connection and lease are the run's.
            on_reply = sync_to_async(self._store, thread_sensitive=True)
            async with aclosing(config.endpoint.connect()) as endpoint:
                pool = JudgePool(
                    endpoint, config.judge, config.pool, on_reply=on_reply, check=check, counter=self.store.counter
                )
                await pool.run(affordable())

        try:
            async_to_sync(run)()
        finally:
            if self.store.n_dropped:
                logger.error(
                    "Dropped %s replies of the judge to run %s, which may have been paid for: the database rejected "
                    "them.",
                    self.store.n_dropped,
                    self.run.pk,
                )
        if is_spent:
            rest = [item for item, address, _ in askable if address not in self.verdicts.letters]
            rest += self.verdicts.possible(config.judge).values()
            more = budget.expected_cost(self.run, config, rest, self.store.counter)
            budget.record_estimate(self.run, more)
            raise budget.over_budget(
                f"{self.verdicts.coverage()} Judging costs more than estimated; {because}. The verdicts are saved; the "
                f"others would take {more.in_words}."
            )

    def _store(self, item: AskedItem, reply: Reply) -> None:
        address = self.verdicts.addresses[item.key]
        row = self.store.save(item, address, reply)
        if row.letter:
            self.verdicts.letters[address] = row.letter
            self.n_new += 1
        elif row.outcome == Outcome.SURPLUS.value:  # another worker's verdict came first, and counts
            self.verdicts.letters.update(letters_of([address]))
        self._n_replies += 1
        self._spent += row.price_usd or 0
        self.record_progress(always=self._n_replies == 1)  # from now on, being killed does not count

    # Ending ----------------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Score, if no verdict is missing; otherwise raise an error that says what is missing and why.

        Raises:
            RunUnavailableError, RetryLaterError: some are missing.
            LeaseLostError: the run was taken away in the meantime.
        """
        missing = self.verdicts.missing
        if not missing:
            self._store_scores()
            return
        self.record_progress(always=True)
        histories = histories_of(missing, self.run)
        last = {address: histories[address].last_outcome if address in histories else None for address in missing}
        # The outcomes of the answers without a verdict, the most frequent first; equal answers share an address.
        found = (last[address] for address in self.verdicts.missing_answers)
        counts = Counter(outcome.label if outcome else "not asked yet" for outcome in found)
        reasons = "; ".join(f"{count} {label}" for label, count in counts.most_common()) + "."
        # A verdict may still come that was not asked for yet, or for which the obstacle is temporary.
        if any(outcome is None or outcome.passing for outcome in last.values()):
            raise self.deferral(f"Without a verdict: {reasons}.", bounded=True)
        left_out, total = self.verdicts.n_open, self.verdicts.n_asked
        if self.run.opponent_id is None or left_out > MAX_LEFT_OUT * total:
            raise self._incomplete(reasons, returns=False)
        self._store_scores(LEFT_OUT.format(n=left_out, total=total, reasons=reasons))

    @transaction.atomic
    def _store_scores(self, reason: str = "") -> None:
        verdicts, run = self.verdicts, self.run
        served = served_by(set(verdicts.addresses.values()))
        scores: Mapping[str, ScoredVector]
        ends: Mapping[str, Ends] | None
        if run.opponent_id is None:
            weights = verdicts.scored.weights
            metric, scored = metric_of_run(run), verdicts.scored
            generations = generations_for(metric, scored, run.answer_set, run.revision)
            verdict_scores = metric.score_answers(verdicts.by_answer, references_of(scored, run), generations)
            scores, ends = {name: score.times(weights) for name, score in verdict_scores.items()}, None
            is_answered = task_type_of(run.revision.split.benchmark.slug).is_answered
            n_answered = sum(map(is_answered, verdicts.scored.generations))
        else:
            scores, ends, n_answered = comparisons.store(verdicts)
        leases.finish(
            str(run.pk),
            self.token,
            scores=scores,
            ends=ends,
            signature=_agreed_signature(run, self.config.judge.signature(data_of(run), served)),
            n_answered=n_answered,
            n_attempts=verdicts.scored.n_attempts,
            clusters=verdicts.scored.clusters,
            reason=reason,
        )

    def deferral(self, why: str, *, wait: float | None = None, bounded: bool) -> RetryLaterError | RunUnavailableError:
        """The error that requeues the run, with a growing delay.

        *bounded* troubles may be caused by some answers rather than the endpoint: after ``RUN_MAX_ATTEMPTS`` times
        without a single new verdict, over ``JUDGE_GIVE_UP_SECONDS``, the run is incomplete. It still comes back by
        itself, ever more rarely.
        """
        n_deferrals = 1 if self.n_new else self.run.n_deferrals + 1
        is_last = n_deferrals > settings.RUN_MAX_ATTEMPTS and self._troubled_for() >= settings.JUDGE_GIVE_UP_SECONDS
        if bounded and is_last:
            return self._incomplete(why, returns=True)
        seconds = min(self.config.retry_seconds * 2 ** min(n_deferrals - 1, 20), LONGEST_RETRY_SECONDS)
        seconds = max(seconds, wait or 0.0)
        at = timezone.localtime(timezone.now() + datetime.timedelta(seconds=seconds))
        return RetryLaterError(
            f"{why} {self.verdicts.coverage()} The other answers will be retried at {at:%H:%M} ({at:%Z}).",
            seconds=seconds,
            n_deferrals=n_deferrals,
        )

    def _incomplete(self, why: str, *, returns: bool) -> RunUnavailableError:
        """The error that ends the run without a score: verdicts are missing, and will not arrive without a change.

        *returns*: whether the change may be at the endpoint, so that the run asks again later by itself.
        """
        seconds = min(max(self._troubled_for() / 2, LONGEST_RETRY_SECONDS), LONGEST_RETURN_SECONDS) if returns else None
        next_step = "a maintainer can retry the other answers."
        if seconds is not None:
            next_step = (
                f"the others are asked for again in {round(seconds / 60)} minutes, or when a maintainer retries."
            )
        return RunUnavailableError(
            RunState.INCOMPLETE,
            f"{self.verdicts.coverage()} The others: {why} The verdicts are saved; {next_step}",
            seconds=seconds,
        )

    def _troubled_for(self) -> float:
        """Seconds since the first of the run's consecutive returns to the queue without a new verdict."""
        since = self.run.trouble_since
        return (timezone.now() - since).total_seconds() if since is not None and not self.n_new else 0.0


def _agreed_signature(run: Run, signature: str) -> str:
    """The signature of a run's scores; others under the run's signature are given the same where they name no model.

    A run without requests (of a baseline, which is compared with itself, or of blank answers) names no model that
    replied, and its scores are comparable with any. They take the signature of the others, now or when these come.
    """
    split = Split.with_drafts.select_for_update(of=("self",)).get(pk=run.answer_set.split_id)  # one run at a time
    others = Score.objects.filter(run__answer_set__split=split, run__metric=run.metric, run__signature=run.signature)
    shown = CurrentSignature.objects.filter(split=split, metric=run.metric)
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
