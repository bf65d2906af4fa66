"""Judge validation: the judge's verdicts compared with human grades of the same answers, and scores corrected by
that."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

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
from scoring.models import AnswerSet, Question, Score
from scoring.models.run_states import RunState
from scoring.queries import ScoredItems, first_vectors_of, items_to_score
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


@dataclass(frozen=True)
class JudgedSet:
    """An answer set that a judge scored, some of whose answers were graded by hand."""

    score: Score
    items: ScoredItems
    """Of several attempts at a question the first, which is graded."""
    values: tuple[float, ...]
    """What the judge gave each item, shape (n_items,)."""
    is_drawable: tuple[bool, ...]
    """Whether a round may draw the item: not blank, and its question has a reference answer; shape (n_items,)."""
    graded: Mapping[str, _Graded]
    """The graded answers by their keys, in the order of the round."""
    has_attempts: bool

    @property
    def is_of_lists(self) -> bool:
        """Whether a judge of lists scored it: for that, a list is right if its F1 is 1."""
        return self.score.name == LIST_JUDGE

    @property
    def is_correctable(self) -> bool:
        """Whether grades can correct the score: of texts, all of whose attempts could be graded."""
        return not self.is_of_lists and not self.has_attempts


def judged_sets_of(round_: GradingRound) -> list[JudgedSet]:
    """The answer sets of a round's graded answers by each judge that scored them on its revision, oldest score first.
    Calibration answers are omitted. About ten queries, and two for each answer set."""
    by_set: dict[UUID, dict[str, _Graded]] = defaultdict(dict)
    for answer in _graded(round_):
        by_set[answer.answer_set.pk][answer.key] = answer
    scores = list(
        Score.objects.filter(
            run__answer_set__in=list(by_set),
            run__revision=round_.revision,
            run__counts=True,
            run__state=RunState.DONE,
            name__in=(JUDGE, LIST_JUDGE),
        )
        .select_related("run__answer_set")
        .defer("vector")
        .order_by("created_at", "pk")
    )
    vectors = first_vectors_of(score.pk for score in scores)
    counts = item_counts(round_.revision)
    items_of = {score.run.answer_set_id: items_to_score(score.run.answer_set, round_.revision) for score in scores}
    judged = []
    for score in scores:
        every = items_of[score.run.answer_set_id]
        items, values = every.first, tuple(vectors[score.pk].tolist())
        drawable = tuple(
            text is not None and bool(text.strip() and counts.get(qid))
            for qid, text in zip(items.qids, items.generations, strict=True)
        )
        if len(values) == len(items):
            known = set(items.keys)
            graded = {key: one for key, one in by_set[score.run.answer_set_id].items() if key in known}
            judged.append(JudgedSet(score, items, values, drawable, graded, every.n_attempts > 1))
    return judged


def judge_validations_of(round_: GradingRound) -> list[dict[str, Any]]:
    """The judges that judged the round's answers, compared with human graders; the one with the most answers first.

    Calibration answers are omitted, and so are verdicts against another revision. Intervals are over questions, each
    with its answers of all systems.
    """
    by_signature: dict[str, dict[object, JudgedSet]] = defaultdict(dict)
    for of_set in judged_sets_of(round_):
        by_signature[of_set.score.signature][of_set.score.run.answer_set_id] = of_set  # the latest score of a set
    views: list[dict[str, Any]] = []
    for signature, by_set in by_signature.items():
        judged = [
            (float(verdict == 1), of_set.graded[key])
            for of_set in by_set.values()
            for key, verdict in zip(of_set.items.keys, of_set.values, strict=True)
            if key in of_set.graded
        ]
        judged.sort(key=lambda pair: pair[1].final.answer.position)
        # Where graders differ without a decision, the judge can be neither right nor wrong.
        decided = [(verdict, answer) for verdict, answer in judged if answer.final.correct in (0.0, 1.0)]
        if decided:
            by_system = _grouped(decided, lambda answer: answer.party)
            by_category = _grouped(decided, lambda answer: first_category_of(answer.question))
            views.append(
                {
                    "signature": signature,
                    "of_lists": next(iter(by_set.values())).is_of_lists,
                    "whole": _validation(decided),
                    "tables": (("By system", by_system), ("By category", by_category)),
                    "n_undecided": len(judged) - len(decided),
                }
            )
    return sorted(views, key=lambda view: (-view["whole"].n_items, view["signature"]))


def first_category_of(question: Question) -> str:
    """The category in which a question is counted."""
    return str((question.categories or ["No category"])[0])


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
    results = []
    for judged in sorted(judged_sets_of(round_), key=lambda judged: judged.score.pk):
        if not judged.is_correctable:
            continue
        items = judged.items
        drawable = {
            key: value
            for key, value, chosen in zip(items.keys, judged.values, judged.is_drawable, strict=True)
            if chosen
        }
        graded = {key: answer for key, answer in judged.graded.items() if key in drawable}
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
            clusters=np.asarray(items.clusters)[..., list(judged.is_drawable)] if items.clusters is not None else None,
        )
        if corrected is not None:
            rest = [value for value, chosen in zip(judged.values, judged.is_drawable, strict=True) if not chosen]
            results.append((judged.score, next(iter(graded.values())).party, corrected.beside(rest)))
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
