"""The possible problems of an uploaded file, worded so that its author can fix them, and the report that lists them.

A *problem* is one error or warning at one place; a *group* holds all problems of one code, of which only the first few
are stored while all are counted. Every quotation from the file is shortened and made safe to display, so a report stays
small and harmless however large or hostile the file is.

Plain Python: no Django.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal

from scoring.generations.attempts import MOST_ATTEMPTS
from scoring.generations.usage import Values

SHOWN_CHARACTERS: Final = 60
EXAMPLES: Final = 3
"""The number of problems of one kind that are named in one line; more are folded."""


class Severity(StrEnum):
    """An error rejects the file; a warning is reported and the file is accepted."""

    ERROR = "error"
    WARNING = "warning"


EXAMPLE: Final = "{example}"
"""In a text: an object with an id and an answer, in the file's format."""
ANSWER_KEY: Final = "{answer}"
"""In a text: the key of the answer."""

# By code: the title of all problems of this kind, what is expected instead, and what to do. In a title, ``{n}`` is the
# number of problems, ``{total}`` the number of questions, and ``[one|several]`` depends on the number. Reports show
# groups in this order: errors first, and their cause before what follows from it.
_ERRORS: Final = {
    "too-large": (
        "The file is over the size limit",
        "a file within the size limit",
        "Keep only the id and the answer, and send one line per question.",
    ),
    "too-many-lines": (
        "The file has too many lines",
        "one line per question",
        "Send one line per question, without blank lines between.",
    ),
    "broken-gzip": (
        "The gzip file is damaged",
        "a complete gzip file or plain text",
        "Compress the file again, or send it without compression.",
    ),
    "wrong-format": (
        "The file is not in the JSON Lines format",
        "one JSON object per line, as {example}",
        "Write one JSON object per line, without brackets around or commas between the objects.",
    ),
    "empty-file": ("The file is empty", "one JSON object per line, as {example}", "Choose the file with the answers."),
    "wrong-split": (
        "Nearly all ids belong to another split or benchmark",
        "ids of the chosen split",
        "Choose the split of the file, or the file for this split.",
    ),
    "no-answers": (
        "There is no answer to score",
        "at least one answer with text to a question of this split",
        "Choose the file with the answers.",
    ),
    "not-utf8": (
        "{n} [line is|lines are] not UTF-8 text",
        "UTF-8 text",
        'Save the file as UTF-8 (in Python: open(path, "w", encoding="utf-8")).',
    ),
    "line-too-long": (
        "{n} [line is|lines are] too long",
        "a line within the length limit",
        "Check that every object is on a line of its own, and shorten the answer.",
    ),
    "broken-json": (
        "{n} [line is|lines are] not valid JSON",
        "valid JSON",
        "Write every line with a JSON library (in Python: json.dumps), not by hand.",
    ),
    "too-complex": (
        "{n} [line holds|lines hold] too much structure",
        "an object as {example}",
        'Keep only the keys "id" and "{answer}".',
    ),
    "number-too-long": (
        "{n} [line holds|lines hold] a number with too many digits",
        "numbers of a readable length",
        "Write the number as a string, or leave it out.",
    ),
    "not-an-object": (
        "{n} [line is not a JSON object|lines are not JSON objects]",
        "an object as {example}",
        "Write each line as an object with an id and an answer.",
    ),
    "missing-key": (
        "{n} [key is|keys are] missing",
        'the keys "id" and "{answer}"',
        "Add the key, its name in lower case.",
    ),
    "duplicate-key": (
        "{n} [object has|objects have] the same key twice",
        "each key once",
        "Keep one of the two, so that it is clear which counts.",
    ),
    "id-not-a-string": (
        "{n} [id is not a string|ids are not strings]",
        "a string",
        "Write the id exactly as in the question file, in double quotes.",
    ),
    "answer-not-a-string": (
        "{n} [answer is not a string|answers are not strings]",
        "a string",
        "Write the answer as one text in double quotes.",
    ),
    "answer-not-a-list": (
        "{n} [answer is not a list|answers are not lists]",
        "a list of strings",
        'Write the answers as a list of strings: ["…", "…"].',
    ),
    "answer-not-usable": (
        "{n} [answer does|answers do] not have the expected form",
        "a value as in {example}",
        "Write each line as {example}.",
    ),
    "item-not-a-string": (
        "{n} [item of a list is not a string|items of lists are not strings]",
        "a string",
        "Write each item of the list as a text in double quotes.",
    ),
    "answer-too-long": (
        "{n} [answer is|answers are] longer than this benchmark allows",
        "a shorter answer",
        "Shorten the answer.",
    ),
    "attempt-not-a-number": (
        "{n} [number of an attempt is|numbers of attempts are] wrong",
        f"a whole number from 1 to {MOST_ATTEMPTS}",
        'Number the attempts at each question from 1, without quotes: "attempt": 2. Leave the key out if there is one.',
    ),
    "usage-not-usable": (
        "{n} [fact about the use of tokens, time or money is|facts about the use of tokens, time or money are] wrong",
        "a number",
        'Correct the number, or leave it out of "usage".',
    ),
    "citation-not-usable": (
        "{n} [mistake|mistakes] in citations",
        "a citation with an id or a url",
        "Correct the citation, or leave it out; of too many, keep those that the answer cites.",
    ),
    "unstorable-character": (
        "{n} [text holds|texts hold] a character that cannot be stored",
        "text without NUL characters and halves of surrogate pairs",
        "Remove the character from the text.",
    ),
    "other-split-id": (
        "{n} [id belongs|ids belong] to another split",
        "ids of the chosen split",
        "Remove the line, or choose the split that the file was made for.",
    ),
    "unknown-id": (
        "{n} [id is|ids are] unknown",
        "an id from the question file",
        "Copy the id from the question file.",
    ),
    "duplicate-id": (
        "{n} [question has two different answers|lines answer a question again with a different answer]",
        "one answer per question",
        "Remove one of the two lines.",
    ),
    "other-attempts": (
        "The file has another number of attempts than the split takes",
        "the number of attempts that the split takes",
        "Answer each question as often as the split takes.",
    ),
    "too-many-problems": (
        "The file has too many problems; its other lines were not checked",
        "fewer problems",
        "Correct the problems above, then check the file again.",
    ),
}
_WARNINGS: Final = {
    "repeated-answer": (
        "{n} [line repeats|lines repeat] an earlier answer",
        "one line per question",
        "Remove the repeated line, or leave it: the answer counts once.",
    ),
    "retired-id": (
        "{n} [answer is to a question that is|answers are to questions that are] not scored",
        "an id of a question that is scored",
        "Keep the line or remove it: its answer is stored but not scored.",
    ),
    "missing-answer": (
        "{n} of {total} questions [has|have] no answer and will score 0",
        "an answer to every question",
        "Add a line with an answer, or send the file as it is; the question then scores 0.",
    ),
    "missing-attempt": (
        "{n} [attempt has|attempts have] no answer and will score 0",
        "an answer in every attempt",
        'Add a line with this "attempt", or send the file as it is; the attempt then scores 0.',
    ),
    "empty-answer": (
        "{n} [answer is|answers are] empty and will score 0",
        "an answer with text",
        "Fill in the answer, or send the file as it is; this answer then scores 0.",
    ),
    "reasoning": (
        "{n} [answer contains a block|answers contain blocks] of reasoning",
        "an answer without its reasoning",
        "Remove the reasoning, such as <think>…</think>: it is scored, unless the benchmark says that it is removed.",
    ),
    "same-answer": (
        "{n} answers repeat a text that more than a tenth of the answers have",
        "an answer to the question",
        "Check that the text is an answer and not an error message, and send the file as it is if so.",
    ),
    "no-citations": (
        "{n} [answer points|answers point] to citations that were not sent",
        'the key "citations" with what the answer cites',
        'Add "citations" to the line, or send the file as it is; the answer then cites nothing.',
    ),
    "partial-usage": (
        (
            "{n} [fact is stated for some answers only, so its sum is|"
            "facts are stated for some answers only, so their sums are] unknown"
        ),
        "the fact for every answer",
        "State it on every line, or state the total of the run.",
    ),
    "extra-key": (
        "{n} [key is|keys are] ignored",
        'only the keys "id" and "{answer}"',
        "Keep the key or remove it: it is not read.",
    ),
}
TEXTS: Final = _ERRORS | _WARNINGS
UNFINISHED_LOG: Final = "unfinished-log"
"""The code of the warning that a log breaks off before the end of its run."""
FROM_LOG: Final = "from-log"
"""The code of the warning that says what was read of a log."""
TO_CONFIRM: Final = ("reasoning", "same-answer", UNFINISHED_LOG)
"""Warnings that a form stores only once its sender has confirmed them: what is scored may not be what was meant."""
_OF_WHOLE_FILES: Final = frozenset(code for code, (title, *_) in TEXTS.items() if "{n}" not in title)
_UNBOUNDED: Final = frozenset({*_ERRORS, "repeated-answer"})


def severity_of(code: str) -> Severity:
    """The severity of the problems of a code."""
    return Severity.ERROR if code in _ERRORS else Severity.WARNING


def title_of(code: str, count: int, total: int = 0) -> str:
    """The heading of a group of problems.

    >>> title_of("broken-json", 1), title_of("broken-json", 12)
    ('1 line is not valid JSON', '12 lines are not valid JSON')
    """
    title = re.sub(r"\[(.*)\|(.*)\]", r"\1" if count == 1 else r"\2", TEXTS[code][0])
    return title.format(n=f"{count:,}", total=f"{total:,}")


@dataclass(frozen=True)
class Problem:
    """One problem in a file, with its location.

    `found`, `expected` and `fix` are safe to show.
    """

    code: str
    severity: Severity
    line: int | None
    """Line number, from 1; None if the problem is about the whole file."""
    column: int | None
    """In characters, from 1."""
    field: str | None
    """The key concerned."""
    question_id: str | None
    """The id on that line, as displayed."""
    found: str
    expected: str
    fix: str
    """How to fix it."""
    attempt: int | None = None
    """The attempt at the question, if the file has several."""

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
            if self.attempt is not None:
                parts.append(f"attempt {self.attempt}")
        else:
            parts.append("File")
        if self.field is not None and self.line is not None:
            parts.append(f"key “{self.field}”")
        return ", ".join(parts)

    @property
    def message(self) -> str:
        """The problem in one sentence."""
        what_to_do = self.fix[:1].lower() + self.fix[1:].rstrip(".")
        return f"{self.place}: found {self.found}, expected {self.expected}; {what_to_do}."

    def as_dict(self) -> dict[str, Any]:
        """The problem as JSON-ready data."""
        return asdict(self) | {"severity": self.severity.value, "message": self.message}


@dataclass(frozen=True)
class ProblemGroup:
    """All problems of one kind in a file: `count` is their total number, `problems` lists the first of them."""

    code: str
    title: str
    severity: Severity
    count: int
    problems: tuple[Problem, ...]
    fix: str

    REPORTED: ClassVar = "code title severity count n_hidden where problems fix"
    """What reports say of it, in this order."""

    @property
    def n_hidden(self) -> int:
        """Number of problems of this kind that are not listed."""
        return self.count - len(self.problems)

    @property
    def where(self) -> str:
        """Places of the first three problems, such as “lines 3, 9, 12, …”; empty if the whole file is meant."""
        if self.code in _OF_WHOLE_FILES:
            return ""
        lines = dict.fromkeys(f"{problem.line:,}" for problem in self.problems if problem.line is not None)
        ids = dict.fromkeys(f"“{_named(problem)}”" for problem in self.problems if problem.question_id is not None)
        places = [*(lines or ids)]
        more = ["…"] if places and (len(places) > EXAMPLES or self.n_hidden) else []
        word = "" if not lines else "line " if len(lines) == 1 and not more else "lines "
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
                *([f"  {', '.join(map(_named, self.problems))}"] if in_full else []),
            ]
        shown = self.problems if in_full or self.count <= EXAMPLES else self.problems[:1]
        return [self.summary, *(f"  {problem.message}" for problem in shown)]

    def as_dict(self) -> dict[str, Any]:
        """The group as JSON-ready data."""
        group = {name: getattr(self, name) for name in self.REPORTED.split()}
        return group | {
            "severity": self.severity.value,
            "problems": [problem.as_dict() for problem in self.problems],
        }


def _named(problem: Problem) -> str:
    """The question of a problem, with the attempt if there are several."""
    return f"{problem.question_id}" + (f" (attempt {problem.attempt})" if problem.attempt is not None else "")


class ProblemLog:
    """Collects problems: counts all, stores the first `max_shown` of each code.

    `example` and `answer_key` are the words for the format of the answers.
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
        attempt: int | None = None,
        expected: str | None = None,
        fix: str | None = None,
        times: int = 1,
    ) -> None:
        """Count a problem that occurred `times` times; store it if there is room. Its kind supplies missing texts."""
        self.count(code, times)
        if self.wants(code):
            _, usually_expected, usual_fix = TEXTS[code]
            self._kept.setdefault(code, []).append(
                Problem(
                    code=code,
                    severity=severity_of(code),
                    line=line,
                    column=column,
                    field=field,
                    question_id=None if question_id is None else clean(question_id),
                    found=found,
                    expected=self._in_words(expected or usually_expected),
                    fix=self._in_words(fix or usual_fix),
                    attempt=attempt,
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
        return any(code in _ERRORS for code in self._counts)

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
        """The groups in the order of `TEXTS`; `total` is the number of questions, for the titles. A fix that all
        problems of a group share is the group's."""
        groups = []
        for code in TEXTS:
            if count := self._counts.get(code):
                kept = tuple(self._kept.get(code, ()))
                fixes = {problem.fix for problem in kept}
                fix = fixes.pop() if len(fixes) == 1 else self._in_words(TEXTS[code][2])
                groups.append(ProblemGroup(code, title_of(code, count, total), severity_of(code), count, kept, fix))
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
    """The content and the problems of a file. Use the answers only if `ok`."""

    answers: Mapping[str, str]
    """Id to answer, as sent, in the file's order; ids of the current revision and retired ones only (every id, if no
    questions were given). If there are several attempts, keys of answers (`scoring.generations.keys`) in place of
    ids."""
    n_lines: int
    """Lines with content."""
    n_questions: int
    """Questions of the split; of a file that is read without questions, different ids in it."""
    n_answered: int
    """Questions of the split with an answer that is not empty; of several attempts the mean number, rounded down."""
    missing: tuple[str, ...]
    """Ids of the split without any line, in the split's order; empty if the file could not be read to its end."""
    size: int
    """In bytes, as sent."""
    sha256: str
    """Of the bytes as sent, hexadecimal; empty if the file is too large to be read to its end."""
    groups: tuple[ProblemGroup, ...]
    """All kinds of problems, errors first."""
    text_size: int = 0
    """In bytes of text, after decompression if the file was compressed."""
    packed: bool = False
    """Whether the file was sent compressed with gzip."""
    usage: Mapping[str, Values] = field(default_factory=dict)
    """Id to what its answer took, of the answers that state it; of several attempts, what one took in the mean."""
    n_attempts: int = 1
    """How often the file answers each question."""
    citations: Mapping[str, str] = field(default_factory=dict)
    """The citations of answers that have some, as they are stored, by the keys of `answers`."""
    n_empty_attempts: int = 0
    """If it does so several times: the attempts without an answer, on a line or not."""

    REPORTED: ClassVar = """
        ok n_lines n_questions n_attempts n_answered n_missing size text_size compression sha256 n_errors n_warnings
        groups
    """
    """What reports say of the file, in this order."""

    @property
    def n_missing(self) -> int:
        """Number of questions without a line; they count as unanswered."""
        return len(self.missing)

    @property
    def compression(self) -> Literal["gzip"] | None:
        """Compression of the file, if any."""
        return "gzip" if self.packed else None

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
        """Whether the file can be accepted."""
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
        report = {name: getattr(self, name) for name in self.REPORTED.split()}
        return report | {"groups": [group.as_dict() for group in self.groups]}
