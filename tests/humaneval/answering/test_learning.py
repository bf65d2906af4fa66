"""Worked examples, practice with feedback, and the test before the questions, in each type of study."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from humaneval.answering import consent, session
from humaneval.models import Assignment, Kind, Participant, Study
from humaneval.results.exports import read
from humaneval.results.exports.own_data import data_of
from humaneval.results.exports.tables import tables_of
from humaneval.studies.form_steps import missing_of
from humaneval.studies.kinds import KINDS
from humaneval.studies.kinds.base import RECORDED_OF_TEST
from humaneval.studies.learning import test_counts as counts_of
from humaneval.studies.learning_forms import IS_HIDDEN
from humaneval.studies.queries import NOT_QUALIFIED, seated
from leaderboard.models import User
from scoring.models import Question
from tests import study_steps, volunteers
from tests.humaneval import test_items, test_pairs, test_ratings
from tests.studies_of_types import open_study_of

pytestmark = pytest.mark.django_db
TABLES = {table.name: table for table in tables_of(with_contacts=False, with_grades=False)}


def make_study(kind: Kind, folder: Path, **fields: Any) -> Study:
    """A study of a type that is open, with what it asks about."""
    study = open_study_of(kind, folder)
    everything = [
        entry(study, use, number) for use, n in (("example", 1), ("practice", 2), ("test", 4)) for number in range(n)
    ]
    Study.objects.filter(pk=study.pk).update(**({"learning": everything, "test_attempts": 2} | fields))
    return Study.objects.get(pk=study.pk)


def right_and_wrong(study: Study) -> tuple[dict[str, str], dict[str, str]]:
    """A right and a wrong answer to each question about an item, by its name."""
    right, wrong = {}, {}
    for asked in KINDS[study.kind].learning_questions(study):
        values = [value for value, _ in asked.options] or ["Oslo", "Bergen"]
        right[asked.name], wrong[asked.name] = values[:2]
    return right, wrong


def entry(study: Study, use: str, number: int) -> dict[str, Any]:
    right, _ = right_and_wrong(study)
    expected = {name: [value] for name, value in right.items()}
    texts = {name: f"The {name} of {use} {number}" for name in KINDS[study.kind].learning_texts}
    why = f"Because of {use} {number}."
    return {"use": use, **texts, "expected": expected.get("", expected), "why": why}


def answers(study: Study, n: int, n_wrong: int = 0) -> dict[str, str]:
    """The fields of a form about *n* items, the first *n_wrong* of them wrong."""
    right, wrong = right_and_wrong(study)
    return {
        f"{number}-{name}": value
        for number in range(1, n + 1)
        for name, value in (wrong if number <= n_wrong else right).items()
    }


def come_in(client: Client, study: Study) -> Participant:
    """Somebody who agreed and read the instructions."""
    participant = volunteers.come_in(client, volunteers.link(study))
    assert consent.give_consent(participant, digest=consent.consent_digest(study))
    session.leave(participant, "instructed_at")
    session.leave(participant, "practised_at")
    return Participant.objects.select_related("study").get(pk=participant.pk)


def at_the_test(client: Client, study: Study) -> Participant:
    participant = come_in(client, study)
    session.leave(participant, "rehearsed_at")
    return participant


def send(client: Client, study: Study, attempt: int, **given: str) -> Any:
    return client.post(f"/studies/{study.slug}/test/", {"attempt": attempt, **given})


def place_of(client: Client, study: Study) -> str:
    """The address to which the study leads somebody now."""
    response = client.get(f"/studies/{study.slug}/")
    return str(response.headers.get("Location", response.status_code))


@pytest.fixture(params=Kind)
def study(request: pytest.FixtureRequest, grace: User, tmp_path: Path) -> Study:
    return make_study(request.param, tmp_path)


class TestExamples:
    def test_the_instructions_show_them_solved_and_stay_in_reach(self, client: Client, study: Study) -> None:
        participant = volunteers.seated(client, study)
        assert participant.instructed_at is not None
        page = client.get(f"/studies/{study.slug}/instructions/").content.decode()
        for name in KINDS[study.kind].learning_texts:
            assert f"The {name} of example 0" in page
        assert "Because of example 0." in page
        assert "practice 0" not in page and "test 0" not in page
        assert f'href="/studies/{study.slug}/instructions/"' in page

    def test_names_of_systems_are_masked(self, client: Client, grace: User, tmp_path: Path) -> None:
        study = make_study(Kind.PAIRS, tmp_path)
        name = test_pairs.NAMES[0]
        named = entry(study, "example", 0) | {"left": f"Ask {name}: Oslo.", "why": f"{name} is right."}
        Study.objects.filter(pk=study.pk).update(learning=[named])
        come_in(client, study)
        page = client.get(f"/studies/{study.slug}/instructions/").content.decode()
        assert ": Oslo." in page
        assert name not in page


class TestPractice:
    def test_it_says_what_is_right_and_stores_no_answer(self, client: Client, study: Study) -> None:
        participant, path = come_in(client, study), f"/studies/{study.slug}/rehearsal/"
        assert place_of(client, study) == path
        before = list(Assignment.objects.values())
        page = client.post(path, answers(study, 2, n_wrong=1)).content.decode()
        assert "Right: 1 of 2." in page
        assert "Because of practice 0." in page and "Because of practice 1." in page
        again = client.get(path).content.decode()
        assert "Because of practice" not in again
        assert list(Assignment.objects.values()) == before
        assert place_of(client, study) == path
        assert client.post(path, {"leave": "1"}).status_code == 302
        participant.refresh_from_db()
        assert participant.rehearsed_at is not None
        assert participant.attempts == []
        assert client.get(path).status_code == 200, "it can be repeated"

    def test_it_asks_for_every_answer_and_keeps_those_given(self, client: Client, study: Study) -> None:
        come_in(client, study)
        given = answers(study, 1)
        response = client.post(f"/studies/{study.slug}/rehearsal/", given)
        page = response.content.decode()
        assert response.status_code == 422
        assert "Because of practice" not in page
        kept = 'value="Oslo"' if study.kind == Kind.ANSWER else " checked"
        assert page.count(kept) == len(given)


class TestTheTest:
    def test_who_passes_at_first_goes_on(self, client: Client, study: Study) -> None:
        participant = at_the_test(client, study)
        assert place_of(client, study) == f"/studies/{study.slug}/test/"
        assert client.get(f"/studies/{study.slug}/questions/1/").headers["Location"] == f"/studies/{study.slug}/"
        client.post(f"/studies/{study.slug}/finish/")
        participant.refresh_from_db()
        assert participant.finished_at is None, "nobody is done who has not passed"
        send(client, study, 1, **answers(study, 2))
        participant.refresh_from_db()
        (attempt,) = participant.attempts
        assert (attempt["right"], attempt["of"], attempt["passed"]) == (2, 2, True)
        assert place_of(client, study) == f"/studies/{study.slug}/questions/"
        assert client.get(f"/studies/{study.slug}/questions/1/").status_code == 200
        assert counts_of(study) == {"first": 1, "second": 0, "failed": 0, "again": 0}
        assert data_of(participant)["attempts"] == participant.attempts
        (told,) = read.participants(study)
        exported = {field.name: field.of(told) for field in TABLES["participants"].fields}
        assert exported["test_attempts"] == participant.attempts

    def test_no_way_leads_around_it(self, client: Client, study: Study) -> None:
        participant = come_in(client, study)
        right, _ = right_and_wrong(study)
        for step in ("rehearsal", "test", "consent"):
            if step == "test":
                session.leave(participant, "rehearsed_at")
            elif step == "consent":
                Study.objects.filter(pk=study.pk).update(consent_text="Another text.")
            assert place_of(client, study) == f"/studies/{study.slug}/{step}/"
            assert client.post(f"/studies/{study.slug}/finish/").status_code == 302
            text = next(iter(right.values()))
            assert client.post(f"/studies/{study.slug}/questions/1/done/", {"text": text}).status_code == 302
            assert client.get(f"/studies/{study.slug}/questions/1/standing/").status_code == 302
            participant.refresh_from_db()
            assert participant.finished_at is None
            assert not participant.assignments.exclude(text="", done_at=None, opened_at=None).exists()

    def test_the_consent_page_says_what_is_recorded_and_withdrawing_deletes_it(
        self, client: Client, study: Study
    ) -> None:
        participant = volunteers.come_in(client, volunteers.link(study))
        assert RECORDED_OF_TEST in client.get(f"/studies/{study.slug}/consent/").content.decode()
        assert consent.give_consent(participant, digest=consent.consent_digest(study))
        session.leave(participant, "instructed_at")
        session.leave(participant, "practised_at")
        client.post(f"/studies/{study.slug}/rehearsal/", {"leave": "1"})
        send(client, study, 1, **answers(study, 2))
        client.post(f"/studies/{study.slug}/withdraw/")
        participant.refresh_from_db()
        assert (participant.rehearsed_at, participant.attempts) == (None, [])

    def test_who_fails_gets_other_items_once(self, client: Client, study: Study) -> None:
        participant = at_the_test(client, study)
        first = client.get(f"/studies/{study.slug}/test/").content.decode()
        send(client, study, 1, **answers(study, 2, n_wrong=1))
        assert counts_of(study)["again"] == 1
        second = client.get(f"/studies/{study.slug}/test/").content.decode()
        for page, here, away in ((first, (0, 1), (2, 3)), (second, (2, 3), (0, 1))):
            assert all(f"of test {number}" in page for number in here)
            assert not any(f"of test {number}" in page for number in away)
            assert "Because of test" not in page
        send(client, study, 2, **answers(study, 2))
        participant.refresh_from_db()
        assert [attempt["passed"] for attempt in participant.attempts] == [False, True]
        assert place_of(client, study) == f"/studies/{study.slug}/questions/"
        assert counts_of(study) == {"first": 0, "second": 1, "failed": 0, "again": 0}

    def test_who_fails_twice_is_screened_out_and_frees_the_seat(self, client: Client, study: Study) -> None:
        participant = at_the_test(client, study)
        for attempt in (1, 2):
            assert participant in seated(study)
            send(client, study, attempt, **answers(study, 2, n_wrong=2))
        participant.refresh_from_db()
        assert participant.exclusion_reason == NOT_QUALIFIED
        assert participant not in seated(study)
        ended = client.get(f"/studies/{study.slug}/")
        assert participant.receipt_code in ended.content.decode()
        assert client.get(f"/studies/{study.slug}/questions/1/").status_code != 200
        own_data = client.get(f"/studies/{study.slug}/my-data/").json()
        assert not any(row["asked_text"] for row in own_data["answers"]), "they have not seen the questions"
        assert counts_of(study) == {"first": 0, "second": 0, "failed": 1, "again": 0}

    def test_an_attempt_is_decided_once(self, client: Client, study: Study) -> None:
        participant = at_the_test(client, study)
        for n_wrong in (2, 0, 2):  # the form is sent again, with other answers
            send(client, study, 1, **answers(study, 2, n_wrong=n_wrong))
        client.get(f"/studies/{study.slug}/test/")
        participant.refresh_from_db()
        assert [attempt["right"] for attempt in participant.attempts] == [0]
        assert participant.excluded_at is None
        assert send(client, study, 2).status_code == 422, "an empty form decides nothing"
        participant.refresh_from_db()
        assert len(participant.attempts) == 1

    def test_with_one_attempt_all_items_are_in_it(self, client: Client, study: Study) -> None:
        Study.objects.filter(pk=study.pk).update(test_attempts=1)
        participant = at_the_test(client, study)
        send(client, study, 1, **answers(study, 4, n_wrong=1))
        participant.refresh_from_db()
        assert participant.attempts[0]["of"] == 4
        assert participant.exclusion_reason == NOT_QUALIFIED, "3 of 4 are less than 0.8"

    def test_the_scores_say_how_many_passed(self, client: Client, study: Study, grace: User) -> None:
        at_the_test(client, study)
        send(client, study, 1, **answers(study, 2))
        staff = Client()
        staff.force_login(grace)
        page = staff.get(reverse("manage-study-results", args=[study.slug])).content.decode()
        assert "<b>1</b> passed at the first attempt" in " ".join(page.split())


def errors_of(response: Any) -> dict[str, list[str]]:
    """The problems beside the fields of a page's entries, by the names of the fields."""
    assert response.status_code == 422
    entries = response.context["form"].entries
    return {form.add_prefix(name): list(texts) for form in entries for name, texts in form.errors.items()}


class TestTheForm:
    @pytest.fixture
    def desk(self, client: Client, grace: User) -> Client:
        client.force_login(grace)
        return client

    def test_what_is_stored_comes_back_unchanged(self, desk: Client, study: Study) -> None:
        n_events = study.events.count()
        assert study_steps.save(desk, study, "learning").status_code == 302
        assert study.events.count() == n_events
        before = study.learning
        study.refresh_from_db()
        assert study.learning == before

    def test_an_entry_is_added_in_the_empty_form_at_the_end(self, desk: Client, study: Study) -> None:
        Study.objects.filter(pk=study.pk).update(learning=[])
        wanted = [entry(study, "example", 7), entry(study, "test", 8)]
        for number, written in enumerate(wanted):
            expected = written["expected"]
            by_name = expected if isinstance(expected, dict) else {"": expected}
            fields = {f"entries-{number}-{name}": value for name, value in written.items() if name != "expected"}
            fields |= {f"entries-{number}-expected-{name}": value for name, value in by_name.items()}
            saved = study_steps.save(desk, study, "learning", test_attempts=1, another="1", **fields)
            assert saved["Location"].endswith(f"/learning/#id_entries-{number + 1}-use")
            page = desk.get(saved["Location"]).content.decode()
            assert f'id="id_entries-{number + 1}-use"' in page
        study.refresh_from_db()
        assert study.learning == wanted

    def test_sending_twice_keeps_an_entry_and_a_page_from_before_deletes_none(self, desk: Client, study: Study) -> None:
        path, entries = reverse("manage-study-step", args=[study.slug, "learning"]), study.learning
        written = study_steps.begin(desk, study, "learning") | {"test_attempts": 1}
        Study.objects.filter(pk=study.pk).update(learning=[])
        empty = study_steps.begin(desk, study, "learning") | {"test_attempts": 1}
        first = empty | {name: value for name, value in written.items() if name.startswith("entries-0-")}
        for _ in range(2):
            assert desk.post(path, first | {"another": "1"}).status_code == 302
            study.refresh_from_db()
            assert study.learning == entries[:1]
        other = {name.replace("-1-", "-0-"): value for name, value in written.items() if name.startswith("entries-1-")}
        for outdated in (empty, empty | other):
            assert desk.post(path, outdated).status_code == 422
            study.refresh_from_db()
            assert study.learning == entries[:1]

    def test_entries_are_put_in_order_and_deleted(self, desk: Client, study: Study) -> None:
        last = len(study.learning) - 1
        changes = {"entries-0-DELETE": "on", f"entries-{last}-ORDER": "0", "test_attempts": "1"}
        wanted = [study.learning[last], *study.learning[1:last]]
        assert study_steps.save(desk, study, "learning", **changes).status_code == 302
        study.refresh_from_db()
        assert study.learning == wanted

    def test_each_problem_is_beside_its_field_and_named_above_with_a_link(
        self, desk: Client, grace: User, tmp_path: Path
    ) -> None:
        study = make_study(Kind.ITEMS, tmp_path)
        spoiled = {"entries-0-why": " ", "entries-1-use": "quiz", "entries-2-expected-": ["maybe"]}
        response = study_steps.save(desk, study, "learning", **spoiled)
        assert set(errors_of(response)) == set(spoiled)
        page = response.content.decode()
        assert 'href="#id_entries-0-why">Entry 1, Why</a>: ' in page
        assert "The passage of test 3" in page, "what was entered stays"

    def test_a_form_without_its_entries_is_refused(self, desk: Client, study: Study) -> None:
        sent = {"test_attempts": 1, "qualification_share": "0.8", "n_qualification": 0}
        assert desk.post(reverse("manage-study-step", args=[study.slug, "learning"]), sent).status_code == 422
        before = study.learning
        study.refresh_from_db()
        assert study.learning == before

    def test_two_attempts_need_an_even_number(self, desk: Client, study: Study) -> None:
        response = study_steps.save(desk, study, "learning", **{"entries-3-DELETE": "on"})
        assert response.status_code == 422
        assert "even number" in response.content.decode()

    def test_two_attempts_need_twice_as_many_loaded_items(self, desk: Client, grace: User, tmp_path: Path) -> None:
        study = test_items.make_study(grace, n_qualification=2)
        test_items.load(study, test_items.lines(*test_items.regular(), *test_items.known_items(3)), tmp_path, grace)
        response = study_steps.save(desk, study, "learning", test_attempts=2)
        assert response.status_code == 422
        assert "need 4 loaded qualification items; there are 3" in response.content.decode()

    def test_a_question_of_a_hidden_split_is_refused(self, desk: Client, grace: User, tmp_path: Path) -> None:
        study = make_study(Kind.ANSWER, tmp_path)
        assert study.split.hidden
        hidden = Question.objects.filter(revision=study.split.current_revision).first()
        assert hidden is not None
        response = study_steps.save(desk, study, "learning", **{"entries-2-question": f" {hidden.text} "})
        assert errors_of(response) == {"entries-2-question": [IS_HIDDEN]}

    def test_once_people_have_questions_nothing_can_be_changed(self, desk: Client, study: Study) -> None:
        volunteers.seated(Client(), study)
        form = study_steps.form_of(desk, study, "learning")
        assert form.entries is not None
        assert len(form.entries.forms) == len(study.learning), "there is no empty one"
        page = desk.get(reverse("manage-study-step", args=[study.slug, "learning"])).content.decode()
        assert page.count("disabled>") >= len(study.learning)
        before = study.learning
        study_steps.save(desk, study, "learning", **{"entries-0-why": "Because."})
        study.refresh_from_db()
        assert study.learning == before

    @pytest.mark.parametrize("renamed", ['name = "writer"', 'name = "user"'])
    def test_entries_for_another_declaration_are_missing_something(
        self, grace: User, tmp_path: Path, renamed: str
    ) -> None:
        study = make_study(Kind.RATINGS, tmp_path)
        assert "learning" not in [row.step for row in missing_of(study)]
        assert renamed in study.declaration
        study.declaration = study.declaration.replace(renamed, 'name = "other"')
        assert "learning" in [row.step for row in missing_of(study)]

    def test_before_a_declaration_there_is_nothing_to_fill_in(self, desk: Client, grace: User, tmp_path: Path) -> None:
        study = test_ratings.make_study(grace, tmp_path)
        Study.objects.filter(pk=study.pk).update(declaration="")
        assert study_steps.form_of(desk, study, "learning").entries is None
        assert desk.post(reverse("manage-study-step", args=[study.slug, "learning"])).status_code == 422
        assert study_steps.save(desk, study, "learning", test_attempts=2).status_code == 302
