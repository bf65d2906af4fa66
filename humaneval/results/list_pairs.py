"""The lists that people wrote for the same question, compared two by two: lists that agree can become a gold list.

No reference answer is needed or read.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import Any, Final

from humaneval.models import Study
from humaneval.studies.queries import counted_answers
from scoring.analysis.explanations import readable
from scoring.metrics.list_judge import list_agreement
from scoring.registry import task_type_of

MOST_SHOWN: Final = 200


def list_pairs_of(studies: Iterable[Study]) -> dict[str, Any]:
    """Every two lists for one question in some studies that count, ordered by question (``pairs``), the first of them
    (``shown``), and the number of pairs that agree. None of a benchmark whose answers are no lists. Two queries for
    each study."""
    by_question: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    texts: dict[str, str] = {}
    for study in studies:
        task_type = task_type_of(study.split.benchmark.slug)
        if not task_type.splits_texts:
            continue
        rows = (
            counted_answers(study)
            .select_related("question", "participant")
            .order_by("question__position", "question__qid", "participant__number")
        )
        for row in rows:
            if row.question is not None:
                texts[row.question.qid] = readable(row.question.text)
                author = f"{study.name}, {row.participant.code}"
                by_question[row.question.qid].append((author, task_type.texts_of(task_type.typed(row.text))))
    # A question, the authors of two lists for it (study and code), and the agreement of the lists.
    pairs = [
        (texts[qid], first, second, list_agreement(of_first, of_second))
        for qid, lists in by_question.items()
        for (first, of_first), (second, of_second) in combinations(lists, 2)
    ]
    n_accepted = sum(agreement.accepted for *_, agreement in pairs)
    return {"pairs": pairs, "shown": pairs[:MOST_SHOWN], "n_accepted": n_accepted}
