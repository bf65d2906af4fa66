"""Finds out what the files of a log are, and reads them: `read_log`.

`read_answers` reads a file that is a generations file or a log. The form, the API and the commands ``check`` and
``submit`` read files by it, so that each says the same of them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import BinaryIO, Final, NamedTuple

from msgspec import Raw

from scoring.generations.lines import HEAD_BYTES, encoding_of, recognise, recognise_tool
from scoring.generations.problems import FROM_LOG, UNFINISHED_LOG, Problem, ProblemGroup, Severity, clean, quote
from scoring.generations.reader import GenerationsReport, KnownQuestions, Limits, read_generations
from scoring.generations.records import AnswerFormat
from scoring.logs import inspect_ai, lm_eval, tables
from scoring.logs.log import FORMATS, Facts, Log, LogError, Wanted, decode
from scoring.logs.opening import ZIP, Archive, Bounds, read_text

Lines = list[tuple[int, bytes]]
_BOM: Final = b"\xef\xbb\xbf"
_LONGEST_LINE: Final = 8 * 2**20
_HEADER: Final = re.compile(rb"[^\n\r]*")


def read_log(files: Sequence[tuple[str, BinaryIO]], wanted: Wanted, bounds: Bounds | None = None) -> Log:
    """Read the files of one log, with their names: the one with the answers, and lm-eval's results of the same run.

    Raises:
        LogError: they cannot be used; every problem says where.
    """
    bounds = bounds or Bounds()
    facts: Facts = {}
    readers: list[tuple[str, str, Archive | bytes]] = []
    n_expected = 0
    results_only = False
    for name, stream in files:
        try:
            stream.seek(0)
            if stream.read(len(ZIP)) == ZIP:
                readers.append((name, "archive", Archive(stream, bounds)))
                continue
            stream.seek(0)
            content = read_text(stream, bounds).removeprefix(_BOM)
            keys = _keys_of(content) or ()
            if "results" in keys and not lm_eval.OF_RESULTS.isdisjoint(keys):
                own, n_expected = lm_eval.read_results(content)
                facts |= own
                results_only = True
            else:
                readers.append((name, "text", content))
        except LogError as error:
            raise _named(name, error) from None
    if len(readers) != 1:
        if not readers and results_only:
            raise lm_eval.without_samples()
        names = ", ".join(clean(name) for name, _, _ in readers) or "none"
        raise LogError(
            f"Files: found {len(readers)} files with answers ({names}), expected one; name the file of one log."
        )
    name, _, opened = readers[0]
    try:
        if isinstance(opened, Archive):
            return inspect_ai.read_archive(opened, wanted)
        return _read_text(opened, wanted, facts, n_expected)
    except LogError as error:
        raise _named(name, error) from None


def is_log(stream: BinaryIO) -> bool:
    """Whether a file begins as the log of a framework does. Tables and generations files do not, nor files without
    answers."""
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    recognised = recognise(head) or recognise_tool(head)
    if recognised is None or not recognised.is_log:
        return False
    keys = _keys_of(stream.readline(_LONGEST_LINE)) or ()
    stream.seek(0)
    return not {"answer", "predictions"}.intersection(keys)


def _named(name: str, error: LogError) -> LogError:
    return LogError(*(f"{clean(name)}: {problem}" for problem in error.problems))


def _read_text(content: bytes, wanted: Wanted, facts: Facts, n_expected: int) -> Log:
    start = content.lstrip()[:1]
    if start in (b"{", b"["):
        keys = _keys_of(content) or ()
        if "eval" in keys:
            return inspect_ai.read_document(content, wanted)
        lines = [(number, line) for number, line in enumerate(content.splitlines(), start=1) if line.strip()]
        first = _keys_of(lines[0][1])
        if first is not None and (len(lines) > 1 or {"doc", "resps"} <= first):
            if {"doc", "resps"} <= first:
                return lm_eval.read_samples(lines, wanted, facts, n_expected)
            return tables.read_lines(lines, wanted)
        return tables.read_document(content, wanted)
    recognised = recognise(content[:HEAD_BYTES])
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        encoding = encoding_of(content)
        if recognised and not encoding:
            actual, fix = recognised.found, "choose the log as it was written"
        else:
            byte = f"byte 0x{content[error.start]:02X} at offset {error.start:,}"
            actual = f"text in {encoding} ({byte})" if encoding else byte
            fix = "save it as UTF-8" if encoding else "choose the log as it was written"
        raise LogError(f"File: found {actual}, expected a log or UTF-8 text; {fix}.") from None
    header = (_HEADER.match(content.lstrip()) or [b""])[0]
    separator = next((mark for mark in ("\t", ",", ";") if mark.encode() in header), "")
    if not separator:
        actual = recognised.found if recognised else "no log that is known here" if text.strip() else "no content"
        raise LogError(f"File: found {actual}, expected {FORMATS}; choose one of these.")
    return tables.read_separated(text.lstrip(), separator, wanted)


def _keys_of(content: bytes) -> AbstractSet[str] | None:
    """The keys of a JSON object; None if it is none, or not one alone."""
    if not content.lstrip().startswith(b"{"):
        return None
    try:
        return decode(content, dict[str, Raw], "").keys()
    except LogError:
        return None


# --- For every door -------------------------------------------------------------------------------------------------


class ReadAnswers(NamedTuple):
    """The answers of a file: their report, the generations file, and the run facts that a log states."""

    report: GenerationsReport
    stream: BinaryIO
    run_facts: Facts
    is_of_log: bool


def read_answers(
    stream: BinaryIO,
    filename: str,
    *,
    known: KnownQuestions | None,
    ids: AbstractSet[str],
    limits: Limits,
    answer_format: AnswerFormat,
    answer_field: str = "",
    bounds: Bounds | None = None,
) -> ReadAnswers:
    """Read a file; of a log, its answers take its place.

    Args:
        stream: can be sought, unless it cannot be a log.
        filename: as problems name the log.
        ids: the ids by which those of a log are found.
        answer_field: the field of a log with the answers, if not the usual one.

    Raises:
        LogError: the log cannot be used.
    """
    if not is_log(stream):
        return ReadAnswers(read_generations(stream, known, limits, answer_format), stream, {}, is_of_log=False)
    log = read_log([(filename, stream)], Wanted(ids, answer_field), bounds)
    generations = io.BytesIO(log.generations(answer_format))
    report = read_generations(generations, known, limits, answer_format)
    return ReadAnswers(
        replace(report, groups=(*report.groups, *notes_of(log))), generations, log.run_facts, is_of_log=True
    )


def notes_of(log: Log) -> tuple[ProblemGroup, ...]:
    """Warnings that a log has no end, and that say what was read of it."""
    others = ", ".join(quote(name) for name in log.answer_fields if name != log.answer_field)
    notes = [log.kind, *([f"other fields that may be the answers: {others}"] if others else [])]
    title = f"The answers were taken from the field {quote(log.answer_field)} of a log"
    fix = (
        "Check that these are the answers; name another field (answer_field) to take them from it. Of the log only "
        "ids, answers and usage are stored, and the run facts."
    )
    notes += [note[:1].lower() + note[1:] for note in (*log.remarks, *log.warnings)]
    from_log = _warning(FROM_LOG, title, notes, "a generations file", fix)
    if not log.unfinished:
        return (from_log,)
    title = f"The log breaks off before the end of its run ({log.unfinished})"
    fix = "Choose the log of a finished run, or send the answers that there are."
    return _warning(UNFINISHED_LOG, title, [log.unfinished], "the log of a finished run", fix), from_log


def _warning(code: str, title: str, found: list[str], expected: str, fix: str) -> ProblemGroup:
    problems = tuple(
        Problem(code, Severity.WARNING, None, None, None, None, note.rstrip("."), expected, fix) for note in found
    )
    return ProblemGroup(code, title, Severity.WARNING, len(problems), problems, fix)
