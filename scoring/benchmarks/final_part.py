"""The part of a hidden split that is kept for the end: which questions are drawn for it.

Enters: the questions of a split, those that were drawn before, and a secret of the site. Leaves: the ids of the
questions of the final part. Nobody can repeat the draw without the secret, and with it, it is always the same.
"""

from __future__ import annotations

import hmac
import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from scoring.benchmarks.base import SourceQuestion
from scoring.benchmarks.subsets import SMALLEST_HIDDEN

PARTS_EXPECTED: Final = f"at least {SMALLEST_HIDDEN} questions in each of the two parts"


def drawn(
    questions: Sequence[SourceQuestion],
    share: float,
    *,
    secret: bytes,
    public: Collection[str] = (),
    final: Collection[str] = (),
) -> set[str]:
    """The ids of the questions that are kept for the end.

    A question stays in the part where it is. Of the others, the share is drawn in each category, with the largest
    remainders, so that both parts have the mix of the whole. Questions of one cluster are kept together: what one of
    them tells of the others would cost the final part too.

    A question with several categories counts for their combination.

    Args:
        questions: of the split.
        share: of the questions, between 0 and 1.
        secret: known to the site alone, and different for each split.
        public: the ids of questions that were in the public part before.
        final: of those that were in the final part.
    """
    clusters: dict[str, list[SourceQuestion]] = defaultdict(list)
    for question in questions:
        clusters[f"cluster {question.cluster}" if question.cluster else f"question {question.qid}"].append(question)
    kept: set[str] = set()
    new: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, members in clusters.items():
        ids = {question.qid for question in members}
        known = [qid for qid in ids if qid in final or qid in public]
        if not known:
            new[tuple(sorted(members[0].categories))].append(name)
            continue
        # A question that joins the cluster of others goes where these are.
        joins_final = any(qid in final for qid in known)
        kept |= {qid for qid in ids if qid in final or (qid not in public and joins_final)}

    def order(name: str) -> bytes:
        return hmac.digest(secret, name.encode(), "sha256")

    exact = {category: share * len(names) for category, names in new.items()}
    numbers = {category: math.floor(number) for category, number in exact.items()}
    left = round(sum(exact.values())) - sum(numbers.values())
    # Equal remainders in an order that nobody can predict.
    by_remainder = sorted(exact, key=lambda category: (numbers[category] - exact[category], order("\t".join(category))))
    for category in by_remainder[:left]:
        numbers[category] += 1
    for category, names in new.items():
        for name in sorted(names, key=order)[: numbers[category]]:
            kept |= {question.qid for question in clusters[name]}
    return kept


def refusal(n_final: int, n_questions: int) -> str:
    """Why a split cannot be divided so, empty if it can: scores on few questions tell which of them are right.

    >>> refusal(50, 100), refusal(40, 100)
    ('', 'parts of 60 and 40 questions')
    """
    sizes = n_questions - n_final, n_final
    return "" if min(sizes) >= SMALLEST_HIDDEN else f"parts of {sizes[0]:,} and {sizes[1]:,} questions"
