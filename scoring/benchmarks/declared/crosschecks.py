"""Checks of ``benchmark.toml`` between its fields: names that must be declared elsewhere, or that are taken."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

from scoring.benchmarks.attributes import FILTERED_KINDS, KINDS, OLD_NAMES
from scoring.benchmarks.columns import JUDGES, columns_of, never_shown_when_hidden
from scoring.benchmarks.declared import categories
from scoring.benchmarks.declared.fields import Fault, expected_of
from scoring.benchmarks.declared.form import (
    BENCHMARK,
    OF_QUESTIONS,
    RESERVED_ATTRIBUTES,
    RESERVED_SETTINGS,
    RESERVED_SLUGS,
    SPLIT,
    metrics_of,
    scores_of,
)
from scoring.benchmarks.declared.importers import importer_named, importer_names
from scoring.benchmarks.declared.problems import nearest, one_of, repeated, shown
from scoring.benchmarks.declared.record_values import KEYS
from scoring.benchmarks.declared.reported import FIELDS as REPORTED_FIELDS
from scoring.benchmarks.declared.toml_lines import Path
from scoring.benchmarks.names import on_subset
from scoring.task_types import TASK_TYPES, known_metrics

LONGEST_SUBSET: Final = 16
LONGEST_METRIC: Final = 39
"""The most characters of a metric's name together with that of a subset."""


def faults(values: Mapping[str, Any], broken: Container[Path]) -> Iterator[Fault]:
    """What is wrong between fields.

    Args:
        values: the content of ``benchmark.toml``.
        broken: the paths of values that are wrong by themselves, which are passed over.
    """
    named = (_taken_names, _questions, _subsets, _defaults)
    for check in (*named, _metrics, _passages, _parameters, _columns, _attributes, _keys_of_questions):
        yield from (fault for fault in check(values) if fault.path not in broken)


def named_tables(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A table of tables, without what is no table."""
    tables = values.get(name)
    return {key: table for key, table in tables.items() if isinstance(table, dict)} if isinstance(tables, dict) else {}


def _tables(values: Mapping[str, Any], name: str) -> list[tuple[int, dict[str, Any]]]:
    """A list of tables with their positions, without what is no table."""
    tables = values.get(name)
    listed = enumerate(tables) if isinstance(tables, list) else ()
    return [(index, table) for index, table in listed if isinstance(table, dict)]


def declared_scores(values: Mapping[str, Any]) -> list[str]:
    """The scores that have a column, in the order of the columns."""
    return [score for score, _ in _scores_with_metrics(values)]


def scores_on_subsets(values: Mapping[str, Any], split: str) -> list[str]:
    """The scores that boards of a split show of its subsets."""
    subsets = [name for name, subset in named_tables(values, "subsets").items() if subset.get("split") == split]
    computed = [score for score, metric in _scores_with_metrics(values) if metric not in JUDGES]
    return [on_subset(score, subset) for subset in subsets for score in computed]


def _scores_with_metrics(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    columns = [column for _, column in _tables(values, "columns")]
    own = [(column["score"], column.get("metric")) for column in columns if isinstance(column.get("score"), str)]
    without = named_tables(values, "metrics").keys() - {column.get("metric") for column in columns}
    usual = columns_of(name for name in named_tables(values, "metrics") if name in without)
    return own + [(column.score, column.metric) for column in usual]


def _reported_metrics(values: Mapping[str, Any]) -> set[Any]:
    """The metrics that need not exist here, because their columns are filled by published results."""
    return {column.get("metric") for _, column in _tables(values, "columns") if column.get("reported") is True}


def _taken_names(values: Mapping[str, Any]) -> Iterator[Fault]:
    slug = values.get("slug")
    if slug in RESERVED_SLUGS:
        yield Fault(("slug",), shown(slug), "a name that is no page of the site", "Choose another slug.")
    for name in named_tables(values, "settings"):
        if name in RESERVED_SETTINGS:
            fix = "Choose another name: this is a field of the submission form, or a page of the site."
            yield Fault(("settings", name), f"the name {name}", "a name of a setting", fix)
    settings = named_tables(values, "settings")
    if settings and not any(setting.get("accepts_submissions", True) for setting in settings.values()):
        yield Fault(("settings",), "no setting that accepts submissions", "at least one")


def _questions(values: Mapping[str, Any]) -> Iterator[Fault]:
    """An importer that does not exist, and splits and subsets without questions that have none either."""
    importer = values.get("importer")
    if isinstance(importer, str):
        try:
            if importer_named(importer) is None:
                names = importer_names()
                fix = nearest(importer, names) or "Install its package, or correct the name."
                yield Fault(("importer",), shown(importer), one_of(names), fix)
        except ValueError as error:
            yield Fault(("importer",), f"the importer {error}", "one that works", "Correct its package.")
    for kind in ("splits", "subsets"):
        for name, split in named_tables(values, kind).items():
            if importer is None or not split.keys().isdisjoint(("answers", *OF_QUESTIONS)):
                for key in OF_QUESTIONS:
                    if key not in split:
                        yield Fault((kind, name, key), "nothing", expected_of(SPLIT.fields[key]), f"Add {key}.")


def _subsets(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Subsets of splits that do not exist, with a split's name, or with a name too long for those of their scores."""
    splits = named_tables(values, "splits")
    for name, subset in named_tables(values, "subsets").items():
        if name in splits:
            yield Fault(("subsets", name), f"the name {name}, which a split has", "a name of its own")
        if splits and isinstance(subset.get("split"), str):
            yield from _unless_known(("subsets", name, "split"), subset["split"], list(splits))
        longest = min(LONGEST_METRIC - len(max([*named_tables(values, "metrics"), ""], key=len)), LONGEST_SUBSET)
        if len(name) > longest:
            yield Fault(("subsets", name), f"a name of {len(name)} characters", f"at most {longest}", "Shorten it.")


def _defaults(values: Mapping[str, Any]) -> Iterator[Fault]:
    known: dict[str, Sequence[str]] = {
        "default_split": list(named_tables(values, "splits")),
        "default_setting": list(named_tables(values, "settings")),
        "default_baseline": list(named_tables(values, "settings")),
        "default_sort": [score for score, metric in _scores_with_metrics(values) if metric in known_metrics()],
    }
    for field, names in known.items():
        if field in values and names:
            yield from _unless_known((field,), values[field], names)
    task_type = TASK_TYPES.get(str(values.get("task_type")))
    if "default_baseline" in values and task_type is not None and task_type.needs_references:
        actual, fix = f"a baseline for the task type {values['task_type']}", "Remove the line."
        yield Fault(("default_baseline",), actual, "one for answers that are compared side by side", fix)
    reported = values.get("reported")
    if isinstance(reported, dict) and "split" in reported and known["default_split"]:
        yield from _unless_known(("reported", "split"), reported["split"], known["default_split"])


def _unless_known(path: Path, value: Any, names: Sequence[str]) -> Iterator[Fault]:
    if value not in names:
        yield Fault(path, shown(value), one_of(names), nearest(str(value), names))


def _metrics(values: Mapping[str, Any]) -> Iterator[Fault]:
    task_type = values.get("task_type")
    names = metrics_of(task_type) if isinstance(task_type, str) else ()
    if not names:
        return
    reported = _reported_metrics(values)
    for name in named_tables(values, "metrics"):
        if name not in names and (name not in reported or name in known_metrics()):
            actual = f"the metric {name[:60]}, which does not exist or does not fit {task_type}"
            yield Fault(("metrics", name), actual, one_of(names), nearest(name, names))
    for name in named_tables(values, "metrics"):
        has_columns = any(column.get("metric") == name for _, column in _tables(values, "columns"))
        if name in names and not has_columns and not scores_of(name):
            fix = "Add a [[columns]] table with this metric, or remove the metric."
            yield Fault(("metrics", name), "a metric without a column", "at least one column", fix)


def _passages(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Settings that take passages without the metric that scores them, and the other way round."""
    settings, metrics = named_tables(values, "settings"), named_tables(values, "metrics")
    taking = [name for name, setting in settings.items() if setting.get("passages") is True]
    reading = [name for name, metric in known_metrics().items() if metric.reads_passages]
    named = [name for name in reading if name in metrics]
    if taking and metrics and not named:
        fix = f"Add [metrics.{reading[0]}], or remove passages."
        yield Fault(("settings", taking[0], "passages"), "true", "true only with a metric of passages", fix)
    if settings and not taking and named:
        fix = "Add passages = true to a setting, or remove the metric."
        yield Fault(("metrics", named[0]), "a metric of passages, which no setting takes", "one that does", fix)


def _parameters(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Parameters that a metric does not have, or that it refuses."""
    task_type = values.get("task_type")
    task = TASK_TYPES.get(task_type) if isinstance(task_type, str) else None
    for name, metric in named_tables(values, "metrics").items():
        given = metric.get("parameters")
        if task is None or not isinstance(given, dict) or not given:
            continue
        path: Path = ("metrics", name, "parameters")
        known = known_metrics()[name].parameters() if name in metrics_of(task.name) else ()
        unknown = [parameter for parameter in given if parameter not in known]
        for parameter in unknown:
            expected = one_of(known) if known else "none"
            yield Fault((*path, parameter), "an unknown parameter", expected, nearest(parameter, known))
        if not unknown:
            try:
                known_metrics()[name](**given)
            except (TypeError, ValueError) as error:
                yield Fault(path, str(error).rstrip("."), "values that the metric takes")


def _columns(values: Mapping[str, Any]) -> Iterator[Fault]:
    columns = _tables(values, "columns")
    metrics = named_tables(values, "metrics")
    for index, column in columns:
        metric, score = column.get("metric"), column.get("score")
        if metric is None and column.get("reported") is not True:
            fix = "Add metric, or reported = true if published results alone have this score."
            yield Fault(("columns", index, "metric"), "nothing", "the metric that computes it", fix)
        elif isinstance(metric, str) and metric not in metrics:
            expected = one_of(list(metrics)) if metrics else "a declared metric"
            yield Fault(("columns", index, "metric"), shown(metric), expected, nearest(metric, metrics))
        elif isinstance(metric, str) and isinstance(score, str) and scores_of(metric):
            yield from _unless_known(("columns", index, "score"), score, scores_of(metric))
    scores = declared_scores(values)
    shown_first = values.get("default_columns")
    for index, score in enumerate(shown_first if isinstance(shown_first, list) else []):
        yield from _unless_known(("default_columns", index), score, scores)
    for index, pair in _tables(values, "compared"):
        for key, score in pair.items():
            yield from _unless_known(("compared", index, key), score, scores)
    for position, score in repeated(str(column.get("score")) for _, column in columns if "score" in column):
        yield Fault(("columns", columns[position][0], "score"), f"{score} again", "one column for each score")


def disclosed_columns(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Columns that would have a hidden split show what it never shows. Stored declarations of earlier versions may have
    them; there, they have no effect."""
    if not any(split.get("hidden") is True for split in named_tables(values, "splits").values()):
        return
    for index, column in _tables(values, "columns"):
        metric, score = column.get("metric"), column.get("score")
        if column.get("disclosed") is not True or not isinstance(metric, str) or score not in scores_of(metric):
            continue
        if never_shown_when_hidden(metric, score):
            actual = f"true for {score}, which would reveal hidden answers"
            fix = "Remove the line: no hidden split shows this score."
            yield Fault(("columns", index, "disclosed"), actual, "false, because a split is hidden", fix)


def _attributes(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Names that the submission form has otherwise, and keys that do not fit the kind."""
    attributes = _tables(values, "attributes")
    names = [str(attribute.get("name")) for _, attribute in attributes]
    for position, name in repeated(names):
        yield Fault(("attributes", attributes[position][0], "name"), f"{name} again", "each name once")
    settings = named_tables(values, "settings")
    for (index, attribute), name in zip(attributes, names, strict=True):
        at, kind = ("attributes", index), attribute.get("kind")
        taken = {*RESERVED_ATTRIBUTES, *REPORTED_FIELDS, *settings, *declared_scores(values)}
        if name in taken or name.endswith("_passages"):
            expected = "a name that no other field, setting or score has"
            yield Fault((*at, "name"), f"the name {name}", expected, "Choose another name.")
        if name in OLD_NAMES and kind in KINDS and kind != OLD_NAMES[name].kind:
            yield Fault((*at, "kind"), shown(kind), OLD_NAMES[name].kind, f"Every site has {name} with this kind.")
        if kind not in KINDS:
            continue
        if kind == "choice" and "choices" not in attribute:
            yield Fault((*at, "choices"), "nothing", "a list of the values", "Add choices.")
        for key, of_kind in (("choices", "choice"), *((key, "number") for key in ("unit", "low", "high", "whole"))):
            if key in attribute and kind != of_kind:
                yield Fault((*at, key), f"{key} of the kind {kind}", f"it only with the kind {of_kind}", "Remove it.")
        if attribute.get("board") == "filter" and kind not in FILTERED_KINDS:
            actual = f"a filter by the kind {kind}"
            yield Fault((*at, "board"), actual, "show or none", "Boards filter by the other kinds.")
        low, high = attribute.get("low"), attribute.get("high")
        if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
            yield Fault((*at, "high"), shown(high), f"at least low, which is {low}")


def _keys_of_questions(values: Mapping[str, Any]) -> Iterator[Fault]:
    """Rules of categories, and a key that names no cluster of questions, or of questions that an importer reads."""
    rules = values.get("categories")
    if isinstance(rules, list) and not list(BENCHMARK.fields["categories"].faults(rules, ("categories",))):
        yield from categories.faults(rules)
    key = values.get("cluster")
    if key in KEYS:
        yield Fault(("cluster",), shown(key), f"a key other than {', '.join(KEYS)}", "Add a key to the questions.")
    if key is not None and "importer" in values:
        actual = "a key of questions that an importer reads"
        yield Fault(("cluster",), actual, "none beside importer", "The importer can name the clusters itself.")
