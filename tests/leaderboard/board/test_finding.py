"""The sentence above a board, on generated documents of every kind of board."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.document import FORMAT, Document, Row, StoredCell
from leaderboard.board.finding import Finding, finding_of
from leaderboard.board.table.ordering import separations
from leaderboard.disclosure import DisclosureRule
from scoring.metrics.columns import Column

OPEN = DisclosureRule(hidden=False)
LOOSE = Column("loose", "accuracy", "Loose accuracy", "Loose", "Accuracy", "")
SECONDS = replace(LOOSE, label="Time per question", unit="seconds", digits=1, bounds=None, higher_is_better=False)

Range = tuple[int, int]


def row(name: str, kind: str = "scored", **changes: Any) -> Row:
    now = datetime.datetime(2026, 7, 1, tzinfo=datetime.UTC)
    return Row(name=name, slug=name.lower(), kind=kind, published_at=now, **changes)


def document(
    rows: list[Row],
    values: Sequence[float | None],
    ranges: Sequence[Range | None] | None = None,
    *,
    intervals: bool = True,
    best: tuple[int, ...] = (),
    **changes: Any,
) -> Document:
    """A board of these rows; consecutive ones with the same name are sources of one system."""
    for place, (known, value) in enumerate(zip(rows, values, strict=True)):
        cell = StoredCell(value=value, best=place in best)
        cell.state = known.kind if value is not None else "not_scored"
        if intervals and known.kind == "scored" and value is not None:
            cell.low, cell.high = value - 0.02, value + 0.02
        if ranges is not None and (bounds := ranges[place]) is not None:
            cell.best_rank, cell.worst_rank = bounds
        known.by_column["loose"] = cell
    systems = [list(sources) for _, sources in groupby(rows, key=lambda known: known.name)]
    fields: dict[str, Any] = {"signatures": {}, "revisions": [], "current_revision": None}
    return Document(format=FORMAT, systems=systems, **fields | changes)


def told(finding: Finding) -> str:
    return (finding.sentence + finding.more).replace("\N{NO-BREAK SPACE}", " ")


def said(board: Document, column: Column = LOOSE, rule: DisclosureRule = OPEN) -> str:
    return told(finding_of(board, column, rule))


def test_a_leader_with_the_next_system_and_people() -> None:
    rows = [row("A"), row("B"), row("C"), row("D"), row("People", "reported", is_human=True, pinned="human")]
    board = document(rows, [0.488, 0.453, 0.441, 0.3, 0.685], [(1, 1), (2, 3), (2, 3), (4, 4), None])
    assert said(board) == (
        "A leads with 0.488 loose accuracy, 95 % interval 0.468 to 0.508. No other system can hold rank 1. "
        "B follows, 0.035 behind. People reach 0.685 (reported)."
    )


def test_several_share_rank_1_and_none_is_named_as_the_leader() -> None:
    board = document([row("A"), row("B"), row("C")], [0.488, 0.48, 0.471], [(1, 3), (1, 3), (1, 3)])
    assert said(board) == "3 systems share rank 1 by loose accuracy: A, B and C."
    many = document([row(f"S{n:02}") for n in range(12)], [0.4] * 12, [(1, 12)] * 12)
    assert said(many) == "12 systems share rank 1 by loose accuracy: S00, S01, S02 and 9 more."


def test_a_score_whose_name_is_no_word_keeps_its_capitals() -> None:
    board = document([row("A")], [0.4], intervals=False)
    assert "with 0.400 F1." in said(board, replace(LOOSE, label="F1"))


def test_without_rank_ranges_nothing_is_claimed_of_rank_1() -> None:
    board = document([row("A"), row("B")], [0.4, 0.3], statistics_stale=True)
    assert said(board) == "The best value so far: A with 0.400 loose accuracy. Rank ranges are not known yet."
    level = document([row("A"), row("B")], [0.4, 0.4], intervals=False)
    assert said(level) == "The best value so far: A and B with 0.400 loose accuracy. Rank ranges are not known yet."


def test_reported_numbers_have_no_rank() -> None:
    board = document([row("A", "reported"), row("B", "reported")], [0.61, 0.6], best=(0,))
    assert said(board) == (
        "No system has been scored here yet. The best reported: A with 0.610 loose accuracy. B follows, 0.010 behind."
    )
    mixed = document([row("A", "reported"), row("B", "reported")], [0.61, 0.6])
    assert said(mixed) == "No system has been scored here yet."


def test_with_reported_rows_chosen_the_sentence_is_about_them() -> None:
    rows = [row("A"), row("A", "reported"), row("B", "reported"), row("C")]
    board = document(rows, [0.4, 0.5, 0.61, 0.3], [(1, 1), None, None, (2, 2)], best=(0, 2))
    assert told(finding_of(board, LOOSE, OPEN, reported=True)) == (
        "Reported numbers have no rank. The best reported: B with 0.610 loose accuracy. A follows, 0.110 behind."
    )
    mixed = document(rows, [0.4, 0.5, 0.61, 0.3], [(1, 1), None, None, (2, 2)])
    assert told(finding_of(mixed, LOOSE, OPEN, reported=True)) == "Reported numbers have no rank."
    assert told(finding_of(board, LOOSE, OPEN)).startswith("A leads with 0.400 loose accuracy")


def test_boards_without_a_number_say_that_nothing_was_scored() -> None:
    assert said(document([], [])) == "No system has been scored here yet."
    assert said(document([row("A")], [None])) == "No system has been scored here yet."
    people = document([row("People", "reported", is_human=True, pinned="human")], [0.7])
    assert said(people) == "No system has been scored here yet. People reach 0.700 (reported)."


def test_lower_is_better() -> None:
    board = document([row("A"), row("B"), row("C")], [30.0, 12.5, 12.54], [(3, 3), (1, 1), (2, 2)])
    assert said(board, SECONDS) == (
        "B leads with 12.5 s time per question (lower is better), 95 % interval 12.4 to 12.6. "
        "No other system can hold rank 1. C follows, less than 0.1 s behind."
    )
    assert said(document([row("A"), row("B")], [3.0, 2.0]), SECONDS).startswith(
        "The best value so far: B with 2.0 s time per question (lower is better)."
    )


def test_per_cent_and_hidden_splits() -> None:
    percent = replace(LOOSE, percent=True)
    board = document([row("A"), row("B")], [0.4882, 0.4531], [(1, 1), (2, 2)])
    assert said(board, percent).startswith("A leads with 48.8 % loose accuracy, 95 % interval 46.8 to 50.9.")
    assert "3.5 points behind" in said(board, percent), "3.5 % would be a share of the value"
    assert "0.035 behind" in said(board, rule=DisclosureRule(hidden=True))
    leader = finding_of(board, LOOSE, DisclosureRule(hidden=True)).first[0].cell
    assert (leader.value, leader.low, leader.high) == (0.488, 0.468, 0.509), "no more digits than the board shows"


def test_another_source_of_a_system_is_no_second_system() -> None:
    rows = [row("A"), row("A", "reported"), row("B", "reported")]
    board = document(rows, [0.4, 0.9, 0.8], [(1, 1), None, None], best=(1,))
    assert finding_of(board, LOOSE, OPEN).state == "only"
    waiting = document(rows, [None, 0.9, 0.8], best=(1,))
    assert said(waiting).startswith("No system has been scored here yet. The best reported: A with 0.900")


ranges_of = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8)


@given(widths=ranges_of, known=st.booleans(), higher=st.booleans())
def test_the_sentence_never_claims_more_than_the_ranks(widths: list[Range], known: bool, higher: bool) -> None:
    """A leader is named if and only if its range alone begins at 1 and there are others to lead."""
    n = len(widths)
    ranges = [(max(1, place - up), min(n, place + down)) for place, (up, down) in enumerate(widths, 1)]
    ranges[0] = (1, ranges[0][1])
    rows = [row(f"System {place}") for place in range(n)]
    column = replace(LOOSE, higher_is_better=higher)
    values: list[float | None] = [0.9 - 0.1 * place if higher else 0.1 + 0.1 * place for place in range(n)]
    board = document(rows, values, [*ranges] if known else None)
    finding = finding_of(board, column, OPEN)
    possible = [one for one, (best, _) in zip(rows, ranges, strict=True) if best == 1]
    if n == 1:
        assert finding.state == "only"
    elif not known:
        assert finding.state == "unranked"
        assert not any(word in told(finding) for word in ("leads", "share", "no other system"))
    elif len(possible) == 1:
        assert (finding.state, finding.first[0].system) == ("leads", rows[0])
        assert finding.next is not None and finding.next.system == rows[1]
    else:
        assert (finding.state, [one.system for one in finding.first]) == ("shared", possible)
        assert "leads" not in told(finding)


@given(widths=ranges_of)
def test_no_range_crosses_a_separation(widths: list[Range]) -> None:
    n = len(widths)
    ranges = [(max(1, place - up), min(n, place + down)) for place, (up, down) in enumerate(widths, 1)]
    ends = separations(ranges)
    for end in range(1, n):
        overlap = any(above[1] >= below[0] for above in ranges[:end] for below in ranges[end:])
        assert (end in ends) == (not overlap)
