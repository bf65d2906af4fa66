"""The definition of a benchmark, made from values that have been checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from scoring.benchmarks.attributes import CONTEXT_SIZE, Attribute
from scoring.benchmarks.base import (
    BenchmarkDefinition,
    DataCard,
    Importer,
    PackagedSplit,
    PublishedResults,
)
from scoring.benchmarks.columns import never_shown_when_hidden, shown_when_hidden
from scoring.benchmarks.declared.crosschecks import usual_columns
from scoring.benchmarks.form import BenchmarkTable, ColumnTable, MetricTable
from scoring.metrics.base import Metric
from scoring.metrics.columns import Column, Explanation
from scoring.task_types import TASK_TYPES, known_metrics

SHARES: Final = (0.0, 1.0)


def definition_from(
    form: BenchmarkTable,
    card: DataCard,
    results: PublishedResults | None,
    *,
    prompts: Mapping[str, str],
    importer: Importer,
    questions: Mapping[str, PackagedSplit],
) -> BenchmarkDefinition:
    """The definition that a folder declares."""
    metrics = {name: metric for name, metric in form.metrics.items() if name in known_metrics()}
    columns = _columns(form, metrics)
    first: Collection[str] = form.default_columns or [column.score for column in columns if column.default]
    percent = form.scores == "percent"
    columns = tuple(replace(column, default=column.score in first, percent=percent) for column in columns)
    task, limits, reported = TASK_TYPES[form.task_type], form.limits, form.reported
    names, length = limits.names_without_review, limits.length_without_review
    return BenchmarkDefinition(
        form=form,
        slug=form.slug,
        name=form.name,
        task_type=form.task_type,
        splits=tuple(form.splits.values()),
        settings=tuple(form.settings.values()),
        subsets=tuple(form.subsets.values()),
        metrics=tuple(metrics),
        columns=columns,
        default_split=form.default_split or list(form.splits)[-1],
        default_setting=form.default_setting
        or next(slug for slug, setting in form.settings.items() if setting.accepts_submissions),
        default_sort=form.default_sort or next(column.score for column in columns if column.metric in metrics),
        explanations={name: _explanation(name, metric) for name, metric in metrics.items()},
        compared=tuple((pair.published, pair.repaired) for pair in form.compared),
        published_results=results,
        card=card,
        prompts=prompts,
        metric_parameters={name: metric.parameters for name, metric in metrics.items() if metric.parameters},
        names_without_review=task.names_without_review if names is None else names,
        length_without_review=task.length_without_review if length is None else length,
        first_source=reported.first if reported is not None else "official",
        upper_bounds=frozenset(reported.upper_bounds if reported is not None else ()),
        attributes=attributes_of(form),
        importer=importer,
        questions=questions,
    )


def attributes_of(form: BenchmarkTable) -> tuple[Attribute, ...]:
    """The declared attributes of systems; the context size in declarations without any, as those before 0.7.0."""
    if form.attributes is None:
        return (CONTEXT_SIZE,)
    return tuple(Attribute(**{**dict(own), "choices": tuple(own.choices)}) for own in form.attributes)


def _metric(name: str, table: MetricTable) -> Metric:
    """A metric with the parameters that the benchmark sets, to be described."""
    return known_metrics()[name](**table.parameters)


def _columns(form: BenchmarkTable, metrics: Mapping[str, MetricTable]) -> tuple[Column, ...]:
    """The declared columns in their order; if some metric has none, its usual ones stand at its place among the
    metrics, and so do the others' own."""
    own = [column_from(column, form) for column in form.columns]
    if {column.metric for column in own}.issuperset(metrics):
        return tuple(own)
    columns: list[Column] = []
    for name in form.metrics:
        declared = [column for column in own if column.metric == name]
        columns += declared or (_metric(name, metrics[name]).columns() if name in metrics else ())
    return (*columns, *(column for column in own if column.metric not in form.metrics))


def column_from(table: ColumnTable, form: BenchmarkTable) -> Column:
    """The column that a table declares; what it leaves out is as in the usual column of its score."""
    kind = table.metric, table.score
    nothing = Column("", "", "", "", "", "")
    usual = next((column for column in usual_columns(table.metric, form) if column.score == table.score), nothing)
    unit = table.unit or usual.unit
    if "bounds" in table.model_fields_set:
        bounds = table.bounds
    else:
        bounds = usual.bounds if unit == usual.unit else SHARES if unit == "share" else None
    disclosed = table.disclosed
    if disclosed is None:  # what published results alone have is public already
        disclosed = table.metric not in known_metrics() or shown_when_hidden(*kind)
    return Column(
        score=table.score,
        metric=table.metric,
        label=table.label,
        short_label=table.short_label or table.label,
        group=table.group or table.label,
        description=table.description,
        default=table.default,
        disclosed=disclosed and not never_shown_when_hidden(*kind),
        higher_is_better=usual.higher_is_better if table.higher_is_better is None else table.higher_is_better,
        unit=unit,
        digits=usual.digits if table.digits is None else table.digits,
        bounds=bounds,
    )


def _explanation(metric: str, table: MetricTable) -> Explanation:
    usual = _metric(metric, table).explanation()
    return Explanation(
        measures=" ".join(filter(None, (table.measures or usual.measures, table.remark))),
        formula=table.formula or usual.formula,
        surprises=(*table.own_surprises, *(usual.surprises if table.surprises is None else table.surprises)),
        source=table.source or usual.source,
    )
