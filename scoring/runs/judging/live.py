"""Ask the judge's endpoint for missing verdicts now, several at a time, and store each reply at once.

Enters: the items to ask about, and the maximum cost. Leaves: a stored reply for every request that was paid for, and
the session's updated verdicts.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import aclosing
from decimal import Decimal

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings

from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.pool import JudgePool, PendingItem
from scoring.metrics.asking.replies import Outcome, Reply
from scoring.runs.errors import RetryLaterError
from scoring.runs.judging import budget
from scoring.runs.judging.missing import Askable
from scoring.runs.judging.session import JudgeSession
from scoring.runs.judging.store import letters_of

logger = logging.getLogger(__name__)

SLICE = 0.5
"""A run that takes longer than this share of a run's time limit continues in a second session."""


def ask(session: JudgeSession, askable: Sequence[Askable], allowance: budget.Allowance) -> None:
    """Ask for the missing verdicts, and store each reply before anything else is done.

    Raises:
        RunUnavailableError: the cost exceeds the budget.
        RetryLaterError: the session has used up its time; another session asks for the rest.
        LeaseLostError: the run was taken away in the meantime.
        MisconfiguredError, EndpointUnavailableError: see `Endpoint.complete`.
    """
    until = time.monotonic() + SLICE * settings.RUN_TIME_LIMIT_SECONDS
    config, verdicts = session.config, session.verdicts
    left, because = allowance
    n_replies, spent = 0, Decimal(0)

    def check() -> None:
        """Called before every new answer."""
        session.check()
        if spent > left:
            raise budget.over_budget(f"Judging costs more than estimated; {because}.")
        if time.monotonic() > until and n_replies:
            raise RetryLaterError(f"{verdicts.coverage()} Judging continues shortly.")

    def store(item: AskedItem, reply: Reply) -> None:
        nonlocal n_replies, spent
        address = verdicts.addresses[item.key]
        row = session.store.save(item, address, reply)
        if row.letter:
            verdicts.letters[address] = row.letter
            session.n_new += 1
        elif row.outcome == Outcome.SURPLUS.value:
            verdicts.letters.update(letters_of([address]))
        n_replies += 1
        spent += row.price_usd or 0
        session.record_progress()

    async def on_reply(item: AskedItem, reply: Reply) -> None:
        await sync_to_async(store, thread_sensitive=True)(item, reply)

    async def run() -> None:
        judge, counter = config.judge.repeated(session.run.repeat), session.store.counter
        async with aclosing(config.endpoint.connect()) as endpoint:
            pool = JudgePool(endpoint, judge, config.pool, on_reply=on_reply, check=check, counter=counter)
            await pool.run(
                PendingItem(
                    item,
                    asks_before=history.last_ask,
                    unread_before=history.n_unread,
                    asks_left=config.pool.max_asks - history.n_against,
                )
                for item, _, history in askable
            )

    try:
        async_to_sync(run)()
    finally:
        if session.store.n_dropped:
            logger.error(
                "Dropped %s replies of the judge to run %s, which may have been paid for: the database rejected them.",
                session.store.n_dropped,
                session.run.pk,
            )
