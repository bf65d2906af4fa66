"""Hashes of large files, cached beside them.

A checkpoint has gigabytes, and every signature needs its hash. A file's hash is therefore cached with its size and
modification time, in memory and, if the directory is writable, in ``.digests.json`` next to it. A change of a file that
changes neither is not detected here; ``python -m scoring.metrics.bleurt check`` always reads the files.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

REMEMBERED = ".digests.json"

_lock = threading.Lock()
_in_memory: dict[tuple[str, int, int], str] = {}


def of_file(path: Path, *, afresh: bool = False) -> str:
    """The SHA-256 of a file, as 64 hex digits; with *afresh* the file is read even if its hash is cached."""
    status = path.stat()
    key = (str(path.resolve()), status.st_size, status.st_mtime_ns)
    with _lock:
        if not afresh:
            remembered = _in_memory.get(key) or _on_disk(path, status)
            if remembered:
                _in_memory[key] = remembered
                return remembered
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        _in_memory[key] = digest
        entries = _read(path.parent)
        entries[path.name] = {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": digest}
        with suppress(OSError):  # if the directory is not writable, each process reads the file once
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=REMEMBERED)
            with os.fdopen(descriptor, "w") as file:
                json.dump(entries, file, indent=1)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path.parent / REMEMBERED)
    return digest


def _on_disk(path: Path, status: os.stat_result) -> str | None:
    entry = _read(path.parent).get(path.name)
    if not isinstance(entry, dict):
        return None
    if (entry.get("size"), entry.get("mtime_ns")) != (status.st_size, status.st_mtime_ns):
        return None
    digest = entry.get("sha256")
    return digest if isinstance(digest, str) and len(digest) == 64 else None


def _read(directory: Path) -> dict[str, Any]:
    try:
        entries = json.loads((directory / REMEMBERED).read_bytes())
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}
