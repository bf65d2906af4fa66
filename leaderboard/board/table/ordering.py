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
from scoring.metrics.columns import Column

FUNCTION_CALLING: Final = {"yes": True, "no": False, "unknown": None}


@dataclass(frozen=True, slots=True)
class OrderedSystem:
    """A system in the order of a board. Rows are by their places in the document."""

    row: Row
    """The row that is shown for it."""
    place: int
    others: tuple[int, ...]
    """Places of the system's other sources."""
    named: Row
    """The row with its names: another one on a board of reported scores, if it was scored here too."""
    rank: int | None
    tied: bool


def apart(document: Document) -> frozenset[int]:
    """The places of rows that have scores, but none under a current signature."""
    others = {place for cells in document.columns.values() for place in cells.other}
    return frozenset(
        place
        for place in others
        if not any(
            cells.value and cells.value[place] is not None and cells.state[place] not in run_columns.SOURCES
            for cells in document.columns.values()
        )
    )


def ordered(document: Document, params: BoardParams, definition: BenchmarkDefinition) -> Sequence[OrderedSystem]:
    """Every system of a board in the requested order, including those that do not pass the filters: ranks count all.

    Missing values are last in both directions; equal rows are ordered by name. Ranked systems come before all others,
    unless the parameters name a kind. On a board of reported scores the best reported source of a system is shown.
    """
    ranked_by = params.ranked_by(definition)
    column = definition.column(ranked_by)
    systems = _systems(document, params.kind == "reported", column)
    names = {system.place: index for index, system in enumerate(systems)}  # the document has them by name
    keys: dict[str, Callable[[OrderedSystem], Any]] = {
        "name": lambda system: names[system.place],
        "type": lambda system: system.row.type_label,
        "context": lambda system: system.row.context_size,
        "published": lambda system: system.row.published_at,
        ranked_by: lambda system: _in_order(document, system.place, column),
    }
    for sort in reversed(params.order(definition)):
        # Later keys first: sorting is stable, so each sort preserves the order of rows that are equal under its key.
        of_system = keys.get(sort.key)
        values: dict[int, Any] = {
            system.place: of_system(system) if of_system else document.value(system.place, sort.key)
            for system in systems
        }
        known = [system for system in systems if values[system.place] is not None]
        known.sort(key=lambda system: values[system.place], reverse=sort.descending)
        systems = known + [system for system in systems if values[system.place] is None]
    if not params.kind:
        systems = sorted(
            systems,
            key=lambda system: system.row.kind != EntryKind.SCORED or document.value(system.place, ranked_by) is None,
        )
    return systems


def shown_places(document: Document, is_reported: bool) -> dict[int, int]:
    """Places of the rows that are shown for the systems, by the place of each system's first row: on a board of
    reported scores the first reported one."""
    shown = {}
    for place, others in document.sources():
        reported = (source for source in (place, *others) if document.rows[source].kind == EntryKind.REPORTED)
        shown[place] = next(reported, place) if is_reported else place
    return shown


def _in_order(document: Document, place: int, column: Column) -> tuple[float, int] | None:
    """What a row is ordered by in a column: its number, and among means that were clipped to the same number their
    ranks, which are those of the means before. None without a number."""
    value = document.value(place, column.key)
    standings = document.columns[column.key].standings if column.key in document.columns else None
    is_clipped = CLIPPED in document.signatures.get(column.metric, "").split("|")
    rank = standings.rank[place] if standings is not None and is_clipped else None
    return None if value is None else (value, -column.sign * (rank or 0))


def _systems(document: Document, is_reported: bool, ranked_by: Column) -> list[OrderedSystem]:
    """Every system by name, with the source that is shown for it and its rank."""
    rows, shown = document.rows, shown_places(document, is_reported)
    values = {
        place: value
        for place in shown.values()
        if rows[place].kind == EntryKind.SCORED
        and not rows[place].is_human
        and (value := _in_order(document, place, ranked_by)) is not None
    }
    counts = Counter(values.values())
    ranks: dict[tuple[float, int], int] = {}
    n_better = 0
    for value in sorted(counts, reverse=ranked_by.higher_is_better):
        ranks[value] = n_better + 1
        n_better += counts[value]
    systems = []
    for first, others in document.sources():
        place = shown[first]
        rest = tuple(source for source in (first, *others) if source != place)
        ranked = values.get(place)
        rank, tied = (None, False) if ranked is None else (ranks[ranked], counts[ranked] > 1)
        systems.append(OrderedSystem(rows[place], place, rest, rows[first], rank, tied))
    return systems


def filters_of(document: Document) -> list[Fact]:
    """The facts by which a board can be filtered: those that a row states."""
    stated = [row.facts for row in document.rows if row.facts]
    known = {
        key
        for key, cells in document.columns.items()
        if key in run_columns.KEYS and set(cells.state) & run_columns.SOURCES
    }
    known |= {fact.name for fact in FACTS if any(getattr(row, fact.name) for row in stated)}
    return [fact for fact in run_columns.FILTERS if fact.name in known]


def _fact_values(document: Document) -> list[dict[str, Any]]:
    """The rows' run facts and what their runs took, by the names of `run_columns.FILTERS`."""
    values = []
    for place, row in enumerate(document.rows):
        of_row = msgspec.to_builtins(row.facts) if row.facts else {}
        if row.type == WITHHELD:  # which is not the same as not stated
            of_row = {fact.name: WITHHELD for fact in run_columns.FILTERS if fact.kind == "choice"}
        for key in [column.key for column in run_columns.USAGE]:
            if document.state(place, key) in run_columns.SOURCES:
                of_row[key] = document.value(place, key)
        values.append(of_row)
    return values


def _texts(document: Document) -> list[str]:
    """Text of each row with the names, authors and citations of its system, in all of its sources."""
    texts = [""] * len(document.rows)
    for place, others in document.sources():
        sources = (place, *others)
        rows = [document.rows[source] for source in sources]
        text = "\n".join(text for row in rows for text in (row.name, row.authors, row.citation)).casefold()
        for source in sources:
            texts[source] = text
    return texts


def matching(
    document: Document, systems: Sequence[OrderedSystem], params: BoardParams, definition: BenchmarkDefinition
) -> Sequence[OrderedSystem]:
    """The systems, of those given, that pass the filters. Upper and lower case are not distinguished."""
    for word in params.q.casefold().split():
        texts = _texts(document)
        systems = [system for system in systems if word in texts[system.place]]
    if params.kind in EntryKind.values:
        systems = [system for system in systems if system.row.kind == params.kind]
    filters: list[Callable[[OrderedSystem], bool]] = []
    if params.function_calling:
        asked = FUNCTION_CALLING[params.function_calling]
        filters.append(lambda system: system.row.type != WITHHELD and system.row.trained_for_function_calling is asked)
    if params.attributes:
        states_asked = matcher(params.attributes, definition.attributes)
        filters.append(lambda system: system.row.type != WITHHELD and states_asked(system.row.attributes))
    if params.facts:
        states_facts, values = matcher(params.facts, run_columns.FILTERS), _fact_values(document)
        filters.append(lambda system: states_facts(values[system.place]))
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
    systems = matching(document, ordered(document, params, definition), params, definition)
    return sum(not system.row.is_human for system in systems)
