"""The short form of the calibration bench."""

import pytest

from tests.bench.calibration import SUBJECTS
from tests.bench.calibration.figures import Figure


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.slow
def test_figures_keep_their_bounds(name: str) -> None:
    figures = list(SUBJECTS[name].simulate(SUBJECTS[name].n_short))
    assert figures
    assert [figure for figure in figures if not figure.plausible] == []


def test_chance_excuses_only_a_little() -> None:
    assert Figure("", 0.93, 400, at_least=0.95).plausible
    assert not Figure("", 0.90, 400, at_least=0.95).plausible
    assert not Figure("", 0.94, 0, at_least=0.95).plausible, "an exact figure has no chance in it"
    assert not Figure("", 1.1, 400, at_most=1.0, unit="x", standard_error=0.02).plausible
