"""What the answers of a generations file look like: one text, or a list of texts.

A format reads the value of a line's key into the text that is stored and scored; a list is stored as a JSON array.
Plain Python: no Django.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from scoring.generations.json_errors import name_type

_COMPLEX_FROM_BYTES: Final = 2**18
_MAX_STRUCTURE_BYTES: Final = 10**5
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


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


# --- Texts ---------------------------------------------------------------------------------------------------------

_SIMILAR: Final = (
    "generation", "response", "output", "prediction", "answers", "text", "completion", "model_answer", "result",
)  # fmt: skip
_TEXT_FIXES: Final[Mapping[type, str]] = {
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
    return ReadAnswer(mistakes=(Mistake("answer-not-a-string", name_type(value), _TEXT_FIXES.get(type(value))),))


def _emptiness_of_text(answer: str) -> str | None:
    if answer.strip():
        return None
    return "white space only" if answer else "an empty string"


TEXT_ANSWERS: Final = AnswerFormat(
    id_keys=("id",),
    answer_key="answer",
    similar_keys=_SIMILAR,
    example='{"id": "…", "answer": "…"}',
    holds="text",
    read=_read_text,
    emptiness=_emptiness_of_text,
)

# --- Lists ---------------------------------------------------------------------------------------------------------

_LIST_FIXES: Final[Mapping[type, str]] = {
    type(None): "Write [] for no answer, or leave the line out.",
    str: 'Write it as a list of strings: ["…", "…"]. If it is one text with separators, name the separator '
    "(on the command line: --separator).",
    JsonObject: "Write the answers alone, as a list of strings.",
}


def _read_list(value: object, split: Callable[[str], list[str]] | None) -> ReadAnswer:
    items = _array_in(value) if type(value) is str else value
    if (
        split is not None
        and type(value) is str
        and not (type(items) is list and all(type(one) is str for one in items))
    ):
        items = split(value)
    if type(items) is not list:
        return ReadAnswer(mistakes=(Mistake("answer-not-a-list", name_type(value), _LIST_FIXES.get(type(value))),))
    texts = tuple(item for item in items if type(item) is str)
    mistakes = tuple(
        Mistake("item-not-a-string", f"{name_type(item)} as item {number:,} of the list")
        for number, item in enumerate(items, start=1)
        if type(item) is not str
    )
    return ReadAnswer("" if mistakes else json.dumps(items, ensure_ascii=False), texts, mistakes)


def _array_in(text: str) -> object:
    """The list that a text contains as a JSON array; the text itself if it contains none."""
    if text.lstrip().startswith("[") and not is_too_complex(text.encode(errors="surrogatepass")):
        try:
            items = json.loads(text, object_pairs_hook=JsonObject)
        except (ValueError, RecursionError):
            return text
        if type(items) is list:
            return items
    return text


def _emptiness_of_list(answer: str) -> str | None:
    items = json.loads(answer)
    if any(item.strip() for item in items):
        return None
    return "only empty strings" if items else "an empty list"


def list_answers(split: Callable[[str], list[str]] | None = None) -> AnswerFormat:
    """The format of lists of texts: ``{"id": "…", "predictions": ["…", …]}``, also with ``qid`` instead of ``id``.

    The list may also be a string that contains a JSON array. With `split`, other strings are split by it; without, they
    are a mistake.

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
        read=partial(_read_list, split=split),
        emptiness=_emptiness_of_list,
    )
