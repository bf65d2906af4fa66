"""Judge validation: the judge's verdicts compared with human grades of the same answers, and scores corrected by
that."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from django.db import transaction

from humaneval.grading.outcome.rating_matrices import FinalGrade, final_grades
from humaneval.models import GradingRound, Selection
from humaneval.results.answer_sets import latest_answers
from leaderboard.maintenance.corrections import save_corrections
from leaderboard.models import SubmissionFile, User
from leaderboard.operations import audit
from scoring.analysis.reference_items import item_counts
from scoring.generations.keys import IN_KEYS
from scoring.metrics.judge import Judge
from scoring.metrics.list_judge import ListJudge
from scoring.models import AnswerSet, Question, Revision, Score
from scoring.models.run_states import RunState
from scoring.queries import first_vectors_of, items_to_score, vectors_of
from scoring.statistics import Corrected, JudgeValidation, corrected_mean, validate_judge

(JUDGE,) = Judge.score_names
LIST_JUDGE: Final = ListJudge.score_names[0]
"""The F1 that a judge of lists gives; 1 for an answer that it finds completely right."""


@dataclass(frozen=True)
class _Graded:
    """An answer with its human grade, and its place among answers that a judge scores."""

    key: str
    """Key of the answer in its answer set, as in `scoring.queries.ScoredItems.keys`."""
    answer_set: AnswerSet
    party: str
    final: FinalGrade

    @property
    def question(self) -> Question:
        return self.final.answer.question


def judge_validations_of(round_: GradingRound) -> list[dict[str, Any]]:
    """The judges that judged the round's answers, compared with human graders; the one with the most answers first.

    Calibration answers are omitted, and so are verdicts against another revision. Intervals are over questions, each
    with its answers of all systems. About ten queries, and two for each answer set.
    """
    graded = _graded(round_)
    verdicts = _verdicts({answer.answer_set for answer in graded}, round_.revision)
    views: list[dict[str, Any]] = []
    for signature, by_set in verdicts.items():
        judged = [
            (by_set[answer.answer_set.pk][answer.key], answer)
            for answer in graded
            if answer.key in by_set.get(answer.answer_set.pk, {})
        ]
        # Where graders differ without a decision, the judge can be neither right nor wrong.
        decided = [(verdict, answer) for verdict, answer in judged if answer.final.correct in (0.0, 1.0)]
        if decided:
            by_system = _grouped(decided, lambda answer: answer.party)
            by_category = _grouped(decided, lambda answer: (answer.question.categories or ["No category"])[0])
            views.append(
                {
                    "signature": signature,
                    "of_lists": signature.startswith(f"{ListJudge.name}|"),
                    "whole": _validation(decided),
                    "tables": (("By system", by_system), ("By category", by_category)),
                    "n_undecided": len(judged) - len(decided),
                }
            )
    return sorted(views, key=lambda view: (-view["whole"].n_items, view["signature"]))


def _validation(pairs: Sequence[tuple[float, _Graded]]) -> JudgeValidation:
    return validate_judge(
        [verdict for verdict, _ in pairs],
        [answer.final.correct for _, answer in pairs],
        clusters=[answer.question.qid for _, answer in pairs],
    )


def _grouped(
    pairs: Sequence[tuple[float, _Graded]], name: Callable[[_Graded], str]
) -> tuple[tuple[str, JudgeValidation], ...]:
    groups: dict[str, list[tuple[float, _Graded]]] = defaultdict(list)
    for verdict, answer in pairs:
        groups[name(answer)].append((verdict, answer))
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple((group, _validation(of_group)) for group, of_group in ordered)


def _graded(round_: GradingRound) -> list[_Graded]:
    """The round's answers with a grade and an answer set; of a study's, only answers unchanged since that set."""
    names = {
        file.answer_set_id: f"{file.submission.name}, {file.setting.name.lower()}"
        for file in SubmissionFile.objects.filter(answer_set__gradings__graded_answer__round=round_).select_related(
            "submission", "setting"
        )
    }
    of_study: dict[int, tuple[AnswerSet | None, set[tuple[str, str, str]]]] = {}
    graded = []
    for final in final_grades(round_):
        if final.answer.is_calibration:
            continue
        answer_set, assignment = final.answer.origin.answer_set, final.answer.origin.assignment
        qid = final.answer.question.qid
        if answer_set is not None:
            graded.append(_Graded(qid, answer_set, names.get(answer_set.pk, "Other"), final))
        elif assignment is not None:
            study = assignment.participant.study
            if study.pk not in of_study:
                of_study[study.pk] = latest_answers(study)
            (answer_set, texts), code = of_study[study.pk], assignment.participant.code
            if answer_set is not None and (qid, code, final.answer.text) in texts:
                graded.append(_Graded(f"{qid}{IN_KEYS}{code}", answer_set, f"People, {study.name}", final))
    return graded


def _verdicts(answer_sets: Iterable[AnswerSet], revision: Revision) -> dict[str, dict[object, dict[str, float]]]:
    """Judge's outcomes (1 or 0) of the items by their keys, by signature and answer set: of several attempts at a
    question the first, which is graded. A list is right if its F1 is 1."""
    sets = {answer_set.pk: answer_set for answer_set in answer_sets}
    scores = {
        (score.signature, score.run.answer_set_id): score
        for score in Score.objects.filter(
            run__answer_set__in=sets,
            run__revision=revision,
            run__counts=True,
            run__state=RunState.DONE,
            name__in=(JUDGE, LIST_JUDGE),
        )
        .select_related("run")
        .defer("vector")
        .order_by("created_at", "pk")
    }
    vectors = first_vectors_of(score.pk for score in scores.values())
    keys = {pk: items_to_score(sets[pk], revision).first.keys for pk in {pk for _, pk in scores}}
    verdicts: dict[str, dict[object, dict[str, float]]] = defaultdict(dict)
    for (signature, pk), score in scores.items():
        values = (vectors[score.pk] == 1).astype(float).tolist()
        if len(values) == len(keys[pk]):
            verdicts[signature][pk] = dict(zip(keys[pk], values, strict=True))
    return verdicts


# --- Corrected scores ----------------------------------------------------------------------------------------------


def corrected_scores(round_: GradingRound) -> list[tuple[Score, str, Corrected]]:
    """Every score of a judge of texts with at least `FEWEST_GRADES` of its answers in the round, with the name of what
    it scores, corrected.

    A round draws from the answers that are not blank, to questions with a reference answer: the mean of these is
    corrected. The rest of the score, above all questions without an answer, stays as it was scored. An answer on which
    graders differ counts as the share of them who found it correct: omitting it would omit the hard ones. Rounds that
    took the answers on which scores differ are excluded: the graded answers must be a random sample. So are scores of
    several attempts, of which only the first was graded.
    """
    if round_.selection == Selection.DISAGREEMENTS:
        return []
    by_set: dict[object, list[_Graded]] = defaultdict(list)
    for answer in _graded(round_):
        by_set[answer.answer_set.pk].append(answer)
    scores = (
        Score.objects.filter(
            run__answer_set__in=list(by_set),
            run__revision=round_.revision,
            run__counts=True,
            run__state=RunState.DONE,
            name=JUDGE,
        )
        .select_related("run__answer_set")
        .defer("vector")
        .order_by("pk")
    )
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
        places = {key: index for index, key in enumerate(drawable)}
        # Only the probabilities of graded answers matter. Older rounds did not store them.
        probabilities = {key: answer.final.answer.origin.probability for key, answer in graded.items()}
        corrected = corrected_mean(
            list(drawable.values()),
            [places[key] for key in graded],
            [answer.final.correct for answer in graded.values()],
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
