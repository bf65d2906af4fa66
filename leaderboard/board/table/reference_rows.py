"""The reference rows of a board: people, the upper bound of human performance, and the metrics' ceiling."""

from leaderboard.board.sources import EntryRow
from leaderboard.disclosure import NOT_YET
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.runs.ceilings import NOT_ASKED, OF_PASSAGES, why_not

HUMAN, UPPER_BOUND, CEILING = "human", "upper-bound", "ceiling"
ORDER = (HUMAN, UPPER_BOUND, CEILING)


def reference_kind(entry: EntryRow, definition: BenchmarkDefinition) -> str:
    """The kind of a pinned row; empty for others."""
    if not entry.is_human:
        return ""
    return UPPER_BOUND if entry.owner is None and entry.name in definition.upper_bounds else HUMAN


def why_not_measured(metric: str, *, has_references: bool) -> str:
    """Why the ceiling has no value for a metric, for readers."""
    if not has_references:
        return "Not measured: this site does not have the reference answers."
    reason = why_not(metric)
    return f"Not measured: {reason}" if reason in (NOT_ASKED, OF_PASSAGES) else NOT_YET
