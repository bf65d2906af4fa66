"""The objects in a file with their places, and every mistake in it: JSON Lines, a JSON list, CSV, TSV or Parquet.

The file may be compressed with gzip or Zstandard. Messages name the line and describe values; they never show one,
because it may be a hidden answer.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, NamedTuple, cast

from scoring.files import packing
from scoring.files.cells import SEPARATORS, objects_of_cells
from scoring.files.json_values import MAX_LINE_BYTES, values_of_documents, values_of_lines, values_of_list
from scoring.files.mistakes import MAX_MISTAKES, Mistake, SourceError, described, refuse
from scoring.files.parquet import MAGIC, objects_of_parquet
from scoring.generations import lines
from scoring.generations.lines import HEAD_BYTES, BrokenGzipError, ByteSource, TooLargeError, recognise, take_head
from scoring.generations.problems import size_in_words

MAX_BYTES: Final = 2**33
NO_OBJECT: Final = "no object"
OBJECT: Final = "an object with id, question and answer"
_TABLE: Final = lines.Recognised(lines.CSV.found, "Write .csv or .tsv at the end of its name.")
_MEMBERS: Final = (".jsonl", ".json", ".jsonl.gz", ".json.gz")


class Place(NamedTuple):
    """Place where an object begins."""

    file: str
    line: int
    number: int = 0
    """Number of the object from 1, if another one is before it on its line; otherwise 0."""

    def __str__(self) -> str:
        line = [f"line {self.line}"] if self.line else []
        return ": ".join([self.file, *line, *([f"object {self.number:,}"] if self.number else [])])

    def mistake(self, field: str, found: str, expected: str, fix: str = "") -> Mistake:
        """A mistake in the object."""
        parts = [f"object {self.number:,}"] * bool(self.number) + [field] * bool(field)
        return Mistake(self.file, self.line, ", ".join(parts), found, expected, fix)


def in_words(path: Iterable[str | int], first: int = 0) -> str:
    """The way to a value as a message names it.

    >>> in_words(("questions", 1, "name")), in_words(("questions", 1, "name"), first=1)
    ('questions[1].name', 'questions[2].name')
    """
    return "".join(f"[{step + first}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def fingerprint(path: Path) -> str:
    """The first 8 hexadecimal digits of the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:8]


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file, or the only file of its kind in it if it is a zip archive.

    Raises:
        SourceError: It cannot be read, or the archive has no such file or several.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"PK"
            file.seek(0)
            if not packed:
                yield file
                return
            with zipfile.ZipFile(file) as archive:
                names = [name for name in archive.namelist() if name.endswith(_MEMBERS) and "__MACOSX/" not in name]
                if len(names) != 1:
                    actual = f"{len(names)} of them: {', '.join(names)}" if names else "none"
                    expected = "one file of JSON Lines in the archive"
                    refuse([Mistake(path.name, 0, "", actual, expected, "Unpack it.")])
                with archive.open(names[0]) as member:
                    yield cast("BinaryIO", member)
    except OSError as error:
        raise SourceError([f"{path.name}: cannot be read: {error.strerror or error}."]) from error
    except (zipfile.BadZipFile, RuntimeError) as error:
        raise SourceError([f"{path.name}: cannot be unpacked: {error}."]) from error


def ending(name: str) -> str:
    """The last ending of a file's name, but for those of compressed files.

    >>> ending("data/test.TSV.gz"), ending("test")
    ('.tsv', '')
    """
    path = PurePosixPath(name.lower())
    return (path.with_suffix("") if path.suffix in packing.SUFFIXES else path).suffix


def objects_in(
    name: str,
    stream: BinaryIO,
    mistakes: list[Mistake],
    *,
    max_bytes: int = MAX_BYTES,
    fields: Collection[str] | None = None,
    columns: Sequence[str] = (),
    documents: bool = False,
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a file with their places; what is wrong is added to ``mistakes``, until no more mistakes are
    listed.

    Args:
        name: Of the file; its ending tells tables (``.csv``, ``.tsv``) from JSON.
        fields: The fields that are needed, if not all: other columns of Parquet are not read.
        columns: The names of the columns of a table in CSV or TSV; empty if its first row has them.
        documents: Whether objects may be spread over several lines.
    """
    at_file = partial(Mistake, name, 0, "")
    try:
        records = _records(name, stream, mistakes, max_bytes, fields, columns, documents=documents)
        before = 0
        for number, (line, record) in enumerate(records, start=1):
            place = Place(name, line, number if line == before else 0)
            before = line
            if len(mistakes) > MAX_MISTAKES:
                return
            if isinstance(record, dict):
                yield place, record
            else:
                mistakes.append(place.mistake("", described(record), OBJECT))
    except (BrokenGzipError, zlib.error, EOFError) as error:
        mistakes.append(at_file(f"a damaged file that cannot be unpacked ({error})", "a whole file", "Pack it again."))
    except TooLargeError:
        fix = "Split the file, and list its parts."
        mistakes.append(at_file("more than can be read", f"at most {size_in_words(max_bytes)} of text", fix))


def _records(
    name: str,
    stream: BinaryIO,
    mistakes: list[Mistake],
    max_bytes: int,
    fields: Collection[str] | None,
    columns: Sequence[str],
    *,
    documents: bool,
) -> Iterator[tuple[int, Any]]:
    """Values that a file has, objects or not, with their lines; rows of Parquet have the line 0."""
    kind = ending(name)
    if stream.seekable():
        start = stream.tell()
        is_parquet = stream.read(len(MAGIC)) == MAGIC
        stream.seek(start)
        if is_parquet:
            yield from ((0, row) for row in objects_of_parquet(name, stream, mistakes, max_bytes, fields))
            return
    head, blocks = take_head(packing.unpacked(ByteSource(stream, max_bytes), max_bytes), HEAD_BYTES)
    recognised = recognise(head[:HEAD_BYTES])
    if recognised and recognised.found.startswith(lines.CSV.found):
        recognised = None if kind in SEPARATORS else _TABLE
    if recognised == lines.INDENTED and documents:
        recognised = None
    if recognised:
        found = recognised.found
        mistakes.append(Mistake(name, 0, "", found, recognised.expected or "text in JSON Lines", recognised.fix))
    elif kind in SEPARATORS:
        yield from objects_of_cells(name, blocks, SEPARATORS[kind], mistakes, MAX_LINE_BYTES, columns)
    elif head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        yield from values_of_list(name, blocks, mistakes)
    else:
        yield from (values_of_documents if documents else values_of_lines)(name, blocks, mistakes)
