"""The examples in the docstrings say what happens, and the package is plain Python."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import scoring.statistics
from tests.paths import ROOT

MODULES = [module.name for module in pkgutil.iter_modules(scoring.statistics.__path__, "scoring.statistics.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


def test_every_public_function_has_an_example() -> None:
    for name, found in vars(scoring.statistics).items():
        if inspect.isfunction(found):
            assert found.__doc__ and ">>>" in found.__doc__, name


def test_the_example_of_the_documentation_runs() -> None:
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert "scores" in names


def test_that_it_needs_neither_django_nor_the_rest_of_the_site() -> None:
    program = (
        "import sys, scoring.statistics; "
        "print([name for name in sys.modules if name.split('.')[0] in ('django', 'leaderboard', 'humaneval', 'scipy')"
        " or name.startswith('scoring.') and not name.startswith('scoring.statistics')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
