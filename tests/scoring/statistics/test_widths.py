"""No interval that the site shows is without width, whatever the results agree on."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from scoring.statistics import (
    Comparisons,
    cohen_kappa,
    difference_intervals,
    fleiss_kappa,
    grader_biases,
    krippendorff_alpha,
    length_controlled_board,
    mean_interval,
    paired_differences,
    position_bias,
    strengths,
    system_against_people,
    validate_judge,
)

N = 30
TEMPLATES, PEOPLE, QUESTIONS = np.arange(N) // 5, np.arange(N) // 5, np.arange(N) % 10
ALTERNATE = [1.0, 0.0] * (N // 2)
Ends = Iterable[tuple[float, float]]


def in_both_orders(first_shown: float, second_shown: float) -> Comparisons:
    """Two systems on each question: what the first one gets where it is shown first, and where it is shown second."""
    zeros, ones = [0] * N, [1] * N
    values = [first_shown] * N + [1 - second_shown] * N
    return Comparisons.of(zeros + ones, ones + zeros, values, [*range(N)] * 2, 2)


def of_means(value: float) -> Ends:
    results = np.full(N, value)
    for clusters in (None, TEMPLATES, (PEOPLE, QUESTIONS)):
        ends = mean_interval(results, clusters)
        yield ends.low, ends.high
    for clusters in (None, TEMPLATES):
        pair = paired_differences(np.stack([results, results]), clusters=clusters).interval
        yield float(pair.low[0]), float(pair.high[0])
        difference = difference_intervals(np.full(N, value - 0.5), clusters=clusters)
        yield float(difference.low), float(difference.high)
    for system in (value, 1 - value):
        against = system_against_people([system] * N, results, QUESTIONS, PEOPLE)
        assert against is not None and against.low is not None and against.high is not None
        yield against.low, against.high
    for found in length_controlled_board([[0.5] * N], [[*range(-15, 15)]], clusters=TEMPLATES):
        assert found is not None
        yield found.low, found.high


def of_agreement(_: float) -> Ends:
    judged = validate_judge(ALTERNATE, ALTERNATE)
    alike = np.array([ALTERNATE, ALTERNATE])
    estimates = [judged.accuracy, judged.kappa, judged.bias, *grader_biases(alike), krippendorff_alpha(alike)]
    for estimate in (*estimates, fleiss_kappa(alike), cohen_kappa(ALTERNATE, ALTERNATE)):
        assert estimate.interval is not None
        yield estimate.interval.low, estimate.interval.high


def of_comparisons(value: float) -> Ends:
    for comparisons in (in_both_orders(value, value), in_both_orders(1.0, 0.0)):
        found = strengths(comparisons)
        yield from zip(found.low.tolist(), found.high.tolist(), strict=True)
        bias = position_bias(comparisons)
        assert bias is not None
        yield bias.low, bias.high


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("intervals", [of_means, of_agreement, of_comparisons])
def test_results_that_are_all_alike_have_intervals_with_a_width(
    intervals: Callable[[float], Ends], value: float
) -> None:
    found = [*intervals(value)]
    assert found
    assert [ends for ends in found if not ends[1] - ends[0] > 0.001] == []
