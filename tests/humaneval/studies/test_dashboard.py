"""What a maintainer sees of a study: seats, states, times, coverage, sessions, what was read."""

import datetime
import uuid

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval.models import AnswerRevision, Origin, Participant, SamplingMethod, Study, Visit
from humaneval.participants import services as participants
from humaneval.results import timeline
from humaneval.results.evidence import evidence_of, measured_answers
from humaneval.studies import dashboard
from humaneval.studies.evidence_measures import title_of
from humaneval.studies.queries import counted, seated
from leaderboard.models import User
from tests import factories
from tests import study_people as people_of

pytestmark = pytest.mark.django_db
DAY = datetime.timedelta(days=1)


@pytest.fixture
def study(grace: User) -> Study:
    split = factories.split(factories.benchmark(), "dev")
    now = timezone.now()
    return factories.study(grace, split, opens_at=now - DAY, closes_at=now + DAY, seats=5)


@pytest.fixture
def people(study: Study) -> dict[str, Participant]:
    return people_of.lively(study)


class TestDashboard:
    def test_the_dashboard_shows_the_state_of_every_participant(
        self, study: Study, people: dict[str, Participant]
    ) -> None:
        board = dashboard.dashboard(study)
        assert {row["person"].code: row["state"] for row in board["rows"]} == {
            people[state].code: state for state in people
        }
        assert (board["n_taken"], len(board["rows"]), board["n_started"]) == (3, 7, 6)
        assert (board["n_finished"], board["n_stuck"], board["n_dropped"]) == (1, 1, 1)
        assert (board["n_declined"], board["n_withdrawn"], board["n_excluded"]) == (1, 1, 1)
        assert board["n_taken"] == seated(study).count()

    def test_the_dashboard_counts_answers_that_count(self, study: Study, people: dict[str, Participant]) -> None:
        board = dashboard.dashboard(study)
        # of the finished two, of those answering and given up on one each; not the blank, the excluded one, the check
        assert board["n_answers"] == 4
        assert (board["n_pool"], board["n_questions_answered"]) == (4, 3)
        assert board["coverage"] == [(2, 1), (1, 2), (0, 1)]
        assert board["median_active_seconds"] == 300
        assert board["median_open_seconds"] == 600
        assert board["rows"][0]["n_checks_passed"] == board["rows"][0]["n_checks"] == 1
        assert (board["rows"][0]["n_asked"], board["rows"][0]["n_done"], board["rows"][0]["n_answered"]) == (2, 2, 2)

    def test_the_number_of_queries_does_not_grow(
        self, study: Study, people: dict[str, Participant], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        found = Study.objects.select_related("split", "setting").get(pk=study.pk)
        with django_assert_num_queries(6):
            dashboard.dashboard(found)
        for number in range(8, 20):
            who = people_of.participant(study, number, email=f"p{number}@example.org")
            people_of.search(people_of.assigned(who, 1, "dev-3", "Lima"))
        with django_assert_num_queries(6):
            assert len(dashboard.dashboard(found)["rows"]) == 19

    def test_previews_count_nowhere(self, study: Study) -> None:
        who = people_of.participant(study, 1_000_000, is_preview=True)
        people_of.assigned(who, 1, "dev-0", "Oslo")
        board = dashboard.dashboard(study)
        assert (board["rows"], board["n_taken"], board["n_answers"]) == ([], 0, 0)
        assert not counted(study).exists()
        assert list(measured_answers(study)) == []

    def test_long_work_on_one_question_is_stuck_until_it_is_done(self, study: Study) -> None:
        who = people_of.participant(study, 1)
        long = people_of.assigned(who, 1, "dev-0", "Os", done=False, active_seconds=31 * 60)
        reason = dashboard.dashboard(study)["rows"][0]["reason"]
        assert (reason.startswith("31 min "), reason.endswith(" question 1.")) == (True, True), reason
        long.done_at = timezone.now()
        long.save()
        assert dashboard.dashboard(study)["rows"][0]["state"] == "answering"

    def test_once_it_is_closed_nobody_is_stuck_but_not_finished(self, study: Study) -> None:
        who = people_of.participant(study, 1, last_seen_at=timezone.now() - 3 * DAY)
        Study.objects.filter(pk=study.pk).update(closes_at=timezone.now())
        study.refresh_from_db()
        assert dashboard.dashboard(study)["rows"][0]["state"] == "unfinished"
        participants.extend(who, timezone.now() + DAY, by=study.owner)
        assert dashboard.dashboard(study)["rows"][0]["state"] == "stuck"

    def test_a_study_with_a_fixed_list_counts_the_questions_of_the_list(self, study: Study) -> None:
        Study.objects.filter(pk=study.pk).update(drawing=SamplingMethod.FIXED, question_ids=["dev-0", "dev-1"])
        study.refresh_from_db()
        assert dashboard.dashboard(study)["n_pool"] == 2


class TestSessions:
    def test_a_session_is_told_in_its_order_with_what_was_necessary(
        self, people: dict[str, Participant], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        who = people["finished"]
        with django_assert_num_queries(5):
            session = timeline.session_of(who)
        first, second, check = session["answers"]
        assert [(line.kind, line.gold) for line in first["events"]] == [
            ("open", False),
            ("search", False),
            ("visit", False),
            ("visit", True),
            ("save", False),
            ("done", False),
        ]
        assert first["measures"] is not None
        assert (first["measures"].recall, first["measures"].precision) == (1.0, 0.5)
        assert (first["measures"].seconds_to_first_gold, first["measures"].first_gold_number) == (90, 2)
        assert second["measures"] is not None
        assert [gold.title for gold in second["measures"].missed] == ["Kenya"]
        assert check["given"].attention_check is not None
        assert (check["check_passed"], check["measures"]) == (True, None)
        assert session["active_seconds"] == 900
        assert [label for label, _ in session["milestones"]] == ["Joined", "Gave consent", "Finished", "Last seen"]

    def test_pauses_are_drawn_shorter_and_marks_stay_on_the_strip(self, people: dict[str, Participant]) -> None:
        (answer, *_) = timeline.session_of(people["finished"])["answers"]
        assert answer["n_gaps"] == 1, "between the last article and the save lie six and a half minutes"
        places = [x for kind, x, _, _ in answer["marks"] if kind != "gap"]
        assert places == sorted(places)
        assert all(x >= 0 and x + width <= timeline.STRIP_WIDTH for _, x, width, _ in answer["marks"])

    def test_saves_in_quick_succession_are_told_as_one(self, study: Study) -> None:
        given = people_of.assigned(people_of.participant(study, 1), 1, "dev-0", "O")
        begin = AnswerRevision.objects.get().saved_at
        for version, after in ((2, 10), (3, 40), (4, 300)):
            at = begin + datetime.timedelta(seconds=after)
            AnswerRevision.objects.create(
                assignment=given, version=version, client_revision_id=uuid.uuid4(), text="Os", saved_at=at
            )
        (answer,) = timeline.session_of(given.participant)["answers"]
        saves = [line.text for line in answer["events"] if line.kind == "save"]
        assert saves == ["Saved the answer (versions 1 to 3)", "Saved the answer (version 4)"]

    def test_what_was_read_elsewhere_is_known_by_its_address_in_a_wiki(self, study: Study) -> None:
        first = people_of.assigned(people_of.participant(study, 1), 1, "dev-0", "Oslo")
        for url in ("https://en.m.wikipedia.org/wiki/Norway#Cities", "https://example.org/page"):
            people_of.visit(first, "My own title", origin=Origin.REPORTED, rank=None, url=url)
        assert [title_of(visit) for visit in Visit.objects.order_by("pk")] == [
            "Norway",
            "My own title",
        ]


class TestEvidence:
    def test_evidence_is_measured_for_the_study_and_for_each_question(
        self, study: Study, people: dict[str, Participant]
    ) -> None:
        found = evidence_of(study)
        assert found["measures"]["n_answers"] == 4
        assert found["measures"]["recall"] == 1 / 4
        assert found["measures"]["precision"] == 1 / 4
        assert (found["measures"]["n_with_all_gold"], found["measures"]["n_without_gold"]) == (1, 3)
        lines = {line["qid"]: line for line in found["questions"].object_list}
        assert set(lines) == {"dev-0", "dev-1", "dev-2"}
        assert lines["dev-0"]["measures"]["recall"] == 0.5
        assert [(gold.title, n) for gold, n in lines["dev-0"]["missed"]] == [("Norway", 1)]
        assert lines["dev-0"]["codes"] == ["P-01", "P-02"]
        assert next(iter(found["questions"].object_list))["measures"]["recall"] == 0.0

    def test_the_number_of_queries_does_not_grow(
        self, study: Study, people: dict[str, Participant], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(4):
            evidence_of(study)
        for number in range(8, 14):
            given = people_of.assigned(people_of.participant(study, number), 1, "dev-3", "Lima")
            people_of.visit(given, "Lima", origin=Origin.REPORTED)
        with django_assert_num_queries(4):
            evidence_of(study)


class TestKeeping:
    def test_excluding_keeps_everything_and_counts_nothing(self, study: Study, people: dict[str, Participant]) -> None:
        participants.exclude(people["finished"], "A colleague.", by=study.owner)
        assert people["finished"].assignments.count() == 3
        assert people["finished"] not in counted(study)
        assert people["finished"] not in seated(study)
        for wrong in ("", "  "):
            with pytest.raises(participants.ParticipantError, match="Enter a reason"):
                participants.exclude(people["answering"], wrong, by=study.owner)

    def test_replacing_frees_the_seat_and_makes_a_link(self, study: Study, people: dict[str, Participant]) -> None:
        before = seated(study).count()
        link = participants.replace(people["stuck"], by=study.owner, email="new@example.org")
        assert seated(study).count() == before - 1
        assert (link.label, link.contact.email) == ("Replaces P-03", "new@example.org")
        participants.replace(people["dropped"], by=study.owner)
        with pytest.raises(participants.ParticipantError):
            participants.replace(people["finished"], by=study.owner)

    def test_nobody_is_taken_back_onto_a_seat_that_is_taken(self, study: Study, people: dict[str, Participant]) -> None:
        Study.objects.filter(pk=study.pk).update(seats=3)
        with pytest.raises(participants.ParticipantError, match="All 3 seats are taken"):
            participants.take_back(people["dropped"], by=study.owner)

    def test_time_is_given_only_beyond_the_end(self, study: Study, people: dict[str, Participant]) -> None:
        assert study.closes_at is not None
        for wrong in (timezone.now() - DAY, study.closes_at):
            with pytest.raises(participants.ParticipantError):
                participants.extend(people["answering"], wrong, by=study.owner)
        with pytest.raises(participants.ParticipantError, match="left"):
            participants.extend(people["withdrawn"], timezone.now() + 9 * DAY, by=study.owner)
