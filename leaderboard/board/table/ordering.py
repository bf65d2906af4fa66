"""The one module that orders a board: sorting, ranks, ties, filters and missing scores.

Ranks compare only rows with comparable scores: systems scored here under the current signature of the metric that the
ranks use. Published numbers are shown at their place in the order, without a rank; people are pinned.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from leaderboard.board.table.params import BoardParams
from leaderboard.models import WITHHELD, WITHHELD_LABEL, EntryKind, SystemType
from scoring.benchmarks.base import BenchmarkDefinition

FUNCTION_CALLING: Final = {"yes": True, "no": False, "unknown": None}
TYPE_LABELS: Final[Mapping[str, str]] = {value: str(label) for value, label in SystemType.choices} | {
    WITHHELD: WITHHELD_LABEL
}
SEARCHED: Final = ("name", "authors", "citation")
Row = Mapping[str, Any]
"""A row of a board's document; see `leaderboard.board.contents`."""


def led_by_reports(rows: Sequence[Row]) -> list[Row]:
    """The rows with their best reported source first, where they have one: for a board of reported scores."""
    found = []
    for row in rows:
        sources = [row, *row["alternatives"]]
        shown = next((one for one in sources if one["kind"] == EntryKind.REPORTED), row)
        named = {name: row[name] for name in ("name", "slug", "authors", "citation")}
        others = [one for one in sources if one is not shown]
        found.append(row if shown is row else {**shown, **named, "alternatives": others})
    return found


@dataclass(frozen=True)
class RankedEntry:
    """A row in the order of a board."""

    row: Row
    matches: bool
    """Whether it passes the filters."""
    rank: int | None
    tied: bool
    apart: bool
    """Whether it has scores, but none under a current signature."""

    @property
    def is_human(self) -> bool:
        """Whether it is a row of people."""
        return bool(self.row["is_human"])


def value_of(row: Row, key: str) -> float | None:
    """A row's number in a column, if it has one."""
    value: float | None = row["cells"].get(key, {}).get("value")
    return value


def ordered(rows: Sequence[Row], params: BoardParams, definition: BenchmarkDefinition) -> list[RankedEntry]:
    """Every row of a board in the requested order, including rows that do not pass the filters: ranks count all rows.

    Missing values are last in both directions; equal rows are ordered by name. Systems that were scored here come
    before reported ones, unless the parameters name a kind.

    Args:
        rows: ordered by name, ascending.
    """
    ranked_by = params.ranked_by(definition)
    counts = Counter(
        value
        for row in rows
        if row["kind"] == EntryKind.SCORED and not row["is_human"] and (value := value_of(row, ranked_by)) is not None
    )
    ranks: dict[float, int] = {}
    n_better = 0
    for value in sorted(counts, reverse=True):
        ranks[value] = n_better + 1
        n_better += counts[value]
    passes = _filter(params)
    found = []
    in_order = _sorted(rows, params, definition)
    if not params.kind:
        in_order.sort(key=lambda row: row["kind"] != EntryKind.SCORED)
    for row in in_order:
        mine = value_of(row, ranked_by)
        is_ranked = mine is not None and row["kind"] == EntryKind.SCORED and not row["is_human"]
        found.append(
            RankedEntry(
                row=row,
                matches=passes(row),
                rank=ranks[mine] if is_ranked and mine is not None else None,
                tied=is_ranked and mine is not None and counts[mine] > 1,
                apart=_is_apart(row),
            )
        )
    return found


def _sorted(rows: Sequence[Row], params: BoardParams, definition: BenchmarkDefinition) -> list[Row]:
    places = {row["entry_id"]: index for index, row in enumerate(rows)}
    keys: dict[str, Callable[[Row], Any]] = {
        "name": lambda row: places[row["entry_id"]],
        "type": lambda row: TYPE_LABELS.get(row["type"], ""),
        "context": lambda row: row["context_size"],
        "published": lambda row: row["published_at"],  # ISO 8601 in UTC: text order is time order
    }
    found = list(rows)
    for key in reversed(params.order(definition)):
        # Later keys first: sorting is stable, so each sort preserves the order of rows that are equal under its key.
        of_row: Callable[[Row], Any] = keys.get(key.key) or partial(value_of, key=key.key)
        values: dict[int, Any] = {row["entry_id"]: of_row(row) for row in found}
        known = [row for row in found if values[row["entry_id"]] is not None]
        known.sort(key=lambda row: values[row["entry_id"]], reverse=key.descending)
        found = known + [row for row in found if values[row["entry_id"]] is None]
    return found


def _is_apart(row: Row) -> bool:
    cells = row["cells"].values()
    return all("value" not in cell for cell in cells) and any("other" in cell for cell in cells)


def _filter(params: BoardParams) -> Callable[[Row], bool]:
    """A predicate for rows that pass the filters. Upper and lower case are not distinguished."""
    words = params.q.casefold().split()

    def passes(row: Row) -> bool:
        texts = [one[name].casefold() for one in (row, *row["alternatives"]) for name in SEARCHED] if words else []
        context = row["context_size"]
        return (
            all(any(word in text for text in texts) for word in words)
            and (not params.types or row["type"] in params.types)
            and (params.context_min is None or (context is not None and context >= params.context_min))
            and (params.context_max is None or (context is not None and context <= params.context_max))
            and (
                not params.function_calling
                or (
                    row["type"] != WITHHELD
                    and row["trained_for_function_calling"] is FUNCTION_CALLING[params.function_calling]
                )
            )
            and (params.kind not in EntryKind.values or row["kind"] == params.kind)
        )

    return passes
