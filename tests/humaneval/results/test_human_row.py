"""People on the board: a study's answers through the ordinary runs, with intervals over participants."""

import datetime
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval.answering import withdrawal
from humaneval.grading.desk.adjudication import decide
from humaneval.grading.grade_scores import Ticked
from humaneval.grading.outcome import judge_validation, upper_bounds
from humaneval.grading.outcome.graded_answers import judged_sets_of
from humaneval.grading.rounds.services import close_round
from humaneval.models import (
    Assignment,
    ConsentVersion,
    GradedAnswer,
    GradeKind,
    Grader,
    GradingRound,
    Participant,
    Selection,
    Study,
    StudyResult,
)
from humaneval.participants import services as participants
from humaneval.results import human_row
from humaneval.results.answer_sets import make_answer_set
from humaneval.results.exports import read
from humaneval.results.human_row import HumanRowError, publish_people, row_of, unpublish_people
from humaneval.results.retention import delete_due
from humaneval.results.stale_results import withdrawn_since
from leaderboard.board import standings
from leaderboard.board.table import hand_grades
from leaderboard.maintenance import rescoring
from leaderboard.maintenance.needs import needs
from leaderboard.models import AuditRecord, Entry, User
from leaderboard.systems.comparison.human_baseline import against_people
from scoring.analysis.reference_items import item_counts
from scoring.models import Answer, AnswerSet, Run, Score, Split, Verdict, vector_bytes
from scoring.models.run_states import RunState
from scoring.queries import items_to_score
from scoring.runs import answer_sets, leases, sweeper
from scoring.runs.errors import RunUnavailableError
from scoring.runs.execution import execute
from scoring.runs.judging import budget
from scoring.runs.judging import execution as judging
from scoring.runs.judging import items as judged_items
from scoring.runs.withdrawals import DELETED
from scoring.statistics import corrected_mean, corrections, holm, mean_interval, system_against_people
from tests import factories, study_people
from tests.boards import board_for
from tests.humaneval.grading.ground import grade_at_once
from tests.notices import notices

pytestmark = pytest.mark.django_db
ANSWERS = {"P-01": (0, 1, 2), "P-02": (0, 3), "P-03": (4, 5, 6)}
ASKED = [(code, place) for code, places in ANSWERS.items() for place in places]
RIGHT = {"P-01": (0, 1), "P-02": (0,), "P-03": ()}


@pytest.fixture
def study(grace: User) -> Study:
    """Three people with 8 answers to 7 questions, of which 3 are right."""
    dev = factories.split(factories.benchmark(n_dev=8), "dev")
    made = factories.study(grace, dev, questions_per_participant=3)
    perfect = factories.perfect(n=8)
    for number, (code, places) in enumerate(ANSWERS.items(), start=1):
        person = study_people.participant(made, number)
        for position, place in enumerate(places, start=1):
            text = perfect[f"dev-{place}"] if place in RIGHT[code] else "I do not know"
            study_people.assigned(person, position, f"dev-{place}", text, active_seconds=60.0 * position)
    return made


@pytest.fixture
def scored(study: Study, grace: User) -> StudyResult:
    result = make_answer_set(study, by=grace)
    factories.run_waiting(answer_set=result.answer_set)
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
    outcomes = [float(place in RIGHT[code]) for code, place in ASKED]
    expected = mean_interval(outcomes, ([code for code, _ in ASKED], [place for _, place in ASKED]))
    assert (strict.low, strict.high) == (expected.low, expected.high)
    page = client.get(people.url).content.decode()
    assert "3 people, 8 answers to 7 questions, median active time 2.0 min per question" in page
    assert AuditRecord.objects.filter(action="study.published", actor=grace).exists()


def test_a_newer_answer_set_takes_the_place_of_the_old_row_and_keeps_its_address(
    scored: StudyResult, study: Study, grace: User
) -> None:
    first = publish_people(scored, by=grace, name="Volunteers", authors="G. Hopper")
    Assignment.objects.filter(participant__number=3, position=1).update(text=factories.perfect(n=8)["dev-4"])
    newer = make_answer_set(study, by=grace)
    factories.run_waiting(answer_set=newer.answer_set)
    second = publish_people(newer, by=grace, name="Volunteers of spring", authors="G. Hopper")
    first.refresh_from_db()
    assert first.replaced_at is not None
    assert second.system == first.system
    assert row_of(study) == second
    assert publish_people(scored, by=grace, authors="G. Hopper") == first
    found = row_of(study)
    assert found is not None
    assert found.answer_set == scored.answer_set


def test_an_unpublished_row_leaves_the_board_and_keeps_its_scores(
    scored: StudyResult, study: Study, grace: User
) -> None:
    publish_people(scored, by=grace, authors="G. Hopper")
    unpublish_people(study, by=grace)
    assert row_of(study) is None
    assert Score.objects.filter(run__answer_set=scored.answer_set).exists()
    with pytest.raises(HumanRowError, match=human_row.NOT_ON_BOARD):
        unpublish_people(study, by=grace)


def test_an_answer_set_without_scores_or_names_is_not_published(study: Study, grace: User) -> None:
    result = make_answer_set(study, by=grace)
    with pytest.raises(HumanRowError, match=human_row.STILL_SCORING):
        publish_people(result, by=grace, authors="G. Hopper")
    Run.objects.filter(answer_set=result.answer_set).update(state=RunState.FAILED)
    with pytest.raises(HumanRowError, match=human_row.NO_SCORES):
        publish_people(result, by=grace, authors="G. Hopper")
    with pytest.raises(HumanRowError, match=human_row.NAMES_NEEDED):
        publish_people(result, by=grace, name=" ", authors="G. Hopper")
    for names in ({"name": "n" * 201, "authors": "G. Hopper"}, {"authors": "a" * 1001}):
        with pytest.raises(HumanRowError, match=human_row.NAMES_TOO_LONG):
            publish_people(result, by=grace, **names)


class TestAgainst:
    """Every system against people."""

    @pytest.fixture
    def people(self, scored: StudyResult, grace: User) -> Entry:
        entry = publish_people(scored, by=grace, authors="G. Hopper")
        for name, right in (("All", 8), ("None", 0), ("Half", 4)):
            answers = factories.perfect(n=8, right=right)
            factories.published(grace, entry.split, {"openbook": answers}, name=name)
        return entry

    def test_each_system_is_compared_with_people_question_by_question(self, people: Entry) -> None:
        page = against_people(people, "strict")
        assert [page[name] for name in ("value", "n_answers", "n_questions", "n_people")] == [3 / 8, 8, 7, 3]
        places = [place for places in ANSWERS.values() for place in places]
        assert [(entry.system.name, value) for entry, value, _ in page["rows"]] == [
            ("All", 1.0),
            ("Half", sum(place < 4 for place in places) / 8),
            ("None", 0.0),
        ]
        outcomes = np.array([float(place in RIGHT[code]) for code, asked in ANSWERS.items() for place in asked])
        systems = np.array([np.ones(8), [float(place < 4) for place in places], np.zeros(8)])
        who = [code for code, _ in ASKED]
        expected = [system_against_people(system, outcomes, places, who) for system in systems]
        corrected = holm([one.p_value for one in expected if one is not None])
        for (_, _, found), alone, p_value in zip(page["rows"], expected, corrected, strict=True):
            assert alone is not None
            assert (found.value, found.low, found.high) == pytest.approx((alone.difference, alone.low, alone.high))
            assert found.corrected == pytest.approx(p_value)
            assert found.clustered

    @pytest.mark.slow
    def test_the_comparison_takes_few_queries_for_any_number_of_systems(
        self, people: Entry, grace: User, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        address = f"/systems/{people.system.slug}/against/?split=dev&setting=openbook&score=strict"
        page = client.get(address).content.decode()
        assert "3 systems compared with 3 participants" in page
        for number in range(5):
            answers = factories.perfect(n=8, right=number)
            factories.published(grace, people.split, {"openbook": answers}, name=f"More {number}")
        with django_assert_max_num_queries(10):
            assert "8 systems compared with 3 participants" in client.get(address).content.decode()
        assert client.get(people.system.get_absolute_url()).content.decode().count("/against/?") == 1

    @pytest.mark.parametrize("query", ["", "?split=test&setting=openbook", "?split=dev&setting=closedbook"])
    def test_other_boards_and_systems_have_no_comparison_with_people(
        self, people: Entry, client: Client, query: str
    ) -> None:
        assert client.get(f"/systems/{people.system.slug}/against/{query}").status_code == 404
        assert client.get("/systems/all/against/?split=dev&setting=openbook").status_code == 404


class TestPages:
    """On the maintainer's page of scores."""

    def test_a_maintainer_publishes_and_removes_the_row(self, scored: StudyResult, grace: User, client: Client) -> None:
        client.force_login(grace)
        address = f"/maintenance/studies/{scored.study.slug}/results/"
        assert f'action="{address}1/publish/"' in client.get(address).content.decode()
        said = {"name": "Volunteers", "authors": "G. Hopper"}
        published = client.post(f"{address}1/publish/", said, follow=True)
        ((tone, text),) = notices(published)
        assert (tone, text.split()[0]) == ("good", "Volunteers")
        assert ": 3 people, 8 answers to 7 questions" in text
        assert "Remove from leaderboard" in published.content.decode()
        assert row_of(scored.study) is not None
        assert [tone for tone, _ in notices(client.post(f"{address}unpublish/", follow=True))] == ["good"]
        assert row_of(scored.study) is None
        refused = client.post(f"{address}1/publish/", {"name": ""}, follow=True)
        assert notices(refused) == [("bad", human_row.NAMES_NEEDED)]
        assert client.post(f"{address}2/publish/", said).status_code == 404

    def test_a_study_maintainer_who_is_no_maintainer_of_the_site_cannot_publish(
        self, scored: StudyResult, client: Client
    ) -> None:
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


def test_scores_on_a_hidden_split_are_shown_to_site_maintainers_only(
    scored: StudyResult, study: Study, grace: User, client: Client
) -> None:
    """A set of one answer, or two that differ by one, would say whether that answer is right."""
    keeper = factories.user("keeper", is_staff=True)
    keeper.user_permissions.add(Permission.objects.get(codename="change_study"))
    address = f"/maintenance/studies/{study.slug}/results/"
    for hidden, told in ((False, True), (True, False)):
        Split.objects.filter(pk=study.split_id).update(hidden=hidden)
        client.force_login(keeper)
        assert ("0.375" in client.get(address).content.decode()) is told
        client.force_login(grace)
        assert "0.375" in client.get(address).content.decode()


class TestWithdrawals:
    """Whoever leaves a study that deletes leaves its scores standing, and a word of it wherever they are kept."""

    @pytest.fixture
    def on_board(self, scored: StudyResult, grace: User) -> Entry:
        return publish_people(scored, by=grace, name="Volunteers", authors="G. Hopper")

    def stale(self, study: Study) -> dict[str, Any]:
        found = withdrawn_since(study)
        assert found is not None
        return found

    def leave(self, study: Study, number: int) -> None:
        withdrawal.withdraw(Participant.objects.get(study=study, number=number))

    def test_a_withdrawal_keeps_scores_and_closes_the_answer_set(self, scored: StudyResult, study: Study) -> None:
        waiting = Run.objects.get(answer_set=scored.answer_set, metric="judge")
        assert waiting.state == RunState.NOT_CONFIGURED
        before = list(Score.objects.order_by("pk").values_list("pk", "value", "vector", "signature"))
        self.leave(study, 1)
        assert list(Score.objects.order_by("pk").values_list("pk", "value", "vector", "signature")) == before
        scored.answer_set.refresh_from_db()
        waiting.refresh_from_db()
        assert (waiting.state, waiting.reason) == (RunState.CANCELLED, answer_sets.CLOSED)
        assert not answer_sets.retry_run(waiting)
        assert sweeper.start_parked() == 0
        Run.objects.filter(answer_set=scored.answer_set).delete()
        assert answer_sets.ensure_runs(scored.answer_set) == []
        assert not any(rescoring.make_missing_runs(study.split).values())
        assert not Run.objects.exists()

    def test_a_withdrawal_during_a_run_discards_its_scores(self, study: Study, grace: User) -> None:
        result = make_answer_set(study, by=grace)
        run = Run.objects.get(answer_set=result.answer_set, metric="accuracy")
        token = leases.claim(str(run.pk))
        assert token is not None
        self.leave(study, 1)
        with pytest.raises(RunUnavailableError, match="withdrawn"):
            execute(str(run.pk), token, check=lambda: None)
        with pytest.raises(leases.LeaseLostError):
            leases.renew(str(run.pk), token)
        assert not Score.objects.exists()

    def test_a_withdrawal_deletes_judge_replies_and_keeps_letters(self, scored: StudyResult, study: Study) -> None:
        run = Run.objects.select_related("answer_set", "revision").get(answer_set=scored.answer_set, metric="judge")
        Run.objects.filter(pk=run.pk).update(state=RunState.DONE)
        for item in judged_items.items_of(run)[1]:
            qid, _, who = item.key.partition("\t")
            said = {"letter": "B", "reply": f"{who} says {item.answer.text}", "model": "judge", "seed": 1}
            Verdict.objects.get_or_create(
                address=item.address(judged_items.settings_of(run)),
                ask=1,
                defaults={"qid": qid, "run": run, "outcome": "verdict", **said},
            )
        assert Verdict.objects.filter(reply__startswith="P-02").exists()
        self.leave(study, 1)
        replies = list(Verdict.objects.exclude(reply="").values_list("reply", flat=True))
        assert not [reply for reply in replies if reply.startswith("P-01")]
        assert [reply for reply in replies if reply.startswith("P-03")]
        assert Verdict.objects.filter(letter="B").count() == Verdict.objects.count()

    def test_a_judge_reply_that_arrives_during_a_withdrawal_is_not_stored(
        self, scored: StudyResult, study: Study, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Run.objects.filter(answer_set=scored.answer_set, metric="judge").update(state=RunState.WAITING)
        run = Run.objects.select_related("answer_set", "revision").get(answer_set=scored.answer_set, metric="judge")
        token = leases.claim(str(run.pk))
        assert token is not None

        def leave_and_reply(session: judging.JudgeSession, askable: object, allowance: object) -> None:
            self.leave(study, 1)
            for who, qid in (("P-01", "dev-0"), ("P-03", "dev-4")):
                address = session.verdicts.addresses[f"{qid}\t{who}"]
                said = {"letter": "B", "model": "judge", "seed": 1}
                Verdict.objects.create(
                    address=address, ask=1, qid=qid, run=run, outcome="verdict", reply=f"{who} wrote …", **said
                )
            session.record_progress(always=True)

        monkeypatch.setattr(budget, "check_budget", lambda *given: None)
        monkeypatch.setattr(judging.JudgeSession, "ask", leave_and_reply)
        with pytest.raises(leases.LeaseLostError):
            judging.execute_judge(run, judged_items.metric_of_run(run), token, check=lambda: None)
        assert set(Verdict.objects.values_list("reply", flat=True)) == {"", "P-03 wrote …"}

    @pytest.mark.slow
    def test_the_maintainer_is_reminded_until_it_is_published_again(
        self, on_board: Entry, study: Study, grace: User, client: Client
    ) -> None:
        client.force_login(grace)
        address = f"/maintenance/studies/{study.slug}/"
        reminder = re.compile(r' data-stale="withdrawn".*? class="alert__title"> 3 answers from 1 ')

        def page(path: str = address) -> str:
            return " ".join(client.get(path).content.decode().split())

        assert " data-stale=" not in page() + page(f"{address}results/") + page("/maintenance/")
        assert 'id="rows-to-publish"' not in page("/maintenance/")
        self.leave(study, 1)
        for path in (address, f"{address}results/"):
            assert reminder.search(page(path))
            assert "Score again" in page(path)
        assert re.search(r'id="withdrawn-from-1"> 3 of ', page(f"{address}results/"))
        assert 'id="rows-to-publish"' in page("/maintenance/")
        assert "Scores outdated" in page("/maintenance/studies/")
        client.post(f"{address}results/")
        newer = study.results.latest("made_at")
        found = page(f"{address}results/")
        assert reminder.search(found)
        assert f'action="{address}results/2/publish/"' not in found
        assert "Score again" not in found
        factories.run_waiting(answer_set=newer.answer_set)
        refused = client.post(f"{address}results/1/publish/", {"name": "N", "authors": "A"}, follow=True)
        assert notices(refused) == [("bad", human_row.WITHDRAWN_SINCE)]
        found = page(f"{address}results/")
        assert f'action="{address}results/2/publish/"' in found
        assert 'type="hidden" name="name" value="Volunteers"' in found
        client.post(f"{address}results/2/publish/", {"name": "Volunteers", "authors": "G. Hopper"})
        assert " data-stale=" not in page() + page(f"{address}results/")
        assert 'id="rows-to-publish"' not in page("/maintenance/")
        row = row_of(study)
        assert row is not None
        assert row.note.startswith("2 people, 5 answers to 5 questions")

    def test_an_exclusion_makes_results_stale_until_it_is_undone(
        self, on_board: Entry, study: Study, grace: User, client: Client
    ) -> None:
        third = Participant.objects.get(study=study, number=3)
        participants.exclude(third, "A colleague.", by=grace)
        client.force_login(grace)
        page = " ".join(client.get(f"/maintenance/studies/{study.slug}/results/").content.decode().split())
        assert re.search(r' data-stale="excluded".*? class="alert__title"> 3 answers in answer set 1 ', page)
        self.leave(study, 1)
        found = self.stale(study)
        assert [found[name] for name in ("n_answers", "n_people", "n_excluded", "n_all")] == [3, 1, 3, 6]
        assert found["excluded"] == [("P-03", "A colleague.", 3)]
        factories.run_waiting(answer_set=make_answer_set(study, by=grace).answer_set)
        found = self.stale(study)
        assert found["newer"] == 2
        participants.include(third, by=grace)
        found = self.stale(study)
        assert (found["n_answers"], found["n_excluded"]) == (3, 0)

    def test_after_everybody_withdrew_the_row_should_be_removed(self, on_board: Entry, study: Study) -> None:
        for number, stale in ((1, (1, 0)), (2, (1, 0)), (3, (0, 1))):
            self.leave(study, number)
            rows = {need.key: need for need in needs()}
            counts = [rows[key].count if key in rows else 0 for key in ("rows-to-publish", "rows-to-remove")]
            assert tuple(counts) == stale
        since, newest = rows["rows-to-remove"].since, rows["rows-to-remove"].newest
        assert since is not None and newest is not None and since < newest
        found = self.stale(study)
        assert [found[name] for name in ("n_answers", "n_people", "anybody_left", "newer")] == [8, 3, False, None]

    def test_anonymised_answers_are_omitted_from_the_next_answer_set_only(
        self, on_board: Entry, study: Study, grace: User
    ) -> None:
        ConsentVersion.objects.update(on_withdrawal="anonymise")  # what the person agreed to
        self.leave(study, 1)
        answer_set = AnswerSet.objects.get(study_result__study=study)
        assert answer_set.closed_at is None
        assert "(deleted)" not in answer_set.answers.values_list("text", flat=True)
        found = self.stale(study)
        assert found["n_answers"] == 3
        assert make_answer_set(study, by=grace).n_answers == 5

    def test_a_board_with_withdrawn_answers_is_not_switched_to_another_revision(
        self, on_board: Entry, study: Study
    ) -> None:
        self.leave(study, 1)
        questions = factories.source_questions("dev", 8)
        questions[2] = replace(questions[2], answer="Cuzco")
        factories.revise(study.split, questions, date=timezone.now().date())
        study.split.refresh_from_db()
        with pytest.raises(rescoring.SwitchError, match="Some answers of Volunteers were withdrawn"):
            rescoring.switch(study.split)


class TestUpperBound:
    """What people reach when their answers are graded by hand."""

    @pytest.fixture
    def graded(self, study: Study, grace: User) -> GradingRound:
        """Both graders find every item of the right answers; of the wrong ones the first finds one item."""
        graders = [factories.user("first"), factories.user("second")]
        round_ = factories.grading_round(grace, study.split, graders=graders, studies=[study], calibration_start=0)

        def ticked(grader: Grader, answer: GradedAnswer) -> Ticked:
            right = answer.text != "I do not know"
            ticks = (right or grader.number == 1, *(right,) * (answer.n_items - 1))
            return Ticked(ticks, refuses=not any(ticks))

        grade_at_once(round_, ticked)
        return round_

    def expected(self, study: Study) -> list[float]:
        """By hand: 1 for each right answer, else half of one item's share."""
        counts = item_counts(study.split.current_revision)  # type: ignore[arg-type]
        return [
            1.0 if place in RIGHT[code] else 0.5 / counts[f"dev-{place}"]
            for code, places in ANSWERS.items()
            for place in places
        ]

    def test_human_performance_is_the_mean_over_answers_with_an_interval_over_people(
        self, graded: GradingRound, study: Study
    ) -> None:
        (bound,) = upper_bounds.upper_bounds_of(graded)
        shares = self.expected(study)
        assert bound.loose == pytest.approx(sum(shares) / 8)
        ends = mean_interval(shares, ([code for code, _ in ASKED], [place for _, place in ASKED]))
        assert [bound.low, bound.high] == pytest.approx([ends.low, ends.high])
        assert (bound.n_answers, bound.n_people, bound.n_questions) == (8, 3, 7)

    def test_a_calibration_answer_counts_with_its_known_grade(
        self, graded: GradingRound, study: Study, grace: User
    ) -> None:
        answer = graded.answers.get(origin__assignment__participant__number=1, question__qid="dev-0")
        graded.answers.filter(pk=answer.pk).update(is_calibration=True)
        right = Ticked((True,) * answer.n_items)
        decide(round_=graded, answer=answer, kind=GradeKind.KNOWN, by=grace, ticked=right)
        (before,) = upper_bounds.upper_bounds_of(graded)
        assert (before.n_answers, before.n_calibration) == (8, 1)
        wrong = Ticked((False,) * answer.n_items, refuses=True)
        decide(round_=graded, answer=answer, kind=GradeKind.KNOWN, by=grace, ticked=wrong)
        (after,) = upper_bounds.upper_bounds_of(graded)
        assert after.loose == pytest.approx(before.loose - 1 / 8)
        assert after.strict == pytest.approx(before.strict - 1 / 8)
        decide(round_=graded, answer=answer, kind=GradeKind.DECISION, by=grace, ticked=right)
        (decided,) = upper_bounds.upper_bounds_of(graded)
        assert decided.loose == pytest.approx(before.loose)

    def test_the_row_names_the_authors_of_the_study(
        self, graded: GradingRound, scored: StudyResult, study: Study, grace: User
    ) -> None:
        close_round(graded, by=grace)
        graded.refresh_from_db()
        given = upper_bounds.publish_upper_bound(graded, study.slug, by=grace, authors="A. Lovelace")
        assert given.system.authors == "A. Lovelace"
        assert upper_bounds.publish_upper_bound(graded, study.slug, by=grace).system.authors == "A. Lovelace"
        publish_people(scored, by=grace, authors="G. Hopper")
        assert upper_bounds.publish_upper_bound(graded, study.slug, by=grace).system.authors == "G. Hopper"

    def test_a_maintainer_reads_why_there_are_no_grades(
        self, study: Study, scored: StudyResult, grace: User, client: Client
    ) -> None:
        publish_people(scored, by=grace, authors="A")
        client.force_login(grace)
        page = reverse("manage-study-results", args=[study.slug])
        assert human_row.NO_ROUND in client.get(page).content.decode()
        made = factories.grading_round(
            grace, study.split, name="Hard", graders=[grace], studies=[study], graders_per_answer=1
        )
        GradingRound.objects.filter(pk=made.pk).update(selection=Selection.DISAGREEMENTS)
        assert "no random sample" in human_row.why_not_graded(study)
        GradingRound.objects.filter(pk=made.pk).update(selection=Selection.ALL)
        assert human_row.why_not_graded(study) == "The grading round Hard is not closed."
        GradingRound.objects.filter(pk=made.pk).update(closed_at=timezone.now())
        assert "is not published" in human_row.why_not_graded(study)

    def test_with_published_grades_there_is_nothing_to_explain(
        self, graded: GradingRound, scored: StudyResult, study: Study, grace: User
    ) -> None:
        publish_people(scored, by=grace, authors="A")
        close_round(graded, by=grace)
        graded.refresh_from_db()
        upper_bounds.publish_upper_bound(graded, study.slug, by=grace)
        assert human_row.why_not_graded(study) == ""
        board = board_for(study.split, study.setting)
        reasons = {
            row.kind: {cell.reason for cell in row.cells if cell.column.metric == "hand"} for row in board.all_rows
        }
        assert reasons["graded"] == {""}
        assert reasons["scored"] == {hand_grades.A_ROW_APART}

    def test_a_judge_s_score_of_people_is_corrected_with_an_interval_over_people(
        self, graded: GradingRound, scored: StudyResult, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(corrections, "FEWEST_GRADES", 8)
        run = Run.objects.get(answer_set=scored.answer_set, metric="judge")
        Run.objects.filter(pk=run.pk).update(state=RunState.DONE)
        items = items_to_score(scored.answer_set, graded.revision)
        given = {"value": 1.0, "vector": vector_bytes(np.ones(8)), "n_items": 8, "n_answered": 8}
        Score.objects.create(run=run, name="judge", signature=run.signature, **given)
        ((_, _, found),) = judge_validation.corrected_scores(graded, judged_sets_of(graded))
        assert items.participants is not None
        counts = item_counts(graded.revision)
        right = [  # of a wrong answer to a question of one item the first grader finds all
            1.0 if at in RIGHT[who] else 0.5 * (counts[qid] == 1)
            for at, who, qid in zip(items.places, items.participants, items.qids, strict=True)
        ]
        expected = corrected_mean(np.ones(8), range(8), right, clusters=items.clusters)
        assert expected is not None
        assert found.value == pytest.approx(sum(right) / 8)
        assert found.low == pytest.approx(expected.low)
        alone = corrected_mean(np.ones(8), range(8), right)
        assert alone is not None
        assert found.low != pytest.approx(alone.low)

    def test_participants_excluded_or_withdrawn_since_do_not_count(self, graded: GradingRound, study: Study) -> None:
        Participant.objects.filter(study=study, number=1).update(excluded_at=timezone.now())
        (bound,) = upper_bounds.upper_bounds_of(graded)
        assert bound.n_people == 2
        Participant.objects.filter(study=study, number=2).update(withdrawn_at=timezone.now())
        (bound,) = upper_bounds.upper_bounds_of(graded)
        assert (bound.n_people, bound.n_answers) == (1, len(ANSWERS["P-03"]))

    def test_answers_that_were_chosen_for_their_differences_are_no_sample(
        self, graded: GradingRound, study: Study, grace: User
    ) -> None:
        close_round(graded, by=grace)
        GradingRound.objects.update(selection=Selection.DISAGREEMENTS)
        graded.refresh_from_db()
        assert upper_bounds.upper_bounds_of(graded) == []
        with pytest.raises(HumanRowError, match=upper_bounds.NOT_RANDOM):
            upper_bounds.publish_upper_bound(graded, study.slug, by=grace)

    def test_a_row_of_a_hidden_split_needs_enough_questions(
        self, graded: GradingRound, scored: StudyResult, study: Study, grace: User
    ) -> None:
        Split.objects.filter(pk=study.split_id).update(hidden=True)
        close_round(graded, by=grace)
        graded.refresh_from_db()
        with pytest.raises(HumanRowError, match="This row has 7"):
            publish_people(scored, by=grace, authors="G. Hopper")
        with pytest.raises(HumanRowError, match="This row has 7"):
            upper_bounds.publish_upper_bound(graded, study.slug, by=grace)
        assert not Entry.objects.exists()

    @pytest.mark.slow
    def test_human_performance_is_published_after_the_round_is_closed(
        self, graded: GradingRound, study: Study, grace: User, client: Client
    ) -> None:
        client.force_login(grace)
        address = f"/grading/{graded.slug}/outcome/bound/"
        refused = client.post(address, {"study": study.slug}, follow=True)
        assert notices(refused) == [("bad", upper_bounds.ROUND_OPEN)]
        close_round(graded, by=grace)
        done = client.post(address, {"study": study.slug}, follow=True)
        assert [tone for tone, _ in notices(done)] == ["good"]
        refused = client.post(address, {"study": "another"}, follow=True)
        assert notices(refused) == [("bad", upper_bounds.NO_GRADES)]
        client.post(address, {"study": study.slug})
        board = board_for(study.split, study.setting)
        (row,) = [row for row in board.pinned_rows if row.pinned == "human"]
        assert (row.kind, row.authors) == ("graded", "The authors of “Spring study”")
        assert row.name == upper_bounds.NAME.format("Spring study")
        assert {cell.column.group for cell in row.cells if cell.value is not None} == {"Graded by hand"}
        loose, strict = (cell for cell in row.cells if cell.value is not None)
        assert loose.value == pytest.approx(sum(self.expected(study)) / 8)
        (bound,) = upper_bounds.upper_bounds_of(graded)
        assert (loose.low, loose.high) == (bound.low, bound.high)
        assert (strict.value, strict.low, strict.high) == (bound.strict, bound.strict_low, bound.strict_high)
        page = client.get(f"/fanoutqa/dev/{study.setting.slug}/").content.decode()
        assert "graded by hand" in page
        assert "badge--reported" not in page
        assert row.note.startswith("8 answers of 3 people ")
        study_page = f"/maintenance/studies/{study.slug}/"
        assert " data-stale=" not in client.get(study_page).content.decode()
        withdrawal.withdraw(Participant.objects.get(study=study, number=1))
        assert ' data-stale="graded"' in client.get(study_page).content.decode()
        client.post(address, {"study": study.slug})
        assert " data-stale=" not in client.get(study_page).content.decode()


def test_scores_and_the_row_stay_when_the_texts_are_deleted(scored: StudyResult, grace: User) -> None:
    """The study's time limit deletes what people typed, and nothing that was computed of it."""
    study = scored.study

    def grades() -> list[tuple[str, str, float | None]]:
        return [(row.participant, row.score.key, row.value) for row in read.grades(study)]

    before, entry = grades(), publish_people(scored, by=grace, authors="G. Hopper")
    values = set(entry.answer_set.runs.values_list("scores__name", "scores__value"))  # type: ignore[union-attr]
    assert before
    end = timezone.now() - datetime.timedelta(days=2)
    Study.objects.update(keeps_texts_days=1, opens_at=end - datetime.timedelta(days=1), closes_at=end)
    assert delete_due() == 1
    assert set(Answer.objects.filter(answer_set=scored.answer_set).values_list("text", flat=True)) == {DELETED}
    assert grades() == before
    assert set(entry.answer_set.runs.values_list("scores__name", "scores__value")) == values  # type: ignore[union-attr]
    entry.refresh_from_db()
    assert entry.replaced_at is None
    assert publish_people(scored, by=grace, authors="G. Hopper").answer_set_id == scored.answer_set_id
