"""The citations of an answer, as a line of a generations file has them.

``[n]`` in an answer points to the n-th of its citations, from 1. Nothing is ever fetched: what a cited page says comes
with the file (``text``), or from the passages of the question. Plain Python: no Django.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from scoring.generations.json_errors import name_type
from scoring.generations.problems import quote

CITATIONS: Final = "citations"
"""The key of a line that has them."""
MOST: Final = 1_000
"""The most citations of an answer."""
LONGEST: Final = {"id": 500, "url": 2_000, "title": 1_000, "quote": 10_000, "text": 50_000}
"""The fields of a citation, each with the most characters that it may have."""
NAMES: Final = ("id", "url")
"""The fields of which a citation has at least one."""
MARK: Final = re.compile(r"\[[1-9]\d{0,8}[^\w\s]")
"""What in an answer points to a citation: ``[1]``, also the begin of ``[1, 2]`` and ``[1†L2]``."""
EXAMPLE: Final = '{"url": "https://…", "title": "…", "quote": "…", "text": "…"}'


class CitationMistake(NamedTuple):
    """What is wrong with the citations of a line."""

    field: str
    found: str
    expected: str


def read_citations(value: Any) -> tuple[list[dict[str, str]], list[CitationMistake], list[tuple[str, str]]]:
    """The citations of an answer, all their mistakes, and every text with the name of its field.

    Args:
        value: a value of JSON whose objects are given as their pairs (`scoring.generations.records.JsonObject`).

    >>> read_citations(["https://a.example"])[1][0][:2]
    ('citations[1]', 'a string')
    """
    mistakes: list[CitationMistake] = []
    texts: list[tuple[str, str]] = []
    if type(value) is not list:
        return [], [CitationMistake(CITATIONS, name_type(value), f"a list of objects such as {EXAMPLE}")], []
    if len(value) > MOST:
        return [], [CitationMistake(CITATIONS, f"{len(value):,} citations", f"at most {MOST:,} citations")], []
    citations = []
    for number, one in enumerate(value, start=1):
        place = f"{CITATIONS}[{number}]"
        if not _is_object(one):
            mistakes.append(CitationMistake(place, name_type(one), f"an object such as {EXAMPLE}"))
            continue
        citation: dict[str, str] = {}
        n_before = len(mistakes)
        for name, found in one:
            if found is None:
                continue
            if name not in LONGEST:
                wrong = f"the key {quote(name, 30)}", f"only the keys {', '.join(LONGEST)}"
            elif name in citation:
                wrong = "the key twice", "each key once"
            elif type(found) is not str:
                wrong = name_type(found), "a text"
            elif len(found) > LONGEST[name]:
                wrong = f"{len(found):,} characters", f"at most {LONGEST[name]:,} characters"
            else:
                citation[name] = found
                texts.append((f"{place}.{name}", found))
                continue
            mistakes.append(CitationMistake(f"{place}.{name}" if name in LONGEST else place, *wrong))
        if not any(citation.get(name, "").strip() for name in NAMES) and len(mistakes) == n_before:
            mistakes.append(CitationMistake(place, "neither id nor url", "an id or a url"))
        citations.append(citation)
    return citations, mistakes, texts


def _is_object(value: Any) -> bool:
    """Whether a value is an object, given as its pairs, and not a list."""
    return isinstance(value, list) and type(value) is not list


def stored(citations: list[dict[str, str]]) -> str:
    """Citations as they are stored: JSON; empty if there are none."""
    return json.dumps(citations, ensure_ascii=False) if citations else ""


def of_stored(text: str | None) -> Iterator[dict[str, str]]:
    """The citations in a stored text, in their order."""
    yield from json.loads(text) if text else ()
