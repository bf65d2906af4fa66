"""People on the board: a study's answers through the ordinary runs, with intervals over participants."""

import uuid

import numpy as np
import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval import human_row
from humaneval.grading.arithmetic import Ticked
from humaneval.grading.desk import hold, save_grade
from humaneval.grading.making import close_round, make_round
from humaneval.human_row import HumanRowError, publish_people, row_of, unpublish_people
from humaneval.models import Assignment, Grader, GradingRound, Participant, Study, StudyResult
from humaneval.results import make_answer_set
from leaderboard import standings
from leaderboard.board import board_for
from leaderboard.comparison import against_people
from leaderboard.models import AuditRecord, Entry, User
from scoring import services as scoring_services
from scoring.execution import execute
from scoring.items import item_counts
from scoring.models import Question, Run, Score
from scoring.states import RunState
from scoring.statistics import BOARD_SEED, bootstrap_interval, paired_differences
from tests import factories

pytestmark = pytest.mark.django_db
ANSWERS = {"P-01": (0, 1, 2), "P-02": (0, 3), "P-03": (4, 5, 6)}
RIGHT = {"P-01": (0, 1), "P-02": (0,), "P-03": ()}


@pytest.fixture
def grace() -> User:
    return factories.maintainer()


@pytest.fixture
def study(grace: User) -> Study:
    """Three people with 8 answers to 7 questions, of which 3 are right."""
    dev = factories.split(factories.benchmark(n_dev=8), "dev")
    made = factories.study(grace, dev, questions_per_participant=3)
    perfect = factories.perfect(n=8)
    questions = {question.qid: question for question in Question.objects.filter(revision=dev.current_revision)}
    for number, (code, places) in enumerate(ANSWERS.items(), start=1):
        person = Participant.objects.create(
            study=made, number=number, consented_at=timezone.now(), receipt_code=uuid.uuid4().hex
        )
        assert person.code == code
        for position, place in enumerate(places, start=1):
            qid = f"dev-{place}"
            Assignment.objects.create(
                participant=person,
                position=position,
                question=questions[qid],
                text=perfect[qid] if place in RIGHT[code] else "I do not know",
                version=1,
                done_at=timezone.now(),
                active_seconds=60.0 * position,
            )
    return made


def score(result: StudyResult) -> None:
    for run in Run.objects.filter(answer_set=result.answer_set, state=RunState.WAITING):
        token = scoring_services.claim(str(run.pk))
        assert token is not None
        execute(str(run.pk), token, check=lambda: None)


@pytest.fixture
def scored(study: Study, grace: User) -> StudyResult:
    result = make_answer_set(study, by=grace)
    score(result)
    return result


def test_people_stand_beside_the_systems_with_an_interval_over_participants(
    scored: StudyResult, grace: User, client: Client
) -> None:
    entry = publish_people(scored, by=grace, authors="G. Hopper and others")
    dev, openbook = entry.split, entry.setting
    factories.published(grace, dev, {"openbook": factories.perfect(n=8)}, name="All")
    standings.refresh(dev, openbook)
    board = board_for(dev, openbook)
    assert [row.name for row in board.rows] == ["All"]
    (people,) = [row for row in board.pinned_rows if row.pinned == "human"]
    assert (people.name, people.rank, people.n_answered) == ("People", None, 7)
    strict = next(cell for cell in people.cells if cell.column.key == "strict")
    assert strict.value == pytest.approx(3 / 8)
    clusters = [code for code, places in ANSWERS.items() for _ in places]
    outcomes = [float(place in RIGHT[code]) for code, places in ANSWERS.items() for place in places]
    expected = bootstrap_interval(np.array(outcomes), seed=BOARD_SEED, clusters=clusters)
    assert (strict.low, strict.high) == (float(expected.low), float(expected.high))
    page = client.get(people.url).content.decode()
    assert "3 people, 8 answers to 7 questions, median 2.0 min of work a question" in page
    assert AuditRecord.objects.filter(action="study.published", actor=grace).exists()


def test_a_newer_answer_set_takes_the_place_of_the_old_row_and_keeps_its_address(
    scored: StudyResult, study: Study, grace: User
) -> None:
    first = publish_people(scored, by=grace, name="Volunteers", authors="G. Hopper")
    Assignment.objects.filter(participant__number=3, position=1).update(text=factories.perfect(n=8)["dev-4"])
    newer = make_answer_set(study, by=grace)
    score(newer)
    second = publish_people(newer, by=grace, name="Volunteers of spring", authors="G. Hopper")
    first.refresh_from_db()
    assert first.replaced_at is not None
    assert second.system == first.system
    assert row_of(study) == second
    assert publish_people(scored, by=grace, authors="G. Hopper") == first
    found = row_of(study)
    assert found is not None
    assert found.answer_set == scored.answer_set


def test_it_comes_off_the_board_and_keeps_its_scores(scored: StudyResult, study: Study, grace: User) -> None:
    publish_people(scored, by=grace, authors="G. Hopper")
    unpublish_people(study, by=grace)
    assert row_of(study) is None
    assert Score.objects.filter(run__answer_set=scored.answer_set).exists()
    with pytest.raises(HumanRowError, match="not on the board"):
        unpublish_people(study, by=grace)


def test_what_is_not_ready_is_refused_with_its_reason(study: Study, grace: User) -> None:
    result = make_answer_set(study, by=grace)
    with pytest.raises(HumanRowError, match="still being scored"):
        publish_people(result, by=grace, authors="G. Hopper")
    Run.objects.filter(answer_set=result.answer_set).update(state=RunState.FAILED)
    with pytest.raises(HumanRowError, match="no score yet"):
        publish_people(result, by=grace, authors="G. Hopper")
    with pytest.raises(HumanRowError, match="needs a name"):
        publish_people(result, by=grace, name=" ", authors="G. Hopper")


def test_a_study_nobody_worked_on_has_no_median(study: Study) -> None:
    assert human_row.median_seconds(study) == 120.0
    Assignment.objects.update(active_seconds=0.0)
    assert human_row.median_seconds(study) is None


class TestAgainst:
    """Every system against people."""

    @pytest.fixture
    def people(self, scored: StudyResult, grace: User) -> Entry:
        entry = publish_people(scored, by=grace, authors="G. Hopper")
        for name, right in (("All", 8), ("None", 0), ("Half", 4)):
            answers = factories.perfect(n=8, right=right)
            factories.published(grace, entry.split, {"openbook": answers}, name=name)
        return entry

    def test_each_is_paired_with_them_question_by_question(self, people: Entry) -> None:
        page = against_people(people, "strict")
        assert (page.value, page.n_answers, page.n_questions, page.n_people) == (3 / 8, 8, 7, 3)
        places = [place for places in ANSWERS.values() for place in places]
        assert [(row.name, row.value) for row in page.rows] == [
            ("All", 1.0),
            ("Half", sum(place < 4 for place in places) / 8),
            ("None", 0.0),
        ]
        outcomes = np.array([float(place in RIGHT[code]) for code, asked in ANSWERS.items() for place in asked])
        clusters = [code for code, asked in ANSWERS.items() for _ in asked]
        systems = np.array([np.ones(8), [float(place < 4) for place in places], np.zeros(8)])
        order = np.argsort([f"{place:02}{code}" for place, code in zip(places, clusters, strict=True)])
        expected = paired_differences(
            np.vstack([outcomes, systems])[:, order],
            [(1, 0), (2, 0), (3, 0)],
            seed=BOARD_SEED,
            clusters=[clusters[at] for at in order],
        )
        for at, row in enumerate(page.rows):
            found = row.difference
            assert found.value == pytest.approx(float(expected.value[at]))
            assert (found.low, found.high) == (float(expected.interval.low[at]), float(expected.interval.high[at]))
            assert found.corrected == pytest.approx(float(expected.corrected[at]))
            assert found.clustered

    def test_the_page_says_it_in_few_queries_however_many_systems(
        self, people: Entry, grace: User, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        address = f"/systems/{people.system.slug}/against/?split=dev&setting=openbook&score=strict"
        page = client.get(address).content.decode()
        assert "3 systems against 3 people" in page
        assert "cannot give a p-value below 0.250" in page
        for number in range(5):
            answers = factories.perfect(n=8, right=number)
            factories.published(grace, people.split, {"openbook": answers}, name=f"More {number}")
        with django_assert_max_num_queries(10):
            assert "8 systems against 3 people" in client.get(address).content.decode()
        assert client.get(people.system.get_absolute_url()).content.decode().count("/against/?") == 1

    @pytest.mark.parametrize("query", ["", "?split=test&setting=openbook", "?split=dev&setting=closedbook"])
    def test_elsewhere_there_are_none(self, people: Entry, client: Client, query: str) -> None:
        assert client.get(f"/systems/{people.system.slug}/against/{query}").status_code == 404
        assert client.get("/systems/all/against/?split=dev&setting=openbook").status_code == 404

    def test_a_score_that_people_lack_is_said(self, people: Entry, client: Client) -> None:
        Score.objects.filter(run__answer_set=people.answer_set).delete()
        page = client.get(f"/systems/{people.system.slug}/against/?split=dev&setting=openbook").content.decode()
        assert "No comparable score" in page


class TestPages:
    """On the maintainer's page of scores."""

    def test_it_is_put_on_the_board_and_taken_off(self, scored: StudyResult, grace: User, client: Client) -> None:
        client.force_login(grace)
        address = f"/maintenance/studies/{scored.study.slug}/results/"
        assert "Put it on the board" in client.get(address).content.decode()
        said = {"name": "Volunteers", "authors": "G. Hopper"}
        page = client.post(f"{address}1/publish/", said, follow=True).content.decode()
        assert "Volunteers are on the board: 3 people, 8 answers to 7 questions" in page
        assert "Take it off" in page
        assert row_of(scored.study) is not None
        page = client.post(f"{address}unpublish/", follow=True).content.decode()
        assert "off the board" in page
        assert row_of(scored.study) is None
        assert "needs a name" in client.post(f"{address}1/publish/", {"name": ""}, follow=True).content.decode()
        assert client.post(f"{address}2/publish/", said).status_code == 404

    def test_who_keeps_a_study_but_not_the_boards_cannot(self, scored: StudyResult, client: Client) -> None:
        keeper = factories.user("keeper", is_staff=True)
        keeper.user_permissions.add(Permission.objects.get(codename="change_study"))
        client.force_login(keeper)
        address = f"/maintenance/studies/{scored.study.slug}/results/"
        assert client.get(address).status_code == 200
        said = {"name": "Volunteers", "authors": "G. Hopper"}
        assert client.post(f"{address}1/publish/", said).status_code == 403
        assert client.post(f"{address}unpublish/").status_code == 403
        client.force_login(factories.user("stranger"))
        assert client.post(f"{address}1/publish/", said).status_code == 404


class TestUpperBound:
    """What people reach when their answers are graded by hand."""

    @pytest.fixture
    def graded(self, study: Study, grace: User) -> GradingRound:
        """Both graders find every item of the right answers; of the wrong ones the first finds one item."""
        graders = [factories.user("first"), factories.user("second")]
        round_ = make_round(
            owner=grace, name="Spring", split=study.split, graders=graders, studies=[study], calibration_start=0
        )
        for grader in Grader.objects.filter(round=round_):
            while slots := hold(grader):
                for slot in slots:
                    answer = slot.graded_answer
                    right = answer.text != "I do not know"
                    ticks = (right or grader.number == 1, *(right,) * (answer.n_items - 1))
                    save_grade(grader=grader, slot=slot.pk, ticked=Ticked(ticks, refuses=not any(ticks)))
        return round_

    def expected(self, study: Study) -> list[float]:
        """By hand: 1 for each right answer, else half of one item's share."""
        counts = item_counts(study.split.current_revision)  # type: ignore[arg-type]
        return [
            1.0 if place in RIGHT[code] else 0.5 / counts[f"dev-{place}"]
            for code, places in ANSWERS.items()
            for place in places
        ]

    def test_it_is_the_mean_over_answers_with_an_interval_over_people(self, graded: GradingRound, study: Study) -> None:
        (bound,) = human_row.upper_bounds_of(graded)
        shares = self.expected(study)
        assert bound.loose == pytest.approx(sum(shares) / 8)
        clusters = [code for code, places in ANSWERS.items() for _ in places]
        ends = bootstrap_interval(shares, seed=BOARD_SEED, clusters=clusters)
        assert bound.low == pytest.approx(float(ends.low))
        assert bound.high == pytest.approx(float(ends.high))
        assert (bound.n_answers, bound.n_people, bound.n_questions) == (8, 3, 7)

    def test_it_goes_to_the_board_when_the_round_is_closed(
        self, graded: GradingRound, study: Study, grace: User, client: Client
    ) -> None:
        client.force_login(grace)
        address = f"/grading/{graded.slug}/outcome/bound/"
        page = client.post(address, {"study": study.slug}, follow=True).content.decode()
        assert "Close the round first" in page
        close_round(graded, by=grace)
        assert "is on the board" in client.post(address, {"study": study.slug}, follow=True).content.decode()
        assert "Nothing of this study" in client.post(address, {"study": "another"}, follow=True).content.decode()
        client.post(address, {"study": study.slug})
        board = board_for(study.split, study.setting)
        (row,) = [row for row in board.pinned_rows if row.pinned == "human"]
        assert row.kind == "reported"
        assert row.name == "People, graded by hand (Spring study)"
        loose = next(cell for cell in row.cells if cell.column.key == "loose")
        assert loose.value == pytest.approx(sum(self.expected(study)) / 8)
        assert "8 answers of 3 people graded by hand" in row.note
