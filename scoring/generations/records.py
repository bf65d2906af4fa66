"""Read one line of a file of generations: from its bytes to an id and an answer, or to its problems.

An answer's format says what answers look like: one text, or a list of texts, which is stored as a JSON array. This
module does not know which ids belong to the split. Plain Python: no Django.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from scoring.generations import citations, usage
from scoring.generations.attempts import ATTEMPT, MOST_ATTEMPTS
from scoring.generations.json_errors import explain, find_constant, find_long_number, name_type
from scoring.generations.lines import Line, encoding_of
from scoring.generations.problems import ProblemLog, clean, quote, size_in_words

USAGE: Final = "usage"
"""The key of what an answer took; a line may have it besides its id and its answer."""
SHOWN_KEY: Final = 30
REPEATED: Final = " {times} times, first on this line"

MAX_ID_CHARACTERS: Final = 200
"""The length at which ids are cut that are only compared with those of other benchmarks."""
_ID_NAMES: Final = ("question_id", "questionid", "qid", "question-id", "_id", "uid")

TOO_MANY_VALUES: Final = "a very large number of values in one line"
TOO_DEEP: Final = "lists or objects nested very deeply"
_COMPLEX_FROM_BYTES: Final = 2**18
_MAX_STRUCTURE_BYTES: Final = 10**5
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


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
    max_comparisons: int = 20_000
    max_answer_length: int | None = None


class JsonObject(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that duplicate keys are detected."""

    __slots__ = ()


def is_too_complex(content: bytes) -> bool:
    """Whether a long line is mostly brackets, commas and numbers, which take far more memory parsed than as text."""
    return len(content) > _COMPLEX_FROM_BYTES and len(_STRING.sub(b"", content)) > _MAX_STRUCTURE_BYTES


class Mistake(NamedTuple):
    """Why a value is no answer: the code of the problem, what was found, and what to do if that is special."""

    code: str
    found: str
    fix: str | None = None


class ReadAnswer(NamedTuple):
    """A value read as an answer: the text to store, the texts in it as they were sent, and all mistakes."""

    stored: str = ""
    texts: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True)
class AnswerFormat:
    """How a line of a generations file holds an answer."""

    id_keys: tuple[str, ...]
    """The keys of the id, the preferred one first."""
    answer_key: str
    similar_keys: tuple[str, ...]
    """Keys that people use for the answer, in lower case: the report proposes to rename them."""
    example: str
    """An object with an id and an answer."""
    holds: str
    """What the answer's key has as its value, in words: "text"."""
    read: Callable[[object], ReadAnswer]
    """Reads the value of the answer's key; JSON objects in it are of the type `JsonObject`."""
    emptiness: Callable[[str], str | None]
    """Says in words in which way a stored answer is empty; None for one with content."""
    sample: str
    """Two lines of a file, for people."""
    unit: Literal["characters", "answers"] = "characters"
    """What the length of an answer counts: the characters of a text, or the answers of a list."""
    has_free_texts: bool = True
    """Whether answers are texts of a model, in which reasoning and repeated texts are noticed."""
    texts: str = ""
    """Whether and how one text may be sent in place of a list, in words."""
    has_attempts: bool = True
    """Whether a file may answer a question several times."""
    takes_citations: bool = False
    """Whether a line may have the citations of its answer (`scoring.generations.citations`): some metric of the
    benchmark reads them."""

    @property
    def no_answer(self) -> str | list[str]:
        """The value of the answer's key for an attempt without an answer."""
        return [] if self.unit == "answers" else ""


# --- Texts ---------------------------------------------------------------------------------------------------------

_SIMILAR: Final = (
    "generation", "response", "output", "prediction", "answers", "text", "completion", "model_answer", "result",
    "article",
)  # fmt: skip
TEXT_FIXES: Final[Mapping[type, str]] = {
    type(None): 'Write "" for no answer, or leave the line out.',
    int: 'Write the number in double quotes: "answer": "42".',
    float: 'Write the number in double quotes: "answer": "4.2".',
    bool: 'Write "yes" or "no" in double quotes.',
    list: "Join the items into one text, for example one item per line (\\n).",
    JsonObject: "Write the object as one text, for example one “key: value” pair per line (\\n).",
}


def _read_text(value: object) -> ReadAnswer:
    if type(value) is str:
        return ReadAnswer(value, (value,))
    return ReadAnswer(mistakes=(Mistake("answer-not-a-string", name_type(value), TEXT_FIXES.get(type(value))),))


_BLANKS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"
"""Letters, marks and symbols that show nothing: fillers, the grapheme joiner, the empty Braille cell."""

_PRINTED: Final = re.compile("[!-~]")
_BLANK_CATEGORIES: Final = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})


def has_content(text: str | None) -> bool:
    r"""Whether a text has a visible character: not only white space, control and format characters, and fillers.

    >>> [has_content(text) for text in ("0", "\u200b.", "", None, " \n", " \u200b", "\u2800\u3164")]
    [True, True, False, False, False, False, False]
    """
    if _PRINTED.search(text or ""):
        return True
    characters = set(text or "").difference(_BLANKS)
    return any(unicodedata.category(character) not in _BLANK_CATEGORIES for character in characters)


def _emptiness_of_text(answer: str) -> str | None:
    if has_content(answer):
        return None
    if answer.strip():
        return "only invisible characters"
    return "white space only" if answer else "an empty string"


TEXT_ANSWERS: Final = AnswerFormat(
    id_keys=("id",),
    answer_key="answer",
    similar_keys=_SIMILAR,
    example='{"id": "…", "answer": "…"}',
    holds="text",
    read=_read_text,
    emptiness=_emptiness_of_text,
    sample='{"id": "a1b2c3d4e5f60718", "answer": "Lyon, Paris and Lille"}\n{"id": "b2c3d4e5f6071829", "answer": "42"}',
)

# --- Lists ---------------------------------------------------------------------------------------------------------

A_LIST: Final = 'Write it as a list of strings: ["…", "…"].'
WITH_SEPARATOR: Final = (
    "A text can be sent if its answers are on one line with a separator between them: name the separator (field "
    "“Separator”; in the API separator; on the command line --separator). Texts with one answer a line, and texts "
    "without a separator, cannot be divided."
)
NO_TEXTS: Final = "Texts cannot be divided into answers here: list the answers yourself."
LIST_FIXES: Final[Mapping[type, str]] = {
    type(None): "Write [] for no answer, or leave the line out.",
    str: f"{A_LIST} {WITH_SEPARATOR}",
    JsonObject: "Write the answers alone, as a list of strings.",
}


def _read_list(value: object, split: Callable[[str], list[str]] | None, texts: str) -> ReadAnswer:
    items = value
    if type(value) is str:
        # A text may hold the list as a JSON array.
        if value.lstrip().startswith("[") and not is_too_complex(value.encode(errors="surrogatepass")):
            with suppress(ValueError, RecursionError):
                items = json.loads(value, object_pairs_hook=JsonObject)
        if split is not None and not (type(items) is list and all(type(item) is str for item in items)):
            items = split(value)
    if type(items) is not list:
        fix = f"{A_LIST} {texts}" if type(value) is str else LIST_FIXES.get(type(value))
        return ReadAnswer(mistakes=(Mistake("answer-not-a-list", name_type(value), fix),))
    strings = tuple(item for item in items if type(item) is str)
    mistakes = tuple(
        Mistake("item-not-a-string", f"{name_type(item)} as item {number:,} of the list")
        for number, item in enumerate(items, start=1)
        if type(item) is not str
    )
    return ReadAnswer("" if mistakes else json.dumps(items, ensure_ascii=False), strings, mistakes)


def _emptiness_of_list(answer: str) -> str | None:
    items = json.loads(answer)
    if any(map(has_content, items)):
        return None
    return "only empty strings" if items else "an empty list"


def list_answers(split: Callable[[str], list[str]] | None = None, *, texts: str = WITH_SEPARATOR) -> AnswerFormat:
    """The format of lists of texts: ``{"id": "…", "predictions": ["…", …]}``, also with ``qid`` instead of ``id``.

    The list may also be a string that contains a JSON array. With `split`, other strings are split by it; without, they
    are a mistake, and `texts` says whether there could be a separator.

    >>> list_answers().read(["Oslo", 5]).mistakes[0].found
    'a number as item 2 of the list'
    >>> list_answers().read('["Oslo"]').stored, list_answers(lambda text: text.split("; ")).read("Oslo; Rome").stored
    ('["Oslo"]', '["Oslo", "Rome"]')
    """
    return AnswerFormat(
        id_keys=("id", "qid"),
        answer_key="predictions",
        similar_keys=(*_SIMILAR, "answer", "predicted", "predicted_answers", "answer_list"),
        example='{"id": "…", "predictions": ["…", "…"]}',
        holds="list of strings",
        read=partial(_read_list, split=split, texts=texts),
        emptiness=_emptiness_of_list,
        sample='{"id": "a1b2c3d4e5f60718", "predictions": ["Lyon", "Paris", "Lille"]}\n'
        '{"id": "b2c3d4e5f6071829", "predictions": []}',
        unit="answers",
        texts="" if split else texts,
    )


class Record(NamedTuple):
    """The content of a line."""

    question_id: str
    answer: str | None
    """Its text, if it is usable."""
    usage: usage.Values
    """What it took, as far as stated."""
    attempt: int | None = None
    """The attempt that the line names, 0 for one that is none; None if it names none, which is the first."""
    citations: str = ""
    """Those of the answer, as they are stored."""


class _ConstantError(Exception):
    pass


def _refuse_constant(name: str) -> None:
    raise _ConstantError(name)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=JsonObject, parse_constant=_refuse_constant)


class RecordReader:
    """Reads the answers of one file, line by line, and adds the problems of each line to the log."""

    def __init__(
        self,
        log: ProblemLog,
        limits: Limits,
        answer_format: AnswerFormat,
        is_known: Callable[[str], bool] = lambda question_id: False,
    ) -> None:
        """Prepare to read; `is_known` says whether an id is one of the benchmark."""
        self.log = log
        self._limits = limits
        self._is_known = is_known
        self._format = answer_format
        self._extra_keys: dict[str, tuple[int, int]] = {}
        self.misnamed_ids: list[str] = []
        """What lines without an id have under a key of a similar name, or of any name with a known id."""

    def read(self, line: Line) -> Record | None:
        """The record of a line; None, with its problem in the log, if the line has no usable record."""
        pairs = self._read_object(line)
        if pairs is None:
            return None
        values = dict(pairs)
        id_key = next((key for key in self._format.id_keys if key in values), "id")
        attempt_key = (ATTEMPT,) if self._format.has_attempts else ()
        citations_key = (citations.CITATIONS,) if self._format.takes_citations else ()
        keys = (id_key, self._format.answer_key, *attempt_key, *citations_key)
        attempt = self._read_attempt(line, values) if attempt_key else None
        question_id = self._read_id(line, values, id_key)
        answer = self._read_answer(line, values, question_id)
        for key in keys if len(values) != len(pairs) else ():
            if sum(name == key for name, _ in pairs) > 1:
                self.log.add("duplicate-key", f"the key {quote(key)} twice", line=line.number, field=key)
                if key == id_key:
                    question_id = None
                elif key == ATTEMPT:
                    attempt = 0
                answer = None
        taken, extra = self._read_usage(line, values[USAGE], question_id) if USAGE in values else ({}, [])
        cited = self._read_citations(line, values, question_id) if citations_key else ""
        if len(values) > 2 and id_key in values and self._format.answer_key in values:
            for key in (*values, *extra):
                if key in (*keys, USAGE):
                    continue
                name = key[: SHOWN_KEY + 1]
                first_line, times = self._extra_keys.get(name, (line.number, 0))
                if times or len(self._extra_keys) < self._limits.max_shown_per_group:
                    self._extra_keys[name] = first_line, times + 1
                else:
                    self.log.count("extra-key")
        if question_id is None:
            return None
        return Record(question_id, answer, taken, attempt, cited)

    def _read_object(self, line: Line) -> JsonObject | None:
        """The object of a line; None, with its problem in the log, if the line is no JSON object."""
        if line.content is None:
            self.log.add(
                "line-too-long",
                f"{size_in_words(line.length)} in one line",
                line=line.number,
                expected=f"at most {size_in_words(self._limits.max_line_bytes)} per line",
            )
            return None
        try:
            text = line.content.decode()
        except UnicodeDecodeError as error:
            self.log.add(
                "not-utf8",
                f"byte 0x{line.content[error.start]:02X} at offset {line.offset + error.start:,} of the text"
                + (f", as in {encoding}" if (encoding := encoding_of(line.content)) else ""),
                line=line.number,
                column=len(line.content[: error.start].decode()) + 1,
            )
            return None
        if is_too_complex(line.content):
            self.log.add("too-complex", TOO_MANY_VALUES, line=line.number)
            return None
        try:
            value = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            self._broken(line, text, error.msg, error.pos)
        except _ConstantError as error:
            self._broken(line, text, str(error), find_constant(text, str(error)))
        except RecursionError:
            self.log.add("too-complex", TOO_DEEP, line=line.number)
        except ValueError:  # Python limits the number of digits that it converts
            at, n_digits = find_long_number(text)
            self.log.add("number-too-long", f"a number of {n_digits:,} digits", line=line.number, column=at + 1)
        else:
            if type(value) is JsonObject:
                return value
            self.log.add("not-an-object", name_type(value), line=line.number)
        return None

    def _broken(self, line: Line, text: str, message: str, position: int) -> None:
        mistake = explain(text, message, position)
        self.log.add(
            "broken-json",
            mistake.found,
            line=line.number,
            column=mistake.position + 1,
            expected=mistake.expected,
            fix=mistake.fix,
        )

    def _missing_key(self, line: Line, key: str, values: Mapping[str, Any], question_id: str | None) -> None:
        others = [name for name in values if name not in ("id", self._format.answer_key)]
        aliases = (key, *(_ID_NAMES if key == "id" else self._format.similar_keys))
        similar = next((name for name in others if name.strip().casefold() in aliases), None)
        if key == "id":
            similar = self._key_of_known_id(values) or similar
        names = ", ".join(quote(name, 30) for name in islice(values, 5))
        if not values:
            content = "an empty object"
        elif len(values) == 1:
            content = f"only the key {names}"
        else:
            content = f"the keys {names}" + (" and others" if len(values) > 5 else "")
        if similar:
            fix = f'Rename the key {quote(similar, 30)} to "{key}".'
            if key != "id" and self._format.read(values[similar]).mistakes and type(values[similar]) is str:
                fix += f" Its value must be a {self._format.holds}. {self._format.texts}"
        else:
            fix = f'Add the key "{key}" and its {"text" if key == "id" else self._format.holds}.'
        self.log.add(
            "missing-key",
            content,
            line=line.number,
            field=key,
            question_id=question_id,
            expected=f'the key "{key}"',
            fix=fix,
        )

    def _key_of_known_id(self, values: Mapping[str, Any]) -> str:
        """The key of a line that has the id of a question of the benchmark as its value; empty if none has."""
        return next(
            (
                name
                for name, value in values.items()
                if name != self._format.answer_key and type(value) is str and self._is_known(value)
            ),
            "",
        )

    def _read_id(self, line: Line, values: Mapping[str, Any], key: str) -> str | None:
        if key not in values:
            self._missing_key(line, key, values, None)
            by_name = next((name for name in values if name.strip().casefold() in _ID_NAMES), "")
            misnamed = values.get(self._key_of_known_id(values) or by_name)
            if type(misnamed) is str and misnamed.isprintable():
                self.misnamed_ids.append(misnamed[:MAX_ID_CHARACTERS])
            return None
        question_id = values[key]
        if not (type(question_id) is str and self._is_known(question_id)):
            other = self._key_of_known_id({name: value for name, value in values.items() if name != key})
            if other:
                self.misnamed_ids.append(values[other])
                self.log.add(
                    "missing-key",
                    f"the id of a question under the key {quote(other, 30)}, and another value under {quote(key)}",
                    line=line.number,
                    field=key,
                    expected=f'the id of a question under the key "{key}"',
                    fix=f'Rename the key {quote(other, 30)} to "{key}", and remove the other.',
                )
                return None
        if type(question_id) is not str:
            self.log.add(
                "id-not-a-string",
                name_type(question_id),
                line=line.number,
                field=key,
                fix=f'Write it in double quotes: "{key}": "{question_id}".'
                if type(question_id) is int and abs(question_id) < 10**40
                else None,
            )
            return None
        if self._cannot_be_stored(line, key, question_id):
            return None
        return question_id

    def _read_attempt(self, line: Line, values: Mapping[str, Any]) -> int | None:
        """The attempt that a line names, None if it names none; 0, with a problem in the log, if it is no number."""
        if ATTEMPT not in values:
            return None
        value = values[ATTEMPT]
        if type(value) is int and 1 <= value <= MOST_ATTEMPTS:
            return value
        is_number = type(value) in (int, float)
        self.log.add(
            "attempt-not-a-number",
            f"the number {clean(str(value), SHOWN_KEY)}" if is_number else name_type(value),
            line=line.number,
            field=ATTEMPT,
        )
        return 0

    def _read_answer(self, line: Line, values: Mapping[str, Any], question_id: str | None) -> str | None:
        key = self._format.answer_key
        if key not in values:
            self._missing_key(line, key, values, question_id)
            return None
        answer = self._format.read(values[key])
        for mistake in answer.mistakes:
            self.log.add(
                mistake.code, mistake.found, line=line.number, field=key, question_id=question_id, fix=mistake.fix
            )
        unstorable = [self._cannot_be_stored(line, key, text, question_id) for text in answer.texts]
        if answer.mistakes:
            return None
        most, unit = self._limits.max_answer_length, self._format.unit
        length = len(answer.texts) if unit == "answers" else len(answer.stored)
        if most is None or length <= most:
            return None if any(unstorable) else answer.stored
        self.log.add(
            "answer-too-long",
            f"{length:,} {unit}",
            line=line.number,
            field=key,
            question_id=question_id,
            expected=f"at most {most:,} {unit}",
        )
        return None

    def _read_usage(self, line: Line, value: object, question_id: str | None) -> tuple[usage.Values, list[str]]:
        """What an answer took, and the keys of the object that are not read."""
        pairs = value if isinstance(value, JsonObject) else None
        values, mistakes, extra = usage.read_usage(value if pairs is None else dict(pairs))
        for name, found, expected in mistakes:
            field = f"{USAGE}.{name}".rstrip(".")
            self.log.add(
                "usage-not-usable", found, line=line.number, field=field, question_id=question_id, expected=expected
            )
        return values, [f"{USAGE}.{key}" for key in extra]

    def _read_citations(self, line: Line, values: Mapping[str, Any], question_id: str | None) -> str:
        """The citations of an answer, as they are stored; every mistake goes to the log."""
        if (value := values.get(citations.CITATIONS)) is None:
            return ""
        read, mistakes, texts = citations.read_citations(value)
        for field, found, expected in mistakes:
            self.log.add(
                "citation-not-usable", found, line=line.number, field=field, question_id=question_id, expected=expected
            )
        for name, text in texts if _has_escapes(line) else ():
            self._has_unstorable(line, name, text, question_id)
        return citations.stored(read)

    def _cannot_be_stored(self, line: Line, name: str, text: str, question_id: str | None = None) -> bool:
        r"""NUL and lone surrogates: JSON can write them (``\u0000``, ``\ud800``), PostgreSQL and UTF-8 cannot."""
        return _has_escapes(line) and self._has_unstorable(line, name, text, question_id)

    def _has_unstorable(self, line: Line, name: str, text: str, question_id: str | None) -> bool:
        """Whether a text has such a character; then it is in the log."""
        at = text.find("\0")
        what, fix = "a NUL character", r"Remove \u0000 from the text."
        if at < 0:
            try:
                text.encode()
            except UnicodeEncodeError as error:
                at = error.start
                what = "half of a surrogate pair"
                fix = r"Write the character as UTF-8 text or as both halves of its pair (json.dumps does)."
        if at < 0:
            return False
        self.log.add(
            "unstorable-character",
            rf"{what} (\u{ord(text[at]):04x}) as character {at + 1:,} of the {name}",
            line=line.number,
            field=name,
            question_id=question_id,
            fix=fix,
        )
        return True

    def report_extra_keys(self) -> None:
        """Log the keys that were ignored: each once, with its number of occurrences."""
        for key, (first_line, times) in self._extra_keys.items():
            self.log.add(
                "extra-key",
                f"the key {quote(key, SHOWN_KEY)}" + ("" if times == 1 else REPEATED.format(times=f"{times:,}")),
                line=first_line,
                field=clean(key, SHOWN_KEY),
                times=times,
            )


def _has_escapes(line: Line) -> bool:
    """Whether a line has characters that are written by their number."""
    return line.content is not None and b"\\u" in line.content


def value_of(line: Line) -> object:
    """The line's JSON value; None if it has none."""
    if line.content is None or is_too_complex(line.content):
        return None
    try:
        return _DECODER.decode(line.content.decode())
    except (ValueError, RecursionError, _ConstantError):
        return None
