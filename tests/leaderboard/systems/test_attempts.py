"""What pages and the API show of several attempts at a question."""

import json
from types import SimpleNamespace
from typing import Any

from leaderboard.systems.attempts import LONGEST_SHOWN, shown_attempts
from leaderboard.systems.types import Result
from scoring.analysis.explanations import LONGEST_ANSWER
from scoring.task_types.answer_list import AnswerList


def test_a_list_that_is_too_long_to_be_examined_is_shown_as_its_beginning_and_given_whole() -> None:
    many = [f"Answer number {number}" for number in range(2000)]
    stored = json.dumps(many)
    assert len(stored) > LONGEST_ANSWER
    short, long, empty = shown_attempts([json.dumps(["Oslo"]), stored, "[]"], None, AnswerList())
    assert (short.texts, short.is_cut, short.answer) == (("Oslo",), False, ["Oslo"])
    assert (long.texts, long.is_cut, long.answer) == ((stored[:LONGEST_SHOWN],), True, many)
    assert (empty.texts, empty.answer) == ((), None)


def test_pass_at_k_is_shown_of_scores_whose_higher_values_are_better_alone() -> None:
    def cell(*, higher_is_better: bool) -> Any:
        chances = SimpleNamespace(spread=0.1, pass_at=[0.5, 0.75])
        return SimpleNamespace(column=SimpleNamespace(higher_is_better=higher_is_better), attempts=chances)

    recall, uncited = cell(higher_is_better=True), cell(higher_is_better=False)
    missing: Any = None
    result = Result(missing, "", [recall, uncited], None, missing, missing)
    assert result.tried == [recall, uncited]
    assert result.with_chances == [recall]
