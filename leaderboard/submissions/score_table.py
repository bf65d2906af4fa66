"""The table of a submission's scores: metrics by settings.

A `ScoreTable` has the scores that boards show by default, the others apart from them, and each reason for a missing
score once.
"""

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from leaderboard.board.table.cells import why_without
from leaderboard.submissions.types import FileView, RunView, ScoreCell, ScoreNote, ScoreRow, ScoreTable
from scoring.benchmarks.names import parts_of
from scoring.metrics.columns import Column
from scoring.registry import metric_named

NO_WORKER = (
    "No worker for this metric has been active in the last two minutes. The run starts automatically when one is "
    "available."
)


def score_table(files: Sequence[FileView], columns: Sequence[Column]) -> ScoreTable:
    """The table of the scores in *columns*, of those metrics that have a run.

    Runs against several revisions have a table each: first the revision whose scores boards show, then the newest. The
    first one has the scores on subsets too.
    """
    runs = [run for file in files for run in file.runs if not parts_of(run.metric)[1]]
    by_revision = {run.revision: run for run in sorted(runs, key=_is_on_boards)}
    newest_first = sorted(by_revision.values(), key=lambda run: run.revision_date or datetime.date.min, reverse=True)
    notes: dict[str, ScoreNote] = {}
    tables: list[ScoreTable] = []
    for newest in sorted(newest_first, key=_is_on_boards, reverse=True):
        of_revision = [
            replace(
                file,
                runs=[
                    run
                    for run in file.runs
                    if (not tables if parts_of(run.metric)[1] else run.revision == newest.revision)
                ],
            )
            for file in files
        ]
        shown = [run.metric_label for run in runs if run.revision == newest.revision and _is_on_boards(run)]
        tables.append(
            replace(
                _table([_counted(file) for file in of_revision], columns, notes),
                revision=newest.revision,
                revision_date=newest.revision_date,
                is_earlier=newest.is_earlier,
                on_boards=list(dict.fromkeys(shown)),
            )
        )
    first = tables[0] if tables else _table(files, columns, notes)
    counted = [replace(of, runs=file.runs) for of, file in zip(first.files, files, strict=True)]
    return replace(first, files=counted, others=tables[1:])


def _is_on_boards(run: RunView) -> bool:
    return run.shown and bool(run.scores)


def _counted(file: FileView) -> FileView:
    """A file with the numbers of questions and answers of the revision that its runs have scored; as they were when it
    was sent, before there is a score."""
    for run in file.runs:
        of_answers = not parts_of(run.metric)[1] and not metric_named(run.metric).reads_passages
        if of_answers and run.n_answered is not None and run.n_items is not None:
            return replace(file, n_answered=run.n_answered, n_questions=run.n_items)
    return file


def _table(files: Sequence[FileView], columns: Sequence[Column], all_notes: dict[str, ScoreNote]) -> ScoreTable:
    """One table. Of several runs of a metric on a file, it has the one whose scores boards show, or the newest one with
    scores. Its notes continue the numbers of *all_notes*."""
    runs = [
        {run.metric: run for run in sorted(file.runs, key=lambda run: (bool(run.scores), _is_on_boards(run)))}
        for file in files
    ]
    present = [column for column in columns if any(column.metric in of_file for of_file in runs)]
    notes: dict[str, ScoreNote] = {}

    def number_of(reason: str) -> int:
        if not reason:
            return 0
        if reason not in notes:
            notes[reason] = all_notes[f"{len(all_notes)} {reason}"] = ScoreNote(len(all_notes) + 1, reason, [])
        return notes[reason].number

    rows = _rows(runs, [column for column in present if column.default], number_of)
    more = []
    for row in _rows(runs, [column for column in present if not column.default], number_of):
        reasons = {cell.score.reason if cell.score else "" for cell in row.cells} or {""}
        if "" in reasons or len(reasons) > 1:
            more.append(row)
        else:
            notes[reasons.pop()].left_out.append(row.column.label)
    groups = dict.fromkeys(row.column.group for row in more)
    return ScoreTable(list(files), rows, more, ", ".join(groups), list(notes.values()))


def _rows(
    runs: Sequence[dict[str, RunView]], columns: Sequence[Column], number_of: Callable[[str], int]
) -> list[ScoreRow]:
    """One row for each column, those of a metric together."""
    by_metric: dict[str, list[Column]] = {}
    for column in columns:
        by_metric.setdefault(column.metric, []).append(column)
    rows = []
    for metric, its_columns in by_metric.items():
        for index, column in enumerate(its_columns):
            cells = []
            for run in (of_file.get(metric) for of_file in runs):
                if run is not None and run.scores:
                    by_name = {score.name: score for score in run.scores}
                    score = by_name.get(column.score)
                    reason = score.reason if score else why_without(column.score, set(by_name))
                    cells.append(ScoreCell(score=score, note=number_of(reason)))
                elif not index:  # one cell for all scores of a metric that has none
                    reason = "" if run is None else run.reason or ("" if run.has_workers else NO_WORKER)
                    cells.append(ScoreCell(run=run, n_rows=len(its_columns), note=number_of(reason)))
            rows.append(ScoreRow(column, cells))
    return rows


def signatures(files: Iterable[FileView]) -> list[tuple[str, list[str], str]]:
    """Each signature once: its metric, the settings it applies to, and itself."""
    settings_by_signature: dict[tuple[str, str], list[str]] = {}
    for file in files:
        for run in file.runs:
            if run.signature:
                settings_by_signature.setdefault((run.metric_label, run.signature), []).append(file.setting_name)
    return [(metric, settings, signature) for (metric, signature), settings in settings_by_signature.items()]
