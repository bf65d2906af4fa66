"""The calibration error over bins, worked out by hand."""

from math import sqrt

import pytest

from scoring.statistics import calibration_error

CONFIDENCES = [0.9, 0.1, 0.2, 0.8, 1.0]
CORRECT = [1, 0, 1, 0, 0]
# Sorted and divided into bins of two: (0.1 wrong, 0.2 right) and (0.8 wrong, 0.9 right, 1.0 wrong).
FIRST, SECOND = 0.5 - 0.15, 0.9 - 1 / 3


def test_bins_weigh_as_many_answers_as_they_have_and_the_last_takes_the_rest() -> None:
    assert calibration_error(CONFIDENCES, CORRECT, 2, norm=1) == pytest.approx(0.4 * FIRST + 0.6 * SECOND)
    assert calibration_error(CONFIDENCES, CORRECT, 2, norm=2) == pytest.approx(sqrt(0.4 * FIRST**2 + 0.6 * SECOND**2))
    assert calibration_error(CONFIDENCES, CORRECT, 2, norm="max") == pytest.approx(SECOND)


def test_as_published_the_last_bin_is_left_out() -> None:
    assert calibration_error(CONFIDENCES, CORRECT, 2, norm=1, published=True) == pytest.approx(0.4 * FIRST)
    assert calibration_error(CONFIDENCES, CORRECT, 3, published=True) == 0.0


def test_fewer_answers_than_a_bin_are_one_bin_but_not_in_the_published_code() -> None:
    assert calibration_error(CONFIDENCES, CORRECT) == pytest.approx(abs(0.6 - 0.4))
    with pytest.raises(ValueError, match="at least one bin"):
        calibration_error(CONFIDENCES, CORRECT, published=True)


def test_answers_of_one_confidence_stay_in_their_order() -> None:
    confidences, correct = [0.5] * 40, [1] * 20 + [0] * 20
    assert calibration_error(confidences, correct, 20, norm=1) == 0.5


@pytest.mark.parametrize(
    ("confidences", "correct", "options"),
    [
        ([], [], {}),
        ([80], [1], {}),
        ([0.5], [2], {}),
        ([0.5], [1, 0], {}),
        ([0.5], [1], {"norm": 3}),
        ([0.5], [1], {"bin_size": 0}),
    ],
)
def test_what_is_no_confidence_or_no_answer_is_refused(
    confidences: list[float], correct: list[int], options: dict[str, int]
) -> None:
    with pytest.raises(ValueError, match=r"confidences|norm|bin_size"):
        calibration_error(confidences, correct, **options)  # type: ignore[arg-type]
