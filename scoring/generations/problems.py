"""The possible problems of an uploaded file, worded so that its author can fix them, and the report that lists them.

A *problem* is one error or warning at one place; a *group* holds all problems of one code, of which only the first few
are stored while all are counted. Every quotation from the file is shortened and made safe to display, so a report stays
small and harmless however large or hostile the file is.

Plain Python: no Django.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from scoring.generations.usage import Values

SHOWN_CHARACTERS: Final = 60
EXAMPLES: Final = 3
"""The number of problems of one kind that are named in one line; more are folded."""


class Severity(StrEnum):
    """An error rejects the file; a warning is reported and the file is accepted."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class ProblemKind:
    """The constant properties of a code: its severity, its title for one and for many, and the general fix.

    Titles may contain ``{n}`` (the number of problems) and ``{total}`` (the number of questions), the other texts
    `EXAMPLE` and `ANSWER_KEY`, which depend on the format of the answers.
    """

    severity: Severity
    code: str
    singular: str
    plural: str
    expected: str
    fix: str

    def title(self, count: int, total: int = 0) -> str:
        """The heading of a group of `count` problems, for example "12 lines are not valid JSON"."""
        return (self.singular if count == 1 else self.plural).format(n=f"{count:,}", total=f"{total:,}")


_error = partial(ProblemKind, Severity.ERROR)
_warning = partial(ProblemKind, Severity.WARNING)


EXAMPLE: Final = "{example}"
"""In a text: an object with an id and an answer, in the file's format."""
ANSWER_KEY: Final = "{answer}"
"""In a text: the key of the answer."""
_ONE_OBJECT: Final = f"one JSON object per line, as {EXAMPLE}"

_KINDS: Final = (
    _error(
        "too-large",
        "The file is over the size limit",
        "The file is over the size limit",
        "a file within the size limit",
        "Keep only the id and the answer, and send one line per question.",
    ),
    _error(
        "too-many-lines",
        "The file has too many lines",
        "The file has too many lines",
        "one line per question",
        "Send one line per question, without blank lines between.",
    ),
    _error(
        "broken-gzip",
        "The gzip file is damaged",
        "The gzip file is damaged",
        "a complete gzip file or plain text",
        "Compress the file again, or send it without compression.",
    ),
    _error(
        "wrong-format",
        "The file is not in the JSON Lines format",
        "The file is not in the JSON Lines format",
        _ONE_OBJECT,
        "Write one JSON object per line, without brackets around or commas between the objects.",
    ),
    _error("empty-file", "The file is empty", "The file is empty", _ONE_OBJECT, "Choose the file with the answers."),
    _error(
        "wrong-split",
        "Nearly all ids belong to another split or benchmark",
        "Nearly all ids belong to another split or benchmark",
        "ids of the chosen split",
        "Choose the split of the file, or the file for this split.",
    ),
    _error(
        "no-answers",
        "There is no answer to score",
        "There is no answer to score",
        "at least one answer with text to a question of this split",
        "Choose the file with the answers.",
    ),
    _error(
        "not-utf8",
        "1 line is not UTF-8 text",
        "{n} lines are not UTF-8 text",
        "UTF-8 text",
        'Save the file as UTF-8 (in Python: open(path, "w", encoding="utf-8")).',
    ),
    _error(
        "line-too-long",
        "1 line is too long",
        "{n} lines are too long",
        "a line within the length limit",
        "Check that every object is on a line of its own, and shorten the answer.",
    ),
    _error(
        "broken-json",
        "1 line is not valid JSON",
        "{n} lines are not valid JSON",
        "valid JSON",
        "Write every line with a JSON library (in Python: json.dumps), not by hand.",
    ),
    _error(
        "too-complex",
        "1 line holds too much structure",
        "{n} lines hold too much structure",
        f"an object as {EXAMPLE}",
        f'Keep only the keys "id" and "{ANSWER_KEY}".',
    ),
    _error(
        "number-too-long",
        "1 line holds a number with too many digits",
        "{n} lines hold a number with too many digits",
        "numbers of a readable length",
        "Write the number as a string, or leave it out.",
    ),
    _error(
        "not-an-object",
        "1 line is not a JSON object",
        "{n} lines are not JSON objects",
        f"an object as {EXAMPLE}",
        "Write each line as an object with an id and an answer.",
    ),
    _error(
        "missing-key",
        "1 key is missing",
        "{n} keys are missing",
        f'the keys "id" and "{ANSWER_KEY}"',
        "Add the key, its name in lower case.",
    ),
    _error(
        "duplicate-key",
        "1 object has the same key twice",
        "{n} objects have the same key twice",
        "each key once",
        "Keep one of the two, so that it is clear which counts.",
    ),
    _error(
        "id-not-a-string",
        "1 id is not a string",
        "{n} ids are not strings",
        "a string",
        "Write the id exactly as in the question file, in double quotes.",
    ),
    _error(
        "answer-not-a-string",
        "1 answer is not a string",
        "{n} answers are not strings",
        "a string",
        "Write the answer as one text in double quotes.",
    ),
    _error(
        "answer-not-a-list",
        "1 answer is not a list",
        "{n} answers are not lists",
        "a list of strings",
        'Write the answers as a list of strings: ["…", "…"].',
    ),
    _error(
        "answer-not-usable",
        "1 answer does not have the expected form",
        "{n} answers do not have the expected form",
        f"a value as in {EXAMPLE}",
        f"Write each line as {EXAMPLE}.",
    ),
    _error(
        "item-not-a-string",
        "1 item of a list is not a string",
        "{n} items of lists are not strings",
        "a string",
        "Write each item of the list as a text in double quotes.",
    ),
    _error(
        "answer-too-long",
        "1 answer is longer than this benchmark allows",
        "{n} answers are longer than this benchmark allows",
        "a shorter answer",
        "Shorten the answer.",
    ),
    _error(
        "usage-not-usable",
        "1 fact about the use of tokens, time or money is wrong",
        "{n} facts about the use of tokens, time or money are wrong",
        "a number",
        'Correct the number, or leave it out of "usage".',
    ),
    _error(
        "unstorable-character",
        "1 text holds a character that cannot be stored",
        "{n} texts hold a character that cannot be stored",
        "text without NUL characters and halves of surrogate pairs",
        "Remove the character from the text.",
    ),
    _error(
        "other-split-id",
        "1 id belongs to another split",
        "{n} ids belong to another split",
        "ids of the chosen split",
        "Remove the line, or choose the split that the file was made for.",
    ),
    _error(
        "unknown-id",
        "1 id is unknown",
        "{n} ids are unknown",
        "an id from the question file",
        "Copy the id from the question file.",
    ),
    _error(
        "duplicate-id",
        "1 question has two different answers",
        "{n} lines answer a question again with a different answer",
        "one answer per question",
        "Remove one of the two lines.",
    ),
    _error(
        "too-many-problems",
        "The file has too many problems; its other lines were not checked",
        "The file has too many problems; its other lines were not checked",
        "fewer problems",
        "Correct the problems above, then check the file again.",
    ),
    _warning(
        "repeated-answer",
        "1 line repeats an earlier answer",
        "{n} lines repeat an earlier answer",
        "one line per question",
        "Remove the repeated line, or leave it: the answer counts once.",
    ),
    _warning(
        "retired-id",
        "1 answer is to a question that was removed in a later revision",
        "{n} answers are to questions that were removed in a later revision",
        "an id of the current revision",
        "Keep the line or remove it: its answer is stored but not scored.",
    ),
    _warning(
        "missing-answer",
        "1 of {total} questions has no answer and will score 0",
        "{n} of {total} questions have no answer and will score 0",
        "an answer to every question",
        "Add a line with an answer, or send the file as it is; the question then scores 0.",
    ),
    _warning(
        "empty-answer",
        "1 answer is empty and will score 0",
        "{n} answers are empty and will score 0",
        "an answer with text",
        "Fill in the answer, or send the file as it is; the question then scores 0.",
    ),
    _warning(
        "partial-usage",
        "1 fact is stated for some answers only, so its sum is unknown",
        "{n} facts are stated for some answers only, so their sums are unknown",
        "the fact for every answer",
        "State it on every line, or state the total of the run.",
    ),
    _warning(
        "extra-key",
        "1 key is ignored",
        "{n} keys are ignored",
        f'only the keys "id" and "{ANSWER_KEY}"',
        "Keep the key or remove it: it is not read.",
    ),
)

KINDS: Final[Mapping[str, ProblemKind]] = MappingProxyType({kind.code: kind for kind in _KINDS})
"""All problem codes, in the order in which a report shows its groups: errors first, and their cause before what follows
from it."""
_OF_WHOLE_FILES: Final = frozenset(kind.code for kind in _KINDS if kind.singular == kind.plural)
_UNBOUNDED: Final = frozenset({kind.code for kind in _KINDS if kind.severity is Severity.ERROR} | {"repeated-answer"})


@dataclass(frozen=True)
class Problem:
    """One error or warning at one place of a file.

    `line` and `column` count from 1, the column in characters; None if the whole file is meant. `field` is the key
    concerned, `question_id` the id on that line as displayed. `found`, `expected` and `fix` are safe to show.
    """

    code: str
    severity: Severity
    line: int | None
    column: int | None
    field: str | None
    question_id: str | None
    found: str
    expected: str
    fix: str

    @property
    def place(self) -> str:
        """The place in words: "Line 3, column 17", "Line 4, key “answer”", "Question “073115117c352763”", "File"."""
        parts = []
        if self.line is not None:
            parts.append(f"Line {self.line:,}")
            if self.column is not None:
                parts.append(f"column {self.column:,}")
        elif self.question_id is not None:
            parts.append(f"Question “{self.question_id}”")
        else:
            parts.append("File")
        if self.field is not None and self.line is not None:
            parts.append(f"key “{self.field}”")
        return ", ".join(parts)

    @property
    def message(self) -> str:
        """One sentence: where, what was found, what was expected, how to fix it."""
        what_to_do = self.fix[:1].lower() + self.fix[1:].rstrip(".")
        return f"{self.place}: found {self.found}, expected {self.expected}; {what_to_do}."

    def as_dict(self) -> dict[str, Any]:
        """The problem as JSON-ready data."""
        return asdict(self) | {"severity": self.severity.value, "message": self.message}


@dataclass(frozen=True)
class ProblemGroup:
    """All problems of one code: `count` is the true total, `problems` the first of them."""

    code: str
    title: str
    severity: Severity
    count: int
    problems: tuple[Problem, ...]
    fix: str

    @property
    def n_hidden(self) -> int:
        """The number of problems that are counted but not listed."""
        return self.count - len(self.problems)

    @property
    def where(self) -> str:
        """The places of the first problems: "line 3", "lines 3, 9, 12, …", "“073115117c352763”, …"; empty for the whole
        file."""
        if self.code in _OF_WHOLE_FILES:
            return ""
        lines = dict.fromkeys(f"{problem.line:,}" for problem in self.problems if problem.line is not None)
        ids = dict.fromkeys(f"“{problem.question_id}”" for problem in self.problems if problem.question_id is not None)
        places = [*(lines or ids)]
        more = ["…"] if places and (len(places) > EXAMPLES or self.n_hidden) else []
        word = "" if not lines else "line " if self.count == 1 else "lines "
        return word + ", ".join(places[:EXAMPLES] + more)

    @property
    def summary(self) -> str:
        """The title with the places of the first problems."""
        return f"{self.title}: {self.where}" if self.where else self.title

    def as_lines(self, *, in_full: bool = False) -> list[str]:
        """The group as text: its summary, then its problems; of more than a few problems only the first, unless
        `in_full`."""
        if all(problem.line is None and problem.question_id for problem in self.problems):
            return [
                self.summary,
                *([f"  {', '.join(f'{problem.question_id}' for problem in self.problems)}"] if in_full else []),
            ]
        shown = self.problems if in_full or self.count <= EXAMPLES else self.problems[:1]
        return [self.summary, *(f"  {problem.message}" for problem in shown)]

    def as_dict(self) -> dict[str, Any]:
        """The group as JSON-ready data."""
        return {
            "code": self.code,
            "title": self.title,
            "severity": self.severity.value,
            "count": self.count,
            "n_hidden": self.n_hidden,
            "where": self.where,
            "problems": [problem.as_dict() for problem in self.problems],
            "fix": self.fix,
        }


class ProblemLog:
    """Collects problems: counts all, stores the first `max_shown` of each code.

    `example` and `answer_key` are the words for the format of the answers.

    Call `wants(code)` before building an expensive description; `count(code)` counts a problem without one.
    """

    def __init__(self, max_shown: int, *, example: str, answer_key: str) -> None:
        self._max_shown = max_shown
        self._words = {EXAMPLE: example, ANSWER_KEY: answer_key}
        self._counts: dict[str, int] = {}
        self._kept: dict[str, list[Problem]] = {}

    def wants(self, code: str) -> bool:
        """Whether another problem of this code would be stored."""
        return len(self._kept.get(code, ())) < self._max_shown

    def count(self, code: str, times: int = 1) -> None:
        """Count problems that are not described."""
        self._counts[code] = self._counts.get(code, 0) + times

    def add(
        self,
        code: str,
        found: str,
        *,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
        question_id: str | None = None,
        expected: str | None = None,
        fix: str | None = None,
        times: int = 1,
    ) -> None:
        """Count a problem that occurred `times` times; store it if there is room. Its kind supplies missing texts."""
        self.count(code, times)
        if self.wants(code):
            kind = KINDS[code]
            self._kept.setdefault(code, []).append(
                Problem(
                    code=code,
                    severity=kind.severity,
                    line=line,
                    column=column,
                    field=field,
                    question_id=None if question_id is None else clean(question_id),
                    found=found,
                    expected=self._in_words(expected or kind.expected),
                    fix=self._in_words(fix or kind.fix),
                )
            )

    def _in_words(self, text: str) -> str:
        for mark, words in self._words.items():
            text = text.replace(mark, words)
        return text

    def total(self, code: str) -> int:
        """The number of problems of a code that were counted."""
        return self._counts.get(code, 0)

    @property
    def has_errors(self) -> bool:
        """Whether any problem counted so far is an error."""
        return any(KINDS[code].severity is Severity.ERROR for code in self._counts)

    @property
    def n_unbounded(self) -> int:
        """The number of problems whose number grows with the file: errors, and answers given again. Other warnings
        concern a question or a key each."""
        return sum(count for code, count in self._counts.items() if code in _UNBOUNDED)

    def forget(self, *codes: str) -> None:
        """Remove the problems of these codes; without codes, remove all."""
        for code in codes or tuple(self._counts):
            self._counts.pop(code, None)
            self._kept.pop(code, None)

    def groups(self, total: int = 0) -> tuple[ProblemGroup, ...]:
        """The groups in the order of KINDS; `total` is the number of questions, for the titles. A fix that all
        problems of a group share is the group's."""
        groups = []
        for kind in _KINDS:
            if count := self._counts.get(kind.code):
                kept = tuple(self._kept.get(kind.code, ()))
                fixes = {problem.fix for problem in kept}
                fix = fixes.pop() if len(fixes) == 1 else self._in_words(kind.fix)
                groups.append(ProblemGroup(kind.code, kind.title(count, total), kind.severity, count, kept, fix))
        return tuple(groups)


def clean(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    r"""The first `limit` characters of `text`, safe to display, with "…" where something was cut.

    Control and format characters (including those that reverse the writing direction), separators other than the plain
    space, unassigned characters and halves of surrogate pairs are written as escapes; other characters stay.

    >>> clean("tab\there, bidi \u202e there")
    'tab\\there, bidi \\u202e there'
    >>> clean("a" * 100, limit=5)
    'aaaaa…'
    """
    head = "".join(
        character
        if character == " " or unicodedata.category(character) not in _ESCAPED
        else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text[:limit]
    )
    return head[:limit] + ("…" if len(head) > limit or len(text) > limit else "")


def quote(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """`clean(text)` in typographic quotes."""
    return f"“{clean(text, limit)}”"


def size_in_words(n_bytes: int) -> str:
    """A size in words; MiB and KiB.

    >>> size_in_words(32 * 2**20), size_in_words(1536), size_in_words(1)
    ('32 MiB', '1.5 KiB', '1 byte')
    """
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.1f}".removesuffix(".0") + f" {name}"
    return f"{n_bytes:,} byte{'' if n_bytes == 1 else 's'}"


_ESCAPED: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp", "Zs"})


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
        usage: id to what its answer took, of the answers that state it.
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
    usage: Mapping[str, Values] = field(default_factory=dict)

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
