"""The home page: who leads each benchmark, by setting, and what is new."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

from leaderboard.board.document import Row
from leaderboard.board.finding import Finding, finding_of
from leaderboard.board.lookup import StoredBoard
from leaderboard.board.table import bars, board_url
from leaderboard.board.table.builder import about, definition_for
from leaderboard.board.write import open_board
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import byline

MOST_SETTINGS: Final = 3
"""Most settings of a benchmark that have a row."""
MOST_NEWS: Final = 4


def home_page(found: Iterable[Sequence[StoredBoard]]) -> dict[str, Any]:
    """The benchmarks with a result, those without one, and the latest rows with date, benchmark and setting. One query
    for each board with rows.

    Args:
        found: as `leaderboard.board.lookup.find_home_boards` returns them.
    """
    benchmarks: list[dict[str, Any]] = []
    news: list[tuple[Row, datetime, str, str]] = []
    for boards in found:
        with_rows = [
            stored
            for stored in boards
            if stored.document is not None
            or any(of.n_systems is None and of[:2] == (stored.split, stored.setting) for of in stored.neighbours)
        ]
        written = (stored if stored.document is not None else open_board(*stored.slugs) for stored in with_rows)
        known = [stored for stored in written if stored is not None and stored.document is not None]
        leaders = [
            leader_row(stored.setting.name, board_url(*stored.slugs), finding)
            for stored in known
            if (finding := finding_on(stored)).first
        ]
        kinds = Counter(row.kind for stored in known for row, *_ in stored.content.systems if not row.is_human)
        first = boards[0]
        others: dict[str, tuple[str, str]] = {}
        for of in sorted(first.neighbours, key=lambda of: of.setting != first.setting):
            if of.split != first.split and of.n_systems != 0:
                address = board_url(first.benchmark.slug, of.split.slug, of.setting.slug)
                others.setdefault(of.split.slug, (of.split.name.lower(), address))
        benchmarks.append(
            {
                "benchmark": first.benchmark,
                "url": board_url(*first.slugs),
                "split": first.split.name.lower(),
                "n_questions": max((stored.content.n_questions for stored in known), default=0),
                "n_scored": kinds["scored"],
                "n_reported": kinds["reported"],
                "leaders": leaders[:MOST_SETTINGS],
                "n_more": max(0, len(leaders) - MOST_SETTINGS),
                "others": list(others.values()),
            }
        )
        news += [
            (row, row.published_at, first.benchmark.name, stored.setting.name.lower())
            for stored in known
            for row in stored.content.rows
            if row.kind == EntryKind.SCORED and not row.is_human and row.published_at is not None
        ]
    news.sort(key=itemgetter(1), reverse=True)
    return {
        "benchmarks": [benchmark for benchmark in benchmarks if benchmark["leaders"]],
        "waiting": [benchmark for benchmark in benchmarks if not benchmark["leaders"]],
        "news": news[:MOST_NEWS],
    }


def finding_on(stored: StoredBoard) -> Finding:
    """Who leads a board in the column that it is ordered by."""
    definition = definition_for(stored)
    return finding_of(stored.content, definition.column(definition.default_sort), stored.rule)


def leader_row(setting: str, url: str, finding: Finding) -> dict[str, Any]:
    """Who leads a benchmark in one setting: the leader, or the first of those that share rank 1, and how certain its
    rank is."""
    first, row, number = finding.first[0], finding.first[0].system, len(finding.first)
    following = finding.next or (finding.first[1] if number > 1 else None)
    certainty = {"leads": "rank 1 certain", "shared": f"shares rank 1 with {number - 1}", "only": "the only system"}
    return {
        "setting": setting,
        "url": url,
        "finding": finding,
        "names": [contender.name for contender in finding.first],
        "column": finding.column,
        "first": first,
        "about": (row.facts.organisation if row.facts else "") or byline(row.authors, row.citation) or about(row.facts),
        "is_reported": first.cell.state == EntryKind.REPORTED,
        "bar": bars.bar(
            first.cell, bars.full_scale(first.cell, finding.column), leads=first.cell.state == EntryKind.SCORED
        ),
        "certainty": certainty.get(finding.state, "unknown"),
        "ahead": f"{finding.behind(following)} ahead" if following else "",
    }
