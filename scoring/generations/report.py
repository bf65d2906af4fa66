"""The input of a reader of generations, and its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.generations.problems import ProblemGroup, Severity


@dataclass(frozen=True)
class KnownQuestions:
    """The ids that a file may use.

    `current` are the ids of the split in its present revision, in order; `retired` maps ids that a later revision
    removed to a phrase about it ("retired by the revision of 2026-07-14"); `other_splits` maps the ids of the
    benchmark's other splits to the split's name. An id that is in several counts as the first of these.
    """

    current: Sequence[str]
    retired: Mapping[str, str] = field(default_factory=dict)
    other_splits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """The limits of reading and reporting. Sizes are in bytes and apply to the data as sent and as decompressed.

    `max_lines` includes blank lines. After `max_problems` problems, counting errors and repeated answers, reading
    stops; further lines are read only for the hash. `max_comparisons` bounds the search for the ids nearest to
    unknown ones. `max_answer_length` is what a benchmark declares, in the unit of its answers; None: no limit.
    """

    max_bytes: int = 32 * 2**20
    max_line_bytes: int = 8 * 2**20
    max_lines: int = 500_000
    max_problems: int = 1_000
    max_shown_per_group: int = 20
    max_comparisons: int = 50_000
    max_answer_length: int | None = None


@dataclass(frozen=True)
class GenerationsReport:
    """The content and the problems of a file. Use the answers only if `ok`.

    Attributes:
        answers: id to answer, as sent, in the file's order; ids of the current revision and retired ones only (every
            id, if no questions were given).
        n_lines: lines with content.
        n_questions: questions of the split (different ids in the file, if no questions were given).
        n_answered: questions of the split with a line in `answers` whose answer is not empty.
        missing: ids of the split without any line, in the split's order; empty if the file could not be read to its
            end.
        size: bytes as sent (as far as they were read).
        sha256: hexadecimal hash of the bytes as sent; empty if they were not read to the end (`too-large`).
        groups: all problems, errors first.
        text_size: bytes of text (as far as they were read): `size`, or the number of decompressed bytes.
        packed: whether the file was sent compressed with gzip.
    """

    answers: Mapping[str, str]
    n_lines: int
    n_questions: int
    n_answered: int
    missing: tuple[str, ...]
    size: int
    sha256: str
    groups: tuple[ProblemGroup, ...]
    text_size: int = 0
    packed: bool = False

    @property
    def errors(self) -> tuple[ProblemGroup, ...]:
        """The groups of errors, which reject the file."""
        return tuple(group for group in self.groups if group.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[ProblemGroup, ...]:
        """The groups of warnings, which are only reported."""
        return tuple(group for group in self.groups if group.severity is Severity.WARNING)

    @property
    def ok(self) -> bool:
        """Whether the file is accepted: it has no error."""
        return not self.errors

    @property
    def n_errors(self) -> int:
        """The number of errors, shown or not."""
        return sum(group.count for group in self.errors)

    @property
    def n_warnings(self) -> int:
        """The number of warnings, shown or not."""
        return sum(group.count for group in self.warnings)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data; of the answers only their number."""
        return {
            "ok": self.ok,
            "n_lines": self.n_lines,
            "n_questions": self.n_questions,
            "n_answered": self.n_answered,
            "n_missing": len(self.missing),
            "size": self.size,
            "text_size": self.text_size,
            "compression": "gzip" if self.packed else None,
            "sha256": self.sha256,
            "n_errors": self.n_errors,
            "n_warnings": self.n_warnings,
            "groups": [group.as_dict() for group in self.groups],
        }
