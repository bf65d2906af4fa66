"""A board as data: JSON, CSV, LaTeX and BibTeX of exactly the rows and columns that were asked for.

``docs/exports.md`` describes each format field by field. Everything is derived from the one document of `document`.
"""

from leaderboard.exports.bibtex import as_bibtex
from leaderboard.exports.document import SCHEMA_VERSION, as_document, canonical_json
from leaderboard.exports.latex import Uncertainty, as_latex
from leaderboard.exports.tabular import as_csv

__all__ = ["SCHEMA_VERSION", "Uncertainty", "as_bibtex", "as_csv", "as_document", "as_latex", "canonical_json"]
