"""Ask the judge's endpoint for missing verdicts now, several at a time, and store each reply at once.

Enters: the items to ask about, and the maximum cost. Leaves: a stored reply for every request that was paid for, and
the session's updated verdicts.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings

from scoring.metrics.asking.endpoint import Endpoint
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
    max_asks = session.config.pool.max_asks
    pending = [
        PendingItem(
            one.item,
            asks_before=one.history.last_ask,
            unread_before=one.history.n_unread,
            asks_left=max_asks - one.history.n_against,
        )
        for one in askable
    ]
    try:
        async_to_sync(_LiveAsking(session, allowance, until).run)(pending)
    finally:
        if session.store.n_dropped:
            logger.error(
                "Dropped %s replies of the judge to run %s, which may have been paid for: the database rejected them.",
                session.store.n_dropped,
                session.run.pk,
            )


@dataclass
class _LiveAsking:
    """One pass of the pool, with its spending so far."""

    session: JudgeSession
    allowance: budget.Allowance
    until: float
    n_replies: int = 0
    """The number of replies, readable or not."""
    spent: Decimal = Decimal(0)
    """US dollars."""

    async def run(self, pending: Sequence[PendingItem]) -> None:
        config = self.session.config
        endpoint = Endpoint(config.endpoint)
        try:
            pool = JudgePool(
                endpoint,
                config.judge.repeated(self.session.run.repeat),
                config.pool,
                on_reply=self._on_reply,
                check=self._check,
                counter=self.session.store.counter,
            )
            await pool.run(pending)
        finally:
            await endpoint.aclose()

    def _check(self) -> None:
        """Check whether to continue; called before every new answer."""
        self.session.check()
        if not self.allowance.allows(self.spent):
            raise budget.over_budget(f"Judging costs more than estimated; {self.allowance.because}.")
        if time.monotonic() > self.until and self.n_replies:
            raise RetryLaterError(f"{self.session.verdicts.coverage()} Judging continues shortly.")

    async def _on_reply(self, item: AskedItem, reply: Reply) -> None:
        await sync_to_async(self._store, thread_sensitive=True)(item, reply)

    def _store(self, item: AskedItem, reply: Reply) -> None:
        """Store a reply; only then check whether to continue."""
        verdicts = self.session.verdicts
        address = verdicts.addresses[item.key]
        row = self.session.store.save(item, address, reply)
        if row.letter:
            verdicts.letters[address] = row.letter
            self.session.n_new += 1
        elif row.outcome == Outcome.SURPLUS.value:
            verdicts.letters.update(letters_of([address]))
        self.n_replies += 1
        self.spent += row.price_usd or 0
        self.session.record_progress()
