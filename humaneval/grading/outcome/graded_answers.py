"""The answers of a round with their human grades, as judges know them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from humaneval.grading.outcome.rating_matrices import FinalGrade, final_grades
from humaneval.models import GradingRound
from humaneval.results.answer_sets import latest_answers
from leaderboard.models import SubmissionFile
from scoring.generations.keys import IN_KEYS
from scoring.models import AnswerSet, Question, Score
from scoring.models.run_states import RunState
from scoring.statistics import JudgeValidation, validate_judge


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


Compared = tuple[float, float, Graded]
"""What the judge and what people say of an answer, or of one of its criteria, 0 or 1."""
Groups = tuple[tuple[str, JudgeValidation], ...]
"""The judge beside people in each group of answers, with the group's name."""


def graded_answers(round_: GradingRound) -> list[Graded]:
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
            graded.append(Graded(qid, answer_set, names.get(answer_set.pk, "Other"), final))
        elif assignment is not None:
            study = assignment.participant.study
            if study.pk not in of_study:
                of_study[study.pk] = latest_answers(study)
            (answer_set, texts), code = of_study[study.pk], assignment.participant.code
            if answer_set is not None and (qid, code, final.answer.text) in texts:
                graded.append(Graded(f"{qid}{IN_KEYS}{code}", answer_set, f"People, {study.name}", final))
    return graded


def validation_of(compared: Sequence[Compared]) -> JudgeValidation:
    """The judge beside people; the units of the intervals are questions, each with its answers of all systems."""
    judged, people, answers = zip(*compared, strict=True)
    return validate_judge(judged, people, clusters=[answer.question.qid for answer in answers])


def tables_of(compared: Sequence[Compared]) -> list[tuple[str, Groups]]:
    """The judge beside people by system and by category, each with its heading."""
    answers = [answer for *_, answer in compared]
    by_system = [answer.party for answer in answers]
    by_category = [(answer.question.categories or ["No category"])[0] for answer in answers]
    return [("By system", grouped(compared, by_system)), ("By category", grouped(compared, by_category))]


def grouped(compared: Sequence[Compared], names: Sequence[str]) -> Groups:
    """The judge beside people in each group, the largest first.

    Args:
        names: the group of each.
    """
    groups: dict[str, list[Compared]] = defaultdict(list)
    for name, one in zip(names, compared, strict=True):
        groups[name].append(one)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple((group, validation_of(of_group)) for group, of_group in ordered)


def scores_of(round_: GradingRound, answer_sets: Iterable[object], names: Iterable[str]) -> QuerySet[Score]:
    """Scores of these names that answer sets, given by their keys, have against a round's revision, oldest first."""
    scores = Score.objects.filter(
        run__answer_set__in=list(answer_sets),
        run__revision=round_.revision,
        run__counts=True,
        run__state=RunState.DONE,
        name__in=list(names),
    )
    related = scores.select_related("run__answer_set", "run__revision__split__benchmark")
    return related.defer("vector").order_by("created_at", "pk")
