"""Rank passages of an article for a query, as the models of the paper got them.

Zhu et al., 2024 (https://aclanthology.org/2024.acl-short.2/), section 4.1: documents are cut into passages of up to
1,024 characters, at paragraph and sentence bounds where possible, and retrieved by BM25+ (Lv and Zhai, 2011,
https://doi.org/10.1145/2063576.2063584). The paper and this module use BM25+ as in ``rank_bm25``. This module compares
words in lower case, without accents and inflection endings; the paper's code compares spaCy's lemmas.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal

from rank_bm25 import BM25Plus

from humaneval.encyclopedia.snippets import folded

PASSAGE_CHARACTERS: Final = 1024
MAX_CACHED_ARTICLES: Final = 8
"""The number of articles whose passages each process caches: a few megabytes each."""

_WORD: Final = re.compile(r"\w+")
_HEADING: Final = re.compile(r"^#{2,6} (.+)$", re.MULTILINE)
_ITEM: Final = "- "
_CELL: Final = "|"
_BOUNDS: Final = (re.compile(r"\n{2,}"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s"), re.compile(r"\s"))
"""Where a text may be cut, in order of preference: after a paragraph, a line, a sentence, a word."""
_ENDINGS: Final = ("ies", "es", "s", "ing", "ed")
_MIN_STEM: Final = 3


@dataclass(frozen=True)
class RankedPassage:
    """A passage with its BM25+ score for a query (0 or more; comparable within one article and query only)."""

    text: str
    score: float
    position: int
    """The passage's index in the article, from 0."""
    heading: str
    """The heading above it; empty before the first heading."""


BlockKind = Literal["heading", "items", "rows", "text"]


@dataclass(frozen=True)
class Block:
    """A part of a passage with its kind for display: a heading, list items, table rows, or a paragraph."""

    kind: BlockKind
    lines: tuple[str, ...]
    """The lines without markup signs; a table row is its non-empty cells, separated by a middle dot."""


def blocks(passage: str) -> tuple[Block, ...]:
    """Split a passage into its parts, in order.

    >>> [(block.kind, block.lines) for block in blocks("## Moons\\n\\n- Io\\n- Europa\\n\\nTwo of them.")]
    [('heading', ('Moons',)), ('items', ('Io', 'Europa')), ('text', ('Two of them.',))]
    """
    lines: list[tuple[BlockKind, str, int]] = []
    for number, paragraph in enumerate(re.split(r"\n{2,}", passage)):
        for line in filter(str.strip, paragraph.split("\n")):
            if heading := _HEADING.fullmatch(line):
                lines.append(("heading", heading[1], number))
            elif line.startswith(_ITEM):
                lines.append(("items", line.removeprefix(_ITEM), number))
            elif line.startswith(_CELL):
                cells = (cell.strip() for cell in line.split(_CELL))
                lines.append(("rows", " · ".join(filter(None, cells)), number))
            else:
                lines.append(("text", line, number))
    # A nested list, and a table after a table, continue after an empty line; a paragraph ends there.
    together = groupby(lines, key=lambda line: (line[0], line[2] if line[0] in ("heading", "text") else None))
    return tuple(Block(kind, tuple(words for _, words, _ in group)) for (kind, _), group in together)


def passages(text: str, size: int = PASSAGE_CHARACTERS) -> list[str]:
    """Cut a text into passages of at most *size* characters; joined, they equal the text except for white space.

    Each passage is filled with whole paragraphs while they fit. A longer paragraph is cut between lines, a longer line
    between sentences, a longer sentence between words, and a longer word anywhere. A heading (``## …``) stays with the
    text that follows it.

    >>> passages("One two. Three four.\\n\\nFive.", size=12)
    ['One two.', 'Three four.', 'Five.']

    Raises:
        ValueError: *size* is not positive.
    """
    if size < 1:
        raise ValueError(f"A passage has at least one character, not {size}.")
    made: list[str] = []
    current = ""
    for part in _parts(text, size, 0):
        if current and len((current + part).strip()) > size:
            # A heading at the end, followed by white space only, goes with the text below it.
            stripped = current.rstrip()
            line = stripped.rfind("\n") + 1
            carried = current[line:] if _HEADING.fullmatch(stripped[line:]) else ""
            rest = current[: len(current) - len(carried)]
            if carried and rest.strip() and len((carried + part).strip()) <= size:
                current = carried
            else:
                rest, current = current, ""
            made.append(rest.strip())
        current += part
    made.append(current.strip())
    return [passage for passage in made if passage]


def ranked(text: str, query: str, limit: int = 5) -> list[RankedPassage]:
    """The passages of a text that fit a query best, best first; passages with none of its words are omitted.

    Args:
        text: the plain text of an article; lines that begin with ``##`` are its headings.
        query: any words; an empty query ranks nothing.
        limit: the maximum number of passages.
    """
    wanted = _words(query)
    if not wanted or limit < 1:
        return []
    index = _index(text)
    if index is None:
        return []
    texts, words, headings, bm25 = index
    scores = bm25.get_scores(wanted)
    hits = [number for number, own in enumerate(words) if not own.isdisjoint(wanted)]
    hits.sort(key=lambda number: (-scores[number], number))
    return [RankedPassage(texts[number], float(scores[number]), number, headings[number]) for number in hits[:limit]]


@lru_cache(maxsize=MAX_CACHED_ARTICLES)
def _index(text: str) -> tuple[list[str], list[frozenset[str]], list[str], BM25Plus] | None:
    """The passages of an article, and for each its words and the heading above it; and their index."""
    texts = passages(text)
    words = [_words(passage) for passage in texts]
    if not any(words):
        return None
    headings = []
    heading = ""
    for passage in texts:
        own = list(_HEADING.finditer(passage))
        if own and not passage[: own[0].start()].strip():
            heading = own[0][1]  # the passage begins with a heading
        headings.append(heading)
        if own:
            heading = own[-1][1]
    return texts, [frozenset(own) for own in words], headings, BM25Plus(words)


def _parts(text: str, size: int, bound: int) -> Iterator[str]:
    """Split the text into parts of at most *size* characters, stripped, at the most preferred cuts."""
    if bound == len(_BOUNDS):
        yield from (text[begin : begin + size] for begin in range(0, len(text), size))
        return
    begin = 0
    for match in _BOUNDS[bound].finditer(text):
        if match.end() > begin:
            yield from _fitting(text[begin : match.end()], size, bound)
            begin = match.end()
    if begin < len(text):
        yield from _fitting(text[begin:], size, bound)


def _fitting(part: str, size: int, bound: int) -> Iterator[str]:
    if len(part.strip()) <= size:
        yield part
    else:
        yield from _parts(part, size, bound + 1)


def _words(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(folded(text))]


def _stem(word: str) -> str:
    """The word without the ending of an English plural or verb form; approximate, as both sides are treated alike."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM and not word.endswith("ss"):
            stem = word[: -len(ending)]
            return f"{stem}y" if ending == "ies" else stem.removesuffix("e")
    return word.removesuffix("e") if len(word) > _MIN_STEM else word
