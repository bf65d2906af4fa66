"""Import of results files of a benchmark's own scorer, as *reported* rows: shown, never ranked with our scores."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db import transaction

from leaderboard.models import System, User
from leaderboard.official.layout import LayoutError, ReadSystem, disambiguate_names, json_files, read_document
from leaderboard.publishing import facts, reported_rows
from leaderboard.publishing.merges import merge_declared
from leaderboard.publishing.systems import free_slug
from leaderboard.submissions.json_documents import (
    Document,
    DocumentError,
    Problem,
    kind_of,
    unknown_keys,
)
from leaderboard.submissions.metadata_json import system_fields
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import OfficialLayout, ResultField
from scoring.models import Split


def results_files(places: Sequence[Path], layout: OfficialLayout) -> list[Path]:
    """The results files of folders (of results, or in the official layout) and files, in their order.

    Raises:
        LayoutError: a path does not exist, or is a folder without any.
    """
    files: list[Path] = []
    for place in places:
        if place.is_file():
            files.append(place)
            continue
        folders = [place / start / layout.results for start in layout.roots]
        in_folder = next(
            (json_files(folder) for folder in [*folders, place] if folder.is_dir() and json_files(folder)), []
        )
        if not in_folder:
            raise LayoutError(f"{place}: found no JSON file, expected a results file or a folder of them.")
        files += in_folder
    return list(dict.fromkeys(files))


def read_results(files: Sequence[Path], layout: OfficialLayout) -> list[ReadSystem]:
    """The content of results files; a file's problems are stored with it, and do not stop the others."""
    results = [_read(path, layout) for path in files]
    disambiguate_names([result for result in results if result.ok])
    return results


def _read(path: Path, layout: OfficialLayout) -> ReadSystem:
    results = ReadSystem(key=path.stem, name=path.name)
    try:
        document = read_document(path, path.name)
    except DocumentError as error:
        results.problems.append(error.problem)
        return results
    known = {layout.results_metadata, *layout.result_settings.values(), *layout.results_ignored}
    results.problems += unknown_keys(document, document.values, known, [])
    stated = document.values.get(layout.results_metadata)
    if isinstance(stated, dict):
        results.problems += unknown_keys(document, stated, set(layout.fields), [layout.results_metadata])
        results.fields, problems = system_fields(document, stated, layout.fields, [layout.results_metadata])
        results.problems += problems
    else:
        what = "nothing" if stated is None else kind_of(stated)
        results.problems.append(document.problem([layout.results_metadata], what, "an object"))
    for setting, key in layout.result_settings.items():
        values = document.values.get(key)
        if values is None:
            continue
        if not isinstance(values, dict):
            results.problems.append(document.problem([key], kind_of(values), "an object with scores, or null"))
            continue
        scores = results.values[setting] = {}
        for wanted in layout.result_fields:
            value = _score(document, key, values, wanted)
            if not isinstance(value, Problem):
                scores[wanted.score] = value
            elif value not in results.problems:  # several scores may be in the same wrong place
                results.problems.append(value)
        results.problems += unknown_keys(document, values, {wanted.path[0] for wanted in layout.result_fields}, [key])
    if not any(results.values.values()) and results.ok:
        names = ", ".join(layout.result_settings.values())
        results.problems.append(Problem(results.name, "no score", f"scores under {names}"))
    return results


def _score(document: Document, key: str, values: Mapping[str, Any], wanted: ResultField) -> float | Problem:
    path = [key, *wanted.path]
    value: Any = values
    for depth, name in enumerate(wanted.path, start=1):
        if not isinstance(value, Mapping):
            return document.problem(path[:depth], kind_of(value), "an object")
        value = value.get(name)
        if value is None:
            return document.problem(path[: depth + 1], "no value; no score is reported", remark=True)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return document.problem(path, kind_of(value), "a number")
    if wanted.zero_is_missing and type(value) is int and value == 0:
        what = "the integer 0, which the scorer writes for a score that it did not compute; no score is reported"
        return document.problem(path, what, remark=True)
    if not wanted.low <= value <= wanted.high:
        return document.problem(path, kind_of(value), f"a number from {wanted.low:g} to {wanted.high:g}")
    return float(value)


@transaction.atomic
def save_results(
    results: ReadSystem,
    *,
    split: Split,
    layout: OfficialLayout,
    owner: User | None = None,
    note: str = "",
    judge: str = "",
    date: datetime.date | None = None,
) -> tuple[int, int]:
    """Put a file's scores on the boards as reported rows; returns how many rows are new and how many existed.

    The system is the owner's with that name, or without an owner one that belongs to nobody; it is created if
    necessary. The first time, it is merged with that of the benchmark's published results, which may name it otherwise.
    The rows have the given date, or the one that the layout knows of the file.
    """
    assert results.fields is not None  # noqa: S101 - callers pass only valid results
    name = results.fields["name"]
    system = facts.known_as(name, owner=owner)
    if system is None:
        system = System.objects.create(owner=owner, slug=free_slug(name), **results.fields)
    else:
        facts.fill(system, facts.stated_by(System(**results.fields)), actor=f"import of {results.name}")
    benchmark = split.benchmark
    is_new = not system.entries.filter(is_official=True, split__benchmark=benchmark).exists()
    places = {setting.slug: setting for setting in benchmark.settings.all()}
    when = date or layout.result_dates.get(results.name)
    made = known = 0
    for setting, values in results.values.items():
        if not values:
            continue
        new = reported_rows.report_row(
            system=system,
            split=split,
            setting=places[setting],
            source=layout.source.format(file=results.name)[:400],
            note=" ".join(filter(None, [judge and f"Judge: {judge}.", note or layout.note]))[:400],
            context_size=None,
            values=values,
            published_at=datetime.datetime.combine(when, datetime.time(), tzinfo=datetime.UTC) if when else None,
            is_official=True,
        )
        made, known = made + new, known + (not new)
    if is_new:
        published = definition_of(benchmark.slug).published_results
        merge_declared(benchmark, published, new={system.pk}, by=f"import of {results.name}")
    return made, known
