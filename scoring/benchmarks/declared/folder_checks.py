"""Checks that only the folder of a benchmark has to pass: a declaration that a site has stored may lack them."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from scoring.benchmarks.columns import columns_of, never_shown_when_hidden
from scoring.benchmarks.declared.odd_texts import is_placeholder, left_open_in, oddities
from scoring.benchmarks.form import BenchmarkTable, scores_of
from scoring.files.bibtex import BibtexError, check_bibtex
from scoring.files.mistakes import CARD, Mistake, shown
from scoring.files.tables import Fault, mistake_at
from scoring.files.toml_lines import Path, TomlFile
from scoring.metrics.base import Metric
from scoring.task_types import known_metrics

_NOT_READ: Final = ("pattern", "parameters")
"""Keys whose texts may be anything."""
_LESS_IS_BETTER: Final = {"cost", "error", "errors", "latency", "loss", "perplexity", "price", "wer", "cer", "seconds"}
_UNIT_WORDS: Final = {"seconds": {"latency", "seconds", "time"}, "usd": {"cost", "price", "usd"}, "tokens": {"tokens"}}
_NO_VALUE: Final = ("attributes", "choices")
"""The names of such tables and keys may be words such as none."""


def faults(form: BenchmarkTable, toml: TomlFile, broken: Collection[Path]) -> Iterator[Fault]:
    """What is wrong in ``benchmark.toml``.

    Args:
        form: its content, where values that are wrong by themselves are empty.
        toml: the file.
        broken: the paths of these values, which are passed over.
    """
    every = (_texts(toml), _bibtex(form), _same_labels(form), _columns_against_metrics(form), _undisclosed(form))
    for fault in (*chain.from_iterable(every), *_dates(form)):
        if fault.path not in broken:
            yield fault


def _texts(toml: TomlFile) -> Iterator[Fault]:
    """Texts of the template, and damaged ones."""
    for path, text in texts_at(toml.values):
        if is_placeholder(text):
            yield Fault(path, "a text of the template", "a text of your own", "Replace it, or remove an optional line.")
        for oddity in oddities(text, is_value=False):
            if oddity.certain:
                yield Fault(path, oddity.found, oddity.expected, oddity.fix)


def doubts(form: BenchmarkTable, toml: TomlFile, card: bytes) -> Iterator[str]:
    """What ``benchmark.toml`` and the data card may say by mistake, as warnings."""
    yield from map(str, card_mistakes(card, certain=False))
    for fault in _columns_against_labels(form):
        yield str(mistake_at(fault, toml))
    for path, text in texts_at(toml.values):
        if left_open := left_open_in(text):
            found, fix = f"{left_open}, which looks like a placeholder", "Replace it, or remove an optional line."
            yield str(mistake_at(Fault(path, found, "a text of your own", fix), toml))
        for oddity in oddities(text, is_value=not set(_NO_VALUE) & set(path)):
            if not oddity.certain:
                yield str(mistake_at(Fault(path, oddity.found, oddity.expected, oddity.fix), toml))


def card_mistakes(card: bytes, *, certain: bool = True) -> Iterator[Mistake]:
    """Damaged texts in the data card: those that nobody can mean, or the others."""
    for number, line in enumerate(card.decode(errors="ignore").splitlines(), start=1):
        for oddity in oddities(line, is_value=False):
            if oddity.certain is certain:
                yield Mistake(CARD, number, "", oddity.found, oddity.expected, oddity.fix)


def texts_at(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts of a declaration that readers see, with their paths."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in _NOT_READ:
                yield from texts_at(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from texts_at(inner, (*path, place))


def _bibtex(form: BenchmarkTable) -> Iterator[Fault]:
    try:
        check_bibtex(form.bibtex)
    except BibtexError as error:
        yield Fault(("bibtex",), *error.args)


def _same_labels(form: BenchmarkTable) -> Iterator[Fault]:
    """Two things of one kind that readers cannot tell apart."""
    named: list[tuple[Path, str]] = [(("splits", slug, "name"), split.name) for slug, split in form.splits.items()]
    named += [(("subsets", slug, "name"), subset.name) for slug, subset in form.subsets.items()]
    settings: list[tuple[Path, str]] = [(("settings", slug, "name"), own.name) for slug, own in form.settings.items()]
    attributes: list[tuple[Path, str]] = [
        (("attributes", place, "label"), own.label) for place, own in enumerate(form.attributes or ())
    ]
    own_metrics = {column.metric for column in form.columns}
    usual = [column for column in columns_of(form.metrics) if column.metric not in own_metrics]
    columns: list[tuple[Path, str]] = [((), column.label) for column in usual]
    columns += [(("columns", place, "label"), column.label) for place, column in enumerate(form.columns)]
    # In the head of the table a column has its short label below that of its group.
    heads: list[tuple[Path, str]] = [((), f"{column.group}: {column.short_label}") for column in usual]
    heads += [
        (("columns", place, "short_label"), f"{column.group or column.label}: {column.short_label}")
        for place, column in enumerate(form.columns)
        if column.short_label
    ]
    for kind in (named, settings, attributes, columns, heads):
        yield from _repeated(kind)


def _repeated(labels: Sequence[tuple[Path, str]]) -> Iterator[Fault]:
    first: dict[str, Path] = {}
    for path, label in labels:
        same = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
        if path and same and same in first:
            other = ".".join(map(str, first[same][:2])) or "a usual column"
            yield Fault(path, f"{shown(label)}, as {other} has it", "a label of its own", "Rename one of the two.")
        first.setdefault(same, path)


def _columns_against_metrics(form: BenchmarkTable) -> Iterator[Fault]:
    """Columns with another direction or unit than the metric that computes them says."""
    for place, column in enumerate(form.columns):
        metric = known_metrics().get(column.metric)
        if metric is None or (metric.package and metric.columns is Metric.columns):
            continue  # a package whose metric says nothing of its scores
        usual = next((one for one in columns_of([column.metric]) if one.score == column.score), None)
        if usual is None:
            continue
        if column.higher_is_better not in (None, usual.higher_is_better):
            right = f"{str(usual.higher_is_better).lower()}, as the metric {column.metric} says"
            yield Fault(("columns", place, "higher_is_better"), shown(column.higher_is_better), right, "Remove it.")
        if column.unit not in (None, usual.unit):
            right = f"{usual.unit}, the unit of {column.score}"
            yield Fault(("columns", place, "unit"), shown(column.unit), right, "Remove the line.")


def _columns_against_labels(form: BenchmarkTable) -> Iterator[Fault]:
    """Columns of published results whose labels speak of another direction or unit than they have."""
    for place, column in enumerate(form.columns):
        if column.metric in known_metrics():
            continue
        words = set(re.findall(r"[a-z]+", f"{column.score} {column.label}".lower()))
        if words & _LESS_IS_BETTER and column.higher_is_better is None:
            fix = "Add higher_is_better = false, or true if it is."
            yield Fault(("columns", place, "higher_is_better"), "nothing, so that more is better", "the direction", fix)
        units = [unit for unit, of_unit in _UNIT_WORDS.items() if words & of_unit]
        if units and column.unit is None:
            actual, expected = "nothing, so that it is a share", f"perhaps {units[0]}"
            yield Fault(("columns", place, "unit"), actual, expected, "Add unit.")


def _undisclosed(form: BenchmarkTable) -> Iterator[Fault]:
    """Scores that a hidden split never shows, as a column's choice or to sort boards by."""
    if not any(split.hidden for split in form.splits.values()):
        return
    for place, column in enumerate(form.columns):
        metric, score = column.metric, column.score
        if column.disclosed and score in scores_of(metric) and never_shown_when_hidden(metric, score):
            actual = f"true for {score}, which would reveal hidden answers"
            fix = "Remove the line: no hidden split shows this score."
            yield Fault(("columns", place, "disclosed"), actual, "false, because a split is hidden", fix)
    metrics = {column.score: column.metric for column in columns_of(form.metrics)}
    metrics |= {column.score: column.metric for column in form.columns}
    first = form.default_sort
    if first in metrics and never_shown_when_hidden(metrics[first], first):
        actual = f"{shown(first)}, which no hidden split shows"
        yield Fault(("default_sort",), actual, "a score that all boards show", "Choose another score.")


def _dates(form: BenchmarkTable) -> Iterator[Fault]:
    """Dates that have not come. Tomorrow is today in other time zones."""
    tomorrow = datetime.datetime.now(tz=datetime.UTC).date() + datetime.timedelta(days=1)
    dates: list[tuple[Path, datetime.date | None]] = [
        ((kind, slug, "date"), split.date)
        for kind, splits in (("splits", form.splits), ("subsets", form.subsets))
        for slug, split in splits.items()
    ]
    if form.reported is not None:
        dates.append((("reported", "published"), form.reported.published))
    for path, date in dates:
        if date is not None and date > tomorrow:  # later imports would not become current
            fix = "Give the day on which they were published."
            yield Fault(path, shown(date), "a date that has come", fix)
