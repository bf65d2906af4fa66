"""Telling the rest of the site that something came out: of runs, or for all of a split.

What is scored knows nothing of boards. Whoever shows scores is called here, in the transaction that changes them, so
that noting it and the change are committed together.
"""

from collections.abc import Callable, Collection
from typing import Final
from uuid import UUID

RunKey = UUID | str

RUNS: Final[list[Callable[[Collection[RunKey]], None]]] = []
"""Called with the keys of runs that ended, with scores or without."""
SPLITS: Final[list[Callable[[int], None]]] = []
"""Called with the key of a split whose revision, signatures in force or ceilings changed."""


def runs_ended(*runs: RunKey) -> None:
    """Tell that these runs ended; inside the transaction that ends them."""
    for tell in RUNS:
        tell(runs)


def split_changed(split: int) -> None:
    """Tell that all that is shown of a split may be another; inside the transaction that changes it."""
    for tell in SPLITS:
        tell(split)
