"""What pages and the API show of several attempts at a question."""

import json

from leaderboard.systems.attempts import LONGEST_SHOWN, shown_attempts
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
