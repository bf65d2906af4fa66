"""Checks of ``benchmark.toml`` between its fields: names that must be declared elsewhere, or that are taken."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from scoring.benchmarks.attributes import FILTERED_KINDS, OLD_NAMES
from scoring.benchmarks.columns import JUDGES, columns_of
from scoring.benchmarks.declared import categories
from scoring.benchmarks.declared.importers import importer_named, importer_names
from scoring.benchmarks.declared.question_rows import KEYS
from scoring.benchmarks.declared.reported import FIELDS as REPORTED_FIELDS
from scoring.benchmarks.form import (
    OF_QUESTIONS,
    RESERVED_ATTRIBUTES,
    RESERVED_SETTINGS,
    RESERVED_SLUGS,
    AttributeTable,
    BenchmarkTable,
    SplitTable,
    metrics_of,
    scores_of,
)
from scoring.benchmarks.names import on_subset
from scoring.files.mistakes import nearest, one_of, repeated, shown
from scoring.files.tables import Fault
from scoring.files.toml_lines import Path
from scoring.metrics.asking.items import JudgeSettings
from scoring.metrics.columns import Column
from scoring.task_types import TASK_TYPES, known_metrics

LONGEST_SUBSET: Final = 16
LONGEST_METRIC: Final = 39
"""The most characters of a metric's name together with that of a subset."""


def faults(form: BenchmarkTable, broken: Collection[Path]) -> Iterator[Fault]:
    """What is wrong between fields.

    Stored declarations are checked too: one with a fault is off its site. What only authors must know is in
    `scoring.benchmarks.declared.folder_checks`.

    Args:
        form: the content of ``benchmark.toml``, where values that are wrong by themselves are empty.
        broken: the paths of these, which are passed over.
    """
    checks = (_taken_names, _questions, _published_files, _times, _subsets, _defaults, _metrics, _passages, _parameters)
    for check in (*checks, _attempts, _columns, _attributes, _models, _keys_of_questions):
        yield from (fault for fault in check(form) if fault.path not in broken)
    if not any(path[0] == "categories" for path in broken):
        yield from categories.faults(form.categories)


def with_place_of_parameter(fault: Fault) -> Fault:
    """A fault that says where to write a metric's parameter, if it is written beside `parameters`."""
    table, name, key = (*fault.path, "", "", "")[:3]
    if table == "metrics" and name in known_metrics() and key in known_metrics()[str(name)].parameters():
        return replace(fault, fix=f"Write it as a parameter: parameters = {{ {key} = … }}.")
    return fault


def declared_scores(form: BenchmarkTable) -> list[str]:
    """The scores that have a column: declared ones first, in their order."""
    return [score for score, _ in scores_with_metrics(form)]


def scores_on_subsets(form: BenchmarkTable, split: str) -> list[str]:
    """The scores that boards of a split show of its subsets."""
    subsets = [name for name, subset in form.subsets.items() if subset.split == split]
    computed = [score for score, metric in scores_with_metrics(form) if metric not in JUDGES]
    return [on_subset(score, subset) for subset in subsets for score in computed]


def scores_with_metrics(form: BenchmarkTable) -> list[tuple[str, str]]:
    """The scores that have a column, each with its metric."""
    own = [(column.score, column.metric) for column in form.columns if column.score]
    without = [name for name in form.metrics if name not in {column.metric for column in form.columns}]
    return own + [(column.score, column.metric) for name in without for column in usual_columns(name, form)]


def usual_columns(name: str, form: BenchmarkTable) -> tuple[Column, ...]:
    """The columns of a metric with its declared parameters; without them, if it refuses these (`_parameters`)."""
    parameters = form.metrics[name].parameters if name in form.metrics else {}
    if parameters and name in known_metrics() and parameters.keys() <= set(known_metrics()[name].parameters()):
        with suppress(TypeError, ValueError):
            return known_metrics()[name](**parameters).columns()
    return columns_of([name])


def _taken_names(form: BenchmarkTable) -> Iterator[Fault]:
    if form.slug in RESERVED_SLUGS:
        yield Fault(("slug",), shown(form.slug), "a name that is no page of the site", "Choose another slug.")
    for name in form.settings.keys() & set(RESERVED_SETTINGS):
        fix = "Choose another name: this is a field of the submission form, or a page of the site."
        yield Fault(("settings", name), f"the name {name}", "a name of a setting", fix)
    if form.settings and not any(setting.accepts_submissions for setting in form.settings.values()):
        yield Fault(("settings",), "no setting that accepts submissions", "at least one")


def _questions(form: BenchmarkTable) -> Iterator[Fault]:
    """An importer that does not exist, and splits and subsets without questions that have none either."""
    if form.importer:
        try:
            if importer_named(form.importer) is None:
                names = importer_names()
                fix = nearest(form.importer, names) or "Install its package, or correct the name."
                yield Fault(("importer",), shown(form.importer), one_of(names), fix)
        except ValueError as error:
            yield Fault(("importer",), f"the importer {error}", "one that works", "Correct its package.")
    tables: Mapping[str, Mapping[str, Any]] = {"splits": form.splits, "subsets": form.subsets}
    for kind, name, split in ((kind, *item) for kind, named in tables.items() for item in named.items()):
        elsewhere = form.importer or form.questions is not None
        if not elsewhere or split.questions or split.answers or split.date:
            for key in OF_QUESTIONS:
                if not getattr(split, key):
                    yield Fault((kind, name, key), "nothing", SplitTable.expected(key), f"Add {key}.")


def _published_files(form: BenchmarkTable) -> Iterator[Fault]:
    """A mapping beside an importer, and one that shows in plain what its authors encrypt."""
    if form.questions is None:
        return
    if form.importer:
        actual = "fields of files that an importer reads"
        yield Fault(("questions",), actual, "none beside importer", "Remove one of the two.")
    for place, name in repeated(form.questions.columns):
        yield Fault(("questions", "columns", place), f"{name} again", "each name once")
    task = TASK_TYPES.get(form.task_type)
    if form.questions.unanswerable is not None and task is not None and "unanswerable" not in task.question_keys:
        expected = one_of([name for name, own in TASK_TYPES.items() if "unanswerable" in own.question_keys])
        yield Fault(("questions", "unanswerable"), f"it with {form.task_type}", f"it with {expected}", "Remove it.")
    encrypted = form.questions.decrypts
    for name, split in form.splits.items() if encrypted else ():
        if not split.hidden:
            actual = f"an open split, although {encrypted[0]} is encrypted"
            fix = "Pages would show in plain what its authors keep out of training data."
            yield Fault(("splits", name, "hidden"), actual, "true", fix)


def _times(form: BenchmarkTable) -> Iterator[Fault]:
    """Splits that close before they open, and parts kept for the end of splits that have no end, or nothing to keep."""
    for name, split in form.splits.items():
        path: Path = ("splits", name)
        if split.opens is not None and split.closes is not None and split.closes <= split.opens:
            found = f"{split.closes.isoformat()}, which is not after opens"
            yield Fault((*path, "closes"), found, f"a time after {split.opens.isoformat()}", "Correct one of the two.")
        if split.final is None:
            continue
        is_over = split.closes is not None and split.closes <= datetime.datetime.now(tz=datetime.UTC)
        if not split.hidden and not is_over:
            found = "a part kept for the end of an open split, whose reference answers are public"
            fix = "Remove the line, or write hidden = true."
            yield Fault((*path, "final"), found, "it only on a split that is hidden until it closes", fix)
        if split.closes is None:
            found = "nothing, although final keeps a part of the split for the end"
            yield Fault((*path, "closes"), found, "the time of the end", "Add closes, or remove final.")
        if any(known_metrics()[metric].compares for metric in form.metrics if metric in known_metrics()):
            found = "a part kept for the end of answers that are compared with each other"
            fix = "Remove the line: without reference answers nothing can become known before the end."
            yield Fault((*path, "final"), found, "it only with reference answers", fix)
        for subset in (subset for subset, table in form.subsets.items() if table.split == name):
            found = f"{name}, which keeps a part for the end: scores on the subset would tell of that part"
            fix = "Remove the subset, or remove final of the split."
            yield Fault(("subsets", subset, "split"), found, "a split without final", fix)
        if form.reported is not None and form.reported.split == name:
            found = f"{name}, which keeps a part for the end: results on all questions would tell of that part"
            fix = "Remove the table, or remove final of the split."
            yield Fault(("reported", "split"), found, "a split without final", fix)


def _subsets(form: BenchmarkTable) -> Iterator[Fault]:
    """Subsets of splits that do not exist, with a split's name, or with a name too long for those of their scores."""
    for name, subset in form.subsets.items():
        if name in form.splits:
            yield Fault(("subsets", name), f"the name {name}, which a split has", "a name of its own")
        if form.splits and subset.split:
            yield from _unless_known(("subsets", name, "split"), subset.split, form.splits)
        longest = min(LONGEST_METRIC - len(max([*form.metrics, ""], key=len)), LONGEST_SUBSET)
        if len(name) > longest:
            yield Fault(("subsets", name), f"a name of {len(name)} characters", f"at most {longest}", "Shorten it.")


def _defaults(form: BenchmarkTable) -> Iterator[Fault]:
    computed = [score for score, metric in scores_with_metrics(form) if metric in known_metrics()]
    known: dict[str, Collection[str]] = {
        "default_split": form.splits,
        "default_setting": form.settings,
        "default_baseline": form.settings,
        "default_sort": computed,
    }
    for field, names in known.items():
        value = getattr(form, field)
        if value and names:
            yield from _unless_known((field,), value, names)
    task_type = TASK_TYPES.get(form.task_type)
    if form.default_baseline and task_type is not None and task_type.needs_references:
        actual = f"a baseline for the task type {form.task_type}"
        expected = "one for answers that are compared side by side"
        yield Fault(("default_baseline",), actual, expected, "Remove the line.")
    if form.reported is not None and form.splits:
        yield from _unless_known(("reported", "split"), form.reported.split, form.splits)


def _unless_known(path: Path, value: str, names: Collection[str]) -> Iterator[Fault]:
    if value not in names:
        yield Fault(path, shown(value), one_of(list(names)), nearest(value, names))


def _attempts(form: BenchmarkTable) -> Iterator[Fault]:
    """Several attempts at each question, although a metric compares two answers to it."""
    comparing = [name for name, metric in known_metrics().items() if name in form.metrics and metric.compares]
    for name, split in form.splits.items() if comparing else ():
        if split.attempts is not None and split.attempts > 1:
            actual = f"{split.attempts} attempts, although {comparing[0]} compares one answer of each system"
            yield Fault(("splits", name, "attempts"), actual, "one", "Remove the line.")


def _metrics(form: BenchmarkTable) -> Iterator[Fault]:
    names = metrics_of(form.task_type)
    reported = {column.metric for column in form.columns if column.reported}
    for name in form.metrics if names else ():
        if name not in names and (name not in reported or name in known_metrics()):
            actual = f"the metric {name[:60]}, which does not exist or does not fit {form.task_type}"
            yield Fault(("metrics", name), actual, one_of(names), nearest(name, names))
        elif name in names and not scores_of(name) and not any(column.metric == name for column in form.columns):
            fix = "Add a [[columns]] table with this metric, or remove the metric."
            yield Fault(("metrics", name), "a metric without a column", "at least one column", fix)


def _passages(form: BenchmarkTable) -> Iterator[Fault]:
    """Settings that take passages without the metric that scores them, and the other way round."""
    taking = [name for name, setting in form.settings.items() if setting.passages]
    reading = [name for name, metric in known_metrics().items() if metric.reads_passages]
    named = [name for name in reading if name in form.metrics]
    if taking and form.metrics and not named:
        fix = f"Add [metrics.{reading[0]}], or remove passages."
        yield Fault(("settings", taking[0], "passages"), "true", "true only with a metric of passages", fix)
    if form.settings and not taking and named:
        fix = "Add passages = true to a setting, or remove the metric."
        yield Fault(("metrics", named[0]), "a metric of passages, which no setting takes", "one that does", fix)


def _parameters(form: BenchmarkTable) -> Iterator[Fault]:
    """Parameters that a metric does not have, or that it refuses."""
    for name, metric in form.metrics.items():
        if not form.task_type or not metric.parameters:
            continue
        path: Path = ("metrics", name, "parameters")
        known = known_metrics()[name].parameters() if name in metrics_of(form.task_type) else ()
        unknown = [parameter for parameter in metric.parameters if parameter not in known]
        for parameter in unknown:
            expected = one_of(known) if known else "none"
            yield Fault((*path, parameter), "an unknown parameter", expected, nearest(parameter, known))
        if not unknown:
            try:
                known_metrics()[name](**metric.parameters)
            except (TypeError, ValueError) as error:
                yield Fault(path, f"a value that the metric refuses: {str(error).rstrip('.')}", "values that it takes")


def _models(form: BenchmarkTable) -> Iterator[Fault]:
    """Models of metrics that ask none, and names that no signature can hold."""
    for name, metric in form.metrics.items():
        path: Path = ("metrics", name, "model")
        if metric.model and name not in JUDGES and name in known_metrics():
            yield Fault(
                path, "a model for a metric that asks none", f"it only with {one_of(tuple(JUDGES))}", "Remove it."
            )
        elif metric.model:
            try:
                JudgeSettings(metric.model)
            except ValueError:
                yield Fault(path, shown(metric.model), "the name of a model, without white space or |")


def _columns(form: BenchmarkTable) -> Iterator[Fault]:
    for index, column in enumerate(form.columns):
        path: Path = ("columns", index, "metric")
        if not column.metric and not column.reported:
            fix = "Add metric, or reported = true if published results alone have this score."
            yield Fault(path, "nothing", "the metric that computes it", fix)
        elif column.metric and column.metric not in form.metrics:
            expected = one_of(list(form.metrics)) if form.metrics else "a declared metric"
            yield Fault(path, shown(column.metric), expected, nearest(column.metric, form.metrics))
        elif column.score and (known := [usual.score for usual in usual_columns(column.metric, form)]):
            yield from _unless_known(("columns", index, "score"), column.score, known)
    scores = declared_scores(form)
    for index, score in enumerate(form.default_columns or ()):
        yield from _unless_known(("default_columns", index), score, scores)
    for index, pair in enumerate(form.compared):
        for key, score in pair:
            yield from _unless_known(("compared", index, key), score, scores)
    for index, score in repeated(column.score for column in form.columns):
        if score:
            yield Fault(("columns", index, "score"), f"{score} again", "one column for each score")


def _attributes(form: BenchmarkTable) -> Iterator[Fault]:
    """Names that the submission form has otherwise, and keys that do not fit the kind."""
    attributes = form.attributes or []
    for index, name in repeated(attribute.name for attribute in attributes):
        yield Fault(("attributes", index, "name"), f"{name} again", "each name once")
    taken = {*RESERVED_ATTRIBUTES, *REPORTED_FIELDS, *form.settings, *declared_scores(form)}
    for index, attribute in enumerate(attributes):
        at, name = ("attributes", index), attribute.name
        if name in taken or name.endswith("_passages"):
            expected = "a name that no other field, setting or score has"
            yield Fault((*at, "name"), f"the name {name}", expected, "Choose another name.")
        if attribute.kind:
            yield from _kind(attribute, at)


def _kind(attribute: AttributeTable, at: Path) -> Iterator[Fault]:
    name, kind = attribute.name, attribute.kind
    if name in OLD_NAMES and kind != OLD_NAMES[name].kind:
        yield Fault((*at, "kind"), shown(kind), OLD_NAMES[name].kind, f"Every site has {name} with this kind.")
    if kind == "choice" and not attribute.choices:
        yield Fault((*at, "choices"), "nothing", "a list of the values", "Add choices.")
    for key, of_kind in (("choices", "choice"), *((key, "number") for key in ("unit", "low", "high", "whole"))):
        if key in attribute.model_fields_set and kind != of_kind:
            yield Fault((*at, key), f"{key} of the kind {kind}", f"it only with the kind {of_kind}", "Remove it.")
    if attribute.board == "filter" and kind not in FILTERED_KINDS:
        actual = f"a filter by the kind {kind}"
        yield Fault((*at, "board"), actual, "show or none", "Boards filter by the other kinds.")
    low, high = attribute.low, attribute.high
    if low is not None and high is not None and low > high:
        yield Fault((*at, "high"), shown(high), f"at least low, which is {low}")


def _keys_of_questions(form: BenchmarkTable) -> Iterator[Fault]:
    """A key that names no cluster of questions, or of questions that an importer reads."""
    if form.cluster in KEYS:
        expected = f"a key other than {', '.join(KEYS)}"
        yield Fault(("cluster",), shown(form.cluster), expected, "Add a key to the questions.")
    if form.cluster and form.importer:
        actual = "a key of questions that an importer reads"
        yield Fault(("cluster",), actual, "none beside importer", "The importer can name the clusters itself.")
