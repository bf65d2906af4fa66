"""Scores to test with."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from scoring.statistics.arrays import FloatArray

SHARES = sorted({numerator / denominator for denominator in range(1, 8) for numerator in range(denominator + 1)})
"""What loose accuracy gives for references of up to seven items."""


@st.composite
def score_matrices(draw: st.DrawFn, min_systems: int = 1, max_systems: int = 6, max_items: int = 12) -> FloatArray:
    """Scores of a few systems on a few items: 0 or 1, shares, or any floats; often with equal rows."""
    n_items = draw(st.integers(1, max_items))
    value = draw(st.sampled_from([st.sampled_from([0.0, 1.0]), st.sampled_from(SHARES), st.floats(-1e6, 1e6)]))
    row = st.lists(value, min_size=n_items, max_size=n_items)
    rows = draw(st.lists(row, min_size=min_systems, max_size=max_systems))
    copies = draw(st.lists(st.integers(0, len(rows) - 1), max_size=2)) if len(rows) < max_systems else []
    return np.array(rows + [rows[index] for index in copies], dtype=np.float64)


def systems(n_systems: int, n_items: int, seed: int, *, binary: bool = False) -> FloatArray:
    """Scores as they come: questions differ in difficulty, systems in skill."""
    chance = np.random.default_rng(seed)
    skill = (
        np.linspace(0.2, 0.7, n_systems)[:, None]
        + chance.normal(0, 0.3, n_items)
        + chance.normal(0, 0.2, (n_systems, n_items))
    )
    return (skill > 0.5).astype(np.float64) if binary else np.clip(skill, 0, 1)
