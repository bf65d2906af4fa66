"""The pairs of systems to compare next, within a budget that is known before anything is asked.

Enters: the answer sets of a board with their baseline. Leaves: pairs with their estimated cost, for
`scoring.runs.judging.baselines.compare_pairs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from scoring.metrics.asking.cost import Estimate
from scoring.models import AnswerSet, Revision
from scoring.runs.judging.baselines import BaselineError, new_pairs
from scoring.runs.judging.comparisons import compared_pairs, in_both_orders
from scoring.runs.judging.pair_costs import Pair, PairCosts
from scoring.statistics import TooFewUnitsError, comparison_plan, next_pairs
from scoring.statistics.pairing import ORDERS

FREE = 1e-12
"""US dollars for a comparison by a model whose price is 0."""


class PlanError(BaselineError):
    """No pairs can be chosen (yet); the message says what to do."""


@dataclass(frozen=True)
class AdaptivePlan:
    """What to compare next."""

    pairs: list[Pair]
    """The most informative first; if a system was not compared with the baseline, these pairs alone."""
    estimate: Estimate | None
    """The cost of these pairs, at most the budget; None if there are none."""
    n_compared: int
    """The number of pairs that are compared, or wait for their comparison."""
    n_all: int
    """The number of all pairs."""
    full_usd: Decimal
    """The approximate cost of all pairs that are not compared yet."""


def plan_pairs(
    revision: Revision, baseline: AnswerSet, answer_sets: Sequence[AnswerSet], budget: Decimal
) -> AdaptivePlan:
    """Choose the pairs to compare within a budget: all with the baseline, then those that are worth most.

    Starts nothing. See `scoring.statistics.next_pairs` for the choice.

    Args:
        answer_sets: at least one, without the baseline.
        budget: in US dollars.

    Raises:
        BaselineError: one of them cannot be compared.
        PlanError: the judge is not configured correctly, the price of the model is unknown, the budget does not pay for
            the next step, or a system waits for its comparison with the baseline.
    """
    systems = [baseline, *answer_sets]
    places = {system.pk: place for place, system in enumerate(systems)}
    n_all = len(systems) * (len(systems) - 1) // 2
    left = {(places[first.pk], places[second.pk]): (first, second) for first, second in new_pairs(revision, systems)}
    if not left:
        return AdaptivePlan([], None, n_all, n_all, Decimal(0))
    known = [
        (first, second) for second in range(len(systems)) for first in range(second) if (first, second) not in left
    ]
    try:
        costs = PairCosts(revision, systems)
    except ValueError as error:
        raise PlanError(f"The cost cannot be estimated. {error}") from error
    full = costs.of(left.values()).usd
    if full is None:
        raise PlanError("The price of the judge's model is unknown: set JUDGE_PRICES.")
    n_items = revision.questions.count()
    unit = max(float(full) / (ORDERS * n_items * len(left)), FREE)
    try:
        plan = comparison_plan(known, len(systems), n_items, unit_cost=unit, budget=float(budget))
    except ValueError as error:
        raise PlanError(str(error)) from error
    chosen = plan.first
    if not chosen:
        # The finished comparisons, in both orders, without those that could not be read.
        finished = compared_pairs(revision, list(places))
        missing = set(places) - {side for pair in finished for side in (pair.first, pair.second)}
        comparisons = in_both_orders(finished, places)
        if missing or comparisons is None:
            raise PlanError(
                f"{len(missing)} systems wait for their comparison with the baseline: try again when it is done."
            )
        try:
            chosen = next_pairs(comparisons, plan.n_further, excluded=known)
        except TooFewUnitsError as error:
            raise PlanError(
                "The systems are compared on one question alone, so it is unknown which ranks are uncertain. Choose "
                "the pairs by hand."
            ) from error
    pairs: list[Pair] = []
    money = budget
    for pair in (left[places_of_pair] for places_of_pair in chosen):
        money -= costs.of([pair]).usd or 0
        if money < 0:
            break
        pairs.append(pair)
    if not pairs:
        raise PlanError(f"A pair costs about {ORDERS * n_items * unit:.2f} USD: raise the budget of {budget:f} USD.")
    return AdaptivePlan(pairs, costs.of(pairs), n_all - len(left), n_all, full)
