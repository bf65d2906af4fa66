"""Exports as files: their formats, their names and their origin."""

import datetime
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from django.conf import settings
from django.urls import reverse

from leaderboard.board.exports.format import Format, Origin
from leaderboard.board.exports.schema import Board
from leaderboard.board.table import Board as Table
from scoring.benchmarks import definition_of, definitions

_NAMES: Final = (known.name for known in iter_modules([str(Path(__file__).parent)]) if known.name != "files")
_ALL: Final[list[Format]] = sorted(
    (known for name in _NAMES for known in getattr(import_module(f"{__package__}.{name}"), "FORMATS", ())),
    key=lambda known: known.position,
)
FORMATS: Final = {known.name: known for known in _ALL if not known.of_one_system}
"""By file extension, in the order of pages."""
SYSTEM_FORMATS: Final = {known.name: known for known in _ALL if known.of_one_system}
"""Those that describe one system of a board, by the file's name."""


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
