"""The files of the site of version 0.6.0. ``fill.py.txt`` wrote them under that version; they never change."""

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parent
ARCHIVE: Final = FOLDER / "site.tar.gz"
"""The backup that ``manage.py backup`` of 0.6.0 wrote."""
TABLES: Final = {engine: FOLDER / f"{engine}.sql.gz" for engine in ("sqlite", "postgresql")}
"""The statements that create the tables, by database; taken from databases that 0.6.0 had migrated."""
STATE: Final = FOLDER / "state.json"
"""The JSON export of one dated state, byte for byte as 0.6.0 sent it."""


def _read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


SITE: Final[dict[str, Any]] = _read("site.json")
"""Facts about the site: secret key, pages with their statuses, dated states, tokens and links."""
LEFT_OUT: Final[dict[str, dict[str, Any]]] = _read("left_out.json")
"""Rows of tables that backups leave out, by label."""
