"""Agreement of a round's graders, the judge beside them, and its scores corrected: on the data as stored."""

import re
from collections.abc import Sequence
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.test import Client
from nltk.metrics.agreement import AnnotationTask

from humaneval.grading.grade_scores import Ticked
from humaneval.grading.outcome.agreement import agreement_of
from humaneval.grading.outcome.graded_answers import judged_sets_of
from humaneval.grading.outcome.judge_validation import (
    corrected_scores,
    judge_validations_of,
    publish_corrections,
)
from humaneval.grading.outcome.rating_matrices import grade_arrays
from humaneval.grading.rounds.services import add_grader, close_round
from humaneval.grading.rounds.sources import candidates_of_files, opinions_of
from humaneval.models import (
    GradedAnswer,
    GradedAnswerOrigin,
    Grader,
    GradingRound,
    Selection,
)
from leaderboard.board import standings
from leaderboard.models import AuditRecord, CorrectedScore, Submission, User
from scoring.models import Run, Score, Split, vector_bytes
from scoring.models.run_states import RunState
from scoring.queries import target_signatures
from scoring.statistics import FEWEST_GRADES, corrected_mean
from tests import factories
from tests.boards import board_for
from tests.humaneval.grading.ground import grade_at_once
from tests.rows import remembered

pytestmark = pytest.mark.django_db
N = 44
JUDGED_RIGHT = 30
"""The judge finds the answers to the first so many questions right."""


@pytest.fixture
def sent() -> Submission:
    """A submission on the board, all of whose answers are right, and which a judge has judged."""
    remembered("judge validation", _send)
    return Submission.objects.get()


@pytest.fixture
def dev(sent: Submission) -> Split:
    return factories.split(sent.split.benchmark, "dev")


@pytest.fixture
def owner(sent: Submission) -> User:
    assert sent.owner is not None
    return sent.owner


def _send() -> None:
    dev = factories.split(factories.benchmark(n_dev=N), "dev")
    owner = factories.maintainer()
    found = factories.published(owner, dev, {"openbook": factories.perfect(n=N)}, name="All")
    _judge(found, "judge", "judge", [float(index < JUDGED_RIGHT) for index in range(N)])


def _judge(sent: Submission, metric: str, name: str, values: Sequence[float]) -> None:
    """Store a judge's score of a submission's only file, as its run does."""
    answer_set, revision = sent.files.get().answer_set, sent.split.current_revision
    assert revision is not None
    Run.objects.filter(answer_set=answer_set, metric=metric).delete()
    signature = target_signatures(sent.split)[metric]
    run = Run.objects.create(
        answer_set=answer_set, revision=revision, metric=metric, signature=signature, state=RunState.DONE
    )
    Score.objects.create(
        run=run,
        name=name,
        value=float(np.mean(values)),
        vector=vector_bytes(np.array(values)),
        n_items=len(values),
        n_answered=len(values),
        signature=signature,
    )


def make(owner: User, sent: Submission, n_graders: int = 2, **options: object) -> GradingRound:
    graders = [factories.user(f"grader{number}") for number in range(n_graders)]
    settings: dict[str, Any] = {"graders_per_answer": n_graders, "calibration_start": 0} | options
    return factories.grading_round(owner, sent.split, graders=graders, files=list(sent.files.all()), **settings)


def place_of(answer: GradedAnswer) -> int:
    return int(answer.question.qid.removeprefix("dev-"))


def grade_all(round_: GradingRound, right: "dict[int, set[int]]") -> None:
    """Every grader grades every answer: all items ticked where its question is in the set of the grader's number."""

    def ticked(grader: Grader, answer: GradedAnswer) -> Ticked:
        full = place_of(answer) in right[grader.number]
        return Ticked((full,) * answer.n_items, contradicts=not full)

    grade_at_once(round_, ticked, seconds=0.0)


class TestAgreement:
    def test_alpha_and_kappa_are_those_that_the_packages_give(self, owner: User, sent: Submission) -> None:
        round_ = make(owner, sent)
        grade_all(round_, {1: set(range(28)), 2: set(range(4, 33))})
        arrays, found = grade_arrays(round_), agreement_of(grade_arrays(round_))
        assert arrays.graders == ("G-01", "G-02")
        assert (found["n_answers"], found["n_shared"]) == (N, N)
        assert found["items"].value == pytest.approx(
            float(krippendorff.alpha(reliability_data=arrays.ticks, level_of_measurement="nominal"))
        )
        assert found["loose"].value == pytest.approx(
            float(krippendorff.alpha(reliability_data=arrays.loose, level_of_measurement="interval"))
        )
        rows = [
            (arrays.graders[row], str(column), letter)
            for row in range(2)
            for column, letter in enumerate(arrays.letters[row])
        ]
        (kappa,) = found["kappas"]
        assert kappa[2].value == pytest.approx(AnnotationTask(data=rows).kappa())
        assert found["letters"].value == pytest.approx(AnnotationTask(data=rows).alpha())
        bias = dict(found["biases"])["G-02"].value
        assert bias == pytest.approx(1 / N)


class TestTrial:
    def test_verdicts_stand_beside_what_people_agree_on(self, owner: User, sent: Submission) -> None:
        round_ = make(owner, sent)
        grade_all(round_, {1: set(range(24)), 2: set(range(20))})
        (trial,) = judge_validations_of(round_, judged_sets_of(round_))
        assert trial["n_undecided"] == 4
        assert trial["whole"].n_items == N - 4
        # People: 20 right; the judge: 30 right, of which 24..29 wrong by people, 20..23 undecided.
        assert trial["whole"].confusion.tolist() == [[14, 0], [6, 20]]
        assert trial["whole"].bias.value == pytest.approx(6 / 40)
        (_, by_system), (_, by_category) = trial["tables"]
        assert [(name, group.n_items) for name, group in by_system] == [("All, open book", 40)]
        assert sum(group.n_items for _, group in by_category) == 40


class TestCorrected:
    def test_a_score_is_corrected_by_the_error_on_a_sample(self, owner: User, sent: Submission, client: Client) -> None:
        round_ = make(owner, sent, n_graders=1, selection=Selection.SAMPLE, n_answers=FEWEST_GRADES)
        grade_all(round_, {1: set(range(20))})
        graded = {place_of(answer) for answer in GradedAnswer.objects.select_related("question")}
        expected = corrected_mean(
            [float(place < JUDGED_RIGHT) for place in range(N)],
            sorted(graded),
            [float(place < 20) for place in sorted(graded)],
            [FEWEST_GRADES / N] * N,
        )
        assert expected is not None
        ((score, _, found),) = corrected_scores(round_, judged_sets_of(round_))
        assert score.value == pytest.approx(JUDGED_RIGHT / N)
        assert found.value == pytest.approx(expected.value)
        assert found.low == pytest.approx(expected.low)
        assert found.value < score.value

        assert publish_corrections(round_, by=owner) == 1
        dev, openbook = sent.split, sent.files.get().setting
        standings.refresh(dev, openbook)
        (row,) = board_for(dev, openbook).rows
        cell = next(cell for cell in row.cells if cell.column.key == "judge")
        assert cell.value == pytest.approx(JUDGED_RIGHT / N)
        assert cell.corrected is not None
        assert cell.corrected.value == pytest.approx(expected.value)
        page = client.get("/fanoutqa/dev/openbook/?columns=all").content.decode()
        assert f"corrected with human grades of {FEWEST_GRADES} answers" in page
        assert 'data-corrected="judge"' in client.get("/systems/all/").content.decode()
        api = client.get("/api/v1/board/?split=dev&setting=openbook").json()
        cells = {one["score"]: one for one in api["rows"][0]["scores"]}
        assert cells["judge"]["corrected"]["n_graded"] == FEWEST_GRADES
        assert cells["loose"]["corrected"] is None
        assert AuditRecord.objects.filter(action="grading.corrections-published").exists()

        assert publish_corrections(round_, by=owner) == 1
        assert CorrectedScore.objects.count() == 1

    def test_questions_without_an_answer_stay_wrong(self, owner: User, sent: Submission) -> None:
        """Nobody grades a blank answer, so those graded are a sample of the others alone."""
        unanswered = {f"dev-{index}" for index in range(0, N, 11)}
        file = sent.files.get()
        score = Score.objects.get(run__answer_set=file.answer_set, name="judge")
        verdicts = np.array([float(0 < index < JUDGED_RIGHT and index % 11 != 0) for index in range(N)])
        Score.objects.filter(pk=score.pk).update(value=verdicts.mean(), vector=vector_bytes(verdicts))
        factories.change_answers(file.answer_set, dict.fromkeys(unanswered, ""))
        round_ = make(owner, sent, n_graders=1)
        grade_all(round_, {1: set(range(N))})
        assert GradedAnswer.objects.count() == N - 4
        ((_, _, found),) = corrected_scores(round_, judged_sets_of(round_))
        assert found.value == pytest.approx((N - 4) / N), "all that was answered is right"
        assert (found.n_graded, found.n_judged) == (N - 4, 0)

    def test_an_answer_on_which_graders_differ_counts_as_their_share(self, owner: User, sent: Submission) -> None:
        round_ = make(owner, sent, selection=Selection.SAMPLE, n_answers=40)
        grade_all(round_, {1: set(range(24)), 2: set(range(34))})
        graded = sorted(place_of(answer) for answer in GradedAnswer.objects.select_related("question"))
        ((_, _, found),) = corrected_scores(round_, judged_sets_of(round_))
        expected = corrected_mean(
            [float(place < JUDGED_RIGHT) for place in range(N)],
            graded,
            [1.0 if place < 24 else 0.5 if place < 34 else 0.0 for place in graded],
        )
        assert expected is not None
        assert found.value == pytest.approx(expected.value)
        assert found.n_graded == 40

    def test_answers_that_were_chosen_for_their_differences_are_no_sample(self, owner: User, sent: Submission) -> None:
        round_ = make(owner, sent, n_graders=1)
        grade_all(round_, {1: set(range(20))})
        assert len(corrected_scores(round_, judged_sets_of(round_))) == 1
        GradingRound.objects.update(selection=Selection.DISAGREEMENTS)
        round_.refresh_from_db()
        assert corrected_scores(round_, judged_sets_of(round_)) == []

    def test_the_probabilities_of_the_sample_are_stored_and_used(self, owner: User, sent: Submission) -> None:
        round_ = make(owner, sent, n_graders=1, selection=Selection.SAMPLE, n_answers=40, n_calibration=2)
        assert [(one["answers"], one["probability"]) for one in round_.sampling] == [(N, 40 / N)]
        origins = GradedAnswerOrigin.objects.filter(graded_answer__round=round_)
        drawn = origins.filter(graded_answer__is_calibration=False)
        assert set(drawn.values_list("probability", flat=True)) == {40 / N}
        assert set(origins.filter(graded_answer__is_calibration=True).values_list("probability", flat=True)) == {None}
        grade_all(round_, {1: set(range(20))})
        ((_, _, before),) = corrected_scores(round_, judged_sets_of(round_))
        wrong = [answer for answer in round_.answers.select_related("question") if place_of(answer) >= JUDGED_RIGHT]
        for answer in [*wrong, *[one for one in round_.answers.select_related("question") if place_of(one) < 10]]:
            GradedAnswerOrigin.objects.filter(graded_answer=answer).update(probability=0.1)
        ((_, _, after),) = corrected_scores(round_, judged_sets_of(round_))
        assert after.value > before.value, "right answers now stand for more of the others"
        origins.update(probability=None)
        ((_, _, unknown),) = corrected_scores(round_, judged_sets_of(round_))
        assert unknown.value == pytest.approx(before.value), "as of a simple random sample"
        assert unknown.low == pytest.approx(before.low)

    def test_a_few_grades_correct_nothing(self, owner: User, sent: Submission) -> None:
        round_ = make(owner, sent, n_graders=1, selection=Selection.SAMPLE, n_answers=FEWEST_GRADES - 1)
        grade_all(round_, {1: set(range(20))})
        assert corrected_scores(round_, judged_sets_of(round_)) == []


class TestPages:
    def test_the_outcome_shows_all_of_it_and_puts_it_on_the_boards(
        self, owner: User, sent: Submission, client: Client
    ) -> None:
        round_ = make(owner, sent)
        grade_all(round_, {1: set(range(24)), 2: set(range(20))})
        client.force_login(owner)
        page = client.get("/grading/spring/outcome/").content.decode()
        for text in ("Krippendorff", "G-01 and G-02, letters", "All, open book", "of 40 answers", "Corrected scores"):
            assert text in page, text
        assert "&lt;" not in page
        shown = re.findall(r"Judge: (?:incorrect|correct)</th>\s*<td[^>]*>(\d+)</td>\s*<td[^>]*>(\d+)</td>", page)
        assert shown == [("14", "0"), ("6", "20")]
        client.post("/grading/spring/outcome/corrected/")
        assert CorrectedScore.objects.count() == 0, "its grades may still change"
        close_round(round_, by=owner)
        client.post("/grading/spring/outcome/corrected/")
        assert CorrectedScore.objects.count() == 1

    def test_a_maintainer_who_grades_is_told_no_names_before_it_is_closed(
        self, owner: User, sent: Submission, client: Client
    ) -> None:
        round_ = make(owner, sent, n_graders=1)
        grade_all(round_, {1: set(range(24))})
        add_grader(round_, owner, by=owner)
        client.force_login(owner)
        page = client.get("/grading/spring/outcome/").content.decode()
        assert "All, open book" not in page
        assert 'id="after-closing"' in page
        close_round(round_, by=owner)
        assert "All, open book" in client.get("/grading/spring/outcome/").content.decode()


def test_a_judged_list_counts_as_right_if_all_of_it_is(client: Client) -> None:
    owner = factories.maintainer()
    dev = factories.split(factories.judged_benchmark([("Oslo", "Lima")] * 4), "dev")
    answers = {f"dev-j{index}": ["Oslo", "Lima"] for index in range(4)}
    sent = factories.submission(owner, dev, {"openbook": answers})
    _judge(sent, "list-judge", "list-judge.f1", [1, 1, 0.5, 0])
    round_ = make(owner, sent, 1)
    grade_at_once(round_, lambda who, answer: Ticked((True, not answer.question.qid.endswith("j3"))))
    (found,) = judge_validations_of(round_, judged_sets_of(round_))
    assert found["of_lists"]
    assert found["whole"].confusion.tolist() == [[1, 1], [0, 2]]
    assert corrected_scores(round_, judged_sets_of(round_)) == [], "the mean of F1 is no share of correct answers"
    client.force_login(owner)
    page = client.get(f"/grading/{round_.slug}/outcome/").content.decode()
    assert page.count(" data-lists>") == 1
    assert 'id="lists-uncorrected"' in page


def test_of_several_attempts_people_grade_the_first_and_the_score_is_not_corrected() -> None:
    dev = factories.split(factories.benchmark(n_dev=N), "dev")
    owner = factories.maintainer()
    answers = {qid: (answer, "a second attempt") for qid, answer in factories.perfect(n=N).items()}
    sent = factories.submission(owner, dev, {"openbook": answers})
    _judge(sent, "judge", "judge", [0.5] * N)
    each = np.array([np.ones(N), np.zeros(N)])
    Score.objects.filter(name="judge").update(attempts=vector_bytes(each))
    round_ = make(owner, sent, n_graders=1, selection=Selection.SAMPLE, n_answers=FEWEST_GRADES)
    assert all("second" not in answer.text for answer in round_.answers.all())
    grade_all(round_, {1: set(range(N))})
    files, revision = list(sent.files.all()), sent.split.current_revision
    assert revision is not None
    candidates = candidates_of_files(revision, files)
    assert len(candidates) == N
    opinions = opinions_of(revision, files, [], candidates)
    assert {values["judge"] for values in opinions.values() if "judge" in values} == {1.0}
    assert corrected_scores(round_, judged_sets_of(round_)) == []
