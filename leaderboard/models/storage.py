"""Storage of uploaded files and of static files."""

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
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
                    saved = str(super()._save(name, _Written(file.name)))  # type: ignore[misc]
                finally:
                    Path(file.name).unlink(missing_ok=True)
        except OSError:
            with contextlib.suppress(OSError):
                folder.rmdir()  # unless it contains other files
            raise
        _flush_folder(folder)
        return saved

    def delete(self, name: str) -> None:
        """Delete a file, and its folder if that is empty then."""
        super().delete(name)
        with contextlib.suppress(OSError):
            Path(self.path(name)).parent.rmdir()


@dataclass(frozen=True)
class _Written:
    """A file that the storage only has to rename."""

    path: str

    def temporary_file_path(self) -> str:
        return self.path


def _flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Compressed files with a hash in their names, also in the imports of scripts: a changed module is never mixed with
    one from a browser's cache."""

    support_js_module_import_aggregation = True
