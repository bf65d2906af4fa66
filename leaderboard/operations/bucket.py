"""The storage class of a bucket in S3 or a compatible store. Imported only where ``STORAGE_URL`` names one."""

import datetime
from typing import Any, Final

from botocore.config import Config
from django.core.files import File
from storages.backends.s3 import S3Storage

from leaderboard.operations.object_storage import errors_as_os_errors, seekable

IN_MEMORY: Final = 2**20
"""Bytes of a file that are kept in memory while it is read; a larger one is in a temporary file."""
CONFIG: Final = Config(
    connect_timeout=3, read_timeout=4, retries={"mode": "standard", "max_attempts": 3}, s3={"addressing_style": "path"}
)
"""A store that hangs is an error within 20 seconds, in which a request answers 503: three times the longer timeout, and
up to three seconds in between."""


class BucketStorage(S3Storage):  # type: ignore[misc]
    """Objects of a bucket as files. Every failure is an `OSError`; a file is read whole before its first byte is
    used, so that a reply that breaks off is never taken for the end of a file."""

    def get_default_settings(self) -> dict[str, Any]:
        """Private objects, written once, with a checksum."""
        return super().get_default_settings() | {  # type: ignore[no-any-return]
            "default_acl": None,
            "file_overwrite": False,
            "max_memory_size": IN_MEMORY,
            "client_config": CONFIG,
            "object_parameters": {"ChecksumAlgorithm": "SHA256"},
        }

    def url(self, name: str, *args: object, **kwargs: object) -> str:
        """No URL: files are given out by the site alone, to those who may read them."""
        raise ValueError(f"{name} has no address of its own.")

    def _open(self, name: str, mode: str = "rb") -> Any:
        with errors_as_os_errors(name):
            file = super()._open(name, mode)
            if "r" in mode:
                file._get_file()
            return file

    def _save(self, name: str, content: "File[Any]") -> str:
        with errors_as_os_errors(name), seekable(content) as file:
            return str(super()._save(name, file))

    def delete(self, name: str) -> None:
        """Delete an object; one that is not there is no error."""
        with errors_as_os_errors(name):
            super().delete(name)

    def exists(self, name: str) -> bool:
        with errors_as_os_errors(name):
            return bool(super().exists(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with errors_as_os_errors(name):
            folders, files = super().listdir(name)
            return folders, files

    def size(self, name: str) -> int:
        with errors_as_os_errors(name):
            return int(super().size(name))

    def get_modified_time(self, name: str) -> datetime.datetime:
        """Time at which the object was written, with its zone."""
        with errors_as_os_errors(name):
            modified: datetime.datetime = super().get_modified_time(name)
            return modified
