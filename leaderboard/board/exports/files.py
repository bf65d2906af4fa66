"""Exports as files: their formats, their names and their origin."""

import datetime
from typing import Final

from django.conf import settings
from django.urls import reverse

from leaderboard.board.exports import bibtex, csv, json, latex
from leaderboard.board.exports.formats import Format, Origin
from leaderboard.board.exports.schema import Board
from leaderboard.board.table import Board as Table
from scoring.benchmarks import definition_of, definitions

FORMATS: Final[dict[str, Format]] = {
    known.extension: known for known in (csv.FORMAT, json.FORMAT, latex.FORMAT, bibtex.FORMAT)
}
"""By file extension, in the order of pages."""


def origin_of(document: Board, *, address: str, date: datetime.date, uncertainty: str = "") -> Origin:
    """The origin of a document, with the BibTeX entry of its benchmark if this site still knows that.

    Args:
        uncertainty: as in the URL.
    """
    slug = document.benchmark.slug
    bibtex = definition_of(slug).card.bibtex if slug in definitions() else ""
    return Origin(address, date, settings.SITE_NAME, bibtex, uncertainty)


def file_name(*slugs: str, extension: str) -> str:
    """The file name of an export, made only of slugs."""
    return f"{'-'.join(slugs)}.{extension}"


def export_links(board: Table) -> list[tuple[str, str, str]]:
    """Extension, label and URL of the exports of exactly what a board's page shows."""
    place = [part["slug"] for part in (board.benchmark, board.split, board.setting)]
    query = board.params.query_string(page=1, sources="")
    return [
        (extension, known.label, reverse("board-export", args=[*place, extension]) + (f"?{query}" if query else ""))
        for extension, known in FORMATS.items()
    ]
