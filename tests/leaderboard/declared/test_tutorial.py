"""docs/benchmarks.md leads from an empty folder to a board: its commands are run, and its examples compared."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from scoring.benchmarks import form
from scoring.benchmarks.declared.reported import FIELDS
from scoring.models import Benchmark
from tests import factories
from tests.example_folder import write_example
from tests.paths import ROOT

DOCUMENT = (ROOT / "docs" / "benchmarks.md").read_text()
TUTORIAL = DOCUMENT.split("## The folder", 1)[0]


def commands() -> list[list[str]]:
    """The commands of the tutorial, in order."""
    return [
        shlex.split(line, comments=True) for line in re.findall(r"^\$ python manage\.py (.*)$", TUTORIAL, re.MULTILINE)
    ]


@pytest.mark.django_db
def test_its_commands_make_a_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    monkeypatch.chdir(tmp_path)
    said = StringIO()
    for command in commands():
        call_command(*command, stdout=said)
        if command[1:3] == ["new", "capitals"]:  # as step 2 says
            write_example(tmp_path / "capitals")
    assert [command[1] for command in commands()] == ["new", "new", "check", "import", "import", "publish"]
    assert "5 dev, 5 test): 3 warnings." in said.getvalue()
    assert Benchmark.objects.get().slug == "capitals"
    client.force_login(factories.user())
    urls = re.findall(r"`(/[\w/?=-]+)`", TUTORIAL)
    assert {"/capitals/test/closed-book/", "/capitals/data-card/", "/submit/?benchmark=capitals"} <= set(urls)
    for url in urls:
        assert client.get(url).status_code == (404 if url.startswith("/maintenance/") else 200), url


def test_its_messages_are_those_of_the_check(tmp_path: Path) -> None:
    folder = write_example(tmp_path / "capitals")
    toml = folder / "benchmark.toml"
    toml.write_text(toml.read_text().replace("hidden = true", "hiden = true"))
    with pytest.raises(CommandError) as refused:
        call_command("benchmark", "check", str(folder))
    printed = re.findall(r"^benchmark\.toml: .*$", TUTORIAL, re.MULTILINE)
    assert printed == str(refused.value).splitlines()[:-1]


def test_its_table_of_keys_is_that_of_the_model() -> None:
    """`python -c "from scoring.benchmarks.form import table_of_keys; print(table_of_keys())"` prints it."""
    assert form.table_of_keys() in DOCUMENT


def test_it_names_every_field_of_a_reported_row() -> None:
    assert {name for name in FIELDS if not re.search(rf"\b{name}\b", DOCUMENT)} == set()


def test_its_examples_of_published_files_are_mappings() -> None:
    section = DOCUMENT.split("### Files as published", 1)[1].split("\n### ", 1)[0]
    examples = re.findall(r"```toml\n(.*?)\n```", section, re.DOTALL)
    tables = [form.QuestionsTable.read(tomllib.loads(example)["questions"]) for example in examples]
    assert [faults for _, faults in tables] == [[]] * 9


def test_its_examples_are_questions() -> None:
    plain, pictured, of_criteria, judged = re.findall(r"```json\n(.*?)\n```", DOCUMENT, re.DOTALL)
    for question in (plain, pictured, of_criteria):
        assert {"id", "question", "answer"} <= set(json.loads(question))
    assert {"id", "question", "answers"} <= set(json.loads(judged))
