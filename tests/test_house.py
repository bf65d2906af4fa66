"""The project is as CONTRIBUTING.md says: its code map is complete, its files exist."""

import ast
import builtins
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.planted_bugs import BUGS

APPS = ("scoring", "leaderboard", "humaneval")
PACKAGES = (*APPS, "manyhop")
TOP = (*PACKAGES, "templates", "static", "tests", "docs", "docker")
DJANGOS_OWN = {"management", "templatetags"}
UNMAPPED = {"migrations", "__pycache__"}


def contributing() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text()


def packages() -> Iterator[str]:
    """Every package of the apps and of `manyhop`, as ``leaderboard/board/``."""
    for app in PACKAGES:
        for file in sorted((ROOT / app).rglob("__init__.py")):
            if not UNMAPPED & set(file.relative_to(ROOT).parts):
                yield f"{file.parent.relative_to(ROOT)}/"


def paths_named(text: str) -> set[str]:
    """The files and folders that a text names, in code or as the target of a link."""
    named = {*re.findall(r"`([\w.][\w./-]*/[\w./-]*)`", text), *re.findall(r"\]\(([\w.][\w./-]*)\)", text)}
    return {name for name in named if not name.startswith(".venv/")}


def test_every_path_that_contributing_names_exists() -> None:
    named = paths_named(contributing())
    assert len(named) > len(TOP)
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_map_names_every_subject() -> None:
    """A folder of an app; what is in it, its own docstring says."""
    text = contributing()
    subjects = [name for name in packages() if name.count("/") == 2 and Path(name).name not in DJANGOS_OWN]
    folders = [f"{name}/" for name in TOP] + subjects
    missing = [name for name in folders if f"`{name}`" not in text]
    assert missing == []


def test_contributing_has_the_layers_of_the_contracts() -> None:
    text = " ".join(contributing().split())
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layered = [contract for contract in contracts if "containers" in contract]
    assert {contract["containers"][0] for contract in layered} == set(APPS)
    for contract in layered:
        layers = [", ".join(f"`{name}`" for name in layer.split(" | ")) for layer in contract["layers"]]
        assert f"- {contract['containers'][0]}: {' → '.join(layers)}" in text


def errors_documented(file: Path) -> Iterator[tuple[str, int]]:
    """The names of errors after ``Raises:`` and ``:raises``, each with the line of its docstring's owner."""
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            continue
        said = ast.get_docstring(node) or ""
        for line in [
            *re.findall(r"^ +((?:\w+, )*\w+): ", said.partition("Raises:")[2], re.MULTILINE),
            *re.findall(r":raises ([\w, ]+):", said),
        ]:
            yield from ((name, getattr(node, "lineno", 1)) for name in line.split(", ") if name.endswith("Error"))


@pytest.mark.slow
def test_documented_errors_exist() -> None:
    files = [file for app in APPS for file in sorted((ROOT / app).rglob("*.py"))]
    names = {*dir(builtins), *(name for file in files for name in re.findall(r"\w+Error\b", _code_of(file)))}
    wrong = [f"{file}:{at} {name}" for file in files for name, at in errors_documented(file) if name not in names]
    assert not wrong


def _code_of(file: Path) -> str:
    """A file without its texts."""
    tree = ast.parse(file.read_text())
    return " ".join(
        node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else node.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute, ast.ClassDef))
    )


def test_every_planted_bug_has_its_place_and_its_tests() -> None:
    """The script stops at one that has none."""
    assert len(BUGS) >= 30
    assert [bug.what for bug in BUGS if (ROOT / bug.file).read_text().count(bug.old) != 1] == []
    assert [name for bug in BUGS for name in bug.tests if not (ROOT / name).is_file()] == []
