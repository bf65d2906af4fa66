"""Read files of JSON Lines: objects with an id, and every problem with its line and key.

A file may be compressed with gzip, or be the only such file in a zip archive. Every problem is reported at once, with
its line, key, what was found, what was expected and what to do.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from scoring.generations.json_errors import name_type
from scoring.generations.lines import (
    HEAD_BYTES,
    BrokenGzipError,
    ByteSource,
    Line,
    TooLargeError,
    recognise,
    split_lines,
    take_head,
    text_blocks,
)
from scoring.generations.problems import Problem, ProblemLog, Severity, quote, size_in_words
from scoring.generations.reader import NO_CONTENT
from scoring.generations.records import JsonObject, Limits, ObjectReader
from scoring.metrics.base import ReferenceAnswer
from scoring.task_types.base import References, UnusableInputError

if TYPE_CHECKING:
    from scoring.metrics.passage_recall import Passage

LISTED: Final = 100_000
LIMITS: Final = Limits(max_bytes=2**33, max_line_bytes=2**26, max_lines=10**7, max_shown_per_group=LISTED)
_ID_KEYS: Final = ("qid", "id")
_TEXT: Final = "a text in double quotes"
_MEMBERS: Final = (".jsonl", ".json", ".jsonl.gz", ".json.gz")


def found_instead(value: object) -> str:
    """What a message says was found where another value was expected."""
    return "no such key, or null" if value is None else name_type(value)


class FileReader:
    """One reading of one file: its objects, and a list of problems."""

    def __init__(self, path: Path, example: str, content_key: str) -> None:
        self._path = path
        self._example = example
        self._log = ProblemLog(LISTED, example=example, answer_key=content_key)
        self._problems: list[Problem] = []

    def objects(self, *, repeats: bool = False) -> Iterator[tuple[str, Line, dict[str, Any]]]:
        """The objects of the file with their ids; lines without a usable id are logged.

        Args:
            repeats: Whether several lines may have the same id.
        """
        objects = ObjectReader(self._log, LIMITS)
        usual = next(key for key in _ID_KEYS if f'"{key}"' in self._example)
        first_lines: dict[str, int] = {}
        for line in self._lines():
            if line.content is not None and not line.content.strip():
                continue
            pairs = objects.read_object(line)
            if pairs is None:
                continue
            values = dict(pairs)
            key = next((key for key in _ID_KEYS if key in values), usual)
            name = values.get(key)
            if type(name) is not str or not name:
                actual = found_instead(name) if type(name) is not str else "an empty text"
                self.add(line, key, actual, _TEXT, f'Write the id: "{key}": "…".')
            elif not repeats and first_lines.setdefault(name, line.number) != line.number:
                actual = f"id {quote(name)} again after line {first_lines[name]:,}"
                self.add(line, key, actual, "one line per question", "Remove one of the two lines.")
            else:
                yield name, line, values

    def _lines(self) -> Iterator[Line]:
        try:
            with self._open() as stream:
                blocks = text_blocks(ByteSource(stream, LIMITS.max_bytes), LIMITS.max_bytes)
                head, blocks = take_head(blocks, HEAD_BYTES)
                recognised = recognise(head[:HEAD_BYTES])
                if recognised or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
                    actual = recognised.found if recognised else "a JSON array"
                    fix = "write one object per line (jq -c '.[]' FILE does it for an array)"
                    raise UnusableInputError([f"{self._path}: found {actual}, expected {self._example}; {fix}."])
                yield from split_lines(blocks, LIMITS.max_line_bytes)
        except OSError as error:
            raise UnusableInputError([f"{self._path}: cannot be read: {error.strerror or error}"]) from error
        except (BrokenGzipError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
            raise UnusableInputError([f"{self._path}: cannot be unpacked: {error}"]) from error
        except TooLargeError as error:
            size = size_in_words(LIMITS.max_bytes)
            raise UnusableInputError([f"{self._path}: has more than {size} of text"]) from error

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        """The file, or the only file of its kind in it if it is a zip archive."""
        with self._path.open("rb") as file:
            packed = file.read(2) == b"PK"
            file.seek(0)
            if not packed:
                yield file
                return
            with zipfile.ZipFile(file) as archive:
                names = [name for name in archive.namelist() if name.endswith(_MEMBERS) and "__MACOSX/" not in name]
                if len(names) != 1:
                    actual = f"{len(names)} of them: {', '.join(names)}" if names else "none"
                    raise UnusableInputError(
                        [f"{self._path}: expected one file of JSON Lines in the archive, found {actual}; unpack it."]
                    )
                with archive.open(names[0]) as member:
                    yield cast("BinaryIO", member)

    def add(self, line: Line, field: str, found: str, expected: str, fix: str) -> None:
        """Log a problem of a line."""
        self._problems.append(
            Problem("bad-value", Severity.ERROR, line.number, None, field, None, found, expected, fix)
        )

    def objects_in(self, line: Line, key: str, value: object) -> list[tuple[str, dict[str, Any]]] | None:
        """The objects of a list with their places (``answer_list[0]``); None, with problems, if it is no such list."""
        if type(value) is not list:
            self.add(line, key, found_instead(value), "a list of objects", f"Write the line as {self._example}.")
            return None
        objects = []
        for index, item in enumerate(value):
            place = f"{key}[{index}]"
            if type(item) is JsonObject:
                objects.append((place, dict(item)))
            else:
                self.add(line, place, found_instead(item), "an object", f"Write the line as {self._example}.")
        return objects

    def text_in(self, line: Line, place: str, value: object) -> str:
        """A text; empty, with a problem, for any other value."""
        if type(value) is str:
            return value
        self.add(line, place, found_instead(value), _TEXT, "Add the text.")
        return ""

    def question_in(self, line: Line, key: str, values: Mapping[str, Any]) -> str:
        """The text of a question, without white space around it; empty, with a problem, if there is none."""
        text = self.text_in(line, key, values.get(key)).strip()
        if not text and type(values.get(key)) is str:
            self.add(line, key, "a text without content", _TEXT, "Add the question.")
        return text

    def refuse_problems(self, rows: Sized | None = None) -> None:
        """Raise UnusableInputError if there are problems, in the order of the lines.

        Args:
            rows: What was read; if given, it must not be empty.
        """
        problems = [*(problem for group in self._log.groups() for problem in group.problems), *self._problems]
        problems.sort(key=lambda problem: problem.line or 0)
        if problems:
            raise UnusableInputError([f"{self._path}: {problem.message}" for problem in problems])
        if rows is not None and not rows:
            raise UnusableInputError([f"{self._path}: expected lines as {self._example}, found {NO_CONTENT}"])

    def references(
        self, answers: Mapping[str, ReferenceAnswer], evidence: tuple[tuple[Passage, ...], ...] = ()
    ) -> References:
        """The file's reference answers by question; raises as `refuse_problems`."""
        self.refuse_problems(answers)
        with self._path.open("rb") as stream:
            fingerprint = hashlib.file_digest(stream, "sha256").hexdigest()[:8]
        return References(tuple(answers), tuple(answers.values()), fingerprint, evidence)
