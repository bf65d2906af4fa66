"""The definition of a benchmark, made from values that have been checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from scoring.benchmarks.base import (
    BenchmarkDefinition,
    CardSection,
    ColumnDefinition,
    DataCard,
    ExampleQuestion,
    ExampleStep,
    Licence,
    MetricExplanation,
    PublishedResults,
    SettingDefinition,
    SourceError,
    SourceFile,
    SplitDefinition,
    SubsetDefinition,
)
from scoring.benchmarks.columns import columns_of, never_shown_when_hidden, shown_when_hidden, with_parameters
from scoring.benchmarks.explanations import EXPLANATIONS
from scoring.benchmarks.list_explanations import EXPLANATIONS as LIST_EXPLANATIONS
from scoring.task_types import installed

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
    columns = _columns(values)
    settings = tuple(_setting(slug, one) for slug, one in values["settings"].items())
    return BenchmarkDefinition(
        slug=values["slug"],
        name=values["name"],
        version=values["version"],
        description=values["description"],
        citation=values["citation"],
        url=values.get("url", ""),
        licence=values["licence"],
        splits=tuple(SplitDefinition(slug, one["name"], one["hidden"]) for slug, one in values["splits"].items()),
        settings=settings,
        metrics=tuple(values["metrics"]),
        columns=columns,
        default_split=values.get("default_split") or list(values["splits"])[-1],
        default_setting=values.get("default_setting") or next(one.slug for one in settings if one.accepts_submissions),
        default_sort=values.get("default_sort") or columns[0].score,
        default_baseline=values.get("default_baseline", ""),
        explanations={name: _explanation(name, one) for name, one in values["metrics"].items()},
        compared=tuple((one["published"], one["repaired"]) for one in values.get("compared", ())) or _compared(columns),
        read_file=_unread,
        packaged=dict,
        published_results=lambda: results,
        card=_data_card(values, *card),
        position=values.get("position", _POSITION),
        task_type=values["task_type"],
        metric_parameters={name: one["parameters"] for name, one in values["metrics"].items() if one.get("parameters")},
        percent=values["scores"] == "percent",
        needs_approval=values.get("needs_approval", False),
        submissions_per_week=values.get("limits", {}).get("submissions_per_week"),
        answer_length=values.get("limits", {}).get("answer_length"),
        prompts=prompts,
        upper_bounds=frozenset(values.get("reported", {}).get("upper_bounds", ())),
        subsets=tuple(_subset(slug, one) for slug, one in values.get("subsets", {}).items()),
    )


def _unread(path: object) -> SourceFile:
    raise SourceError([f"{path}: no reader"])


def _subset(slug: str, values: Mapping[str, Any]) -> SubsetDefinition:
    return SubsetDefinition(slug, values["name"], values["split"])


def _setting(slug: str, values: Mapping[str, Any]) -> SettingDefinition:
    return SettingDefinition(
        slug,
        values["name"],
        values["description"],
        values.get("accepts_submissions", True),
        takes_passages=values.get("passages", False),
    )


def _columns(values: Mapping[str, Any]) -> tuple[ColumnDefinition, ...]:
    columns = tuple(map(_column, values.get("columns", ()))) or _usual_columns(values["metrics"])
    if "default_columns" not in values:
        return columns
    return tuple(replace(one, default=one.score in values["default_columns"]) for one in columns)


def _usual_columns(metrics: Mapping[str, Any]) -> tuple[ColumnDefinition, ...]:
    """The usual columns of some metrics; their texts name the thresholds that the benchmark sets."""

    def worded(one: ColumnDefinition) -> ColumnDefinition:
        word = partial(with_parameters, parameters=metrics[one.metric].get("parameters", {}))
        return replace(one, label=word(one.label), short_label=word(one.short_label), description=word(one.description))

    return tuple(map(worded, columns_of(metrics)))


def _column(values: Mapping[str, Any]) -> ColumnDefinition:
    label, kind = values["label"], (values["metric"], values["score"])
    disclosed = values.get("disclosed", shown_when_hidden(*kind))
    return ColumnDefinition(
        score=values["score"],
        metric=values["metric"],
        label=label,
        short_label=values.get("short_label", label),
        group=values.get("group", label),
        description=values.get("description", ""),
        default=values.get("default", True),
        disclosed=disclosed and not never_shown_when_hidden(*kind),
    )


def _explanation(metric: str, values: Mapping[str, Any]) -> MetricExplanation:
    found = installed().metrics.get(metric)
    own = MetricExplanation(found.measures if found is not None else "", "", ())
    usual = {**EXPLANATIONS, **LIST_EXPLANATIONS}.get(metric, own)
    word = partial(with_parameters, parameters=values.get("parameters", {}))
    return MetricExplanation(
        measures=" ".join(filter(None, (values.get("measures", word(usual.measures)), values.get("remark")))),
        formula=values.get("formula", word(usual.formula)),
        surprises=(*values.get("own_surprises", ()), *values.get("surprises", usual.surprises)),
        source=values.get("source", usual.source),
    )


def _compared(columns: tuple[ColumnDefinition, ...]) -> tuple[tuple[str, str], ...]:
    """Scores as published with their repaired forms: a metric's and that of its namesake ``-repaired``."""
    pairs = []
    for repaired in columns:
        published = repaired.metric.removesuffix("-repaired")
        part = repaired.score.rpartition(".")[2]
        same = [one for one in columns if one.metric == published and one.score.rpartition(".")[2] == part]
        if published != repaired.metric and same:
            pairs.append((same[0].score, repaired.score))
    return tuple(pairs)


def _data_card(values: Mapping[str, Any], summary: str, sections: tuple[CardSection, ...]) -> DataCard:
    licences = values.get("licences") or [
        {"covers": "Questions and answers", "name": values["licence"], "url": values["licence_url"]}
    ]
    return DataCard(
        lede=summary,
        example=_example(values["example"]) if "example" in values else None,
        sections=sections,
        licences=tuple(Licence(one["covers"], one["name"], one["url"]) for one in licences),
        papers=tuple((one["title"], one["url"]) for one in values.get("links", ())),
        bibtex=values["bibtex"].strip(),
    )


def _example(values: Mapping[str, Any]) -> ExampleQuestion:
    answer: Mapping[str, str] | list[str] = values["answer"]
    return ExampleQuestion(
        question=values["question"],
        steps=tuple(
            ExampleStep(one["question"], one["document"], one["url"], one["answer"]) for one in values.get("steps", ())
        ),
        answer=tuple(answer.items()) if isinstance(answer, dict) else tuple((item, "") for item in answer),
        source=values["source"],
    )
