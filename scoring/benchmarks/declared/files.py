"""The files of a benchmark: a folder or a zip archive as a mapping of names to bytes, guarded against hostile ones."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from scoring.benchmarks.base import SourceError
from scoring.files.mistakes import DECLARATION, repeated
from scoring.generations.problems import size_in_words

Files = Mapping[str, bytes]
"""The content of each file by its name below the folder, with ``/`` between its parts."""

MAX_FILES: Final = 500
MAX_BYTES: Final = 512 * 2**20
"""All files together."""
MAX_RATIO: Final = 200
"""An archive whose content is so many times as large is refused, if it has more than `FREE_BYTES`."""
FREE_BYTES: Final = 2**20
MAX_NAME: Final = 200
_BLOCK: Final = 2**16
_FIXED_TIME: Final = (1980, 1, 1, 0, 0, 0)
_IGNORED: Final = {"__MACOSX", "__pycache__", "Thumbs.db"}


def read_files(path: Path) -> Files:
    """The files of a folder, or of a zip archive of it."""
    try:
        return read_zip(path.read_bytes()) if path.is_file() else read_folder(path)
    except OSError as error:
        raise SourceError([f"{path}: cannot be read: {error.strerror}."]) from error


class FolderFiles(Files):
    """The files of a folder, each read when it is asked for: those with questions need memory while they are read."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder = folder
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return (self._folder / name).read_bytes()

    def opened(self, name: str) -> BinaryIO:
        """A file, read as it is needed."""
        return (self._folder / name).open("rb")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def opened(files: Files, name: str) -> BinaryIO:
    """One of the files as a stream, which is not in memory as a whole if it is in a folder."""
    return files.opened(name) if isinstance(files, FolderFiles) else io.BytesIO(files[name])


def read_folder(folder: Path) -> FolderFiles:
    """The files of a folder; names that begin with a point are ignored.

    Raises:
        SourceError: naming each link, special file, unreadable or too large file.
    """
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise SourceError([f"{folder}: {what}; expected a folder with {DECLARATION}."])
    problems: list[str] = []
    files: list[str] = []
    left = MAX_BYTES
    paths: list[Path] = []
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        folders[:] = sorted(name for name in folders if not _ignored(name) and name not in links)
        paths += (Path(parent) / name for name in sorted([*names, *links]) if not _ignored(name))
    for path in paths:
        name = path.relative_to(folder).as_posix()
        try:
            if not stat.S_ISREG(path.lstat().st_mode):
                problems.append(f"{name}: is a link or a special file; expected a file. Copy its content here.")
            elif path.stat().st_size > left:
                problems.append(f"{name}: the folder is larger than {size_in_words(MAX_BYTES)}. Remove other files.")
            else:
                with path.open("rb"):  # which another owner's file refuses
                    files.append(name)
                left -= path.stat().st_size
        except OSError as error:
            problems.append(f"{name}: cannot be read: {error.strerror}.")
    if len(files) > MAX_FILES:
        problems.append(f"{folder}: has {len(files):,} files; at most {MAX_FILES} are allowed. Remove other files.")
    if problems:
        raise SourceError(problems)
    return FolderFiles(folder, files)


def _ignored(name: str) -> bool:
    return name.startswith(".") or name in _IGNORED


def read_zip(data: bytes) -> dict[str, bytes]:
    """The files of a zip archive, of which one folder may contain all. Nothing is written to disk.

    Raises:
        SourceError: naming each entry that leads out of the folder, is a link or encrypted, occurs twice, is broken,
            or makes the content too large.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise SourceError([f"The file is not a zip archive ({error}). Make one of the folder's content."]) from error
    with archive:
        listed = [entry for entry in archive.infolist() if not _skipped(entry)]
        entries = [entry for entry in listed if not entry.is_dir()]
        if len(entries) > MAX_FILES:
            raise SourceError([f"The archive has {len(entries):,} files; at most {MAX_FILES} are allowed."])
        problems = [problem for entry in listed if (problem := _refusal(entry))]
        # Capitals do not count: on some machines such names are one file.
        for position, _ in repeated(entry.orig_filename.casefold() for entry in entries):
            problems.append(f"{entries[position].orig_filename!r}: occurs twice in the archive. Remove one of the two.")
        problems += [] if problems else _too_large(entries, len(data))
        if problems:
            raise SourceError(problems)
        files = _read_entries(archive, entries, len(data))
        tops = {name.partition("/")[0] for name in files}
        if DECLARATION in files or len(tops) != 1:
            return files
        (top,) = tops
        return {name.removeprefix(f"{top}/"): content for name, content in files.items()}


def _skipped(entry: zipfile.ZipInfo) -> bool:
    """Files of an operating system, which authors do not see; a name with other oddities is not skipped."""
    name = entry.orig_filename.removesuffix("/")
    parts = PurePosixPath(name).parts
    hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return not _odd_name(name) and (hidden or bool(_IGNORED & set(parts)))


def _odd_name(name: str) -> bool:
    parts = name.split("/")
    return (
        name.startswith("/")
        or any(part in ("", ".", "..") for part in parts)
        or any(character in name for character in "\\:\0")
        or not name.isprintable()
    )


def _refusal(entry: zipfile.ZipInfo) -> str:
    """Why an entry is not read; empty if it may be."""
    name = entry.orig_filename.removesuffix("/") if entry.is_dir() else entry.orig_filename
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if _odd_name(name):
        return f"{name[:MAX_NAME]!r}: the name leads out of the folder or is not a plain path. Make the archive again."
    if len(name) > MAX_NAME:
        return f"{name[:40]!r}…: the name has {len(name)} characters; at most {MAX_NAME} are allowed. Shorten it."
    if kind not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
        return f"{name!r}: is a link or a special file; expected a file. Replace it by its content."
    if entry.flag_bits & 1:
        return f"{name!r}: is encrypted. Make the archive without a password."
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"{name!r}: is compressed by an unknown method. Use the ordinary method, deflate."
    return ""


def _too_large(entries: list[zipfile.ZipInfo], packed: int) -> list[str]:
    """By the sizes that the archive declares; `_read_entries` counts again."""
    total = sum(entry.file_size for entry in entries)
    largest = max(entries, key=lambda entry: entry.file_size, default=None)
    if largest is None:
        return ["The archive is empty."]
    if total > MAX_BYTES:
        return [_over(largest.orig_filename)]
    bomb = next((entry for entry in entries if entry.file_size > FREE_BYTES + MAX_RATIO * entry.compress_size), None)
    if bomb is not None or total > FREE_BYTES + MAX_RATIO * packed:
        return [_bomb((bomb or largest).orig_filename)]
    return []


def _over(name: str) -> str:
    return f"{name!r}: with it, the content is larger than {size_in_words(MAX_BYTES)}. Remove what is not needed."


def _bomb(name: str) -> str:
    return f"{name!r}: expands to more than {MAX_RATIO} times its packed size. Check the file, and leave it out."


def _read_entries(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], packed: int) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    for entry in entries:
        name = entry.orig_filename
        content = bytearray()
        try:
            with archive.open(entry) as stream:
                while block := stream.read(_BLOCK):
                    content += block
                    left -= len(block)
                    if left < 0:
                        raise SourceError([_over(name)])
                    if MAX_BYTES - left > FREE_BYTES + MAX_RATIO * packed:
                        raise SourceError([_bomb(name)])
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
            raise SourceError([f"{name!r}: is damaged ({error}). Make the archive again."]) from error
        files[name] = bytes(content)
    return files


def pack(files: Files) -> bytes:
    """The files as a zip archive that is the same whenever the files are."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _FIXED_TIME)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED)
    return packed.getvalue()
