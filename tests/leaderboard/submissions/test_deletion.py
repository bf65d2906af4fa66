"""A maintainer deletes a submission for good: all of it goes, a record stays, and nobody else can."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from leaderboard.models import AuditRecord, Entry, Event, Submission, SubmissionFile
from leaderboard.submissions.deletion import delete_submission
from scoring.models import AnswerBlock, AnswerSet, Run, Score
from tests import factories

pytestmark = pytest.mark.django_db


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def two_submissions() -> tuple[Submission, Submission]:
    made = factories.benchmark()
    ada = factories.user()
    sent = factories.published(
        ada, factories.split(made, "dev"), {"openbook": factories.perfect(), "closedbook": factories.perfect()}
    )
    other = factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="Other")
    return sent, other


def test_all_of_it_goes_and_a_record_stays(uploads: Path, django_capture_on_commit_callbacks: Any) -> None:
    sent, other = two_submissions()
    hashes = [file.sha256 for file in sent.files.all()]
    with django_capture_on_commit_callbacks(execute=True):
        record = delete_submission(sent, actor=factories.maintainer(), reason="Sent by mistake.")
    assert list(Submission.objects.all()) == [other]
    for model, count in ((SubmissionFile, 1), (AnswerSet, 1), (Entry, 1)):
        assert model._base_manager.count() == count, model
    assert AnswerBlock.objects.count() == 1
    assert not Run.objects.exclude(answer_set__submission_file__submission=other).exists()
    assert not Score.objects.exclude(run__answer_set__submission_file__submission=other).exists()
    assert not Event.objects.exclude(submission=other).exists()
    assert [path.name for path in files_in(uploads)] == ["openbook.upload"]
    assert (record.action, record.actor_name, record.target) == ("submission.deleted", "grace", f"submission {sent.pk}")
    assert "Sent by mistake." in record.text
    assert all(one[:16] in record.text for one in hashes)


def test_in_the_administration(client: Client, django_capture_on_commit_callbacks: Any) -> None:
    sent, other = two_submissions()
    maintainer = factories.maintainer()
    client.force_login(maintainer)
    address = f"/admin/leaderboard/submission/{sent.pk}/delete/"
    page = client.get(address).content.decode()
    assert re.search(r" 2 files, [^<]* 2 leaderboard rows", page)
    assert Submission.objects.count() == 2, "asking deletes nothing"
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address, {"post": "yes"}).status_code == 302
    assert list(Submission.objects.all()) == [other]
    chosen = {"action": "delete_selected", "_selected_action": [str(other.pk)], "post": "yes"}
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post("/admin/leaderboard/submission/", chosen).status_code == 302
    assert not Submission.objects.exists()
    assert AuditRecord.objects.filter(action="submission.deleted", actor=maintainer).count() == 2


@pytest.mark.parametrize("codename", ["view_submission", "change_submission"])
def test_it_needs_the_right_to(client: Client, codename: str) -> None:
    sent, _ = two_submissions()
    clerk = factories.user("clerk", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename=codename))
    client.force_login(clerk)
    assert client.post(f"/admin/leaderboard/submission/{sent.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Submission.objects.count() == 2
    clerk.user_permissions.add(Permission.objects.get(codename="delete_submission"))
    assert client.post(f"/admin/leaderboard/submission/{sent.pk}/delete/", {"post": "yes"}).status_code == 302
    assert Submission.objects.count() == 1
