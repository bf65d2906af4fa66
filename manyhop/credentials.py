"""The site and the API token that commands use: kept by the system's keyring where the package ``keyring`` is installed
and works, and otherwise in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

DEFAULT_SITE = "http://127.0.0.1:8000"
"""The demo."""
SERVICE = "manyhop"


def folder() -> Path:
    """Folder in which settings of commands are stored."""
    if os.environ.get("MANYHOP_CONFIG_DIR"):
        return Path(os.environ["MANYHOP_CONFIG_DIR"])
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "manyhop"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "manyhop"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "manyhop"


def file() -> Path:
    """The file of the default site, and of tokens that no keyring keeps."""
    return folder() / "credentials.json"


def site() -> str:
    """The site that commands ask: ``MANYHOP_SITE``, or that of the last login."""
    return os.environ.get("MANYHOP_SITE") or str(_stored().get("site", DEFAULT_SITE))


def token(site: str) -> str | None:
    """The token for a site: ``MANYHOP_TOKEN``, or the one that a login stored."""
    if os.environ.get("MANYHOP_TOKEN"):
        return os.environ["MANYHOP_TOKEN"]
    stored = _stored().get("tokens", {}).get(site)
    if stored:
        return str(stored)
    keyring = _keyring()
    password = keyring.get_password(SERVICE, site) if keyring else None
    return str(password) if password else None


def store(site: str, token: str) -> str:
    """Store a site's token, and the site as the default one; returns where the token is."""
    stored = _stored()
    stored["site"] = site
    stored.setdefault("tokens", {}).pop(site, None)
    keyring = _keyring()
    if keyring is not None:
        keyring.set_password(SERVICE, site, token)
    else:
        stored["tokens"][site] = token
    _write(stored)
    return "the keyring of this system" if keyring is not None else str(file())


def forget(site: str) -> bool:
    """Delete a site's token; returns whether there was one."""
    stored = _stored()
    forgotten = stored.get("tokens", {}).pop(site, None) is not None
    _write(stored)
    keyring = _keyring()
    if keyring is not None and keyring.get_password(SERVICE, site):
        keyring.delete_password(SERVICE, site)
        forgotten = True
    return forgotten


def _keyring() -> Any:
    """The package ``keyring``, if it is installed and has a place to keep secrets in."""
    try:
        import keyring
        from keyring.backends import fail
    except ImportError:
        return None
    return None if isinstance(keyring.get_keyring(), fail.Keyring) else keyring


def _stored() -> dict[str, Any]:
    try:
        stored = json.loads(file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def _write(stored: dict[str, Any]) -> None:
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    # A new file takes the place of the old one, so that no moment has one that others can read.
    new = file().with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        json.dump(stored, stream, indent=1)
    new.replace(file())
