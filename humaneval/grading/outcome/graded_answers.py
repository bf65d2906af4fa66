"""The answers of a round with their human grades, as judges know them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from humaneval.grading.criteria import is_by_criteria
from humaneval.grading.outcome.rating_matrices import FinalGrade, final_grades
from humaneval.models import GradingRound
from humaneval.results.answer_sets import latest_answers
from leaderboard.models import SubmissionFile
from scoring.analysis.reference_items import item_counts, weights_of_criteria
from scoring.generations.keys import IN_KEYS, first_in_words
from scoring.metrics.judge import Judge
from scoring.metrics.list_judge import ListJudge
from scoring.metrics.rubric import Criteria
from scoring.metrics.rubric.measures import values_of
from scoring.models import AnswerSet, Question, Score
from scoring.models.run_states import RunState
from scoring.queries import ScoredItems, first_vectors_of, items_of_each
from scoring.runs.judging.items import verdicts_on

(JUDGE,) = Judge.score_names
LIST_JUDGE: Final = ListJudge.score_names[0]
"""The F1 that a judge of lists gives; 1 for an answer that it finds completely right."""


@dataclass(frozen=True)
class Graded:
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
    """Of several attempts at a question the first, which is graded; with the texts of graded answers alone."""
    values: tuple[float, ...]
    """What the judge gave each item, shape (n_items,)."""
    is_drawable: tuple[bool, ...]
    """Whether a round may draw the item: not blank, and its question has a reference answer; shape (n_items,)."""
    graded: Mapping[str, Graded]
    """The graded answers by their keys, in the order of the round."""
    has_attempts: bool
    verdicts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """What the judge gave each graded answer, or how far it finds each of its criteria met, by the answer's key;
    without those whose criteria it did not decide."""

    @property
    def is_of_lists(self) -> bool:
        """Whether a judge of lists scored it: for that, a list is right if its F1 is 1."""
        return self.score.name == LIST_JUDGE

    @property
    def is_correctable(self) -> bool:
        """Whether grades can correct the score: of texts or reports, all of whose attempts could be graded."""
        return not self.is_of_lists and not self.has_attempts


def graded_answers(round_: GradingRound) -> list[Graded]:
    """The round's answers with a grade and an answer set; of a study's, only answers unchanged since that set."""
    names = {
        file.answer_set_id: f"{file.submission.name}, {file.setting.name.lower()}"
        f"{first_in_words(file.answer_set.n_attempts)}"
        for file in SubmissionFile.objects.filter(answer_set__gradings__graded_answer__round=round_).select_related(
            "submission", "setting", "answer_set"
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
            graded.append(Graded(qid, answer_set, names.get(answer_set.pk, "Other"), final))
        elif assignment is not None:
            study = assignment.participant.study
            if study.pk not in of_study:
                of_study[study.pk] = latest_answers(study)
            (answer_set, texts), code = of_study[study.pk], assignment.participant.code
            if answer_set is not None and (qid, code, final.answer.text) in texts:
                graded.append(Graded(f"{qid}{IN_KEYS}{code}", answer_set, f"People, {study.name}", final))
    return graded


def judged_sets_of(round_: GradingRound) -> list[JudgedSet]:
    """The answer sets of a round's graded answers by each judge that scored them on its revision, oldest score first:
    where people decide criteria, the judges that decide each too. Calibration answers are omitted. About fifteen
    queries, one for each study, and one for each 500 criteria."""
    by_set: dict[UUID, dict[str, Graded]] = defaultdict(dict)
    for answer in graded_answers(round_):
        by_set[answer.answer_set.pk][answer.key] = answer
    scores = list(
        Score.objects.filter(
            run__answer_set__in=list(by_set),
            run__revision=round_.revision,
            run__counts=True,
            run__state=RunState.DONE,
            name__in=(Criteria.name,) if is_by_criteria(round_) else (JUDGE, LIST_JUDGE),
        )
        .select_related("run__answer_set", "run__revision__split__benchmark")
        .defer("vector")
        .order_by("created_at", "pk")
    )
    vectors = first_vectors_of(score.pk for score in scores)
    counts = item_counts(round_.revision)
    items_of: dict[UUID, tuple[ScoredItems, tuple[bool, ...]]] = {}
    for answer_set, every in items_of_each({score.run.answer_set for score in scores}, round_.revision):
        items, graded = every.first, by_set[answer_set.pk]
        drawable = tuple(
            text is not None and bool(text.strip() and counts.get(qid))
            for qid, text in zip(items.qids, items.generations, strict=True)
        )
        texts = zip(items.keys, items.generations, strict=True)
        items = replace(items, generations=tuple(text if key in graded else None for key, text in texts))
        items_of[answer_set.pk] = items, drawable
    judged = []
    for score in scores:
        (items, drawable), values = items_of[score.run.answer_set_id], tuple(vectors[score.pk].tolist())
        if len(values) == len(items):
            known = set(items.keys)
            own = {key: answer for key, answer in by_set[score.run.answer_set_id].items() if key in known}
            judged.append(JudgedSet(score, items, values, drawable, own, score.run.answer_set.n_attempts > 1))
    decided = _decided(judged, round_) if is_by_criteria(round_) else map(_given, judged)
    return [replace(of_set, verdicts=verdicts) for of_set, verdicts in zip(judged, decided, strict=True)]


def _given(judged: JudgedSet) -> dict[str, tuple[float, ...]]:
    value_of = dict(zip(judged.items.keys, judged.values, strict=True))
    return {key: (value_of[key],) for key in judged.graded}


def _decided(judged: Sequence[JudgedSet], round_: GradingRound) -> Iterator[dict[str, tuple[float, ...]]]:
    rubrics = weights_of_criteria(round_.revision)
    of_runs = [(of_set.score.run, of_set.items, of_set.graded) for of_set in judged]
    for of_set, letters in zip(judged, verdicts_on(round_.revision, of_runs), strict=True):
        criteria = {key: rubrics[of_set.graded[key].question.pk].criteria for key in letters}
        yield {key: tuple(values_of(criteria[key], own)) for key, own in letters.items()}


def first_category_of(question: Question) -> str:
    """The category in which a question is counted."""
    return str((question.categories or ["No category"])[0])
