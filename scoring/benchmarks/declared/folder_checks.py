"""Checks that only the folder of a benchmark has to pass: a declaration that a site has stored may lack them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from scoring.benchmarks.columns import columns_of, never_shown_when_hidden
from scoring.benchmarks.declared.crosschecks import scores_with_metrics
from scoring.benchmarks.declared.odd_texts import is_placeholder, left_open_in, oddities, wrong_code
from scoring.benchmarks.form import BenchmarkTable, scores_of
from scoring.files.bibtex import BibtexError, check_bibtex
from scoring.files.mistakes import CARD, Mistake, repeated, shown, spelling
from scoring.files.objects import in_words
from scoring.files.tables import Fault, mistake_at
from scoring.files.toml_lines import Path, TomlFile
from scoring.metrics.base import Metric
from scoring.task_types import known_metrics

_NOT_READ: Final = ("pattern", "parameters")
"""Keys whose texts may be anything."""
_LESS_IS_BETTER: Final = {
    "cost",
    "error",
    "errors",
    "latency",
    "loss",
    "perplexity",
    "price",
    "wer",
    "cer",
    "seconds",
    "tokens",
}
_OF_GAINS: Final = {"horizon", "saved", "saving", "savings", "second", "throughput"}
_ALL_OF_PER_CENT: Final = 2
_NO_VALUE: Final = ("attributes", "choices")
"""The names of such tables and keys may be words such as none."""
_OF_EXAMPLES: Final = re.compile(r"https?://(?:[\w-]+\.)*example\.(?:com|org|net)(?![\w.-])", re.IGNORECASE)
_OF_REFERENCE: Final = re.compile(r"\b(?:gold|target|correct|reference|truth)\b", re.IGNORECASE)
_OF_ANSWER: Final = re.compile(r"\b(?:predict\w*|response|candidate|submitted|system|model)\b", re.IGNORECASE)
_LABELLED: Final = re.compile(r"([^{}]{1,60}):\s*\{(\w+)\}")
_CONFLICT: Final = (b"<<<<<<< ", b">>>>>>> ")
_ARXIV: Final = re.compile(r"https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/([^?#]*)", re.IGNORECASE)
_ARXIV_NUMBER: Final = re.compile(r"(?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")


def faults(form: BenchmarkTable, toml: TomlFile, broken: Collection[Path]) -> Iterator[Fault]:
    """What is wrong in ``benchmark.toml``.

    Args:
        form: its content, where values that are wrong by themselves are empty.
        toml: the file.
        broken: the paths of these values, which are passed over.
    """
    every = (
        _texts(toml),
        _bibtex(form),
        _same_labels(form),
        _columns_against_metrics(form),
        _undisclosed(form),
        _scores(form),
    )
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


def conflicts(files: Mapping[str, bytes], names: Collection[str]) -> Iterator[Mistake]:
    """Marks of two versions of a file between which nobody has decided."""
    for name in sorted(files.keys() & names):
        for number, line in enumerate(files[name].splitlines(), start=1):
            if line.startswith(_CONFLICT):
                fix = "Keep one of the two versions, and remove the marks."
                yield Mistake(name, number, "", "the mark of a conflict between two versions", "one version", fix)


def prompt_doubts(name: str, prompt: str) -> Iterator[Mistake]:
    """Labels of a judge's prompt with the other's place behind them.

    >>> [doubt.line for doubt in prompt_doubts("p.txt", "Gold target: {response}\\n[response]: {response}")]
    [1]
    """
    for number, line in enumerate(prompt.splitlines(), start=1):
        for label, place in _LABELLED.findall(line):
            of_reference, of_answer = bool(_OF_REFERENCE.search(label)), bool(_OF_ANSWER.search(label))
            is_answer = {"target": False, "correct_answer": False, "predicted_answer": True, "response": True}.get(
                place
            )
            if of_reference != of_answer and is_answer is of_reference:
                expected = "the reference answer" if of_reference else "the answer of a system"
                yield Mistake(name, number, "", f"{{{place}}} behind {shown(label.strip())}", expected, "Correct it.")


def doubts(form: BenchmarkTable, toml: TomlFile, card: bytes) -> Iterator[str]:
    """What ``benchmark.toml`` and the data card may say by mistake, as warnings."""
    yield from map(str, card_mistakes(card, certain=False))
    every = (
        _columns_against_labels(form),
        _digits(form),
        _links(form),
        _odd_dates(form),
        _languages(form),
    )
    for fault in chain.from_iterable(every):
        yield str(mistake_at(fault, toml))
    for path, text in texts_at(toml.values):
        if left_open := left_open_in(text):
            found, fix = f"{left_open}, which looks like a placeholder", "Replace it, or remove an optional line."
            yield str(mistake_at(Fault(path, found, "a text of your own", fix), toml))
        for oddity in oddities(text, is_value=not set(_NO_VALUE) & set(path)):
            if not oddity.certain:
                yield str(mistake_at(Fault(path, oddity.found, oddity.expected, oddity.fix), toml))


def card_mistakes(card: bytes, *, certain: bool = True) -> Iterator[Mistake]:
    """Damaged texts in the data card: those that nobody can mean, or the others and places that are left open."""
    for number, line in enumerate(card.decode(errors="ignore").splitlines(), start=1):
        if not certain and (left_open := left_open_in(line)):
            found = f"{left_open}, which looks like a placeholder"
            yield Mistake(CARD, number, "", found, "a text of your own", "Replace it.")
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
    # In the head of the table a column has its short label below that of its group; charts have the short one alone.
    heads: list[tuple[Path, str]] = [((), f"{column.group}: {column.short_label}") for column in usual]
    heads += [
        (("columns", place, "short_label"), f"{column.group}: {column.short_label}".removeprefix(": "))
        for place, column in enumerate(form.columns)
        if column.short_label
    ]
    for kind in (named, settings, attributes, columns, heads):
        yield from _repeated(kind)


def _repeated(labels: Sequence[tuple[Path, str]]) -> Iterator[Fault]:
    first: dict[str, Path] = {}
    for path, label in labels:
        same = spelling(label)
        if path and same and same in first:
            other = in_words(first[same][:2], first=1) or "a usual column"
            yield Fault(path, f"{shown(label)}, as {other} has it", "a text of its own", "Change one of the two.")
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


def _links(form: BenchmarkTable) -> Iterator[Fault]:
    """Addresses that are kept for examples, and of papers with a number that none has."""
    urls: list[tuple[Path, str]] = [(("url",), form.url), (("licence_url",), form.licence_url)]
    urls += [(("links", place, "url"), link.url) for place, link in enumerate(form.links)]
    urls += [(("metrics", name, "source"), metric.source) for name, metric in form.metrics.items()]
    for path, url in urls:
        if _OF_EXAMPLES.match(url):
            yield Fault(path, f"{url}, an address that is kept for examples", "the real one", "Correct it.")
        paper = _ARXIV.match(url)
        if paper and not _ARXIV_NUMBER.fullmatch(paper[1].removesuffix(".pdf").rstrip("/")):
            expected = "a number such as 2401.01234"
            yield Fault(path, f"{paper[1]}, which is no number of arXiv", expected, "Copy it from the paper's page.")


def _odd_dates(form: BenchmarkTable) -> Iterator[Fault]:
    """Splits that are closed, or open in many years, dates of long ago, and two years of one publication."""
    now = datetime.datetime.now(tz=datetime.UTC)
    for name, split in form.splits.items():
        if split.closes is not None and split.closes <= now:
            found = f"{split.closes.isoformat()}, which is over, so that no file is accepted"
            yield Fault(("splits", name, "closes"), found, "a time to come", "Correct it, unless the split is closed.")
        for key in ("opens", "closes"):
            moment = getattr(split, key)
            if moment is not None and moment.year > now.year + 10:
                yield Fault(("splits", name, key), shown(moment), "a time within ten years", "Correct the year.")
    for path, date in _days(form):
        if date.year < 1990:
            yield Fault(path, shown(date), "the day on which they were published", "Correct the year.")
    year = re.search(r"\byear\s*=\s*[{\"]?\s*(\d{4})", form.bibtex)
    cited = sorted(set(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", form.citation)))
    if year is not None and int(year[1]) > now.year + 1:
        yield Fault(("bibtex",), f"the year {year[1]}", "a year that has come", "Correct it.")
    elif year is not None and cited and year[1] not in cited:
        yield Fault(("bibtex",), f"the year {year[1]}", f"{', '.join(cited)}, as citation has it", "Correct one.")


def _days(form: BenchmarkTable) -> Iterator[tuple[Path, datetime.date]]:
    """The days on which questions and results were published, as far as they are stated."""
    for kind, splits in (("splits", form.splits), ("subsets", form.subsets)):
        yield from (((kind, slug, "date"), split.date) for slug, split in splits.items() if split.date is not None)
    if form.reported is not None and form.reported.published is not None:
        yield ("reported", "published"), form.reported.published


def _languages(form: BenchmarkTable) -> Iterator[Fault]:
    """Codes that no language has."""
    for name, split in form.splits.items():
        if code := wrong_code(split.language or ""):
            yield Fault(("splits", name, "language"), code, "the code of a language, such as en or ja", "Correct it.")


def _digits(form: BenchmarkTable) -> Iterator[Fault]:
    """Digits that leave nothing after the point of per cent: they are those of the stored share."""
    usual = {column.score: column.unit for column in columns_of(form.metrics)}
    for place, column in enumerate(form.columns):
        is_share = (column.unit or usual.get(column.score, "share")) == "share"
        if column.digits is not None and column.digits <= _ALL_OF_PER_CENT and is_share and form.scores != "share":
            found = f"{column.digits}, which shows 71 for 71.4 per cent, because digits are those of the stored share"
            yield Fault(("columns", place, "digits"), found, "3 for one digit after the point", "Correct it.")


def _columns_against_labels(form: BenchmarkTable) -> Iterator[Fault]:
    """Columns of published results whose names speak of something of which less is better."""
    for place, column in enumerate(form.columns):
        words = set(re.findall(r"[a-z]+", f"{column.score} {column.label}".lower()))
        is_less = words & _LESS_IS_BETTER and not words & _OF_GAINS
        if is_less and column.higher_is_better is None and column.metric not in known_metrics():
            fix = "Add higher_is_better = false, or true if it is."
            yield Fault(("columns", place, "higher_is_better"), "nothing, so that more is better", "the direction", fix)


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
    metrics = dict(scores_with_metrics(form))
    first = form.default_sort
    if first in metrics and never_shown_when_hidden(metrics[first], first):
        actual = f"{shown(first)}, which no hidden split shows"
        yield Fault(("default_sort",), actual, "a score that all boards show", "Choose another score.")


def _scores(form: BenchmarkTable) -> Iterator[Fault]:
    """Scores that are named twice where two are needed."""
    for place, score in repeated(form.default_columns or ()):
        yield Fault(("default_columns", place), f"{score} again", "each score once", "Remove one of the two.")
    for place, pair in enumerate(form.compared):
        if pair.published and pair.published == pair.repaired:
            actual = f"{pair.repaired}, which is published too"
            yield Fault(("compared", place, "repaired"), actual, "another score", "Correct one of the two.")


def _dates(form: BenchmarkTable) -> Iterator[Fault]:
    """Dates that have not come. Tomorrow is today in other time zones."""
    tomorrow = datetime.datetime.now(tz=datetime.UTC).date() + datetime.timedelta(days=1)
    for path, date in _days(form):
        if date > tomorrow:  # later imports would not become current
            yield Fault(path, shown(date), "a date that has come", "Give the day on which they were published.")
