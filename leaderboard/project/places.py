"""Where the site's files are: in a checkout, or installed as a package."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IS_CHECKOUT = (ROOT / "manage.py").is_file()
VAR = (ROOT if IS_CHECKOUT else Path.cwd()) / "var"
"""The data, unless `MANYHOP_DATA_DIR` names another folder: never among installed packages."""
DOCS = ROOT / "leaderboard" / "documentation"
"""The pages that `make docs` builds. A wheel that is built afterwards carries them."""
STATIC_FOLDERS = [ROOT / "static"] if IS_CHECKOUT else []
"""Folders of static files beside the packages. An installation has them, like the templates, in `leaderboard`, where
Django looks itself."""
