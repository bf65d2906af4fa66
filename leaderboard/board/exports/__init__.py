"""A board as data: JSON, CSV, LaTeX and BibTeX of exactly the requested rows and columns.

Enters: a board's table, or a snapshot. Leaves: files. ``docs/exports.md`` describes each format field by field;
all are derived from the one document of `document`.
"""

from leaderboard.board.exports.bibtex import as_bibtex
from leaderboard.board.exports.csv import as_csv
from leaderboard.board.exports.document import SCHEMA_VERSION, as_document, canonical_json
from leaderboard.board.exports.latex import Uncertainty, as_latex

__all__ = ["SCHEMA_VERSION", "Uncertainty", "as_bibtex", "as_csv", "as_document", "as_latex", "canonical_json"]
