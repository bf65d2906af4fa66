"""A board as JSON: the document itself."""

from typing import Final

from leaderboard.board.exports.formats import Format
from leaderboard.board.exports.schema import canonical_json

FORMAT: Final = Format("json", "JSON", "application/json", lambda document, origin: canonical_json(document))
