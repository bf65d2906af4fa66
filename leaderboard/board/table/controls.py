"""The controls of a board: sort keys, filters, columns, pages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leaderboard.attributes import asked_in_words
from leaderboard.board.table.links import Links, column, other_column
from leaderboard.board.table.types import ShownColumn, Tab
from leaderboard.models import SystemType
from scoring.metrics.columns import Column

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
    filters += [(label, {"attributes": rest}) for label, rest in asked_in_words(params.attributes, links.definition)]
    return [(label, links.to(**changes)) for label, changes in filters]


def reset_url(links: Links) -> str:
    """The board without its filters, in the same order and with the same columns."""
    now = links.params
    layout = replace(type(now)(), sort=now.sort, columns=now.columns, kind=now.kind, sources=now.sources)
    return replace(links, params=layout).to()


KIND_LABELS = {"all": "All", "scored": "Ranked", "reported": "Reported"}


def kind_tabs(links: Links, counts: Mapping[str, int]) -> list[Tab]:
    """The switch between ranked and reported rows.

    Args:
        counts: the number of rows of each of `KIND_LABELS`.
    """
    if not counts["scored"] or not counts["reported"]:
        return []
    shown = links.params.kind or "all"
    urls = {kind: links.to(kind="" if kind == "all" else kind) for kind in KIND_LABELS}
    return [Tab(label, urls[kind], kind == shown, counts[kind]) for kind, label in KIND_LABELS.items()]


def column_choices(links: Links, shown: Sequence[Column]) -> dict[str, list[tuple[str, str, bool]]]:
    """The available columns by group: key, label, and whether the page shows it."""
    groups: dict[str, list[tuple[str, str, bool]]] = {}
    for known in links.definition.columns:
        groups.setdefault(known.group, []).append((known.key, known.short_label, known in shown))
    return groups
