"""The definition of a benchmark, made from values that have been checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scoring.benchmarks.attributes import CONTEXT_SIZE, Attribute
from scoring.benchmarks.base import (
    BenchmarkDefinition,
    CardSection,
    DataCard,
    PublishedResults,
    SettingDefinition,
    SourceFile,
    SplitDefinition,
    SubsetDefinition,
)
from scoring.benchmarks.columns import columns_of, never_shown_when_hidden, shown_when_hidden
from scoring.benchmarks.declared.form import BenchmarkTable, ColumnTable, MetricTable
from scoring.metrics.base import Metric
from scoring.metrics.columns import Column, Explanation
from scoring.task_types import TASK_TYPES, known_metrics

SHARES: Final = (0.0, 1.0)


def definition_from(
    form: BenchmarkTable,
    card: tuple[str, tuple[CardSection, ...]],
    results: PublishedResults | None,
    *,
    prompts: Mapping[str, str],
) -> BenchmarkDefinition:
    """The definition that ``benchmark.toml`` declares, without its questions.

    Args:
        form: its content, without mistakes.
        card: the summary and the sections of the data card.
        results: the published results, if there are any.
        prompts: the files of prompts by name.
    """
    metrics = {name: metric for name, metric in form.metrics.items() if name in known_metrics()}
    columns = _columns(form, metrics)
    first: Collection[str] = form.default_columns or [column.score for column in columns if column.default]
    percent = form.scores == "percent"
    columns = tuple(replace(column, default=column.score in first, percent=percent) for column in columns)
    task, limits, reported = TASK_TYPES[form.task_type], form.limits, form.reported
    names, length = limits.names_without_review, limits.length_without_review
    return BenchmarkDefinition(
        slug=form.slug,
        name=form.name,
        version=form.version,
        description=form.description,
        citation=form.citation,
        url=form.url,
        licence=form.licence,
        splits=tuple(SplitDefinition(slug, split.name, split.hidden) for slug, split in form.splits.items()),
        settings=tuple(
            SettingDefinition(slug, own.name, own.description, own.accepts_submissions, own.passages)
            for slug, own in form.settings.items()
        ),
        metrics=tuple(metrics),
        columns=columns,
        default_split=form.default_split or list(form.splits)[-1],
        default_setting=form.default_setting
        or next(slug for slug, setting in form.settings.items() if setting.accepts_submissions),
        default_sort=form.default_sort or next(column.score for column in columns if column.metric in metrics),
        default_baseline=form.default_baseline,
        explanations={name: _explanation(name, metric) for name, metric in metrics.items()},
        compared=tuple((pair.published, pair.repaired) for pair in form.compared),
        read_file=lambda path: SourceFile(()),  # replaced by the reader of the benchmark's files
        packaged=dict,
        published_results=lambda: results,
        card=_data_card(form, *card),
        position=form.position,
        task_type=form.task_type,
        metric_parameters={name: metric.parameters for name, metric in metrics.items() if metric.parameters},
        needs_approval=form.needs_approval,
        submissions_per_week=limits.submissions_per_week,
        answer_length=limits.answer_length,
        remove_reasoning=form.answers.remove_reasoning,
        judged_length=limits.judged_length,
        names_without_review=task.names_without_review if names is None else names,
        length_without_review=task.length_without_review if length is None else length,
        prompts=prompts,
        first_source=reported.first if reported is not None else "official",
        upper_bounds=frozenset(reported.upper_bounds if reported is not None else ()),
        attributes=attributes_of(form),
        subsets=tuple(SubsetDefinition(slug, subset.name, subset.split) for slug, subset in form.subsets.items()),
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
    own = [column_from(column) for column in form.columns]
    if {column.metric for column in own}.issuperset(metrics):
        return tuple(own)
    columns: list[Column] = []
    for name in form.metrics:
        declared = [column for column in own if column.metric == name]
        columns += declared or (_metric(name, metrics[name]).columns() if name in metrics else ())
    return (*columns, *(column for column in own if column.metric not in form.metrics))


def column_from(table: ColumnTable) -> Column:
    """The column that a table declares; what it leaves out is as in the usual column of its score."""
    kind = table.metric, table.score
    nothing = Column("", "", "", "", "", "")
    usual = next((column for column in columns_of([table.metric]) if column.score == table.score), nothing)
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


def _data_card(form: BenchmarkTable, summary: str, sections: Sequence[CardSection]) -> DataCard:
    licences = [dict(licence) for licence in form.licences]
    return DataCard(
        lede=summary,
        example=form.example.model_dump() if form.example is not None else None,
        sections=tuple(sections),
        licences=tuple(licences)
        or ({"covers": "Questions and answers", "name": form.licence, "url": form.licence_url},),
        papers=tuple((link.title, link.url) for link in form.links),
        bibtex=form.bibtex.strip(),
    )
