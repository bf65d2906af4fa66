"""Storage of the judge's replies: store each once, find verdicts and earlier asks."""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db import (
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    close_old_connections,
    connection,
    transaction,
)
from django.db.models import Avg, Count, Max, Q

from scoring.generations.keys import IN_KEYS, qid_of
from scoring.metrics.asking import letters
from scoring.metrics.asking.config import JudgeConfig
from scoring.metrics.asking.cost import TokenCounter
from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.replies import Outcome, Reply, read_text
from scoring.metrics.judge.prompt import OPTIONS
from scoring.models import Answer, Run, Verdict

logger = logging.getLogger(__name__)

CHUNK = 500
"""The number of addresses in one query."""
FEWEST_REPLIES = 20
"""The replies of a run from which its mean length is that of its further ones."""
OLD_RULE = letters.Rule.LAST_LINE
"""The rule of letters that were read before version 0.6.0."""
STORE_SECONDS = 300.0
"""Seconds for which a session's replies wait for a database that rejects them: they have been paid for."""
FIRST_WAIT, LONGEST_WAIT = 0.1, 20.0
"""Seconds between attempts to store a reply; each wait is twice the one before."""
REJECTIONS = (OperationalError, InternalError, InterfaceError)
"""Errors of a database that may accept the same row later: it is unreachable, read-only, or its disk is full."""


@dataclass(frozen=True)
class History:
    """The earlier asks for one address."""

    last_ask: int = 0
    n_unread: int = 0
    """Replies without a verdict, requested by any run: the seed of the next ask continues from here."""
    n_against: int = 0
    """The number of those requested by the run in question, since it was last retried by hand."""
    given_up: bool = False
    """Whether that run learned that asking again is useless."""
    n_faults: int = 0
    """The number of empty or malformed replies to that run, since then."""
    last_outcome: Outcome | None = None


def letters_of(addresses: Iterable[str]) -> dict[str, str]:
    """The existing verdicts, by address."""
    return dict(_verdicts(addresses, "address", "letter"))


def _verdicts(addresses: Iterable[str], *fields: str) -> Iterator[tuple[Any, ...]]:
    for chunk in _chunks(addresses):
        yield from Verdict.objects.filter(address__in=chunk).exclude(letter="").values_list(*fields)


def readings_of(addresses: Iterable[str]) -> dict[str, letters.Reading]:
    """The existing verdicts, by address, each with the rule that read it, if its kind has several."""
    return {
        address: letters.Reading(letter, letters.Rule(rule) if rule else OLD_RULE if letter in OPTIONS else None)
        for address, letter, rule in _verdicts(addresses, "address", "letter", "rule")
    }


def replies_of(addresses: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The existing verdicts and the replies that they were read in, by address. One query for `CHUNK` addresses."""
    return {address: (letter, reply) for address, letter, reply in _verdicts(addresses, "address", "letter", "reply")}


def histories_of(addresses: Iterable[str], run: Run) -> dict[str, History]:
    """The earlier asks, by address; addresses that were never asked for are left out."""
    rows: dict[str, list[tuple[int, Outcome, bool]]] = {}
    since = run.retry_requested_at or run.created_at
    for chunk in _chunks(addresses):
        unread = Verdict.objects.filter(address__in=chunk, letter="").order_by("ask")
        for address, ask, outcome, run_id, created_at in unread.values_list(
            "address", "ask", "outcome", "run_id", "created_at"
        ):
            mine = run_id == run.pk and created_at >= since
            rows.setdefault(address, []).append((ask, Outcome(outcome), mine))
    return {
        address: History(
            last_ask=max(ask for ask, _, _ in asks),
            n_unread=sum(not outcome.passing for _, outcome, _ in asks),
            n_against=sum(mine and not outcome.passing for _, outcome, mine in asks),
            n_faults=sum(mine and outcome.fault for _, outcome, mine in asks),
            given_up=any(mine and outcome.final for _, outcome, mine in asks),
            last_outcome=asks[-1][1],
        )
        for address, asks in rows.items()
    }


def read_again(items: Mapping[str, AskedItem]) -> int:
    """Read stored replies again that an earlier version could not read; returns how many now give a verdict.

    *items* are those without a verdict, by address.

    Of several replies to one request the first readable counts, as if it had been read at once. Nothing is paid for,
    and a verdict that exists is never changed.
    """
    n_read = 0
    for chunk in _chunks(items):
        judged = set(letters_of(chunk))
        unread = Verdict.objects.filter(address__in=chunk, outcome=Outcome.UNPARSED.value).order_by("address", "ask")
        for row in unread.only("address", "reply"):
            if row.address in judged:
                continue
            said, reading = read_text(row.reply, items[row.address].read)
            if reading is None:
                continue
            # An error of integrity: its address has got a verdict in the meantime.
            with suppress(IntegrityError), transaction.atomic():
                changed = Verdict.objects.filter(pk=row.pk, letter="").update(
                    outcome=Outcome.VERDICT.value, letter=reading.letter, rule=reading.rule or "", reply=said
                )
                if changed:
                    judged.add(row.address)
                    n_read += 1
    return n_read


def served_by(addresses: Iterable[str]) -> set[tuple[str, str]]:
    """The models that gave these verdicts, as the endpoint reports them, each with the endpoint's host."""
    return {(model, host) for model, host in _verdicts(addresses, "reported_model", "endpoint")}


def keys_of(addresses: Iterable[str]) -> dict[str, int]:
    """The keys of the existing verdicts, by address."""
    return dict(_verdicts(addresses, "address", "pk"))


def mean_reply_tokens(model: str, metric: JudgeMetric, benchmark: str, run: Run | None = None) -> int:
    """The mean length of a model's replies to a judge's kind of prompts for a benchmark, as far as known on this site.

    Judges write from one letter to several hundred tokens, and a benchmark may have prompts of its own. Before the
    first reply for the benchmark, those to the same judge's prompts for others count; without any, the metric's own
    estimate does.

    Args:
        benchmark: its slug.
        run: of the remaining cost of a run that was begun: that run, whose own replies count alone once there are
            enough.
    """
    kind = metric.prompt_version.rpartition("-")[0]
    replies = Verdict.objects.filter(model=model, run__metric=metric.name, tokens_estimated=False)
    replies = replies.filter(run__signature__contains=f"|prompt:{kind}-")
    means = replies.aggregate(
        own=Avg("tokens_out", filter=Q(run=run)),
        n_own=Count("pk", filter=Q(run=run)),
        here=Avg("tokens_out", filter=Q(run__revision__split__benchmark__slug=benchmark)),
        anywhere=Avg("tokens_out"),
    )
    own = means["own"] if means["n_own"] >= FEWEST_REPLIES else None
    return round(own or means["here"] or means["anywhere"] or metric.reply_tokens)


def forget_deleted(run: Run, addresses: Mapping[str, str]) -> None:
    """Delete the replies to answers that were deleted while the judge was asked about them: they may quote them.

    *addresses* are those of the run's verdicts, by the key of an item.
    """
    deleted = Answer.objects.filter(answer_set=run.answer_set_id, withdrawn_at__isnull=False)
    deleted = deleted.filter(answer_set__closed_at__isnull=False)
    keys = {f"{qid}{IN_KEYS}{who}" for qid, who in deleted.values_list("qid", "participant")}
    concerned = [at for key, at in addresses.items() if key in keys or key.rpartition(IN_KEYS)[0] in keys]
    Verdict.objects.filter(address__in=concerned).exclude(reply="").update(reply="")


@dataclass
class VerdictStore:
    """Stores the replies that one run pays for."""

    run: Run
    config: JudgeConfig
    counter: TokenCounter
    n_dropped: int = field(default=0, init=False)
    """The number of replies that the database did not accept in time."""
    _rejected_at: float | None = field(default=None, init=False)
    """Time at which the database began to reject replies."""

    def save(self, item: AskedItem, address: str, reply: Reply) -> Verdict:
        """Store one reply, whatever its content.

        A database that rejects it has `STORE_SECONDS` to accept it, counted from the first of the replies that it
        rejects: the others wait behind that one, and no new request is sent meanwhile. The run's lease is not needed:
        it may expire in this time, and the reply is stored all the same, by its address.

        If the address has another verdict already (requested by a worker that was presumed dead), this one is stored as
        surplus: it was paid for, but does not count.

        Raises:
            DatabaseError: the database does not accept it.
        """
        row = self._row(item.key, address, reply)
        if (
            reply.outcome.passing
            or reply.outcome is Outcome.REJECTED
            or None not in (reply.tokens_in, reply.tokens_out)
        ):
            row.tokens_in, row.tokens_out = reply.tokens_in, reply.tokens_out
        else:  # a reply that the endpoint did not count
            row.tokens_in, row.tokens_out = self.counter.of_messages(item.messages()), self.counter.count(reply.text)
            row.tokens_estimated = True
        row.price_usd = self._price(row.tokens_in, row.tokens_out)
        wait = FIRST_WAIT
        while True:
            try:
                stored = self._insert(row)
            except REJECTIONS as error:
                now = time.monotonic()
                self._rejected_at = now if self._rejected_at is None else self._rejected_at
                # Inside a transaction waiting is in vain: PostgreSQL refuses all that follows the error.
                if now - self._rejected_at >= STORE_SECONDS or connection.in_atomic_block:
                    self.n_dropped += 1
                    raise
                logger.warning("A reply of the judge is waiting for the database: %s", type(error).__name__)
                close_old_connections()  # the next try opens a new one
                time.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)
            else:
                self._rejected_at = None
                return stored

    def _insert(self, row: Verdict) -> Verdict:
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError:
            with transaction.atomic():
                # The number of the reply is taken: somebody else stored one first. This reply was paid for, so it goes
                # behind it.
                same = Verdict.objects.filter(address=row.address)
                row.ask = (same.aggregate(last=Max("ask"))["last"] or 0) + 1
                if row.letter and same.exclude(letter="").exists():
                    row.outcome, row.letter, row.rule = Outcome.SURPLUS.value, "", ""
                row.save(force_insert=True)
        return row

    def _row(self, key: str, address: str, reply: Reply) -> Verdict:
        return Verdict(
            address=address,
            ask=reply.ask,
            qid=qid_of(key),
            run=self.run,
            outcome=reply.outcome.value,
            letter=reply.letter or "",
            rule=reply.rule or "",
            reply=reply.text,
            endpoint=self.config.endpoint.host[:253],
            model=self.config.judge.model,
            reported_model=reply.model,
            system_fingerprint=reply.system_fingerprint,
            finish_reason=reply.finish_reason,
            seed=reply.seed,
            latency=reply.latency,
        )

    def _price(self, tokens_in: int | None, tokens_out: int | None) -> Decimal | None:
        if self.config.price is None or tokens_in is None or tokens_out is None:
            return None
        return self.config.price.of(tokens_in, tokens_out)


def _chunks(addresses: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(addresses)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
