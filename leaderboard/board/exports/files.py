"""Exports as files: their formats, their names and their origin."""

import datetime
from typing import Final

from django.conf import settings
from django.urls import reverse

from leaderboard.board.exports.bibtex import as_bibtex
from leaderboard.board.exports.csv import as_csv
from leaderboard.board.exports.every_eval_ever import as_record
from leaderboard.board.exports.hugging_face import YAML, as_eval_results, as_model_index
from leaderboard.board.exports.latex import as_latex
from leaderboard.board.exports.markdown import as_markdown
from leaderboard.board.exports.schema import Board, Format, Origin, canonical_json
from leaderboard.board.table import Board as Table
from scoring.benchmarks import definition_of, definitions

_BOARD: Final = (
    Format("csv", "CSV", "text/csv; charset=utf-8; header=present", lambda board, _: as_csv(board).encode()),
    Format("json", "JSON", "application/json", lambda board, _: canonical_json(board)),
    Format("tex", "LaTeX", "application/x-tex; charset=utf-8", lambda *parts: as_latex(*parts).encode()),
    Format("bib", "BibTeX", "application/x-bibtex; charset=utf-8", lambda *parts: as_bibtex(*parts).encode()),
    Format("md", "Markdown", "text/markdown; charset=utf-8", lambda *parts: as_markdown(*parts).encode()),
)
_SYSTEM: Final = (
    Format("every-eval-ever.json", "Every Eval Ever", "application/json", as_record),
    Format("model-index.yaml", "Hugging Face model card", YAML, as_model_index),
    Format("eval-results.yaml", "Hugging Face results", YAML, as_eval_results),
)
FORMATS: Final = {known.name: known for known in _BOARD}
"""Formats of a whole board by file extension, in the order of pages."""
SYSTEM_FORMATS: Final = {known.name: known for known in _SYSTEM}
"""Formats that describe one system of a board, by the file's name: the document has the row of that system alone."""


def origin_of(document: Board, *, address: str, date: datetime.date, uncertainty: str = "") -> Origin:
    """The origin of a document, with the BibTeX entry of its benchmark if this site still knows that.

    Args:
        uncertainty: as in the URL.
    """
    slug = document.benchmark.slug
    bibtex = definition_of(slug).form.bibtex if slug in definitions() else ""
    return Origin(address, date, settings.SITE_NAME, bibtex, uncertainty)


def file_name(*slugs: str, extension: str) -> str:
    """The file name of an export, made only of slugs."""
    return f"{'-'.join(slugs)}.{extension}"


def export_links(board: Table) -> list[tuple[str, str, str]]:
    """Extension, label and URL of the exports of exactly what a board's page shows."""
    query, place = board.params.query_string(page=1, sources=""), board.stored.slugs
    return [
        (
            extension,
            known.label,
            reverse("board-export", args=[*place, extension]) + (f"?{query}" if query else ""),
        )
        for extension, known in FORMATS.items()
    ]
