"""Content of the definitions page: every metric in words, its current signatures, and the differences between a score
as published and the same score repaired."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.board.table import board_url
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.declarations import known_benchmarks
from scoring.models import Score, Split
from scoring.models.run_states import RunState
from scoring.queries import current_signatures_of
from scoring.registry import metric_named, why_unavailable


def definitions_page() -> list[dict[str, Any]]:
    """Every benchmark's part of the page. Five queries, whatever their number.

    Each metric has its formula as a template, its columns and signatures (by the name of each split that has
    questions), and whether it cannot be computed here, whose cause is for maintainers. ``compared`` are the published
    columns of the pairs that the benchmark compares, ``tables`` the differences for the systems of each board.
    """
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
    pages = []
    for benchmark in known_benchmarks():
        definition = definition_of(benchmark.slug)
        own = [split for split in splits if split.benchmark_id == benchmark.pk]
        metrics = []
        for name in definition.metrics:
            metric = metric_named(name)
            columns = [column for column in definition.columns if column.metric == name]
            metrics.append(
                {
                    "name": name,
                    "label": metric.label,
                    "explanation": definition.explanations[name],
                    "formula_template": metric.formula or "formulas/as_text.html",
                    "columns": columns,
                    "off_the_board": not any(column.default for column in columns),
                    "signatures": [(split.name, signatures[split.pk][name]) for split in own],
                    "unavailable": bool(why_unavailable(metric)),
                }
            )
        pages.append(
            {
                "slug": benchmark.slug,
                "name": benchmark.name,
                "metrics": metrics,
                "compared": [definition.column(published) for published, _ in definition.compared],
                "tables": [table for split in own for table in _tables(split, definition, entries, values)],
            }
        )
    return pages


def _values(
    entries: Sequence[Entry], splits: Sequence[Split], signatures: Mapping[int, Mapping[str, str]]
) -> dict[tuple[Any, str], float]:
    """Values under the current signatures, by answer set and score. One query."""
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
    split: Split, definition: BenchmarkDefinition, entries: Sequence[Any], values: Mapping[tuple[Any, str], float]
) -> list[dict[str, Any]]:
    """The boards of a split with their systems, the best published score first. Each system has for each pair of
    columns the published column, the score as published and repaired, and their difference; None for what is missing.
    """
    rows: dict[Any, list[tuple[Any, list[Any]]]] = {}
    for entry in entries:
        if entry.split_id != split.pk:
            continue
        movements = []
        for pair in definition.compared:
            published, repaired = (values.get((entry.answer_set_id, name)) for name in pair)
            difference = None if published is None or repaired is None else repaired - published
            movements.append((definition.column(pair[0]), published, repaired, difference))
        if any(difference is not None for *_, difference in movements):
            rows.setdefault(entry.setting, []).append((entry.system, movements))
    return [
        {
            "split": split.name,
            "setting": setting.name,
            "url": f"{board_url(definition.slug, split.slug, setting.slug)}?columns=all",
            "systems": sorted(systems, key=lambda row: (-(row[1][0][1] or 0), row[0].name)),
        }
        for setting, systems in sorted(rows.items(), key=lambda item: item[0].position)
    ]
