"""A board as data: JSON, CSV, LaTeX and BibTeX of exactly the rows and columns that were asked for.

``docs/exports.md`` describes each format field by field. Everything is derived from the one document of `document`.
"""

from leaderboard.exports.document import (
    SCHEMA_VERSION,
    as_document,
    canonical_json,
)

__all__ = ["SCHEMA_VERSION", "as_document", "canonical_json"]
