"""The parameters of a board's URL: order, filters, columns and page, in one form that every page and export shares."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self
from urllib.parse import urlencode

from django.http import QueryDict

from leaderboard import run_columns
from leaderboard.attributes import PREFIX, Asked, asked_in, filter_parameters
from leaderboard.board.table import hand_grades
from leaderboard.models import SystemType
from leaderboard.web.parameters import NUMBER, TEXT, Parameter
from scoring.benchmarks import definitions
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.subsets import on_split
from scoring.metrics.columns import Column

OTHER_KEYS: Final = ("name", "type", "context", "published")
"""The sort keys of a board in addition to its score columns."""
LONGEST_SEARCH: Final = 100
LARGEST_CONTEXT: Final = 10**15
KINDS: Final = ("scored", "reported", "all")
"""Rows to show: systems ranked here; reported ones; both, each at its place in the order."""
CHARTS: Final = ("cost", "date", "size", "context")
FUNCTION_CALLING: Final = ("yes", "no", "unknown")


def with_runs(
    definition: BenchmarkDefinition, keys: Container[str] = run_columns.KEYS, shared_k: int = 0
) -> BenchmarkDefinition:
    """A definition with those columns of what runs took, and of attempts, that have these keys, after its own. A column
    of its own that has the same key stays alone.

    Args:
        shared_k: the k of pass@k and pass^k; 0 if it is not known.
    """
    own, headline = {column.key for column in definition.columns}, definition.column(definition.default_sort)
    added = tuple(
        run_columns.shown_as(column, headline, shared_k)
        for column in run_columns.COLUMNS
        if column.key in keys and column.key not in own
    )
    return replace(definition, columns=(*definition.columns, *added))


@dataclass(frozen=True)
class SortKey:
    """One key of an order: a column's key, ``name``, ``type``, ``context`` or ``published``."""

    key: str
    descending: bool = False

    def __str__(self) -> str:
        return f"-{self.key}" if self.descending else self.key

    @property
    def direction(self) -> str:
        """Direction of the sort key as ``aria-sort`` names it."""
        return "descending" if self.descending else "ascending"

    @property
    def turned(self) -> "SortKey":
        return SortKey(self.key, not self.descending)


def best_first(definition: BenchmarkDefinition, score: str) -> SortKey:
    """The key that sorts by a score, the best first."""
    return SortKey(score, descending=definition.column(score).higher_is_better)


@dataclass(frozen=True)
class BoardParams:
    """The parameters of a board's URL, without those that `known_parameters` does not have.

    ``sort`` is empty for the benchmark's default. ``columns`` is ``None`` for the default columns. Context sizes are in
    tokens; a system that states none is in no range. ``kind`` is one of `KINDS`, or empty: then all rows are shown,
    the ranked systems first.
    """

    sort: tuple[SortKey, ...] = ()
    q: str = ""
    types: frozenset[str] = frozenset()
    context_min: int | None = None
    context_max: int | None = None
    function_calling: str = ""
    attributes: Asked = ()
    """Filters by attributes that the benchmark declares."""
    facts: Asked = ()
    """Filters by run facts."""
    kind: str = ""
    sources: str = ""
    """``all``: the page shows each row's other sources below it."""
    columns: tuple[str, ...] | Literal["all"] | None = None
    page: int = 1
    groups: bool = False
    """Whether rows are shown in groups of statistical ties."""
    chart: str = ""
    """Name of the chart's horizontal axis, one of `CHARTS`; empty for the usual one."""

    @classmethod
    def of(cls, query: QueryDict, definition: BenchmarkDefinition) -> Self:
        """The parameters of a query string. Lists are separated by commas or given by repeating the parameter."""
        if not query:
            return cls()
        function_calling, kind = query.get("function_calling", ""), query.get("kind", "")
        with_all_runs = with_runs(definition)
        own_keys = {column.key for column in definition.columns}
        every_key = {column.key for column in with_all_runs.columns}
        sort: dict[str, SortKey] = {}
        for text in _items(query, "sort"):
            if (key := text.removeprefix("-")) in {*every_key, *OTHER_KEYS}:
                sort.setdefault(key, SortKey(key, descending=text.startswith("-")))
        order = tuple(sort.values())
        asked = _items(query, "columns")
        # A form that offers columns of runs says so by their metric. Otherwise the board may have none.
        offers_runs = run_columns.METRIC in asked or not (every_key - own_keys).isdisjoint(asked)
        columns = _chosen_columns(with_all_runs if offers_runs else definition, asked)
        if isinstance(columns, tuple):
            columns += tuple(key for key in (run_columns.METRIC, *hand_grades.KEYS) if key in asked)
        return cls(
            sort=() if order == (SortKey(definition.default_sort, descending=True),) else order,
            q=" ".join(query.get("q", "").replace("\0", " ").split())[:LONGEST_SEARCH].strip(),
            types=frozenset(_items(query, "type")) & frozenset(SystemType.values),
            context_min=_number(query.get("context_min", ""), LARGEST_CONTEXT),
            context_max=_number(query.get("context_max", ""), LARGEST_CONTEXT),
            function_calling=function_calling if function_calling in FUNCTION_CALLING else "",
            attributes=asked_in(query, definition.attributes),
            facts=asked_in(query, run_columns.FILTERS, run_columns.PREFIX),
            kind=kind if kind in KINDS else "",
            sources="all" if query.get("sources") == "all" else "",
            columns=columns,
            page=max(1, _number(query.get("page", ""), 10**6) or 1),
            groups=query.get("groups") == "ties",
            chart=chart if (chart := query.get("chart", "")) in CHARTS else "",
        )

    @property
    def filtered(self) -> bool:
        numbers = self.context_min is not None or self.context_max is not None
        return bool(self.q or self.types or self.function_calling or self.attributes or self.facts or numbers)

    def fitting(self, definition: BenchmarkDefinition) -> Self:
        """These parameters without what the board does not have: sort keys and columns. Only here is known which
        columns of runs it has."""
        keys = {column.key for column in definition.columns}
        sort = tuple(key for key in self.sort if key.key in {*keys, *OTHER_KEYS})
        columns = self.columns
        if isinstance(columns, tuple):
            chosen = _chosen_columns(definition, columns)
            columns = columns if isinstance(chosen, tuple) else chosen
        return self if (sort, columns) == (self.sort, self.columns) else replace(self, sort=sort, columns=columns)

    def order(self, definition: BenchmarkDefinition) -> tuple[SortKey, ...]:
        """The current order: as requested, or the benchmark's default column, the best first."""
        return self.sort or (best_first(definition, definition.default_sort),)

    def ranked_by(self, definition: BenchmarkDefinition) -> str:
        """The score column whose ranks are shown: the first in the order, or else the benchmark's default. What a run
        took has no ranks."""
        scores = {column.key for column in definition.columns if column.metric != run_columns.METRIC}
        return next((key.key for key in self.order(definition) if key.key in scores), definition.default_sort)

    def by_rank(self, definition: BenchmarkDefinition) -> bool:
        """Whether the rows are in the order of their ranks."""
        return self.order(definition)[0] == best_first(definition, self.ranked_by(definition))

    def shown(self, definition: BenchmarkDefinition) -> tuple[Column, ...]:
        """The columns to show, in the benchmark's order; those that the board is sorted by are always among them."""
        if self.columns == "all":
            return definition.columns
        wanted = set(self.columns) if self.columns else {column.key for column in definition.default_columns}
        wanted |= {key.key for key in self.sort}
        return tuple(column for column in definition.columns if column.key in wanted)

    def shows_hand_grades(self, key: str) -> bool:
        """Whether a column of grades by hand is shown on a board that has some."""
        return not isinstance(self.columns, tuple) or key in self.columns

    def query_string(self, **changes: Any) -> str:
        """The query string of these parameters, with *changes*: always in the same order, and without default values.

        Any change leads to the first page, unless the page itself is changed.
        """
        if changes and "page" not in changes:
            changes["page"] = 1
        params = replace(self, **changes)
        columns = params.columns if isinstance(params.columns, str) else ",".join(params.columns or ())
        pairs: list[tuple[str, object]] = [
            ("sort", ",".join(map(str, params.sort))),
            ("q", params.q),
            *(("type", value) for value in SystemType.values if value in params.types),
            ("context_min", "" if params.context_min is None else params.context_min),
            ("context_max", "" if params.context_max is None else params.context_max),
            ("function_calling", params.function_calling),
            *((f"{PREFIX}{key}", text) for key, text in params.attributes),
            *((f"{run_columns.PREFIX}{key}", text) for key, text in params.facts),
            ("kind", params.kind),
            ("sources", params.sources),
            ("columns", columns),
            ("groups", "ties" if params.groups else ""),
            ("chart", params.chart),
            ("page", params.page if params.page > 1 else ""),
        ]
        return urlencode([pair for pair in pairs if pair[1] != ""], safe=",")


def known_parameters(definition: BenchmarkDefinition) -> dict[str, Parameter]:
    """The parameters of a board's URL that `BoardParams` reads."""
    keys = tuple(column.key for column in with_runs(definition).columns)
    orders = tuple(f"{sign}{key}" for key in (*keys, *OTHER_KEYS) for sign in ("", "-"))
    size = Parameter(
        accepts=lambda text: _number(text, LARGEST_CONTEXT) is not None, expected="a whole number of tokens"
    )
    return {
        "sort": Parameter(orders, listed=True),
        "q": TEXT,
        "type": Parameter(tuple(SystemType.values), listed=True),
        "context_min": size,
        "context_max": size,
        "function_calling": Parameter(FUNCTION_CALLING),
        **filter_parameters(definition.attributes),
        **filter_parameters(run_columns.FILTERS, run_columns.PREFIX),
        "kind": Parameter(KINDS),
        "sources": Parameter(("all",)),
        "columns": Parameter((*keys, run_columns.METRIC, *hand_grades.KEYS, "all", "default"), listed=True),
        "groups": Parameter(("ties",)),
        "chart": Parameter(CHARTS),
        "page": NUMBER,
    }


def known_on_board(benchmark: str, split: str, setting: str, **_: str) -> dict[str, Parameter]:
    """The parameters of the URL of a board, of its files and of its charts; only the page's number of a board that does
    not exist."""
    known = definitions().get(benchmark)
    return known_parameters(on_split(known, split)) if known is not None else {"page": NUMBER}


def _chosen_columns(definition: BenchmarkDefinition, keys: Sequence[str]) -> tuple[str, ...] | Literal["all"] | None:
    """A choice of columns as `BoardParams.columns` has it, without unknown ones."""
    offered = tuple(column.key for column in definition.columns)
    chosen = offered if "all" in keys else tuple(key for key in offered if key in keys)
    return "all" if chosen == offered else chosen or None


def _items(query: QueryDict, name: str) -> list[str]:
    return [item for text in query.getlist(name) for item in text.split(",")]


_NUMBER: Final = re.compile("[0-9]+|[0-9]{1,3}(?:[.,'’_ \u00a0\u202f][0-9]{3})+")
"""Digits, or digits in groups of three with the separators of any language."""


def _number(text: str, most: int) -> int | None:
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    digits = re.sub("[^0-9]", "", text)
    return min(int(digits), most) if len(digits) <= len(str(most)) else None
