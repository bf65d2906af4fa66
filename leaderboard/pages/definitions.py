"""Content of the definitions page: every metric in words, its current signatures, and the differences between a score
as published and the same score repaired."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.board.table import board_url
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.declarations import known_benchmarks
from scoring.metrics.columns import Column, Explanation
from scoring.models import Score, Split
from scoring.models.run_states import RunState
from scoring.queries import current_signatures_of
from scoring.registry import metric_named, why_unavailable
from scoring.runs.audit import AuditTotal, totals


@dataclass(frozen=True)
class MetricDefinition:
    """One metric in words."""

    name: str
    label: str
    explanation: Explanation
    formula_template: str
    """Its formula as MathML if there is one, or else as text."""
    columns: tuple[Column, ...]
    signatures: list[tuple[str, str]]
    """By the name of each split that has questions."""
    audited: AuditTotal | None
    """How many answers were compared with the official code; ``None`` if none was."""
    unavailable: bool
    """Whether it cannot be computed here now. The cause is for maintainers."""

    @property
    def off_the_board(self) -> bool:
        """Whether boards show its columns only if all columns are requested."""
        return not any(column.default for column in self.columns)


@dataclass(frozen=True)
class Movement:
    """A score as published and the same score repaired."""

    column: Column
    """The published one."""
    published: float | None
    repaired: float | None

    @property
    def difference(self) -> float | None:
        """Repaired minus published, if both exist."""
        return None if self.published is None or self.repaired is None else self.repaired - self.published


@dataclass(frozen=True)
class SystemMovements:
    """One system's movements, one for each pair of columns that the benchmark compares."""

    name: str
    url: str
    movements: list[Movement]


@dataclass(frozen=True)
class MovementTable:
    """The differences for the systems of one board."""

    split: str
    setting: str
    url: str
    systems: list[SystemMovements]


@dataclass(frozen=True)
class BenchmarkPage:
    """A benchmark's part of the page."""

    slug: str
    name: str
    metrics: list[MetricDefinition]
    compared: list[Column]
    """The published one of each pair."""
    tables: list[MovementTable]

    @property
    def benchmark_slug(self) -> str:
        """The benchmark's slug."""
        return self.slug


def definitions_page() -> list[BenchmarkPage]:
    """Every benchmark's metrics and differences. Six queries, whatever their number."""
    splits = list(
        Split.objects.filter(current_revision__isnull=False, benchmark__in=known_benchmarks())
        .select_related("benchmark", "current_revision")
        .order_by("benchmark__position", "benchmark__slug", "position")
    )
    signatures = current_signatures_of(splits)
    entries: list[Any] = list(
        Entry.objects.filter(
            split__in=splits, kind=EntryKind.SCORED, replaced_at=None, system__is_human=False
        ).select_related("system", "setting")
    )
    values = _values(entries, splits, signatures)
    audited = totals()
    pages = []
    for benchmark in known_benchmarks():
        definition = definition_of(benchmark.slug)
        own = [split for split in splits if split.benchmark_id == benchmark.pk]
        columns = {column.key: column for column in definition.columns}
        pages.append(
            BenchmarkPage(
                slug=benchmark.slug,
                name=benchmark.name,
                metrics=[_metric(name, definition, own, signatures, audited) for name in definition.metrics],
                compared=[columns[published] for published, _ in definition.compared],
                tables=[
                    table for split in own for table in _tables(split, benchmark.slug, definition, entries, values)
                ],
            )
        )
    return pages


def _metric(
    name: str,
    definition: BenchmarkDefinition,
    splits: Sequence[Split],
    signatures: Mapping[int, Mapping[str, str]],
    audited: Mapping[str, AuditTotal],
) -> MetricDefinition:
    registered = metric_named(name)
    return MetricDefinition(
        name=name,
        label=registered.label,
        explanation=definition.explanations[name],
        formula_template=registered.formula or "formulas/as_text.html",
        columns=tuple(column for column in definition.columns if column.metric == name),
        audited=audited.get(name),
        signatures=[(split.name, signatures[split.pk][name]) for split in splits],
        unavailable=bool(why_unavailable(registered)),
    )


def _values(
    entries: Sequence[Entry], splits: Sequence[Split], signatures: Mapping[int, Mapping[str, str]]
) -> dict[tuple[Any, str], float]:
    """By answer set and score: the value under the current signature. One query."""
    columns = {
        (split.pk, column.score): column
        for split in splits
        for column in definition_of(split.benchmark.slug).columns
        if any(column.key in pair for pair in definition_of(split.benchmark.slug).compared)
    }
    scores = Score.objects.counting().filter(
        run__answer_set__board_entry__in=entries,
        run__state=RunState.DONE,
        run__subset="",
        name__in={score for _, score in columns},
    )
    rules = {split.pk: DisclosureRule.of(split) for split in splits}
    return {
        (answer_set, name): value
        for answer_set, split, name, exact, signature, *counts in scores.values_list(
            *("run__answer_set", "run__answer_set__split", "name", "value", "signature", "n_answered", "n_items", "pk")
        )
        if (column := columns.get((split, name))) is not None
        and signature == signatures[split].get(column.metric)
        and not rules[split].reason_withheld(name, *counts)
        and (value := rules[split].number(exact, column)) is not None
    }


def _tables(
    split: Split,
    benchmark: str,
    definition: BenchmarkDefinition,
    entries: Sequence[Any],
    values: Mapping[tuple[Any, str], float],
) -> list[MovementTable]:
    rows: dict[Any, list[SystemMovements]] = {}
    for entry in entries:
        if entry.split_id == split.pk:
            movements = [
                Movement(definition.column(pair[0]), *(values.get((entry.answer_set_id, name)) for name in pair))
                for pair in definition.compared
            ]
            if any(movement.difference is not None for movement in movements):
                system = entry.system
                moved = SystemMovements(system.name, system.get_absolute_url(), movements)
                rows.setdefault(entry.setting, []).append(moved)
    return [
        MovementTable(
            split=split.name,
            setting=setting.name,
            url=f"{board_url(benchmark, split.slug, setting.slug)}?columns=all",
            systems=sorted(systems, key=lambda one: (-(one.movements[0].published or 0), one.name)),
        )
        for setting, systems in sorted(rows.items(), key=lambda item: item[0].position)
    ]
