"""Read files of items: answers to check against passages, texts to rate. Every mistake is named by line and field."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from scoring.generations.problems import quote
from scoring.generations.records import JsonObject
from scoring.task_types.base import UnusableInputError
from scoring.task_types.file_reader import FileReader, found_instead

EXAMPLE: Final = '{"id": "…", "answer": "…", "passage": {"title": "…", "text": "…"}}'
TEXT_EXAMPLE: Final = '{"id": "…", "group": "…", "text": "…"}'
LONGEST_GROUP: Final = 100
LONGEST_ID: Final = 200
LONGEST_ANSWER: Final = 2_000
LONGEST_PASSAGE: Final = 20_000
MOST_ITEMS: Final = 50_000
NO_ITEMS: Final = "The file has no items. Write one per line: {}"
TOO_MANY: Final = f"The file has more than {MOST_ITEMS:,} items. Split it over several studies."


class Item(NamedTuple):
    """One line of the file."""

    qid: str
    candidate: str
    title: str
    text: str
    supported: bool | None
    """The known outcome of a qualification item; None for any other item."""


RatedText = tuple[str, str, str]
"""One line of a file of texts to rate: its id, its group, and the text."""
Row = TypeVar("Row", Item, RatedText)


def read_items(path: Path, qids: frozenset[str]) -> list[Item]:
    """Read a file of items: JSON Lines with ``id``, ``answer``, ``passage`` and, for items of known outcome,
    ``"qualification": true`` with ``supported``. Other keys are ignored.

    Args:
        qids: the ids of the split's questions.

    Raises:
        UnusableInputError: with every mistake in the file.
    """
    reader = FileReader(path, EXAMPLE, "answer")
    return _all_of(path, reader, _items(reader, qids), EXAMPLE)


def read_texts(path: Path) -> list[RatedText]:
    """Read a file of texts to rate: JSON Lines with ``id``, ``group`` and ``text``. Other keys are ignored.

    Raises:
        UnusableInputError: with every mistake in the file.
    """
    reader = FileReader(path, TEXT_EXAMPLE, "text")
    return _all_of(path, reader, _texts(reader), TEXT_EXAMPLE)


def _all_of(path: Path, reader: FileReader, rows: Iterator[Row], example: str) -> list[Row]:
    try:
        items = list(rows)
        reader.refuse_problems()
    except UnusableInputError as error:
        raise UnusableInputError([text.removeprefix(f"{path}: ") for text in error.problems]) from error
    if not items or len(items) > MOST_ITEMS:
        raise UnusableInputError([TOO_MANY if items else NO_ITEMS.format(example)])
    return items


def _items(reader: FileReader, qids: frozenset[str]) -> Iterator[Item]:
    lines: dict[Item, int] = {}
    for qid, line, values in reader.objects(repeats=True):
        passage = values.get("passage")
        if type(passage) is not JsonObject:
            reader.add(line, "passage", found_instead(passage), "an object", f"Write the line as {EXAMPLE}.")
            passage = [("title", ""), ("text", "-")]
        fields = dict(passage)
        item = Item(
            qid,
            _text(reader, line, "answer", values.get("answer"), LONGEST_ANSWER),
            _text(reader, line, "passage.title", fields.get("title", ""), LONGEST_ANSWER, may_be_empty=True),
            _text(reader, line, "passage.text", fields.get("text"), LONGEST_PASSAGE),
            _known_outcome(reader, line, values),
        )
        first = lines.setdefault(item._replace(supported=None), line.number)
        if qid not in qids:
            fix = "Correct the id, or remove the line."
            reader.add(line, "id", f"{quote(qid)}, which no question has", "the id of a question of the split", fix)
        elif first != line.number:
            reader.add(line, "answer", f"the item of line {first:,} again", "each item once", "Remove one of them.")
        yield item


def _texts(reader: FileReader) -> Iterator[RatedText]:
    for name, line, values in reader.objects():
        _refuse_unstorable(reader, line, "id", name)
        if len(name) > LONGEST_ID:
            reader.add(line, "id", f"{len(name):,} characters", f"at most {LONGEST_ID:,}", "Shorten it.")
        group = _text(reader, line, "group", values.get("group"), LONGEST_GROUP)
        yield name, group, _text(reader, line, "text", values.get("text"), LONGEST_PASSAGE)


def _text(reader: FileReader, line: Any, field: str, value: object, limit: int, *, may_be_empty: bool = False) -> str:
    text = reader.text_in(line, field, value).strip()
    _refuse_unstorable(reader, line, field, text)
    if type(value) is str and not text and not may_be_empty:
        reader.add(line, field, "an empty text", "a text in double quotes", "Add the text.")
    if len(text) > limit:
        reader.add(line, field, f"{len(text):,} characters", f"at most {limit:,}", "Shorten it.")
    return text


def _refuse_unstorable(reader: FileReader, line: Any, field: str, text: str) -> None:
    wrong = next((character for character in text if character == "\0" or "\ud800" <= character <= "\udfff"), "")
    if wrong:
        what = f"the code \\u{ord(wrong):04x}, which is no character"
        reader.add(line, field, what, "text without NUL and halves of surrogate pairs", "Remove it.")


def _known_outcome(reader: FileReader, line: Any, values: dict[str, Any]) -> bool | None:
    supported, qualifies = values.get("supported"), values.get("qualification", False)
    if type(qualifies) is not bool:
        reader.add(line, "qualification", found_instead(qualifies), "true or false", "Write it without quotes.")
        return None
    if qualifies and type(supported) is not bool:
        fix = "A qualification item needs its known outcome."
        reader.add(line, "supported", found_instead(supported), "true or false", fix)
        return None
    if supported is not None and not qualifies:
        fix = 'Add "qualification": true, or remove the outcome.'
        reader.add(line, "supported", "a known outcome of an item that is no qualification item", "no such key", fix)
    return supported if qualifies else None
