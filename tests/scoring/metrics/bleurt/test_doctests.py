"""The examples in the docstrings say what happens."""

import doctest
import importlib
import pkgutil

import pytest

import scoring.metrics.bleurt

pytestmark = pytest.mark.slow

MODULES = [
    module.name
    for module in pkgutil.iter_modules(scoring.metrics.bleurt.__path__, "scoring.metrics.bleurt.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_that_there_are_examples() -> None:
    for name in ("checkpoint", "convert", "metric", "tokens"):
        assert doctest.testmod(importlib.import_module(f"scoring.metrics.bleurt.{name}")).attempted > 0
