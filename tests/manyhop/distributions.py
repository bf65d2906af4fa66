"""The distributions of this checkout, built from a copy of it."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.paths import ROOT

PARTS = ("humaneval", "leaderboard", "manyhop", "scoring", "static", "templates")
FILES = ("LICENSE", "README.md", "pyproject.toml", "setup.py")
PATIENT = ("--retries", "10", "--timeout", "60")
"""Options of ``pip install`` for packages that a slow network brings."""


def build(folder: Path, *options: str, pages: Sequence[str] = ()) -> Path:
    """Build a wheel and a source distribution in a folder; returns the folder.

    Args:
        pages: of the documentation, as `make docs` leaves them.
    """
    source = folder / "source"
    for part in PARTS:
        shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        shutil.copy(ROOT / file, source)
    for page in pages:
        (source / page).parent.mkdir(parents=True, exist_ok=True)
        (source / page).write_text("A page.")
    out = folder / "built"
    said(sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(out), str(source))
    return out


def said(*command: str, folder: Path | None = None, status: int = 0) -> str:
    """What a program writes to standard output."""
    done = subprocess.run(command, cwd=folder or "/", capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout
