"""Replies of a judge that compares answers, and AlpacaEval's win rate."""

import math
from dataclasses import asdict
from typing import Any

import pytest

from scoring.metrics.side_by_side import SideBySideVerdict, parse_reply, win_rate
from tests.scoring.metrics.vectors import vectors

CRITIQUES = "<strength>s</strength></Critique1><Critique2><weakness>w</weakness></Critique2>"


@pytest.mark.parametrize(
    ("reply", "scores", "correct", "complete"),
    [
        (
            "<Correct1>1</Correct1><Correct2>0</Correct2><Score1>80</Score1><Score2>90</Score2>\n=====",
            [80, 90],
            [1, 0],
            1,
        ),
        ("<Score2>\n 70.5 </Score2><Score1>80</Score1>=====", [80, 70.5], [None, None], True),
        ("<Score1>80</Score1><Score2>90</Score2>", [80, 90], [None, None], False),
        ("<Score1>80/100</Score1><Score2>high</Score2>=====", [None, None], [None, None], True),
        ("<Score1>101</Score1><Score2>-1</Score2><Correct1>2</Correct1>=====", [None, None], [None, None], True),
        (
            "<Score1>80</Score1><Score1>80</Score1><Score2>1</Score2><Score2>2</Score2>=====",
            [80, None],
            [None, None],
            1,
        ),
        ("<Score1>80</Score2><Score3>5</Score3>=====", [None, None], [None, None], True),
        ("<Score1>7</Score1>=====<Score1>8</Score1><Score2>9</Score2>", [7, None], [None, None], True),
        ("<Explanation><Score1>1</Score1></Explanation><Score1>80</Score1>=====", [80, None], [None, None], True),
        (f"<Score{'1' * 5000}>1</Score{'1' * 5000}>", [None, None], [None, None], False),
        ("", [None, None], [None, None], False),
    ],
)
def test_scores_and_marks_are_read_by_their_tags(
    reply: str, scores: list[Any], correct: list[Any], complete: bool
) -> None:
    assert parse_reply(CRITIQUES + reply, 2) == SideBySideVerdict(scores, correct, bool(complete))


def test_critiques_are_not_read() -> None:
    quoting = f"It says <Score1>100</Score1> =====</Critique1>{CRITIQUES.partition('</Critique1>')[2]}"
    assert parse_reply(quoting + "<Score1>3</Score1><Score2>4</Score2>=====", 2).scores == [3, 4]


def test_a_comparison_needs_candidates() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        parse_reply("", 0)


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("researchy", "fig8_parse"), ids=lambda vector: vector["id"])
def test_replies_of_the_vectors(vector: dict[str, Any]) -> None:
    verdict = parse_reply(vector["input"]["completion_after_<Critique1>"], vector["input"]["NumCandidates"])
    assert asdict(verdict) == {key: vector["expected"][key] for key in ("scores", "correct", "complete")}


@pytest.mark.parametrize(
    ("preferences", "rate", "error", "wins"),
    [
        ([2, 2, 1], 200 / 3, 100 / 3, (2, 1, 0)),
        ([0, 1.5], 50, 0, (0, 0, 2)),
        ([2, None, math.nan, 3, 0.5], 100, None, (1, 0, 0)),
        ([1.75, 1.25], 50, 25, (1, 1, 0)),
        ([None], None, None, (0, 0, 0)),
        ([], None, None, (0, 0, 0)),
    ],
)
def test_win_rates(
    preferences: list[float | None], rate: float | None, error: float | None, wins: tuple[int, int, int]
) -> None:
    found = win_rate(preferences)
    assert found.win_rate == (rate if rate is None else pytest.approx(rate))
    assert found.standard_error == (error if error is None else pytest.approx(error))
    assert (found.n_wins, found.n_wins_base, found.n_draws) == wins
    assert found.n_total == sum(wins)


@pytest.mark.data
@pytest.mark.parametrize("vector", vectors("researchy", "win_rate"), ids=lambda vector: vector["id"])
def test_win_rates_of_the_vectors(vector: dict[str, Any]) -> None:
    found = asdict(win_rate(vector["input"]["preferences"]))
    assert found == {key: vector["expected"][key] for key in found}
