"""Recall, precision and F1 of cited pages against the evidence of their question.

Yang et al. (2018), HotpotQA, https://arxiv.org/abs/1809.09600, for pages in place of sentences; see `evidence_scores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import unquote

from scoring.metrics.answer_lists import mean_of_known
from scoring.metrics.base import (
    AnswerBudget,
    MetricUnavailableError,
    Progress,
    ReferenceAnswer,
    ScoredVector,
    check_lengths,
)
from scoring.metrics.citations import EvidenceScores, evidence_scores
from scoring.metrics.cited.answers import CitationMetric, CitedAnswer
from scoring.metrics.columns import Column, Explanation

NO_EVIDENCE = "No question of this split names evidence."


def address_of(url: str) -> str:
    """An address as pages are recognised by it: without its scheme, ``www.`` and fragment, without regard to case."""
    return unquote(url.partition("://")[2]).partition("#")[0].rstrip("/").casefold().removeprefix("www.")


def names_of(title: str, url: str, identifier: str = "") -> set[str]:
    """The names by which a page is recognised: its title, its id, its address, and a title in the address.

    >>> sorted(names_of("", "https://en.wikipedia.org/wiki/Aby_Bridge#History"))
    ['aby bridge', 'en.wikipedia.org/wiki/aby_bridge']
    """
    address = address_of(url)
    names = {title, identifier, address.partition("/wiki/")[2]}
    return {" ".join(name.replace("_", " ").split()).casefold() for name in names if name.strip()} | {address} - {""}


def scores_of(cited: CitedAnswer) -> EvidenceScores | None:
    """The scores of an answer; None if its question names no evidence.

    >>> from scoring.metrics.cited.answers import Citation
    >>> scores_of(CitedAnswer("", (Citation(id="Aby"), Citation(url="https://b.example")), (("Aby", ""), ("Bro", ""))))
    EvidenceScores(exact=0.0, precision=0.5, recall=0.5, f1=0.5)
    """
    gold: list[set[str]] = []
    for names in (names_of(*page) for page in cited.evidence):
        if names and not any(names & own for own in gold):
            gold.append(names)
    if not gold:
        return None
    predicted: set[int | str] = set()
    for one in cited.citations:
        names = names_of(one.title, one.url, one.id)
        name = address_of(one.url) or min(names_of(one.page, ""), default="")
        predicted.add(next((place for place, own in enumerate(gold) if names & own), name))
    return evidence_scores(predicted, range(len(gold)))


class Evidence(CitationMetric):
    """Whether the pages that an answer cites are those that are evidence for its question.

    Yang et al. (2018), HotpotQA, https://arxiv.org/abs/1809.09600, for pages in place of sentences. From 0 to 1, higher
    is better. Questions that name no evidence do not count.
    """

    name: ClassVar[str] = "evidence"
    score_names: ClassVar[tuple[str, ...]] = ("evidence.f1", "evidence.precision", "evidence.recall")
    label: ClassVar[str] = "Cited evidence"
    formula: ClassVar[str] = "metrics/cited/evidence.html"

    def columns(self) -> tuple[Column, ...]:
        precision = "The share of the cited pages that are evidence for the question."
        recall = "The share of the pages with evidence that the answer cites."
        return (
            self.column("f1", "Evidence F1", "F1", "The harmonic mean of both."),
            self.column("precision", "Evidence precision", "Precision", precision),
            self.column("recall", "Evidence recall", "Recall", recall),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures="Measures whether an answer cites the pages with evidence for its question. No judge is asked.",
            formula=(
                "precision = cited pages that are evidence / cited pages\n"
                "recall = cited pages that are evidence / pages with evidence\n"
                "F1 = their harmonic mean; the means over the questions that name evidence"
            ),
            surprises=(
                "A page is recognised by its title, its address, or its id, without regard to case.",
                "All citations that were sent count, whether the text refers to them or not; a page twice counts once.",
                "Questions that name no evidence do not count; an unanswered question scores 0.",
            ),
            source="https://arxiv.org/abs/1809.09600",
        )

    def unmet_need(self, references: Sequence[ReferenceAnswer], evidence: Sequence[Sequence[object]]) -> str:
        del references
        return "" if any(evidence) else "evidence"

    def signature_parts(self) -> tuple[str, ...]:
        return ("pages",)

    def prepare(self, references: Sequence[ReferenceAnswer]) -> int:
        """The number of items: references are not read."""
        return len(references)

    def score(
        self,
        prepared: int,
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """See `Metric.score`; answers are as `packed` makes them.

        Raises:
            MetricUnavailableError: If no question names evidence.
        """
        del progress, budget
        check_lengths(prepared, len(generations))
        scores = [scores_of(CitedAnswer.of(generation)) for generation in generations]
        means = {
            name: mean_of_known([getattr(one, name.partition(".")[2]) if one else None for one in scores])
            for name in self.score_names
        }
        if known := {name: mean for name, mean in means.items() if mean is not None}:
            return known
        raise MetricUnavailableError(NO_EVIDENCE)
