"""Judge one claimed run: missing verdicts are asked for, every reply is stored at once, and then the score is computed.

Enters: a claimed run. Leaves: its score, or an error that says why there is none yet. A judge run can be interrupted
anywhere and resumed: its remaining work is the answers that have no verdict yet.
"""

from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from scoring.benchmarks.columns import JUDGES
from scoring.metrics.asking.config import judge_config
from scoring.metrics.asking.errors import EndpointUnavailableError, MisconfiguredError
from scoring.metrics.asking.metric import JudgeMetric
from scoring.models import JudgeTurn, Run
from scoring.models.run_states import RunState
from scoring.runs import dispatch, leases, turns
from scoring.runs.errors import RetryLaterError, RunUnavailableError
from scoring.runs.judging import batches, budget, endings, live
from scoring.runs.judging.session import JudgeSession
from scoring.runs.judging.store import forget_deleted

OTHERS_FIRST = "Other answers are being judged first; this run follows."

TURN_SECONDS = 2.0


def execute_judge(run: Run, metric: JudgeMetric, token: str, *, check: Callable[[], None]) -> None:
    """Judge the answers of a claimed run.

    Raises:
        RunUnavailableError: verdicts are missing and will not arrive without a change, or the money or a valid key is
            missing.
        RetryLaterError: the judge cannot be asked now, or a batch is at the provider.
        LeaseLostError: the run was taken away in the meantime; replies are stored nevertheless.
    """
    config = judge_config(settings, metric.settings)
    take_turn(run)
    session = JudgeSession.begin(run, token, config, check)
    session.record_progress(always=True)
    verdicts = session.verdicts
    try:
        if verdicts.missing:
            batches.collect(session)
        askable = verdicts.askable(config.pool.max_asks)
        if config.mode == "batch":
            sendable = batches.may_be_sent(session, askable)
            session.n_given_up = len(askable) - len(sendable)
            askable = sendable
        if askable:
            items = [item for item, _, _ in askable]
            allowance = budget.check_budget(run, config, items, session.store.counter)
            if config.mode == "batch":
                batches.send(session, askable)
            else:
                live.ask(session, askable, allowance)
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
        raise endings.defer(session, str(error), wait=error.wait, bounded=not error.whole) from None
    endings.finish(session)


@transaction.atomic
def take_turn(run: Run) -> None:
    """Take the turn to ask the judge for this run.

    Raises:
        RetryLaterError: another run has the turn, and its worker is alive.
    """
    JudgeTurn.objects.get_or_create(pk=1)
    turn = JudgeTurn.objects.select_for_update().get(pk=1)
    if turn.run_id != run.pk and _turn_is_taken():
        raise RetryLaterError(OTHERS_FIRST, seconds=TURN_SECONDS, n_deferrals=run.n_deferrals)
    turn.run = run
    turn.save(update_fields=["run"])


def _turn_is_taken() -> bool:
    """Whether a run has the turn, and its worker is alive."""
    return JudgeTurn.objects.filter(run__state=RunState.RUNNING, run__lease_until__gte=timezone.now()).exists()


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
