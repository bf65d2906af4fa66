"""The reference rows of a board: people, and the upper bound of human performance."""

from leaderboard.board.sources import EntryRow
from scoring.benchmarks.base import BenchmarkDefinition

HUMAN, UPPER_BOUND = "human", "upper-bound"
ORDER = (HUMAN, UPPER_BOUND)


def reference_kind(entry: EntryRow, definition: BenchmarkDefinition) -> str:
    """The kind of a pinned row; empty for others."""
    if not entry.is_human:
        return ""
    return UPPER_BOUND if entry.owner is None and entry.name in definition.upper_bounds else HUMAN
