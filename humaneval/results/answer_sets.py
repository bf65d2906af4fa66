"""A study's answers as an answer set, scored by the same scorer as any system's."""

from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Prefetch, Q

from humaneval.models import Participant, Study, StudyResult
from humaneval.studies import activity_log
from humaneval.studies.queries import counted_answers, unfinished_answers
from leaderboard.disclosure import OPEN
from leaderboard.models import User
from leaderboard.submissions.types import RunView
from scoring import queries as scoring_queries
from scoring.benchmarks import definition_of
from scoring.metrics.columns import Column
from scoring.models import Answer, AnswerSet, Question, Run, Score
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import task_type_of
from scoring.runs import answer_sets, withdrawals
from scoring.runs.answer_sets import SUPERSEDED

RESULTS_SHOWN: Final = 5
NO_ANSWERS: Final = "There are no answers that count yet."
TEXTS_DELETED: Final = "The texts were deleted, as the consent text says, so they cannot be scored again."
UNCHANGED: Final = "No answers have changed since the last answer set. Its scores are still current."


class NothingToScoreError(ValueError):
    """No answer set can be made; the message is for the maintainer."""


@transaction.atomic
def make_answer_set(study: Study, *, by: User | str) -> StudyResult:
    """Make an answer set of a study's current answers, and the runs that score it, sent on commit.

    It contains every answer that counts (`humaneval.studies.queries.counted_answers`), with the participant's code.

    Raises:
        NothingToScoreError: there is no answer, the answers are identical to those of the last answer set, or their
            texts were deleted.
    """
    # Withdrawing takes the same lock: no set is made of answers that are being deleted.
    study = (
        Study.objects.select_for_update(no_key=True, of=("self",))
        .select_related("split__benchmark", "split__current_revision", "setting")
        .get(pk=study.pk)
    )
    if study.texts_deleted_at is not None:
        raise NothingToScoreError(TEXTS_DELETED)
    typed = task_type_of(study.split.benchmark.slug).typed
    rows = [
        (answer.question.qid, answer.participant.code, typed(answer.text))
        for answer in counted_answers(study).select_related("question", "participant")
        if answer.question is not None
    ]
    if not rows:
        raise NothingToScoreError(NO_ANSWERS)
    if latest_answers(study)[1] == set(rows):
        raise NothingToScoreError(UNCHANGED)
    answer_set = AnswerSet.objects.create(split=study.split, setting=study.setting)
    Answer.objects.bulk_create(
        [Answer(answer_set=answer_set, qid=qid, participant=code, text=text) for qid, code, text in rows],
        batch_size=1000,
    )
    result = StudyResult.objects.create(
        study=study,
        answer_set=answer_set,
        made_by=by if isinstance(by, User) else None,
        n_participants=len({code for _, code, _ in rows}),
        n_answers=len(rows),
        n_questions=len({qid for qid, _, _ in rows}),
        n_unfinished=unfinished_answers(study).count() if study.counts_unfinished else 0,
    )
    answer_sets.ensure_runs(answer_set)
    said = f"{result.n_answers} answers of {result.n_participants} participants to {result.n_questions} questions"
    activity_log.record_action(study, "study.scored", f"Queued for scoring: {said}.", by=by)
    return result


def latest_result(study: Study) -> StudyResult | None:
    return study.results.select_related("answer_set").order_by("-made_at", "-pk").first()


def numbered_results(study: Study) -> list[tuple[int, StudyResult]]:
    """The answer sets of a study with their numbers from 1, the latest last. One query."""
    return list(enumerate(study.results.select_related("answer_set").order_by("made_at", "pk"), start=1))


def shown_results(study: Study) -> list[tuple[int, StudyResult]]:
    """The numbered answer sets that the page of scores shows."""
    return numbered_results(study)[-RESULTS_SHOWN:]


def latest_answers(study: Study) -> tuple[AnswerSet | None, set[tuple[str, str, str]]]:
    """The latest answer set of a study, and the question, participant and text of each answer in it: an answer that was
    changed since has no score. Two queries."""
    result = latest_result(study)
    if result is None:
        return None, set()
    answers = Answer.objects.filter(answer_set=result.answer_set)
    return result.answer_set, set(answers.values_list("qid", "participant", "text"))


def withdraw_answers(participant: Participant, *, delete: bool) -> int:
    """Record in the study's answer sets that a participant's answers were withdrawn, and how many.

    Scores computed from all answers together remain; the next answer set omits the withdrawn answers. If the texts are
    deleted, the sets cannot be scored again.
    """
    sets = AnswerSet.objects.filter(study_result__study=participant.study_id)
    return withdrawals.withdraw(sets, participant.code, delete=delete)


def results_of(study: Study, *, with_scores: bool = True) -> list[dict[str, Any]]:
    """The latest answer sets of a study with their runs, newest first. ``n_withdrawn`` of a ``result`` is the number of
    its answers that were withdrawn since; ``n_split`` that of the questions in the current split. Five queries.

    Args:
        with_scores: whether to include the scores. The scores of a set of one answer, or of two sets that differ by
            one, reveal that answer's score, which on a hidden split is for maintainers.
    """
    columns = {column.score: column for column in definition_of(study.split.benchmark.slug).columns}
    counting = (
        scoring_queries.on_one_revision(Run.objects.counting())
        .exclude(state=RunState.CANCELLED, reason=SUPERSEDED)
        .select_related("revision__split")
        .prefetch_related(Prefetch("scores", queryset=Score.objects.defer("vector", "attempts", "weights")))
    )
    results = list(
        study.results.select_related("made_by", "answer_set")
        .prefetch_related(Prefetch("answer_set__runs", queryset=counting))
        .annotate(n_withdrawn=Count("answer_set__answers", filter=Q(answer_set__answers__withdrawn_at__isnull=False)))
        .order_by("-made_at", "-pk")[:RESULTS_SHOWN]
    )
    n_all = study.results.count()
    n_split = Question.objects.filter(revision=study.split.current_revision_id).count()
    views = []
    for index, result in enumerate(results):
        runs = [
            RunView.of(run, columns if with_scores else {}, OPEN, for_maintainer=True)
            for run in result.answer_set.runs.all()
        ]
        moving = any(run.state in ACTIVE for run in runs)
        views.append({"number": n_all - index, "result": result, "n_split": n_split, "runs": runs, "moving": moving})
    return views


def latest_values(study: Study) -> tuple[Column, str, dict[tuple[str, str], float]] | None:
    """The answers' own values on the first scored column of the leaderboard, from the latest answer set: the column,
    the signature, and the values by participant and question. None before it is scored. Five queries."""
    result = latest_result(study)
    if result is None:
        return None
    scores = {
        score.key: score
        for score in Score.objects.counting()
        .filter(run__answer_set=result.answer_set_id, run__state=RunState.DONE)
        .select_related("run__revision__split__benchmark")
        .defer("vector")
        .order_by("created_at")
    }
    for column in definition_of(study.split.benchmark.slug).default_columns:
        score = scores.get(column.score)
        if score is None:
            continue
        items = scoring_queries.items_to_score(result.answer_set, score.run.revision)
        vector = scoring_queries.vectors_of([score.pk])[score.pk]
        if items.participants is not None and len(vector) == len(items):
            keys = zip(items.participants, items.qids, strict=True)
            return column, score.signature, dict(zip(keys, vector.tolist(), strict=True))
    return None
