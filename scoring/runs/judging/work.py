"""The work of one judge run: which verdicts are missing, asking for them, and the scores made of them."""

import datetime
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.utils import timezone

from scoring import queries
from scoring.metrics.judge.cost import Estimate, TokenCounter, estimate, token_counter
from scoring.metrics.judge.endpoint import Endpoint
from scoring.metrics.judge.pool import Asked, JudgePool
from scoring.metrics.judge.prompt import JudgeItem, JudgeSettings, judge_items, score_letters
from scoring.metrics.judge.replies import Outcome, Reply
from scoring.models import Answer, Question, Run, Verdict
from scoring.models.run_states import RunState
from scoring.registry.judge_settings import JudgeConfig, judge_settings
from scoring.runs import leases
from scoring.runs.errors import CannotRunError, LaterError
from scoring.runs.judging import budget
from scoring.runs.judging.store import History, Keeper, histories_of, letters_of, mean_reply_tokens

PROGRESS_SECONDS = 0.5
"""How often, at most, progress is written to the database."""


LONGEST_RETRY_SECONDS = 900.0


SLICE = 0.5
"""A run that takes longer than this share of the time limit of a run goes on in a second go."""


def settings_of(run: Run) -> JudgeSettings:
    """What a run is signed with; of a run from before the judge was set up, what would be signed now."""
    try:
        return JudgeSettings.of_signature(run.signature)
    except ValueError:
        return judge_settings()


def items_of(run: Run) -> tuple[queries.ScoredItems, list[JudgeItem]]:
    """What a run is to score, and what of it is to be judged: one item for each answer."""
    items = queries.items_to_score(run.answer_set, run.revision)
    texts = list(Question.objects.filter(revision=run.revision).order_by("position").values_list("text", flat=True))
    references = queries.references_of(run.revision)
    judged = judge_items(
        items.keys,
        [texts[place] for place in items.places],
        [references[place] for place in items.places],
        items.generations,
    )
    return items, list(judged)


@dataclass
class JudgeWork:
    """One run's work: what it has to judge, what is judged, and what became of the rest."""

    run: Run
    token: str
    config: JudgeConfig
    check: Callable[[], None]
    n_new: int = 0
    """Verdicts that this go has brought."""
    n_replies: int = 0
    """Replies that it has had, readable or not."""
    spent: Decimal = Decimal(0)
    """US dollars that this go has spent."""
    _written_at: float = field(default=float("-inf"), init=False)

    def __post_init__(self) -> None:
        self.scored, self.items = items_of(self.run)
        if not self.scored:
            raise CannotRunError(RunState.FAILED, "There is no answer in it that could be scored.")
        self.addresses = {item.key: item.address(self.config.judge, self.run.repeat) for item in self.items}
        self.letters = letters_of(self.addresses.values())
        self.keeper = Keeper(self.run, self.config, self.counter)

    @cached_property
    def counter(self) -> TokenCounter:
        """How tokens are counted for this model on this machine."""
        return token_counter(self.config.judge.model)

    @property
    def missing(self) -> dict[str, JudgeItem]:
        """One item for each address that has no verdict, in the order of the questions."""
        found: dict[str, JudgeItem] = {}
        for item in self.items:
            address = self.addresses[item.key]
            if address not in self.letters:
                found.setdefault(address, item)
        return found

    @property
    def askable(self) -> list[tuple[JudgeItem, str, History]]:
        """What is missing and may still be asked for, with its address and what was asked before."""
        missing = self.missing
        histories = histories_of(missing, self.run)
        found = []
        for address, item in missing.items():
            history = histories.get(address, History())
            if not history.given_up and history.n_against < self.config.pool.max_asks:
                found.append((item, address, history))
        return found

    def reload(self) -> None:
        """Look again which verdicts are there."""
        self.letters = letters_of(self.addresses.values())

    # --- Money -------------------------------------------------------------------------------------------------------

    def check_budget(self) -> None:
        """Estimate what is to come, keep the estimate, and stop before it if the money does not suffice.

        Raises:
            CannotRunError: over budget.
        """
        made = self._estimate([item for item, _, _ in self.askable])
        budget.note_estimate(self.run, made, batch=self.config.mode == "batch")
        self._allowance = budget.allowance(self.run, self.config)
        counted = "" if self.counter.exact else ", tokens counted by characters"
        if made.usd is None:
            released = self.run.releases.exists()
            if self.config.must_have_a_price and not released:
                raise self.over_budget(
                    f"No price is known for the model {self.config.judge.model}, so its cost cannot be kept within the "
                    "caps: set JUDGE_PRICES, or let it go on."
                )
        elif not self._allowance.allows(made.usd):
            raise self.over_budget(
                f"Judging {made.n_calls} answers would cost about {made.usd:.2f} USD{counted}; "
                f"{self._allowance.because}, of which {max(self._allowance.usd or Decimal(0), Decimal(0)):.2f} "
                "are left."
            )

    def _estimate(self, items: Sequence[JudgeItem]) -> Estimate:
        return estimate(
            (item.messages() for item in items),
            counter=self.counter,
            price=self.config.price,
            reply_tokens=mean_reply_tokens(self.config.judge.model),
            batch=self.config.mode == "batch",
        )

    def over_budget(self, why: str) -> CannotRunError:
        """The end of a run for want of money."""
        return CannotRunError(RunState.OVER_BUDGET, f"{why} It waits until a maintainer lets it go on.")

    # --- Asking ------------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask for what is missing, and keep each reply before anything else is done."""
        until = time.monotonic() + SLICE * settings.RUN_TIME_LIMIT_SECONDS

        def check() -> None:
            self.check()
            if not self._allowance.allows(self.spent):
                raise self.over_budget(f"Judging costs more than was estimated; {self._allowance.because}.")
            if time.monotonic() > until and self.n_replies:
                raise LaterError(f"{self.coverage()} It goes on in a moment.")

        async def on_reply(item: JudgeItem, reply: Reply) -> None:
            await sync_to_async(self._take, thread_sensitive=True)(item, reply)

        async def run(asked: Sequence[Asked]) -> None:
            endpoint = Endpoint(self.config.endpoint)
            try:
                pool = JudgePool(
                    endpoint,
                    self.config.judge,
                    self.config.pool,
                    on_reply=on_reply,
                    check=check,
                    counter=self.counter,
                )
                await pool.run(asked)
            finally:
                await endpoint.aclose()

        async_to_sync(run)([self._asked(item, history) for item, _, history in self.askable])

    def _asked(self, item: JudgeItem, history: History) -> Asked:
        return Asked(
            item,
            asks_before=history.last_ask,
            unread_before=history.n_unread,
            asks_left=self.config.pool.max_asks - history.n_against,
        )

    def _take(self, item: JudgeItem, reply: Reply) -> None:
        """Keep a reply; then, and only then, see what else there is to do."""
        address = self.addresses[item.key]
        row = self.keeper.keep(item, address, reply)
        if row.letter:
            self.letters[address] = row.letter
            self.n_new += 1
        elif row.outcome == Outcome.SURPLUS.value:
            self.letters.update(letters_of([address]))
        self.n_replies += 1
        self.spent += row.price_usd or 0
        self.note_progress()

    def note_progress(self, *, always: bool = False) -> None:
        """Write down how far it is, now and then.

        Raises:
            LeaseLostError: the run is not this worker's any more.
        """
        if always or time.monotonic() - self._written_at >= PROGRESS_SECONDS:
            leases.renew(str(self.run.pk), self.token, done=self.n_done, total=len(self.scored))
            self._written_at = time.monotonic()

    def forget_deleted(self) -> None:
        """Delete the replies to answers that were deleted while they were asked about: they may quote them."""
        deleted = Answer.objects.filter(answer_set=self.run.answer_set_id, withdrawn_at__isnull=False)
        deleted = deleted.filter(answer_set__closed_at__isnull=False)
        keys = (f"{qid}{queries.IN_KEYS}{who}" for qid, who in deleted.values_list("qid", "participant"))
        addresses = [self.addresses[key] for key in keys if key in self.addresses]
        Verdict.objects.filter(address__in=addresses).exclude(reply="").update(reply="")

    # --- The end -----------------------------------------------------------------------------------------------------

    @property
    def n_judged(self) -> int:
        """Answers that have a verdict."""
        return sum(address in self.letters for address in self.addresses.values())

    @property
    def n_done(self) -> int:
        """Questions that are settled: judged, or unanswered."""
        return len(self.scored) - len(self.items) + self.n_judged

    def coverage(self) -> str:
        """How far it is, in words."""
        return f"{self.n_judged} of {len(self.items)} answers are judged."

    def finish(self) -> None:
        """Score, if every verdict is there; otherwise say what is missing and why.

        Raises:
            CannotRunError, LaterError: some are missing.
        """
        missing = self.missing
        if not missing:
            name = "judge" if self.run.repeat == 0 else "judge-repeat"
            addresses = map(self.addresses.get, self.scored.keys)
            letters = [self.letters[address] if address else None for address in addresses]
            leases.finish(
                str(self.run.pk),
                self.token,
                scores={name: score_letters(letters)},
                n_answered=len(self.items),
                participants=self.scored.participants,
            )
            return
        self.note_progress(always=True)
        histories = histories_of(missing, self.run)
        outcomes = {address: histories[address].last_outcome for address in missing if address in histories}
        if any(outcomes.get(address) is None or _passes(outcomes.get(address)) for address in missing):
            raise self.later(f"Not answered yet: {self._reasons(outcomes)}.", bounded=True)
        raise self.incomplete(self._reasons(outcomes))

    def later(self, why: str, *, wait: float | None = None, bounded: bool) -> LaterError | CannotRunError:
        """Back in line, for longer each time. *bounded* troubles may lie with some answers rather than the endpoint:
        after ``RUN_MAX_ATTEMPTS`` times without a single new verdict the run is incomplete."""
        waits = 1 if self.n_new else self.run.waits + 1
        if bounded and waits > settings.RUN_MAX_ATTEMPTS:
            return self.incomplete(why)
        seconds = min(self.config.retry_seconds * 2 ** min(waits - 1, 20), LONGEST_RETRY_SECONDS)
        seconds = max(seconds, wait or 0.0)
        at = timezone.localtime(timezone.now() + datetime.timedelta(seconds=seconds))
        return LaterError(
            f"{why} {self.coverage()} The rest is asked for again at {at:%H:%M} ({at:%Z}).",
            seconds=seconds,
            waits=waits,
        )

    def incomplete(self, why: str) -> CannotRunError:
        """Not a score: verdicts are missing, and will not come by themselves."""
        return CannotRunError(
            RunState.INCOMPLETE,
            f"{self.coverage()} The others: {why} What is judged is kept; a maintainer can have the rest asked for "
            "again.",
        )

    def _reasons(self, outcomes: Mapping[str, Outcome | None]) -> str:
        counts = Counter(
            outcome.label if outcome else "not asked yet" for outcome in map(outcomes.get, self._missing_answers())
        )
        return "; ".join(f"{count} {label}" for label, count in counts.most_common()) + "."

    def _missing_answers(self) -> list[str]:
        return [address for address in self.addresses.values() if address not in self.letters]


def _passes(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.passing
