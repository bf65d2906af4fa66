"""The retriever of FanOutQA's paper: articles cut into passages, which BM25+ ranks for a query.

Zhu et al., 2024 (https://aclanthology.org/2024.acl-short.2/), section 4.1. Passages and their order are those of
``fanoutqa.retrieval.Corpus`` (version 1.1.1) on the same texts with the same lemmatiser. Its BM25+ (Lv and Zhai, 2011,
https://doi.org/10.1145/2063576.2063584) is that of ``rank_bm25``, which is needed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from rank_bm25 import BM25Plus

from scoring.metrics.passage_recall import Passage
from scoring.metrics.text.lemmatizer import text_lemmatiser
from scoring.metrics.text.normalise import Normaliser

PAPER_SIZE: Final = 1024
"""The characters of a passage at most, as in the paper; the package's own default is twice as many."""
_BOUNDS: Final = ("\n\n", "\n", ". ", ", ", " ")
"""Places at which a text is cut, in order of preference: after a paragraph, a line, a sentence, a clause, a word."""


class Corpus:
    """Articles, cut into passages and indexed.

    >>> corpus = Corpus([("Oslo", "Oslo is in Norway. It has museums."), ("Lima", "Lima is in Peru.")], size=20)
    >>> [passage.text for passage in corpus.passages]
    ['Oslo is in Norway. ', 'It has museums.', 'Lima is in Peru.']
    >>> next(corpus.best("a museum")).title
    'Oslo'
    """

    def __init__(
        self, articles: Iterable[tuple[str, str]], size: int = PAPER_SIZE, normaliser: Normaliser | None = None
    ) -> None:
        """
        Args:
            articles: Title and text of each.
            size: The characters of a passage at most.
            normaliser: Of the words that are compared; that of string accuracy if not given.
        """
        self._normaliser = normaliser or Normaliser(text_lemmatiser())
        self.passages = [Passage(title, part) for title, text in articles for part in cut(text, size)]
        self.index: Any = None
        """The words of each passage, as ``rank_bm25`` has them; ``None`` without passages."""
        if self.passages:
            self.index = BM25Plus([self.words(passage.text) for passage in self.passages])

    def best(self, query: str) -> Iterator[Passage]:
        """All passages, the one that fits the query best first."""
        return (self.passages[position] for position in self.ranking(query))

    def ranking(self, query: str) -> list[int]:
        """The positions of all passages, that of the passage which fits the query best first."""
        if self.index is None:
            return []
        # Among equal scores the order is that of the package, which is numpy's and not stable.
        return [int(position) for position in np.argsort(self.index.get_scores(self.words(query)))[::-1]]

    def words(self, text: str) -> list[str]:
        """The words of a query or a passage, as they are compared; some are signs, and some are empty."""
        return self._normaliser(text).split(" ")


def cut(text: str, size: int = PAPER_SIZE, bound: int = 0) -> list[str]:
    """Cut a text into passages of at most *size* characters, filled with whole paragraphs while they fit.

    Args:
        bound: The first of the preferred cuts that is tried.

    >>> cut("One two. Three four.\\n\\nFive.", size=12)
    ['One two. ', 'Three ', 'four.\\n\\n', 'Five.']
    """
    if len(text) <= size:
        return [text]
    if bound == len(_BOUNDS):
        return [text[begin : begin + size] for begin in range(0, len(text), size)]
    mark = _BOUNDS[bound]
    passages: list[str] = []
    for piece in text.split(mark):
        part = piece + mark
        if len(part) > size:
            passages += cut(part, size, bound + 1)
        elif passages and len(part) + len(passages[-1]) <= size:
            passages[-1] += part
        else:
            passages.append(part)
    if passages[-1] == mark:
        passages.pop()
    passages[-1] = passages[-1][: -len(mark)]
    return passages
