"""A volunteer's way: in by a link, consent, instructions, practice, finishing, declining, withdrawing."""

import datetime
import logging
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval.answering import answers, consent, entry, session, visit_log
from humaneval.answering.desks import StudyDesk
from humaneval.encyclopedia.base import Article
from humaneval.models import (
    AnswerRevision,
    Assignment,
    Contact,
    Invitation,
    InvitationKind,
    Participant,
    ReaderTab,
    Search,
    StudyEvent,
    Visit,
    Withdrawal,
)
from humaneval.participants import invitations
from humaneval.results import answer_sets
from humaneval.results.exports.tables import TABLES
from humaneval.studies import services
from leaderboard.operations.redaction import WithoutLinks
from scoring.models import Answer, Question, Run
from scoring.models.run_states import RunState
from scoring.runs import execution, leases, withdrawals
from tests import volunteers

pytestmark = pytest.mark.django_db
DAY = datetime.timedelta(days=1)


def get(client: Client, path: str) -> str:
    response = client.get(path, follow=True)
    return " ".join(response.content.decode().split())


class TestTheLink:
    def test_opening_a_link_page_uses_no_seat(self, client: Client) -> None:
        link = volunteers.link(volunteers.open_study())
        for _ in range(3):
            assert client.get(invitations.path_of(link)).status_code == 200
        assert not Participant.objects.exists()
        volunteers.come_in(client, link)
        assert Participant.objects.get().code == "P-01"

    def test_a_second_device_resumes_the_same_session(self, client: Client) -> None:
        study = volunteers.open_study()
        link = volunteers.link(study)
        first = volunteers.seated(client, study, link)
        phone = Client()
        assert "Welcome back, P-01" in get(phone, invitations.path_of(link))
        assert volunteers.come_in(phone, link) == first
        assert "Your questions" in get(phone, f"/studies/{study.slug}/")
        assert Participant.objects.count() == 1

    def test_a_shared_link_makes_one_participant_a_browser_up_to_its_limit(self, client: Client) -> None:
        study = volunteers.open_study()
        shared = volunteers.link(study, kind=InvitationKind.SHARED, limit=2)
        first = volunteers.come_in(client, shared)
        client.post(invitations.path_of(shared))
        assert Participant.objects.count() == 1, "the same browser goes on where it was"
        own = first.invitation
        assert own.kind == InvitationKind.PERSONAL
        assert invitations.address_of(own) not in get(client, f"/studies/{study.slug}/"), "not before consent"
        consent.give_consent(first, digest=consent.consent_digest(study))
        assert invitations.path_of(own) in get(client, f"/studies/{study.slug}/instructions/").replace("<wbr>", "")
        volunteers.come_in(Client(), shared)
        response = Client().post(invitations.path_of(shared))
        assert response.status_code == 403
        assert "reached its limit" in response.content.decode()

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"opens_at": None}, entry.NOT_OPEN),
            ({"opens_at": timezone.now() + DAY}, entry.NOT_OPEN),
            ({"opens_at": timezone.now() - 2 * DAY, "closes_at": timezone.now() - DAY}, entry.CLOSED),
        ],
    )
    def test_a_study_that_is_not_open_lets_nobody_in(self, client: Client, fields: dict[str, Any], said: str) -> None:
        link = volunteers.link(volunteers.open_study(**fields))
        response = client.post(invitations.path_of(link))
        assert response.status_code == 403
        assert said in response.content.decode()
        link.refresh_from_db()
        assert link.n_used == 0

    def test_there_are_no_more_participants_than_seats(self, client: Client) -> None:
        study = volunteers.open_study(seats=1)
        one = volunteers.come_in(client, volunteers.link(study))
        late = volunteers.link(study)
        assert entry.FULL in Client().post(invitations.path_of(late)).content.decode()
        consent.decline(one)
        assert volunteers.come_in(Client(), late).code == "P-02"
        with pytest.raises(session.StudyClosedError, match="now full"):
            consent.give_consent(one, digest=consent.consent_digest(study))

    def test_revoked_and_renewed_links_are_dead_with_every_session_that_came_by_them(self, client: Client) -> None:
        study = volunteers.open_study()
        link = volunteers.link(study)
        participant = volunteers.seated(client, study, link)
        old = invitations.path_of(link)
        renewed = invitations.renew(link, by=study.owner)
        assert client.get(old).status_code == 404
        assert client.get(f"/studies/{study.slug}/questions/").status_code == 403
        assert volunteers.come_in(client, renewed) == participant
        assert client.get(f"/studies/{study.slug}/questions/").status_code == 200
        invitations.revoke(renewed, by=study.owner)
        page = client.get(f"/studies/{study.slug}/questions/")
        assert page.status_code == 403
        assert "Study link required" in page.content.decode()

    def test_a_cookie_of_another_study_or_a_forged_one_is_nobodys(self, client: Client) -> None:
        study = volunteers.open_study()
        participant = volunteers.seated(client, study)
        cookie = client.cookies["study"]
        assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (f"/studies/{study.slug}/", True, "Lax")
        other = Client()
        other.cookies["study"] = cookie.value[:-2] + "xx"
        assert other.get(f"/studies/{study.slug}/questions/").status_code == 403
        other.cookies["study"] = cookie.value
        participant.study.slug = "another"
        participant.study.save()
        assert other.get(f"/studies/{study.slug}/questions/").status_code == 403

    def test_strangers_cannot_tell_whether_there_is_a_study(self, client: Client) -> None:
        study = volunteers.open_study()
        for end in ("", "questions/", "questions/1/", "join/no-such-token/"):
            there, nowhere = client.get(f"/studies/{study.slug}/{end}"), client.get(f"/studies/nowhere/{end}")
            assert (there.status_code, there.content) == (nowhere.status_code, nowhere.content)


class TestTheWay:
    def test_a_participant_is_led_through_consent_instructions_and_practice(self, client: Client) -> None:
        study = volunteers.open_study()
        volunteers.come_in(client, volunteers.link(study))
        home = f"/studies/{study.slug}/"
        assert "<h1>Consent</h1>" in get(client, home)
        for later in ("instructions/", "practice/", "questions/", "questions/1/", "finish/", "thanks/"):
            assert "<h1>Consent</h1>" in get(client, home + later)
        digest = consent.consent_digest(study)
        assert "<h1>Instructions</h1>" in " ".join(
            client.post(f"{home}consent/", {"digest": digest}, follow=True).content.decode().split()
        )
        assert "Practice question" in client.post(f"{home}instructions/", follow=True).content.decode()
        assert "Practice question" in get(client, home + "questions/1/")
        feedback = client.post(f"{home}practice/", {"text": "Norway: Oslo"}).content.decode()
        assert "All items found" in feedback
        assert not AnswerRevision.objects.exists()
        assert "Your questions" in get(client, home)
        participant = Participant.objects.get()
        assert all([participant.consented_at, participant.instructed_at, participant.practised_at])
        assert participant.consent is not None
        assert participant.consent.text == study.consent_text

    def test_practice_can_be_passed_over_and_needs_an_answer(self, client: Client) -> None:
        study = volunteers.open_study()
        participant = volunteers.come_in(client, volunteers.link(study))
        consent.give_consent(participant, digest=consent.consent_digest(study))
        session.leave(participant, "instructed_at")
        address = f"/studies/{study.slug}/practice/"
        assert client.post(address, {"text": "  "}).status_code == 422
        assert "Your questions" in client.post(address, {"pass": "1"}, follow=True).content.decode()

    def test_nobody_agrees_to_a_text_that_they_were_not_shown(self, client: Client) -> None:
        study = volunteers.open_study()
        participant = volunteers.come_in(client, volunteers.link(study))
        shown = consent.consent_digest(study)
        study.consent_text += "\n\nAnd we sell it."
        study.save()
        response = client.post(f"/studies/{study.slug}/consent/", {"digest": shown})
        assert response.status_code == 409
        assert 'id="text-changed"' in response.content.decode()
        participant.refresh_from_db()
        assert participant.consented_at is None

    def test_consent_texts_are_numbered_and_kept(self, client: Client) -> None:
        study = volunteers.open_study()
        volunteers.seated(client, study)
        volunteers.seated(Client(), study)
        study.consent_text = "Another text."
        study.save()
        volunteers.seated(Client(), study)
        assert list(study.consent_versions.values_list("number", "text"))[1] == (2, "Another text.")
        assert [one.consent.number for one in study.participants.order_by("number") if one.consent] == [1, 1, 2]

    def test_a_text_that_changes_meanwhile_is_shown_before_going_on(self, client: Client) -> None:
        study = volunteers.open_study()
        participant = volunteers.seated(client, study)
        first, base = participant.consented_at, f"/studies/{study.slug}/"
        services.update_study(study, {"consent_text": "We sell it."}, by=study.owner)
        typed = client.post(f"{base}questions/1/page/", {"text": "It is Oslo.", "based_on": "0", "do": "done"})
        typed_by_script = client.post(f"{base}questions/1/answer/", {"text": "Oslo.", "based_on": "1"})
        assert (typed.status_code, typed_by_script.json()["taken"]) == (303, True), "what was typed is saved"
        for later in ("", "instructions/", "questions/", "questions/1/", "questions/1/search/?q=Oslo", "finish/"):
            assert 'id="text-new"' in get(client, base + later), later
        client.post(f"{base}finish/")
        assert Participant.objects.get().finished_at is None
        study.refresh_from_db()
        client.post(f"{base}consent/", {"digest": consent.consent_digest(study)})
        participant.refresh_from_db()
        assert participant.consent is not None
        assert (participant.consent.number, participant.consented_at) == (2, first)
        assert participant.assignments.get(position=1).text == "Oslo."
        assert "Your questions" in get(client, base)

    def test_declining_is_a_kind_page_that_can_be_left_again(self, client: Client) -> None:
        study = volunteers.open_study()
        participant = volunteers.come_in(client, volunteers.link(study))
        address = f"/studies/{study.slug}/consent/"
        assert "Consent declined" in client.post(address, {"decline": "1"}, follow=True).content.decode()
        participant.refresh_from_db()
        assert participant.declined_at
        assert not participant.assignments.exists()
        client.post(address, {"digest": consent.consent_digest(study)})
        participant.refresh_from_db()
        assert Participant.objects.filter(declined_at=None, consented_at__isnull=False).exists()

    def test_finishing_asks_once_shows_what_was_recorded_and_ends_it(self, client: Client) -> None:
        study = volunteers.open_study(reward_note="A book.")
        participant = volunteers.seated(client, study)
        base = f"/studies/{study.slug}/"
        client.post(f"{base}questions/1/answer/", {"text": "It is Oslo.", "based_on": "0"})
        assert "1 of 2 questions" in get(client, f"{base}finish/")
        page = " ".join(client.post(f"{base}finish/", follow=True).content.decode().split())
        assert participant.receipt_code in page
        assert "It is Oslo." in page
        assert "A book." in page
        late = client.post(
            f"{base}questions/1/answer/", {"text": "No!", "based_on": "1"}, headers={"Accept": "application/json"}
        )
        assert (late.status_code, late.json()["problem"]) == (403, "over")
        assert participant.assignments.get(position=1).text == "It is Oslo."
        assert "Thank you, P-01" in get(client, f"{base}questions/1/")


class TestTheEnd:
    def test_what_is_typed_when_the_study_closes_is_still_taken_for_a_while(self, client: Client) -> None:
        study = volunteers.open_study()
        participant = volunteers.seated(client, study)
        address = f"/studies/{study.slug}/questions/1/"

        def send(text: str, version: int) -> int:
            fields = {"text": text, "based_on": f"{version}"}
            return client.post(f"{address}answer/", fields, headers={"Accept": "application/json"}).status_code

        study.closes_at = timezone.now() - datetime.timedelta(minutes=1)
        study.save()
        assert 'id="study-closed"' in get(client, address)
        assert send("just in time", 0) == 200
        client.post(f"{address}done/", {"text": "and by the button", "based_on": "1"})  # without scripts the only way
        assert participant.assignments.filter(text="and by the button", done_at__isnull=False).exists()
        study.closes_at = timezone.now() - session.GRACE
        study.save()
        assert send("too late", 2) == 403
        Participant.objects.filter(pk=participant.pk).update(extended_until=timezone.now() + DAY)
        assert send("extended", 2) == 200

    @pytest.mark.parametrize("field", ["dropped_at", "excluded_at"])
    def test_who_was_given_up_on_or_excluded_is_told(self, client: Client, field: str) -> None:
        study = volunteers.open_study()
        link = volunteers.link(study)
        participant = volunteers.seated(client, study, link)
        Participant.objects.filter(pk=participant.pk).update(**{field: timezone.now()})
        response = client.get(f"/studies/{study.slug}/questions/1/")
        assert response.status_code == 403
        assert "Participation ended" in response.content.decode()
        elsewhere = Client()
        assert elsewhere.post(invitations.path_of(link)).status_code == 403
        assert elsewhere.get(f"/studies/{study.slug}/questions/1/").status_code == 403
        assert elsewhere.post(f"/studies/{study.slug}/questions/1/answer/", {"text": "x"}).status_code == 403
        assert elsewhere.get(f"/studies/{study.slug}/withdraw/").status_code == 200, "to withdraw is open to all"
        assert "You have withdrawn" in get(elsewhere, elsewhere.post(f"/studies/{study.slug}/withdraw/")["Location"])
        assert not Assignment.objects.exists()


class TestWithdrawing:
    def active(self, client: Client, on_withdrawal: str) -> Participant:
        study = volunteers.open_study(on_withdrawal=on_withdrawal)
        link = volunteers.link(study, email="someone@example.org")
        participant = volunteers.seated(client, study, link)
        row = participant.assignments.get(position=1)
        answers.save_answer(row, text="my words", client_revision_id=uuid.uuid4(), base_version=0)
        answers.write_note(row, "a note of mine", [""])
        visit_log.log_search(row, "my query", n_results=1)
        article = Article("Norway", "Norway", "", (), "", 1, 1, "")
        visit_log.log_visit(row, article, origin="link")
        StudyDesk(row).open_tab(article)
        return participant

    def test_withdrawing_deletes_everything_if_promised(self, client: Client) -> None:
        participant = self.active(client, Withdrawal.DELETE)
        study = participant.study
        assert "1 answer with " in get(client, f"/studies/{study.slug}/withdraw/")
        page = client.post(f"/studies/{study.slug}/withdraw/", follow=True).content.decode()
        assert "You have withdrawn" in page
        for model in (Assignment, AnswerRevision, Search, Visit, ReaderTab, Contact):
            assert not model._default_manager.exists(), model
        assert Invitation.objects.get().revoked_at
        assert client.get(f"/studies/{study.slug}/").status_code == 403
        event = StudyEvent.objects.latest("pk")
        assert event.participant_code == "P-01"
        assert "deleted" in event.text
        assert volunteers.seated(Client(), study).code == "P-02", "a number is not given twice"

    def test_withdrawing_deletes_texts_in_answer_sets(self, client: Client) -> None:
        participant = self.active(client, Withdrawal.DELETE)
        study = participant.study
        other = volunteers.seated(Client(), study)
        theirs = other.assignments.get(position=1)
        answers.save_answer(theirs, text="their words", client_revision_id=uuid.uuid4(), base_version=0)
        for assignment in (participant.assignments.get(position=1), theirs):
            answers.mark_done(assignment)
        result = answer_sets.make_answer_set(study, by=study.owner)
        for run in Run.objects.filter(answer_set=result.answer_set, state=RunState.WAITING):
            token = leases.claim(str(run.pk))
            assert token is not None
            execution.execute(str(run.pk), token, check=lambda: None)
        client.post(f"/studies/{study.slug}/withdraw/")
        texts = dict(Answer.objects.filter(answer_set=result.answer_set).values_list("participant", "text"))
        assert texts == {"P-01": withdrawals.DELETED, "P-02": "their words"}
        (grades,) = [table for table in TABLES if table.name == "grades"]
        assert {row["participant"] for row in grades.rows(study)} == {"P-02"}
        again = answer_sets.make_answer_set(study, by=study.owner)
        assert list(again.answer_set.answers.values_list("participant", flat=True)) == ["P-02"]

    def test_withdrawing_anonymises_if_promised(self, client: Client) -> None:
        participant = self.active(client, Withdrawal.ANONYMISE)
        code = participant.receipt_code
        client.post(f"/studies/{participant.study.slug}/withdraw/")
        participant.refresh_from_db()
        assert participant.withdrawn_at
        assert participant.receipt_code != code
        assert participant.assignments.get(position=1).text == "my words"
        assert not Contact.objects.exists()
        assert Invitation.objects.get().participant is None
        assert Assignment.objects.get(position=1).note == ""
        assert not ReaderTab.objects.exists()

    def test_withdrawing_follows_the_consent_text_that_was_agreed_to(self, client: Client) -> None:
        participant = self.active(client, Withdrawal.DELETE)
        participant.study.on_withdrawal = Withdrawal.ANONYMISE
        participant.study.save()
        client.post(f"/studies/{participant.study.slug}/withdraw/")
        assert not Assignment.objects.exists()

    def test_withdrawing_is_possible_before_consent_and_after_finishing(self, client: Client) -> None:
        study = volunteers.open_study()
        volunteers.come_in(client, volunteers.link(study))
        client.post(f"/studies/{study.slug}/withdraw/")
        other = Client()
        finished = volunteers.seated(other, study)
        session.finish(finished)
        other.post(f"/studies/{study.slug}/withdraw/")
        assert Participant.objects.exclude(withdrawn_at=None).count() == 2


class TestPrivacy:
    def test_nothing_that_somebody_types_or_who_they_are_stands_in_the_log(
        self, client: Client, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)
        study = volunteers.open_study()
        link = volunteers.link(study)
        participant = volunteers.seated(client, study, link)
        base = f"/studies/{study.slug}/questions/1/"
        client.post(f"{base}answer/", {"text": "secretanswer", "based_on": "0"})
        client.get(f"{base}search/?q=secretquery")
        client.get(f"{base}suggest/?q=secretquery")
        client.get(f"{base}article/?path=secretarticle")
        said = caplog.text + " ".join(str(vars(record)) for record in caplog.records if record.name != "django.request")
        assert "study-answer" in said, "requests are logged, by what they ask for"
        for secret in ("secretanswer", "secretquery", "secretarticle", invitations.token_of(link), str(participant.pk)):
            assert secret not in said

    def test_no_link_stands_in_the_log_though_it_is_refused(self, client: Client, settings: Any) -> None:
        said: list[str] = []
        handler = logging.Handler()
        handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
        assert settings.LOGGING["handlers"]["console"]["filters"] == ["without-links"]
        handler.addFilter(WithoutLinks())
        logging.getLogger().addHandler(handler)
        try:
            link = volunteers.link(volunteers.open_study(opens_at=None))
            assert client.post(invitations.path_of(link)).status_code == 403
        finally:
            logging.getLogger().removeHandler(handler)
        assert "Forbidden: /studies/spring-study/join/…/" in said
        assert not any(invitations.token_of(link) in line for line in said)

    def test_pages_are_kept_by_no_browser_and_no_search_engine(self, client: Client) -> None:
        study = volunteers.open_study()
        link = volunteers.link(study)
        paths = [invitations.path_of(link), f"/studies/{study.slug}/questions/", f"/studies/{study.slug}/questions/1/"]
        volunteers.seated(client, study, link)
        for path in paths:
            response = client.get(path)
            assert response["Cache-Control"] == "no-store"
            assert b'name="robots" content="noindex"' in response.content


@pytest.mark.parametrize("n", [2, 12])
def test_the_list_and_the_desk_cost_the_same_for_any_number_of_questions(
    client: Client, n: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    study = volunteers.open_study(n_test=12, questions_per_participant=n)
    volunteers.seated(client, study)
    base = f"/studies/{study.slug}/questions/"
    client.get(f"{base}1/")
    with django_assert_num_queries(2):
        assert client.get(base).status_code == 200
    with django_assert_num_queries(5):
        assert client.get(f"{base}1/").status_code == 200
    with django_assert_num_queries(2):
        assert client.get(f"{base}1/suggest/?q=a").status_code == 200


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_the_last_seat_is_given_once() -> None:
    study = volunteers.open_study(seats=1)
    links = [invitations.path_of(volunteers.link(study)) for _ in range(6)]

    def enter(path: str) -> int:
        try:
            return Client().post(path).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        statuses = sorted(threads.map(enter, links))
    assert statuses == [302, 403, 403, 403, 403, 403]
    assert Participant.objects.count() == 1


def test_participants_see_options_context_and_language_of_a_question(client: Client) -> None:
    study = volunteers.open_study()
    volunteers.seated(client, study)
    context = ["There are fjords.", [["Year", "Mayor"], ["1999", "Bo"]], {"A": "Ada", "B": "Bo Dahl"}]
    Question.objects.update(context=context, language="nb")
    for page in (f"/studies/{study.slug}/questions/1/", f"/studies/{study.slug}/practice/"):
        shown = get(client, page)
        assert all(text in shown for text in ("There are fjords.", "1999", "Bo Dahl", 'lang="nb"')), page
