"""The last release, from the history of the repository: the commit that set its version."""

import io
import re
import subprocess
import tarfile
from functools import cache
from pathlib import Path

from tests.paths import ROOT


class NoHistoryError(Exception):
    """The last release is not in this repository; the message says what to do."""


def _git(*arguments: str) -> bytes:
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)
    if result.returncode:
        said = result.stderr.decode().strip()
        raise NoHistoryError(f"A clone of the repository is needed: git {arguments[0]} says {said!r}.")
    return result.stdout


def last_version() -> str:
    """The number of the last release, the newest one of the CHANGELOG. The tree has it until the commit after the
    release, and then the next number with ``.dev0``."""
    found = re.search(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


@cache
def last_release() -> str:
    """The hash of the commit.

    Raises:
        NoHistoryError: it is not there: this is no clone, or one without its whole history.
    """
    if _git("rev-parse", "--is-shallow-repository").strip() == b"true":
        raise NoHistoryError("This clone lacks a part of its history: run `git fetch --unshallow`.")
    version = last_version()
    line = f'__version__ = "{version}"'
    commits = _git("log", "--format=%H", "--reverse", f"-S{line}", "--", "leaderboard/__init__.py").split()
    if not commits:
        raise NoHistoryError(f"No commit sets the version {version}: commit the release first.")
    return commits[0].decode()


def migrations_of_last_release() -> set[tuple[str, str]]:
    """App and name of each of its migrations."""
    paths = _git("ls-tree", "-r", "--name-only", last_release()).decode().splitlines()
    places = [re.fullmatch(r"(\w+)/migrations/(\d\w+)\.py", path) for path in paths]
    return {(place[1], place[2]) for place in places if place}


def export_last_release(folder: Path) -> None:
    """Write its files into an empty folder."""
    with tarfile.open(fileobj=io.BytesIO(_git("archive", last_release()))) as packed:
        packed.extractall(folder, filter="data")
    # Where the last release lacks a module of this name, Celery would find that of the present code.
    (folder / "humaneval" / "tasks.py").touch()
