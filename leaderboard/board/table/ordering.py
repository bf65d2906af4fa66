"""The one module that orders a board: sorting, ranks, ties, filters and missing scores.

Ranks compare only rows with comparable scores: systems scored here under the current signature of the metric that the
ranks use. Published numbers are shown at their place in the order, without a rank; people are pinned.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from leaderboard.attributes import matcher
from leaderboard.board.document import Document, Row
from leaderboard.board.table.params import BoardParams
from leaderboard.models import WITHHELD, EntryKind
from scoring.benchmarks.base import BenchmarkDefinition

FUNCTION_CALLING: Final = {"yes": True, "no": False, "unknown": None}


@dataclass
class OrderedSystem:
    """A system in the order of a board. Rows are by their places in the document."""

    row: Row
    """The row that is shown for it."""
    place: int
    others: list[int]
    """Its other sources."""
    named: Row
    """The row with its names: another one on a board of reported scores, if it was scored here too."""
    matches: bool = True
    """Whether it passes the filters."""
    rank: int | None = None
    tied: bool = False

    @property
    def is_ranked(self) -> bool:
        """Whether it is a system that was scored here."""
        return self.row.kind == EntryKind.SCORED and not self.row.is_human


def is_apart(document: Document, place: int) -> bool:
    """Whether a row has scores, but none under a current signature."""
    columns = document.columns.values()
    return any(place in cells.other for cells in columns) and not any(
        cells.value and cells.value[place] is not None for cells in columns
    )


def ordered(document: Document, params: BoardParams, definition: BenchmarkDefinition) -> list[OrderedSystem]:
    """Every system of a board in the requested order, including those that do not pass the filters: ranks count all.

    Missing values are last in both directions; equal rows are ordered by name. Ranked systems come before all others,
    unless the parameters name a kind. On a board of reported scores the best reported source of a system is shown.
    """
    systems = _systems(document, params)
    ranked_by = params.ranked_by(definition)
    counts = Counter(
        value
        for system in systems
        if system.is_ranked and (value := document.value(system.place, ranked_by)) is not None
    )
    ranks: dict[float, int] = {}
    n_better = 0
    for value in sorted(counts, reverse=definition.column(ranked_by).higher_is_better):
        ranks[value] = n_better + 1
        n_better += counts[value]
    passes = _filter(document, params, definition)
    for system in systems:
        system.matches = passes(system)
        value = document.value(system.place, ranked_by)
        if system.is_ranked and value is not None:
            system.rank, system.tied = ranks[value], counts[value] > 1
    names = {system.place: index for index, system in enumerate(systems)}  # the document has them by name
    keys: dict[str, Callable[[OrderedSystem], Any]] = {
        "name": lambda system: names[system.place],
        "type": lambda system: system.row.type_label,
        "context": lambda system: system.row.context_size,
        "published": lambda system: system.row.published_at,
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
        systems.sort(
            key=lambda system: system.row.kind != EntryKind.SCORED or document.value(system.place, ranked_by) is None
        )
    return systems


def n_matching(document: Document, params: BoardParams, definition: BenchmarkDefinition) -> int:
    """The number of systems that pass the filters, people left out."""
    passes = _filter(document, params, definition)
    return sum(not system.row.is_human and passes(system) for system in _systems(document, params))


def _systems(document: Document, params: BoardParams) -> list[OrderedSystem]:
    """Every system, with the source that is shown for it."""
    rows, systems = document.rows, []
    for place, others in document.sources():
        shown = place
        if params.kind == "reported":
            reported = (source for source in (place, *others) if rows[source].kind == EntryKind.REPORTED)
            shown = next(reported, place)
        rest = [source for source in (place, *others) if source != shown]
        systems.append(OrderedSystem(rows[shown], shown, rest, rows[place]))
    return systems


def _filter(
    document: Document, params: BoardParams, definition: BenchmarkDefinition
) -> Callable[[OrderedSystem], bool]:
    """A predicate for systems that pass the filters. Upper and lower case are not distinguished."""
    words = params.q.casefold().split()
    states_asked = matcher(params.attributes, definition)

    def passes(system: OrderedSystem) -> bool:
        row, context = system.row, system.row.context_size
        if words:
            sources = [system.named, *(document.rows[place] for place in system.others)]
            texts = [text.casefold() for row in sources for text in (row.name, row.authors, row.citation)]
            if not all(any(word in text for text in texts) for word in words):
                return False
        if params.function_calling and (
            row.type == WITHHELD or row.trained_for_function_calling is not FUNCTION_CALLING[params.function_calling]
        ):
            return False
        if params.attributes and (row.type == WITHHELD or not states_asked(row.attributes)):
            return False
        return (
            (not params.types or row.type in params.types)
            and (params.context_min is None or (context is not None and context >= params.context_min))
            and (params.context_max is None or (context is not None and context <= params.context_max))
            and (params.kind not in EntryKind.values or row.kind == params.kind)
        )

    return passes
