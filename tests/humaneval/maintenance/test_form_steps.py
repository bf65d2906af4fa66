"""A new study, from nothing to a link, and the steps of its settings with a participant's page beside them."""

import datetime
import html
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from humaneval.models import (
    Assignment,
    ConsentVersion,
    Invitation,
    Kind,
    Participant,
    SamplingMethod,
    Study,
    StudyEvent,
)
from humaneval.studies.form_steps import NEW_FIELDS, STEPS, fields_of, missing_of
from humaneval.studies.forms import PLAN, StudyForm
from humaneval.studies.kinds import KINDS
from humaneval.studies.kinds.base import NOT_READY
from leaderboard.models import AuditRecord, User
from scoring.models import Benchmark, Setting
from tests import factories, study_steps
from tests import study_people as people_of
from tests.humaneval.test_items import lines, regular
from tests.humaneval.test_pairs import add_systems
from tests.humaneval.test_ratings import documented, texts

pytestmark = pytest.mark.django_db
OWN_FIELDS = {
    Kind.ANSWER: {"practice", "encyclopedia", "n_planned", "question_ids", "attention_checks"},
    Kind.ITEMS: {"n_qualification", "injected_share", "checked_share", "on_named"},
    Kind.PAIRS: {"encyclopedia", "injected_share", "on_named"},
    Kind.RATINGS: {"on_named"},
}
"""The settings that not every type has."""


@pytest.fixture
def desk(client: Client, grace: User) -> Client:
    client.force_login(grace)
    return client


@pytest.fixture
def study(made: Benchmark, grace: User) -> Study:
    return factories.study(grace, factories.split(made, "dev"))


def said(response: Any) -> str:
    return " ".join(html.unescape(response.content.decode()).split())


def make(desk: Client, kind: str, benchmark: Benchmark, split: str = "dev") -> Study:
    """A new study by its first page."""
    asked = {"kind": kind, "name": "Spring", "split": factories.split(benchmark, split).pk}
    asked["setting"] = Setting.objects.get(benchmark=benchmark, slug="openbook").pk
    assert desk.post(reverse("manage-study-new"), asked).status_code == 302
    return Study.objects.select_related("split", "setting").get()


def page_of(desk: Client, study: Study, page: str) -> Any:
    return desk.get(reverse("manage-study-shown", args=[study.slug, page]))


class TestFields:
    @pytest.mark.parametrize("kind", Kind)
    def test_each_type_shows_its_own_settings_and_no_others(self, desk: Client, made: Benchmark, kind: Kind) -> None:
        study = make(desk, kind, made)
        shown = [name for step in STEPS for name in study_steps.form_of(desk, study, step).fields]
        some = set().union(*OWN_FIELDS.values())
        assert some.intersection(shown) == OWN_FIELDS[kind]
        assert len(set(shown)) == len(shown)
        page = "".join(
            desk.get(reverse("manage-study-step", args=[study.slug, step])).content.decode() for step in STEPS
        )
        assert {name for name in StudyForm.base_fields if f'name="{name}"' in page} == set(shown)

    def test_every_setting_is_in_a_step_or_on_the_first_page(self) -> None:
        asked = {name for kind in KINDS for step in STEPS for name in fields_of(step, kind)}
        assert asked | set(NEW_FIELDS) == set(StudyForm.base_fields)

    @pytest.mark.parametrize(
        ("kind", "drawings"),
        [(Kind.ANSWER, set(SamplingMethod)), (Kind.PAIRS, {SamplingMethod.BALANCED, SamplingMethod.PLANNED})],
    )
    def test_only_sampling_that_differs_for_the_type_is_offered(
        self, desk: Client, made: Benchmark, kind: Kind, drawings: set[SamplingMethod]
    ) -> None:
        study = make(desk, kind, made)
        offered = study_steps.form_of(desk, study, "people").fields["drawing"].choices  # type: ignore[attr-defined]
        assert {value for value, _ in offered} == drawings
        assert study.drawing in drawings

    def test_there_is_no_other_step(self, desk: Client, study: Study) -> None:
        assert desk.get(reverse("manage-study-step", args=[study.slug, "nothing"])).status_code == 404


class TestFromNothingToALink:
    @pytest.mark.parametrize("kind", Kind)
    def test_a_study_of_each_type_is_made_opened_and_joined(self, desk: Client, kind: Kind) -> None:
        benchmark = factories.list_benchmark() if kind == Kind.ITEMS else factories.benchmark(n_dev=6)
        study = make(desk, kind, benchmark)
        assert [row.step for row in missing_of(study) if "nobody can begin" in row.text] == (
            {Kind.ANSWER: [], Kind.RATINGS: ["task", "task"]}.get(kind, ["task"])
        )
        if kind == Kind.PAIRS:
            entries = add_systems(study)
            chosen = {"systems": [entry.pk for entry in entries], "n_questions": 3}
            desk.post(reverse("manage-study-pairs", args=[study.slug]), chosen)
        elif kind != Kind.ANSWER:
            content = lines(*regular()) if kind == Kind.ITEMS else texts(12)
            files = {"items": SimpleUploadedFile("items.jsonl", content)}
            if kind == Kind.RATINGS:
                files["declaration"] = SimpleUploadedFile("declaration.toml", documented())
            desk.post(reverse("manage-study-items", args=[study.slug]), files)
        for step, following in zip(STEPS, [*list(STEPS)[1:], "opening"], strict=True):
            changes = {"continue": "1"} | ({"contact": "ada@example.org"} if step == "texts" else {})
            response = study_steps.save(desk, study, step, **changes)
            assert response["Location"] == reverse("manage-study-step", args=[study.slug, following])
        study.refresh_from_db()
        assert [row.step for row in missing_of(study)] == ["opening", "opening"]
        page = desk.post(reverse("manage-study-dates", args=[study.slug]), {"action": "open-link"}, follow=True)
        link = re.search(r"http://testserver(/studies/spring/join/[^/]+/)", page.content.decode())
        assert link is not None
        assert Invitation.objects.get().limit == study.seats
        assert missing_of(Study.objects.get()) == []
        person = Client()
        person.post(link[1])
        assert "Consent" in said(person.get(reverse("study-home", args=[study.slug]), follow=True))

    def test_the_instructions_name_the_number_of_questions_that_was_chosen_later(
        self, desk: Client, made: Benchmark
    ) -> None:
        study = make(desk, Kind.RATINGS, made)
        assert "You will receive 10 short texts." in study.instructions
        study_steps.save(desk, study, "people", questions_per_participant=25)
        study.refresh_from_db()
        assert "You will receive 25 short texts." in study.instructions
        study_steps.save(desk, study, "texts", instructions="Rate.")
        study_steps.save(desk, study, "people", questions_per_participant=5)
        study.refresh_from_db()
        assert study.instructions == "Rate."

    def test_a_study_that_asks_about_publication_does_not_say_that_answers_may_be_published(
        self, desk: Client, study: Study
    ) -> None:
        assert "may be published" in study.consent_text
        study_steps.save(desk, study, "texts", asks_publication="on")
        study.refresh_from_db()
        assert study.asks_publication and "may be published" not in study.consent_text


class TestSteps:
    def test_a_step_that_is_saved_changes_nothing_in_the_others(self, desk: Client, made: Benchmark) -> None:
        study = make(desk, Kind.ANSWER, made)
        changes: dict[str, dict[str, Any]] = {
            "task": {"name": "Autumn", "practice": "dev-1"},
            "people": {"questions_per_participant": 3, "seats": 8, "drawing": "fixed", "question_ids": "dev-0\ndev-2"},
            "texts": {"purpose": "To compare.", "contact": "ada@example.org", "on_withdrawal": "anonymise"},
            "quality": {"attention_checks": "Write blue. => blue", "counts_unfinished": "on"},
            "opening": {"opens_at": "2027-03-01T09:00", "on_shared_computer": "on"},
        }
        for step, values in changes.items():
            assert study_steps.save(desk, study, step, **values).status_code == 302
        n_events = StudyEvent.objects.count()
        for step in reversed([*STEPS]):
            assert study_steps.save(desk, study, step).status_code == 302
        assert StudyEvent.objects.count() == n_events  # nothing was changed
        study.refresh_from_db()
        assert (study.name, study.practice_question.qid, study.purpose) == ("Autumn", "dev-1", "To compare.")  # type: ignore[union-attr]
        assert (study.question_ids, study.seats, len(study.attention_checks)) == (["dev-0", "dev-2"], 8, 1)
        assert (study.counts_unfinished, study.on_shared_computer, study.on_withdrawal) == (True, True, "anonymise")
        assert study.opens_at == datetime.datetime(2027, 3, 1, 9, tzinfo=datetime.UTC)

    def test_a_problem_with_a_setting_of_another_step_is_linked_to_it(self, desk: Client, study: Study) -> None:
        study_steps.save(desk, study, "quality", attention_checks="Write blue. => blue")
        response = study_steps.save(desk, study, "people", questions_per_participant=1)
        assert response.status_code == 422
        page = said(response)
        target = reverse("manage-study-step", args=[study.slug, "quality"])
        assert (
            f'Quality, <a href="{target}#id_attention_checks">Attention checks</a>: Attention checks are among' in page
        )
        study.refresh_from_db()
        assert study.questions_per_participant == 2

    @pytest.mark.parametrize(("drawing", "are_optional"), [("random", False), ("planned", True)])
    def test_numbers_are_marked_optional_only_where_a_plan_completes_them(
        self, desk: Client, study: Study, drawing: str, are_optional: bool
    ) -> None:
        study_steps.save(desk, study, "people", drawing=drawing, seats="" if are_optional else 3)
        form = study_steps.form_of(desk, study, "people")
        assert {form.fields[name].required for name in PLAN} == {not are_optional}
        for name in PLAN:
            response = study_steps.save(desk, study, "people", **{name: ""})
            assert (response.status_code == 302) == are_optional

    def test_of_a_plan_the_people_follow_the_attention_checks(self, desk: Client, study: Study) -> None:
        numbers = {"answers_per_question": 2, "questions_per_participant": 2, "seats": ""}
        study_steps.save(desk, study, "people", drawing="planned", **numbers)
        study.refresh_from_db()
        assert study.seats == 4
        assert study_steps.save(desk, study, "quality", attention_checks="Write blue. => blue").status_code == 302
        study.refresh_from_db()
        assert (study.questions_per_participant, study.seats) == (2, 8)

    def test_each_step_says_whether_it_is_complete_and_the_last_one_what_is_missing(
        self, desk: Client, made: Benchmark
    ) -> None:
        study = make(desk, Kind.PAIRS, made)
        response = desk.get(reverse("manage-study-step", args=[study.slug, "opening"]))
        assert [step["done"] for step in response.context["steps"]] == [False, True, False, True, True, False]
        assert [row.step for row in response.context["missing"]] == ["task", "texts", "opening", "opening"]
        for row in response.context["missing"]:
            assert f'href="{row.url}"' in response.content.decode()

    def test_the_steps_of_a_study_with_participants_keep_what_they_were_given(self, desk: Client, study: Study) -> None:
        people_of.participant(study, 1)
        for step, fixed in (("task", {"split", "setting", "practice"}), ("texts", set()), ("opening", set())):
            form = study_steps.form_of(desk, study, step)
            assert {name for name, field in form.fields.items() if field.disabled} == fixed


class TestWhatAParticipantSees:
    def test_nothing_is_stored_and_no_seat_is_taken(self, desk: Client, study: Study) -> None:
        desk.post(reverse("manage-study-preview", args=[study.slug]))
        kept = (Participant, Invitation, Assignment, ConsentVersion, StudyEvent, AuditRecord)
        before = [set(model._default_manager.values_list("pk", flat=True)) for model in kept]
        for page, text in (("consent", "Agree and take part"), ("instructions", "Continue"), ("question", "of 2")):
            response = page_of(desk, study, page)
            assert response.status_code == 200
            assert text in said(response)
        assert [set(model._default_manager.values_list("pk", flat=True)) for model in kept] == before

    def test_only_frames_of_this_site_show_it_and_nothing_runs_in_them(self, desk: Client, study: Study) -> None:
        response = page_of(desk, study, "consent")
        policy = [part.strip() for part in response["Content-Security-Policy"].split(";")]
        assert "sandbox allow-same-origin" in policy and "frame-ancestors 'self'" in policy
        assert (response["X-Frame-Options"], response["Cache-Control"]) == ("SAMEORIGIN", "no-store")
        settings_page = desk.get(reverse("manage-study-edit", args=[study.slug]))
        assert "frame-src 'self'" in settings_page["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in settings_page["Content-Security-Policy"]
        assert settings_page["X-Frame-Options"] == "DENY"

    def test_it_follows_what_is_saved(self, desk: Client, study: Study) -> None:
        study_steps.save(desk, study, "texts", consent_text="Do you agree?", contact="ada@example.org")
        page = said(page_of(desk, study, "consent"))
        assert "Do you agree?" in page and "ada@example.org" in page

    def test_the_reference_answers_of_a_hidden_split_are_not_on_it(self, desk: Client, made: Benchmark) -> None:
        study = make(desk, Kind.ANSWER, made, "test")
        page = said(page_of(desk, study, "question"))
        questions = study.split.current_revision.questions.all()  # type: ignore[union-attr]
        assert any(question.text in page for question in questions)
        assert not any(capital in page for capital in factories.CAPITALS.values())

    @pytest.mark.parametrize("kind", [Kind.ITEMS, Kind.PAIRS, Kind.RATINGS])
    def test_before_there_are_items_it_says_so(self, desk: Client, made: Benchmark, kind: Kind) -> None:
        assert NOT_READY in said(page_of(desk, make(desk, kind, made), "question"))

    def test_who_may_not_manage_the_study_does_not_see_it(self, client: Client, study: Study) -> None:
        client.force_login(factories.user("other"))
        assert page_of(client, study, "consent").status_code == 404

    def test_there_is_no_other_page(self, desk: Client, study: Study) -> None:
        assert page_of(desk, study, "withdraw").status_code == 404


def test_a_study_that_is_opened_with_a_link_keeps_its_end(desk: Client, study: Study) -> None:
    closes = timezone.now() + datetime.timedelta(days=3)
    Study.objects.update(closes_at=closes)
    desk.post(reverse("manage-study-dates", args=[study.slug]), {"action": "open-link"})
    study.refresh_from_db()
    assert (study.state, study.closes_at) == ("open", closes)
    assert Invitation.objects.get().limit == study.seats
