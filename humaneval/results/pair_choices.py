"""Choices of people in a study in which they compare answers side by side, and the judge's comparisons."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np

from humaneval.models import Study, StudyItem
from humaneval.results.pair_outcome import Choice, JudgedPair, outcome_of
from humaneval.studies.exclusions import defends_pair
from humaneval.studies.queries import counted_answers
from leaderboard.models import Entry
from scoring.runs.judging.comparisons import compared_pairs


def pair_outcome_of(study: Study) -> dict[str, Any]:
    """The outcome of a study, of the current choices. About eight queries."""
    return outcome_of(choices_of(study), judged_of(study), systems_of(study))


def choices_of(study: Study) -> list[Choice]:
    """The current choices that count, by participant and position. One query."""
    rows = counted_answers(study).filter(item__first_set__isnull=False, item__second_set__isnull=False)
    return [
        Choice(
            person=row.participant.code,
            qid=item.qid,
            category=category_of(item),
            first=item.first_set_id,
            second=item.second_set_id,
            lengths=(len(item.candidate), len(item.other)),
            swapped=row.swapped,
            vote=row.text,
            injected=item.is_injected,
            is_defensible=defends_pair(row.text, swapped=row.swapped, first_is_good=item.supported is True),
            named=item.named,
        )
        for row in rows.select_related("participant", "item__question")
        if (item := row.item) is not None and item.first_set_id is not None and item.second_set_id is not None
    ]


def category_of(item: StudyItem) -> str:
    """The first category of a pair's question; empty if it has none."""
    categories = (item.question.categories if item.question is not None else []) or [""]
    return str(categories[0])


def systems_of(study: Study) -> dict[UUID, str]:
    """The names of the compared systems, by their answer sets; in the order of the names. Two queries."""
    sets = set(study.items.exclude(first_set=None).values_list("first_set", flat=True))
    sets |= set(study.items.exclude(second_set=None).values_list("second_set", flat=True))
    rows = Entry.objects.filter(answer_set__in=sets).values_list("answer_set", "system__name")
    names: Mapping[UUID, str] = dict(rows)
    return dict(sorted(((key, names.get(key, str(key))) for key in sets), key=lambda pair: (pair[1], pair[0])))


def judged_of(study: Study) -> list[JudgedPair]:
    """The judge's comparisons of the study's systems, on all questions of the split's current revision."""
    revision = study.split.current_revision
    if revision is None:
        return []
    revision.split = study.split
    return [
        JudgedPair(
            pair.first, pair.second, pair.qids, pair.preferences, pair.judged, np.asarray(pair.answered.all(axis=1))
        )
        for pair in compared_pairs(revision, set(systems_of(study)))
    ]
