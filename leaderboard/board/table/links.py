"""The links from a board to other views of the same board: orders, filters, columns. Each preserves the other
parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.urls import reverse

from leaderboard import run_columns
from leaderboard.attributes import asked_in_words
from leaderboard.board.document import Document
from leaderboard.board.table import hand_grades
from leaderboard.board.table.ordering import OrderedSystem, filters_of, matching, n_matching
from leaderboard.board.table.params import OTHER_KEYS, BoardParams, SortKey, best_first
from leaderboard.models import SystemType
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.facts import OPEN_WEIGHTS
from scoring.metrics.columns import Column
from scoring.metrics.side_by_side import items as pairs
from scoring.registry import metric_named

NOT_METRICS: Final = {hand_grades.METRIC: hand_grades.LABEL, run_columns.METRIC: run_columns.LABEL}
SMALL = 10
"""The billions of parameters of what is small: such a model runs on one usual graphics card."""
OTHER_LABELS = {"name": "System", "type": "Type", "context": "Context", "published": "Published"}
FUNCTION_CALLING_LABELS = {
    "yes": "Trained for function calling",
    "no": "Not trained for function calling",
    "unknown": "Function calling not stated",
}
KIND_LABELS = {"scored": "Scored here", "reported": "Reported"}


@dataclass(frozen=True)
class ShownColumn(Column):
    """A column of scores with the links in its heading."""

    metric_label: str = ""
    sort_url: str = ""
    """Sorts by this column alone; in the reverse direction if it is the first key already."""
    sorted: str = ""
    """``ascending`` or ``descending`` if this column is a sort key, the first or a later one."""
    sort_place: int = 0
    """The position of this column among the sort keys, from 1; 0 if it is not one."""
    then_url: str = ""
    """Sorts by this column after the current keys; empty if it is one of them or no more can be added."""


@dataclass(frozen=True)
class Tab:
    """A link between boards, or a filter that a click sets, or removes if it is set."""

    label: str
    url: str
    current: bool
    """Whether the link leads to this board, or the filter is set."""
    count: int | None
    """The board's systems, or those that pass the filter together with the other filters; None for a filter that was
    typed."""


def ranking_url(benchmark: str, split: str, setting: str) -> str:
    """The URL of the ranking of a board whose systems are compared side by side; empty for any other board."""
    compared = pairs.NAME in definition_of(benchmark).metrics
    return reverse("board-ranking", args=[benchmark, split, setting]) if compared else ""


@dataclass(frozen=True)
class Links:
    """The URLs of one board with the current parameters."""

    url: str
    params: BoardParams
    definition: BenchmarkDefinition

    def to(self, **changes: object) -> str:
        """The URL of the same board with some changes."""
        query = self.params.query_string(**changes)
        return f"{self.url}{'&' if '?' in self.url else '?'}{query}" if query else self.url

    def sorted_by(self, *keys: SortKey) -> str:
        """The URL that sorts by these keys, in order of priority."""
        first_choice = (best_first(self.definition, self.definition.default_sort),)
        return self.to(sort=() if keys == first_choice else keys)

    @property
    def columns_url(self) -> str:
        """The URL with all columns, or, if they are shown, with the default columns. A sort key of a column that is no
        longer shown is dropped."""
        default = self.definition.default_columns
        if self.params.columns != "all":
            return self.to(columns="all")
        stays = {column.key for column in default} | set(OTHER_KEYS)
        return self.to(columns=None, sort=tuple(key for key in self.params.sort if key.key in stays))

    @property
    def sort(self) -> str:
        """The current order as a parameter of a URL."""
        return ",".join(map(str, self.params.order(self.definition)))

    @property
    def order(self) -> list[dict[str, str]]:
        """The current sort keys: each with the URLs of the reverse order and of the order without it, if there are
        others."""
        order = self.params.order(self.definition)
        labels = {column.key: column.label for column in self.definition.columns} | OTHER_LABELS
        return [
            {
                "key": key.key,
                "label": labels[key.key],
                "direction": key.direction,
                "turn_url": self.sorted_by(*(other.turned if other == key else other for other in order)),
                "drop_url": self.sorted_by(*(other for other in order if other != key)) if len(order) > 1 else "",
            }
            for key in order
        ]

    @property
    def filters(self) -> list[tuple[str, str]]:
        """The current filters in words, each with the URL of the board without it."""
        params = self.params
        filters: list[tuple[str, dict[str, Any]]] = [
            *([(f"“{params.q}”", {"q": ""})] if params.q else []),
            *(
                (str(label), {"types": params.types - {key}})
                for key, label in SystemType.choices
                if key in params.types
            ),
        ]
        if params.context_min is not None:
            filters.append((f"At least {params.context_min:,} tokens", {"context_min": None}))
        if params.context_max is not None:
            filters.append((f"At most {params.context_max:,} tokens", {"context_max": None}))
        if params.function_calling:
            filters.append((FUNCTION_CALLING_LABELS[params.function_calling], {"function_calling": ""}))
        attributes = self.definition.attributes
        filters += [(label, {"attributes": rest}) for label, rest in asked_in_words(params.attributes, attributes)]
        filters += [(label, {"facts": rest}) for label, rest in asked_in_words(params.facts, run_columns.FILTERS)]
        return [(label, self.to(**changes)) for label, changes in filters]

    @property
    def reset_url(self) -> str:
        """The board without its filters, in the same order and with the same columns."""
        now = self.params
        layout = BoardParams(sort=now.sort, columns=now.columns, kind=now.kind, sources=now.sources)
        return replace(self, params=layout).to()

    def head(self, key: str, *, high_first: bool) -> dict[str, object]:
        """The data about the order that a column's heading needs."""
        order = self.params.order(self.definition)
        place, now = next(((place, sort) for place, sort in enumerate(order, start=1) if sort.key == key), (0, None))
        wanted = SortKey(key, descending=high_first)
        return {
            "sort_url": self.sorted_by(now.turned if now and place == 1 else wanted),
            "sorted": now.direction if now else "",
            "sort_place": place,
            "then_url": self.sorted_by(*order, wanted) if now is None else "",
        }


def column(definition: Column, links: Links | None = None) -> ShownColumn:
    """A column as a page shows it, with links to sort by it if they are given."""
    head = links.head(definition.key, high_first=definition.higher_is_better) if links else {}
    return ShownColumn(
        **vars(definition),
        metric_label=NOT_METRICS.get(definition.metric) or metric_named(definition.metric).label or definition.label,
        **head,  # type: ignore[arg-type]
    )


def other_column(key: str, label: str, links: Links) -> ShownColumn:
    """The heading of a column without scores."""
    head = links.head(key, high_first=key in ("context", "published"))
    return ShownColumn(key, "", label, label, "", "", **head)  # type: ignore[arg-type]


def plain_columns(shown: Sequence[Column]) -> list[ShownColumn]:
    """Columns without links to sort by them."""
    return [column(definition) for definition in shown]


def labelled_signatures(signatures: Mapping[str, str], shown: Sequence[Column]) -> list[tuple[str, str]]:
    """The label and the signature of each metric that has one of these columns."""
    metrics = {definition.metric for definition in shown}
    return [(metric_named(name).label, text) for name, text in signatures.items() if name in metrics]


def then_columns(links: Links, shown: Sequence[Column]) -> list[ShownColumn]:
    """The columns that can be added to the sort order: those on the page and the columns without scores."""
    heads = [column(known, links) for known in shown]
    heads += [other_column(key, label, links) for key, label in OTHER_LABELS.items()]
    return [head for head in heads if head.then_url]


def fact_links(links: Links, document: Document, systems: Sequence[OrderedSystem], shown: BoardParams) -> list[Tab]:
    """Usual filters by run facts as links, each with the number of systems that pass it and the other filters; a chosen
    one leads to the board without it. One that no system passes is left out.

    Args:
        shown: the parameters with the kind of rows that the page shows.
    """
    years = [row.facts.released.year for row in document.rows if row.facts and row.facts.released]
    presets = [
        ("Open weights", ("access", OPEN_WEIGHTS)),
        ("API", ("access", "api")),
        *([(f"Released since {max(years) - 1}", ("released.min", f"{max(years) - 1}-01-01"))] if years else []),
        (f"Up to {SMALL} B", ("parameters.max", str(SMALL))),
        ("With cost", ("cost.min", "0")),
    ]
    known = {fact.name for fact in filters_of(document)}
    presets = [preset for preset in presets if preset[1][0].partition(".")[0] in known]
    now = links.params.facts
    others = [tuple(pair for pair in now if pair[0] != wanted[0]) for _, wanted in presets]
    asked = [replace(shown, facts=(*rest, wanted)) for rest, (_, wanted) in zip(others, presets, strict=True)]
    counts = [len(matching(systems, params, links.definition)) for params in asked]
    return [
        Tab(label, links.to(facts=rest if wanted in now else (*rest, wanted)), wanted in now, count)
        for (label, wanted), rest, count in zip(presets, others, counts, strict=True)
        if count or wanted in now
    ]


def filter_links(
    links: Links, document: Document, systems: Sequence[OrderedSystem], kinds: Mapping[str, int], shown: BoardParams
) -> list[Tab]:
    """The filters that a click sets or takes off: sources of scores and run facts, each with the systems that pass it
    together with the other filters; then the other filters that are set.

    Args:
        kinds: the number of systems of each of `KIND_LABELS` on the whole board.
        shown: the parameters with the kind of rows that the page shows.
    """
    filters = []
    for kind, label in KIND_LABELS.items() if all(kinds[kind] for kind in KIND_LABELS) else ():
        chosen = kind == shown.kind
        url = links.to(kind="all" if chosen else "" if kind == "scored" else kind)
        count = n_matching(document, replace(shown, kind=kind), links.definition)
        if count or chosen:
            filters.append(Tab(label, url, chosen, count))
    filters += fact_links(links, document, systems, shown)
    known = {filter_link.url for filter_link in filters}
    return filters + [Tab(label, url, True, None) for label, url in links.filters if url not in known]


def column_choices(links: Links, shown: Sequence[Column]) -> dict[str, list[tuple[str, str, bool]]]:
    """The available columns by group: key, label, and whether the page shows it."""
    groups: dict[str, list[tuple[str, str, bool]]] = {}
    for known in links.definition.columns:
        groups.setdefault(known.group, []).append((known.key, known.short_label, known in shown))
    return groups
