"""The benchmarks of the software are folders as authors write them; of some, an importer reads the published files."""

import fnmatch
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command
from django.test import Client

from scoring import benchmarks
from scoring.benchmarks import form
from scoring.benchmarks.base import Importer, SourceFile, SourceQuestion
from scoring.benchmarks.declared import importers
from scoring.benchmarks.declared.card import RESERVED_ANCHORS
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.revisions import import_definition
from tests import factories
from tests.paths import ROOT
from tests.scoring.benchmarks.test_declared import as_json, place_of, problems_of

FOLDERS = sorted(file.parent for place in benchmarks.__path__ for file in Path(place).glob("*/benchmark.toml"))
PACKAGE_DATA = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
WITHOUT_CODE = list(benchmarks.shipped_folders().values())
BY_HAND = Importer(lambda path: SourceFile((SourceQuestion("q-1", path.name, (), ()),)))


@pytest.mark.parametrize("folder", [*FOLDERS, *WITHOUT_CODE], ids=lambda folder: folder.name)
def test_each_folder_has_no_mistakes_and_is_in_the_wheel(folder: Path) -> None:
    said = StringIO()
    call_command("benchmark", "check", str(folder), stdout=said)
    assert f"({folder.name};" in said.getvalue()
    assert ("no mistakes." in said.getvalue()) or folder in FOLDERS
    assert (folder.name in benchmarks.packaged_definitions()) == (folder in FOLDERS)
    files = [str(one.relative_to(folder)) for one in folder.rglob("*.*") if "__pycache__" not in one.parts]
    patterns = ["*.py", *(pattern.removeprefix("**/") for pattern in PACKAGE_DATA["scoring.benchmarks"])]
    assert not [one for one in files if not any(fnmatch.fnmatch(one, pattern) for pattern in patterns)]


@pytest.mark.django_db
def test_sections_of_a_data_card_have_no_names_of_other_parts(client: Client) -> None:
    factories.benchmark()
    others = set[str]()
    for folder in FOLDERS:
        definition = benchmarks.definition_of(folder.name)
        import_definition(definition)
        ids = re.findall(r'\bid="([^"]+)"', client.get(f"/{folder.name}/data-card/").content.decode())
        sections = {section.slug for section in definition.card.sections}
        assert len(ids) == len(set(ids))
        assert sections < set(ids)
        others |= set(ids) - sections
    assert others == set(RESERVED_ANCHORS)


# --- What the folders need besides a template ------------------------------------------------------------------------

WITHOUT_QUESTIONS = b'importer = "by-hand"\n'


@pytest.fixture(autouse=True)
def other_packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages with importers: one that works and two that do not."""
    places = {"by-hand": f"{__name__}:BY_HAND", "no-importer": f"{__name__}:FOLDERS", "gone": "no_such_module:IT"}
    points = EntryPoints(EntryPoint(name, value, importers.GROUP) for name, value in places.items())
    monkeypatch.setattr(importers, "entry_points", lambda **wanted: points.select(**wanted))
    importers.importer_named.cache_clear()
    yield
    importers.importer_named.cache_clear()


def without_questions(added: bytes = WITHOUT_QUESTIONS) -> dict[str, bytes]:
    """The template without its questions."""
    files = {name: content for name, content in template("capitals").items() if "/" not in name}
    toml = re.sub(rb"(?m)^(questions = .*|date = .*)\n", b"", files["benchmark.toml"])
    return files | {"benchmark.toml": added + toml}


def test_an_importer_reads_what_the_folder_does_not_have() -> None:
    definition = read_declaration(without_questions()).definition
    assert definition.packaged() == {}
    assert [one.text for one in definition.read_file(Path("a.json")).questions] == ["a.json"]
    dev = b'[splits.more]\nname = "More"\nhidden = false\nquestions = "more.jsonl"\ndate = 2026-01-01\n'
    files = without_questions() | {"more.jsonl": b'{"id": "m-1", "question": "?", "answer": "Oslo"}'}
    files["benchmark.toml"] += dev
    assert list(read_declaration(files).definition.packaged()) == ["more"]
    del files["more.jsonl"]
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"date = 2026-01-01\n", b"")
    assert {place_of(one)[2] for one in problems_of(files)} == {"splits.more.questions", "splits.more.date"}


@pytest.mark.parametrize("name", ["by-hnd", "no-importer", "gone"])
def test_an_importer_must_exist_and_work(name: str) -> None:
    (problem,) = problems_of(without_questions(f'importer = "{name}"\n'.encode()))
    assert place_of(problem) == ("benchmark.toml", 1, "importer")
    assert ("by-hand?" in problem) == (name == "by-hnd")


def test_without_an_importer_questions_are_needed() -> None:
    files = without_questions(b"")
    needed = {f"splits.{split}.{key}" for split in ("dev", "test") for key in form.OF_QUESTIONS}
    assert {place_of(one)[2] for one in problems_of(files)} == needed
    errors = jsonschema.Draft202012Validator(form.json_schema()).iter_errors(as_json(files["benchmark.toml"]))
    assert {".".join(map(str, one.absolute_path)) for one in errors} == {"splits.dev", "splits.test"}
    jsonschema.validate(as_json(without_questions()["benchmark.toml"]), form.json_schema())


MORE = """\
importer = "by-hand"
position = 7
default_columns = ["strict"]
compared = [{ published = "loose", repaired = "strict" }]
"""
METRICS = (
    '[metrics.accuracy]\nremark = "And so on."\nown_surprises = ["First."]\n[example]\nquestion = "?"\nsource = "S"\n'
)


def more(answer: str = 'answer = { "a b" = "c" }\n') -> dict[str, bytes]:
    files = without_questions(MORE.encode())
    toml = files["benchmark.toml"].replace(b"[metrics.accuracy]\n", (METRICS + answer).encode())
    return files | {"benchmark.toml": toml.replace(b"[reported]\n", b'[reported]\nupper_bounds = ["People"]\n')}


def test_a_folder_may_choose_columns_pairs_place_and_descriptions() -> None:
    plain = read_declaration(without_questions()).definition
    definition = read_declaration(more()).definition
    assert (definition.form.position, definition.compared) == (7, (("loose", "strict"),))
    assert [one.score for one in definition.default_columns] == ["strict"]
    assert definition.upper_bounds == {"People"}
    usual, own = plain.explanations["accuracy"], definition.explanations["accuracy"]
    assert own.measures == f"{usual.measures} And so on."
    assert own.surprises == ("First.", *usual.surprises)
    assert definition.form.example is not None and definition.form.example.answer == (("a b", "c"),)
    for answer, field in (
        ('answer = "c"\n', "answer"),
        ("answer = { a = 1 }\n", "answer"),
        ("answer = {}\n", "answer"),
    ):
        assert [place_of(one)[2] for one in problems_of(more(answer))] == [f"example.{field}"]
    wrong = more()["benchmark.toml"].replace(b'["strict"]', b'["strickt"]').replace(b'repaired = "s', b'repaired = "x')
    places = [place_of(one)[2] for one in problems_of(more() | {"benchmark.toml": wrong})]
    assert places == ["default_columns[1]", "compared[1].repaired"]


def test_reported_rows_may_say_more_of_a_system() -> None:
    table = """\
system,setting,slug,details,context_size,trained_for_function_calling,table,note,loose,graded.loose
Model,open-book,model-1,Greedy,4096,false,Table 2,,50,
Model,closed-book,,,2048,,Table 3,Left out.,,
People,open-book,,,,,,,,90
"""
    results = read_declaration(without_questions() | {"reported.csv": table.encode()}).definition.published_results
    assert results is not None
    systems: dict[str, dict[str, Any]] = {key: dict(one) for key, one in results.systems.items()}
    assert list(systems) == ["model-1", "People"]
    attributes = {"context_size": 4096, "trained_for_function_calling": False}
    model, people = systems["model-1"], systems["People"]
    assert (model["name"], model["details"], model["attributes"]) == ("Model", "Greedy", attributes)
    assert ("details" in people, people["attributes"]) == (False, {})
    rows = [(one.system, one.context_size, one.source.partition(" of ")[0], one.values) for one in results.rows]
    assert rows == [
        ("model-1", 4096, "Table 2", {"loose": 0.5}),
        ("model-1", 2048, "Table 3", {}),
        ("People", None, "Table 1", {"graded.loose": 0.9}),
    ]
    for old, new, field in (("Left out.", "", ""), ("model-1", "Model 1", "slug"), ("false", "no", "trained_for")):
        (problem,) = problems_of(without_questions() | {"reported.csv": table.replace(old, new).encode()})
        assert place_of(problem)[2].startswith(field)


def test_a_heading_may_name_its_place_in_the_page() -> None:
    files = without_questions() | {"data-card.md": b"Summary.\n## How it was made {#origin}\nText.\n## Use\nText.\n"}
    sections = [(one.slug, one.title) for one in read_declaration(files).definition.card.sections]
    assert sections == [("origin", "How it was made"), ("card-use", "Use")]
    for heading in ("A {#splits}", "A {#}", "A {#B}", "A {#card-use}\nText.\n## Use", "{#a}"):
        text = f"Summary.\n## {heading}\nText.\n"
        (problem,) = problems_of(without_questions() | {"data-card.md": text.encode()})
        assert place_of(problem)[0] == "data-card.md"
