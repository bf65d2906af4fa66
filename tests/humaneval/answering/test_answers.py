"""Saving answers: nothing is lost, nothing is written over unasked, and time is counted by the server's clock."""

import datetime
import uuid
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval.answering import answers
from humaneval.answering.answers import AnswerError, save_answer, save_discarded_draft
from humaneval.models import AnswerRevision, Assignment, Participant
from humaneval.studies.kinds.answer import NO_ANSWER
from tests import volunteers

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


def page_keys(page: int) -> Any:
    """Names as the browser makes them for the texts of one page: ``keys(1)``, ``keys(2)``, …"""
    return lambda count: uuid.UUID(int=(page << 48) + count)


A, B = page_keys(0xA11), page_keys(0xB22)


@pytest.fixture
def participant(client: Client) -> Participant:
    return volunteers.seated(client, volunteers.open_study())


@pytest.fixture
def assignment(participant: Participant) -> Assignment:
    return participant.assignments.get(position=1)


def texts(assignment: Assignment) -> list[str]:
    return list(assignment.revisions.order_by("version").values_list("text", flat=True))


def address(participant: Participant, end: str = "answer/", number: int = 1) -> str:
    return f"/studies/{participant.study.slug}/questions/{number}/{end}"


Sent = tuple[str, uuid.UUID, int, bool]
"""A text, the key from its page, the version that it is based on, and whether the reply says that it is saved."""

PROTOCOL: dict[str, tuple[list[Sent], list[str]]] = {
    "each text of a page is a revision": (
        [("Os", A(0), 0, True), ("Oslo", A(1), 1, True), ("Oslo, Norway", A(2), 2, True)],
        ["Os", "Oslo", "Oslo, Norway"],
    ),
    "a text sent again is saved once": ([("Oslo", A(1), 0, True)] * 2, ["Oslo"]),
    "a text of another tab is overwritten only by somebody who has seen it": (
        [("Oslo", A(1), 0, True), ("Bergen", B(1), 0, False), ("Bergen", B(2), 1, True)],
        ["Oslo", "Bergen"],
    ),
    "texts of one page are saved even if no reply arrives": (
        [("O", A(1), 0, True), ("Os", A(2), 0, True), ("Oslo", A(5), 0, True)],
        ["O", "Os", "Oslo"],
    ),
    "but not if another tab saved in between": (
        [("O", A(1), 0, True), ("Bergen", B(1), 1, True), ("Oslo", A(2), 0, False)],
        ["O", "Bergen"],
    ),
    "a text that arrives after a later one of its page is not put back": (
        [("Oslo, Norway", A(7), 0, True), ("Oslo, N", A(6), 0, True)],
        ["Oslo, Norway"],
    ),
    "a repeated old text is no conflict if somebody who saw it changed it": (
        [("Oslo", A(1), 0, True), ("Oslo and Bergen", B(1), 1, True), ("Oslo", A(1), 0, True)],
        ["Oslo", "Oslo and Bergen"],
    ),
    "another text under the same key is saved": (
        [("Oslo", A(1), 0, True), ("Bergen", A(1), 1, True)],
        ["Oslo", "Bergen"],
    ),
    "the same text from two devices is no conflict": (
        [("Oslo", A(1), 0, True), ("Oslo", B(1), 0, True)],
        ["Oslo"],
    ),
    "a version that does not exist is a conflict": ([("Oslo", A(1), 9, False)], []),
}


class TestTheProtocol:
    @pytest.mark.parametrize(("sent", "kept"), PROTOCOL.values(), ids=PROTOCOL)
    def test_texts_of_several_tabs(self, assignment: Assignment, sent: list[Sent], kept: list[str]) -> None:
        for text, key, base_version, is_saved in sent:
            saved = save_answer(assignment, text=text, client_revision_id=key, base_version=base_version)
            assert saved.is_saved is is_saved
        assert texts(assignment) == kept
        assignment.refresh_from_db()
        assert (assignment.text, assignment.version) == ((kept or [""])[-1], len(kept))

    def test_a_rejected_text_is_kept_as_a_revision(self, assignment: Assignment) -> None:
        save_answer(assignment, text="Oslo", client_revision_id=A(1), base_version=0)
        for _ in range(2):
            standing = save_discarded_draft(assignment, text="Bergen", client_revision_id=B(1))
            assert (standing.version, standing.text) == (3, "Oslo")
        assert texts(assignment) == ["Oslo", "Bergen", "Oslo"]

    def test_a_changed_text_is_no_longer_marked_done(self, assignment: Assignment) -> None:
        save_answer(assignment, text="Oslo", client_revision_id=A(1), base_version=0)
        answers.mark_done(assignment)
        save_answer(assignment, text="Oslo", client_revision_id=A(1), base_version=0)
        assignment.refresh_from_db()
        assert assignment.done_at, "the same text again is no change"
        save_answer(assignment, text="Oslo!", client_revision_id=A(2), base_version=1)
        assignment.refresh_from_db()
        assert assignment.done_at is None

    @pytest.mark.parametrize("text", ["a\0b", "a\r\nb\rc", "\ud800 alone", "🧭" * 20_000])
    def test_odd_texts_are_kept(self, assignment: Assignment, text: str) -> None:
        saved = save_answer(assignment, text=text, client_revision_id=A(1), base_version=0)
        assert saved.is_saved
        assert "\0" not in saved.text
        assert "\r" not in saved.text
        assert Assignment.objects.get(pk=assignment.pk).text == saved.text

    def test_a_text_that_is_too_long_is_refused_with_the_limit(self, assignment: Assignment) -> None:
        with pytest.raises(AnswerError, match=r"20,001 characters.*at most 20,000"):
            save_answer(assignment, text="x" * 20_001, client_revision_id=A(1), base_version=0)


class TestTime:
    def test_active_time_never_exceeds_the_time_that_passed(self, assignment: Assignment) -> None:
        now = timezone.now()
        Assignment.objects.filter(pk=assignment.pk).update(
            opened_at=now - datetime.timedelta(seconds=100), active_at=now - datetime.timedelta(seconds=20)
        )
        answers.count_active(assignment, 15.0)
        answers.count_active(assignment, 500.0)
        answers.count_active(assignment, -50.0)
        assignment.refresh_from_db()
        assert 15.0 <= (assignment.active_seconds or 0) < 60.0

    def test_a_save_without_a_time_leaves_the_unreported_time(self, assignment: Assignment) -> None:
        """A form's button saves without saying for how long; the page tells it a moment later."""
        earlier = timezone.now() - datetime.timedelta(seconds=20)
        Assignment.objects.filter(pk=assignment.pk).update(opened_at=earlier, active_at=earlier)
        save_answer(assignment, text="Oslo", client_revision_id=A(1), base_version=0)
        answers.count_active(assignment, 19.0)
        assignment.refresh_from_db()
        assert assignment.active_seconds == 19.0

    def test_the_first_opening_is_kept(self, client: Client, participant: Participant, assignment: Assignment) -> None:
        client.get(address(participant, ""))
        first = Assignment.objects.get(pk=assignment.pk).opened_at
        client.get(address(participant, ""))
        assert first is not None
        assert Assignment.objects.get(pk=assignment.pk).opened_at == first

    def test_active_time_is_saved_without_a_text(
        self, client: Client, participant: Participant, assignment: Assignment
    ) -> None:
        client.get(address(participant, ""))
        earlier = timezone.now() - datetime.timedelta(seconds=60)
        Assignment.objects.filter(pk=assignment.pk).update(active_at=earlier)
        assert client.post(address(participant), {"active": "12.5"}).json() == {"beat": True}
        assignment.refresh_from_db()
        assert assignment.active_seconds == 12.5
        assert assignment.version == 0

    @pytest.mark.parametrize("nonsense", ["nan", "inf", "-1e400", "soon", "1" * 400])
    def test_nonsense_is_no_time(
        self, client: Client, participant: Participant, assignment: Assignment, nonsense: str
    ) -> None:
        earlier = timezone.now() - datetime.timedelta(hours=1)
        Assignment.objects.filter(pk=assignment.pk).update(opened_at=earlier, active_at=earlier)
        fields = dict.fromkeys(["active", "visit", "visible", "scrolled", "based_on", "typed_at"], nonsense)
        assert client.post(address(participant), fields | {"text": "Oslo"}, headers=JSON).status_code in (200, 409)
        assignment.refresh_from_db()
        assert (assignment.active_seconds or 0) < 60


class TestOverHttp:
    def test_a_script_gets_the_current_text(self, client: Client, participant: Participant) -> None:
        sent = {"text": "Oslo", "key": str(A(1)), "based_on": "0"}
        body = client.post(address(participant), sent, headers=JSON).json()
        assert (body["taken"], body["version"], body["text"]) == (True, 1, "Oslo")
        response = client.post(address(participant), sent | {"text": "Bergen", "key": str(B(1))}, headers=JSON)
        assert response.status_code == 409
        assert response.json()["text"] == "Oslo"
        standing = client.get(address(participant, "standing/")).json()
        assert (standing["version"], standing["text"]) == (1, "Oslo")
        assert standing["token"]

    def test_a_saved_form_redirects_to_its_page(self, client: Client, participant: Participant) -> None:
        here = address(participant, "article/?path=Norway")
        page = address(participant, "page/")
        response = client.post(page, {"text": "Oslo", "based_on": "0", "here": here})
        assert (response.status_code, response["Location"]) == (303, here)
        away = {"text": "Oslo!", "based_on": "1", "here": "https://evil.example/"}
        assert client.post(page, away)["Location"] == address(participant, "")
        assert "Saved" in client.get(address(participant, "")).content.decode()

    def test_a_form_is_asked_which_text_counts(
        self, client: Client, participant: Participant, assignment: Assignment
    ) -> None:
        save_answer(assignment, text="Oslo", client_revision_id=A(1), base_version=0)
        form = {"text": "Bergen", "key": str(B(1))}
        response = client.post(address(participant, "page/"), form | {"based_on": "0"})
        page = response.content.decode()
        assert response.status_code == 409
        assert 'id="conflict-title"' in page
        assert page.index("Bergen") < page.index("Oslo")
        assert 'name="based_on" value="1"' in " ".join(page.split())
        client.post(address(participant, "page/"), form | {"do": "discard"})
        assert texts(assignment) == ["Oslo", "Bergen", "Oslo"]

    def test_done_saves_the_answer_and_leads_to_the_next_question(
        self, client: Client, participant: Participant
    ) -> None:
        response = client.post(address(participant, "done/"), {"text": "Oslo", "based_on": "0"})
        assert response["Location"] == address(participant, "", 2)
        row = participant.assignments.get(position=1)
        assert (row.text, bool(row.done_at)) == ("Oslo", True)
        client.post(address(participant, "skip/", 2), {"text": "", "based_on": "0"})
        assert participant.assignments.get(position=2).skipped_at
        last = client.post(address(participant, "done/", 2), {"text": "Lima", "based_on": "0"})
        assert last["Location"] == f"/studies/{participant.study.slug}/questions/"

    def test_done_needs_an_answer(self, client: Client, participant: Participant) -> None:
        response = client.post(address(participant, "done/"), {"text": " \n", "based_on": "0"})
        assert response.status_code == 422
        assert NO_ANSWER in response.content.decode()

    def test_when_it_was_typed_is_kept_if_it_can_be(self, client: Client, participant: Participant) -> None:
        hour_ago = timezone.now() - datetime.timedelta(hours=1)
        for number, moment in enumerate([hour_ago, timezone.now() + datetime.timedelta(days=1)]):
            fields = {"text": f"{number}", "based_on": f"{number}", "typed_at": f"{moment.timestamp() * 1000:.0f}"}
            client.post(address(participant), fields, headers=JSON)
        first, second = AnswerRevision.objects.order_by("version")
        assert first.typed_at is not None
        assert abs(first.typed_at - hour_ago) < datetime.timedelta(seconds=1)
        assert second.typed_at is None

    def test_others_answers_are_out_of_reach(self, client: Client, participant: Participant) -> None:
        stranger = Client()
        response = stranger.post(address(participant), {"text": "mine now"}, headers=JSON)
        assert (response.status_code, response.json()["problem"]) == (403, "link")
        neighbour = volunteers.seated(stranger, participant.study)
        stranger.post(address(participant), {"text": "next seat", "based_on": "0"}, headers=JSON)
        assert participant.assignments.get(position=1).text == ""
        assert neighbour.assignments.get(position=1).text == "next seat"
        assert client.get(address(participant, "", 99)).status_code == 404

    def test_a_form_without_its_token_is_refused(self, participant: Participant, client: Client) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = client.cookies
        assert strict.post(address(participant), {"text": "x"}, headers=JSON).status_code == 403
        token = strict.get(address(participant, "standing/")).json()["token"]
        fresh = {**JSON, "X-CSRFToken": token}
        assert strict.post(address(participant), {"text": "x", "based_on": "0"}, headers=fresh).status_code == 200

    def test_saving_costs_few_statements(
        self, client: Client, participant: Participant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        client.get(address(participant, ""))
        for version in range(3):
            fields = {"text": f"text {version}", "based_on": f"{version}", "active": "1.5"}
            with django_assert_num_queries(8):
                assert client.post(address(participant), fields, headers=JSON).status_code == 200
