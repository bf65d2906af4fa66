"""The pairs of a board that are worth comparing next, within a budget: by command, or on the page of comparisons."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from uuid import UUID

from django.db import transaction

from leaderboard.board.inputs import read_inputs
from leaderboard.board.ranking.reading import ranked_systems
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.models import AnswerSet, Revision, Setting, Split
from scoring.runs.judging import baselines
from scoring.runs.judging.adaptive import AdaptivePlan, plan_pairs
from scoring.runs.judging.baselines import BaselineError

CHANGED = "The next pairs are others than those that you were shown. Nothing was started: choose again."
BASELINE = "Baseline"
"""The name of a baseline that has no row on the board."""


@dataclass(frozen=True)
class NextPairs:
    """The choice for one board, with the cost."""

    revision: Revision
    setting: Setting
    budget: Decimal
    plan: AdaptivePlan
    names: dict[UUID, str]
    """Of the systems, by their answer sets."""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The names of the systems of each pair, the most informative pair first."""
        return [(self.names[first.pk], self.names[other.pk]) for first, other in self.plan.pairs]

    @property
    def digest(self) -> str:
        """Of these pairs: an order is for the pairs that were shown."""
        return hashlib.sha256(repr([(first.pk, other.pk) for first, other in self.plan.pairs]).encode()).hexdigest()[
            :16
        ]

    @property
    def in_words(self) -> Sequence[str]:
        """What is compared already, and the cost of these pairs beside that of all; sentences."""
        plan = self.plan
        done = f"{plan.n_compared:,} of {plan.n_all:,} pairs are compared or queued."
        if plan.estimate is None:
            return [done]
        n_further = plan.n_all - plan.n_compared
        these = "This pair" if len(plan.pairs) == 1 else f"These {len(plan.pairs):,} pairs"
        sentences = [done, f"{these}: {plan.estimate.n_calls:,} requests, about {plan.estimate.usd:.2f} USD."]
        if n_further > len(plan.pairs):
            sentences.append(f"All {n_further:,} further pairs: about {plan.full_usd:.2f} USD.")
        return sentences


def read_budget(text: str) -> Decimal:
    """US dollars.

    Raises:
        BaselineError: it is not a number above 0.
    """
    try:
        budget = Decimal(text.strip())
    except InvalidOperation:
        budget = Decimal("nan")
    if not budget.is_finite() or budget <= 0:
        raise BaselineError(f"Budget: expected US dollars above 0, such as 25 or 12.50, found {text.strip()[:40]!r}.")
    return budget


def choose(split: Split, setting: Setting, budget: Decimal) -> NextPairs:
    """The pairs of a board's systems whose comparison says most about uncertain ranks. Starts nothing.

    Raises:
        BaselineError: nothing can be chosen (yet), or the budget pays for nothing; the message says what to do.
    """
    inputs = read_inputs(split, setting)
    ranked = ranked_systems(inputs)
    if ranked is None or not ranked[1]:
        raise BaselineError(
            "No system on this board is compared with a baseline yet: choose a baseline, and try again when they are."
        )
    first, others, revision = ranked
    stored = AnswerSet.objects.select_related("split__benchmark").in_bulk(
        [first.answer_set, *(system.answer_set for system in others)]
    )
    plan = plan_pairs(revision, stored[first.answer_set], [stored[system.answer_set] for system in others], budget)
    names = {first.answer_set: BASELINE}  # unless it has a row
    names |= {entry.answer_set: entry.name for entry in inputs.entries if entry.answer_set is not None}
    return NextPairs(revision, setting, budget, plan, names)


@transaction.atomic
def start(chosen: NextPairs, *, actor: User | str, shown: str | None = None) -> int:
    """Create the runs that compare the chosen pairs; returns how many are new.

    Args:
        shown: the digest of the pairs that the actor has seen, if these may be others.

    Raises:
        BaselineError: these are others, because some were compared or queued in the meantime.
    """
    if shown is not None and shown != chosen.digest:
        raise BaselineError(CHANGED)
    made = len(baselines.compare_pairs(chosen.revision, chosen.plan.pairs))
    if made:
        text = f"{made} pairs for a budget of {chosen.budget} USD."
        audit.record(actor, "comparisons.started", f"board {chosen.revision.split}, {chosen.setting.slug}", text)
    return made
