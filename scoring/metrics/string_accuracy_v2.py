"""Repaired string accuracy: the share of a reference's items that occur in the answer, as a reader would judge it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from scoring.metrics.base import (
    AnswerBudget,
    EmptyReference,
    Primitive,
    Progress,
    ReferenceAnswer,
    ReferenceProblem,
    ScoredVector,
    Tick,
    UnusableReference,
    check_references,
    primitives,
    score_each,
)
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.string_accuracy import ItemMatch, LemmaMetric

if TYPE_CHECKING:
    from scoring.metrics.text.token_forms import Forms, Item

# Those are imported where they are used: reading their tables takes longer than all other metrics together.

NOTHING_TO_FIND = "nothing to find: its texts are empty"


class RepairedStringAccuracy(LemmaMetric):
    r"""The share of the reference that occurs in the answer: *loose* and *strict* accuracy without the errors of the
    official scorer, shown beside it and never in its place.

    Based on Zhu et al. (2024), FanOutQA: A Multi-Hop, Multi-Document Question Answering Benchmark for Large Language
    Models, https://aclanthology.org/2024.acl-short.2, section 4.1; the published numbers are those of
    :class:`~scoring.metrics.string_accuracy.StringAccuracy`, not these.

    References: shape ``(n,)``, each a str, int, float or bool, or a list or dict of these, nested to any depth.
    Answers: shape ``(n,)``, text or ``None``. The items of a reference are all its primitives at any depth, keys of
    dicts as well as values; a bool reads as ``yes`` or ``no``. A question's score is ``found / items``.
    ``repaired.loose`` is the mean over all questions, ``repaired.strict`` the share of questions with every item found.
    Shares range from 0 to 1; higher is better. Unanswered questions score 0 and count. An empty list of questions is an
    error.

    An item is found if its tokens (:mod:`~scoring.metrics.text.token_forms`) occur consecutively in the answer:

    - *as written*, except for case, white space and ``,.?!:;``; or
    - after the repair of mojibake, entities and look-alike characters (ftfy) on both sides; or
    - after that by lemmas, as in the official accuracy. The first two do not depend on the lemmas that an item gets in
      its context.

    Differences from the official accuracy:

    - Items may begin or end with any character: ``$5`` is found in ``costs $5.``, not in ``$50``; ``C++`` and ``12%``
      are found, the latter not in ``112%``. An item of nothing but punctuation (``!!!``) is found where it is alone
      between white space.
    - Numbers are whole: 5.2 is neither 52 nor part of 15.2 or 5.25; 1:30 is not 130. ``1,200`` is 1200, but ``1,2`` is
      two numbers. A float without a fraction (JSON's ``37.0``) is also found as ``37``. ``5.20`` is not 5.2, because it
      may be a version or a section.
    - A currency or percent sign of the reference must be in the answer at the same number, as symbol, code or word:
      ``$5 million`` is found in ``5 million dollars`` and ``USD 5 million``, not in ``5 million``, ``€5 million``,
      ``HK$5 million`` nor ``R$5 million``. An additional sign in the answer is accepted.
    - In scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese), each character is a word:
      ``東京`` is found in ``首都は東京``, and ``2024`` in ``2024年``.
    - Quotation marks do not count: ``"The Wall"`` is found in ``The Wall``. Nor does the length of a dash:
      ``1990–1995`` is ``1990-1995``.
    - Shares are of primitives: nothing falls below 0, and the weight of a nested list is its number of items.
    - References in which there is nothing to find are rejected. An empty text among other items is left out.

    An answer that contains the reference verbatim, as :func:`~scoring.metrics.text.normalise.as_text` writes it,
    therefore scores exactly 1 for any accepted reference and with any lemmatiser.

    Remaining surprises: items are found in any order, negated or not; 5 is found in ``5 million``, and in ``-5``;
    ``5 pounds`` of weight are £5; other spellings of the same number or date are not found; without a dictionary,
    ``京都`` is found in ``東京都``.

    >>> metric = RepairedStringAccuracy("lookup")
    >>> prepared = metric.prepare([["$5", "C++", "children"], {"Rome": 5.2}, [["a", "b"], "c"], "12%"])
    >>> answers = ["C++ for a child costs $5.", "Rome: 52 or 15.2", "c", None]
    >>> scores = metric.score(prepared, answers)
    >>> scores["repaired.loose"].per_item.round(3).tolist()
    [1.0, 0.5, 0.333, 0.0]
    >>> scores["repaired.strict"].value
    0.25
    """

    name: ClassVar[str] = "accuracy-repaired"
    version: ClassVar[str] = "0.7.0"
    score_names: ClassVar[tuple[str, ...]] = ("repaired.loose", "repaired.strict")
    label: ClassVar[str] = "String accuracy, repaired"
    repaired_of: ClassVar[str] = "accuracy"
    formula: ClassVar[str] = "metrics/string_accuracy_v2.html"

    def columns(self) -> tuple[Column, ...]:
        return (
            Column(
                "repaired.loose",
                self.name,
                "Loose accuracy, repaired",
                "Loose",
                "Accuracy, repaired",
                "The mean share of a question's reference strings that a careful reader would find in the answer.",
                default=False,
            ),
            Column(
                "repaired.strict",
                self.name,
                "Strict accuracy, repaired",
                "Strict",
                "Accuracy, repaired",
                "The share of questions for which a careful reader would find every reference string in the answer.",
                default=False,
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "A version of string accuracy that corrects several of the problems listed above. An item is found if "
                "its words, numbers and symbols occur consecutively in the answer, as written or as lemmas. It is "
                "shown beside the official accuracy and never replaces it: published numbers are comparable only with "
                "the official accuracy."
            ),
            formula=(
                "score of a question = found / all, over every text, number, yes or no in the reference at any depth\n"
                "repaired loose = mean of the scores over all questions\n"
                "repaired strict = share of the questions with everything found"
            ),
            surprises=(
                "A reference copied word for word scores exactly 1.",
                (
                    "Items may begin and end with any character, and only match whole words and numbers. $5 is found "
                    "in “costs $5.”, but not in $50; 12% is not found in 112%."
                ),
                "Numbers are compared as a whole: 5.2 is neither 52 nor part of 15.2 or 5.25. 1,200 equals 1200.",
                (
                    "A currency or percent sign in the reference must occur in the answer with the same number, as "
                    "symbol, code or word: $5 million is found in “5 million dollars”, but not in “5 million”. An "
                    "extra sign in the answer does no harm."
                ),
                "A reference with no searchable item cannot be scored; an empty item among others is skipped.",
                (
                    "In scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) each character counts as "
                    "a word: 東京 is found in 首都は東京, and 京都 in 東京都."
                ),
                (
                    "Remaining limits: negation is ignored; 5 is found in “5 million”; other spellings of a date or "
                    "number are not found."
                ),
            ),
        )

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[tuple[tuple[Item, ...], ...], ...]:
        """Read the references, each distinct item once: for each its items, and for each item its written forms, one of
        which must be found. Empty texts are left out: no answer can contain or lack them.

        :raises EmptyReference: if some contain nothing to find: they are or contain an empty list or dict, or consist
            of empty texts (only white space and invisible characters); all of them are listed.
        :raises UnusableReference: if some are or contain anything but text, numbers, bools, lists and dicts; likewise.
        """
        problems: list[ReferenceProblem] = []
        only_empty = True
        try:
            check_references(references)
        except UnusableReference as error:
            problems += error.problems
            only_empty = isinstance(error, EmptyReference)
        bad = {problem.index for problem in problems}
        known: dict[str, Item | None] = {}
        prepared: list[tuple[tuple[Item, ...], ...]] = []
        for index, reference in enumerate(references):
            if index in bad:
                continue
            items = tuple(ways for item in primitives(reference) if (ways := self._ways(item, known)))
            if not items:
                problems.append(ReferenceProblem(index, (), NOTHING_TO_FIND))
            prepared.append(items)
        if problems:
            problems.sort(key=lambda problem: problem.index)
            raise (EmptyReference if only_empty else UnusableReference)(problems)
        return tuple(prepared)

    def score(
        self,
        prepared: Sequence[tuple[tuple[Item, ...], ...]],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """Score one answer set; each answer is read once. See :meth:`Metric.score`."""
        from scoring.metrics.text.token_forms import Forms

        def share(items: tuple[tuple[Item, ...], ...], generation: str, tick: Tick) -> float:
            text = Forms(generation, self.normaliser.lemmatiser, tick)
            return sum(_occurs(ways, text) for ways in items) / len(items)

        loose = np.array(score_each(prepared, generations, share, 0.0, progress, budget))
        strict = np.where(loose == 1.0, 1.0, 0.0)
        return {
            name: ScoredVector(self.mean(vector.tolist()), vector)
            for name, vector in zip(self.score_names, (loose, strict), strict=True)
        }

    def mean(self, values: Sequence[float]) -> float:
        return math.fsum(values) / len(values)

    def explain(self, reference: ReferenceAnswer, generation: str | None) -> list[ItemMatch]:
        """The decision on each item of a reference; without an answer no item is found.

        The same decisions as :meth:`score`; items that are left out are not listed.

        :raises UnusableReference: as :meth:`prepare`.

        >>> metric = RepairedStringAccuracy("lookup")
        >>> for match in metric.explain({"Norway": ["Oslo", "$5"]}, "in Oslo, Norway, for 5 dollars"):
        ...     print(match.path, match.is_key, match.text, match.normalised, match.found)
        ('Norway',) True Norway norway True
        ('Norway', 0) False Oslo oslo True
        ('Norway', 1) False $5 5$ True
        """
        from scoring.metrics.text.token_forms import Forms

        self.prepare([reference])
        text = None if generation is None else Forms(generation, self.normaliser.lemmatiser)
        known: dict[str, Item | None] = {}
        matches = []
        for item in primitives(reference):
            ways = self._ways(item, known)
            if ways:
                occurs = text is not None and _occurs(ways, text)
                matches.append(ItemMatch(item.path, item.is_key, item.value, ways[0].shown, occurs))
        return matches

    def _ways(self, primitive: Primitive, known: dict[str, Item | None]) -> tuple[Item, ...]:
        """The written forms of a primitive; none if it is empty."""
        from scoring.metrics.text.token_forms import Item

        texts = [primitive.text]
        if isinstance(primitive.value, float) and texts[0].endswith(".0"):
            texts.append(texts[0].removesuffix(".0"))
        for way in texts:
            if way not in known:
                known[way] = Item.of(way, self.normaliser.lemmatiser)
        return tuple(item for item in (known[way] for way in texts) if item is not None)


def _occurs(ways: Sequence[Item], text: Forms) -> bool:
    return any(way.found_in(text) for way in ways)
