"""Judges of criteria beside people, criterion by criterion."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from humaneval.grading.criteria import Rubrics, rubrics_of
from humaneval.grading.outcome.graded_answers import (
    Compared,
    Graded,
    JudgedSet,
    grouped,
    judged_sets_of,
    tables_of,
    validation_of,
)
from humaneval.models import GradingRound


def criteria_validations_of(round_: GradingRound) -> list[dict[str, Any]]:
    """The judges that decided the criteria of the round's answers, compared with people; the one with the most first.

    A criterion is met or not: in part is not. Left out are criteria on which people differ without a decision, and
    those of which nobody could say anything. A judge that scores reports beside a reference report decides no
    criterion. About ten queries, and some for each run.
    """
    rubrics = rubrics_of(round_)
    by_signature: dict[str, dict[object, JudgedSet]] = defaultdict(dict)
    for of_set in judged_sets_of(round_):
        by_signature[of_set.score.signature][of_set.score.run.answer_set_id] = of_set  # the latest score of a set
    views: list[dict[str, Any]] = []
    for signature, by_set in by_signature.items():
        judged = [
            (of_set.verdicts[key], answer)
            for of_set in by_set.values()
            for key, answer in of_set.graded.items()
            if key in of_set.verdicts
        ]
        judged.sort(key=lambda pair: pair[1].final.answer.position)
        compared: list[Compared] = []
        dimensions: list[str] = []
        n_undecided = n_unsure = 0
        for decided, answer in judged:
            criteria = rubrics[answer.question.pk].criteria
            said = zip(criteria, decided, answer.final.met, answer.final.are_agreed, strict=True)
            for criterion, verdict, met, is_agreed in said:
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


def totals_by_people(
    answers: Mapping[str, Graded], verdicts: Mapping[str, tuple[float, ...]], rubrics: Rubrics
) -> dict[str, float] | None:
    """The scores of answers by what people say of their criteria, on average where they differ, by the answers' keys.

    A criterion of which nobody could say anything counts as the judge decided it: there people tell nothing about the
    judge. None if such a verdict is gone.

    Args:
        answers: by their keys.
        verdicts: of the judge (`JudgedSet.verdicts`).
    """
    totals = {}
    for key, answer in answers.items():
        met = answer.final.met
        if None in met:
            if key not in verdicts:
                return None
            met = tuple(judge if share is None else share for share, judge in zip(met, verdicts[key], strict=True))
        totals[key] = rubrics[answer.question.pk].score(met) or 0.0
    return totals
