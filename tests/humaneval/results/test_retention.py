"""What a consent text promises about time: texts, and what leads to people, are deleted when it says so."""

import datetime
import io
import json
import zipfile
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from humaneval.answering.withdrawal import withdraw
from humaneval.grading.rounds.sources import candidates_of_studies, gradable_studies
from humaneval.models import (
    Assignment,
    Contact,
    GradedAnswer,
    Invitation,
    Origin,
    Participant,
    Search,
    Study,
    StudyEvent,
    Visit,
)
from humaneval.participants.invitations import path_of
from humaneval.results import retention
from humaneval.results.answer_sets import NothingToScoreError, make_answer_set
from humaneval.results.exports.archive import write_export
from humaneval.studies import services
from humaneval.tasks import delete_expired
from scoring.models import Answer, AnswerSet
from scoring.runs import withdrawals
from scoring.runs.withdrawals import DELETED
from tests import study_people, volunteers
from tests.humaneval.grading.ground import answered_study, grader, ground

pytestmark = pytest.mark.django_db
DAY = datetime.timedelta(days=1)
TYPED = "zebra crossing"
"""What people type, everywhere."""


def ended(days_ago: int = 40, **fields: Any) -> Study:
    """A study that ended so many days ago, and promised to delete texts after 30 and codes after 60 days."""
    now = timezone.now()
    dates = {"opens_at": now - 500 * DAY, "closes_at": now - days_ago * DAY}
    return volunteers.open_study(**(dates | {"keeps_texts_days": 30, "keeps_codes_days": 60} | fields))


def person(study: Study, number: int = 1, *, check: str = "blue") -> Participant:
    """Somebody who typed wherever people can."""
    finished = study_people.participant(study, number, email="one@example.org", finished_at=timezone.now() - 50 * DAY)
    row = study_people.assigned(finished, 1, f"{study.split.slug}-0", f"answer: {TYPED}", note=f"note: {TYPED}")
    study_people.search(row, f"search: {TYPED}")
    study_people.visit(row, "Norway")
    study_people.visit(row, "Elsewhere", origin=Origin.REPORTED, rank=None, url="https://example.org/zebra")
    asked = {"text": "Write blue.", "answers": ["Blue"]}
    study_people.assigned(finished, 2, "", f"{check}, {TYPED}" if check != "blue" else check, attention_check=asked)
    study_people.assigned(finished, 3, f"{study.split.slug}-1", " \n")
    return finished


def exported(study: Study, **options: Any) -> dict[str, str]:
    out = io.BytesIO()
    write_export(Study.objects.get(pk=study.pk), out, by="test", **options)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def table(files: dict[str, str], name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files[f"{name}.jsonl"].splitlines()]


class TestTexts:
    def test_nothing_that_was_typed_is_left_when_the_time_is_over(self) -> None:
        study = ended()
        person(study)
        make_answer_set(study, by="test")
        assert TYPED in json.dumps(exported(study))
        delete_expired()
        files = exported(study)
        assert TYPED not in json.dumps(files)
        assert "example.org/zebra" not in json.dumps(files)
        assert list(Answer.objects.values_list("text", flat=True)) == [DELETED]
        assert AnswerSet.objects.get().closed_at is not None
        assert "was deleted on" in files["README.md"]
        assert json.loads(files["study.json"])["texts_deleted_at"] is not None

    def test_counts_passed_checks_and_articles_stay(self) -> None:
        study = ended()
        person(study, 1)
        person(study, 2, check="red")
        before = exported(study)
        delete_expired()
        after = exported(study)
        assert table(after, "participants") == table(before, "participants")
        assert [row["title"] for row in table(after, "visits")] == [row["title"] for row in table(before, "visits")]
        assert table(after, "measures") == table(before, "measures")
        assert {row["n_attention_checks_passed"] for row in table(after, "participants")} == {0, 1}

    @pytest.mark.parametrize(("days_ago", "is_deleted"), [(29, False), (31, True)])
    def test_the_time_is_counted_from_the_end(self, days_ago: int, is_deleted: bool) -> None:
        person(ended(days_ago))
        delete_expired()
        assert Assignment.objects.filter(text=DELETED).exists() is is_deleted

    def test_a_longer_time_of_one_participant_counts(self) -> None:
        study = ended()
        person(study)
        Participant.objects.update(extended_until=timezone.now() - 10 * DAY)
        delete_expired()
        assert not Assignment.objects.filter(text=DELETED).exists()

    @pytest.mark.parametrize(("seen_days_ago", "is_deleted"), [(29, False), (31, True)])
    def test_without_an_end_the_last_activity_counts(self, seen_days_ago: int, is_deleted: bool) -> None:
        study = ended(closes_at=None)
        person(study)
        long_ago = timezone.now() - seen_days_ago * DAY
        Participant.objects.update(joined_at=long_ago, last_seen_at=long_ago)
        Invitation.objects.update(created_at=long_ago)
        delete_expired()
        assert Assignment.objects.filter(text=DELETED).exists() is is_deleted

    def test_a_study_without_a_limit_keeps_everything(self) -> None:
        person(ended(400, keeps_texts_days=None, keeps_codes_days=None))
        delete_expired()
        assert Search.objects.get().query.endswith(TYPED)
        assert Contact.objects.exists()

    def test_it_is_done_once_and_again_after_the_study_went_on(self) -> None:
        study = ended()
        person(study)
        assert (retention.delete_due(), retention.delete_due()) == (1, 0)
        assert StudyEvent.objects.filter(text__startswith="Deleted the texts").count() == 1
        Study.objects.update(texts_deleted_at=timezone.now() - 8 * DAY, closes_at=timezone.now() - 31 * DAY)
        study_people.assigned(study_people.participant(study, 2), 1, f"{study.split.slug}-0", TYPED)
        assert retention.delete_due() == 1
        assert not Assignment.objects.filter(text=TYPED).exists()

    def test_a_crash_in_the_middle_is_made_up_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        study = ended()
        person(study)
        make_answer_set(study, by="test")
        with monkeypatch.context() as patched, pytest.raises(ExceptionGroup):
            patched.setattr("scoring.runs.withdrawals.delete_texts", Mock(side_effect=OSError("gone")))
            retention.delete_due()
        assert not retention.time_limits(Study.objects.get())[0].is_done
        retention.delete_due()
        assert TYPED not in json.dumps(exported(study))

    def test_one_study_that_fails_keeps_no_data_of_another(self, monkeypatch: pytest.MonkeyPatch) -> None:
        failing, other = ended(100), Study.objects.get()
        other.pk, other.slug = None, "other"
        other.save()
        person(failing)
        person(other)
        delete = withdrawals.delete_texts

        def fail_once(sets: QuerySet[AnswerSet]) -> None:
            monkeypatch.setattr(withdrawals, "delete_texts", delete)
            raise OSError("gone")

        monkeypatch.setattr(withdrawals, "delete_texts", fail_once)
        with pytest.raises(ExceptionGroup) as failed:
            retention.delete_due()
        assert [str(error) for error in failed.value.exceptions] == ["gone"]
        failing.refresh_from_db()
        other.refresh_from_db()
        assert (failing.texts_deleted_at, Contact.objects.count()) == (None, 0), "its codes are due as well"
        assert other.texts_deleted_at is not None

    def test_batches_reach_every_row(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retention, "BATCH", 2)
        study = ended(100)
        for number in range(1, 6):
            person(study, number)
        delete_expired()
        assert TYPED not in json.dumps(exported(study, with_contacts=True))
        assert not Visit.objects.exclude(url="").exists()
        assert not Contact.objects.exists()

    def test_deleted_texts_are_not_scored_again(self) -> None:
        study = ended()
        person(study)
        delete_expired()
        with pytest.raises(NothingToScoreError, match="deleted"):
            make_answer_set(study, by="test")

    def test_deleted_texts_are_not_graded(self) -> None:
        study = ended()
        person(study)
        revision = study.split.current_revision
        assert revision is not None
        assert candidates_of_studies(revision, [study])
        assert list(gradable_studies(study.split)) == [study]
        delete_expired()
        assert not candidates_of_studies(revision, [study])
        assert not gradable_studies(study.split)

    def test_withdrawing_afterwards_works(self) -> None:
        study = ended()
        who = person(study)
        make_answer_set(study, by="test")
        delete_expired()
        withdraw(who)
        assert not who.assignments.exists()

    def test_grades_stay_and_the_graded_texts_go(self) -> None:
        place = ground()
        study = answered_study(place, "")
        made = place.round(name="People", files=[], studies=[study], graders_per_answer=1)
        grader(made)
        n_answers = GradedAnswer.objects.count()
        assert n_answers
        closes = timezone.now() - DAY
        Study.objects.update(keeps_texts_days=1, opens_at=closes - DAY, closes_at=closes - DAY / 2)
        delete_expired()
        assert list(GradedAnswer.objects.values_list("text", flat=True)) == [DELETED] * n_answers


class TestCodes:
    def test_nothing_leads_to_the_person_and_the_link_does_not_work(self, client: Client) -> None:
        study = ended(61)
        person(study)
        link = Invitation.objects.get()
        address, receipt = path_of(link), Participant.objects.get().receipt_code
        delete_expired()
        assert not Contact.objects.exists()
        assert client.get(address).status_code == 404
        files = json.dumps(exported(study, with_contacts=True))
        assert receipt not in files
        assert "one@example.org" not in files
        assert "P-01" in files

    @pytest.mark.parametrize("opens_in_days", [None, 1, -1])
    def test_links_to_a_study_that_opens_later_than_they_were_made_stay(self, opens_in_days: int | None) -> None:
        opens = None if opens_in_days is None else timezone.now() + opens_in_days * DAY
        study = ended(opens_at=opens, closes_at=None)
        volunteers.link(study, email="one@example.org")
        Invitation.objects.update(created_at=timezone.now() - 100 * DAY)
        delete_expired()
        assert Contact.objects.exists()

    def test_they_have_a_time_of_their_own(self) -> None:
        person(ended(40))
        delete_expired()
        assert Contact.objects.exists()


class TestPromise:
    def test_the_consent_text_says_when_and_what(self) -> None:
        study = ended(keeps_texts_days=1)
        assert "deleted 1 day after the study ends" in study.consent_in_full
        assert "deleted 60 days after the study ends" in study.consent_in_full

    @pytest.mark.parametrize(("days", "is_allowed"), [(29, True), (31, False), (None, False)])
    def test_a_promise_is_not_made_longer(self, days: int | None, is_allowed: bool) -> None:
        study = ended()
        study_people.participant(study, 1)
        if is_allowed:
            assert services.update_study(study, {"keeps_texts_days": days}, by="test") == ["keeps_texts_days"]
            return
        with pytest.raises(ValidationError) as refused:
            services.update_study(study, {"keeps_texts_days": days}, by="test")
        assert set(refused.value.message_dict) == {"keeps_texts_days"}

    def test_the_study_page_shows_the_date_before_and_after(self, client: Client) -> None:
        study = ended(10)
        person(study)
        client.force_login(study.owner)
        page = client.get(f"/maintenance/studies/{study.slug}/").content.decode()
        assert 'id="texts-deleted"' in page
        assert "will be deleted on" in page
        Study.objects.update(closes_at=timezone.now() - 31 * DAY)
        delete_expired()
        page = client.get(f"/maintenance/studies/{study.slug}/").content.decode()
        assert "were deleted on" in page
