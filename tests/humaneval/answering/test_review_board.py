"""What a review board asks for: a full statement, consent to publication, a contact, and one's own data."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from humaneval.answering import answers, consent
from humaneval.models import Assignment, Participant, Search, Study, Visit
from humaneval.models.studies import STATEMENT
from humaneval.studies import services
from tests import volunteers

pytestmark = pytest.mark.django_db
STATED: dict[str, Any] = {name: f"{name} stated" for name in STATEMENT}


def shown(client: Client, path: str) -> str:
    return " ".join(client.get(path, follow=True).content.decode().split())


class TestConsent:
    def test_the_text_has_all_that_is_stated_of_the_study_and_is_kept_so(self, client: Client) -> None:
        study = volunteers.open_study(**STATED, reward_note="A book.")
        volunteers.come_in(client, volunteers.link(study))
        page = shown(client, f"/studies/{study.slug}/consent/")
        for name, label in STATEMENT.items():
            assert f"<li>{label}: {name} stated</li>" in page
        assert "<li>Pay: A book.</li>" in page
        client.post(f"/studies/{study.slug}/consent/", {"digest": consent.consent_digest(study)})
        agreed = Participant.objects.get().consent
        assert agreed is not None
        assert "- Approval: approval stated" in agreed.text

    def test_a_study_without_statements_has_its_text_alone(self) -> None:
        study = volunteers.open_study(reward_note="A book.")
        assert study.consent_in_full == study.consent_text

    def test_a_changed_statement_is_agreed_to_again(self, client: Client) -> None:
        study = volunteers.open_study(**STATED)
        volunteers.seated(client, study)
        services.update_study(study, {"risks": "Other risks"}, by=study.owner)
        assert 'id="text-new"' in shown(client, f"/studies/{study.slug}/questions/")

    def test_the_default_text_does_not_answer_the_question_before_it_is_asked(self) -> None:
        study = volunteers.open_study(asks_publication=True)
        assert "published" not in study.consent_text
        assert study.consent_text.endswith("separately from your answers.")

    def test_a_study_that_does_not_ask_stores_no_answer(self, client: Client) -> None:
        study = volunteers.open_study()
        volunteers.come_in(client, volunteers.link(study))
        page = {"digest": consent.consent_digest(study), "publication": "yes"}
        client.post(f"/studies/{study.slug}/consent/", page)
        assert Participant.objects.get().agrees_to_publication is None


class TestOwnData:
    @pytest.fixture
    def study(self) -> Study:
        return volunteers.open_study(
            contact="team@example.org", attention_checks=[{"text": "Blue?", "answers": ["blue"]}]
        )

    def data(self, client: Client, study: Study) -> dict[str, Any]:
        response = client.get(f"/studies/{study.slug}/my-data/")
        assert response["Content-Disposition"].startswith("attachment")
        assert response["Cache-Control"] == "no-store"
        loaded: dict[str, Any] = json.loads(response.content)
        return loaded

    def test_a_person_downloads_all_that_is_recorded_of_them_alone(self, client: Client, study: Study) -> None:
        other = volunteers.seated(Client(), study)
        Assignment.objects.filter(participant=other).update(text="of somebody else", note="of somebody else")
        participant = volunteers.seated(client, study)
        row = participant.assignments.select_related("participant__study").order_by("position")[0]
        for version, text in enumerate(("Os", "Oslo")):
            answers.save_answer(row, text=text, client_revision_id=uuid.uuid4(), base_version=version)
        answers.write_note(row, "a note", [])
        Search.objects.create(assignment=row, query="Norway", n_results=1)
        Visit.objects.create(assignment=row, title="Norway", origin="result")
        own = self.data(client, study)
        assert own["receipt_code"] == participant.receipt_code
        assert own["consent"]["text"] == study.consent_in_full
        first = own["answers"][0]
        assert (first["text"], first["note"]) == ("Oslo", "a note")
        assert [version["text"] for version in first["versions"]] == ["Os", "Oslo"]
        assert [search["query"] for search in first["searches"]] == ["Norway"]
        assert [visit["title"] for visit in first["visits"]] == ["Norway"]
        assert "of somebody else" not in json.dumps(own)

    def test_it_does_not_say_which_questions_are_checks(self, client: Client, study: Study) -> None:
        volunteers.seated(client, study)
        own = self.data(client, study)
        assert len({frozenset(answer) for answer in own["answers"]}) == 1
        assert "check" not in json.dumps(own).replace(own["consent"]["text"], "").lower()

    def test_a_stranger_gets_nothing(self, study: Study) -> None:
        assert Client().get(f"/studies/{study.slug}/my-data/").status_code == 403

    def test_contact_and_download_are_on_every_page(self, client: Client, study: Study) -> None:
        volunteers.come_in(client, volunteers.link(study))
        pages = [shown(client, f"/studies/{study.slug}/consent/")]
        client.post(f"/studies/{study.slug}/consent/", {"digest": consent.consent_digest(study)})
        client.post(f"/studies/{study.slug}/instructions/")
        client.post(f"/studies/{study.slug}/practice/", {"pass": "1"})
        names = ("instructions", "questions", "questions/1", "finish", "withdraw")
        pages += [shown(client, f"/studies/{study.slug}/{name}/") for name in names]
        for page in pages:
            assert "team@example.org" in page
            assert f"/studies/{study.slug}/my-data/" in page
