"""Storage of uploaded files and of static files."""

import contextlib
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage
from django.utils._os import safe_makedirs
from whitenoise.storage import CompressedManifestStaticFilesStorage


class UploadStorage(FileSystemStorage):
    """Uploaded files: each is complete, on the disk and readable by its owner alone before it gets its name.

    A disk that fills up leaves no part of a file, and neither does a power cut, except for a file with a name that
    ends with ``.unfinished``.
    """

    def _save(self, name: str, content: "File[Any]") -> str:
        folder = Path(self.path(name)).parent
        safe_makedirs(str(folder), self.directory_permissions_mode or 0o777, exist_ok=True)
        try:
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=".unfinished", delete=False) as file:
                try:
                    for block in content.chunks():
                        file.write(block)
                    file.flush()
                    os.fsync(file.fileno())
                    # The storage only has to rename such a file.
                    written = SimpleNamespace(temporary_file_path=lambda: file.name)
                    saved = str(super()._save(name, written))  # type: ignore[misc]
                finally:
                    Path(file.name).unlink(missing_ok=True)
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()  # unless it contains other files
            raise
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # its names, too, are on the disk
        finally:
            os.close(descriptor)
        return saved

    def delete(self, name: str) -> None:
        """Delete a file, and its folder if that is empty then."""
        super().delete(name)
        with contextlib.suppress(OSError):
            Path(self.path(name)).parent.rmdir()


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Compressed files with a hash in their names, also in the imports of scripts: a changed module is never mixed with
    one from a browser's cache."""

    support_js_module_import_aggregation = True
