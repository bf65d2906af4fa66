"""The controls of a board: sort keys, filters, columns, pages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leaderboard.attributes import asked_in_words
from leaderboard.board.document import Document
from leaderboard.board.table.links import Links, column, other_column
from leaderboard.board.table.ordering import OrderedSystem, filters_of, matching, n_matching
from leaderboard.board.table.params import BoardParams
from leaderboard.board.table.types import ShownColumn, Tab
from leaderboard.models import SystemType
from leaderboard.run_columns import FILTERS
from scoring.benchmarks.facts import OPEN_WEIGHTS
from scoring.metrics.columns import Column

SMALL = 10
"""The billions of parameters of what is small: such a model runs on one usual graphics card."""
OTHER_LABELS = {"name": "System", "type": "Type", "context": "Context", "published": "Published"}
FUNCTION_CALLING_LABELS = {
    "yes": "Trained for function calling",
    "no": "Not trained for function calling",
    "unknown": "Function calling not stated",
}


def order_keys(links: Links) -> list[dict[str, str]]:
    """The current sort keys: each with the URLs of the reverse order and of the order without it, if there are
    others."""
    order = links.params.order(links.definition)
    labels = {column.key: column.label for column in links.definition.columns} | OTHER_LABELS
    return [
        {
            "key": key.key,
            "label": labels[key.key],
            "direction": key.direction,
            "turn_url": links.sorted_by(*(other.turned if other == key else other for other in order)),
            "drop_url": links.sorted_by(*(other for other in order if other != key)) if len(order) > 1 else "",
        }
        for key in order
    ]


def then_columns(links: Links, shown: Sequence[Column]) -> list[ShownColumn]:
    """The columns that can be added to the sort order: those on the page and the columns without scores."""
    heads = [column(known, links) for known in shown]
    heads += [other_column(key, label, links) for key, label in OTHER_LABELS.items()]
    return [head for head in heads if head.then_url]


def active_filters(links: Links) -> list[tuple[str, str]]:
    """The current filters in words, each with the URL of the board without it."""
    params = links.params
    filters: list[tuple[str, dict[str, Any]]] = [
        *([(f"“{params.q}”", {"q": ""})] if params.q else []),
        *((label, {"types": params.types - {value}}) for value, label in SystemType.choices if value in params.types),
    ]
    if params.context_min is not None:
        filters.append((f"At least {params.context_min:,} tokens", {"context_min": None}))
    if params.context_max is not None:
        filters.append((f"At most {params.context_max:,} tokens", {"context_max": None}))
    if params.function_calling:
        filters.append((FUNCTION_CALLING_LABELS[params.function_calling], {"function_calling": ""}))
    attributes = links.definition.attributes
    filters += [(label, {"attributes": rest}) for label, rest in asked_in_words(params.attributes, attributes)]
    filters += [(label, {"facts": rest}) for label, rest in asked_in_words(params.facts, FILTERS)]
    return [(label, links.to(**changes)) for label, changes in filters]


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
    counts = [len(matching(document, systems, params, links.definition)) for params in asked]
    return [
        Tab(label, links.to(facts=rest if wanted in now else (*rest, wanted)), wanted in now, count)
        for (label, wanted), rest, count in zip(presets, others, counts, strict=True)
        if count or wanted in now
    ]


def reset_url(links: Links) -> str:
    """The board without its filters, in the same order and with the same columns."""
    now = links.params
    layout = replace(type(now)(), sort=now.sort, columns=now.columns, kind=now.kind, sources=now.sources)
    return replace(links, params=layout).to()


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
    return filters + [Tab(label, url, True, None) for label, url in active_filters(links) if url not in known]


KIND_LABELS = {"scored": "Scored here", "reported": "Reported"}


def column_choices(links: Links, shown: Sequence[Column]) -> dict[str, list[tuple[str, str, bool]]]:
    """The available columns by group: key, label, and whether the page shows it."""
    groups: dict[str, list[tuple[str, str, bool]]] = {}
    for known in links.definition.columns:
        groups.setdefault(known.group, []).append((known.key, known.short_label, known in shown))
    return groups
