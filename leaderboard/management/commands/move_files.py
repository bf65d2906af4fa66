"""Copy the uploaded files between the data directory and the bucket of ``STORAGE_URL``, verified."""

import hashlib
from argparse import ArgumentParser
from typing import Any, Final

from django.conf import settings
from django.core.files.storage import Storage
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from leaderboard.models.storage import UploadStorage
from leaderboard.operations.backup.tables import uploaded_files
from leaderboard.operations.object_storage import storage_settings

BLOCK: Final = 2**20
MOST_NAMED: Final = 20


class Command(BaseCommand):
    """See the module."""

    help = (
        "Copy the uploaded files between the data directory and object storage, and verify each by its SHA-256. Can be "
        "repeated: files that are there and equal are not copied again. The files at the old place stay, unless "
        "--delete is given and every file was verified."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", required=True, choices=["bucket", "disk"], help="where the files go")
        parser.add_argument("--delete", action="store_true", help="delete the old copies once all files are verified")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.STORAGE_URL:
            raise CommandError(
                "STORAGE_URL is not set. Set it to the address of the bucket, also to move files out of it."
            )
        stored = storage_settings(settings.STORAGE_URL)
        bucket: Storage = import_string(stored["BACKEND"])(**stored["OPTIONS"])
        disk = UploadStorage()
        source, target = (disk, bucket) if options["to"] == "bucket" else (bucket, disk)
        files, problems, n_copied = uploaded_files(), [], 0
        for name, sha256 in files.items():
            try:
                n_copied += _copy(source, target, name, sha256)
            except (OSError, ValueError) as error:
                problems.append(f"{name}: {error}")
        self.stdout.write(
            f"{len(files):,} files: {n_copied:,} copied, {len(files) - n_copied - len(problems):,} were there."
        )
        if problems:
            shown = "\n".join(f"  {problem}" for problem in problems[:MOST_NAMED])
            raise CommandError(f"{len(problems):,} files were not moved; nothing was deleted. Run this again.\n{shown}")
        if options["delete"]:
            for name in files:
                source.delete(name)
            self.stdout.write(f"Deleted {len(files):,} files at the old place.")
        self.stdout.write(self.style.SUCCESS("Every file was read back from its new place and is equal."))


def _copy(source: Storage, target: Storage, name: str, sha256: str) -> bool:
    """Copy one file unless the target has it already; false if it has.

    Raises:
        OSError: a storage failed, or neither has the file.
        ValueError: a copy is not the file that was uploaded.
    """
    if target.exists(name):
        digest = _digest(target, name)
        if digest == (sha256 or _digest(source, name)):
            return False
        raise ValueError(f"another file has this name at the new place; its SHA-256 is {digest}")
    with source.open(name, "rb") as file:
        saved = target.save(name, file)
    expected = sha256 or _digest(source, name)
    if saved != name or _digest(target, saved) != expected:
        target.delete(saved)
        raise ValueError(f"the copy differs from the uploaded file, whose SHA-256 is {expected}")
    return True


def _digest(storage: Storage, name: str) -> str:
    digest = hashlib.sha256()
    with storage.open(name, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
