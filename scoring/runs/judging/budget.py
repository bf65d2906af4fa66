"""The judge's budget: past spending, remaining budget, and releases by maintainers.

Every sum is computed from the replies themselves; there are no counters.
"""

import datetime
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from scoring.benchmarks import definitions
from scoring.metrics.asking.config import JudgeConfig, judge_config
from scoring.metrics.asking.cost import Estimate, TokenCounter, estimate
from scoring.metrics.asking.items import AskedItem
from scoring.models import AnswerSet, BudgetRelease, JudgeEstimate, Run, Verdict
from scoring.models.run_states import AGAIN, RunState
from scoring.runs import dispatch
from scoring.runs.errors import RunUnavailableError
from scoring.runs.judging.items import metric_of_run
from scoring.runs.judging.store import mean_reply_tokens

NEEDS_RELEASE = "The run waits until a maintainer releases it, or the caps allow it."
BY_CHARACTERS = ", tokens counted by characters"
NOTHING = Decimal(0)
MARGIN = Decimal("1.5")
"""A release allows a run its past spending and this multiple of its remaining expected cost."""


class NotOverBudgetError(ValueError):
    """Only a run that is over budget can be released."""


Allowance = tuple[Decimal, str]
"""A run's remaining budget, and the cap that limits it."""
UNLIMITED: Final = (Decimal("Infinity"), "")


def spent(verdicts: QuerySet[Verdict]) -> Decimal:
    """US dollars paid for some replies; replies with an unknown price count 0."""
    total: Decimal | None = verdicts.aggregate(total=Sum("price_usd"))["total"]
    return total or NOTHING


def verdicts_paid_for(answer_set: AnswerSet) -> QuerySet[Verdict]:
    """The replies requested for an answer set, or for another submitted together with it."""
    if answer_set.submission_group is None:
        return Verdict.objects.filter(run__answer_set=answer_set)
    return Verdict.objects.filter(run__answer_set__submission_group=answer_set.submission_group)


def verdicts_of_this_month(now: datetime.datetime | None = None) -> QuerySet[Verdict]:
    """The replies of the calendar month, in the site's time zone."""
    first = timezone.localtime(now).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return Verdict.objects.filter(created_at__gte=first)


def left_this_month(config: JudgeConfig) -> Decimal | None:
    """US dollars that judging may still cost in this month; None without a cap."""
    return None if config.monthly_cap is None else config.monthly_cap - spent(verdicts_of_this_month())


def allowance(run: Run, config: JudgeConfig) -> Allowance:
    """A run's remaining budget: within both caps, or, if a maintainer released it, within the release's limit alone."""
    # Only the newest release counts: its limit has what was spent before.
    release = run.releases.order_by("created_at", "pk").last()
    if release is not None:
        if release.limit_usd is None:
            return UNLIMITED
        left = release.limit_usd - spent(Verdict.objects.filter(run=run))
        return left, f"{release.by} allowed {release.limit_usd:.2f} USD in total"
    bounds = []
    if config.submission_cap is not None:
        left = config.submission_cap - spent(verdicts_paid_for(run.answer_set))
        bounds.append((left, f"judging one submission may cost {config.submission_cap:.2f} USD"))
    month = left_this_month(config)
    if month is not None:
        bounds.append((month, f"judging may cost {config.monthly_cap:.2f} USD per month"))
    return min(bounds, default=UNLIMITED)


def expected_cost(run: Run, config: JudgeConfig, items: Iterable[AskedItem], counter: TokenCounter) -> Estimate:
    """The estimated cost of asking about some items of a run, with the mean length of earlier replies."""
    metric = metric_of_run(run)
    return estimate(
        (item.messages() for item in items),
        counter=counter,
        price=config.price,
        reply_tokens=mean_reply_tokens(config.judge.model, metric, run.revision.split.benchmark.slug, run),
        is_most=metric.asks_in_rounds,
    )


def check_budget(run: Run, config: JudgeConfig, items: Sequence[AskedItem], counter: TokenCounter) -> Allowance:
    """Estimate the cost of judging these answers, store the estimate, and raise if the budget does not suffice.

    Raises:
        RunUnavailableError: over budget.
    """
    made = expected_cost(run, config, items, counter)
    record_estimate(run, made)
    left, because = allowance(run, config)
    if made.usd is None:
        if config.must_have_a_price and not run.releases.exists():
            raise over_budget(
                f"The price of the model {config.judge.model} is unknown, so its cost cannot be limited: set "
                "JUDGE_PRICES, or release the run."
            )
    elif made.usd > left:
        counted = "" if counter.exact else BY_CHARACTERS
        about = "at most" if made.is_most else "about"
        what = metric_of_run(run).asks_about
        raise over_budget(
            f"{made.n_calls:,} requests about {what} would cost {about} {made.usd:.2f} USD{counted}; {because}, "
            f"of which {max(left, NOTHING):.2f} USD are left."
        )
    return left, because


def over_budget(why: str) -> RunUnavailableError:
    """The error that ends a run over budget."""
    return RunUnavailableError(RunState.OVER_BUDGET, f"{why} {NEEDS_RELEASE}")


def record_estimate(run: Run, made: Estimate) -> None:
    """Store the expected further cost of a run."""
    JudgeEstimate.objects.update_or_create(
        run=run,
        defaults={
            "n_calls": made.n_calls,
            "tokens_in": made.tokens_in,
            "tokens_out": made.tokens_out,
            "usd": made.usd,
            "method": made.method,
            "made_at": timezone.now(),
        },
    )


@transaction.atomic
def release(run: Run, *, by: str) -> BudgetRelease:
    """Release a run that is over budget: it may cost its past spending and one and a half times its expected remaining
    cost. If no price is known there is no limit.

    Raises:
        NotOverBudgetError: it is not over budget (any more).
    """
    # The condition decides between two maintainers who release the run at once.
    changed = Run.objects.filter(pk=run.pk, state=RunState.OVER_BUDGET).update(**AGAIN, reason="", not_before=None)
    if not changed:
        raise NotOverBudgetError(f"Only a run that is over budget can be released; this run is {run.state}.")
    expected = JudgeEstimate.objects.filter(run=run).first()
    limit = None
    if expected is not None and expected.usd is not None:
        limit = spent(Verdict.objects.filter(run=run)) + expected.usd * MARGIN
    made = BudgetRelease.objects.create(run=run, limit_usd=limit, by=by)
    dispatch.send_on_commit([run.pk])
    return made


def continue_affordable() -> int:
    """Have the runs continue that were over budget and that the caps allow by now, because somebody raised them or a
    month has begun; returns how many. Some four queries for each run over budget."""
    waiting = Run.objects.filter(state=RunState.OVER_BUDGET, revision__split__benchmark__slug__in=list(definitions()))
    waiting = waiting.exclude(estimate__isnull=True)
    affordable = []
    for run in waiting.select_related("estimate", "answer_set", "revision__split__benchmark"):
        with suppress(ValueError):  # the judge is not configured correctly
            left, _ = allowance(run, judge_config(settings, metric_of_run(run).settings))
            expected = run.estimate.usd
            affordable += [run.pk] if expected is not None and expected <= left else []
    return Run.objects.filter(pk__in=affordable, state=RunState.OVER_BUDGET).update(**AGAIN, reason="", not_before=None)


@dataclass(frozen=True)
class Month:
    """Cost of judging in a month."""

    label: str
    n_replies: int
    n_unpriced: int
    """Replies with an unknown price: they are not in the sum."""
    usd: Decimal


def spending_by_month() -> list[Month]:
    """The cost of judging by month, newest first. One query."""
    rows = Verdict.objects.annotate(month=TruncMonth("created_at")).values("month").order_by("-month")
    rows = rows.annotate(
        n_replies=Count("pk"),
        n_unpriced=Count("pk", filter=Q(price_usd=None, tokens_in__isnull=False)),
        usd=Sum("price_usd"),
    )
    return [Month(f"{row['month']:%Y-%m}", row["n_replies"], row["n_unpriced"], row["usd"] or NOTHING) for row in rows]
