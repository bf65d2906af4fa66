"""Maintainers' changes to scores, boards and the judge's budget, each with an audit record."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from django.db import transaction

from leaderboard.maintenance import rescoring
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.models import BudgetRelease, Run, Split
from scoring.runs.judging import budget


@transaction.atomic
def make_missing_runs(
    split: Split, *, actor: User | str, metrics: Sequence[str] = (), systems: Sequence[str] = ()
) -> dict[str, int]:
    """Like `rescoring.make_missing_runs`; recorded if any run was created."""
    made = rescoring.make_missing_runs(split, metrics=metrics, systems=systems)
    if sum(made.values()):
        counts = ", ".join(f"{metric}: {count}" for metric, count in made.items() if count)
        audit.record(actor, "split.rescored", f"split {split}", f"Runs created: {counts}.")
    return made


@transaction.atomic
def switch(
    split: Split, *, actor: User | str, metrics: Sequence[str] = (), even_if_incomplete: bool = False
) -> list[str]:
    """Like `rescoring.switch`; recorded if any metric was switched.

    Raises:
        SwitchError: a row would lose its score, and that was not allowed. Nothing was switched.
    """
    switched = rescoring.switch(split, metrics=metrics, even_if_incomplete=even_if_incomplete)
    if switched:
        forced = " Forced, although rows lost their score." if even_if_incomplete else ""
        audit.record(actor, "split.switched", f"split {split}", f"The boards now show: {', '.join(switched)}.{forced}")
    return switched


@transaction.atomic
def release(runs: Iterable[Run], *, actor: User) -> list[BudgetRelease]:
    """Release runs that are over budget, each up to the limit that `budget.release` sets; those that are not over
    budget any more are left out."""
    releases = []
    for run in runs:
        with suppress(budget.NotOverBudgetError):
            made = budget.release(run, by=actor.get_username())
            limit = "without a limit" if made.limit_usd is None else f"up to {made.limit_usd:.2f} USD"
            audit.record(actor, "judge.released", f"run {run.pk}", f"Allowed to continue, {limit}.")
            releases.append(made)
    return releases
