"""String accuracy: the share of a reference's items that occur in the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from scoring.metrics.base import (
    AnswerBudget,
    Metric,
    Primitive,
    Progress,
    ReferenceAnswer,
    ScoredVector,
    Site,
    Tick,
    check_references,
    made_once,
    primitives,
    score_each,
)
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.text.lemmatizer import Lemmatiser, LemmatiserError, text_lemmatiser
from scoring.metrics.text.normalise import Normaliser, found_between_boundaries

LONG_TEXT = 100_000
"""Characters from which on a search in an answer is long work."""


@dataclass(frozen=True)
class ItemMatch(Primitive):
    """Whether one item of a reference was found in an answer."""

    normalised: str
    """The normalised form that was searched for."""
    found: bool


_Prepared = tuple[tuple[str, ...], int]
"""A reference's normalised primitives at any depth, keys included; and the divisor of the official rule: the entries of
a list, twice those of a dict, and 0 for a primitive."""


class StringAccuracy(Metric):
    r"""The share of the reference that occurs, word for word, in the answer: *loose* and *strict* accuracy.

    Zhu et al. (2024), FanOutQA: A Multi-Hop, Multi-Document Question Answering Benchmark for Large Language Models,
    https://aclanthology.org/2024.acl-short.2, section 4.1. Bit-identical to the scorer of the public leaderboard
    (``fanoutqa`` 1.1.1, ``eval.string`` and ``Scorer.score_accuracy``), given the same lemmatiser.

    References: shape ``(n,)``, each a str, int, float or bool, or a list or dict of these, nested to any depth.
    Answers: shape ``(n,)``, text or ``None``. Both sides are normalised by
    `Normaliser`; a bool reads as ``yes`` or ``no``. An item counts as found if
    its normalised form occurs in the normalised answer between word boundaries
    (`found_between_boundaries`). The score of one question is:

    - a primitive scores 1 if found and 0 if not;
    - a list scores ``(n - missing) / n``, where *n* is the number of its entries;
    - a dict scores ``(2 n - missing) / (2 n)``, where *n* is the number of its entries: keys and values are items.

    *missing* counts all primitives not found, at any depth. ``loose`` is the mean over all questions, ``strict`` the
    share of questions with nothing missing. Shares range from 0 (nothing) to 1 (all found); higher is better.
    Unanswered questions score 0 and count; an empty answer has no words, so nothing is found in it. An empty list of
    questions is an error.

    Surprises (`explanation`) are preserved, because the published numbers include them. Items that begin with ``$`` or
    end with ``%`` or ``+`` have no word boundary there, and are hardly found; ``5.2`` equals ``52``.
    ``["Oslo", ["a", "b", "c"]]`` has 2 items of which up to 4 may be missing: the score falls to -1. The mean includes
    such scores, so that no answer (0) can be better than a wrong one. Even a verbatim copy of the references does not
    score 1: with lemmatiser ``lookup`` the dev split's ceiling is loose 0.9784, strict 0.9194 (the revision of November
    2023) or 0.9772 and 0.9097 (the one of July 2026).

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
    label: ClassVar[str] = "String accuracy"
    task_types: ClassVar[tuple[str, ...]] = ("text-answer",)
    by_default: ClassVar[bool] = True
    formula: ClassVar[str] = "metrics/string_accuracy.html"

    @classmethod
    def invalid_settings(cls, site: Site) -> dict[str, str]:
        try:
            text_lemmatiser(site.LEMMATISER)  # looks for the package, and loads nothing
        except LemmatiserError:
            return {
                "LEMMATISER": "auto, lookup or en_core_web_sm (pip install 'manyhop[spacy]'; python -m spacy download "
                "en_core_web_sm), and installed"
            }
        return {}

    def __init__(self, lemmatiser: str | Lemmatiser = "auto") -> None:
        self._lemmatiser = lemmatiser

    @cached_property
    def normaliser(self) -> Normaliser:
        """Normaliser of texts, looked for when it is first used, because the metric is described without it."""
        chosen = self._lemmatiser
        return Normaliser(text_lemmatiser(chosen) if isinstance(chosen, str) else chosen)

    @classmethod
    def on_site(cls, site: Site, **parameters: Any) -> Self:
        return made_once(cls, site.LEMMATISER, **parameters)

    def signature_parts(self) -> tuple[str, ...]:
        """The lemmatiser with its versions, and the version of ftfy, which repairs texts."""
        return self.normaliser.signature_parts

    def self_check(self) -> None:
        self.normaliser.lemmatiser.load()

    def columns(self) -> tuple[Column, ...]:
        return (
            Column(
                "loose",
                self.name,
                "Loose accuracy",
                "Loose",
                "String accuracy",
                "The mean share of a question's reference strings that occur in the answer.",
            ),
            Column(
                "strict",
                self.name,
                "Strict accuracy",
                "Strict",
                "String accuracy",
                "The share of questions for which every reference string occurs in the answer.",
            ),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how many of the reference's strings occur in the answer. A reference is a text, a number, "
                "yes or no, or a list or table of these; the items of a list and the keys and values of a table are "
                "searched one by one. Answer and reference are lower-cased, cleaned of encoding errors (ftfy), and "
                "stripped of thousands separators and of the characters “, . ? ! : ;”. Then every word is replaced by "
                "its lemma."
            ),
            formula=(
                "score of a question = (n − missing) / n, with n items at the top level of the reference\n"
                "loose = mean of the scores over all questions\n"
                "strict = share of the questions with nothing missing"
            ),
            surprises=(
                (
                    "An item that begins or ends with anything but a letter or digit, such as $5, 12% or C++, is "
                    "rarely found, even if the answer contains it."
                ),
                "Periods and colons inside numbers are removed: 5.2 equals 52, and 1:30 equals 130.",
                (
                    "In nested references, every missing string is counted, but the count is divided by the number of "
                    "items at the top level. A score can therefore be below 0."
                ),
                (
                    "Order, repetition and negation do not matter: an item counts as found anywhere in the answer. An "
                    "answer that lists everything scores well."
                ),
                "An unanswered question scores 0 and counts towards the mean.",
                "In Chinese, Japanese, Thai and other scripts without spaces, an item inside a sentence is not found.",
            ),
            source="https://aclanthology.org/2024.acl-short.2/",
        )

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[_Prepared, ...]:
        """Normalise the references, each distinct item once.

        Raises:
            UnusableReference: As `check_references`; the official scorer divides an empty list by zero.
        """
        check_references(references)
        prepared = []
        for reference in references:
            items = tuple(self.normaliser(item.text) for item in primitives(reference))
            n_top = len(reference) if isinstance(reference, list | dict) else 0
            prepared.append((items, 2 * n_top if isinstance(reference, dict) else n_top))
        return tuple(prepared)

    def score(
        self,
        prepared: Sequence[_Prepared],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """Score one answer set; each answer is normalised once. See `Metric.score`."""

        def share(reference: _Prepared, generation: str, tick: Tick) -> tuple[float, bool]:
            """The share of one reference that was found, and whether nothing is missing."""
            items, n_top = reference
            text = self.normaliser(generation, tick)
            missing = 0
            for item in items:
                missing += not found_between_boundaries(item, text)
                if len(text) > LONG_TEXT:
                    tick()
            if n_top:
                return (n_top - missing) / n_top, not missing
            return (0 if missing else 1), not missing

        scores = score_each(prepared, generations, share, (0.0, False), progress, budget)
        loose = [value for value, _ in scores]
        strict = np.array([complete for _, complete in scores], dtype=np.float64)
        return {
            "loose": ScoredVector(self.mean(loose), np.array(loose, dtype=np.float64)),
            "strict": ScoredVector(int(strict.sum()) / len(strict), strict),
        }

    def explain(self, reference: ReferenceAnswer, generation: str | None) -> list[ItemMatch]:
        """The decision on each item of a reference; without an answer no item is found.

        The same decisions as `score`: the loose score follows from the number of items not found.

        Raises:
            UnusableReference: As `prepare`.

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
            occurs = text is not None and found_between_boundaries(normalised, text)
            matches.append(ItemMatch(item.path, item.is_key, item.value, normalised, occurs))
        return matches
