"""Notify the rest of the site of results: of runs, or of a whole split.

Scoring knows nothing of leaderboards. Subscribers that show scores are called here, inside the transaction that changes
the scores, so that their records are committed together with the change.
"""

from collections.abc import Callable, Collection
from typing import Final
from uuid import UUID

from scoring.models import Split

RunKey = UUID | str

RUNS: Final[list[Callable[[Collection[RunKey]], None]]] = []
"""Called with the keys of runs that ended, with or without scores."""
SPLITS: Final[list[Callable[[int], None]]] = []
"""Called with the key of a split whose revision or current signatures changed."""

REVISIONS: Final[list[Callable[[Split], None]]] = []
"""Called with a split that had a revision and now has another current one."""


def runs_ended(*runs: RunKey) -> None:
    """Notify subscribers that these runs ended; call it inside the transaction that ends them."""
    for tell in RUNS:
        tell(runs)


def split_changed(split: int) -> None:
    """Notify subscribers that all displayed data of a split may have changed; call it inside the transaction that
    changes it."""
    for tell in SPLITS:
        tell(split)


def revision_changed(split: Split) -> None:
    """Notify subscribers that a split has another current revision; call it inside the transaction that changes it."""
    for tell in REVISIONS:
        tell(split)
