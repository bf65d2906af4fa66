"""Judging through the provider's Batch API: only the database waits for it.

A batch is recorded before it is sent, its file's id before the batch is created, and the batch's id before any further
step; then the run is requeued and checks the batch at intervals. After a crash at any point, the next session finds the
batch.

Enters: the items to ask about. Leaves: a batch at the provider, and later its replies, stored.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import TypeVar

from asgiref.sync import async_to_sync
from django.utils import timezone

from scoring.metrics.asking import batch_api
from scoring.metrics.asking.endpoint import Endpoint
from scoring.metrics.asking.errors import (
    BatchGoneError,
    EndpointUnavailableError,
    MisconfiguredError,
    PassingTroubleError,
)
from scoring.metrics.asking.replies import Outcome, Read
from scoring.models import JudgeBatch
from scoring.models.judge import BatchState
from scoring.runs.errors import RetryLaterError
from scoring.runs.judging.missing import Askable
from scoring.runs.judging.session import JudgeSession

_UNFINISHED = (BatchState.MADE, BatchState.UPLOADED, BatchState.OPEN)
SENT = "Sent {n} answers to the judge as a batch."
PROCESSING = "The judge is processing a batch: {progress}."
GONE = "gone"
NEVER_SENT = "never_sent"
ENDPOINT_CHANGED = "endpoint_changed"

Result = TypeVar("Result")


def collect(session: JudgeSession) -> None:
    """Check every batch that asks for something this run is missing, and store the replies that have arrived.

    Raises:
        RetryLaterError: a batch is still at the provider.
        MisconfiguredError, EndpointUnavailableError: see `Endpoint.complete`.
    """
    wanted = set(session.verdicts.missing)
    for batch in JudgeBatch.objects.filter(state__in=_UNFINISHED):
        if batch.addresses & wanted:
            _update(session, batch)
    session.verdicts.reload()


def may_be_sent(session: JudgeSession, askable: Sequence[Askable]) -> list[Askable]:
    """The items that may go into a further batch: sent for this run, since it was last retried by hand, in fewer than
    `PoolSettings.max_tries` batches that brought no reply to them (expired, failed, or lost by the provider).

    One query.
    """
    run = session.run
    ended = JudgeBatch.objects.filter(run=run, state__in=[BatchState.DONE, BatchState.FAILED])
    sent = ended.filter(created_at__gte=run.retry_requested_at or run.created_at)
    sent = sent.exclude(error_code__in=[NEVER_SENT, ENDPOINT_CHANGED])
    tries = Counter(address for batch in sent for address in batch.addresses)
    limit = session.config.pool.max_tries
    return [
        (item, address, history)
        for item, address, history in askable
        if tries[address] - history.n_against - history.n_faults < limit
    ]


def send(session: JudgeSession, askable: Sequence[Askable]) -> None:
    """Send the missing items as a batch.

    Raises:
        RetryLaterError: always, unless one of the other errors: the provider is processing the batch.
        MisconfiguredError, EndpointUnavailableError: see `Endpoint.complete`.
    """
    judge = session.config.judge.repeated(session.run.repeat)
    requests: dict[str, dict[str, object]] = {}
    lines: list[tuple[str, list[dict[str, str]], int]] = []
    for item, address, history in askable[: batch_api.MAX_REQUESTS]:
        ask, seed = history.last_ask + 1, judge.seed + history.n_unread
        custom_id = f"{address[:56]}-{ask}"
        requests[custom_id] = {
            "address": address,
            "qid": item.key,
            "ask": ask,
            "seed": seed,
            "repeat": session.run.repeat,
        }
        lines.append((custom_id, item.messages(), seed))

    def upload(endpoint: Endpoint) -> Awaitable[str]:
        bodies = [
            (custom_id, endpoint.request_body(messages, model=judge.model, temperature=judge.temperature, seed=seed))
            for custom_id, messages, seed in lines
        ]
        return batch_api.upload(endpoint, bodies)

    batch = JudgeBatch.objects.create(run=session.run, requests=requests, endpoint=session.config.endpoint.host)
    batch.file_id = _do(session, upload)
    _save(batch, BatchState.UPLOADED)
    _make(session, batch)
    raise _waiting(session, SENT.format(n=len(requests)))


def _make(session: JudgeSession, batch: JudgeBatch) -> None:
    metadata = {"manyhop_batch": str(batch.pk)}
    batch.batch_id = _do(session, lambda endpoint: batch_api.create(endpoint, batch.file_id, metadata=metadata)).id
    _save(batch, BatchState.OPEN)


def _update(session: JudgeSession, batch: JudgeBatch) -> None:
    """Take the next step with a batch: send it, wait for it, or store its replies."""
    if batch.endpoint != session.config.endpoint.host:
        _end(batch, BatchState.FAILED, ENDPOINT_CHANGED)
        return
    if batch.state == BatchState.MADE:  # its file's id was never stored, so no batch can have been created from it
        _end(batch, BatchState.FAILED, NEVER_SENT)
        return
    try:
        if batch.state == BatchState.UPLOADED:
            sent = _do(session, lambda endpoint: batch_api.find(endpoint, batch.file_id))
            if sent is None:
                _make(session, batch)
            else:
                batch.batch_id = sent.id
                _save(batch, BatchState.OPEN)
        state = _do(session, lambda endpoint: batch_api.get_batch(endpoint, batch.batch_id))
        if not state.ended:
            batch.status = state.status
            batch.save(update_fields=["status"])
            progress = f"{state.n_done} of {state.n_total} done" if state.n_total else state.status
            raise _waiting(session, PROCESSING.format(progress=progress))
        _store_results(session, batch, state)
    except BatchGoneError:
        _end(batch, BatchState.FAILED, GONE)


def _store_results(session: JudgeSession, batch: JudgeBatch, state: batch_api.BatchState) -> None:
    batch.status = state.status
    items = session.verdicts.missing

    def reader_of(custom_id: str) -> Read:
        item = items.get(batch.requests.get(custom_id, {}).get("address"))
        return item.read if item else lambda text: None  # of another run, which reads the stored reply again

    for file_id in state.result_files:
        replies = _do(session, partial(batch_api.results, file_id=file_id, reader_of=reader_of))
        session.n_new += session.store.save_batch(batch, replies)
    if state.status != "failed":
        _end(batch, BatchState.DONE, "")
        return
    _end(batch, BatchState.FAILED, state.error_code)
    if state.may_be_sent_again:
        raise EndpointUnavailableError(f"The provider could not process the batch ({state.error_code}).", whole=True)
    raise MisconfiguredError(f"The provider rejected the batch ({state.error_code or 'no reason given'}).")


def _waiting(session: JudgeSession, what: str) -> RetryLaterError:
    return RetryLaterError(f"{what} {session.verdicts.coverage()}", seconds=session.config.batch_poll_seconds)


def _save(batch: JudgeBatch, state: BatchState) -> None:
    batch.state = state
    batch.save(update_fields=["state", "file_id", "batch_id"])


def _end(batch: JudgeBatch, state: BatchState, error_code: str) -> None:
    batch.state, batch.error_code, batch.ended_at = state, error_code[:100], timezone.now()
    batch.save(update_fields=["state", "status", "error_code", "ended_at"])


def _do(session: JudgeSession, step: Callable[[Endpoint], Awaitable[Result]]) -> Result:
    """Perform one step with the endpoint.

    Raises:
        EndpointUnavailableError: also for temporary errors: the next session tries a step of a batch again.
        MisconfiguredError, BatchGoneError: see the step.
    """

    async def run() -> Result:
        async with aclosing(session.config.endpoint.connect()) as endpoint:
            return await step(endpoint)

    try:
        return async_to_sync(run)()
    except PassingTroubleError as trouble:
        whole = trouble.outcome is not Outcome.SERVER_ERROR
        raise EndpointUnavailableError(
            f"The judge's endpoint is not answering ({trouble.outcome.label}: {trouble}).",
            wait=trouble.wait,
            whole=whole,
        ) from None
