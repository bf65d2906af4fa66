"""Read files of items: answers to check against passages, texts to rate. Every mistake is named by line and field."""

from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, Field

from scoring.files.mistakes import Mistake, SourceError, described, is_storable, refuse
from scoring.files.rows import rows_in
from scoring.files.tables import Content, Row, Storable
from scoring.generations.problems import quote

EXAMPLE: Final = '{"id": "…", "answer": "…", "passage": {"title": "…", "text": "…"}}'
TEXT_EXAMPLE: Final = '{"id": "…", "group": "…", "text": "…"}'
LONGEST_GROUP: Final = 100
LONGEST_ID: Final = 200
LONGEST_ANSWER: Final = 2_000
LONGEST_PASSAGE: Final = 20_000
MOST_ITEMS: Final = 50_000
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


Passage = Annotated[Content, Field(max_length=LONGEST_PASSAGE), Storable]


class PassageRow(Row):
    """The passage that an answer is checked against."""

    title: Annotated[str, AfterValidator(str.strip), Field(max_length=LONGEST_ANSWER), Storable] = ""
    text: Passage


class ItemRow(Row):
    """An answer, its passage, and the known outcome of a qualification item."""

    answer: Annotated[Content, Field(max_length=LONGEST_ANSWER), Storable]
    passage: PassageRow
    qualification: bool = False
    supported: Any = None


class TextRow(Row):
    """A text to rate, and its group."""

    group: Annotated[Content, Field(max_length=LONGEST_GROUP), Storable]
    text: Passage


def read_items(path: Path, qids: frozenset[str]) -> list[Item]:
    """Read a file of items: JSON Lines with ``id``, ``answer``, ``passage`` and, for items of known outcome,
    ``"qualification": true`` with ``supported``. Other keys are ignored.

    Raises:
        SourceError: with every mistake in the file.
    """
    mistakes: list[Mistake] = []
    items: list[Item] = []
    lines: dict[Item, int] = {}
    for place, qid, row in rows_in(path, mistakes, ItemRow, EXAMPLE, repeats=True):
        item = Item(qid, row.answer, row.passage.title, row.passage.text, None)
        first = lines.setdefault(item, place.line)
        known = row.supported if row.qualification else None
        wrong_here: list[tuple[str, str, str, str]] = []
        if qid not in qids:
            actual, fix = f"{quote(qid)}, which no question has", "Correct the id, or remove the line."
            wrong_here.append(("id", actual, "the id of a question of the split", fix))
        elif first != place.line:
            wrong_here.append(("answer", f"the item of line {first:,} again", "each item once", "Remove one of them."))
        if row.qualification and not isinstance(row.supported, bool):
            fix = "A qualification item needs its known outcome."
            wrong_here.append(("supported", described(row.supported), "true or false", fix))
        elif row.supported is not None and not row.qualification:
            actual = "a known outcome of an item that is no qualification item"
            fix = 'Add "qualification": true, or remove the outcome.'
            wrong_here.append(("supported", actual, "no such key", fix))
        mistakes += (place.mistake(*wrong) for wrong in wrong_here)
        items.append(item._replace(supported=known))
    _refuse(path, mistakes, len(items))
    return items


def read_texts(path: Path) -> list[RatedText]:
    """Read a file of texts to rate: JSON Lines with ``id``, ``group`` and ``text``. Other keys are ignored.

    Raises:
        SourceError: with every mistake in the file.
    """
    mistakes: list[Mistake] = []
    texts: list[RatedText] = []
    for place, name, row in rows_in(path, mistakes, TextRow, TEXT_EXAMPLE):
        if not is_storable(name):
            mistakes.append(place.mistake("id", "NUL or half of a surrogate pair", "text without them", "Remove it."))
        if len(name) > LONGEST_ID:
            mistakes.append(place.mistake("id", f"{len(name):,} characters", f"at most {LONGEST_ID:,}", "Shorten it."))
        texts.append((name, row.group, row.text))
    _refuse(path, mistakes, len(texts))
    return texts


def _refuse(path: Path, mistakes: list[Mistake], n_items: int) -> None:
    """Refuse a file with mistakes, which name no file: people do not know the name under which it was stored."""
    try:
        refuse(mistakes)
    except SourceError as error:
        raise SourceError([text.removeprefix(f"{path.name}: ") for text in error.problems]) from error
    if n_items > MOST_ITEMS:
        raise SourceError([TOO_MANY])
