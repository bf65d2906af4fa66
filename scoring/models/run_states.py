"""The states of a run and the moves between them: the one place that knows.

A run that is *waiting* may be claimed by a worker, which makes it *running*. A state that is not a number always
carries a reason, which pages show; it is never a zero.
"""

from django.db import models


class RunState(models.TextChoices):
    """Where a run stands."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    INCOMPLETE = "incomplete", "Incomplete"
    FAILED = "failed", "Failed"
    NOT_CONFIGURED = "not_configured", "Not configured"
    OVER_BUDGET = "over_budget", "Over budget"
    CANCELLED = "cancelled", "Cancelled"


_S = RunState
MOVES: dict[RunState, frozenset[RunState]] = {
    _S.WAITING: frozenset({_S.RUNNING, _S.NOT_CONFIGURED, _S.OVER_BUDGET, _S.CANCELLED}),
    _S.RUNNING: frozenset(
        {_S.WAITING, _S.DONE, _S.INCOMPLETE, _S.FAILED, _S.NOT_CONFIGURED, _S.OVER_BUDGET, _S.CANCELLED}
    ),
    _S.DONE: frozenset({_S.CANCELLED}),
    _S.INCOMPLETE: frozenset({_S.WAITING, _S.CANCELLED}),
    _S.FAILED: frozenset({_S.WAITING, _S.CANCELLED}),
    _S.NOT_CONFIGURED: frozenset({_S.WAITING, _S.CANCELLED}),
    _S.OVER_BUDGET: frozenset({_S.WAITING, _S.CANCELLED}),
    _S.CANCELLED: frozenset({_S.WAITING}),
}
"""What may follow what. Anything else is a bug in the caller, not a matter of timing."""

ACTIVE = frozenset({_S.WAITING, _S.RUNNING})
"""A worker is, or will be, at it without anybody doing anything."""
PARKED = frozenset({_S.NOT_CONFIGURED, _S.OVER_BUDGET, _S.INCOMPLETE})
"""Something has to change before a worker can go on."""
SETTLED = frozenset(RunState) - ACTIVE
"""Nothing moves by itself soon: pages stop asking for news."""


class ForbiddenMoveError(ValueError):
    """A move between states that the machine does not have."""


def sources_of(target: RunState) -> list[RunState]:
    """The states from which *target* may be reached, for the WHERE of a conditional UPDATE."""
    return sorted(state for state, targets in MOVES.items() if target in targets)


def check_move(source: RunState, target: RunState) -> None:
    """Raise `ForbiddenMoveError` unless *target* may follow *source*."""
    if target not in MOVES[source]:
        raise ForbiddenMoveError(f"A run cannot go from {source.label!r} to {target.label!r}.")
