"""The examples in the docstrings say what happens."""

import doctest
import importlib
import pkgutil

import pytest

import scoring.metrics
import scoring.metrics.asking
import scoring.metrics.judge
import scoring.metrics.list_judge
import scoring.metrics.short_answer
import scoring.metrics.side_by_side
import scoring.metrics.text

MODULES = [
    module.name
    for package in (
        scoring.metrics,
        scoring.metrics.asking,
        scoring.metrics.judge,
        scoring.metrics.list_judge,
        scoring.metrics.short_answer,
        scoring.metrics.side_by_side,
        scoring.metrics.text,
    )
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
