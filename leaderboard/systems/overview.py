"""A system's results at a glance: a sentence about its ranks, and one table a split with its settings as rows.

Enters: the results of a system's page. Leaves: a sentence, and `ResultTable`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.board.finding import LONGEST_NAME, amount, listed
from leaderboard.board.table import ShownCell, ShownColumn, bars
from leaderboard.models import EntryKind
from leaderboard.systems.types import Result, SystemPage
from leaderboard.templatetags.display import excerpt


@dataclass
class SettingRow:
    """A system's results in one setting."""

    result: Result
    """The one that was scored here; without one, the reported one."""
    reported: Result | None = None
    """The numbers that a publication reports besides."""

    @property
    def headline(self) -> ShownCell | None:
        """The cell that the board is ordered by."""
        return _cell(self.result, self.result.ranked_by.key)

    @property
    def reported_headline(self) -> ShownCell | None:
        """The reported number of the same column."""
        return _cell(self.reported, self.result.ranked_by.key) if self.reported is not None else None

    @property
    def bar(self) -> str:
        """The headline with its interval over the range of its column."""
        cell = self.headline
        if cell is None or cell.value is None:
            return ""
        return bars.bar(cell, bars.full_scale(cell, cell.column), leads=self.result.rank == 1)


@dataclass
class ResultTable:
    """A system's results on one split."""

    title: str
    columns: list[ShownColumn]
    """Those besides the headline that have a number in some row."""
    headline: ShownColumn
    rows: list[SettingRow] = field(default_factory=list)

    @property
    def has_ranks(self) -> bool:
        """Whether a row has a rank."""
        return any(row.result.rank is not None for row in self.rows)

    @property
    def several(self) -> bool:
        """Whether it has several rows."""
        return len(self.rows) > 1

    @property
    def has_reported(self) -> bool:
        """Whether a row has a reported number beside its own."""
        return any(row.reported_headline is not None for row in self.rows)

    @property
    def has_runs(self) -> bool:
        """Whether it is known what a run took."""
        return any(row.result.taken for row in self.rows)

    @property
    def lines(self) -> list[tuple[SettingRow, list[ShownCell | None]]]:
        """Each row with its cells in the order of `columns`."""
        return [(row, [_cell(row.result, column.key) for column in self.columns]) for row in self.rows]


def _cell(result: Result, key: str) -> ShownCell | None:
    return next((cell for cell in result.cells if cell.column.key == key), None)


def overview_of(page: SystemPage) -> dict[str, object]:
    """What the template of a system's page is given."""
    return {
        "page": page,
        "tables": tables_of(page.results),
        "sentence": sentence_of(excerpt(page.system.name, LONGEST_NAME), page.results),
    }


def tables_of(results: Sequence[Result]) -> list[ResultTable]:
    """The tables of a system's results, in the order of the results. Grades by hand have columns, and so a table, of
    their own."""
    tables: dict[tuple[object, ...], list[SettingRow]] = {}
    for result in sorted(results, key=lambda result: result.entry.kind != EntryKind.SCORED):
        entry = result.entry
        is_graded = entry.kind not in (EntryKind.SCORED, EntryKind.REPORTED)
        rows = tables.setdefault((entry.split.benchmark.slug, entry.split.slug, is_graded), [])
        row = next((row for row in rows if row.result.entry.setting.slug == entry.setting.slug), None)
        if row is not None and entry.kind == EntryKind.REPORTED and row.reported is None:
            row.reported = result
        else:
            rows.append(SettingRow(result))
    made = []
    for rows in tables.values():
        rows.sort(key=lambda row: results.index(row.result))
        first = rows[0].result
        cells = [cell for row in rows for cell in row.result.cells]
        valued = {cell.column.key for cell in cells if cell.value is not None or cell.other_value is not None}
        columns = list({cell.column.key: cell.column for cell in cells}.values())
        headline = next((column for column in columns if column.key == first.ranked_by.key), columns[0])
        split = first.entry.split
        title = f"{split.benchmark.name}, {split.name.lower()} split"
        others = [column for column in columns if column.key in valued and column.key != headline.key]
        made.append(ResultTable(title, others, headline, rows))
    return sorted(made, key=lambda table: results.index(table.rows[0].result))


def sentence_of(name: str, results: Sequence[Result]) -> tuple[str, str]:
    """What a system's ranks on its first split say: the emphasised part, and the rest."""
    scored = [result for result in results if result.rank is not None]
    if not scored:
        if any(result.is_waiting for result in results):
            return f"{name} waits for its scores.", ""
        reported = any(result.entry.kind == EntryKind.REPORTED for result in results)
        return ("", f"{name} has reported numbers only, which have no rank.") if reported else ("", "")
    here = [result for result in scored if result.entry.split == scored[0].entry.split]
    alone = [result for result in here if result.n_ranked == 1]
    leading = [result for result in here if result not in alone and (result.best_rank, result.worst_rank) == (1, 1)]
    strong, rest = "", []
    if leading:
        strong = f"leads {listed([_place(result) for result in leading])}"
        rest.append(" and is the only system that can hold rank 1 there.")
    elif alone:
        strong = f"is the only system scored in {listed([_place(result) for result in alone])}"
        rest.append(".")
    for result in here:
        if result in leading or (result in alone and not leading):
            continue
        possible = "."
        if result.best_rank is not None and result.worst_rank is not None and result.best_rank != result.worst_rank:
            possible = f", and ranks {result.best_rank} to {result.worst_rank} are possible."
        subject = name if not strong and not rest else "it"
        rest.append(f" In {_setting(result)} {subject} ranks {result.rank} of {result.n_ranked:,}{possible}")
    return f"{name} {strong}" if strong else "", "".join(rest)


def _setting(result: Result) -> str:
    name = result.entry.setting.name
    return name[0].lower() + name[1:] if name[1:2].islower() else name


def _place(result: Result) -> str:
    cell = _cell(result, result.ranked_by.key)
    value = f" ({amount(cell.value, cell.column)})" if cell is not None and cell.value is not None else ""
    return f"{_setting(result)}{value}"
