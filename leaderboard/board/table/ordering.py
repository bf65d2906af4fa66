"""The one module that orders a board: sorting, ranks, ties, filters and missing scores.

Ranks compare only rows with comparable scores: systems scored here under the current signature of the metric that the
ranks use. Published numbers are shown at their place in the order, without a rank; people are pinned.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import msgspec

from leaderboard import facts
from leaderboard.attributes import matcher
from leaderboard.board.document import Document, Row
from leaderboard.board.table.params import BoardParams
from leaderboard.models import WITHHELD, EntryKind
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.facts import FACTS, Fact

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
        cells.value and cells.value[place] is not None and cells.state[place] not in facts.SOURCES for cells in columns
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
    systems = [system for system in _systems(document, params) if not system.row.is_human]
    return counts_with(document, systems, [params], definition)[0]


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


def filters_of(document: Document) -> list[Fact]:
    """The facts by which a board can be filtered: those that a row states."""
    stated = [row.facts for row in document.rows if row.facts]
    known = {key for key, cells in document.columns.items() if key in facts.KEYS and set(cells.state) & facts.SOURCES}
    known |= {fact.name for fact in FACTS if any(getattr(row, fact.name) for row in stated)}
    return [fact for fact in facts.FILTERS if fact.name in known]


def fact_values(document: Document, place: int) -> dict[str, Any]:
    """A row's run facts and what its run took, by the names of `facts.FILTERS`."""
    row = document.rows[place]
    values = msgspec.to_builtins(row.facts) if row.facts else {}
    if row.type == WITHHELD:  # which is not the same as not stated
        values = {fact.name: WITHHELD for fact in facts.FILTERS if fact.kind == "choice"}
    for key in facts.KEYS:
        if document.state(place, key) in facts.SOURCES:
            values[key] = document.value(place, key)
    return values


def counts_with(
    document: Document,
    systems: Sequence[OrderedSystem],
    params: Sequence[BoardParams],
    definition: BenchmarkDefinition,
) -> list[int]:
    """How many of some systems pass the filters of each of some parameters."""
    values = cache(partial(fact_values, document))
    predicates = [_filter(document, filtered, definition, values) for filtered in params]
    return [sum(map(passes, systems)) for passes in predicates]


def _filter(
    document: Document,
    params: BoardParams,
    definition: BenchmarkDefinition,
    values: Callable[[int], Mapping[str, Any]] | None = None,
) -> Callable[[OrderedSystem], bool]:
    """A predicate for systems that pass the filters. Upper and lower case are not distinguished."""
    values = values or partial(fact_values, document)
    words = params.q.casefold().split()
    kind = params.kind if params.kind in EntryKind.values else ""
    states_asked = matcher(params.attributes, definition.attributes)
    states_facts = matcher(params.facts, facts.FILTERS)

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
        if params.facts and not states_facts(values(system.place)):
            return False
        return (
            (not params.types or row.type in params.types)
            and (params.context_min is None or (context is not None and context >= params.context_min))
            and (params.context_max is None or (context is not None and context <= params.context_max))
            and (not kind or row.kind == kind)
        )

    return passes
