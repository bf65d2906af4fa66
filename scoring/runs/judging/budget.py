"""The judge's budget: past spending, remaining budget, and releases by maintainers.

Every sum is computed from the replies themselves; there are no counters.
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from scoring.metrics.asking.config import JudgeConfig
from scoring.metrics.asking.cost import Estimate, TokenCounter, estimate
from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.metric import JudgeMetric
from scoring.models import AnswerSet, BudgetRelease, JudgeEstimate, Run, Verdict
from scoring.models.run_states import AGAIN, RunState
from scoring.runs import dispatch
from scoring.runs.errors import RunUnavailableError
from scoring.runs.judging.items import metric_of_run
from scoring.runs.judging.store import mean_reply_tokens

NEEDS_RELEASE = "The run waits until a maintainer releases it."
BY_CHARACTERS = ", tokens counted by characters"
NOTHING = Decimal(0)
MARGIN = Decimal("1.5")
"""A release without a sum allows the run its past spending and this multiple of its remaining expected cost."""


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


def allowance(run: Run, config: JudgeConfig) -> Allowance:
    """A run's remaining budget: within both caps, or, if a maintainer released it, within the release's limit alone."""
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
    if config.monthly_cap is not None:
        left = config.monthly_cap - spent(verdicts_of_this_month())
        bounds.append((left, f"judging may cost {config.monthly_cap:.2f} USD per month"))
    return min(bounds, default=UNLIMITED)


def expected_cost(
    config: JudgeConfig, metric: JudgeMetric, items: Iterable[AskedItem], counter: TokenCounter
) -> Estimate:
    """The estimated cost of asking about some items, with the mean length of earlier replies."""
    return estimate(
        (item.messages() for item in items),
        counter=counter,
        price=config.price,
        reply_tokens=mean_reply_tokens(config.judge.model, metric),
    )


def check_budget(run: Run, config: JudgeConfig, items: Sequence[AskedItem], counter: TokenCounter) -> Allowance:
    """Estimate the cost of judging these answers, store the estimate, and raise if the budget does not suffice.

    Raises:
        RunUnavailableError: over budget.
    """
    made = expected_cost(config, metric_of_run(run), items, counter)
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
        what = "answers" if run.opponent_id is None else "comparisons"
        raise over_budget(
            f"Judging {made.n_calls} {what} would cost about {made.usd:.2f} USD{counted}; {because}, "
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


def costs_above(limit_usd: Decimal, runs: Iterable[Run]) -> list[Decimal]:
    """The expected total costs, past spending included, of the runs that a limit does not suffice for: once released
    with it, they are over budget again. Two queries."""
    keys = [run.pk for run in runs]
    paid = Verdict.objects.filter(run__in=keys).order_by().values_list("run").annotate(Sum("price_usd"))
    spent_by_run = {run: usd or NOTHING for run, usd in paid}
    estimates = JudgeEstimate.objects.filter(run__in=keys).values_list("run", "usd")
    totals = [spent_by_run.get(run, NOTHING) + usd for run, usd in estimates if usd is not None]
    return [total for total in totals if total > limit_usd]


@transaction.atomic
def release(run: Run, *, by: str, limit_usd: Decimal | None = None, note: str = "") -> BudgetRelease:
    """Release a run that is over budget.

    ``limit_usd`` is its maximum total cost; if it is not given, the run's past spending plus one and a half times its
    expected remaining cost. If no price is known there is no limit.

    Raises:
        NotOverBudgetError: it is not over budget (any more).
    """
    changed = Run.objects.filter(pk=run.pk, state=RunState.OVER_BUDGET).update(**AGAIN, reason="", not_before=None)
    if not changed:
        raise NotOverBudgetError(f"Only a run that is over budget can be released; this run is {run.state}.")
    expected = JudgeEstimate.objects.filter(run=run).first()
    if limit_usd is None and expected is not None and expected.usd is not None:
        limit_usd = spent(Verdict.objects.filter(run=run)) + expected.usd * MARGIN
    made = BudgetRelease.objects.create(run=run, limit_usd=limit_usd, by=by, note=note)
    dispatch.send_on_commit([run.pk])
    return made


# --- For maintainers -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spending:
    """The cost of a month, or of a submission."""

    label: str
    n_replies: int
    n_verdicts: int
    n_unpriced: int
    """The number of replies with an unknown price: they are not in the sum."""
    tokens_in: int
    tokens_out: int
    usd: Decimal


_SUMS = {
    "n_replies": Count("pk"),
    "n_verdicts": Count("pk", filter=~Q(letter="")),
    "n_unpriced": Count("pk", filter=Q(price_usd=None, tokens_in__isnull=False)),
    "tokens_in": Sum("tokens_in"),
    "tokens_out": Sum("tokens_out"),
    "usd": Sum("price_usd"),
}


def spending_by_month() -> list[Spending]:
    """The cost of judging by month, newest first. One query."""
    rows = Verdict.objects.annotate(month=TruncMonth("created_at")).values("month").annotate(**_SUMS).order_by("-month")
    return [_spending(f"{row['month']:%Y-%m}", row) for row in rows]


DELETED: Final = "deleted"
"""In place of the id of answers that are deleted."""


def spending_by_submission() -> dict[str, Spending]:
    """The cost of judging by answer sets submitted together: the id they share (or, for a single one, its own) →
    spending. One query."""
    rows = (
        Verdict.objects.values("run__answer_set__submission_group", "run__answer_set")
        .annotate(**_SUMS)
        .order_by("run__answer_set__created_at")
    )
    merged: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        name = str(row["run__answer_set__submission_group"] or row["run__answer_set"] or DELETED)
        merged.setdefault(name, []).append(row)
    return {
        name: _spending(name, {key: sum(row[key] or 0 for row in parts) for key in _SUMS})
        for name, parts in merged.items()
    }


def _spending(label: str, row: Mapping[str, Any]) -> Spending:
    values: dict[str, Any] = {key: row[key] or 0 for key in _SUMS}
    return Spending(label=label, **values | {"usd": Decimal(values["usd"])})
