"""A mistake in a file: where it is, what was found and expected, and what to do."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from scoring.generations.nearest_id import NearestId

DECLARATION: Final = "benchmark.toml"
CARD: Final = "data-card.md"
DID_YOU_MEAN: Final = "Did you mean {name}?"
_SHOWN: Final = 60
_COMPARISONS: Final = 10_000
_SHORTENED: Final = 3
"""The fewest letters of a name that is taken as shortened."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
MAX_MISTAKES: Final = 1_000
_ID: Final = re.compile(r"(?=.*[^\W\d_])(?=.*\d)[\w.:-]{1,64}")
"""The form of an id that cannot be an answer: one word of letters and digits."""


class SourceError(ValueError):
    """A benchmark file that cannot be read; ``problems`` names every one with its place."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        shown = self.problems[:20]
        more = [f"… and {len(self.problems) - len(shown)} more"] if len(self.problems) > len(shown) else []
        super().__init__("\n".join([*shown, *more]))


@dataclass(frozen=True)
class Mistake:
    """One mistake. ``line`` is 0 if it has no line; ``field`` is empty if it belongs to the whole file."""

    file: str
    line: int
    field: str
    found: str
    expected: str
    fix: str = ""

    def __str__(self) -> str:
        place = [self.file, *([f"line {self.line}"] if self.line else []), *([self.field] if self.field else [])]
        return f"{': '.join(place)}: found {self.found}, expected {self.expected}.{f' {self.fix}' if self.fix else ''}"


def refuse(mistakes: Iterable[Mistake]) -> None:
    """Report the mistakes, at most `MAX_MISTAKES`, in the order of files and lines.

    Raises:
        SourceError: there is at least one.
    """
    listed = list(dict.fromkeys(islice(mistakes, MAX_MISTAKES + 1)))
    listed.sort(key=lambda mistake: (mistake.file != DECLARATION, mistake.file != CARD, mistake.file, mistake.line))
    if listed:
        rest = [f"There are more than {MAX_MISTAKES:,} mistakes. Correct these first."] * (len(listed) > MAX_MISTAKES)
        raise SourceError([str(mistake) for mistake in listed[:MAX_MISTAKES]] + rest)


def decoded(name: str, data: bytes, mistakes: list[Mistake]) -> str | None:
    """The text of a file in UTF-8; None, with a mistake, if it is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        mistakes.append(Mistake(name, line, "", "a byte that is not UTF-8", "text in UTF-8", "Save it as UTF-8."))
        return None


def shown(value: Any) -> str:
    """A value of ``benchmark.toml`` for a message. For public values only: never for questions or answers.

    >>> shown("dev"), shown(True), shown([1, 2]), shown({}), shown(1.5)
    ('the text "dev"', 'true', 'a list of 2 values', 'an empty table', 'the number 1.5')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = value if len(value) <= _SHOWN else f"{value[: _SHOWN - 1]}…"
        return "the text " + '"{}"'.format("".join(character if character.isprintable() else "·" for character in text))
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, datetime.date | datetime.time):
        return f"the date {value.isoformat()}"
    if isinstance(value, list):
        return f"a list of {len(value)} value{'' if len(value) == 1 else 's'}" if value else "an empty list"
    return f"a table with {', '.join(list(value)[:3])}" if value else "an empty table"


def described(value: Any) -> str:
    """A description of a value for a message: its type and size, never its content, which may be a hidden answer.

    >>> described(None), described({"a": 1}), described("Oslo"), described("")
    ('nothing', 'dict of 1 item', 'str of 4 characters', 'an empty text')
    """
    if value is None:
        return "nothing"
    if not isinstance(value, (str, list, dict)):
        return type(value).__name__
    if value == "":
        return "an empty text"
    unit = "character" if isinstance(value, str) else "item"
    return f"{type(value).__name__} of {len(value)} {unit}{'' if len(value) == 1 else 's'}"


def shown_id(value: Any) -> str:
    """A question's id for a message; only described if it does not look like an id, because it may then be an answer.

    >>> shown_id("dev-12"), shown_id("the answer")
    ("'dev-12'", 'str of 10 characters')
    """
    return repr(value) if is_id(value) else described(value)


def is_id(value: Any) -> bool:
    """Whether a value looks like an id, and like no answer: one word of letters and digits."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def is_storable(text: str) -> bool:
    """Whether a database can store a text.

    >>> [is_storable(text) for text in ("Oslo", "Os\\0lo", "\\ud800")]
    [True, False, False]
    """
    return "\0" not in text and (text.isascii() or not _SURROGATE.search(text))


def texts_in(value: Any, *, without: str = "") -> Iterator[str]:
    """The texts in a value at any depth, keys included, but for those under a key; without recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item, *(inner for key, inner in item.items() if key != without)]
        elif isinstance(item, list | tuple):
            waiting += item


def nearest(unknown: str, known: Iterable[str]) -> str:
    """A question with the known name that is most like an unknown one, or the only one that begins with it; empty if
    none is like it.

    >>> nearest("descripton", ["name", "description"]), nearest("list.rec", ["list.f1", "list.recall"])
    ('Did you mean description?', 'Did you mean list.recall?')
    """
    names = list(known)
    longer = [name for name in names if len(unknown) >= _SHORTENED and name.startswith(unknown)]
    name = longer[0] if len(longer) == 1 else NearestId(names, _COMPARISONS).find(unknown)
    return DID_YOU_MEAN.format(name=name) if name else ""


def one_of(names: Sequence[str]) -> str:
    """Names as what was expected.

    >>> one_of(["a", "b"]), one_of(["a"]), one_of([])
    ('one of a, b', 'a', 'nothing')
    """
    return f"one of {', '.join(names)}" if len(names) > 1 else names[0] if names else "nothing"


def listed(names: Sequence[str], most: int = 10) -> str:
    """The first names of many.

    >>> listed(["a", "b"]), listed(["a", "b", "c"], most=2)
    ('a, b', 'a, b, …')
    """
    return ", ".join([*names[:most], *["…"] * (len(names) > most)])


def spelling(text: str) -> str:
    """What people read in a text: those that differ in capitals, widths and white space alone are the same.

    >>> spelling(" Open  Book") == spelling("open book"), spelling("R 2") == spelling("R2")
    (True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def repeated(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The positions and names that occurred before."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield index, name
        seen.add(name)
