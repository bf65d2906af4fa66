"""``benchmark.toml`` with the lines of its keys, and every mistake in its syntax.

Python's ``tomllib`` gives neither: it stops at the first mistake, and forgets where a key was.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.files.mistakes import Mistake, decoded

Path = tuple[str | int, ...]
"""The way to a value: ``("splits", "dev", "hidden")``; positions of lists count from 0."""

MAX_SYNTAX_MISTAKES: Final = 100
_TEXTS: Final = (r'"""(?:\\.|[^\\])*?"{3,5}', r"'''.*?'{3,5}", r'"(?:\\.|[^"\\\n])*"', r"'[^'\n]*'", r"#[^\n]*")
_TOKEN: Final = re.compile("|".join(_TEXTS), re.DOTALL)
_BARE_OR_QUOTED: Final = r"""(?:[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_KEY: Final = re.compile(rf"\s*({_BARE_OR_QUOTED}(?:\s*\.\s*{_BARE_OR_QUOTED})*)\s*=")
_HEADER: Final = re.compile(rf"\s*(\[\[?)\s*({_BARE_OR_QUOTED}(?:\s*\.\s*{_BARE_OR_QUOTED})*)\s*\]")
_PART: Final = re.compile(_BARE_OR_QUOTED)
_DEEP_KEY: Final = re.compile(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){10}")
"""A key of more than ten parts, in a text whose strings are masked. No key needs so many, and the time and memory of
``tomllib`` grow with the square of their number."""
_NO_SECONDS: Final = re.compile(r"([^\n\"'#]*=\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d)((?:Z|[+-]\d\d:\d\d)?\s*(?:#.*)?)")
"""A line with a time without seconds, which TOML 1.1 allows and ``tomllib`` does not read."""
_PLACE: Final = re.compile(r"^(.*) \(at line (\d+), column \d+\)$", re.DOTALL)


@dataclass
class TomlFile:
    """The values of a file, the lines of its keys, and the mistakes in its syntax."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)
    lines: Mapping[Path, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    unread: set[Path] = field(default_factory=set)
    """The keys of lines that could not be read: they are not missing."""

    def line(self, path: Path) -> int:
        """The line of a value, or of what it is in; 0 for the file."""
        return next((self.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.lines), 0)


def read_toml(name: str, data: bytes) -> TomlFile:
    """Read a file of TOML 1.0 in UTF-8; a line with a mistake is left out, so that all mistakes are found."""
    mistakes: list[Mistake] = []
    text = decoded(name, data, mistakes)
    if text is None:
        return TomlFile(name, mistakes=mistakes)
    text = text.replace("\r\n", "\n")
    deep = _DEEP_KEY.search(masked := _masked(text))
    if deep:
        line = masked.count("\n", 0, deep.start()) + 1
        return TomlFile(name, mistakes=[Mistake(name, line, "", "a key of more than ten parts", "a shorter key")])
    lines = text.split("\n")
    read = TomlFile(name, lines=key_lines(text))
    by_line = {line: path for path, line in read.lines.items()}
    for _ in range(MAX_SYNTAX_MISTAKES):
        try:
            read.values = tomllib.loads("\n".join(lines))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            place = _PLACE.match(str(error))
            number = int(place[2]) if place else 0
            if 0 < number <= len(lines) and (time := _NO_SECONDS.fullmatch(lines[number - 1])):
                lines[number - 1] = f"{time[1]}:00{time[2]}"
                continue
            what = place[1] if place else str(error)
            fix = "Write it as TOML: text in double quotes, each key once, true or false in small letters."
            read.mistakes.append(Mistake(name, number, "", f"a line that is not TOML ({what})", "key = value", fix))
            if not number or number > len(lines) or not lines[number - 1].strip():
                break
            lines[number - 1] = ""
            if number in by_line:
                read.unread.add(by_line[number])
        else:
            break
    return read


def key_lines(text: str) -> dict[Path, int]:
    """The line of each key and table, counted from 1. Keys inside braces are not listed.

    >>> key_lines('a = 1\\n[b."c d"]\\ne.f = [\\n  "g = 1",\\n]\\n[[h]]\\n[[h]]\\ni = 2')
    {('a',): 1, ('b', 'c d'): 2, ('b', 'c d', 'e', 'f'): 3, ('h', 0): 6, ('h', 1): 7, ('h', 1, 'i'): 8}
    """
    lines: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in _statements(text):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            # The position of the latest element of each list that the header leads through belongs to its path.
            table = ()
            for part in _parts(header[2]):
                table = (*table, counts[table] - 1, part) if table in counts else (*table, part)
            if header[1] == "[[":
                counts[table] = counts.get(table, 0) + 1
                table = (*table, counts[table] - 1)
            lines.setdefault(table, number)
        elif key:
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part if part[0] not in "\"'" else part[1:-1] for part in _PART.findall(key))


def _masked(text: str) -> str:
    """The text with an x in place of each character of strings and comments."""
    return _TOKEN.sub(lambda token: re.sub(r"[^\n]", "x", token[0]), text)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The lines on which a statement begins, with their numbers: not those inside a text or a list of many lines."""
    masked = _masked(text)
    depth = 0
    inside_text: set[int] = set()
    first, end = 1, 0
    for token in _TOKEN.finditer(text):
        first += text.count("\n", end, token.start())
        n_breaks, end = token[0].count("\n"), token.end()
        inside_text.update(range(first + 1, first + 1 + n_breaks))
        first += n_breaks
    for number, (line, mask) in enumerate(zip(text.split("\n"), masked.split("\n"), strict=True), start=1):
        if not depth and number not in inside_text:
            yield number, line
            mask = mask.partition("=")[2]
        depth = max(0, depth + sum(map(mask.count, "[{")) - sum(map(mask.count, "]}")))
