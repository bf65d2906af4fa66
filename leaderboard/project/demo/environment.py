"""The environment of the demo, prepared before Django reads the settings; imports no Django.

The demo is meant for one person on one machine: it is served only on the loopback interface, without HTTPS, from a
SQLite database and a queue in files, whatever the environment says about a production site.
"""

import contextlib
import os
import secrets
from pathlib import Path
from urllib.parse import quote

from leaderboard.project import places

HOST = "127.0.0.1"
DEFAULT_PORT = 8000
DEFAULT_DATA_DIRECTORY = places.VAR / "demo"
KEY_FILE = "secret-key"
PORT_FILE = "port"
"""The port that the demo was last served on: links that a command prints in another terminal lead there."""
ENCYCLOPEDIA_FILE = "encyclopedia.zim"
MAILS = "mails"
"""The folder of the mails that the demo would send."""
IGNORED = ("BEHIND_PROXY", "CSRF_TRUSTED_ORIGINS", "REDIS_URL", "STATIC_ROOT")


def data_directory() -> Path:
    """The demo's data directory: ``MANYHOP_DATA_DIR``, by default ``var/demo`` in the checkout, or in the current
    directory."""
    return Path(os.environ.get("MANYHOP_DATA_DIR") or DEFAULT_DATA_DIRECTORY).resolve()


def is_self_contained() -> bool:
    """Whether a demo was set up here and the environment configures no other site: commands then apply to it."""
    configured = any(os.environ.get(name) for name in ("SECRET_KEY", "DATABASE_URL", "DEBUG"))
    return not configured and (data_directory() / KEY_FILE).is_file()


def prepare() -> None:
    """Sets the environment of this process, and of all processes that it starts, to the demo's.

    Creates the data directory, readable only by its owner, and once a secret key in it.

    Raises:
        OSError: the data directory cannot be created or written to.
    """
    directory = data_directory()
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    for name in IGNORED:
        os.environ.pop(name, None)
    port = (directory / PORT_FILE).read_text() if (directory / PORT_FILE).is_file() else ""
    # If the real one is configured, the demo may read it.
    os.environ["ENCYCLOPEDIA"] = os.environ.get("ENCYCLOPEDIA") or f"zim:{directory / ENCYCLOPEDIA_FILE}"
    os.environ.update(
        {
            "ALLOWED_HOSTS": f"{HOST},localhost",
            "CELERY_BROKER_URL": "filesystem://localhost//",
            "DATABASE_URL": f"sqlite:///{quote(str(directory / 'manyhop.sqlite3'))}",
            "DEBUG": "0",
            "DJANGO_SETTINGS_MODULE": "leaderboard.project.demo.settings",
            "EMAIL_URL": f"filemail:///{quote(str(directory / MAILS))}",
            "MANYHOP_DATA_DIR": str(directory),
            "SECRET_KEY": stored_secret(directory / KEY_FILE),
            "SECURE_SSL": "0",
            "SITE_URL": site_url(os.environ.get("PORT") or port or DEFAULT_PORT),
        }
    )


def site_url(port: int | str) -> str:
    """The demo's address on a port, also in emails."""
    return f"http://{HOST}:{port}"


def stored_secret(file: Path, n_bytes: int = 48) -> str:
    """The secret in a file that only its owner can read; a new random one is written first if there is none."""
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as new:
            new.write(secrets.token_urlsafe(n_bytes))
    return file.read_text().strip()
