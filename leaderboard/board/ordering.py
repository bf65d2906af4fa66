"""The one place that orders a board: sorting, ranks, ties, filters and missing scores, decided in the database.

A rank stands only among rows with comparable scores: systems scored here under the current signature of the metric
that ranks are of. Published numbers are shown in their place in the order, without a rank; people are pinned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FloatField,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    Window,
)
from django.db.models.functions import Coalesce, Lower, Rank

from leaderboard.board.asked import Asked
from leaderboard.models import Entry, EntryKind, ReportedValue, SystemType
from scoring.benchmarks.base import BenchmarkDefinition, ColumnDefinition
from scoring.models import Score, Setting, Split
from scoring.states import RunState

TYPE_LABEL: Final = Case(
    *(When(system__type=value, then=Value(label)) for value, label in SystemType.choices), default=Value("")
)
OTHER_SORTS: Final[dict[str, Any]] = {
    "name": Lower("system__name"),
    "type": TYPE_LABEL,
    "context": F("context"),
    "published": F("published_at"),
}
FUNCTION_CALLING: Final = {"yes": True, "no": False, "unknown": None}


def valued_entries(
    entries: QuerySet[Entry], columns: Sequence[ColumnDefinition], signatures: Mapping[str, str]
) -> QuerySet[Entry]:
    """Entries with one annotation ``value_<i>`` per column: our score under the current signature, or the published
    number, or null. Also ``context``: the row's context size, or else its system's."""
    values: dict[str, Any] = {}
    for index, column in enumerate(columns):
        scored = Score.objects.filter(
            run__answer_set=OuterRef("answer_set"),
            run__state=RunState.DONE,
            run__repeat=0,
            name=column.score,
            signature=signatures.get(column.metric, ""),
        )
        reported = ReportedValue.objects.filter(entry=OuterRef("pk"), name=column.score)
        values[f"value_{index}"] = Coalesce(
            Subquery(scored.values("value")[:1]), Subquery(reported.values("value")[:1]), output_field=FloatField()
        )
    return entries.filter(replaced_at=None).annotate(**values, context=Coalesce("context_size", "system__context_size"))


def ranked(entries: QuerySet[Entry], value: str) -> QuerySet[Entry]:
    """Entries with ``rank`` and ``n_tied`` by the annotation *value*, highest first, within each split and setting.

    They mean something where ``comparable`` is 1: for systems that were scored here and have a value.
    """
    comparable = Q(kind=EntryKind.SCORED, system__is_human=False) & Q(**{f"{value}__isnull": False})
    entries = entries.annotate(comparable=Case(When(comparable, then=Value(1)), default=Value(0)))
    window: dict[str, Any] = {"partition_by": [F("split"), F("setting"), F("comparable")]}
    return entries.annotate(
        rank=Window(Rank(), order_by=F(value).desc(nulls_last=True), **window),
        n_tied=Window(Count("pk"), partition_by=[*window["partition_by"], F(value)]),
    )


def matching(asked: Asked) -> Q:
    """The condition that a row passes the filters."""
    condition = Q()
    for word in asked.q.split():
        condition &= (
            Q(system__name__icontains=word) | Q(system__authors__icontains=word) | Q(system__citation__icontains=word)
        )
    if asked.types:
        condition &= Q(system__type__in=sorted(asked.types))
    if asked.context_min is not None:
        condition &= Q(context__gte=asked.context_min)
    if asked.context_max is not None:
        condition &= Q(context__lte=asked.context_max)
    if asked.function_calling:
        condition &= Q(system__trained_for_function_calling=FUNCTION_CALLING[asked.function_calling])
    if asked.kind:
        condition &= Q(kind=asked.kind)
    return condition


@dataclass(frozen=True)
class Place:
    """Where an entry stands in the order of a board."""

    pk: int
    kind: str
    is_human: bool
    matches: bool
    rank: int | None
    tied: bool
    apart: bool
    """Whether it has scores, but none under a signature in force."""


def places(
    split: Split, setting: Setting, asked: Asked, definition: BenchmarkDefinition, signatures: Mapping[str, str]
) -> list[Place]:
    """Every entry of a board in the order asked for, those that do not pass the filters too: ranks are of all.

    Missing values stand last in both directions; equal rows stand by name. One query.
    """
    order = asked.order(definition)
    by_key = {column.key: column for column in definition.columns}
    ranked_by = asked.ranked_by(definition)
    scores = list(dict.fromkeys([ranked_by, *(key.key for key in order if key.key in by_key)]))
    own = Score.objects.filter(run__answer_set=OuterRef("answer_set"), run__state=RunState.DONE, run__repeat=0)
    in_force = own.filter(signature__in=list(signatures.values()))
    entries = valued_entries(
        Entry.objects.filter(split=split, setting=setting), [by_key[key] for key in scores], signatures
    )
    entries = ranked(entries, "value_0").annotate(
        matches=Case(When(matching(asked), then=Value(1)), default=Value(0), output_field=IntegerField())
        if asked.filtered
        else Value(1),
        apart=Case(
            When(Q(kind=EntryKind.SCORED) & ~Exists(in_force) & Exists(own), then=Value(1)),
            default=Value(0),
            output_field=IntegerField(),
        ),
    )
    ordering = []
    for key in order:
        expression = F(f"value_{scores.index(key.key)}") if key.key in by_key else OTHER_SORTS[key.key]
        ordering.append(expression.desc(nulls_last=True) if key.descending else expression.asc(nulls_last=True))
    rows = entries.order_by(*ordering, Lower("system__name"), "pk").values_list(
        "pk", "kind", "system__is_human", "matches", "comparable", "rank", "n_tied", "apart"
    )
    return [
        Place(
            pk=pk,
            kind=kind,
            is_human=is_human,
            matches=bool(matches),
            rank=rank if comparable else None,
            tied=bool(comparable) and n_tied > 1,
            apart=bool(apart),
        )
        for pk, kind, is_human, matches, comparable, rank, n_tied, apart in rows
    ]
