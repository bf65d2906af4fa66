"""The lines that systems are held against: people, the upper bound of what people reach, and the metrics' ceiling."""

from collections.abc import Mapping, Sequence

from leaderboard.board.table.types import BoardRow, Cell, Column
from leaderboard.models import System
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import Ceiling, Split
from scoring.runs.ceilings import why_not

HUMAN, UPPER_BOUND, CEILING = "human", "upper-bound", "ceiling"
ORDER = (HUMAN, UPPER_BOUND, CEILING)


def pin_of(system: System, definition: BenchmarkDefinition) -> str:
    """How a system's row is pinned, if it is."""
    if not system.is_human:
        return ""
    return UPPER_BOUND if system.owner_id is None and system.name in definition.upper_bounds else HUMAN


def ceiling_row(
    split: Split, columns: Sequence[Column], signatures: Mapping[str, str], n_questions: int
) -> BoardRow | None:
    """What a verbatim copy of the reference answers scores under the signatures in force; nothing where there is
    neither a measurement nor anything to measure. One query."""
    values: dict[tuple[str, str], float] = {
        (signature, name): value
        for signature, name, value in Ceiling.objects.filter(
            revision__split=split, signature__in=list(signatures.values())
        ).values_list("signature", "name", "value")
    }
    revision = split.current_revision
    has_references = revision is not None and revision.has_references
    if not values and not has_references:
        return None
    cells = [_cell(column, values, signatures, has_references=has_references) for column in columns]
    return BoardRow(
        rank=None,
        tied=False,
        name="Ceiling",
        slug="",
        url="",
        authors="",
        citation="",
        type="",
        type_label="",
        context_size=None,
        kind="ceiling",
        is_human=False,
        source="",
        note="",
        n_answered=None,
        n_questions=n_questions,
        published_at=None,
        cells=cells,
        pinned=CEILING,
    )


def _cell(
    column: Column, values: Mapping[tuple[str, str], float], signatures: Mapping[str, str], *, has_references: bool
) -> Cell:
    value = values.get((signatures.get(column.metric, ""), column.key))
    if value is not None:
        return Cell(column, value, "ceiling")
    reason = why_not(column.metric)
    if not has_references:
        reason = "this site does not hold the reference answers."
    return Cell(column, None, "not_scored", f"Not measured: {reason or 'it is still to be computed.'}")
