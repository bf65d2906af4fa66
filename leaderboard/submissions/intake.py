"""Intake: one generations file, read line by line, or one log of an evaluation framework.

Enters: the bytes of a file, its name, its setting and the ids that it may use. Leaves: a `FileReport` with its answers
or with all its problems. No query is made and nothing is stored. `scoring.generations.reader` reads the file; the
report adds the file's name, safe to show, and its setting. The answers of a log (`scoring.logs`) become a generations
file, which is checked, stored and shown in its place: a log may have reference answers, so nothing of it is stored.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, cast

from django.core.files.uploadedfile import UploadedFile

from scoring.generations.passages import check_file_of_passages
from scoring.generations.reader import GenerationsReport, KnownQuestions, Limits, read_generations
from scoring.generations.records import TEXT_ANSWERS, AnswerFormat
from scoring.logs.opening import Bounds
from scoring.logs.reading import read_answers

PASSAGES: Final = "passages"
NAMELESS: Final = "unnamed file"
MAX_NAME_CHARACTERS: Final = 100
_MAX_SUFFIX_CHARACTERS: Final = 16
_MAX_CHARACTERS_READ: Final = 4096
_TIMES: Final = 16
"""How many times the limit of an upload the text of a log may have."""
_MOST_ENTRIES: Final = 50_000
_MOST_VALUES: Final = 3_000_000
_SEPARATORS: Final = re.compile(r"[/\\\u2044\u2215\u29f5\u29f8\uff0f\uff3c]")
_NOT_SHOWN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})


@dataclass(frozen=True, kw_only=True)
class FileReport(GenerationsReport):
    """The validation report of one file.

    To a `GenerationsReport` it adds the displayed name, and the setting that the file was submitted for.
    """

    filename: str
    setting_slug: str
    setting_label: str
    part: str = ""
    """``passages``; empty for answers."""

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data; of the answers only their number."""
        part = self.part or "answers"
        return {"setting": self.setting_slug, "part": part, "filename": self.filename, **super().as_dict()}


def check_answers(
    upload: UploadedFile[bytes],
    *,
    setting_slug: str,
    setting_label: str,
    known: KnownQuestions,
    limits: Limits,
    answer_format: AnswerFormat,
    answer_field: str,
) -> tuple[FileReport, BinaryIO, dict[str, Any]]:
    """Read the answers of an upload, which is a generations file or a log.

    Args:
        answer_field: the field of a log with the answers, if not the usual one.

    Returns:
        The report, the generations file, and the run facts that a log states.

    Raises:
        LogError: the log cannot be used.
    """
    most = limits.max_bytes
    read = read_answers(
        cast("BinaryIO", upload),
        display_filename(upload.name or ""),
        known=known,
        ids=frozenset({*known.current, *known.retired, *known.other_splits}),
        limits=limits,
        answer_format=answer_format,
        answer_field=answer_field,
        bounds=Bounds(most, _TIMES * most, _MOST_ENTRIES, max_entry_bytes=most, max_values=_MOST_VALUES),
    )
    filename = f"{display_filename(upload.name or '')}.jsonl" if read.is_of_log else upload.name or ""
    return _of_file(read.report, filename, setting_slug, setting_label), read.stream, dict(read.run_facts)


def check_file(
    stream: BinaryIO,
    *,
    filename: str,
    setting_slug: str,
    setting_label: str,
    known: KnownQuestions | None,
    limits: Limits | None = None,
    answer_format: AnswerFormat = TEXT_ANSWERS,
) -> FileReport:
    """Read one file of generations and report all its problems and remarks.

    Args:
        stream: read once, from its current position, and never more than one byte beyond the size limit.
        filename: as the client sent it; only a cleaned form is stored.
        setting_slug: the setting that the answers are for, as in URLs and in the API.
        setting_label: the setting's name for people.
        known: the ids that the file may use; None accepts any.
        limits: how much is read and reported; the defaults of `Limits` if not given.
        answer_format: what the benchmark's answers look like.

    Raises:
        OSError: and whatever else the stream itself raises; never anything because of the content.
    """
    report = read_generations(stream, known, limits, answer_format)
    return _of_file(report, filename, setting_slug, setting_label)


def check_passages(
    stream: BinaryIO, *, filename: str, setting_slug: str, setting_label: str, known: KnownQuestions, limits: Limits
) -> FileReport:
    """Read one file of retrieved passages, as `check_file`; its answers are only the numbers of passages."""
    report = check_file_of_passages(stream, known, limits)
    return _of_file(report, filename, setting_slug, f"{setting_label}: retrieved passages", PASSAGES)


def _of_file(
    report: GenerationsReport, filename: str, setting_slug: str, setting_label: str, part: str = ""
) -> FileReport:
    return FileReport(
        **vars(report),
        filename=display_filename(filename),
        setting_slug=setting_slug,
        setting_label=setting_label,
        part=part,
    )


def display_filename(filename: str) -> str:
    r"""A name that is safe to show and to offer for a download, made from an untrusted name.

    Only the part after the last path separator counts. Control characters, characters that change the writing
    direction, invisible characters and lone surrogates are removed; white space becomes single spaces; look-alike path
    separators count as separators. A long name is shortened between its beginning and its suffix. Never empty, at most
    100 characters.

    >>> display_filename("C:\\runs\\open book.jsonl"), display_filename("../../etc/passwd"), display_filename("..")
    ('open book.jsonl', 'passwd', 'unnamed file')
    >>> display_filename("evil\u202elnosj.exe"), len(display_filename("a" * 10_000 + ".jsonl.gz"))
    ('evillnosj.exe', 100)
    """
    last_part = _SEPARATORS.split(filename)[-1]
    if len(last_part) > _MAX_CHARACTERS_READ:
        last_part = last_part[:_MAX_CHARACTERS_READ] + last_part[-_MAX_SUFFIX_CHARACTERS:]
    visible = "".join(
        character for character in " ".join(last_part.split()) if unicodedata.category(character) not in _NOT_SHOWN
    )
    name = unicodedata.normalize("NFC", " ".join(visible.split()))
    if not name.strip(". "):
        return NAMELESS
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    suffix = re.search(r"(?:\.\w{1,7}){1,2}\Z", name[-_MAX_SUFFIX_CHARACTERS:])
    ending = suffix.group() if suffix else ""
    return name[: MAX_NAME_CHARACTERS - 1 - len(ending)].rstrip() + "…" + ending
