"""Exports as files: content, media type and name."""

import datetime
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings

from leaderboard.board.exports.bibtex import as_bibtex
from leaderboard.board.exports.csv import as_csv
from leaderboard.board.exports.document import canonical_json
from leaderboard.board.exports.latex import Uncertainty, as_latex
from scoring.benchmarks import definition_of, definitions

FORMATS: Final = ("csv", "json", "tex", "bib")
"""By file extension."""
LABELS: Final = {"csv": "CSV", "json": "JSON", "tex": "LaTeX", "bib": "BibTeX"}
CONTENT_TYPES: Final = {
    "csv": "text/csv; charset=utf-8; header=present",
    "json": "application/json",
    "tex": "application/x-tex; charset=utf-8",
    "bib": "application/x-bibtex; charset=utf-8",
}


def export_file(
    document: Mapping[str, Any], extension: str, *, address: str, date: datetime.date, uncertainty: str = ""
) -> bytes:
    """A document in one format, as UTF-8.

    Args:
        extension: one of `FORMATS`.
        address: absolute URL of the document's board or snapshot; for LaTeX and BibTeX.
        date: the date of the board's content.
        uncertainty: for LaTeX: ``interval`` (or ``1``), ``pm``, or anything else for none.
    """
    if extension == "csv":
        text = as_csv(document)
    elif extension == "json":
        return canonical_json(document)
    elif extension == "tex":
        text = as_latex(document, address=address, date=date, uncertainty=_uncertainty(uncertainty))
    else:
        text = as_bibtex(
            document, address=address, date=date, site=settings.SITE_NAME, benchmark=benchmark_bibtex(document)
        )
    return text.encode("utf-8")


def file_name(*slugs: str, extension: str) -> str:
    """The file name of an export, made only of slugs."""
    return f"{'-'.join(slugs)}.{extension}"


def benchmark_bibtex(document: Mapping[str, Any]) -> str:
    """The BibTeX entry in the benchmark's definition; empty for a benchmark that this site no longer knows."""
    slug = document["benchmark"]["slug"]
    return definition_of(slug).card.bibtex if slug in definitions() else ""


def today() -> datetime.date:
    """The date in UTC, which is the same for all readers."""
    return datetime.datetime.now(datetime.UTC).date()


def _uncertainty(params: str) -> Uncertainty:
    if params == "1":
        return Uncertainty.INTERVAL
    return Uncertainty(params) if params in set(Uncertainty) else Uncertainty.NONE
