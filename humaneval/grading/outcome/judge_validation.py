"""Judge validation: the judge's verdicts compared with human grades of the same answers, and scores corrected by
that."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from django.db import transaction

from humaneval.grading.criteria import Rubrics, is_by_criteria, lowest_mean, rubrics_of
from humaneval.grading.outcome.graded_answers import JUDGE, Graded, JudgedSet, first_category_of, judged_sets_of
from humaneval.grading.outcome.judge_comparison import DIMENSION, Decision, compare
from humaneval.models import GradingRound, Selection
from leaderboard.maintenance.corrections import save_corrections
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.metrics.base import clipped
from scoring.metrics.rubric import Criteria
from scoring.models import Score
from scoring.statistics import Corrected, corrected_mean, corrected_total


def judge_validations_of(round_: GradingRound, judged_sets: Sequence[JudgedSet]) -> list[dict[str, Any]]:
    """The judges that judged the round's answers, compared with human graders; the one with the most answers first.

    Calibration answers are omitted, and so are verdicts against another revision. Where people decide criteria, each is
    compared; a judge that scores reports beside a reference report decides none. One query.

    Args:
        judged_sets: Those of the round.
    """
    rubrics = rubrics_of(round_)
    by_signature: dict[str, dict[object, JudgedSet]] = defaultdict(dict)
    for of_set in judged_sets:
        by_signature[of_set.score.signature][of_set.score.run.answer_set_id] = of_set  # the latest score of a set
    views: list[dict[str, Any]] = []
    for signature, by_set in by_signature.items():
        judged = [
            (verdicts, of_set.graded[key]) for of_set in by_set.values() for key, verdicts in of_set.verdicts.items()
        ]
        judged.sort(key=lambda pair: pair[1].final.answer.position)
        comparison = compare([decision for pair in judged for decision in _decisions(*pair, rubrics)])
        if comparison is not None:
            of_lists = next(iter(by_set.values())).is_of_lists
            views.append({"signature": signature, "of_lists": of_lists, **comparison})
    return sorted(views, key=lambda view: (-view["whole"].n_items, view["signature"]))


def _decisions(verdicts: Sequence[float], answer: Graded, rubrics: Rubrics) -> Iterator[Decision]:
    """What a judge and people say of an answer, or of each of its criteria."""
    question = answer.question
    groups = {"By system": answer.party, "By category": first_category_of(question)}
    of_criteria = [
        {DIMENSION: criterion.dimension_label or "No dimension"}
        for criterion in (rubrics[question.pk].criteria if rubrics else ())
    ]
    for verdict, said, dimension in zip(verdicts, answer.final.said, of_criteria or [{}], strict=True):
        yield Decision(verdict, said, question.qid, groups | dimension)


# --- Corrected scores ----------------------------------------------------------------------------------------------


def corrected_name(round_: GradingRound) -> str:
    """The name of the scores that a round may correct."""
    return Criteria.name if is_by_criteria(round_) else JUDGE


def corrected_scores(round_: GradingRound, judged_sets: Sequence[JudgedSet]) -> list[tuple[Score, str, Corrected]]:
    """Every score of a judge of texts or criteria with at least `FEWEST_GRADES` of its answers in the round, with the
    name of what it scores, corrected.

    A round draws from the answers that are not blank, to questions with a reference answer: the mean of these is
    corrected. The rest of the score, above all questions without an answer, stays as it was scored. An answer on which
    graders differ counts as the share of them who found it correct: omitting it would omit the hard ones. Rounds that
    took the answers on which scores differ are excluded: the graded answers must be a random sample. So are scores of
    several attempts, of which only the first was graded. The grade of a report is the score that people give it, with
    the weights of its criteria. A score whose mean is clipped is corrected before that, and then clipped.

    Args:
        judged_sets: Those of the round.
    """
    if round_.selection == Selection.DISAGREEMENTS:
        return []
    rubrics = rubrics_of(round_)
    estimated = partial(corrected_total, lowest=lowest_mean(rubrics)) if rubrics else corrected_mean
    results = []
    for judged in sorted(judged_sets, key=lambda judged: judged.score.pk):
        if not judged.is_correctable:
            continue
        items = judged.items
        drawable = {
            key: value
            for key, value, chosen in zip(items.keys, judged.values, judged.is_drawable, strict=True)
            if chosen
        }
        graded = {key: answer for key, answer in judged.graded.items() if key in drawable}
        grades: dict[str, float] | None = {key: answer.final.correct for key, answer in graded.items()}
        if rubrics:
            grades = _totals_by_people(graded, judged.verdicts, rubrics)
        if grades is None:
            continue
        places = {key: index for index, key in enumerate(drawable)}
        # Only the probabilities of graded answers matter. Older rounds did not store them.
        probabilities = {key: answer.final.answer.origin.probability for key, answer in graded.items()}
        corrected = estimated(
            list(drawable.values()),
            [places[key] for key in graded],
            list(grades.values()),
            probabilities=None
            if None in probabilities.values()
            else [probabilities.get(key) or 1.0 for key in drawable],
            clusters=np.asarray(items.clusters)[..., list(judged.is_drawable)] if items.clusters is not None else None,
        )
        if corrected is not None:
            rest = [value for value, chosen in zip(judged.values, judged.is_drawable, strict=True) if not chosen]
            whole = _clipped_like(judged.score, corrected.beside(rest))
            results.append((judged.score, next(iter(graded.values())).party, whole))
    return results


def _totals_by_people(
    answers: Mapping[str, Graded], verdicts: Mapping[str, tuple[float, ...]], rubrics: Rubrics
) -> dict[str, float] | None:
    """The scores of answers by what people say of their criteria, on average where they differ, by the answers' keys.

    A criterion of which nobody could say anything counts as the judge decided it: there people tell nothing about the
    judge. None if such a verdict is gone.
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


def _clipped_like(score: Score, corrected: Corrected) -> Corrected:
    """A corrected score, clipped to 0 to 1 with its interval if the score is (`scoring.metrics.base.CLIPPED`)."""
    value, low, high = (clipped(number, score.signature) for number in (corrected.value, corrected.low, corrected.high))
    return replace(corrected, value=value, low=low, high=high)


@transaction.atomic
def publish_corrections(round_: GradingRound, *, by: User) -> int:
    """Show the corrected scores on leaderboards, in addition to the judge's scores; returns how many.

    Earlier corrected scores of the round are replaced.
    """
    scores = [(score.pk, corrected) for score, _, corrected in corrected_scores(round_, judged_sets_of(round_))]
    save_corrections(f"round {round_.slug}", f"Graded by hand in “{round_.name}”", scores)
    audit.record(by, "grading.corrections-published", f"round {round_.slug}", f"{len(scores)} scores")
    return len(scores)
