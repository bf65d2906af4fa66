"""The one module that orders a board: sorting, ranks, ties, filters and missing scores.

Ranks compare only rows with comparable scores: systems scored here under the current signature of the metric that the
ranks use. Published numbers are shown at their place in the order, without a rank; people are pinned.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import msgspec

from leaderboard import run_columns
from leaderboard.attributes import matcher
from leaderboard.board.document import Document, Row
from leaderboard.board.table.params import BoardParams
from leaderboard.models import WITHHELD, EntryKind
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.facts import FACTS, Fact
from scoring.metrics.base import CLIPPED

FUNCTION_CALLING: Final = {"yes": True, "no": False, "unknown": None}


@dataclass(frozen=True)
class OrderedSystem:
    """A system in the order of a board."""

    place: int
    """Place of the system in the document, which has them by name."""
    row: Row
    """The row that is shown for it."""
    others: Sequence[Row]
    """Rows of its other sources."""
    named: Row
    """The row with its names: another one on a board of reported scores, if it was scored here too."""
    rank: int | None
    tied: bool


def is_apart(row: Row) -> bool:
    """Whether a row has scores, but none under a current signature."""
    cells = row.by_column.values()
    return any(cell.other_value is not None for cell in cells) and not any(
        cell.value is not None and cell.state not in run_columns.SOURCES for cell in cells
    )


def shown_row(sources: Sequence[Row], *, is_reported: bool) -> Row:
    """The row that is shown for a system: its first, or on a board of reported scores the first reported one."""
    reported = (row for row in sources if is_reported and row.kind == EntryKind.REPORTED)
    return next(reported, sources[0])


def ordered(document: Document, params: BoardParams, definition: BenchmarkDefinition) -> Sequence[OrderedSystem]:
    """Every system of a board in the requested order, including those that do not pass the filters: ranks count all.

    Missing values are last in both directions; equal rows are ordered by name. Ranked systems come before all others,
    unless the parameters name a kind. On a board of reported scores the best reported source of a system is shown.
    """
    ranked_by = params.ranked_by(definition)
    column = definition.column(ranked_by)
    is_clipped = CLIPPED in document.signatures.get(column.metric, "").split("|")

    def number_of(row: Row) -> tuple[float, int] | None:
        """What a row is ordered by in the column of ranks: its number, and among means that were clipped to the same
        number their ranks, which are those of the means before."""
        cell = row.cell(ranked_by)
        return None if cell.value is None else (cell.value, -column.sign * (cell.rank or 0) if is_clipped else 0)

    shown = [shown_row(sources, is_reported=params.kind == "reported") for sources in document.systems]
    numbers = [number_of(row) if row.kind == EntryKind.SCORED and not row.is_human else None for row in shown]
    counts = Counter(number for number in numbers if number is not None)
    ranks: dict[tuple[float, int] | None, int] = {}
    n_better = 0
    for number in sorted(counts, reverse=column.higher_is_better):
        ranks[number] = n_better + 1
        n_better += counts[number]
    systems = [
        OrderedSystem(
            place=place,
            row=row,
            others=[source for source in sources if source is not row],
            named=sources[0],
            rank=ranks.get(number),
            tied=number is not None and counts[number] > 1,
        )
        for place, (sources, row, number) in enumerate(zip(document.systems, shown, numbers, strict=True))
    ]
    keys: dict[str, Callable[[OrderedSystem], Any]] = {
        "name": lambda system: system.place,
        "type": lambda system: system.row.type_label,
        "context": lambda system: system.row.context_size,
        "published": lambda system: system.row.published_at,
        ranked_by: lambda system: number_of(system.row),
    }
    for sort in reversed(params.order(definition)):
        # Later keys first: sorting is stable, so each sort preserves the order of rows that are equal under its key.
        value_of = keys.get(sort.key, lambda system, key=sort.key: system.row.cell(key).value)
        known = [system for system in systems if value_of(system) is not None]
        known.sort(key=value_of, reverse=sort.descending)
        systems = known + [system for system in systems if value_of(system) is None]
    if not params.kind:
        systems.sort(key=lambda system: system.row.kind != EntryKind.SCORED or system.row.cell(ranked_by).value is None)
    return systems


def columns_of_runs(document: Document) -> set[str]:
    """The columns of what runs took and of attempts in which a row has a value."""
    cells = (item for row in document.rows for item in row.by_column.items())
    return {key for key, cell in cells if cell.state in run_columns.SOURCES}


def filters_of(document: Document) -> list[Fact]:
    """The facts by which a board can be filtered: those that a row states."""
    stated = [row.facts for row in document.rows if row.facts]
    known = columns_of_runs(document) | {fact.name for fact in FACTS if any(getattr(row, fact.name) for row in stated)}
    return [fact for fact in run_columns.FILTERS if fact.name in known]


def _facts_of(row: Row) -> dict[str, Any]:
    """A row's run facts and what its run took, by the names of `run_columns.FILTERS`."""
    facts: dict[str, Any] = msgspec.to_builtins(row.facts) if row.facts else {}
    if row.type == WITHHELD:  # which is not the same as not stated
        facts = {fact.name: WITHHELD for fact in run_columns.FILTERS if fact.kind == "choice"}
    cells = {column.key: row.cell(column.key) for column in run_columns.USAGE}
    return facts | {key: cell.value for key, cell in cells.items() if cell.state in run_columns.SOURCES}


def _text_of(system: OrderedSystem) -> str:
    """The names, authors and citations of a system in all of its sources."""
    rows = (system.row, *system.others)
    return "\n".join(text for row in rows for text in (row.name, row.authors, row.citation)).casefold()


def matching(
    systems: Sequence[OrderedSystem], params: BoardParams, definition: BenchmarkDefinition
) -> Sequence[OrderedSystem]:
    """The systems, of those given, that pass the filters. Upper and lower case are not distinguished."""
    filters: list[Callable[[OrderedSystem], bool]] = []
    if words := params.q.casefold().split():
        filters.append(lambda system: all(word in _text_of(system) for word in words))
    if params.kind in EntryKind.values:
        filters.append(lambda system: system.row.kind == params.kind)
    if params.function_calling:
        asked = FUNCTION_CALLING[params.function_calling]
        filters.append(lambda system: system.row.type != WITHHELD and system.row.trained_for_function_calling is asked)
    if params.attributes:
        states_asked = matcher(params.attributes, definition.attributes)
        filters.append(lambda system: system.row.type != WITHHELD and states_asked(system.row.attributes))
    if params.facts:
        states_facts = matcher(params.facts, run_columns.FILTERS)
        filters.append(lambda system: states_facts(_facts_of(system.row)))
    if params.types:
        filters.append(lambda system: system.row.type in params.types)
    if params.context_min is not None or params.context_max is not None:
        low, high = params.context_min or 0, params.context_max
        filters.append(
            lambda system: (
                (size := system.row.context_size) is not None and low <= size and (high is None or size <= high)
            )
        )
    for passes in filters:
        systems = [system for system in systems if passes(system)]
    return systems


def separations(ranges: Sequence[tuple[int | None, int | None]]) -> list[int]:
    """Numbers of leading rows, in the order of their ranks, that no rank range crosses: no range of the first rows
    overlaps one of the others.

    Args:
        ranges: the best and the worst rank of each row.

    >>> separations([(1, 1), (2, 3), (2, 3), (4, 4)])
    [1, 3]
    >>> separations([(1, 2), (1, 3), (2, 3), (None, None)])
    []
    """
    known = [(best, worst) for best, worst in ranges if best is not None and worst is not None]
    if len(known) < len(ranges):
        return []
    worst_above = accumulate((worst for _, worst in known), max)
    best_below = [*accumulate((best for best, _ in reversed(known)), min)][::-1]
    return [
        end for end, (above, below) in enumerate(zip(worst_above, best_below[1:], strict=False), 1) if above < below
    ]


def n_matching(document: Document, params: BoardParams, definition: BenchmarkDefinition) -> int:
    """The number of systems that pass the filters, people left out."""
    systems = matching(ordered(document, params, definition), params, definition)
    return sum(not system.row.is_human for system in systems)
