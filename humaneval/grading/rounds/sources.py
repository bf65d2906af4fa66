"""Sources of answers to grade: studies, and the files of submissions. And existing opinions on them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q, QuerySet

from humaneval.grading.current_grades import current_grades, ticked_of
from humaneval.grading.rounds.sampling import Candidate, key_of
from humaneval.models import Assignment, GradingRound, Study
from humaneval.results.answer_sets import latest_answers
from humaneval.studies.queries import COMPLETE, counted_answers
from leaderboard.models import SubmissionFile
from scoring.generations.keys import IN_KEYS
from scoring.models import AnswerBlock, AnswerSet, Question, Revision, Score, Split
from scoring.queries import first_vectors_of, items_to_score
from scoring.registry import outcomes_of, task_type_of
from scoring.runs.withdrawals import DELETED


def gradable_files(split: Split) -> QuerySet[SubmissionFile]:
    """The files whose answers can be graded: the current files of submissions that are not withdrawn."""
    return (
        SubmissionFile.objects.filter(
            submission__split=split, submission__withdrawn_at=None, replaced_at=None, n_answered__gt=0
        )
        .select_related("submission", "setting", "answer_set")
        .order_by("submission__name", "setting__position", "pk")
    )


def gradable_studies(split: Split) -> QuerySet[Study]:
    """The studies that have answers to grade."""
    answered = Assignment.objects.filter(COMPLETE, question__isnull=False).exclude(text=DELETED)
    return Study.objects.filter(split=split, participants__assignments__in=answered).distinct().order_by("name", "pk")


def chosen_for(round_: GradingRound) -> tuple[list[SubmissionFile], list[Study]]:
    """The files and studies that a round's answers were chosen from and that can still be graded. Two queries."""
    split, keys = round_.revision.split, {row["source"] for row in round_.sampling}
    of = "gradings__graded_answer__round"
    files = gradable_files(split).filter(
        Q(pk__in=_numbers(keys, "file ")) | Q(answer_set__in=AnswerSet.objects.filter(**{of: round_}))
    )
    asked = Assignment.objects.filter(**{of: round_})
    studies = gradable_studies(split).filter(
        Q(pk__in=_numbers(keys, "study ")) | Q(pk__in=asked.values("participant__study"))
    )
    return list(files), list(studies)


def _numbers(keys: Iterable[str], prefix: str) -> list[int]:
    return [int(key.removeprefix(prefix)) for key in keys if key.startswith(prefix)]


def candidates_of_files(revision: Revision, files: Iterable[SubmissionFile]) -> list[Candidate]:
    """Every answer in the files that is not blank, to a question of the revision, in the first attempt at it. Three
    queries."""
    categories = _categories(revision)
    party_of = {file.answer_set_id: f"file {file.pk}" for file in files}
    is_answered = task_type_of(revision.split.benchmark.slug).is_answered
    return [
        Candidate(qid, text, party_of[answer_set], categories[qid], answer_set=answer_set)
        for answer_set, qid, text in AnswerBlock.objects.first_texts(party_of)
        if qid in categories and text.strip() and is_answered(text)
    ]


def candidates_of_studies(revision: Revision, studies: Iterable[Study]) -> list[Candidate]:
    """Every answer that counts in the studies, to a question of the revision, unless its text was deleted. Two queries
    for each."""
    categories = _categories(revision)
    candidates = []
    typed = task_type_of(revision.split.benchmark.slug).typed
    for study in studies:
        rows = counted_answers(study).exclude(text=DELETED).values_list("pk", "text", "question__qid")
        candidates += [
            Candidate(qid, typed(text), f"study {study.pk}", categories[qid], assignment=pk)
            for pk, text, qid in rows
            if qid in categories
        ]
    return candidates


def _categories(revision: Revision) -> dict[str, str]:
    rows = Question.objects.filter(revision=revision).values_list("qid", "categories")
    return {qid: (categories or [""])[0] for qid, categories in rows}


# --- Existing opinions ---------------------------------------------------------------------------------------------


def opinions_of(
    revision: Revision, files: Sequence[SubmissionFile], studies: Sequence[Study], candidates: Sequence[Candidate]
) -> dict[str, dict[str, float]]:
    """Correctness of each candidate, 0 to 1, by its key, and by the source of the opinion.

    The scores that the task type names as opinions are the newest against the revision; ``graders`` is the share of
    earlier human grades whose letter counts as correct.
    """
    # The scored answer sets, each with the candidate's key by the item's key.
    places: dict[AnswerSet, dict[str, str]] = {}
    by_party: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_party[candidate.party].append(candidate)
    sets = {answer_set.pk: answer_set for answer_set in AnswerSet.objects.filter(submission_file__in=files)}
    for file in files:
        places[sets[file.answer_set_id]] = {answer.qid: answer.key for answer in by_party[f"file {file.pk}"]}
    for study in studies:
        answer_set, scored = latest_answers(study)
        if answer_set is None:
            continue
        own = by_party[f"study {study.pk}"]
        people = Assignment.objects.filter(pk__in=[answer.assignment for answer in own]).select_related("participant")
        code_of = {assignment.pk: assignment.participant.code for assignment in people}
        places[answer_set] = {
            f"{answer.qid}{IN_KEYS}{code_of[answer.assignment]}": answer.key
            for answer in own
            if answer.assignment in code_of and (answer.qid, code_of[answer.assignment], answer.text) in scored
        }
    outcomes = outcomes_of(revision.split.benchmark.slug)
    names = outcomes.opinions if outcomes is not None else ()
    opinions: dict[str, dict[str, float]] = defaultdict(dict)
    for answer_set, key_at in places.items():
        scores = Score.objects.filter(run__answer_set=answer_set, run__revision=revision, run__counts=True)
        newest = dict(scores.filter(name__in=names).order_by("created_at", "pk").values_list("name", "pk"))
        if not newest:
            continue
        keys = items_to_score(answer_set, revision).first.keys
        vectors = first_vectors_of(newest.values())
        for name, pk in newest.items():
            # A vector of another length is of an earlier state of the answer set.
            if len(vectors[pk]) == len(keys):
                for place, value in zip(keys, vectors[pk].tolist(), strict=True):
                    if place in key_at:
                        opinions[key_at[place]][name] = value
    for key, grades in earlier_grades(revision, candidates).items():
        opinions[key]["graders"] = sum(grades) / len(grades)
    return opinions


def earlier_grades(revision: Revision, candidates: Sequence[Candidate]) -> Mapping[str, list[float]]:
    """Human grades by a candidate's key: 1 or 0 for each that it has in a round on the same revision."""
    wanted = {candidate.key for candidate in candidates}
    grades: dict[str, list[float]] = defaultdict(list)
    for round_ in GradingRound.objects.filter(revision=revision):
        rows = round_.answers.values_list("pk", "question__qid", "origin__answer_set", "origin__assignment")
        keys = {pk: key_of(qid, answer_set, assignment) for pk, qid, answer_set, assignment in rows}
        for grade in current_grades(round_):
            if keys[grade.graded_answer_id] in wanted:
                grades[keys[grade.graded_answer_id]].append(ticked_of(grade).correct)
    return grades
