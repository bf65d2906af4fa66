"""The one place that orders a board: sorting, ranks, ties, filters and missing scores.

A rank stands only among rows with comparable scores: systems scored here under the current signature of the metric
that ranks are of. Published numbers are shown in their place in the order, without a rank; people are pinned.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import (
    Case,
    Count,
    F,
    FloatField,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    Window,
)
from django.db.models.functions import Coalesce, Lower, Rank

from leaderboard.board.table.params import Asked
from leaderboard.models import Entry, EntryKind, ReportedValue, SystemType
from scoring.benchmarks.base import BenchmarkDefinition, ColumnDefinition
from scoring.models import Run, Score, Setting, Split
from scoring.models.run_states import RunState

TYPE_LABEL: Final = Case(
    *(When(system__type=value, then=Value(label)) for value, label in SystemType.choices), default=Value("")
)
NAME: Final = Lower("system__name")
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


@dataclass(frozen=True)
class Line:
    """What the order of a board is made of, of one of its entries."""

    pk: int
    kind: str
    answer_set: Any
    is_human: bool
    matches: bool
    keys: Mapping[str, Any]
    """By key of `leaderboard.board.table.params.OTHER_KEYS`; a name by its place among all."""


def places(
    split: Split,
    setting: Setting,
    asked: Asked,
    definition: BenchmarkDefinition,
    signatures: Mapping[str, str],
    values: Mapping[tuple[int, str], float],
) -> list[Place]:
    """Every entry of a board in the order asked for, those that do not pass the filters too: ranks are of all.

    Missing values stand last in both directions; equal rows stand by name. What passes is decided in the database, and
    so is how names compare. The order itself is made here, of flat reads: a subquery for each row and key costs a
    database seconds where a board has a thousand rows. Two queries.

    Args:
        values: by entry and column, of all entries and of all columns in the order; see `values_of`.
    """
    lines = _lines(split, setting, asked)
    compared = _compared(split, setting, signatures)
    ranked_by = asked.ranked_by(definition)
    comparable = [
        values[line.pk, ranked_by]
        for line in lines
        if line.kind == EntryKind.SCORED and not line.is_human and (line.pk, ranked_by) in values
    ]
    ranks: dict[float, int] = {}
    for rank, value in enumerate(sorted(comparable, reverse=True), start=1):
        ranks.setdefault(value, rank)
    tied = {value for value, count in Counter(comparable).items() if count > 1}
    scores = {column.key for column in definition.columns}
    for key in reversed(asked.order(definition)):
        # Later keys first: sorting is stable, so each leaves the order of those that it finds equal.
        found: dict[int, Any] = {
            line.pk: values.get((line.pk, key.key)) if key.key in scores else line.keys[key.key] for line in lines
        }
        known = [line for line in lines if found[line.pk] is not None]
        known.sort(key=lambda line: found[line.pk], reverse=key.descending)
        lines = known + [line for line in lines if found[line.pk] is None]
    made = []
    for line in lines:
        mine = values.get((line.pk, ranked_by))
        is_ranked = mine is not None and line.kind == EntryKind.SCORED and not line.is_human
        made.append(
            Place(
                pk=line.pk,
                kind=line.kind,
                is_human=line.is_human,
                matches=line.matches,
                rank=ranks[mine] if is_ranked and mine is not None else None,
                tied=is_ranked and mine in tied,
                apart=compared.get(line.answer_set) is False,
            )
        )
    return made


def _lines(split: Split, setting: Setting, asked: Asked) -> list[Line]:
    """The entries of a board by name, lowest first."""
    entries = Entry.objects.filter(split=split, setting=setting, replaced_at=None).annotate(
        context=Coalesce("context_size", "system__context_size"), folded_name=NAME, label=TYPE_LABEL
    )
    passes = (
        Case(When(matching(asked), then=Value(1)), default=Value(0), output_field=IntegerField())
        if asked.filtered
        else Value(1)
    )
    rows = entries.annotate(matches=passes).order_by("folded_name", "pk")
    return [
        Line(
            pk=pk,
            kind=kind,
            answer_set=answer_set,
            is_human=is_human,
            matches=bool(matches),
            keys={"name": place, "type": label, "context": context, "published": published},
        )
        for place, (pk, kind, answer_set, is_human, matches, label, context, published) in enumerate(
            rows.values_list(
                *("pk", "kind", "answer_set", "system__is_human", "matches", "label", "context", "published_at")
            )
        )
    ]


def _compared(split: Split, setting: Setting, signatures: Mapping[str, str]) -> dict[Any, bool]:
    """By answer set that has scores: whether any is under a signature in force."""
    runs = Run.objects.filter(
        answer_set__board_entry__split=split,
        answer_set__board_entry__setting=setting,
        answer_set__board_entry__replaced_at=None,
        state=RunState.DONE,
        repeat=0,
    )
    in_force = Case(When(signature__in=list(signatures.values()), then=Value(1)), default=Value(0))
    found = runs.order_by().values_list("answer_set").annotate(in_force=Max(in_force, output_field=IntegerField()))
    return {answer_set: bool(any_in_force) for answer_set, any_in_force in found}


def values_of(
    split: Split, setting: Setting, columns: Sequence[ColumnDefinition], signatures: Mapping[str, str]
) -> dict[tuple[int, str], float]:
    """By entry and column, every number on a board: our score under the signature in force, or the published one.

    Two queries, whatever the number of rows and columns.
    """
    metric_of = {column.score: column.metric for column in columns}
    scores = Score.objects.filter(
        run__answer_set__board_entry__split=split,
        run__answer_set__board_entry__setting=setting,
        run__answer_set__board_entry__replaced_at=None,
        run__state=RunState.DONE,
        run__repeat=0,
        name__in=metric_of,
        signature__in=[signatures[metric] for metric in set(metric_of.values()) if metric in signatures],
    )
    reported = ReportedValue.objects.filter(
        entry__split=split, entry__setting=setting, entry__replaced_at=None, name__in=metric_of
    )
    found = {(entry, name): value for entry, name, value in reported.order_by().values_list("entry", "name", "value")}
    rows = scores.order_by().values_list("run__answer_set__board_entry", "name", "value", "run__metric")
    found.update(((entry, name), value) for entry, name, value, metric in rows if metric == metric_of[name])
    return found
