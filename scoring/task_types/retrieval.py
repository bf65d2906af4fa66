"""Recall of the passages that a system retrieved, over all questions of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scoring.metrics.answer_lists import gold_lists, mean_vector
from scoring.metrics.passage_recall import Passage, PassageRecall, answer_ranks, evidence_ranks, recall_at
from scoring.task_types.base import References

ANSWERS, BY_ALIAS, EVIDENCE = "arecall", "arecall-aliases", "erecall"

Recall = dict[str, float]
"""K, as text, to the recall at K."""
Retrieval = tuple[dict[str, Recall], list[dict[str, Recall | None]], list[str]]


def signature(references: References) -> str:
    """Signature of the numbers, as `Metric.signature` has it for a metric."""
    return PassageRecall().signature(f"references@{references.fingerprint}")


def retrieval_scores(references: References, passages: Mapping[str, Sequence[Passage]]) -> Retrieval:
    """ARecall@K and ERecall@K: the means over questions, the values of each question, and what to warn about.

    A question without passages scores 0. Evidence recall is undefined for a question whose references have no evidence:
    its value is None, and the mean is over the other questions.
    """
    questions: list[dict[str, Recall | None]] = []
    for name, gold, evidence in zip(references.ids, gold_lists(references.answers), references.evidence, strict=True):
        retrieved = passages.get(name, ())
        questions.append(
            {
                ANSWERS: _recall(answer_ranks(gold, retrieved), len(gold)),
                BY_ALIAS: _recall(answer_ranks(gold, retrieved, aliases=True), len(gold)),
                EVIDENCE: _recall(evidence_ranks(evidence, retrieved), len(evidence)) if evidence else None,
            }
        )
    scores = {}
    for part in (ANSWERS, BY_ALIAS, EVIDENCE):
        recalls = [recall for question in questions if (recall := question[part]) is not None]
        if recalls:
            scores[part] = {cutoff: mean_vector([recall[cutoff] for recall in recalls]).value for cutoff in recalls[0]}
    known = set(references.ids)
    warnings = [f"the id {name!r} is not among the references" for name in passages if name not in known]
    warnings += [f"question {name!r} has no passages; it scores 0" for name in references.ids if name not in passages]
    n_without = sum(not evidence for evidence in references.evidence)
    if n_without:
        warnings.append(f"{n_without:,} of {len(known):,} questions have no evidence; {EVIDENCE} is of the others only")
    return scores, questions, warnings


def _recall(ranks: Sequence[int], n_wanted: int) -> Recall:
    return {str(cutoff): share for cutoff, share in recall_at(ranks, n_wanted).items()}
