"""The maintainers' pages of studies, as a browser without scripts sees them."""

import csv
import datetime
import io
import re
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core import mail
from django.forms import model_to_dict
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from humaneval.maintenance.participant_views import NO_ACTION
from humaneval.maintenance.study_views import NO_BENCHMARK, NO_STEP
from humaneval.models import Invitation, InvitationKind, Participant, SamplingMethod, Study, StudyState
from humaneval.models.studies import CLOSES_TOO_EARLY, QUESTION_NEEDED
from humaneval.participants import invitations, mails
from humaneval.participants.forms import NOBODY_NAMED
from humaneval.participants.services import IN_THE_PAST
from humaneval.results.answer_sets import UNCHANGED
from humaneval.studies import services
from humaneval.studies.forms import TWO_OF_THREE
from humaneval.studies.kinds.answer import INSTRUCTIONS
from leaderboard.models import AuditRecord, User
from scoring.models import Benchmark
from tests import factories, study_steps
from tests import study_people as people_of
from tests.notices import error_codes, notices

pytestmark = pytest.mark.django_db
DAY = datetime.timedelta(days=1)
PAGES = ("", "invitations/", "evidence/", "results/", "export/", "edit/", "participants/P-01/")


@pytest.fixture
def study(made: Benchmark, grace: User) -> Study:
    now = timezone.now()
    return factories.study(grace, factories.split(made, "dev"), opens_at=now - DAY, closes_at=now + DAY)


@pytest.fixture
def desk(client: Client, grace: User) -> Client:
    client.force_login(grace)
    return client


def filled(made: Benchmark, **changes: Any) -> dict[str, Any]:
    """The first page of a new study."""
    split, setting = factories.split(made, "dev").pk, factories.setting(made).pk
    return {"kind": "answer", "name": "Spring study", "split": split, "setting": setting, **changes}


def said(response: Any) -> str:
    return " ".join(response.content.decode().split())


class TestMaking:
    def test_a_study_is_made_changed_and_cloned(self, desk: Client, made: Benchmark, grace: User) -> None:
        response = desk.post("/maintenance/studies/new/", filled(made))
        assert response["Location"] == "/maintenance/studies/spring-study/edit/task/"
        study = Study.objects.get()
        assert (study.owner, study.drawing, study.state) == (grace, SamplingMethod.RANDOM, StudyState.DRAFT)
        assert (study.questions_per_participant, study.instructions) == (4, INSTRUCTIONS.format(n_questions=4).strip())
        study_steps.save(desk, study, "task", practice="dev-1")
        study_steps.save(desk, study, "people", questions_per_participant=3, drawing="balanced", seed=7)
        study_steps.save(desk, study, "quality", attention_checks="Write blue. => blue | azure\n\n2 + 2 => 4")
        study_steps.save(desk, study, "opening", opens_at="2027-03-01T09:00")
        study.refresh_from_db()
        assert (study.drawing, study.seed, study.seats) == (SamplingMethod.BALANCED, 7, 14)
        assert study.attention_checks == [
            {"text": "Write blue.", "answers": ["blue", "azure"]},
            {"text": "2 + 2", "answers": ["4"]},
        ]
        assert study.practice_question is not None
        assert study.practice_question.qid == "dev-1"
        assert study.opens_at == datetime.datetime(2027, 3, 1, 9, tzinfo=datetime.UTC)
        assert study.instructions == INSTRUCTIONS.format(n_questions=3).strip()
        assert "Write blue. =&gt; blue | azure" in said(desk.get("/maintenance/studies/spring-study/edit/quality/"))
        assert 'value="dev-1"' in said(desk.get("/maintenance/studies/spring-study/edit/"))
        texts = {"consent_text": study.consent_text, "instructions": study.instructions}
        texts = {name: text.replace("\n", "\r\n") for name, text in texts.items()}
        n_events = study.events.count()
        assert study_steps.save(desk, study, "texts", **texts).status_code == 302
        assert study.events.count() == n_events
        study_steps.save(desk, study, "opening", opens_at="")
        study = Study.objects.get()
        assert (study.opens_at, study.state) == (None, StudyState.DRAFT)
        assert study.events.latest("pk").text == "Changed: opens at."
        response = desk.post("/maintenance/studies/spring-study/clone/")
        copy = Study.objects.exclude(pk=study.pk).get()
        assert response["Location"] == f"/maintenance/studies/{copy.slug}/edit/"
        assert (copy.name, copy.seed, copy.attention_checks) == ("Spring study (copy)", 7, study.attention_checks)
        assert set(AuditRecord.objects.values_list("action", flat=True)) == {"study.created", "study.changed"}

    @pytest.mark.parametrize("left_out", ["answers_per_question", "questions_per_participant", "seats"])
    def test_of_a_plan_any_two_numbers_give_the_third(self, desk: Client, made: Benchmark, left_out: str) -> None:
        desk.post("/maintenance/studies/new/", filled(made))
        study = Study.objects.get()
        numbers = {"answers_per_question": 2, "questions_per_participant": 2, "seats": 3}
        asked = {"drawing": "planned", "n_planned": 3, "release_hours": 48, **(numbers | {left_out: ""})}
        assert study_steps.save(desk, study, "people", **asked).status_code == 302
        study.refresh_from_db()
        assert (study.answers_per_question, study.questions_per_participant, study.seats) == (2, 2, 3)
        assert (len(set(study.question_ids)), study.release_hours) == (3, 48)
        page = said(desk.get("/maintenance/studies/spring-study/"))
        assert "Planned: 3 questions with 2 answers each, 2 for a participant. 3 more people are needed." in page
        assert "The score will be known to about ± " in page

    @pytest.mark.parametrize(
        ("step", "changes", "problem"),
        [
            ("people", {"drawing": "planned", "seats": "", "answers_per_question": ""}, TWO_OF_THREE),
            (
                "people",
                {"drawing": "planned", "answers_per_question": 2, "questions_per_participant": 3, "seats": 2},
                "need 3 people with 3 questions each; found 2",
            ),
            ("people", {"seats": ""}, "This field is required."),
            ("new", {"name": "\u202eevil"}, "Remove the character U+202E"),
            ("new", {"slug": "new"}, services.RESERVED.format("new")),
            ("people", {"questions_per_participant": 5}, "has only 4 questions"),
            ("people", {"questions_per_participant": 0}, "greater than or equal to 1"),
            ("people", {"seats": 10_001}, "less than or equal to 10000"),
            ("people", {"drawing": "fixed", "question_ids": "dev-0, nowhere"}, "has no question nowhere"),
            ("people", {"drawing": "fixed"}, QUESTION_NEEDED),
            ("quality", {"attention_checks": "Write blue."}, "Line 1: enter "),
            ("task", {"practice": "test-0"}, "a question test-0"),
            ("opening", {"opens_at": "2027-03-02T09:00", "closes_at": "2027-03-01T09:00"}, CLOSES_TOO_EARLY),
            ("opening", {"opens_at": "soon"}, "Enter a valid date/time"),
            ("task", {"encyclopedia": "ftp://example.org/wiki"}, "ftp"),
            ("task", {"encyclopedia": "zim:/nowhere.zim"}, "was not found"),
            ("new", {"split": 999_999}, "Select a valid choice"),
        ],
    )
    def test_what_does_not_fit_is_said_at_once(
        self, desk: Client, made: Benchmark, step: str, changes: dict[str, Any], problem: str
    ) -> None:
        if step == "new":
            response: Any = desk.post("/maintenance/studies/new/", filled(made, **changes))
            assert not Study.objects.exists()
        else:
            desk.post("/maintenance/studies/new/", filled(made))
            before = Study.objects.get()
            response = study_steps.save(desk, before, step, **changes)
            assert model_to_dict(Study.objects.get()) == model_to_dict(before)
        assert response.status_code == 422
        assert problem in said(response)

    def test_what_was_asked_cannot_be_changed_once_somebody_has_questions(self, desk: Client, study: Study) -> None:
        people_of.participant(study, 1)
        assert 'id="begun"' in said(desk.get(f"/maintenance/studies/{study.slug}/edit/people/"))
        assert study_steps.save(desk, study, "people", seed=99, drawing="balanced", seats=9).status_code == 302
        assert study_steps.save(desk, study, "texts", instructions="Other ones").status_code == 302
        study.refresh_from_db()
        assert (study.seed, study.drawing, study.seats, study.instructions) == (0, "random", 9, "Other ones")

    def test_a_changed_consent_text_says_how_many_must_agree_again(self, desk: Client, study: Study) -> None:
        path = f"/maintenance/studies/{study.slug}/edit/texts/"
        assert 'id="taking-part"' not in said(desk.get(path))
        for number, finished_at in ((1, None), (2, None), (3, timezone.now())):
            people_of.participant(study, number, finished_at=finished_at)
        assert re.search(r'id="taking-part"> 2 participants are', said(desk.get(path)))
        for text, n_asked in (("No?", 2), (study.consent_text, 0)):
            response = desk.post(path, study_steps.begin(desk, study, "texts") | {"consent_text": text}, follow=True)
            ((_, notice),) = notices(response)
            assert notice.endswith(f" {n_asked}."), notice

    def test_who_keeps_a_study_without_being_a_maintainer_does_not_choose_where_the_server_goes(
        self, client: Client, made: Benchmark
    ) -> None:
        ada = factories.user("ada")
        study = factories.study(ada, factories.split(made, "dev"))
        client.force_login(ada)
        path = f"/maintenance/studies/{study.slug}/edit/"
        assert 'name="encyclopedia"' not in said(client.get(path))
        address = "mediawiki:http://127.0.0.1:1/w/api.php#date=2023-11-20"
        assert study_steps.save(client, study, "task", encyclopedia=address, name="Other").status_code == 302
        study.refresh_from_db()
        assert (study.name, study.encyclopedia) == ("Other", "")
        assert client.post(f"/maintenance/studies/{study.slug}/clone/").status_code == 404
        assert client.get("/maintenance/studies/new/").status_code == 404

    def test_the_right_to_change_studies_is_enough_for_all_of_them(self, client: Client, study: Study) -> None:
        helper = factories.user("helper", is_staff=True)
        client.force_login(helper)
        assert client.get("/maintenance/studies/").status_code == 404
        helper.user_permissions.add(Permission.objects.get(codename="change_study"))
        assert study.name in said(client.get("/maintenance/studies/"))
        assert client.get(f"/maintenance/studies/{study.slug}/").status_code == 200

    def test_without_a_benchmark_there_is_nothing_to_ask(self, desk: Client) -> None:
        response = desk.get("/maintenance/studies/new/")
        assert response.status_code == 404
        assert NO_BENCHMARK in said(response)


class TestLookingAfter:
    def test_every_page_shows_with_people_and_without(self, desk: Client, study: Study) -> None:
        for page in PAGES[:-1]:
            assert desk.get(f"/maintenance/studies/{study.slug}/{page}").status_code == 200
        people_of.lively(study)
        for page in PAGES:
            response = desk.get(f"/maintenance/studies/{study.slug}/{page}")
            assert response.status_code == 200
            assert study.name in said(response)
        for page in ("participants/P-99/", "participants/P-1/", "participants/P-000001/", "participants/x/"):
            assert desk.get(f"/maintenance/studies/{study.slug}/{page}").status_code == 404

    def test_what_people_typed_runs_nowhere(self, desk: Client, study: Study) -> None:
        evil = "<script>alert(1)</script>"
        given = people_of.assigned(people_of.participant(study, 1), 1, "dev-0", evil, note=evil)
        people_of.search(given, evil)
        people_of.visit(given, evil, url="javascript:alert(1)")
        page = desk.get(f"/maintenance/studies/{study.slug}/participants/P-01/").content.decode()
        assert "<script>alert" not in page
        assert 'href="javascript' not in page
        assert page.count("&lt;script&gt;alert") >= 5

    def test_it_is_opened_and_closed_by_hand(self, desk: Client, study: Study) -> None:
        path = f"/maintenance/studies/{study.slug}/dates/"
        desk.post(path, {"action": "close"})
        study.refresh_from_db()
        assert study.state == StudyState.CLOSED
        desk.post(path, {"action": "open"})
        study.refresh_from_db()
        assert (study.state, study.closes_at) == (StudyState.OPEN, None)
        assert notices(desk.post(path, {}, follow=True))[-1] == ("bad", NO_STEP)

    def test_a_preview_begins_as_a_volunteer_does(self, desk: Client, study: Study) -> None:
        services.close_now(study, by=study.owner)
        response = desk.post(f"/maintenance/studies/{study.slug}/preview/")
        assert response["Location"] == f"/studies/{study.slug}/"
        assert desk.get(response["Location"], follow=True).status_code == 200
        assert Participant.objects.get().is_preview
        assert "No participants yet" in said(desk.get(f"/maintenance/studies/{study.slug}/"))
        assert "No links yet" in said(desk.get(f"/maintenance/studies/{study.slug}/invitations/"))

    @pytest.mark.parametrize(
        ("sent", "done"),
        [
            ({"action": "remind", "message": ""}, {"study.reminded"}),
            ({"action": "extend", "until": "2099-01-01T10:00"}, {"study.extended"}),
            ({"action": "replace", "email": ""}, {"study.dropped", "study.invited"}),
            ({"action": "give-up"}, {"study.dropped"}),
            ({"action": "exclude", "reason": "A colleague."}, {"study.excluded"}),
            ({"action": "include"}, "P-03 is not excluded."),
            ({"action": "take-back"}, "P-03 is not marked "),
            ({"action": "extend", "until": "2001-01-01T10:00"}, IN_THE_PAST),
            ({}, "Choose an action."),
        ],
    )
    def test_each_act_on_a_participant(self, desk: Client, study: Study, sent: dict[str, str], done: Any) -> None:
        people_of.lively(study)
        before = set(AuditRecord.objects.values_list("pk", flat=True))
        response = desk.post(f"/maintenance/studies/{study.slug}/participants/P-03/", sent, follow=True)
        ((tone, text),) = notices(response)
        recorded = set(AuditRecord.objects.exclude(pk__in=before).values_list("action", flat=True))
        assert (tone, recorded) == (("good", done) if isinstance(done, set) else ("bad", set()))
        assert isinstance(done, set) or done in text

    def test_a_form_that_is_not_filled_in_comes_back(self, desk: Client, study: Study) -> None:
        people_of.participant(study, 1)
        for sent in ({"action": "exclude", "reason": ""}, {"action": "extend", "until": "soon"}):
            response = desk.post(f"/maintenance/studies/{study.slug}/participants/P-01/", sent)
            assert response.status_code == 422
            assert list(error_codes(response, "bad_form")) == [list(sent)[1]]

    def test_who_is_stuck_is_reminded_at_once(self, desk: Client, study: Study) -> None:
        people_of.lively(study)
        assert "1 reminder sent." in said(desk.post(f"/maintenance/studies/{study.slug}/remind/", follow=True))
        assert [message.to for message in mail.outbox] == [["third@example.org"]]

    def test_one_address_that_is_refused_keeps_no_other_from_being_reminded(
        self, desk: Client, study: Study, settings: Settings
    ) -> None:
        for number, name in ((1, "b"), (2, "c")):
            days = datetime.timedelta(days=4)
            people_of.participant(study, number, email=f"{name}@example.org", last_seen_at=timezone.now() - days)
        settings.EMAIL_BACKEND = "tests.humaneval.participants.test_invitations.Picky"
        refused, done = notices(desk.post(f"/maintenance/studies/{study.slug}/remind/", follow=True))
        assert (refused[0], refused[1].startswith("P-01: ")) == ("warn", True)
        assert (done[0], done[1][:2]) == ("good", "1 ")
        settings.EMAIL_BACKEND = "tests.humaneval.participants.test_invitations.Away"
        mail.outbox *= 2
        away = desk.post(f"/maintenance/studies/{study.slug}/remind/", follow=True)
        assert notices(away) == [("bad", mails.SERVER_UNAVAILABLE)]


class TestInviting:
    def test_links_are_made_sent_listed_and_taken_along(self, desk: Client, study: Study) -> None:
        path = f"/maintenance/studies/{study.slug}/invitations/"
        asked = {"emails": "a@example.org\nb@example.org, A@example.org", "n": "1", "label": "=2+2"}
        assert "3 links created." in said(desk.post(path, asked, follow=True))
        assert "1 link created." in said(desk.post(path, {"limit": "30", "label": "List"}, follow=True))
        assert "0 of 30 people" in said(desk.get(path))
        page = desk.post(f"{path}send/", {"message": "Come!"}, follow=True)
        assert "2 sent." in said(page)
        assert len(mail.outbox) == 2
        response = desk.post(f"{path}links.csv")
        assert response["Cache-Control"] == "no-store"
        rows = list(csv.DictReader(io.StringIO(response.content.decode())))
        assert {row["link"] for row in rows} == {invitations.address_of(link) for link in Invitation.objects.all()}
        assert {row["label"] for row in rows} == {"'=2+2", "List"}
        assert b"@example.org" not in response.content
        with_contacts = desk.post(f"{path}links.csv", {"with_contacts": "on"})
        assert b"a@example.org" in with_contacts.content

    @pytest.mark.parametrize(
        ("asked", "problem"),
        [
            ({"emails": "a@example.org nobody", "n": ""}, "Invalid email addresses: nobody"),
            ({"emails": "a@example.org\r\nBcc: x"}, "Invalid email addresses: Bcc:, x"),
            ({"n": "501"}, "less than or equal to 500"),
            ({}, NOBODY_NAMED),
            ({"limit": "0"}, "greater than or equal to 1"),
        ],
    )
    def test_what_cannot_be_is_said(self, desk: Client, study: Study, asked: dict[str, str], problem: str) -> None:
        response = desk.post(f"/maintenance/studies/{study.slug}/invitations/", asked)
        assert response.status_code == 422
        assert problem in said(response)
        assert not Invitation.objects.exists()

    def test_each_act_on_a_link(self, desk: Client, study: Study) -> None:
        link = invitations.invite(study, by=study.owner, kind=InvitationKind.SHARED, limit=3)
        token = invitations.token_of(link)
        path = reverse("manage-study-invitation", args=[study.slug, link.pk])
        assert "Limit changed to 5 people." in said(desk.post(path, {"action": "limit", "limit": "5"}, follow=True))
        for wrong in ("", "-1", "٣", "1e3", "0"):
            ((tone, _),) = notices(desk.post(path, {"action": "limit", "limit": wrong}, follow=True))
            link.refresh_from_db()
            assert (tone, link.limit) == ("bad", 5)
        assert mails.NO_ADDRESS in said(desk.post(path, {"action": "send"}, follow=True))
        assert token not in said(desk.post(path, {"action": "renew"}, follow=True))
        desk.post(path, {"action": "revoke"})
        link.refresh_from_db()
        assert link.revoked_at is not None
        assert NO_ACTION in said(desk.post(path, {}, follow=True))

    def test_a_link_of_another_study_is_not_there(self, desk: Client, study: Study) -> None:
        other = factories.study(study.owner, study.split)
        link = invitations.invite(other, by=study.owner)
        path = reverse("manage-study-invitation", args=[study.slug, link.pk])
        assert desk.post(path, {"action": "revoke"}).status_code == 404

    def test_only_a_post_changes_anything(self, desk: Client, study: Study) -> None:
        link = invitations.invite(study, by=study.owner)
        for page in ("clone/", "preview/", "dates/", "remind/", "invitations/send/", f"invitations/{link.pk}/"):
            assert desk.get(f"/maintenance/studies/{study.slug}/{page}").status_code == 405
        assert desk.get(f"/maintenance/studies/{study.slug}/invitations/links.csv").status_code == 405


class TestOutcome:
    def test_answers_are_put_in_line_and_shown(self, desk: Client, study: Study) -> None:
        people_of.lively(study)
        path = f"/maintenance/studies/{study.slug}/results/"
        ((tone, text),) = notices(desk.post(path, follow=True))
        assert (tone, text.split()[0]) == ("good", "4")
        page = said(desk.get(path))
        assert "to <b>3</b> of 4 questions" in page
        assert "Refresh</a>" in page
        assert notices(desk.post(path, follow=True)) == [("bad", UNCHANGED)]

    def test_grades_of_a_hidden_split_are_for_maintainers(
        self, client: Client, desk: Client, made: Benchmark, grace: User
    ) -> None:
        ada = factories.user("ada")
        hidden = factories.study(ada, factories.split(made, "test"), "Hidden")
        open_one = factories.study(ada, factories.split(made, "dev"), "Open")
        reader = Client()
        reader.force_login(ada)
        for study, visitor, graded in ((hidden, reader, False), (open_one, reader, True), (hidden, desk, True)):
            response: Any = visitor.post(f"/maintenance/studies/{study.slug}/export/")
            assert response["Cache-Control"] == "no-store"
            assert f"study-{study.slug}-" in response["Content-Disposition"]
            names = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))).namelist()
            assert ("grades.jsonl" in names) is graded
            assert "contacts.jsonl" not in names


class TestAdministration:
    def test_the_owner_alone_is_changed_there_and_the_change_is_noted(
        self, desk: Client, study: Study, grace: User
    ) -> None:
        """The right to change studies could otherwise have the server connect to any address as an encyclopedia."""
        path = reverse("admin:humaneval_study_change", args=[study.pk])
        fields = {field.name: field.value_from_object(study) or "" for field in Study._meta.fields}
        sent = fields | {
            "owner": factories.user("ada").pk,
            "encyclopedia": "mediawiki:http://127.0.0.1:6379/w/api.php#date=2023-11-20",
            "seats": 99,
        }
        assert desk.post(path, sent).status_code == 302
        before, study = study, Study.objects.get()
        assert (study.owner.username, study.encyclopedia, study.seats) == ("ada", "", before.seats)
        event = study.events.latest("pk")
        assert event.actor == grace and "owner" in event.text and "seats" not in event.text
        assert desk.post(reverse("admin:humaneval_study_add"), sent).status_code == 403

    def test_a_study_that_is_deleted_leaves_a_record_and_one_with_people_stays(
        self, desk: Client, study: Study
    ) -> None:
        other = factories.study(study.owner, study.split)
        people_of.participant(other, 1_000_000, is_preview=True)
        desk.post(reverse("admin:humaneval_study_delete", args=[other.pk]), {"post": "yes"})
        assert list(Study.objects.all()) == [study]
        assert AuditRecord.objects.filter(action="admin.deleted").exists()
        people_of.participant(study, 1)
        desk.post(reverse("admin:humaneval_study_delete", args=[study.pk]), {"post": "yes"})
        assert Study.objects.filter(pk=study.pk).exists()
