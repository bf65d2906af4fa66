"""String accuracy: the share of a reference's items that occur in the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scoring.metrics.base import (
    AnswerBudget,
    Metric,
    Progress,
    ReferenceAnswer,
    ReferencePath,
    ScoredVector,
    check_lengths,
    check_references,
    official_mean,
    primitives,
)
from scoring.metrics.text.lemmatizer import Lemmatiser, Tick, text_lemmatiser
from scoring.metrics.text.normalise import Normaliser, found_between_boundaries

LONG_TEXT = 100_000
"""Characters from which on a search in an answer is long work."""


@dataclass(frozen=True)
class ItemMatch:
    """Whether one item of a reference was found in an answer."""

    path: ReferencePath
    """The item's position in the reference; a dict's key and its value share one path."""
    is_key: bool
    """Whether it is the key at that path, not the value."""
    text: str
    """The item as written in the reference."""
    normalised: str
    """The normalised form that was searched for."""
    found: bool


@dataclass(frozen=True)
class _Reference:
    """One normalised reference."""

    items: tuple[str, ...]
    """Its primitives at any depth, keys included."""
    n_top: int
    """The divisor of the official rule: the entries of a list, twice those of a dict, and 0 for a primitive."""


@dataclass(frozen=True)
class PreparedAccuracy:
    """References prepared for :meth:`StringAccuracy.score`."""

    references: tuple[_Reference, ...]

    def __len__(self) -> int:
        return len(self.references)


class StringAccuracy(Metric):
    r"""The share of the reference that occurs, word for word, in the answer: *loose* and *strict* accuracy.

    Zhu et al. (2024), FanOutQA: A Multi-Hop, Multi-Document Question Answering Benchmark for Large Language Models,
    https://aclanthology.org/2024.acl-short.2, section 4.1. Bit-identical to the scorer of the public leaderboard
    (``fanoutqa`` 1.1.1, ``eval.string`` and ``Scorer.score_accuracy``), given the same lemmatiser.

    References: shape ``(n,)``, each a str, int, float or bool, or a list or dict of these, nested to any depth.
    Answers: shape ``(n,)``, text or ``None``. Both sides are normalised by
    :class:`~scoring.metrics.text.normalise.Normaliser`; a bool reads as ``yes`` or ``no``. An item counts as found if
    its normalised form occurs in the normalised answer between word boundaries
    (:func:`~scoring.metrics.text.normalise.found_between_boundaries`). The score of one question is:

    - a primitive scores 1 if found and 0 if not;
    - a list scores ``(n - missing) / n``, where *n* is the number of its entries;
    - a dict scores ``(2 n - missing) / (2 n)``, where *n* is the number of its entries: keys and values are items.

    *missing* counts all primitives not found, at any depth. ``loose`` is the mean over all questions, ``strict`` the
    share of questions with nothing missing. Shares range from 0 (nothing) to 1 (all found); higher is better.
    Unanswered questions score 0 and count; an empty answer has no words, so nothing is found in it. An empty list of
    questions is an error.

    Surprises, preserved because the published numbers include them:

    - An item that begins or ends with a character that is not a letter, digit or underscore can hardly be found:
      ``$5``, ``12%`` and ``C++`` have no word boundary where they begin or end, unless a letter or digit is adjacent
      there.
    - Punctuation is removed after numbers are read: ``5.2`` equals ``52``, ``1:30`` equals ``130``.
    - Nesting: missing primitives are counted at any depth but divided by the number of *top-level* items. So
      ``["Oslo", ["a", "b", "c"]]`` has 2 items of which up to 4 may be missing: the score falls to -1, and
      ``[["a", "b"]]`` to -1 likewise. The mean includes such negative scores, so that no answer (0) can be better than
      a wrong one.
    - Items are found in any order, any number of times, negated or not. A long answer that names everything scores
      well.
    - Therefore even a verbatim copy of the references does not score 1. With lemmatiser ``lookup`` the dev split's
      ceiling is loose 0.9784, strict 0.9194 (the revision of November 2023) or 0.9772 and 0.9097 (the one of July
      2026).

    :param lemmatiser: one of :data:`~scoring.metrics.text.lemmatizer.CHOICES`, or a lemmatiser. The signature names it.
    :raises LemmatiserError: if it is not installed.

    >>> metric = StringAccuracy("lookup")
    >>> prepared = metric.prepare([["Oslo", "1,200 museums"], {"Rome": True}, "mice", 5.2])
    >>> scores = metric.score(prepared, ["Oslo has 1200 museums.", "Rome: no", None, "52"])
    >>> scores["loose"].per_item.tolist(), scores["loose"].value
    ([1.0, 0.5, 0.0, 1.0], 0.625)
    >>> scores["strict"].value
    0.5
    """

    name: ClassVar[str] = "accuracy"
    version: ClassVar[str] = "0.1.0"
    score_names: ClassVar[tuple[str, ...]] = ("loose", "strict")

    def __init__(self, lemmatiser: str | Lemmatiser = "auto") -> None:
        chosen = text_lemmatiser(lemmatiser) if isinstance(lemmatiser, str) else lemmatiser
        self.normaliser = Normaliser(chosen)

    def signature_parts(self) -> tuple[str, ...]:
        """The lemmatiser with its versions, and the version of ftfy, which repairs texts."""
        return self.normaliser.signature_parts()

    def self_check(self) -> None:
        """Check that the lemmatiser works; for a start-up check.

        :raises LemmatiserError: if it is not installed, or returns empty lemmas.
        """
        self.normaliser.self_check()

    def prepare(self, references: Sequence[ReferenceAnswer]) -> PreparedAccuracy:
        """Normalise the references, each distinct item once.

        :raises EmptyReference: if some are or contain an empty list or dict, whose share is undefined (the official
            scorer divides by zero); all of them are listed.
        :raises UnusableReference: if some are or contain anything but text, numbers, bools, lists and dicts.
        """
        check_references(references)
        return PreparedAccuracy(
            tuple(
                _Reference(
                    items=tuple(self.normaliser(item.text) for item in primitives(reference)),
                    n_top=_n_top(reference),
                )
                for reference in references
            )
        )

    def score(
        self,
        prepared: PreparedAccuracy,
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """Score one answer set; each answer is normalised once. See :meth:`Metric.score`."""
        n_items = len(prepared)
        check_lengths(n_items, len(generations))
        loose: list[float] = []  # int where the official list has an int; see official_mean
        strict = np.zeros(n_items)
        budget = budget or AnswerBudget()

        def tick(ahead: float = 0.0, /) -> None:
            budget.check(ahead)
            if progress:
                progress(len(loose), n_items)

        for index, (reference, generation) in enumerate(zip(prepared.references, generations, strict=True)):
            value: float = 0
            if generation is not None:
                with budget.answer(index):
                    value, strict[index] = self._score(reference, generation, tick)
            loose.append(value)
            if progress:
                progress(index + 1, n_items)
        return {
            "loose": ScoredVector(official_mean(loose, n_items), np.array(loose, dtype=np.float64)),
            "strict": ScoredVector(int(strict.sum()) / n_items, strict),
        }

    def _score(self, reference: _Reference, generation: str, tick: Tick) -> tuple[float, bool]:
        """The share of one reference that was found, and whether nothing is missing."""
        text = self.normaliser(generation, tick)
        missing = 0
        for item in reference.items:
            missing += not found_between_boundaries(item, text)
            if len(text) > LONG_TEXT:
                tick()
        if reference.n_top:
            return (reference.n_top - missing) / reference.n_top, not missing
        return (0 if missing else 1), not missing

    def explain(self, reference: ReferenceAnswer, generation: str | None) -> list[ItemMatch]:
        """The decision on each item of a reference; without an answer no item is found.

        The same decisions as :meth:`score`: the loose score follows from the number of items not found.

        :raises UnusableReference: as :meth:`prepare`.

        >>> for match in StringAccuracy("lookup").explain({"Norway": ["Oslo", "$5"]}, "in Oslo, Norway, for $5"):
        ...     print(match.path, match.is_key, match.text, match.found)
        ('Norway',) True Norway True
        ('Norway', 0) False Oslo True
        ('Norway', 1) False $5 False
        """
        check_references([reference])
        text = None if generation is None else self.normaliser(generation)
        matches = []
        for item in primitives(reference):
            normalised = self.normaliser(item.text)
            found = text is not None and found_between_boundaries(normalised, text)
            matches.append(ItemMatch(item.path, item.is_key, item.text, normalised, found))
        return matches


def _n_top(reference: ReferenceAnswer) -> int:
    if isinstance(reference, list):
        return len(reference)
    return 2 * len(reference) if isinstance(reference, dict) else 0
