"""Recall of the passages that a system retrieved, over all questions of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scoring.metrics.answer_lists import gold_lists, mean_vector
from scoring.metrics.passage_recall import Passage, PassageRecall, answer_ranks, evidence_ranks, recall_at
from scoring.task_types.base import References

ANSWERS, BY_ALIAS, EVIDENCE = "arecall", "arecall-aliases", "erecall"

Recall = dict[str, float]
"""K, as text, to the recall at K."""


class RetrievalScores(NamedTuple):
    """The means over questions, the values of each question, and what to warn about."""

    scores: dict[str, Recall]
    questions: list[dict[str, Recall | None]]
    warnings: list[str]


def signature(references: References) -> str:
    """What the numbers depend on, as `Metric.signature` says it."""
    return PassageRecall().signature(f"references@{references.fingerprint}")


def retrieval_scores(references: References, passages: Mapping[str, Sequence[Passage]]) -> RetrievalScores:
    """ARecall@K and ERecall@K.

    A question without passages scores 0. Evidence recall is undefined for a question whose references have no evidence:
    its value is None, and the mean is over the other questions.
    """
    questions: list[dict[str, Recall | None]] = []
    for name, gold, evidence in zip(references.ids, gold_lists(references.answers), references.evidence, strict=True):
        found = passages.get(name, ())
        questions.append(
            {
                ANSWERS: _recall(answer_ranks(gold, found), len(gold)),
                BY_ALIAS: _recall(answer_ranks(gold, found, aliases=True), len(gold)),
                EVIDENCE: _recall(evidence_ranks(evidence, found), len(evidence)) if evidence else None,
            }
        )
    scores = {}
    for part in (ANSWERS, BY_ALIAS, EVIDENCE):
        values = [value for one in questions if (value := one[part]) is not None]
        if values:
            scores[part] = {cutoff: mean_vector([one[cutoff] for one in values]).value for cutoff in values[0]}
    return RetrievalScores(scores, questions, _warnings(references, passages))


def _recall(ranks: Sequence[int], n_wanted: int) -> Recall:
    return {str(cutoff): share for cutoff, share in recall_at(ranks, n_wanted).items()}


def _warnings(references: References, passages: Mapping[str, Any]) -> list[str]:
    known = set(references.ids)
    warnings = [f"the id {name!r} is not among the references" for name in passages if name not in known]
    warnings += [f"question {name!r} has no passages; it scores 0" for name in references.ids if name not in passages]
    n_without = sum(not one for one in references.evidence)
    if n_without:
        warnings.append(f"{n_without:,} of {len(known):,} questions have no evidence; {EVIDENCE} is of the others only")
    return warnings
