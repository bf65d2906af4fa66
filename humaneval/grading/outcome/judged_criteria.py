"""Judges of criteria beside people, criterion by criterion."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from humaneval.grading.criteria import Rubrics, rubrics_of
from humaneval.grading.outcome.graded_answers import (
    Compared,
    Graded,
    graded_answers,
    grouped,
    scores_of,
    tables_of,
    validation_of,
)
from humaneval.models import GradingRound
from scoring.metrics.rubric import Criteria
from scoring.models import Run
from scoring.runs.judging.items import verdicts_on


def criteria_validations_of(round_: GradingRound) -> list[dict[str, Any]]:
    """The judges that decided the criteria of the round's answers, compared with people; the one with the most first.

    A criterion is met or not: in part is not. Left out are criteria on which people differ without a decision, and
    those of which nobody could say anything. A judge that scores reports beside a reference report decides no
    criterion. About ten queries, and some for each run.
    """
    graded = graded_answers(round_)
    rubrics = rubrics_of(round_)
    by_set: dict[object, list[Graded]] = defaultdict(list)
    for answer in graded:
        by_set[answer.answer_set.pk].append(answer)
    runs = {
        (score.signature, score.run.answer_set_id): score.run for score in scores_of(round_, by_set, [Criteria.name])
    }
    views: list[dict[str, Any]] = []
    for signature in dict.fromkeys(signature for signature, _ in runs):
        verdicts = {key: verdicts_of(run, by_set[key]) for (of, key), run in runs.items() if of == signature}
        compared: list[Compared] = []
        dimensions: list[str] = []
        n_undecided = n_unsure = 0
        for answer in graded:
            judged = verdicts.get(answer.answer_set.pk, {}).get(answer.key, ())
            said = zip(judged, answer.final.met, answer.final.are_agreed, strict=False)  # nothing, if it is not judged
            criteria = rubrics[answer.question.pk].criteria
            for criterion, (verdict, met, is_agreed) in zip(criteria, said, strict=False):
                if met is None:
                    n_unsure += 1
                elif not is_agreed:
                    n_undecided += 1
                else:
                    compared.append((float(verdict == 1), float(met == 1), answer))
                    dimensions.append(criterion.dimension or "No dimension")
        if compared:
            tables = tables_of(compared)
            if len(set(dimensions)) > 1:
                tables.append(("By dimension", grouped(compared, dimensions)))
            views.append(
                {
                    "signature": signature,
                    "whole": validation_of(compared),
                    "tables": tables,
                    "n_undecided": n_undecided,
                    "n_unsure": n_unsure,
                }
            )
    return sorted(views, key=lambda view: (-view["whole"].n_items, view["signature"]))


def verdicts_of(run: Run, answers: Iterable[Graded]) -> dict[str, tuple[float, ...]]:
    """How far a judge finds each criterion met in these answers, by the answer's key; without those that it did not
    decide."""
    found = verdicts_on(run, {answer.key for answer in answers})
    return {key: tuple(map(float, letters)) for key, letters in found.items()}


def totals_by_people(run: Run, answers: Mapping[str, Graded], rubrics: Rubrics) -> dict[str, float] | None:
    """The scores of answers by what people say of their criteria, on average where they differ, by the answers' keys.

    A criterion of which nobody could say anything counts as the judge decided it: there people tell nothing about the
    judge. None if such a verdict is gone.

    Args:
        run: of the judge.
        answers: by their keys.
    """
    judged = verdicts_of(run, (answer for answer in answers.values() if None in answer.final.met))
    totals = {}
    for key, answer in answers.items():
        met = answer.final.met
        if None in met:
            if key not in judged:
                return None
            met = tuple(judge if share is None else share for share, judge in zip(met, judged[key], strict=True))
        totals[key] = rubrics[answer.question.pk].score(met) or 0.0
    return totals
