"""Exports as files: their formats, their names and their origin."""

import datetime
from collections.abc import Callable
from typing import Final, NamedTuple

from django.conf import settings
from django.urls import reverse

from leaderboard.board.exports.bibtex import Origin, as_bibtex
from leaderboard.board.exports.csv import as_csv
from leaderboard.board.exports.latex import as_latex
from leaderboard.board.exports.schema import Board, canonical_json
from leaderboard.board.table import Board as Table
from scoring.benchmarks import definition_of, definitions


class Format(NamedTuple):
    """A format of exports."""

    label: str
    media_type: str
    write: Callable[[Board, Origin], bytes]


FORMATS: Final = {
    "csv": Format("CSV", "text/csv; charset=utf-8; header=present", lambda document, _: as_csv(document).encode()),
    "json": Format("JSON", "application/json", lambda document, _: canonical_json(document)),
    "tex": Format("LaTeX", "application/x-tex; charset=utf-8", lambda *parts: as_latex(*parts).encode()),
    "bib": Format("BibTeX", "application/x-bibtex; charset=utf-8", lambda *parts: as_bibtex(*parts).encode()),
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
