"""Files by whose age a container engine sees that a process works, without starting a program of the site.

Each holds its process's id, so that the check of a container can end a process that hangs. The id means something only
beside the file, in the same container.
"""

import os
import tempfile
from pathlib import Path


def file_of(name: str) -> Path:
    """The file of a process of this name, as the compose file and the Kubernetes manifests look for it."""
    return Path(tempfile.gettempdir(), f"manyhop-alive-{name}")


def show(name: str) -> None:
    """Write the file again: the process works."""
    file_of(name).write_text(str(os.getpid()))


def forget(name: str) -> None:
    """Delete the file: the process ends in good order."""
    file_of(name).unlink(missing_ok=True)
