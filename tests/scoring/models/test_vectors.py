"""Vectors of scores as they are stored."""

import io

import numpy as np
import pytest

from scoring.models import read_vector, vector_bytes


@pytest.mark.parametrize("n_items", [0, 1, 2, 724, 100_000])
def test_a_vector_is_read_as_it_was_written(n_items: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(n_items).normal(size=n_items)
    values[: n_items // 2 : 7] = -0.0
    values[3:4] = np.nan
    stored = vector_bytes(values)
    assert np.load(io.BytesIO(stored)).tobytes() == values.tobytes(), "anybody can read it with NumPy"
    monkeypatch.setattr(np, "load", None)  # which takes longer for the header than for the values
    read = read_vector(memoryview(stored))
    assert (read.dtype, read.shape, read.tobytes()) == (values.dtype, values.shape, values.tobytes())
    assert read.flags.writeable


def test_other_files_of_numpy_are_read_too() -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(5, dtype="<f4"))
    assert read_vector(buffer.getvalue()).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("end", [0, 1, 8, 800, 900])
def test_a_vector_that_was_cut_is_an_error(end: int) -> None:
    stored = vector_bytes(np.arange(100.0))
    with pytest.raises((ValueError, EOFError)):
        read_vector(stored[: len(stored) - end] if end else b"")
