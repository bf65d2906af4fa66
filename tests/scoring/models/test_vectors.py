"""Vectors of scores as they are stored."""

import io

import numpy as np
import pytest

from scoring.models import read_vector, vector_bytes


@pytest.mark.parametrize("n_items", [0, 1, 724])
def test_a_vector_is_read_as_it_was_written(n_items: int) -> None:
    values = np.random.default_rng(n_items).normal(size=n_items)
    values[: n_items // 2 : 7] = -0.0
    values[3:4] = np.nan
    stored = vector_bytes(values)
    assert np.load(io.BytesIO(stored)).tobytes() == values.tobytes(), "anybody can read it with NumPy"
    read = read_vector(memoryview(stored))
    assert (read.dtype, read.shape, read.tobytes()) == (values.dtype, values.shape, values.tobytes())


@pytest.mark.parametrize("end", [1, 8, 800, 900])
def test_a_vector_that_was_cut_is_an_error(end: int) -> None:
    with pytest.raises((ValueError, EOFError)):
        read_vector(vector_bytes(np.arange(100.0))[:-end])
