"""Judge validation: the judge's verdicts compared with human grades of the same answers, and scores corrected by
that."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from django.db import transaction

from humaneval.grading.current_grades import by_answer, current_grades, newest, ticked_of
from humaneval.grading.grade_scores import Ticked
from humaneval.models import GradedAnswer, GradeKind, GradingRound, Selection, StudyResult
from leaderboard.maintenance.corrections import save_corrections
from leaderboard.models import SubmissionFile, User
from leaderboard.operations import audit
from scoring.analysis.reference_items import item_counts
from scoring.metrics.judge import Judge
from scoring.metrics.list_judge import ListJudge
from scoring.models import Answer, AnswerSet, Revision, Score
from scoring.models.run_states import RunState
from scoring.queries import IN_KEYS, ScoredItems, items_to_score, vectors_of
from scoring.statistics import Corrected, JudgeValidation, corrected_mean, validate_judge

(JUDGE,) = Judge.score_names
LIST_JUDGE: Final = ListJudge.score_names[0]
"""The F1 that a judge of lists gives; 1 for an answer that it finds completely right."""


@dataclass(frozen=True)
class ValidationGroup:
    """The validation in one system, or one category."""

    name: str
    validation: JudgeValidation


@dataclass(frozen=True)
class JudgeValidationView:
    """One judge (a signature) compared with human graders, on the answers of one round."""

    signature: str
    whole: JudgeValidation
    by_system: tuple[ValidationGroup, ...]
    by_category: tuple[ValidationGroup, ...]
    n_undecided: int
    """The number of answers on which graders differ without a decision: omitted."""

    @property
    def of_lists(self) -> bool:
        """Whether it is a judge of lists."""
        return self.signature.startswith(f"{ListJudge.name}|")

    @property
    def tables(self) -> tuple[tuple[str, tuple[ValidationGroup, ...]], ...]:
        """The groups with their labels."""
        return ("By system", self.by_system), ("By category", self.by_category)


@dataclass(frozen=True)
class _Graded:
    """An answer with its human grade."""

    key: str
    """Its key in its answer set, as `scoring.queries.ScoredItems.keys` has it."""
    answer_set: AnswerSet
    qid: str
    category: str
    party: str
    correct: float | None
    share: float
    """How correct the answer is for the graders, 0 to 1: as `correct`, and if they differ, the share of its graders."""
    probability: float | None
    """The probability with which the round drew the answer for grading; None if the round did not store it."""


def outcome_of(grades: Sequence[Ticked], decision: Ticked | None) -> float | None:
    """1 or 0 from the decision, or from all graders; None while they differ without one, or if there is no grade."""
    if decision is not None:
        return decision.correct
    found = {grade.correct for grade in grades}
    return found.pop() if len(found) == 1 else None


def share_of(grades: Sequence[Ticked], decision: Ticked | None) -> float:
    """1 or 0 from the decision, or else the share of the graders who found the answer correct."""
    return decision.correct if decision is not None else statistics.fmean(grade.correct for grade in grades)


def judge_validations_of(round_: GradingRound) -> list[JudgeValidationView]:
    """The judges that judged the round's answers, compared with human graders; the one with the most answers first.

    Calibration answers are omitted, and so are verdicts against another revision. Intervals are over questions, each
    with its answers of all systems. About ten queries, and two for each answer set.
    """
    graded = _graded(round_)
    verdicts = _verdicts({one.answer_set for one in graded}, round_.revision)
    trials = []
    for signature, by_set in verdicts.items():
        judged = [
            (by_set[one.answer_set.pk][one.key], one) for one in graded if one.key in by_set.get(one.answer_set.pk, {})
        ]
        decided = [(verdict, one) for verdict, one in judged if one.correct is not None]
        if decided:
            trials.append(
                JudgeValidationView(
                    signature=signature,
                    whole=_validation(decided),
                    by_system=_grouped(decided, lambda one: one.party),
                    by_category=_grouped(decided, lambda one: one.category),
                    n_undecided=len(judged) - len(decided),
                )
            )
    return sorted(trials, key=lambda trial: (-trial.whole.n_items, trial.signature))


def _validation(pairs: Sequence[tuple[float, _Graded]]) -> JudgeValidation:
    return validate_judge(
        [verdict for verdict, _ in pairs],
        [one.correct or 0.0 for _, one in pairs],
        clusters=[one.qid for _, one in pairs],
    )


def _grouped(pairs: Sequence[tuple[float, _Graded]], name: Callable[[_Graded], str]) -> tuple[ValidationGroup, ...]:
    groups: dict[str, list[tuple[float, _Graded]]] = defaultdict(list)
    for verdict, one in pairs:
        groups[name(one)].append((verdict, one))
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(ValidationGroup(group, _validation(of_group)) for group, of_group in ordered)


def _graded(round_: GradingRound) -> list[_Graded]:
    """The round's answers with a grade and an answer set; of a study's, only answers unchanged since that set."""
    grades, decisions = by_answer(current_grades(round_)), newest(round_, GradeKind.DECISION)
    rows = (
        GradedAnswer.objects.filter(round=round_, is_calibration=False, pk__in=[*grades, *decisions])
        .select_related("question", "origin__answer__answer_set", "origin__assignment__participant__study")
        .order_by("position")
    )
    names = {
        file.answer_set_id: f"{file.submission.name}, {file.setting.name.lower()}"
        for file in SubmissionFile.objects.filter(
            answer_set__answers__gradings__graded_answer__round=round_
        ).select_related("submission", "setting")
    }
    results: dict[int, StudyResult | None] = {}
    texts: dict[int, set[tuple[str, str, str]]] = {}
    found = []
    for row in rows:
        given = [ticked_of(grade) for grade in grades.get(row.pk, [])]
        decision = ticked_of(decisions[row.pk]) if row.pk in decisions else None
        found_of = (outcome_of(given, decision), share_of(given, decision), row.origin.probability)
        category = (row.question.categories or ["No category"])[0]
        answer, assignment = row.origin.answer, row.origin.assignment
        qid = row.question.qid
        if answer is not None:
            party = names.get(answer.answer_set_id, "Other")
            key = f"{qid}{IN_KEYS}{answer.participant}" if answer.participant else qid
            found.append(_Graded(key, answer.answer_set, qid, category, party, *found_of))
        elif assignment is not None:
            study = assignment.participant.study
            if study.pk not in results:
                result = study.results.select_related("answer_set").order_by("-made_at", "-pk").first()
                results[study.pk] = result
                of_result = Answer.objects.filter(answer_set=result.answer_set) if result else Answer.objects.none()
                texts[study.pk] = set(of_result.values_list("qid", "participant", "text"))
            result, code = results[study.pk], assignment.participant.code
            if result is not None and (qid, code, row.text) in texts[study.pk]:
                key = f"{qid}{IN_KEYS}{code}"
                found.append(_Graded(key, result.answer_set, qid, category, f"People, {study.name}", *found_of))
    return found


def _verdicts(answer_sets: Iterable[AnswerSet], revision: Revision) -> dict[str, dict[object, dict[str, float]]]:
    """By signature and answer set, the judge's outcome (1 or 0) of each item, by its key. A list is right if its F1 is
    1."""
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
    vectors = vectors_of(score.pk for score in scores.values())
    keys = {pk: items_to_score(sets[pk], revision).keys for pk in {pk for _, pk in scores}}
    found: dict[str, dict[object, dict[str, float]]] = defaultdict(dict)
    for (signature, pk), score in scores.items():
        values = (vectors[score.pk] == 1).astype(float).tolist()
        if len(values) == len(keys[pk]):
            found[signature][pk] = dict(zip(keys[pk], values, strict=True))
    return found


# --- Corrected scores ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrectedScore:
    """A judge's score with its correction by human grades."""

    score: int
    """The score's key."""
    party: str
    signature: str
    raw: float
    corrected: Corrected


def corrected_scores(round_: GradingRound) -> list[CorrectedScore]:
    """Every score of a judge of texts with at least `FEWEST_GRADES` of its answers in the round, corrected.

    A round draws from the answers that are not blank, to questions with a reference answer: the mean of these is
    corrected. The rest of the score, above all questions without an answer, stays as it was scored. An answer on which
    graders differ counts as the share of them who found it correct: omitting it would omit the hard ones. Rounds that
    took the answers on which scores differ are excluded: the graded answers must be a random sample.
    """
    if round_.selection == Selection.DISAGREEMENTS:
        return []
    by_set: dict[object, list[_Graded]] = defaultdict(list)
    for one in _graded(round_):
        by_set[one.answer_set.pk].append(one)
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
    found = []
    for score in scores:
        items = items_to_score(score.run.answer_set, round_.revision)
        if len(vectors[score.pk]) != len(items.keys):
            continue
        verdicts = dict(zip(items.keys, vectors[score.pk].tolist(), strict=True))
        corrected = _corrected(score, items, verdicts, by_set[score.run.answer_set_id], counts)
        if corrected is not None:
            found.append(corrected)
    return found


def _corrected(
    score: Score,
    items: ScoredItems,
    verdicts: Mapping[str, float],
    graded: Sequence[_Graded],
    counts: Mapping[str, int],
) -> CorrectedScore | None:
    """A score with its verdicts' mean corrected by the grades; None if too few of its answers are graded."""
    drawable = {
        key: verdicts[key]
        for key, qid, text in zip(items.keys, items.qids, items.generations, strict=True)
        if key in verdicts and text is not None and text.strip() and counts.get(qid)
    }
    labelled = {one.key: one for one in graded if one.key in drawable}
    places = {key: index for index, key in enumerate(drawable)}
    kept = [key in drawable for key in items.keys]
    corrected = corrected_mean(
        list(drawable.values()),
        [places[key] for key in labelled],
        [one.share for one in labelled.values()],
        probabilities=_probabilities(labelled, places),
        clusters=np.asarray(items.clusters)[..., kept] if items.clusters is not None else None,
    )
    if corrected is None:
        return None
    corrected = corrected.beside([verdict for key, verdict in verdicts.items() if key not in drawable])
    party = next(iter(labelled.values())).party
    return CorrectedScore(score.pk, party, score.signature, score.value, corrected)


def _probabilities(labelled: Mapping[str, _Graded], places: Mapping[str, int]) -> list[float] | None:
    """The probability of each answer to be drawn, of which only those of graded answers matter; None in rounds that did
    not store them."""
    found = [1.0] * len(places)
    for key, one in labelled.items():
        if one.probability is None:
            return None
        found[places[key]] = one.probability
    return found


@transaction.atomic
def publish_corrections(round_: GradingRound, *, by: User) -> int:
    """Show the corrected scores on leaderboards, in addition to the judge's scores; returns how many.

    Earlier corrected scores of the round are replaced.
    """
    found = corrected_scores(round_)
    source = f"Graded by hand in “{round_.name}”"
    save_corrections(f"round {round_.slug}", source, [(one.score, one.corrected) for one in found])
    audit.record(by, "grading.corrections-published", f"round {round_.slug}", f"{len(found)} scores")
    return len(found)
