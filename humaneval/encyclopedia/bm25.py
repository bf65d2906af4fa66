"""Passages of an article as the models of the paper got them, ranked for a query.

Words are compared by the lemmatiser ``lookup``, whatever is installed: spaCy's model takes seconds for an article.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal

from humaneval.encyclopedia.snippets import folded
from scoring.corpus import PAPER_SIZE, Corpus
from scoring.metrics.text.lemmatizer import text_lemmatiser
from scoring.metrics.text.normalise import Normaliser

MAX_CACHED_ARTICLES: Final = 8
"""The number of articles whose passages each process caches: a few megabytes each."""

_NORMALISER: Final = Normaliser(text_lemmatiser("lookup"), max_bytes=0)
"""Normaliser of words; without a cache of texts, because the words of an article are cached with its index."""
_WORD: Final = re.compile(r"\w+")
_HEADING: Final = re.compile(r"^#{2,6} (.+)$", re.MULTILINE)
_ITEM: Final = "- "
_CELL: Final = "|"
_SIGN: Final = re.compile(r"#{2,6} |- |\||(?=.)")
"""The sign of the kind of a line at its beginning; a paragraph has none."""


@dataclass(frozen=True)
class RankedPassage:
    """A passage of an article, and what is around it."""

    text: str
    position: int
    """The passage's index in the article, from 0."""
    heading: str
    """The heading above it, or at its start; empty before the first heading."""
    line: str
    """The part of its first line that is in the passages before, at most `PAPER_SIZE` characters of it."""
    goes_on: bool
    """Whether the last line of the passage goes on in the next passage."""


BlockKind = Literal["heading", "items", "rows", "text"]


@dataclass(frozen=True)
class Block:
    """A part of a passage with its kind for display: a heading, list items, table rows, or a paragraph."""

    kind: BlockKind
    lines: tuple[str, ...]
    """The lines without markup signs; a table row is its non-empty cells, separated by a middle dot."""


def blocks(passage: str, line: str = "", *, goes_on: bool = False) -> tuple[Block, ...]:
    """Split a passage into its parts, in order; a cut line begins or ends with an ellipsis.

    Args:
        line: the part of its first line that is in the passages before.
        goes_on: whether its last line goes on in the next passage.

    >>> [(block.kind, block.lines) for block in blocks("## Moons\\n\\n- Io\\n- Europa\\n\\nTwo of them.")]
    [('heading', ('Moons',)), ('items', ('Io', 'Europa')), ('text', ('Two of them.',))]
    >>> blocks("of its moons, ", "- One ", goes_on=True)
    (Block(kind='items', lines=('… of its moons, …',)),)
    """
    if sign := _SIGN.match(line):
        passage = f"{sign[0]}… {passage.lstrip(' ')}"
    if goes_on:
        passage = f"{passage.rstrip()} …"
    lines: list[tuple[BlockKind, str, int]] = []
    for number, paragraph in enumerate(re.split(r"\n{2,}", passage)):
        for words in filter(str.strip, paragraph.split("\n")):
            if heading := _HEADING.fullmatch(words):
                lines.append(("heading", heading[1], number))
            elif words.startswith(_ITEM):
                lines.append(("items", words.removeprefix(_ITEM), number))
            elif words.startswith(_CELL):
                cells = (cell.strip() for cell in words.split(_CELL))
                lines.append(("rows", " · ".join(filter(None, cells)), number))
            else:
                lines.append(("text", words, number))
    # A nested list, and a table after a table, continue after an empty line; a paragraph ends there.
    together = groupby(lines, key=lambda line: (line[0], line[2] if line[0] in ("heading", "text") else None))
    return tuple(Block(kind, tuple(words for _, words, _ in group)) for (kind, _), group in together)


def ranked(text: str, query: str, limit: int = 5) -> list[RankedPassage]:
    """The passages of a text that fit a query best, in the order of `scoring.corpus`, which ranks all passages.

    Here, those without a word of the query are omitted, or come last if they have such a word for a reader: without its
    accents ("Sao" for "São"), or inside of a longer one ("1998" in "1990–1998").
    """
    corpus, passages = _index(text)
    words = {word for word in corpus.words(query) if _WORD.search(word)}
    if not words or limit < 1:
        return []
    words_of = [counts.keys() for counts in corpus.index.doc_freqs]
    best = [at for at in corpus.ranking(query) if not words_of[at].isdisjoint(words)][:limit]
    if len(best) < limit:
        plain = set(_WORD.findall(folded(" ".join(words))))
        others = {word for word in corpus.index.idf if not plain.isdisjoint(_WORD.findall(folded(word)))} - words
        best += [at for at in range(len(passages)) if at not in best and not words_of[at].isdisjoint(others)]
    return [passages[at] for at in best[:limit]]


@lru_cache(maxsize=MAX_CACHED_ARTICLES)
def _index(text: str) -> tuple[Corpus, list[RankedPassage]]:
    corpus = Corpus([("", text)], normaliser=_NORMALISER)
    starts: list[tuple[str, str]] = []
    heading = line = ""
    for _, part in corpus.passages:
        if part.startswith("\n"):
            line = ""
        above, lines = heading, line + part
        for title in _HEADING.finditer(lines):
            heading = title[1]
            if not lines[: title.start()].strip():
                above = heading
        starts.append((above, line))
        line = lines.rpartition("\n")[2][:PAPER_SIZE]  # enough to know its kind; a line may have millions of characters
    ends = [bool(line) for _, line in starts[1:]] + [False]
    return corpus, [
        RankedPassage(part, position, *start, goes_on)
        for position, ((_, part), start, goes_on) in enumerate(zip(corpus.passages, starts, ends, strict=True))
    ]
