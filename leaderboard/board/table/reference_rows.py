"""The reference rows of a board: people, the upper bound of human performance, and the metrics' ceiling."""

from leaderboard.board.fingerprint import EntryRow
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.runs.ceilings import why_not

HUMAN, UPPER_BOUND, CEILING = "human", "upper-bound", "ceiling"
ORDER = (HUMAN, UPPER_BOUND, CEILING)


def reference_kind(entry: EntryRow, definition: BenchmarkDefinition) -> str:
    """The kind of a pinned row; empty for others."""
    if not entry.is_human:
        return ""
    return UPPER_BOUND if entry.owner is None and entry.name in definition.upper_bounds else HUMAN


def why_not_measured(metric: str, *, has_references: bool) -> str:
    """Why the ceiling has no value for a metric."""
    reason = why_not(metric) if has_references else "this site does not have the reference answers."
    return f"Not measured: {reason or 'it has not been computed yet.'}"
