"""The documentation says what is true: settings, dependencies, commands, links."""

import ast
import re
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from tests import releases
from tests.paths import ROOT

README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
READ_ELSEWHERE = ("leaderboard/project/demo", "leaderboard/project/management/commands")


def section(title: str) -> str:
    """The text of a second-level section of the README."""
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def table(text: str) -> dict[str, list[str]]:
    """The rows of the tables in a text: what stands between backquotes in the first cell, and the other cells."""
    rows = re.findall(r"^\| `([^`]+)` \|(.*)\|$", text, re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split(" | ")] for name, rest in rows}


def settings_read() -> dict[str, ast.expr | None]:
    """Every environment variable that the settings read, with its default as written there."""
    read: dict[str, ast.expr | None] = {}
    for node in ast.walk(ast.parse((ROOT / "leaderboard" / "project" / "settings.py").read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "env"
            and isinstance(node.args[0], ast.Constant)
        ):
            default = next((keyword.value for keyword in node.keywords if keyword.arg == "default"), None)
            read[str(node.args[0].value)] = default
    return read


def variables_read() -> set[str]:
    """Every environment variable that the site or its demo reads."""
    found = set(settings_read())
    for place in READ_ELSEWHERE:
        for file in (ROOT / place).glob("*.py"):
            found |= set(re.findall(r"""environ(?:\.get\(|\[)["']([A-Z_]+)""", file.read_text()))
    return found


def plain(name: str) -> str:
    """A requirement's or a package's name alone, in the one way to write it."""
    return re.split(r"[\[<>=~! ]", name)[0].lower().replace("_", "-")


# --- The README ----------------------------------------------------------------------------------------------------


def test_every_variable_is_in_the_table_and_nothing_else_is() -> None:
    assert set(table(section("Configuration"))) == variables_read()


@pytest.mark.parametrize(
    ("name", "default"),
    [
        (name, ast.literal_eval(node))
        for name, node in settings_read().items()
        if isinstance(node, ast.Constant | ast.List)
    ],
)
def test_the_table_gives_the_defaults_of_the_settings(name: str, default: object) -> None:
    shown = table(section("Configuration"))[name][0]
    written = (
        ",".join(default) if isinstance(default, list) else str(int(default) if isinstance(default, bool) else default)
    )
    assert shown == (f"`{written}`" if written else "")


FRAMEWORKS = ROOT / "tests" / "manyhop" / "frameworks" / "requirements.txt"
"""The versions of what tasks of evaluation frameworks need, which is tested in an environment of its own."""


def required_by(*extras: str) -> set[str]:
    """The packages that the project (no name given) or some extras ask for, without references of extras to others."""
    lists = [PROJECT["optional-dependencies"][extra] for extra in extras] or [PROJECT["dependencies"]]
    return {plain(line) for lines in lists for line in lines} - {PROJECT["name"]}


def test_every_dependency_is_listed_with_a_reason_and_nothing_else_is() -> None:
    parts = re.split("^For .*only .*:$", section("Dependencies"), flags=re.MULTILINE)
    for_all, for_site, for_spacy, for_bleurt, for_tasks, for_parquet, for_storage, for_docs, for_tests = parts
    assert {plain(name) for name in table(for_all)} == required_by()
    assert {plain(name) for name in table(for_site)} == required_by("site")
    assert {plain(name) for name in table(for_spacy)} == required_by("spacy")
    assert {plain(name) for name in table(for_bleurt)} == required_by("bleurt", "bleurt-convert")
    assert {plain(name) for name in table(for_tasks)} == required_by("inspect", "lm-eval")
    assert {plain(name) for name in table(for_parquet)} == required_by("parquet")
    assert {plain(name) for name in table(for_storage)} == required_by("s3")
    assert {plain(name) for name in table(for_docs)} == required_by("docs")
    assert {plain(name) for name in table(for_tests)} == required_by("dev")
    assert set(PROJECT["optional-dependencies"]) == {
        "site",
        "spacy",
        "bleurt",
        "bleurt-convert",
        "inspect",
        "lm-eval",
        "parquet",
        "s3",
        "docs",
        "dev",
    }
    assert all(len(cells[0]) > 10 for cells in table(section("Dependencies")).values())


def test_every_dependency_is_pinned_to_one_version() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!]+", line) for line in lines)
    pinned = {plain(line) for line in lines}
    assert len(pinned) == len(lines)
    elsewhere = {plain(line.partition("==")[0]) for line in FRAMEWORKS.read_text().splitlines() if "==" in line}
    of_tasks = required_by("inspect", "lm-eval")
    assert of_tasks <= elsewhere
    assert required_by() | required_by(*PROJECT["optional-dependencies"]) - of_tasks | {"setuptools"} <= pinned


def test_the_site_installs_neither_a_browser_nor_spacy_nor_a_training_framework() -> None:
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    needed: set[str] = set()
    asked = (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["site"])
    waiting = [Requirement(text) for text in asked]
    while waiting:
        requirement = waiting.pop()
        if plain(requirement.name) in needed:
            continue
        needed.add(plain(requirement.name))
        for text in requires(requirement.name) or []:
            further = Requirement(text)
            extras = requirement.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(further)
    assert {"django", "numpy", "celery"} <= needed
    assert not {"torch", "tensorflow", "playwright", "pytest", "spacy", "fanoutqa"} & needed
    constraints = (ROOT / "constraints.txt").read_text()
    assert needed <= {plain(line) for line in constraints.splitlines()}


# --- All documents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    for target in targets:
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.is_relative_to(ROOT)
        assert file.exists(), f"{document.name} links to {target}, which is not there"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_exist(document: Path) -> None:
    text = document.read_text()
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|\$ )make ([a-z]+)", text))
    assert named <= targets
    ours = set(get_commands())
    named = set(re.findall(r"manage\.py (?:demo )?([a-z_]+)", text))
    assert named <= ours


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_options_of_commands_exist(document: Path) -> None:
    """Of every command that a document shows on a line of its own or in code."""
    shown = re.findall(r"manage\.py (?:demo )?([a-z_]+)([^`#|\n]*(?:\\\n[^`#|\n]*)*)", document.read_text())
    for name, arguments in shown:
        app = get_commands()[name]
        parser = (load_command_class(app, name) if isinstance(app, str) else app).create_parser("manage.py", name)
        known = {option for options in (parser, *subparsers(parser)) for option in options._option_string_actions}
        assert set(re.findall(r"(?<!\S)--[a-z-]+", arguments)) <= known, f"{document.name}: {name}{arguments}"


def subparsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    """The parsers of a command's own words, as of ``benchmark new``."""
    for action in parser._actions:
        if isinstance(action.choices, dict):
            yield from action.choices.values()


def test_the_version_is_that_of_the_release_or_of_the_work_after_it() -> None:
    """So that nothing that runs this tree is taken for the release: in `/readyz`, warnings, tags of images."""
    from leaderboard import __version__

    assert "version" not in PROJECT, "it is read from `leaderboard.__version__`"
    released = releases.last_version()
    number, _, development = __version__.partition(".dev")
    if development:
        assert development == "0"
        assert [int(part) for part in number.split(".")] > [int(part) for part in released.split(".")]
        assert f"\n## [{number}]" not in (ROOT / "CHANGELOG.md").read_text()
    else:
        assert number == released


def test_the_images_have_the_version_as_their_tags() -> None:
    from leaderboard import __version__

    images = re.findall(r"image: manyhop\S*:(\S+)", (ROOT / "docker" / "compose.yml").read_text())
    tags = re.findall(r"newTag: (\S+)", (ROOT / "docker" / "kubernetes" / "kustomization.yaml").read_text())
    assert {*images, *tags} == {__version__}


def test_no_document_and_no_constraint_names_a_host_of_packages() -> None:
    for file in [*DOCUMENTS, ROOT / "constraints.txt", ROOT / "Makefile", ROOT / "docker" / "Dockerfile"]:
        assert not re.search(r"index-url|find-links|extra-index|trusted-host", file.read_text())
