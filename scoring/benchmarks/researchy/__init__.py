"""The importer of Researchy Questions: questions of a search engine's users that need research (Rosset et al. 2024,
https://arxiv.org/abs/2402.17896). ``benchmark.toml`` declares the benchmark.

It reads JSON Lines as the authors publish them, without answers; the project ships none.
"""

from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from scoring.benchmarks.base import Importer, SourceFile, SourceQuestion
from scoring.files.rows import read_rows
from scoring.files.tables import Content, Expected, Row

EXAMPLE: Final = '{"id": "…", "question": "…", "intrinsic_scores": {"ambiguous": 0}, "decompositional_score": 0.7}'
QUALITIES: Final = {
    "ambiguous": "Ambiguous",
    "incompleteness": "Incomplete",
    "assumptive": "Assumptive",
    "multi-faceted": "Multi-faceted",
    "knowledge-intensive": "Knowledge-intensive",
    "subjective": "Subjective",
    "reasoning-intensive": "Reasoning-intensive",
    "harmful": "Harmful",
}
"""The eight labels of the paper's Figure 7, each from 0 to 10, with their names here."""
OTHER_KEYS: Final = {"incomplete": "incompleteness"}
QUALITY_BINS: Final = ((3, "0–3"), (7, "4–7"), (10, "8–10"))
"""The largest value in each bin, and its name."""
SCORE_BINS: Final = ((0.6, "below 0.6"), (0.7, "0.6–0.7"), (0.8, "0.7–0.8"), (0.9, "0.8–0.9"))
"""The end of each bin, which belongs to the next one, and its name. Published questions have at least 0.6."""
LAST_SCORE_BIN: Final = "0.9 or more"
Quality = Annotated[float, Field(ge=0, le=10), Expected("a number from 0 to 10")]


def _known_labels(labels: Any) -> Any:
    known = {*QUALITIES, *OTHER_KEYS}
    return {label: value for label, value in labels.items() if label in known} if isinstance(labels, dict) else labels


class DocumentRow(Row):
    """A document that people clicked on."""

    Url: Annotated[str, Expected("a text")]
    Title: Any = None


class QuestionRow(Row):
    """A question as published."""

    question: Content
    intrinsic_scores: Annotated[dict[str, Quality | None] | None, BeforeValidator(_known_labels)] = None
    decompositional_score: Annotated[float, Expected("a number")] | None = None
    DocStream: list[DocumentRow] | None = None
    gpt4_decomposition: Any = None


def read_file(path: Path) -> SourceFile:
    """Read a file of questions, whose objects are those of `QuestionRow`.

    Raises:
        SourceError: with every mistake, each with its line and key.
    """
    rows = read_rows(path, QuestionRow, EXAMPLE)
    return SourceFile(tuple(_question(name, row) for name, row in rows.items()))


def _question(qid: str, row: QuestionRow) -> SourceQuestion:
    given = {OTHER_KEYS.get(key, key): value for key, value in (row.intrinsic_scores or {}).items()}
    labels = {name: given[label] for label, name in QUALITIES.items() if given.get(label) is not None}
    categories = [f"{name}: {quality_bin(value)}" for name, value in labels.items() if value is not None]
    if row.decompositional_score is not None:
        categories.append(f"Decompositional score: {score_bin(row.decompositional_score)}")
    pages: dict[str, str] = {}
    for page in row.DocStream or ():
        pages.setdefault(page.Url, page.Title if isinstance(page.Title, str) else page.Url)
    parts = row.gpt4_decomposition.get("subquestions") if isinstance(row.gpt4_decomposition, dict) else None
    listed = parts if isinstance(parts, list) else []
    return SourceQuestion(
        qid=qid,
        text=row.question,
        categories=tuple(categories),
        evidence=tuple({"pageid": None, "revid": None, "title": title, "url": url} for url, title in pages.items()),
        decomposition=tuple({"question": text} for text in listed if isinstance(text, str) and text.strip()),
    )


def quality_bin(value: float) -> str:
    """The bin of a quality label.

    >>> quality_bin(0), quality_bin(3), quality_bin(3.5), quality_bin(10)
    ('0–3', '0–3', '4–7', '8–10')
    """
    return next(name for most, name in QUALITY_BINS if value <= most)


def score_bin(value: float) -> str:
    """The bin of a decompositional score, which a classifier gives and which may exceed 1.

    >>> score_bin(0.59), score_bin(0.6), score_bin(0.709), score_bin(1.02)
    ('below 0.6', '0.6–0.7', '0.7–0.8', '0.9 or more')
    """
    return next((name for end, name in SCORE_BINS if value < end), LAST_SCORE_BIN)


IMPORTER: Final = Importer(read_file)
