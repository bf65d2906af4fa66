"""Writing a backup archive, reading it with verification of every hash, and restoring from it."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, cast

from django.apps import apps
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from leaderboard.operations.backup import tables
from scoring.generations.problems import size_in_words

FORMAT: Final = 1
RESTORE_FIRST: Final = "Restore it with that version, then upgrade."
MANIFEST: Final = "manifest.json"
SUFFIXES: Final = (".tar.gz", ".tgz")
MAX_MANIFEST_BYTES: Final = 2**28
COMPRESSION: Final = 3
"""Takes 60 % of the processor time of 6, for an archive that is 7 % larger: most of its content is compressed."""
NOT_OURS: Final = "{} is not a Manyhop backup."
NOT_JSON: Final = "{}: the manifest is not JSON."
NOT_A_FILE: Final = "The entry {!r} is not a plain file. Nothing was restored."
OUTSIDE: Final = "The entry {!r} leads out of the folder of uploads: the archive was changed. Nothing was restored."


class BackupError(Exception):
    """A backup cannot be created or restored; the message says why and what to do."""


# --- Making --------------------------------------------------------------------------------------------------------


def make(target: Path) -> Mapping[str, Any]:
    """Write everything to a new file, readable only by its owner; it gets its name only when it is complete.

    Returns:
        Its manifest.

    Raises:
        BackupError: the name is taken or has another suffix, or the file cannot be written.
    """
    if not target.name.endswith(SUFFIXES):
        raise BackupError(f"{target.name}: the name of a backup must end with {' or '.join(SUFFIXES)}.")
    if target.exists():
        raise BackupError(f"{target} already exists. Choose another name, or remove the file.")
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            unfinished = Path(file.name)
            try:
                with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=COMPRESSION, filename="") as packed:
                    _write(cast("BinaryIO", packed), target.parent)
                file.flush()
                os.fsync(file.fileno())
                unfinished.rename(target)
            finally:
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror or error}.") from error
    return check(target)


def _write(stream: BinaryIO, scratch: Path) -> None:
    now = datetime.datetime.now(tz=datetime.UTC)
    written: dict[str, Any] = {}
    files: dict[str, Any] = {}
    problems: list[str] = []
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        writer = _Writer(tar, int(now.timestamp()))
        with tables.snapshot():
            applied = tables.migrations()
            for model in tables.tables():
                label, columns = tables.label_of(model), [column.attname for column in tables.columns_of(model)]
                with tempfile.TemporaryFile(dir=scratch) as rows:  # its size comes before it in the archive
                    count = 0
                    for line in tables.rows_of(model):
                        rows.write(line)
                        count += 1
                    size = rows.tell()
                    rows.seek(0)
                    sha256 = writer.add(f"tables/{label}.jsonl", cast("BinaryIO", rows), size)
                written[label] = {"rows": count, "sha256": sha256, "columns": columns}
            named = tables.uploaded_files()
        for name, expected in named.items():
            try:
                with default_storage.open(name) as file:
                    size = file.size
                    digest = writer.add(f"files/{name}", cast("BinaryIO", file), size)
            except FileNotFoundError:
                problems.append(f"{name} is missing, although the database refers to it")
                continue
            if expected and digest != expected:
                problems.append(f"{name} differs from the uploaded file: its SHA-256 is {digest}, not {expected}")
            files[name] = {"size": size, "sha256": digest}
        manifest = {
            "format": FORMAT,
            "software": "Manyhop",
            "version": settings.MANYHOP_VERSION,
            "made_at": now.isoformat(timespec="seconds"),
            "database": connection.vendor,
            "migrations": applied,
            "left_out": sorted(tables.LEFT_OUT),
            "tables": written,
            "files": files,
            "problems": problems,
        }
        content = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
        writer.add(MANIFEST, io.BytesIO(content), len(content))


class _Writer:
    """Members of an archive, each with its SHA-256."""

    def __init__(self, tar: tarfile.TarFile, time: int) -> None:
        self._tar = tar
        self._time = time

    def add(self, name: str, stream: BinaryIO, size: int) -> str:
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = size, self._time, 0o600
        hashed = _Hashed(stream)
        self._tar.addfile(member, cast("BinaryIO", hashed))
        return hashed.digest.hexdigest()


class _Hashed:
    """A stream that hashes what is read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.digest.update(data)
        return data


# --- Reading -------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _opened(source: Path) -> Iterator[BinaryIO]:
    try:
        file = source.open("rb")
    except OSError as error:
        raise BackupError(f"{source} cannot be read: {error.strerror}.") from error
    with file:
        try:
            yield file
        except (gzip.BadGzipFile, tarfile.TarError, EOFError, UnicodeError, zlib.error) as error:
            raise BackupError(f"{source} is damaged or not a backup: {error}.") from error


def check(source: Path) -> Mapping[str, Any]:
    """Read a backup to its end and check all hashes; returns its manifest.

    Raises:
        BackupError: it is damaged, incomplete, or of a format that this version does not know.
    """
    members: dict[str, tuple[str, int, int]] = {}
    manifest: dict[str, Any] | None = None
    with _opened(source) as file:
        for name, stream in _members(file):
            if manifest is not None:
                raise BackupError(f"{source}: {name} comes after the manifest.")
            if name == MANIFEST:
                manifest = _manifest(source, stream.read(MAX_MANIFEST_BYTES))
                continue
            if name in members:
                raise BackupError(f"{source}: {name} occurs twice.")
            digest, size, lines = hashlib.sha256(), 0, 0
            while block := stream.read(2**16):
                digest.update(block)
                size += len(block)
                lines += block.count(b"\n")
            members[name] = digest.hexdigest(), size, lines
    if manifest is None:
        raise BackupError(f"{source} is incomplete: the manifest at its end is missing.")
    _require_complete(source, manifest)
    wanted = {f"tables/{label}.jsonl": table for label, table in manifest["tables"].items()}
    wanted |= {f"files/{name}": file for name, file in manifest["files"].items()}
    missing, strange = sorted(wanted.keys() - members.keys()), sorted(members.keys() - wanted.keys())
    if missing or strange:
        parts = [f"{name} is missing" for name in missing] + [f"{name} is unexpected" for name in strange]
        raise BackupError(f"{source}: {', '.join(parts)}.")
    for name, entry in wanted.items():
        sha256, size, lines = members[name]
        if sha256 != entry["sha256"] or size != entry.get("size", size) or lines != entry.get("rows", lines):
            raise BackupError(
                f"{source}: {name} is damaged: its hash, size or number of rows differs from the manifest."
            )
    return manifest


def _members(file: BinaryIO) -> Iterator[tuple[str, BinaryIO]]:
    with gzip.GzipFile(fileobj=file) as unpacked:
        with tarfile.open(fileobj=unpacked, mode="r|") as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isreg() else None
                if stream is None:
                    raise BackupError(NOT_A_FILE.format(member.name))
                folder, *parts = member.name.split("/")
                is_plain = all(part not in ("", ".", "..") and "\\" not in part and "\0" not in part for part in parts)
                # The manifest, a table, or a file below the folder of uploads.
                if member.name != MANIFEST and not (folder in ("tables", "files") and parts and is_plain):
                    raise BackupError(OUTSIDE.format(member.name))
                yield member.name, cast("BinaryIO", stream)
        while unpacked.read(2**16):  # to the end, which has the checksum of the whole file
            pass


def _manifest(source: Path, content: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(content)
    except ValueError as error:
        raise BackupError(NOT_JSON.format(source)) from error
    if not isinstance(manifest, dict) or manifest.get("software") != "Manyhop":
        raise BackupError(NOT_OURS.format(source))
    if manifest.get("format") != FORMAT:
        raise BackupError(
            f"{source} has format {manifest.get('format')!r}, but this version reads {FORMAT}. Restore it with "
            f"version {manifest.get('version')}, which wrote it."
        )
    return manifest


def _require_complete(source: Path, manifest: Mapping[str, Any]) -> None:
    """Check that a manifest has everything that is read from it later."""
    members = {"version": str, "made_at": str, "database": str, "migrations": list, "problems": list}
    wrong = [name for name, kind in members.items() if not isinstance(manifest.get(name), kind)]
    entries = {"tables": {"rows": int, "sha256": str, "columns": list}, "files": {"size": int, "sha256": str}}
    for group, expected in entries.items():
        digests = manifest.get(group)
        if not isinstance(digests, dict):
            wrong.append(group)
            continue
        wrong += [
            f"{group}/{name}"
            for name, entry in digests.items()
            if not isinstance(entry, dict)
            or any(not isinstance(entry.get(key), kind) for key, kind in expected.items())
        ]
    if wrong:
        raise BackupError(f"{source}: the manifest is malformed at {', '.join(map(repr, wrong[:5]))}.")


def contents_in_words(manifest: Mapping[str, Any]) -> str:
    """The numbers of rows and files of a backup."""
    n_rows = sum(table["rows"] for table in manifest["tables"].values())
    size = size_in_words(sum(file["size"] for file in manifest["files"].values()))
    return f"{n_rows:,} rows of {len(manifest['tables'])} tables, {len(manifest['files']):,} files ({size})"


# --- Restoring -----------------------------------------------------------------------------------------------------


def restore(source: Path) -> Mapping[str, Any]:
    """Restore a backup completely into an empty site, or change nothing; returns its manifest.

    The whole backup is read and checked before anything is written. In a database without tables, they are created.

    Raises:
        BackupError: the backup is damaged, the site is not empty, or its tables are those of another version.
    """
    manifest = check(source)
    if not connection.introspection.table_names():
        call_command("migrate", verbosity=0, interactive=False)
    _require_same_tables(manifest)
    _require_empty(manifest)
    written: list[str] = []
    try:
        with transaction.atomic():
            tables.clear_made_by_migrate()
            with _opened(source) as file:
                for name, stream in _members(file):
                    try:
                        if name != MANIFEST:
                            _restore_member(manifest, name, stream, written)
                    except (ValidationError, LookupError, TypeError, ValueError) as error:
                        raise BackupError(f"Nothing was restored: {name} has invalid rows: {error}") from error
            tables.reset_sequences()
            connection.check_constraints()
    except BaseException as error:
        for name in written:
            with contextlib.suppress(OSError):
                default_storage.delete(name)
        if isinstance(error, (DatabaseError, OSError)):
            raise BackupError(f"Nothing was restored: {type(error).__name__}: {error}") from error
        raise
    ContentType.objects.clear_cache()
    cache.clear()
    return manifest


def _require_same_tables(manifest: Mapping[str, Any]) -> None:
    ours, theirs = set(tables.migrations()), set(manifest["migrations"])
    differences = [f"only here: {', '.join(sorted(ours - theirs))}"] if ours - theirs else []
    differences += [f"only in the backup: {', '.join(sorted(theirs - ours))}"] if theirs - ours else []
    columns = {
        tables.label_of(model): [column.attname for column in tables.columns_of(model)] for model in tables.tables()
    }
    archived = {label: table["columns"] for label, table in manifest["tables"].items()}
    if not differences and columns != archived:
        differed = sorted(label for label in {*columns, *archived} if columns.get(label) != archived.get(label))
        differences = [f"other columns in {', '.join(differed)}"]
    if differences:
        raise BackupError(
            "The database tables differ from those of the backup, which was written by version "
            f"{manifest['version']} ({'; '.join(differences)}). {RESTORE_FIRST}"
        )


def _require_empty(manifest: Mapping[str, Any]) -> None:
    rows = tables.rows_by_table()
    if rows:
        parts = ", ".join(f"{count:,} in {label}" for label, count in list(rows.items())[:5])
        raise BackupError(f"The site is not empty: it has rows ({parts}). Restore a backup into an empty database.")
    there = [name for name in manifest["files"] if default_storage.exists(name)]
    if there:
        raise BackupError(
            f"The site is not empty: {len(there):,} of the backup's files already exist, such as {there[0]}."
        )


def _restore_member(manifest: Mapping[str, Any], name: str, stream: BinaryIO, written: list[str]) -> None:
    kind, _, rest = name.partition("/")
    if kind == "tables":
        label = rest.removesuffix(".jsonl")
        table = manifest["tables"][label]
        count = tables.write_rows(apps.get_model(label), table["columns"], stream)
        if count != table["rows"]:
            raise BackupError(f"{label}: found {count:,} rows, expected {table['rows']:,}: the file has changed.")
        return
    expected = str(PurePosixPath(rest))
    size = manifest["files"][rest]["size"]
    saved = default_storage.save(expected, _SizedFile(stream, size))
    written.append(saved)
    if saved != expected:
        raise BackupError(f"{rest} could not be moved to its final name.")


class _SizedFile(File):  # type: ignore[type-arg]
    """A member of an archive, which can be read once, in the form that a storage accepts."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        super().__init__(stream, name="")
        self._stream = stream
        self.size = size

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """The content in blocks, from the stream's current position."""
        while block := self._stream.read(chunk_size or self.DEFAULT_CHUNK_SIZE):
            yield block
