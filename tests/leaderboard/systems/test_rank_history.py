"""The history of ranks equals its definition: the rank among the rows that are on the board at each moment."""

import datetime

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.systems.rank_history import Stay, history_of

BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
MINE = 1


def stay(system: int, came: int, days: int | None, value: int) -> Stay:
    def at(day: int) -> datetime.datetime:
        return BEGIN + datetime.timedelta(days=day)

    return Stay(system, at(came), None if days is None else at(came + days), value / 4)


days = st.integers(0, 9)
stays = st.lists(st.builds(stay, st.integers(1, 4), days, st.none() | days, st.integers(0, 4)), max_size=9)


def by_definition(times_on_board: list[Stay]) -> list[tuple[datetime.datetime, float | None, int | None, int]]:
    mine = [time for time in times_on_board if time[0] == MINE]
    own = [time for time in mine if time[2] is None or time[2] in {came for _, came, _, _ in mine}]
    points: list[tuple[datetime.datetime, float | None, int | None, int]] = []
    for at in sorted({moment for _, *moments, _ in times_on_board for moment in moments if moment is not None}):
        there = [time for time in times_on_board if time[1] <= at and (time[2] is None or time[2] > at)]
        value = next((time[3] for time in there if time in own), None)
        rank = None if value is None else 1 + sum(other > value for *_, other in there)
        if (points[-1][1:3] if points else (None, None)) != (value, rank):
            points.append((at, value, rank, len(there)))
    return points


@given(stays)
def test_each_change_of_rank_or_value_is_a_point(times_on_board: list[Stay]) -> None:
    points = history_of(MINE, times_on_board)
    assert [(point.at, point.value, point.rank, point.n_ranked) for point in points] == by_definition(times_on_board)


def test_values_that_differ_by_rounding_alone_share_the_better_rank() -> None:
    level = [Stay(1, BEGIN, None, 0.1 + 0.2), Stay(2, BEGIN, None, 0.3)]
    assert [history_of(system, level)[-1].rank for system in (1, 2)] == [1, 1]
