"""The items of references are those of loose accuracy, and are read only with a right to their split."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest

from scoring.analysis.explanations import LONGEST_ANSWER
from scoring.analysis.reference_items import (
    NoReadingRightError,
    ReadingRight,
    item_counts,
    items_of,
    reference_items,
    reference_json,
    with_matches,
)
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import Revision
from tests import factories
from tests.paths import ROOT

NESTED: dict[str, Any] = {"Norway": ["Oslo", 3], "Peru": {"capital": "Lima"}, "Mali": True}


def revision(slug: str = "test") -> Revision:
    made = factories.benchmark()
    split = factories.split(made, slug)
    questions = factories.source_questions(slug, overrides={0: NESTED, 1: ["a\u202eb", "c"]})
    return factories.revise(split, questions).revision


def right(of: Revision) -> ReadingRight:
    return ReadingRight(of.split_id, "grace", "a test")


@pytest.mark.django_db
class TestItems:
    def test_reference_items_are_those_of_loose_accuracy_in_its_order(self, django_assert_num_queries: Any) -> None:
        found = revision()
        with django_assert_num_queries(1):
            given = reference_items(found, ["test-0", "test-2", "nowhere"], right=right(found))
        assert set(given) == {"test-0", "test-2"}
        explained = StringAccuracy("lookup").explain(NESTED, "x")
        assert [(one.text, one.is_key) for one in items_of(given["test-0"])] == [
            (one.text, one.is_key) for one in explained
        ]
        assert [one.number for one in items_of(given["test-0"])] == list(range(8))
        assert item_counts(found) == {"test-0": 8, "test-1": 2, "test-2": 1, "test-3": 1}

    def test_keys_stand_with_their_values_as_pairs(self) -> None:
        found = revision()
        lines = reference_items(found, ["test-0"], right=right(found))["test-0"]
        assert [([item.text for item in line.items], line.depth) for line in lines] == [
            (["Norway"], 0),
            (["Oslo"], 1),
            (["3"], 1),
            (["Peru"], 0),
            (["capital", "Lima"], 1),
            (["Mali", "yes"], 0),
        ]

    def test_invisible_characters_of_reference_items_are_shown(self) -> None:
        found = revision()
        assert items_of(reference_items(found, ["test-1"], right=right(found))["test-1"])[0].text == "a⟨U+202E⟩b"

    def test_matches_are_marked_only_if_asked_for(self) -> None:
        found = revision()
        pieces = with_matches(found, "test-0", "It is Oslo.", right=right(found), mark=True)
        assert [(piece.text, piece.marked) for piece in pieces] == [("It is ", False), ("Oslo", True), (".", False)]
        (plain,) = with_matches(found, "test-0", "It is Oslo.", right=right(found), mark=False)
        assert (plain.text, plain.marked) == ("It is Oslo.", False)

    def test_a_very_long_answer_is_cut_and_not_read(self) -> None:
        found = revision()
        (piece,) = with_matches(found, "test-0", "Oslo " * 10_000, right=right(found), mark=True)
        assert (len(piece.text), piece.marked) == (LONGEST_ANSWER, False)

    def test_a_right_to_references_of_another_split_is_refused(self) -> None:
        found = revision()
        other = ReadingRight(found.split_id + 1, "grace", "a test")
        with pytest.raises(NoReadingRightError):
            reference_items(found, ["test-0"], right=other)
        with pytest.raises(NoReadingRightError):
            reference_json(found, ["test-0"], right=other)
        for mark in (True, False):
            with pytest.raises(NoReadingRightError):
                with_matches(found, "test-0", "Oslo", right=other, mark=mark)


# --- Who may open the door -----------------------------------------------------------------------------------------


DOORS = {
    "scoring.models.Reference",
    "scoring.models.benchmarks.Reference",
    "scoring.queries.references_of",
    "references_of",
}


def sources(words: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules outside scoring in which a regular expression is found."""
    for app in ("leaderboard", "humaneval"):
        for path in sorted((ROOT / app).rglob("*.py")):
            if re.search(words, text := path.read_text()):
                yield path.relative_to(ROOT).as_posix(), ast.parse(text)


def names_in(tree: ast.Module) -> set[str]:
    """Every name that a module imports, calls or reads, attributes included."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {alias.name for alias in node.names}
    return found


def test_nothing_outside_scoring_names_the_table_of_references() -> None:
    named = {path for path, tree in sources(r"\bReference\b|references_of") if names_in(tree) & DOORS}
    assert named == set()


def test_one_place_makes_rights_and_only_grading_and_items_use_them() -> None:
    makes = {
        path
        for path, tree in sources("ReadingRight")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "ReadingRight"
    }
    assert makes == {"humaneval/grading/access.py"}
    uses = {
        path
        for path, tree in sources("reference_items")
        if any(name.startswith("scoring.analysis.reference_items.") for name in names_in(tree))
    }
    assert uses
    others = {"humaneval/studies/items.py", "humaneval/studies/kinds/base.py"}  # the latter passes the right on
    assert all(path.startswith("humaneval/grading/") for path in uses - others)
