"""People on the board: a study's answers through the ordinary runs, with intervals over participants."""

import uuid

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval import human_row
from humaneval.human_row import HumanRowError, publish_people, row_of, unpublish_people
from humaneval.models import Assignment, Participant, Study, StudyResult
from humaneval.results import make_answer_set
from leaderboard import standings
from leaderboard.board import board_for
from leaderboard.comparison import against_people
from leaderboard.models import AuditRecord, Entry, User
from scoring import services as scoring_services
from scoring.execution import execute
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
