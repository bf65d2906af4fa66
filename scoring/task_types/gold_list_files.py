"""Read QAMPARI's published JSON Lines of gold answers, and files of retrieved passages.

Both may be compressed with gzip, or be the only such file in a zip archive. Every problem is reported at once, with its
line, key, what was found, what was expected and what to do.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

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
from scoring.metrics.passage_recall import Passage, proof_passage
from scoring.task_types.base import References, UnusableInputError

LISTED: Final = 100_000
LIMITS: Final = Limits(max_bytes=2**33, max_line_bytes=2**26, max_lines=10**7, max_shown_per_group=LISTED)
QUESTION_EXAMPLE: Final = '{"qid": "…", "question_text": "…", "answer_list": [{"answer_text": "…", "aliases": ["…"]}]}'
GOLD_EXAMPLE: Final = '{"qid": "…", "answer_list": [{"answer_text": "…", "aliases": ["…"]}]}'
PASSAGES_EXAMPLE: Final = '{"id": "…", "passages": [{"title": "…", "text": "…"}]}'
_ID_KEYS: Final = ("qid", "id")
_TEXT: Final = "a text in double quotes"
_MEMBERS: Final = (".jsonl", ".json", ".jsonl.gz", ".json.gz")


class Gold(NamedTuple):
    """One question of a file: its gold answers and the passages that are evidence for them."""

    answers: list[ReferenceAnswer]
    evidence: tuple[Passage, ...]
    proofs: tuple[Proof, ...]


class Proof(NamedTuple):
    """A passage of an encyclopedia that supports an answer."""

    url: str
    passage: Passage


class ListQuestion(NamedTuple):
    """One question of a file: what is asked, and, if the file has them, its gold answers with their evidence."""

    qid: str
    text: str
    answers: list[ReferenceAnswer] | None
    pages: tuple[tuple[str, str], ...]
    """URL and title of each page with a proof, once."""


def read_questions(path: Path) -> list[ListQuestion]:
    """Read a file of questions, with or without gold answers.

    :param path: as `read_gold_lists`, with ``question_text`` in each object; ``answer_list`` may be missing.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    reader = FileReader(path, QUESTION_EXAMPLE, "question_text")
    questions = []
    for name, line, values in reader.objects():
        text = reader.text_in(line, "question_text", values.get("question_text")).strip()
        if not text and type(values.get("question_text")) is str:
            reader.add(line, "question_text", "a text without content", _TEXT, "Add the question.")
        gold = _gold(line, values, reader) if "answer_list" in values else None
        questions.append(ListQuestion(name, text, gold.answers if gold else None, _pages(gold)))
    reader.refuse_problems()
    if not questions:
        raise UnusableInputError([f"{path}: expected lines as {QUESTION_EXAMPLE}, found {NO_CONTENT}"])
    return questions


def _pages(gold: Gold | None) -> tuple[tuple[str, str], ...]:
    proofs = gold.proofs if gold else ()
    return tuple({proof.url: proof.passage.title for proof in proofs}.items())


def read_gold_lists(path: Path) -> References:
    """Read a file of questions with gold answers.

    :param path: JSON Lines, each an object with ``qid`` (or ``id``) and ``answer_list``, a list of objects with
        ``answer_text`` and ``aliases``. Evidence is ``proof``, a list of objects with ``proof_text`` and
        ``found_in_url``, or, if the question has them, ``positive_ctxs`` with ``title`` and ``text``. Other keys are
        ignored.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    reader = FileReader(path, GOLD_EXAMPLE, "answer_list")
    questions = {name: gold for name, line, values in reader.objects() if (gold := _gold(line, values, reader))}
    reader.refuse_problems()
    if not questions:
        raise UnusableInputError([f"{path}: expected lines as {GOLD_EXAMPLE}, found {NO_CONTENT}"])
    with path.open("rb") as stream:
        fingerprint = hashlib.file_digest(stream, "sha256").hexdigest()[:8]
    rows = questions.values()
    return References(
        tuple(questions), tuple(gold.answers for gold in rows), fingerprint, tuple(gold.evidence for gold in rows)
    )


def read_passages(path: Path) -> Mapping[str, tuple[Passage, ...]]:
    """Read a file of retrieved passages: question id to passages, best first.

    :param path: JSON Lines, each an object with ``id`` (or ``qid``) and ``passages``, a list of objects with ``title``
        and ``text``. Other keys are ignored.
    :raises UnusableInputError: listing everything that is wrong with it.
    """
    reader = FileReader(path, PASSAGES_EXAMPLE, "passages")
    found = {
        name: passages
        for name, line, values in reader.objects()
        if (passages := _passages(line, values, "passages", reader)) is not None
    }
    reader.refuse_problems()
    if not found:
        raise UnusableInputError([f"{path}: expected lines as {PASSAGES_EXAMPLE}, found {NO_CONTENT}"])
    return found


def _gold(line: Line, values: Mapping[str, Any], reader: FileReader) -> Gold | None:
    listed = reader.objects_in(line, "answer_list", values.get("answer_list"))
    if listed == []:
        reader.add(
            line, "answer_list", "an empty list", "at least one answer", "Add the gold answers, or the line out."
        )
    if not listed:
        return None
    answers: list[ReferenceAnswer] = []
    proofs: list[Proof] = []
    for place, one in listed:
        text = one.get("answer_text")
        if type(text) is not str:
            text = reader.text_in(line, f"{place}.answer_text", text)
        aliases = one.get("aliases")
        if type(aliases) is not list or not all(type(alias) is str for alias in aliases):
            found = found_instead(aliases) if type(aliases) is not list else "a list with other values than strings"
            reader.add(line, f"{place}.aliases", found, "a list of strings", "Write all names that count; [] for none.")
        own = list(_proofs(one.get("proof")))
        answers.append(_answer(text, aliases, own) if type(aliases) is list else text)
        proofs += own
    contexts = _passages(line, values, "positive_ctxs", reader) if "positive_ctxs" in values else None
    evidence = tuple(proof.passage for proof in proofs) if contexts is None else contexts
    return Gold(answers, evidence, tuple(proofs))


def _answer(text: str, aliases: list[ReferenceAnswer], proofs: list[Proof]) -> dict[str, ReferenceAnswer]:
    answer: dict[str, ReferenceAnswer] = {"answer_text": text, "aliases": aliases}
    if proofs:
        answer["proof"] = [{"found_in_url": one.url, "proof_text": one.passage.text} for one in proofs]
    return answer


def _proofs(proofs: object) -> Iterator[Proof]:
    """The passages of evidence of one answer; what has no text and page is no evidence, and no mistake either."""
    for pairs in proofs if type(proofs) is list else ():
        proof = dict(pairs) if type(pairs) is JsonObject else {}
        text, url = proof.get("proof_text"), proof.get("found_in_url")
        if type(text) is str and type(url) is str:
            yield Proof(url, proof_passage(text, url))


def _passages(line: Line, values: Mapping[str, Any], key: str, reader: FileReader) -> tuple[Passage, ...] | None:
    listed = reader.objects_in(line, key, values.get(key))
    if listed is None:
        return None
    return tuple(
        Passage(*(reader.text_in(line, f"{place}.{field}", one.get(field)) for field in Passage._fields))
        for place, one in listed
    )


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

        :param repeats: whether several lines may have the same id.
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
                found = found_instead(name) if type(name) is not str else "an empty text"
                self.add(line, key, found, _TEXT, f'Write the id: "{key}": "…".')
            elif not repeats and first_lines.setdefault(name, line.number) != line.number:
                found = f"id {quote(name)} again after line {first_lines[name]:,}"
                self.add(line, key, found, "one line per question", "Remove one of the two lines.")
            else:
                yield name, line, values

    def _lines(self) -> Iterator[Line]:
        try:
            with self._open() as stream:
                blocks = text_blocks(ByteSource(stream, LIMITS.max_bytes), LIMITS.max_bytes)
                head, blocks = take_head(blocks, HEAD_BYTES)
                recognised = recognise(head[:HEAD_BYTES])
                if recognised or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
                    found = recognised.found if recognised else "a JSON array"
                    fix = "write one object per line (jq -c '.[]' FILE does it for an array)"
                    raise UnusableInputError([f"{self._path}: found {found}, expected {self._example}; {fix}."])
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
                    found = f"{len(names)} of them: {', '.join(names)}" if names else "none"
                    raise UnusableInputError(
                        [f"{self._path}: expected one file of JSON Lines in the archive, found {found}; unpack it."]
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
        for index, one in enumerate(value):
            if type(one) is not JsonObject:
                self.add(
                    line, f"{key}[{index}]", found_instead(one), "an object", f"Write the line as {self._example}."
                )
        return [(f"{key}[{index}]", dict(one)) for index, one in enumerate(value) if type(one) is JsonObject]

    def text_in(self, line: Line, place: str, value: object) -> str:
        """A text; empty, with a problem, for any other value."""
        if type(value) is str:
            return value
        self.add(line, place, found_instead(value), _TEXT, "Add the text.")
        return ""

    def refuse_problems(self) -> None:
        """Raise UnusableInputError if there are problems, in the order of the lines."""
        problems = [*(one for group in self._log.groups() for one in group.problems), *self._problems]
        problems.sort(key=lambda problem: problem.line or 0)
        if problems:
            raise UnusableInputError([f"{self._path}: {problem.message}" for problem in problems])
