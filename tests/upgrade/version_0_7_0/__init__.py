"""The files of the site of version 0.7.0. ``fill.py.txt`` wrote them under that version; they never change."""

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parent
DUMPS: Final = {engine: FOLDER / f"{engine}.sql.xz" for engine in ("sqlite", "postgresql")}
"""The statements that make the whole database, by engine."""
FILES: Final = FOLDER / "files.tar.xz"
"""The uploaded files."""
STATE: Final = FOLDER / "state.json"
"""The JSON export of one dated state, byte for byte as 0.7.0 sent it."""
SITE: Final[dict[str, Any]] = json.loads((FOLDER / "site.json").read_text(encoding="utf-8"))
"""Facts about the site: secret key, pages with their statuses, dated states, tokens and links."""
