"""The history of ranks equals its definition: the rank among the rows that are on the board at each moment."""

import datetime

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.times import TimeOnBoard, array_of
from leaderboard.systems.rank_history import history_of

BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
MINE = 1


def stay(system: int, came: int, days: int | None, value: int) -> TimeOnBoard:
    def at(day: int) -> datetime.datetime:
        return BEGIN + datetime.timedelta(days=day)

    return TimeOnBoard(system, at(came), None if days is None else at(came + days), value / 4)


days = st.integers(0, 9)
stays = st.lists(st.builds(stay, st.integers(1, 4), days, st.none() | days, st.integers(0, 4)), max_size=9)


def by_definition(times_on_board: list[TimeOnBoard]) -> list[tuple[datetime.datetime, float | None, int | None, int]]:
    mine = [row for row in times_on_board if row.system == MINE]
    own = [row for row in mine if row.left is None or row.left in {other.came for other in mine}]
    points: list[tuple[datetime.datetime, float | None, int | None, int]] = []
    for at in sorted({time for row in times_on_board for time in (row.came, row.left) if time is not None}):
        there = [row for row in times_on_board if row.came <= at and (row.left is None or row.left > at)]
        value = next((row.value for row in there if row in own), None)
        rank = None if value is None else 1 + sum(row.value > value for row in there)
        is_before = not own or at < min(row.came for row in own)
        if not is_before and (not points or points[-1][1:3] != (value, rank)):
            points.append((at, value, rank, len(there)))
    return points


@given(stays)
def test_each_change_of_rank_or_value_is_a_point(times_on_board: list[TimeOnBoard]) -> None:
    points = history_of(MINE, array_of(times_on_board))
    assert [(point.at, point.value, point.rank, point.n_ranked) for point in points] == by_definition(times_on_board)
    assert history_of(MINE, array_of(times_on_board), most=2) == points[-2:]
