"""The states of a run and the transitions between them, defined only here.

A *waiting* run may be claimed by a worker, which makes it *running*. A state without a score always has a reason, which
pages show; it is never a zero.
"""

from typing import Any

from django.db import models


class RunState(models.TextChoices):
    """The state of a run."""

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
"""The allowed transitions. Any other is a bug in the caller, not a race."""

ACTIVE = frozenset({_S.WAITING, _S.RUNNING})
"""A worker is processing the run, or will without anybody's action."""
PARKED = frozenset({_S.NOT_CONFIGURED, _S.OVER_BUDGET, _S.INCOMPLETE})
"""A worker can continue only after something has changed."""


UNLEASED: dict[str, Any] = {"lease_token": "", "lease_until": None}
"""The values of a run that no worker has."""
UNSENT: dict[str, Any] = {"sent_at": None, "times_sent": 0}
AGAIN: dict[str, Any] = {"state": _S.WAITING, "attempts": 0, "finished_at": None, **UNSENT}
"""The values of a run that waits again, with a fresh count of attempts."""


class ForbiddenMoveError(ValueError):
    """A transition that is not allowed."""


def sources_of(target: RunState) -> list[RunState]:
    """The states from which *target* may be reached, for the WHERE of a conditional UPDATE."""
    return sorted(state for state, targets in MOVES.items() if target in targets)


def check_move(source: RunState, target: RunState) -> None:
    """Raise `ForbiddenMoveError` unless *target* may follow *source*."""
    if target not in MOVES[source]:
        raise ForbiddenMoveError(f"A run cannot go from {source.label!r} to {target.label!r}.")
