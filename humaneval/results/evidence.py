"""The articles that a study's participants read, compared with the necessary ones: for the study, and per question."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final

from django.core.paginator import Paginator
from django.db.models import Prefetch

from humaneval.models import Assignment, Study, Visit
from humaneval.results.answer_sets import latest_values
from humaneval.studies.evidence_measures import AnswerMeasures, answer_measures, together
from humaneval.studies.queries import counted_answers

PAGE_SIZE: Final = 25
ALL_READ: Final = "All necessary articles"
SOME_READ: Final = "Some necessary articles"
NONE_READ: Final = "No necessary article"


Measured = tuple[Assignment, AnswerMeasures]
"""An answer with its measures from the visit log."""


def measured_answers(study: Study) -> Iterator[Measured]:
    """Every answer that counts, with its measures; ordered by participant and position. Three queries."""
    answers = counted_answers(study).filter(question__isnull=False).select_related("question", "participant")
    visits = Prefetch("visits", Visit.objects.order_by("opened_at", "pk"))
    for answer in answers.prefetch_related(visits, "searches"):
        measures = answer_measures(answer, list(answer.visits.all()), [search.kind for search in answer.searches.all()])
        if measures is not None:
            yield answer, measures


def evidence_of(study: Study, page: str | None = None, *, with_scores: bool = True) -> dict[str, Any]:
    """The visit log's measures of a study, with the questions where most was missed first: each with its ``measures``,
    the articles ``missed`` by how many participants, and the ``codes`` of those who answered it.

    Args:
        with_scores: whether to include scores by what was read. The means of a group before and after an answer joins
            it reveal that answer's score, which on a hidden split is for maintainers.
    """
    answers = list(measured_answers(study))
    by_question: dict[str, list[Measured]] = defaultdict(list)
    for answer, measures in answers:
        by_question[answer.qid].append((answer, measures))
    lines: list[dict[str, Any]] = [
        {
            "qid": qid,
            "text": group[0][0].asked_text,
            "measures": together([measures for _, measures in group]),
            "missed": Counter(gold for _, measures in group for gold in measures.missed).most_common(),
            "codes": [answer.participant.code for answer, _ in group],
        }
        for qid, group in by_question.items()
    ]
    lines.sort(key=lambda line: (line["measures"]["recall"] is None, line["measures"]["recall"] or 0.0, line["qid"]))
    shown = Paginator(lines, PAGE_SIZE).get_page(page)
    return {
        "measures": together([measures for _, measures in answers]),
        "by_reading": _by_reading(study, answers) if with_scores else None,
        "questions": shown,
        "previous_url": f"?page={shown.previous_page_number()}" if shown.has_previous() else "",
        "next_url": f"?page={shown.next_page_number()}" if shown.has_next() else "",
    }


def _by_reading(study: Study, answers: list[Measured]) -> dict[str, Any] | None:
    """Scores by the share of necessary articles read: how much, the number of answers, and their mean (None without a
    scored one). None until the answers are scored."""
    scored = latest_values(study)
    if scored is None:
        return None
    column, signature, value_of = scored
    groups: dict[str, list[float]] = {label: [] for label in (ALL_READ, SOME_READ, NONE_READ)}
    for answer, measures in answers:
        value = value_of.get((answer.participant.code, answer.qid))
        if value is None or not measures.n_gold:
            continue
        n, n_gold = measures.n_gold_visited, measures.n_gold
        groups[ALL_READ if n == n_gold else SOME_READ if n else NONE_READ].append(value)
    rows = [(label, len(values), statistics.fmean(values) if values else None) for label, values in groups.items()]
    return {"column": column, "signature": signature, "rows": rows}
