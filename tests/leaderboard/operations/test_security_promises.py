"""Each sentence of docs/security.md and SECURITY.md has its tests in ``security_promises.toml``, and these exist.

The file has the beginning of each sentence, and of each row of a table, in their order; then the names of tests that
fail if the sentence is not true, ``explains`` if it promises nothing, or ``process`` if only people can keep it.
"""

import ast
import re
import tomllib
from functools import cache
from itertools import zip_longest

import pytest

from tests.paths import ROOT

PROMISES = tomllib.loads((ROOT / "tests/leaderboard/operations/security_promises.toml").read_text())


def sentences(text: str) -> list[str]:
    text = re.sub(r"^\|.*\n\|[-|]+$", "\n", text, flags=re.MULTILINE)  # heads of tables
    passages = [" ".join(passage.split()) for passage in re.split(r"\n\n|\n(?=\s*- |\|)", text)]
    found = [
        re.split(r'(?:(?<=[.!?])|(?<=[.!?]["”)])) (?=[A-Z0-9*`"“(\[])', passage)
        for passage in passages
        if passage and not passage.startswith("#")
    ]
    return [sentence.removeprefix("- ") for passage in found for sentence in passage]


@cache
def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_rows_items_and_sentences_are_told_apart() -> None:
    text = "# Title\n\nOne. Two\ngoes on (e.g. here).\n\n| head |\n|---|\n| row |\n\n- **A.** Three.\n  - Four: five.\n"
    assert sentences(text) == ["One.", "Two goes on (e.g. here).", "| row |", "**A.** Three.", "Four: five."]


@pytest.mark.parametrize("document", PROMISES)
def test_every_sentence_is_listed_in_its_place(document: str) -> None:
    for sentence, beginning in zip_longest(sentences((ROOT / document).read_text()), PROMISES[document]):
        assert sentence and beginning and sentence.startswith(beginning), f"{sentence!r} is listed as {beginning!r}"


def test_every_named_test_exists() -> None:
    listed = [(beginning, tests) for promises in PROMISES.values() for beginning, tests in promises.items()]
    assert len(PROMISES) == 2
    for beginning, tests in listed:
        if tests not in ("explains", "process"):
            assert tests, beginning
            missing = [test for test in tests if test.partition("::")[2] not in names_in(test.partition("::")[0])]
            assert missing == [], beginning
