"""From ticks and marks to numbers, against numbers worked out by hand."""

import doctest

import pytest

from humaneval.grading import grade_scores
from humaneval.grading.desk import page as desk
from humaneval.grading.grade_scores import NothingGradedError, Ticked, mean
from humaneval.grading.guidelines import EXAMPLES
from humaneval.grading.rounds import sampling


@pytest.mark.parametrize("module", [grade_scores, sampling, desk])
def test_the_examples_in_the_documentation(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


class TestTheWorkedExample:
    """The first figure of Zhu et al. (2024): the batting hands of the first five picks of the 1998 draft.

    A dict of five players, hence ten items: five names and five hands. By hand: an answer that names all five and has
    the hand of four of them right has 5 + 4 = 9 of 10 items.
    """

    NAMES = (True,) * 5

    def pairs(self, *hands: bool) -> tuple[bool, ...]:
        return tuple(tick for pair in zip(self.NAMES, hands, strict=True) for tick in pair)

    @pytest.mark.parametrize(
        ("third_hand", "marks", "scores"),
        [
            (False, {}, (0.9, 0.0, "A", 0.0)),
            (False, {"contradicts": True}, (0.9, 0.0, "D", 0.0)),
            (True, {}, (1.0, 1.0, "C", 1.0)),
        ],
        ids=["one hand is missing", "one hand is wrong", "all hands are right"],
    )
    def test_scores_of_one_answer(
        self, third_hand: bool, marks: dict[str, bool], scores: tuple[float, float, str, float]
    ) -> None:
        ticked = Ticked(self.pairs(True, True, third_hand, True, True), **marks)
        assert (ticked.loose, ticked.strict, ticked.letter, ticked.correct) == scores


@pytest.mark.parametrize(
    ("ticks", "marks", "letter"),
    [
        ((False, False), ("refuses",), "F"),
        ((False, False), ("refuses", "contradicts"), "F"),
        ((False, False), (), "F"),
        ((False, False), ("contradicts",), "D"),
        ((False, False), ("extra_wrong",), "D"),
        ((True, True), ("extra_wrong",), "D"),
        ((True, False), (), "A"),
        ((True, False), ("extra_right",), "A"),
        ((True, True), ("extra_right",), "B"),
        ((True, True), ("unclear_question", "reference_wrong"), "C"),
    ],
)
def test_letters(ticks: tuple[bool, ...], marks: tuple[str, ...], letter: str) -> None:
    assert Ticked(ticks, **dict.fromkeys(marks, True)).letter == letter


def test_nothing_has_no_share() -> None:
    with pytest.raises(NothingGradedError):
        Ticked(())
    assert mean([]) is None


def test_the_guidelines_examples_are_graded_as_they_say() -> None:
    assert [(one.ticked.loose, one.ticked.letter) for one in EXAMPLES] == [
        (1.0, "B"),
        (0.75, "D"),
        (0.5, "A"),
        (0.0, "F"),
    ]
