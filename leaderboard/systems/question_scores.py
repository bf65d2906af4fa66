"""Scores of single questions, and answers, as data: of splits that are not hidden.

Enters: an answer set of such a split. Leaves: for some of its questions, every score that its boards show; or the
answers as sent.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.systems.scores import scores_in_force
from scoring.models import Answer, AnswerBlock, AnswerSet, Question, Revision, Split
from scoring.queries import current_signatures, definition_on, weighted_vectors_of
from scoring.runs.judging.comparisons import counted_vectors


def scored_revision(answer_set: AnswerSet, split: Split) -> tuple[Revision, Mapping[str, int]] | None:
    """The revision that an answer set is scored on, with the keys of the scores that boards show, by their names; None
    while it has none, and for answers of people, several of whom may answer a question. Two queries.

    If the metrics are scored on several revisions, that of the score which sorts the boards, or else the newest.
    """
    if split.hidden or Answer.objects.filter(answer_set=answer_set).exists():
        return None
    in_force = scores_in_force({answer_set.pk: current_signatures(split)})[answer_set.pk]
    scores = [score for score in in_force.values() if not score.run.subset]
    if not scores:
        return None
    first = definition_on(split).default_sort
    revision = max(scores, key=lambda score: (score.name == first, score.run.revision.created_at)).run.revision
    return revision, {score.key: score.pk for score in scores if score.run.revision_id == revision.pk}


def rows_of(
    questions: Sequence[Question], answer_set: AnswerSet, revision: Revision, scores: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Some questions of a revision, in their order, each with its scores; None where a question does not count. At most
    five queries."""
    vectors, weights = weighted_vectors_of(scores.values())
    vectors |= counted_vectors({pk: name for name, pk in scores.items()}, weights)
    ids = Question.objects.filter(revision=revision).order_by("position").values_list("qid", flat=True)
    places = {qid: place for place, qid in enumerate(ids)}
    whole = {name: vectors[pk] for name, pk in scores.items() if len(vectors[pk]) == len(places)}
    qids = [question.qid for question in questions]
    answered = AnswerBlock.objects.attempts_of(answer_set, qids)
    return [
        {
            "question_id": qid,
            "answered": qid in answered,
            "scores": {
                name: None if math.isnan(value) else value
                for name, vector in whole.items()
                for value in (float(vector[places[qid]]),)
            },
        }
        for qid in qids
    ]
