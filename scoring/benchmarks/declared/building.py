"""The definition of a benchmark, made from values that have been checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

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
from scoring.benchmarks.declared.form import COLUMN
from scoring.metrics.base import Metric
from scoring.metrics.columns import Column, Explanation
from scoring.task_types import TASK_TYPES, known_metrics

SHARES: Final = (0.0, 1.0)
_POSITION = 100
"""After the benchmarks of the software, in the order of their slugs."""


def definition_from(
    values: Mapping[str, Any],
    card: tuple[str, tuple[CardSection, ...]],
    results: PublishedResults | None,
    *,
    prompts: Mapping[str, str],
) -> BenchmarkDefinition:
    """The definition that ``benchmark.toml`` declares, without its questions.

    Args:
        values: its content, without mistakes.
        card: the summary and the sections of the data card.
        results: the published results, if there are any.
        prompts: the files of prompts by name.
    """
    metrics = {name: metric for name, metric in values["metrics"].items() if name in known_metrics()}
    columns = _columns(values, metrics)
    first: Collection[str] = values.get("default_columns", [column.score for column in columns if column.default])
    percent = values["scores"] == "percent"
    columns = tuple(replace(column, default=column.score in first, percent=percent) for column in columns)
    settings = tuple(
        SettingDefinition(
            slug,
            table["name"],
            table["description"],
            table.get("accepts_submissions", True),
            table.get("passages", False),
        )
        for slug, table in values["settings"].items()
    )
    subsets = values.get("subsets", {})
    task = TASK_TYPES[values["task_type"]]
    usual = {"names_without_review": task.names_without_review, "length_without_review": task.length_without_review}
    names = ("submissions_per_week", "answer_length", "judged_length", *usual)
    return BenchmarkDefinition(
        slug=values["slug"],
        name=values["name"],
        version=values["version"],
        description=values["description"],
        citation=values["citation"],
        url=values.get("url", ""),
        licence=values["licence"],
        splits=tuple(SplitDefinition(slug, split["name"], split["hidden"]) for slug, split in values["splits"].items()),
        settings=settings,
        metrics=tuple(metrics),
        columns=columns,
        default_split=values.get("default_split") or list(values["splits"])[-1],
        default_setting=values.get("default_setting") or next(own.slug for own in settings if own.accepts_submissions),
        default_sort=values.get("default_sort") or next(column.score for column in columns if column.metric in metrics),
        default_baseline=values.get("default_baseline", ""),
        explanations={name: _explanation(name, metric) for name, metric in metrics.items()},
        compared=tuple((pair["published"], pair["repaired"]) for pair in values.get("compared", ()))
        or _compared(columns),
        read_file=lambda path: SourceFile(()),  # replaced by the reader of the benchmark's files
        packaged=dict,
        published_results=lambda: results,
        card=_data_card(values, *card),
        position=values.get("position", _POSITION),
        task_type=values["task_type"],
        metric_parameters={name: metric["parameters"] for name, metric in metrics.items() if metric.get("parameters")},
        needs_approval=values.get("needs_approval", False),
        **{name: values.get("limits", {}).get(name, usual.get(name)) for name in names},
        prompts=prompts,
        first_source=values.get("reported", {}).get("first", "official"),
        upper_bounds=frozenset(values.get("reported", {}).get("upper_bounds", ())),
        attributes=attributes_of(values),
        subsets=tuple(SubsetDefinition(slug, subset["name"], subset["split"]) for slug, subset in subsets.items()),
    )


def attributes_of(values: Mapping[str, Any]) -> tuple[Attribute, ...]:
    """The declared attributes of systems; the context size in declarations without any, as those before 0.7.0."""
    if "attributes" not in values:
        return (CONTEXT_SIZE,)
    return tuple(
        Attribute(**{**attribute, "choices": tuple(attribute.get("choices", ()))}) for attribute in values["attributes"]
    )


def _metric(name: str, values: Mapping[str, Any]) -> Metric:
    """A metric with the parameters that the benchmark sets, to be described."""
    return known_metrics()[name](**values.get("parameters", {}))


def _columns(values: Mapping[str, Any], metrics: Mapping[str, Any]) -> tuple[Column, ...]:
    """The declared columns in their order; if some metric has none, its usual ones stand at its place among the
    metrics, and so do the others' own."""
    own = [_column(column) for column in values.get("columns", ())]
    if {column.metric for column in own}.issuperset(metrics):
        return tuple(own)
    columns: list[Column] = []
    for name in values["metrics"]:
        declared = [column for column in own if column.metric == name]
        columns += declared or (_metric(name, metrics[name]).columns() if name in metrics else ())
    return (*columns, *(column for column in own if column.metric not in values["metrics"]))


def checked_columns(values: Mapping[str, Any]) -> Sequence[Column]:
    """The columns of a declaration that may have mistakes: those without one."""
    tables = values.get("columns")
    declared = tables if isinstance(tables, list) else []
    own = [_column(column) for column in declared if isinstance(column, dict) and not list(COLUMN.faults(column, ()))]
    metrics = values.get("metrics")
    return [*columns_of(metrics if isinstance(metrics, dict) else ()), *own]


def _column(values: Mapping[str, Any]) -> Column:
    label, metric = values["label"], values.get("metric", "")
    kind = metric, values["score"]
    # What published results alone have is public already.
    disclosed = values.get("disclosed", metric not in known_metrics() or shown_when_hidden(*kind))
    nothing = Column("", "", "", "", "", "")
    usual = next((column for column in columns_of([metric]) if column.score == values["score"]), nothing)
    unit = values.get("unit", usual.unit)
    bounds = usual.bounds if unit == usual.unit else SHARES if unit == "share" else None
    if "bounds" in values:
        bounds = (float(values["bounds"][0]), float(values["bounds"][1])) if values["bounds"] else None
    return Column(
        score=values["score"],
        metric=metric,
        label=label,
        short_label=values.get("short_label", label),
        group=values.get("group", label),
        description=values.get("description", ""),
        default=values.get("default", True),
        disclosed=disclosed and not never_shown_when_hidden(*kind),
        higher_is_better=values.get("higher_is_better", usual.higher_is_better),
        unit=unit,
        digits=values.get("digits", usual.digits),
        bounds=bounds,
    )


def _explanation(metric: str, values: Mapping[str, Any]) -> Explanation:
    usual = _metric(metric, values).explanation()
    return Explanation(
        measures=" ".join(filter(None, (values.get("measures", usual.measures), values.get("remark")))),
        formula=values.get("formula", usual.formula),
        surprises=(*values.get("own_surprises", ()), *values.get("surprises", usual.surprises)),
        source=values.get("source", usual.source),
    )


def _compared(columns: tuple[Column, ...]) -> tuple[tuple[str, str], ...]:
    """Scores as published with their repaired forms: a metric's and that of the metric that repairs it."""
    published = {column.score: column.metric for column in columns}
    pairs = [(column.score.replace("-repaired", "").removeprefix("repaired."), column) for column in columns]
    known = known_metrics()
    return tuple(
        (score, repaired.score)
        for score, repaired in pairs
        if score in published and repaired.metric in known and published[score] == known[repaired.metric].repaired_of
    )


def _data_card(values: Mapping[str, Any], summary: str, sections: tuple[CardSection, ...]) -> DataCard:
    licences = values.get("licences") or [
        {"covers": "Questions and answers", "name": values["licence"], "url": values["licence_url"]}
    ]
    example = values.get("example")
    if example:
        answer = example["answer"]
        pairs = tuple(answer.items()) if isinstance(answer, dict) else tuple((item, "") for item in answer)
        example = {**example, "answer": pairs}
    return DataCard(
        lede=summary,
        example=example,
        sections=sections,
        licences=tuple(licences),
        papers=tuple((link["title"], link["url"]) for link in values.get("links", ())),
        bibtex=values["bibtex"].strip(),
    )
