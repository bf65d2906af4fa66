"""Reading a file of generations: answers, or every problem with its place and its remedy.

The format is JSON Lines: UTF-8 text (also compressed with gzip), one object with ``id`` and ``answer`` a line; the
description for submitters is docs/submission-format.md. The same reader serves the upload form, the API and
``python -m scoring``. Plain Python: no Django.

>>> import io
>>> known = KnownQuestions(current=["a1", "b2"])
>>> report = read_generations(io.BytesIO(b'{"id": "a1", "answer": "Paris"}'), known)
>>> report.ok, report.answers, report.missing
(True, {'a1': 'Paris'}, ('b2',))
>>> report.warnings[0].title
'1 of 2 questions has no answer and will score 0'
>>> report = read_generations(io.BytesIO(b"{'id': 'a1', 'answer': 'Paris'}"), known)
>>> print(report.errors[0].problems[0].message)
Line 1, column 2: found a single quote at “'id': 'a1', 'answer': 'P…”, expected valid JSON; put keys and \
texts in double quotes: write the line with json.dumps, not with str or print.
"""

from __future__ import annotations

from typing import BinaryIO

from scoring.generations.answers import AnswerCollector, summarise
from scoring.generations.lines import (
    HEAD_BYTES,
    BrokenGzipError,
    ByteSource,
    Counted,
    Line,
    TooLargeError,
    recognise,
    split_lines,
    take_head,
    text_blocks,
)
from scoring.generations.problems import KINDS, Problem, ProblemGroup, ProblemLog, Severity, size_in_words
from scoring.generations.records import JsonObject, RecordReader, value_of
from scoring.generations.report import GenerationsReport, KnownQuestions, Limits

__all__ = [
    "KINDS",
    "GenerationsReport",
    "KnownQuestions",
    "Limits",
    "Problem",
    "ProblemGroup",
    "Severity",
    "read_generations",
]


def read_generations(stream: BinaryIO, known: KnownQuestions | None, limits: Limits | None = None) -> GenerationsReport:
    """Read a file of generations once, from where the stream stands, and report everything there is to say about it.

    Reads at most ``limits.max_bytes + 1`` bytes. Memory is bounded by the limits and the answers that are kept,
    whatever is sent. With `known` None any id is taken, as when only the format is of interest.

    Raises:
        OSError: and whatever else the stream itself raises; never anything because of the content.
    """
    limits = limits or Limits()
    reader = _Reader(known, limits)
    source = ByteSource(stream, limits.max_bytes)
    readable = True
    try:
        try:
            readable = reader.read(source)
        except BrokenGzipError as error:
            readable = False
            reader.log.forget()
            reader.log.add("broken-gzip", str(error))
        source.read_to_end()
    except TooLargeError as error:
        readable = False
        size = size_in_words(limits.max_bytes)
        out_of = f" after decompression, out of {size_in_words(source.size)}" if error.decompressed else ""
        reader.log.add(
            "too-large",
            f"more than {size}{out_of}",
            expected=f"at most {size}" + (" after decompression" if error.decompressed else ""),
        )
    return reader.report(source, readable=readable)


class _Reader:
    """One reading of one file: from lines to answers, with a log of problems."""

    def __init__(self, known: KnownQuestions | None, limits: Limits) -> None:
        self.log = ProblemLog(limits.max_shown_per_group)
        self._limits = limits
        self._records = RecordReader(self.log, limits)
        self._collected = AnswerCollector(known, limits, self.log)
        self._text = Counted(())
        self._n_lines = 0

    def read(self, source: ByteSource) -> bool:
        """Go through the lines; False if the file as a whole is not in the format. Raises as the bytestream does."""
        self._text = Counted(text_blocks(source, self._limits.max_bytes))
        head, blocks = take_head(self._text, HEAD_BYTES)
        recognised = recognise(head[:HEAD_BYTES])
        if recognised:
            self.log.add("wrong-format", recognised.found, expected=recognised.expected, fix=recognised.fix)
            return False
        for line in split_lines(blocks, self._limits.max_line_bytes):
            if line.number > self._limits.max_lines:
                self.log.add("too-many-lines", f"more than {self._limits.max_lines:,} lines")
                return False
            if not line.head.strip() and (line.content is None or not line.content.strip()):
                continue
            self._n_lines += 1
            if self._n_lines == 1 and self._is_one_value(line):
                return False
            record = self._records.read(line)
            if record is not None:
                self._collected.take(line, record)
        if self._n_lines == 0:
            self.log.add("empty-file", "no line with content" if source.size else "no bytes at all")
            return False
        return True

    def _is_one_value(self, line: Line) -> bool:
        """Whether the first line shows that the file is one array, or one object that maps ids to answers."""
        if line.head.lstrip().startswith(b"["):
            value = value_of(line)
            if type(value) is list and value and not any(type(item) is JsonObject for item in value):
                return False  # a line like ["id", "answer"]: wrong, but line by line
            self.log.add(
                "wrong-format",
                "a JSON array",
                line=line.number,
                column=1,
                fix="Write each object of the array on a line of its own, without the brackets and the commas between "
                "(jq -c '.[]' FILE does it).",
            )
            return True
        if line.head.lstrip().startswith(b"{") and self._collected.known:
            value = value_of(line)
            keys = [key for key, _ in value] if type(value) is JsonObject else []
            if "id" not in keys and any(self._collected.status(key) != "unknown" for key in keys):
                self.log.add(
                    "wrong-format",
                    "one object that maps ids to answers",
                    line=line.number,
                    column=1,
                    fix='Write each entry as {"id": "…", "answer": "…"} on a line of its own.',
                )
                return True
        return False

    def report(self, source: ByteSource, *, readable: bool) -> GenerationsReport:
        """The report; only a file that was `readable` to its end is told what it lacks."""
        self._records.report_extra_keys()
        missing = summarise(self._collected, max_shown=self._limits.max_shown_per_group) if readable else ()
        n_questions = self._collected.n_questions
        return GenerationsReport(
            answers=self._collected.answers,
            n_lines=self._n_lines,
            n_questions=n_questions,
            n_answered=self._collected.n_answered,
            missing=missing,
            size=source.size,
            sha256=source.sha256,
            groups=self.log.groups(n_questions),
            text_size=self._text.size if readable else 0,
            packed=source.packed,
        )
