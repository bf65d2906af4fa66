"""Compute the measures of one answer from the visit log: which necessary articles were read, and when."""

from collections.abc import Iterable, Sequence
from typing import Final

from humaneval.encyclopedia.titles import title_in
from humaneval.models import Assignment, Origin, SearchKind, Visit
from humaneval.studies.evidence_measures import AnswerMeasures, Visited, gold_of, measures_of

IN_A_WIKI: Final = "/wiki/"


def visited_of(visits: Iterable[Visit]) -> list[Visited]:
    """Visits as the measures take them. An article read elsewhere gets the title in its wiki address."""
    return [
        Visited(
            title=title_in(one.url) if one.origin == Origin.REPORTED and IN_A_WIKI in one.url else one.title,
            page_id=one.page_id,
            opened_at=one.opened_at,
            reported=one.origin == Origin.REPORTED,
            used=one.used,
        )
        for one in visits
    ]


def answer_measures(assignment: Assignment, visits: Sequence[Visit], kinds: Sequence[str]) -> AnswerMeasures | None:
    """The measures of one answer; None for an attention check.

    Args:
        visits: the answer's visits, in order.
        kinds: the kinds of its searches.
    """
    if assignment.question is None:
        return None
    return measures_of(
        visited_of(visits),
        gold_of(assignment.question.evidence),
        opened_at=assignment.opened_at,
        n_searches=sum(kind == SearchKind.ENCYCLOPEDIA for kind in kinds),
        n_passage_searches=sum(kind == SearchKind.PASSAGES for kind in kinds),
    )
