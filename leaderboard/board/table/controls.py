"""The controls of a board: sort keys, filters, columns, pages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leaderboard.attributes import asked_in_words
from leaderboard.board.table.links import Links, column, other_column
from leaderboard.board.table.types import ActiveFilter, Choice, ChoiceGroup, OrderKey, ShownColumn, Tab
from leaderboard.models import SystemType
from scoring.metrics.columns import Column

OTHER_LABELS = {"name": "System", "type": "Type", "context": "Context", "published": "Published"}
FUNCTION_CALLING_LABELS = {
    "yes": "Trained for function calling",
    "no": "Not trained for function calling",
    "unknown": "Function calling not stated",
}


def order_keys(links: Links) -> list[OrderKey]:
    """The current sort keys, each with the links that reverse or remove it."""
    order = links.params.order(links.definition)
    labels = {one.key: one.label for one in links.definition.columns} | OTHER_LABELS
    return [
        OrderKey(
            key=one.key,
            label=labels[one.key],
            direction=one.direction,
            turn_url=links.sorted_by(*(other.turned if other == one else other for other in order)),
            drop_url=links.sorted_by(*(other for other in order if other != one)) if len(order) > 1 else "",
        )
        for one in order
    ]


def then_columns(links: Links, shown: Sequence[Column]) -> list[ShownColumn]:
    """The columns that can be added to the sort order: those on the page and the columns without scores."""
    heads = [column(one, links) for one in shown]
    heads += [other_column(key, label, links) for key, label in OTHER_LABELS.items()]
    return [head for head in heads if head.then_url]


def active_filters(links: Links) -> list[ActiveFilter]:
    """The current filters, in words."""
    params = links.params
    found: list[tuple[str, dict[str, Any]]] = []
    if params.q:
        found.append((f"“{params.q}”", {"q": ""}))
    found += [
        (label, {"types": params.types - {value}}) for value, label in SystemType.choices if value in params.types
    ]
    if params.context_min is not None:
        found.append((f"At least {params.context_min:,} tokens", {"context_min": None}))
    if params.context_max is not None:
        found.append((f"At most {params.context_max:,} tokens", {"context_max": None}))
    if params.function_calling:
        found.append((FUNCTION_CALLING_LABELS[params.function_calling], {"function_calling": ""}))
    found += [(label, {"attributes": rest}) for label, rest in asked_in_words(params.attributes, links.definition)]
    return [ActiveFilter(label, links.to(**changes)) for label, changes in found]


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


def type_choices(links: Links) -> list[Choice]:
    """The system types to choose from."""
    return [Choice(value, label, value in links.params.types) for value, label in SystemType.choices]


def column_choices(links: Links, shown: Sequence[Column]) -> list[ChoiceGroup]:
    """The available columns, by group."""
    keys = {one.key for one in shown}
    groups: dict[str, list[Choice]] = {}
    for one in links.definition.columns:
        groups.setdefault(one.group, []).append(Choice(one.key, one.short_label, one.key in keys))
    return [ChoiceGroup(label, tuple(choices)) for label, choices in groups.items()]


def page_urls(links: Links, page: int, n_pages: int) -> dict[str, str]:
    """The URLs of the previous and the next page."""
    urls = {}
    if page > 1:
        urls["previous"] = links.to(page=page - 1)
    if page < n_pages:
        urls["next"] = links.to(page=page + 1)
    return urls
