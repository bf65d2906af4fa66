"""Files for a hidden split whose answers are its reference answers to the letter: these may have become known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from django.db.models import Q

from scoring.analysis.anomalies import Anomaly
from scoring.benchmarks.reference_texts import ReferenceTexts, texts_of_reference
from scoring.generations.keys import by_question
from scoring.models import Question, Split
from scoring.registry import task_type_of

COPIED_REFERENCES: Final = "copied_references"
MOST_WORDS: Final = 3
"""An answer may well equal a reference answer of so few words: a name, a number."""
COPIED_SHARE: Final = 0.1
"""The share of the longer reference answers above which as many equal answers are no coincidence."""
FEWEST_COPIED: Final = 3
"""The fewest equal answers that are no coincidence, where a tenth of the longer reference answers would be fewer."""
_TIMES_AS_LONG: Final = 16
"""Characters that a way of writing may take for one that metrics read."""
_LEAST_COMPARED: Final = 100


def copied_references(answers: Mapping[str, str], split: Split) -> list[Anomaly]:
    """Whether answers equal the reference answers in more than a tenth of the questions of a split whose reference
    answer has more than three words, and in at least three; at most one anomaly, with numbers and without ids.

    Both are compared as metrics read them; of lists every entry is equal, in any order. Reference answers of subsets
    count too; of a split that keeps a part for the end, only the part by which its boards rank. An answer many times as
    long as the reference answer is not compared. One query.

    Args:
        answers: by their keys, as stored, without what is removed before they are scored; of several attempts at a
            question one that is equal is enough.
        split: with its benchmark.
    """
    task = task_type_of(split.benchmark.slug)
    current = Q(revision__current_of=split) | Q(revision__current_of__subset_of=split)
    if split.shown_part:  # what is held must tell nothing of a part that is kept for the end
        current = Q(revision__current_of__subset_of=split, revision__split__part=split.shown_part)
    stored = Question.objects.filter(current, reference__isnull=False)
    longer: dict[str, list[ReferenceTexts]] = {}
    for qid, answer_json in stored.values_list("qid", "reference__answer_json"):
        reference = texts_of_reference(json.loads(answer_json), task)
        if reference.n_words > MOST_WORDS:
            longer.setdefault(qid, []).append(reference)

    def is_copy(answer: str, reference: ReferenceTexts) -> bool:
        most = _LEAST_COMPARED + _TIMES_AS_LONG * sum(map(len, reference.entries))
        return len(answer) <= most and reference.equals(task.texts_of(answer))

    given = by_question(answers)
    n_copied = sum(
        any(is_copy(answer, reference) for answer in given.get(qid, ()) if answer for reference in references)
        for qid, references in longer.items()
    )
    if n_copied < FEWEST_COPIED or n_copied <= COPIED_SHARE * len(longer):
        return []
    return [Anomaly(COPIED_REFERENCES, n_copied, (), facts={"longer_references": len(longer)})]
