"""ROUGE-1, ROUGE-2 and ROUGE-L: overlap of words, of pairs of words, and of their order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, TypeVar

import numpy as np

from scoring.metrics.base import (
    AnswerBudget,
    Metric,
    Progress,
    ReferenceAnswer,
    ScoredVector,
    Tick,
    check_references,
    no_tick,
    score_each,
)
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.text.normalise import as_text
from scoring.metrics.text.porter import Stemmer

TYPES = ("rouge1", "rouge2", "rougeL")
PARTS = ("precision", "recall", "fscore")

BLOCK = 8192
"""Bits of one number in `lcs_length`: longer references are processed in blocks, which bounds memory."""
PIECE = 500_000
"""Characters of an answer between two ticks."""

_TOKEN = re.compile(r"[a-z0-9]+")

_Gram = TypeVar("_Gram", bound=Hashable)
_Score = tuple[float, float, float]
_NOTHING: _Score = (0, 0, 0)


_Blocks = tuple[tuple[int, Mapping[str, int]], ...]
"""For each block of `BLOCK` tokens, its number of tokens, and for each stem a number whose set bits give its
positions."""
_Reference = tuple[int, Mapping[str, int], Mapping[tuple[str, str], int], _Blocks]
"""The number of its stems; how often each, and each pair, occurs; and where."""


class Rouge(Metric):
    """ROUGE-1, ROUGE-2 and ROUGE-L between the reference written as text and the answer, with Porter's stemmer.

    Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, https://aclanthology.org/W04-1013. Bit-identical
    to ``rouge_score`` 0.1.2 with ``use_stemmer=True``, as ``fanoutqa`` 1.1.1 calls it (``Scorer.score_rouge``).

    References: shape ``(n,)``, written as text by `as_text`. Answers: shape
    ``(n,)``, text or ``None``. Both are lower-cased and split into runs of ``a``–``z`` and ``0``–``9``; words of more
    than three characters are stemmed. Let *overlap* be the number of words (ROUGE-1) or of pairs of adjacent words
    (ROUGE-2) in common, each counted as often as it occurs in both, or the length of the longest common subsequence of
    words (ROUGE-L):

    - precision = overlap / number in the answer,
    - recall = overlap / number in the reference,
    - F1 = 2 precision recall / (precision + recall).

    Each score is from 0 to 1, higher is better; the aggregate is the mean over all questions. Unanswered questions
    score 0 and count; so do answers and references without a single word (with too few for a pair, in ROUGE-2).

    Letters outside ``a``–``z`` separate words (``Córdoba`` is ``c`` and ``rdoba``), and so do signs in numbers.

    >>> metric = Rouge()
    >>> scores = metric.score(metric.prepare([["cats", "dogs"], "horses"]), ["Dogs and a cat", None])
    >>> scores["rouge1.recall"].per_item.tolist(), scores["rougeL.precision"].per_item.tolist()
    ([1.0, 0.0], [0.25, 0.0])
    """

    name: ClassVar[str] = "rouge"
    version: ClassVar[str] = "0.1.0"
    score_names: ClassVar[tuple[str, ...]] = tuple(f"{kind}.{part}" for kind in TYPES for part in PARTS)
    label: ClassVar[str] = "ROUGE"
    task_types: ClassVar[tuple[str, ...]] = ("text-answer",)
    by_default: ClassVar[bool] = True
    formula: ClassVar[str] = "metrics/rouge.html"

    def __init__(self) -> None:
        self.stemmer = Stemmer()

    def columns(self) -> tuple[Column, ...]:
        """Nine columns; F1 alone is shown by default."""
        overlaps = (("1", "single words"), ("2", "word pairs"), ("L", "the longest common word sequence"))
        parts = (
            ("fscore", "F1", "between answer and reference, F1 of precision and recall."),
            ("precision", "precision", "with the reference, as a share of the answer."),
            ("recall", "recall", "with the answer, as a share of the reference."),
        )
        return tuple(
            Column(
                score=f"rouge{kind}.{part}",
                metric=self.name,
                label=f"ROUGE-{kind} {label}",
                short_label=f"R-{kind}",
                group=f"ROUGE ({label})",
                description=f"ROUGE-{kind}: overlap of {what} {how}",
                default=part == "fscore",
                disclosed=part == "fscore",
            )
            for part, label, how in parts
            for kind, what in overlaps
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures the overlap of the answer with the reference written as text (one item per line; a table as "
                "“key - value” lines): single words (ROUGE-1), word pairs (ROUGE-2), and the longest common "
                "subsequence of words (ROUGE-L). Words are stemmed."
            ),
            formula=(
                "precision = common / in the answer\n"
                "recall = common / in the reference\n"
                "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all questions"
            ),
            surprises=(
                "Long answers lose precision: a correct answer in full sentences scores below a bare list.",
                "The score is the mean of the F1 values, not the F1 of mean precision and mean recall.",
                "An unanswered question scores 0 and counts.",
                "Only letters from A to Z count: an answer in another script scores 0, and accents divide words.",
            ),
            source="https://aclanthology.org/W04-1013/",
        )

    def signature_parts(self) -> tuple[str, ...]:
        """The kinds of overlap, the tokens, and the stemmer (NLTK's variant of Porter's, in a fixed version here)."""
        return ("types:1,2,L", "tokens:rouge-score", "stem:porter-nltk")

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[_Reference, ...]:
        """Tokenise, stem, count and locate the words of the references.

        Raises:
            UnusableReference: As `check_references`, so that a split has the same questions under all metrics.
        """
        check_references(references)
        prepared = []
        for reference in references:
            tokens = self.tokens(as_text(reference))
            blocks = []
            for start in range(0, len(tokens), BLOCK):
                block = tokens[start : start + BLOCK]
                where: dict[str, int] = {}
                for bit, token in enumerate(block):
                    where[token] = where.get(token, 0) | 1 << bit
                blocks.append((len(block), where))
            prepared.append((len(tokens), Counter(tokens), Counter(pairwise(tokens)), tuple(blocks)))
        return tuple(prepared)

    def tokens(self, text: str, tick: Tick = no_tick) -> list[str]:
        """The stems of a text.

        >>> Rouge().tokens("Runners' records: 1,024 m in Córdoba")
        ['runner', 'record', '1', '024', 'm', 'in', 'c', 'rdoba']
        """
        text = text.lower()
        if len(text) <= PIECE:
            return self.stemmer.stems(_TOKEN.findall(text))
        tokens: list[str] = []
        start = 0
        while start < len(text):
            cut_word = _TOKEN.match(text, start + PIECE)
            end = cut_word.end() if cut_word else start + PIECE
            tokens += self.stemmer.stems(_TOKEN.findall(text, start, end))
            start = end
            tick()
        return tokens

    def score(
        self,
        prepared: Sequence[_Reference],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        def shares(reference: _Reference, generation: str, tick: Tick) -> tuple[_Score, ...]:
            """Precision, recall and F1 of each kind of overlap."""
            n_tokens, unigrams, bigrams, blocks = reference
            tokens = self.tokens(generation, tick)
            longest = _NOTHING
            if n_tokens and tokens:
                length = lcs_length(blocks, tokens, tick)
                longest = _with_f1(length / len(tokens), length / n_tokens)
            return (
                _overlap(unigrams, n_tokens, tokens, len(tokens)),
                _overlap(bigrams, n_tokens - 1, pairwise(tokens), len(tokens) - 1),
                longest,
            )

        scores = score_each(prepared, generations, shares, (_NOTHING,) * len(TYPES), progress, budget)
        columns = ([row[kind][part] for row in scores] for kind in range(len(TYPES)) for part in range(len(PARTS)))
        return {
            name: ScoredVector(self.mean(values), np.array(values, dtype=np.float64))
            for name, values in zip(self.score_names, columns, strict=True)
        }


def _overlap(in_reference: Mapping[_Gram, int], n_reference: int, grams: Iterable[_Gram], n_grams: int) -> _Score:
    """Precision, recall and F1 of n-grams; a count below 1 means none."""
    shared = Counter(filter(in_reference.__contains__, grams))
    common = sum(min(count, in_reference[gram]) for gram, count in shared.items())
    return _with_f1(common / max(n_grams, 1), common / max(n_reference, 1))


def _with_f1(precision: float, recall: float) -> _Score:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return (precision, recall, f1)


def lcs_length(blocks: Sequence[tuple[int, Mapping[str, int]]], tokens: Sequence[str], tick: Tick = no_tick) -> int:
    """The length of the longest common subsequence; each row of the usual table is computed in the bits of one integer.

    Hyyrö (2004), Bit-parallel LCS-length computation revisited, AWOCA. A zero bit of ``row`` means that the subsequence
    grows at that token of the reference. For long references the table is computed in blocks of rows; the carry of an
    addition in one block at a token is passed to the next block at the same token.

    Args:
        blocks: The reference, as `Rouge.prepare` makes it: the number of its tokens in a block, and the positions of
            each stem.
        tokens: The answer's stems.

    Returns:
        The length, from 0 to the smaller number of tokens.

    >>> lcs_length([(3, {"a": 0b101, "b": 0b010})], ["b", "a", "x", "b"])
    2
    """
    length = 0
    carries = bytearray(len(tokens)) if len(blocks) > 1 else None
    for n_bits, where in blocks:
        full = (1 << n_bits) - 1
        row = full
        if carries is None:
            for mask in filter(None, map(where.get, tokens)):
                matches = row & mask
                row = (row + matches | row - matches) & full
        else:
            for index, token in enumerate(tokens):
                mask = where.get(token, 0)
                if mask or carries[index]:
                    matches = row & mask
                    added = row + matches + carries[index]
                    carries[index] = added >> n_bits
                    row = (added | row - matches) & full
        length += n_bits - row.bit_count()
        tick()
    return length
