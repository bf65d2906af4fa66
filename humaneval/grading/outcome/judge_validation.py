"""Judge validation: the judge's verdicts compared with human grades of the same answers, and scores corrected by
that."""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import numpy as np
from django.db import transaction

from humaneval.grading.criteria import is_by_criteria, rubrics_of
from humaneval.grading.outcome.graded_answers import Graded, graded_answers, scores_of, tables_of, validation_of
from humaneval.grading.outcome.judged_criteria import criteria_validations_of, totals_by_people
from humaneval.models import GradingRound, Selection
from leaderboard.maintenance.corrections import save_corrections
from leaderboard.models import User
from leaderboard.operations import audit
from scoring.analysis.reference_items import item_counts
from scoring.metrics.judge import Judge
from scoring.metrics.list_judge import ListJudge
from scoring.metrics.rubric import Criteria
from scoring.models import AnswerSet, Score
from scoring.queries import first_vectors_of, items_to_score, vectors_of
from scoring.statistics import Corrected, corrected_mean, corrected_total

(JUDGE,) = Judge.score_names
LIST_JUDGE: Final = ListJudge.score_names[0]
"""The F1 that a judge of lists gives; 1 for an answer that it finds completely right."""


def judge_validations_of(round_: GradingRound) -> list[dict[str, Any]]:
    """The judges that judged the round's answers, compared with human graders; the one with the most answers first.

    Calibration answers are omitted, and so are verdicts against another revision. Intervals are over questions, each
    with its answers of all systems. About ten queries, and two for each answer set.
    """
    if is_by_criteria(round_):
        return criteria_validations_of(round_)
    graded = graded_answers(round_)
    verdicts = _verdicts(round_, {answer.answer_set for answer in graded})
    views: list[dict[str, Any]] = []
    for signature, by_set in verdicts.items():
        judged = [
            (by_set[answer.answer_set.pk][answer.key], answer)
            for answer in graded
            if answer.key in by_set.get(answer.answer_set.pk, {})
        ]
        # Where graders differ without a decision, the judge can be neither right nor wrong.
        decided = [
            (verdict, answer.final.correct, answer) for verdict, answer in judged if answer.final.correct in (0.0, 1.0)
        ]
        if decided:
            views.append(
                {
                    "signature": signature,
                    "of_lists": signature.startswith(f"{ListJudge.name}|"),
                    "whole": validation_of(decided),
                    "tables": tables_of(decided),
                    "n_undecided": len(judged) - len(decided),
                }
            )
    return sorted(views, key=lambda view: (-view["whole"].n_items, view["signature"]))


def _verdicts(round_: GradingRound, answer_sets: Iterable[AnswerSet]) -> dict[str, dict[object, dict[str, float]]]:
    """Judge's outcomes (1 or 0) of the items by their keys, by signature and answer set: of several attempts at a
    question the first, which is graded. A list is right if its F1 is 1."""
    sets = {answer_set.pk: answer_set for answer_set in answer_sets}
    scores = {
        (score.signature, score.run.answer_set_id): score for score in scores_of(round_, sets, (JUDGE, LIST_JUDGE))
    }
    vectors = first_vectors_of(score.pk for score in scores.values())
    keys = {pk: items_to_score(sets[pk], round_.revision).first.keys for pk in {pk for _, pk in scores}}
    verdicts: dict[str, dict[object, dict[str, float]]] = defaultdict(dict)
    for (signature, pk), score in scores.items():
        values = (vectors[score.pk] == 1).astype(float).tolist()
        if len(values) == len(keys[pk]):
            verdicts[signature][pk] = dict(zip(keys[pk], values, strict=True))
    return verdicts


# --- Corrected scores ----------------------------------------------------------------------------------------------


def corrected_name(round_: GradingRound) -> str:
    """The name of the scores that a round may correct."""
    return Criteria.name if is_by_criteria(round_) else JUDGE


def corrected_scores(round_: GradingRound) -> list[tuple[Score, str, Corrected]]:
    """Every score of a judge of texts or criteria with at least `FEWEST_GRADES` of its answers in the round, with the
    name of what it scores, corrected.

    A round draws from the answers that are not blank, to questions with a reference answer: the mean of these is
    corrected. The rest of the score, above all questions without an answer, stays as it was scored. An answer on which
    graders differ counts as the share of them who found it correct: omitting it would omit the hard ones. Rounds that
    took the answers on which scores differ are excluded: the graded answers must be a random sample. So are scores of
    several attempts, of which only the first was graded. The grade of a report is the score that people give it, with
    the weights of its criteria.
    """
    if round_.selection == Selection.DISAGREEMENTS:
        return []
    by_set: dict[object, list[Graded]] = defaultdict(list)
    for answer in graded_answers(round_):
        by_set[answer.answer_set.pk].append(answer)
    rubrics = rubrics_of(round_)
    # Of all questions, also for a system that left some out: no mean can be lower.
    lowest = min((rubric.lowest for rubric in rubrics.values()), default=0.0)
    estimated = partial(corrected_total, lowest=lowest) if rubrics else corrected_mean
    scores = scores_of(round_, by_set, [corrected_name(round_)])
    vectors = vectors_of(score.pk for score in scores)
    counts = item_counts(round_.revision)
    results = []
    for score in scores:
        items = items_to_score(score.run.answer_set, round_.revision)
        if items.n_attempts > 1 or len(vectors[score.pk]) != len(items.keys):
            continue
        verdicts = dict(zip(items.keys, vectors[score.pk].tolist(), strict=True))
        drawable = {
            key: verdicts[key]
            for key, qid, text in zip(items.keys, items.qids, items.generations, strict=True)
            if key in verdicts and text is not None and text.strip() and counts.get(qid)
        }
        graded = {answer.key: answer for answer in by_set[score.run.answer_set_id] if answer.key in drawable}
        grades: dict[str, float] | None = {key: answer.final.correct for key, answer in graded.items()}
        if rubrics:
            grades = totals_by_people(score.run, graded, rubrics)
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
            clusters=np.asarray(items.clusters)[..., [key in drawable for key in items.keys]]
            if items.clusters is not None
            else None,
        )
        if corrected is not None:
            rest = [verdict for key, verdict in verdicts.items() if key not in drawable]
            results.append((score, next(iter(graded.values())).party, corrected.beside(rest)))
    return results


@transaction.atomic
def publish_corrections(round_: GradingRound, *, by: User) -> int:
    """Show the corrected scores on leaderboards, in addition to the judge's scores; returns how many.

    Earlier corrected scores of the round are replaced.
    """
    scores = [(score.pk, corrected) for score, _, corrected in corrected_scores(round_)]
    save_corrections(f"round {round_.slug}", f"Graded by hand in “{round_.name}”", scores)
    audit.record(by, "grading.corrections-published", f"round {round_.slug}", f"{len(scores)} scores")
    return len(scores)
