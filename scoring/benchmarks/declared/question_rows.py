"""The object of a question, or of a reference answer, in a question file.

Messages describe values; of a hidden split they never show one, because it may be an answer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from scoring.benchmarks.declared.context import blocks_of, options_of
from scoring.benchmarks.declared.odd_texts import is_placeholder, oddities
from scoring.benchmarks.form import Language
from scoring.files.mistakes import Mistake, described, nearest, shown
from scoring.files.objects import Place, in_words
from scoring.files.tables import Expected, Fault, Row, Storable, as_list, wrong
from scoring.generations.records import has_content
from scoring.metrics.base import MAX_DEPTH

MAX_KEYS: Final = 100
"""So many keys of a question are looked at for misspelt ones."""
_BREAKS: Final = ("Cc", "Zl", "Zp")


def _in_quotes(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise wrong("a number", "", "Put it in quotation marks.")
    return value


def _with_content(text: str) -> str:
    if not has_content(text):
        raise wrong("a blank text", "", "Write it, or remove it.")
    return text


def _visible(text: str) -> str:
    """Refuse characters of an id that nobody sees, that a wrong encoding left, or that look like other ones."""
    for oddity in oddities(text, is_value=False):
        if oddity.certain or "two scripts" in oddity.found:
            raise wrong(oddity.found, "a text that people can type", oddity.fix)
    return text


def _of_the_author(text: str) -> str:
    if is_placeholder(text):
        raise wrong("a text of the template", "a question of your own", "Replace it, or remove the line.")
    return text


def _on_one_line(text: str) -> str:
    """Refuse white space around a text, and line breaks and control characters other than NUL in it."""
    breaks = not text.isprintable() and any(
        unicodedata.category(character) in _BREAKS and character != "\0" for character in text
    )
    if breaks or text != text.strip():
        raise wrong("white space around it, or a line break in it", "a text on one line", "Remove it.")
    return text


def _shallow(value: Any) -> Any:
    """Refuse lists and objects more than `MAX_DEPTH` inside each other; without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for item in level if isinstance(item, dict | list)]
        if not level:
            return value
        level = [item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer)]
    actual = f"more than {MAX_DEPTH} lists or objects inside each other"
    raise wrong(actual, f"at most {MAX_DEPTH}", "Write it with fewer levels.")


def _steps(value: Any) -> Any:
    """Refuse a decomposition that is no list of objects, at any depth; without recursion."""
    waiting = [value]
    while waiting:
        steps = waiting.pop()
        if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
            raise wrong(Row.shown(value), "")
        waiting += [step["decomposition"] for step in steps if step.get("decomposition")]
    return value


_Words = Annotated[
    str, BeforeValidator(_in_quotes), AfterValidator(_with_content), Storable, Expected("a text in quotation marks")
]
_Id = Annotated[_Words, Field(max_length=64), AfterValidator(_on_one_line), AfterValidator(_visible)]
_Name = Annotated[_Words, Field(max_length=100), AfterValidator(_on_one_line)]
_Names = Annotated[
    list[_Name], BeforeValidator(lambda value: [] if value is None else as_list(value)), Expected("a text, or texts")
]
_WebAddress = Annotated[str, Field(pattern=r"^(?:(?i:https?)://\S+)?$"), Expected("a URL that begins with https://")]


class EvidenceRow(Row):
    """A page that a question needs."""

    model_config = ConfigDict(extra="forbid")

    pageid: Annotated[int, Expected("a whole number")] | None = None
    revid: Annotated[int, Expected("a whole number")] | None = None
    title: Annotated[str, Storable, Expected("a text")] | None = None
    url: Annotated[_WebAddress, Storable] | None = None


class QuestionRow(Row):
    """A question, under the usual keys."""

    id: _Id
    question: Annotated[_Words, AfterValidator(_of_the_author)]
    answer: Annotated[Any, AfterValidator(_shallow), Storable] = None
    choices: Annotated[
        Any, AfterValidator(options_of), Storable, Expected("a list of texts, or an object with a text for each label")
    ] = None
    categories: _Names = Field(default_factory=list)
    language: Language | None = None
    context: Annotated[Any, AfterValidator(blocks_of), Storable, Expected("texts, tables and pictures")] = None
    evidence: list[EvidenceRow] = Field(default_factory=list)
    decomposition: Annotated[
        Any, AfterValidator(_shallow), AfterValidator(_steps), Storable, Expected("a list of objects, at each level")
    ] = Field(default_factory=list)


class AnswerRow(QuestionRow):
    """A reference answer to a question of another file."""

    question: Any = None
    answer: Annotated[Any, AfterValidator(_shallow), Storable, Expected("the reference answer")]


class FurtherRow(Row):
    """What keys that a declaration names say of a question."""

    categories: _Names = Field(default_factory=list)
    cluster: Annotated[
        _Name | None,
        BeforeValidator(lambda value: str(value) if type(value) is int else value),
        Expected("a text or a whole number that names the cluster of the question"),
    ] = None


KEYS: Final = tuple(QuestionRow.model_fields)
EVIDENCE: Final = tuple(EvidenceRow.model_fields)


def row_mistakes(
    record: Mapping[str, Any],
    place: Place,
    *,
    category_fields: Sequence[str] = (),
    cluster: str = "",
    only_answers: bool = False,
    is_public: bool = False,
) -> Iterator[Mistake]:
    """What is wrong with a question's values, one by one, quoted if they are public; what its task type says of answers
    is checked elsewhere."""
    row = AnswerRow if only_answers else QuestionRow
    faults = row.read(record)[1]
    for key in category_fields:
        if key not in KEYS:
            faults += _renamed(FurtherRow.read({"categories": record.get(key)})[1], key)
    if cluster:
        faults += _renamed(FurtherRow.read({"cluster": record.get(cluster)})[1], cluster)
    unknown = {key: nearest(key, KEYS) for key in islice(record, MAX_KEYS) if key not in KEYS and isinstance(key, str)}
    renamed = {
        key: like for like, guess in unknown.items() for key in KEYS[:2] if f" {key}?" in guess and key not in record
    }
    for fault in faults:
        like = renamed.get(str(fault.path[0]))
        fix = f"Rename {like!r} to {fault.path[0]}." if like else fault.fix
        found, value = fault.found, record.get(str(fault.path[0]))
        if is_public and isinstance(value, str) and found == described(value):
            found = shown(value)
        yield place.mistake(in_words(fault.path), found, fault.expected, fix)
    for key, guess in unknown.items():
        if guess and key not in renamed.values():
            yield place.mistake(key[:40], "an unknown key", "a known one", guess)


def _renamed(faults: Sequence[Fault], key: str) -> list[Fault]:
    return [Fault((key, *fault.path[1:]), fault.found, fault.expected, fault.fix) for fault in faults]
