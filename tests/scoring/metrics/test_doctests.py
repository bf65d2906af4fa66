"""The examples in the docstrings say what happens."""

import doctest
import importlib
import pkgutil

import pytest

import scoring.metrics

MODULES = [module.name for module in pkgutil.iter_modules(scoring.metrics.__path__, "scoring.metrics.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_that_there_are_examples() -> None:
    assert {"scoring.metrics.string_accuracy", "scoring.metrics.rouge", "scoring.metrics.text.normalise"} <= set(
        MODULES
    )
    for name in ("string_accuracy", "rouge", "text", "lemmas", "english", "stemming", "base"):
        assert doctest.testmod(importlib.import_module(f"scoring.metrics.{name}")).attempted > 0
