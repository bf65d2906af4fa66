"""Pages, emails and documents call things by the glossary's terms (`leaderboard.pages.glossary`)."""

import re
from pathlib import Path
from typing import Final

import pytest

from leaderboard.pages.glossary import GLOSSARY
from tests.paths import ROOT

INSTEAD_OF: Final = {
    "Benchmark": ("dataset", "data set"),
    "Generations file": ("answer file", "prediction file", "predictions file", "response file"),
    "Grader": ("assessor", "rater"),
    "Hidden split": ("hidden set", "secret split"),
    "Leaderboard": ("leader board", "league table"),
    "Maintainer": ("moderator",),
    "Reference answer": ("ground truth", "golden answer"),
    "Run": ("evaluation run", "scoring job"),
    "Setting": ("track",),
    "Split": ("test set", "dev set", "development set"),
    "Submitter": ("contestant", "entrant"),
    "Verdict": ("judgement", "judgment"),
}
"""Terms of the glossary, each with other words for it, which texts do not use."""


def other_words(text: str) -> list[str]:
    """The words of a text that have a term of the glossary."""
    every = "|".join(re.escape(word).replace(r"\ ", r"\s+") for words in INSTEAD_OF.values() for word in words)
    words = re.finditer(rf"\b(?:{every})s?\b", re.sub(r"https?://\S+", "", text), re.IGNORECASE)
    return [" ".join(match[0].lower().split()) for match in words]


def texts() -> list[Path]:
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "templates").rglob("*.txt"), *(ROOT / "docs").glob("*.md")]
    return sorted([*files, ROOT / "README.md"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The raters of a\n  data  set", ["raters", "data set"]),
        ("Send an answer file.", ["answer file"]),
        ("Judgements of gold", ["judgements"]),
        ("Operators rate, tracked by the test setting.", []),
    ],
)
def test_other_words_are_found(text: str, expected: list[str]) -> None:
    assert other_words(text) == expected


def test_texts_use_the_terms_of_the_glossary() -> None:
    assert INSTEAD_OF.keys() <= GLOSSARY.keys()
    assert len(texts()) > 100
    found = {str(file.relative_to(ROOT)): words for file in texts() if (words := other_words(file.read_text()))}
    assert found == {}
