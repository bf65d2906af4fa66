"""A system's results at a glance: a sentence about its ranks, and one table a split with its settings as rows.

Enters: the results of a system's page. Leaves: a sentence, and tables.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.text import get_text_list

from leaderboard.board.finding import LONGEST_NAME, in_sentence
from leaderboard.models import EntryKind
from leaderboard.systems.types import Result, SystemPage
from leaderboard.templatetags.display import excerpt, in_per_cent
from scoring.metrics.columns import with_unit


def overview_of(page: SystemPage) -> dict[str, object]:
    """What the template of a system's page is given."""
    return {
        "page": page,
        "tables": tables_of(page.results),
        "sentence": sentence_of(excerpt(page.system.name, LONGEST_NAME), page.results),
    }


def tables_of(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The tables of a system's results, one a split, in the order of the results. Grades by hand have columns, and so a
    table, of their own.

    ``columns`` are those besides the headline that have a number in some row, and ``lines`` the rows with their cells
    in this order; a reported result beside one that was scored here has no row of its own.
    """
    by_split: dict[tuple[object, ...], list[Result]] = {}
    for result in sorted(results, key=lambda result: result.entry.kind != EntryKind.SCORED):
        entry = result.entry
        is_graded = entry.kind not in (EntryKind.SCORED, EntryKind.REPORTED)
        rows = by_split.setdefault((entry.split.benchmark.slug, entry.split.slug, is_graded), [])
        row = next((row for row in rows if row.entry.setting.slug == entry.setting.slug), None)
        if row is not None and entry.kind == EntryKind.REPORTED and row.reported is None:
            row.reported = result
        else:
            rows.append(result)
    tables = []
    for rows in by_split.values():
        rows.sort(key=results.index)
        cells = [cell for row in rows for cell in row.cells]
        valued = {cell.column.key for cell in cells if cell.value is not None or cell.other_value is not None}
        columns = list({cell.column.key: cell.column for cell in cells}.values())
        headline = next((column for column in columns if column.key == rows[0].ranked_by.key), columns[0])
        others = [column for column in columns if column.key in valued and column.key != headline.key]
        split = rows[0].entry.split
        table = {
            "title": f"{split.benchmark.name}, {split.name.lower()} split",
            "headline": headline,
            "per_cent": in_per_cent([headline]),
            "columns": others,
            "rows": rows,
            "lines": [(row, [row.cell(column.key) for column in others]) for row in rows],
            "has_links": any(row.links for row in rows),
            "has_ranks": any(row.rank is not None for row in rows),
            "has_reported": any(row.reported_headline is not None for row in rows),
            "has_runs": any(row.taken for row in rows),
        }
        tables.append(table)
    return sorted(tables, key=lambda table: results.index(table["rows"][0]))


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
    strong, rest, benchmark = "", [], scored[0].entry.split.benchmark.name
    if leading:
        strong = f"leads {benchmark} in {get_text_list([_place(result) for result in leading], 'and')}"
        rest.append(" and is the only system that can hold rank 1 there.")
    elif alone:
        settings = get_text_list([_place(result) for result in alone], "and")
        strong = f"is the only system scored on {benchmark} in {settings}"
        rest.append(".")
    for result in here:
        if result in leading or (result in alone and not leading):
            continue
        possible = "."
        if result.best_rank is not None and result.worst_rank is not None and result.best_rank != result.worst_rank:
            possible = f", and ranks {result.best_rank} to {result.worst_rank} are possible."
        subject = name if not strong and not rest else "it"
        where = "In" if strong or rest else f"On {benchmark}, in"
        rest.append(f" {where} {_setting(result)}, {subject} ranks {result.rank} of {result.n_ranked:,}{possible}")
    return f"{name} {strong}" if strong else "", "".join(rest)


def _setting(result: Result) -> str:
    return in_sentence(result.entry.setting.name)


def _place(result: Result) -> str:
    cell = result.headline
    value = f" ({with_unit(cell.value, cell.column)})" if cell is not None and cell.value is not None else ""
    return f"{_setting(result)}{value}"
