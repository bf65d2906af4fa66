"""Large uploads: received at once, checked by a worker, and then a submission or problems for their sender alone."""

import datetime
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from leaderboard.accounts import tokens
from leaderboard.models import IdempotentRequest, ReceivedUpload, Submission, SubmissionFile, UploadDraft, User
from leaderboard.submissions import checking, quotas
from leaderboard.submissions.forms import FilesForm
from leaderboard.tasks import check_upload, check_uploads, delete_drafts
from scoring.models import Benchmark, Run
from scoring.runs import answer_sets
from scoring.workers import broker
from scoring.workers.locks import only_one
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/v1/submissions/"


@pytest.fixture(autouse=True)
def uploads(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = tmp_path
    settings.CHECK_LATER_BYTES = 10
    return tmp_path


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Every message that is sent, with its arguments."""
    sent: list[tuple[str, ...]] = []

    def send(task: str, *args: str, queue: str, expires: float | None = None) -> bool:
        sent.append((task, queue, *args))
        return True

    monkeypatch.setattr(broker, "send", send)
    return sent


@pytest.fixture
def by_token(ada: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.create_token(user=ada, name='a script')[1]}"}


def files(uploads: Path, folder: str = "received") -> list[Path]:
    return [path for path in uploads.rglob(f"{folder}/*") if path.is_file()]


def form(split: str = "dev", **fields: Any) -> dict[str, Any]:
    return factories.form_data(split, openbook=factories.upload(factories.perfect(split))) | fields


def two_problems() -> Any:
    """A file with an unknown id and a line that is no JSON, and without three answers."""
    return factories.upload(factories.generations({"dev-0": "x", "nowhere": "y"}) + b"{oops\n" + b" " * 200)


def all_but_one() -> Any:
    return factories.upload(dict(list(factories.perfect().items())[1:]))


def test_a_large_upload_is_received_and_then_a_submission_of_that_time(
    client: Client, made: Benchmark, ada: User, uploads: Path, messages: list[tuple[str, ...]]
) -> None:
    raw = factories.upload(factories.perfect()).read()
    response = client.post("/submit/", form())
    received = ReceivedUpload.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"/submissions/{received.pk}/"
    assert (Submission.objects.count(), Run.objects.count()) == (0, 0)
    assert [file.read_bytes() for file in files(uploads)] == [raw]
    assert ("leaderboard.tasks.check_upload", "cpu", str(received.pk)) in messages
    page = client.get(response["Location"])
    assert f'hx-get="/submissions/{received.pk}/check/"' in page.content.decode()
    assert 'id="received"' in client.get("/submissions/").content.decode()
    check_upload(str(received.pk))
    sent = Submission.objects.get()
    assert (sent.pk, sent.created_at, sent.owner) == (received.pk, received.received_at, ada)
    kept = sent.files.get()
    assert (kept.original.read(), kept.sent_at, kept.imported) == (raw, received.received_at, False)
    assert Run.objects.filter(answer_set=kept.answer_set).exists()
    assert not ReceivedUpload.objects.exists()
    assert files(uploads) == []
    over = client.get(f"/submissions/{received.pk}/check/")
    assert over.headers["HX-Refresh"] == "true"
    assert 'id="scores"' in client.get(response["Location"]).content.decode()
    check_upload(str(received.pk))  # a second message
    assert Submission.objects.count() == 1


def test_every_problem_is_shown_with_the_form_as_it_was_filled(
    client: Client, made: Benchmark, ada: User, uploads: Path
) -> None:
    client.post("/submit/", form(openbook=two_problems(), closedbook=all_but_one(), name="Mine"))
    received = ReceivedUpload.objects.get()
    check_upload(str(received.pk))
    assert not Submission.objects.exists()
    assert files(uploads) == []
    page = client.get(f"/submissions/{received.pk}/")
    received.refresh_from_db()
    codes = {group["code"] for report in received.reports for group in report["groups"]}
    assert {"unknown-id", "broken-json", "missing-answer"} <= codes
    assert {"openbook", "confirm_missing"} == received.errors.keys()
    text = page.content.decode()
    assert all(message.split(":")[0] in text for texts in received.errors.values() for message in texts)
    assert "hx-get" not in text.partition('id="content"')[2]
    assert len([report for report in received.reports if f'id="report-{report["setting_slug"]}"' in text]) == 2
    draft = UploadDraft.objects.get()
    assert f'href="/submit/drafts/{draft.pk}/?benchmark={made.slug}"' in text
    shown = client.get(f"/submit/drafts/{draft.pk}/").context["form"]
    assert shown["name"].value() == "Mine"
    assert set(shown.errors) == {"openbook", "confirm_missing"}
    good = factories.upload(factories.perfect())
    client.post(f"/submit/drafts/{draft.pk}/", form(openbook=good, confirm_missing="on"))
    check_upload(str(ReceivedUpload.objects.get(checked_at=None).pk))
    assert {file.setting.slug for file in Submission.objects.get().files.all()} == {"openbook", "closedbook"}


def test_the_api_answers_202_and_then_as_today(
    client: Client, made: Benchmark, by_token: dict[str, str], uploads: Path
) -> None:
    response = client.post(API, form(), headers=by_token)
    body = response.json()
    assert (response.status_code, body["state"], body["finished"], body["files"]) == (202, "being_checked", False, [])
    assert response.headers["Location"].endswith(f"{API}{body['id']}/")
    assert body["check"] == {"done": 0, "total": files(uploads)[0].stat().st_size, "problem": None}
    assert client.get(response.headers["Location"], headers=by_token).json() == body
    check_upload(body["id"])
    after = client.get(response.headers["Location"], headers=by_token).json()
    assert (after["id"], after["state"], after["check"]) == (body["id"], "waiting", None)
    assert [file["setting"] for file in after["files"]] == ["openbook"]


def test_the_api_keeps_the_problem_document_that_a_small_upload_is_refused_with(
    client: Client, made: Benchmark, by_token: dict[str, str], settings: Settings
) -> None:
    big = client.post(API, form(openbook=two_problems()), headers=by_token).json()
    check_upload(big["id"])
    body = client.get(f"{API}{big['id']}/", headers=by_token).json()
    settings.CHECK_LATER_BYTES = 2**20
    refused = client.post(API, form(openbook=two_problems()), headers=by_token)
    assert refused.status_code == 422
    assert (body["state"], body["finished"]) == ("invalid", True)
    assert body["check"]["problem"] == refused.json()
    assert not UploadDraft.objects.exists()


@pytest.mark.parametrize("field", ["name", "type", "surprise"])
def test_a_wrong_field_is_refused_at_once_and_no_file_is_read(
    client: Client, made: Benchmark, by_token: dict[str, str], field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.submissions.forms.check_file", None)
    wrong = client.post(API, form() | {field: "" if field != "surprise" else "x"}, headers=by_token)
    assert wrong.status_code == 422
    assert field in wrong.json()["errors"]
    assert not ReceivedUpload.objects.exists()


def test_small_uploads_and_logs_are_checked_within_the_request(
    client: Client, made: Benchmark, by_token: dict[str, str], settings: Settings
) -> None:
    log = factories.upload(b'{"eval": {"task": "x"}, "samples": []}' + b" " * 200, name="log.json")
    assert client.post(API, form(openbook=log), headers=by_token).status_code == 422
    size = len(factories.generations(factories.perfect()))
    settings.CHECK_LATER_BYTES = size
    assert client.post(API, form(), headers=by_token).status_code == 201
    settings.CHECK_LATER_BYTES = size - 1
    assert client.post(API, form(name="Other"), headers=by_token).status_code == 202


def test_only_its_sender_sees_it(client: Client, made: Benchmark, ada: User) -> None:
    client.post("/submit/", form(openbook=two_problems()))
    received = ReceivedUpload.objects.get()
    pages = [f"/submissions/{received.pk}/", f"/submissions/{received.pk}/check/", f"{API}{received.pk}/"]
    assert [client.get(page).status_code for page in pages] == [200, 200, 200]
    for other in (factories.user("bob"), factories.maintainer()):
        stranger = Client()
        stranger.force_login(other)
        assert [stranger.get(page).status_code for page in pages] == [404, 404, 404]
        assert "received" not in stranger.get("/submissions/").content.decode()
    assert [Client().get(page).status_code for page in pages] == [302, 302, 401]


def test_a_repeated_request_leads_to_the_first_upload_before_and_after_its_check(
    client: Client, made: Benchmark, by_token: dict[str, str]
) -> None:
    headers = by_token | {"Idempotency-Key": "once"}
    first, again = (client.post(API, form(), headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["id"] == again.json()["id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    other = client.post(API, form(name="Other"), headers=headers)
    assert (other.status_code, ReceivedUpload.objects.count()) == (422, 1)
    check_upload(first.json()["id"])
    after = client.post(API, form(), headers=headers)
    assert (after.status_code, after.json()["id"]) == (200, first.json()["id"])


def test_the_key_of_an_invalid_upload_is_free_again(client: Client, made: Benchmark, by_token: dict[str, str]) -> None:
    headers = by_token | {"Idempotency-Key": "once"}
    first = client.post(API, form(openbook=two_problems()), headers=headers).json()
    check_upload(first["id"])
    assert not IdempotentRequest.objects.exists()
    again = client.post(API, form(openbook=two_problems()), headers=headers)
    assert again.status_code == 202
    assert again.json()["id"] != first["id"]


def test_quotas_count_what_is_being_checked_and_judge_it_when_it_is_received(
    client: Client, made: Benchmark, ada: User, by_token: dict[str, str], settings: Settings
) -> None:
    settings.SUBMISSIONS_PER_WEEK = {"": 1}
    settings.HIDDEN_FILES = (1, None, None)
    first = client.post(API, form("test"), headers=by_token)
    assert first.status_code == 202
    split = factories.split(made, "test")
    used = [(quota.unit, quota.used, quota.left) for quota in quotas.active_limits(ada, split)]
    assert used == [("submission", 1, 0), ("file", 1, 0)]
    refused = client.post(API, form("test", name="Other"), headers=by_token)
    assert refused.status_code == 429
    settings.SUBMISSIONS_PER_WEEK = {"": 0}  # of the time of receipt it was allowed
    check_upload(first.json()["id"])
    assert Submission.objects.count() == 1
    assert quotas.active_limits(ada, split)[1].used == 1


def test_an_invalid_upload_does_not_count(
    client: Client, made: Benchmark, ada: User, by_token: dict[str, str], settings: Settings
) -> None:
    body = client.post(API, form(openbook=two_problems()), headers=by_token).json()
    settings.SUBMISSIONS_PER_WEEK = {"": 5}
    assert quotas.quotas_of(ada, made)[0].used == 1
    check_upload(body["id"])
    assert quotas.quotas_of(ada, made)[0].used == 0


def test_a_lost_message_is_sent_again_after_a_while_and_none_before(
    client: Client, made: Benchmark, ada: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "send", lambda *args, **options: False)  # the broker is down
    response = client.post("/submit/", form())
    assert response.status_code == 302
    sent: list[str] = []

    def send(task: str, pk: str, **options: object) -> bool:
        sent.append(pk)
        return True

    monkeypatch.setattr(broker, "send", send)
    check_uploads()
    assert sent == []
    settings.RUN_LEASE_SECONDS = 0
    check_uploads()
    check_upload(*sent)
    assert Submission.objects.count() == 1
    check_uploads()
    assert len(sent) == 1


def test_a_check_that_dies_begins_again_and_gives_up_in_the_end(
    client: Client, made: Benchmark, ada: User, uploads: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RUN_MAX_ATTEMPTS = 2
    client.post("/submit/", form())
    pk = str(ReceivedUpload.objects.get().pk)

    def dies(*args: Any, **options: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(FilesForm, "read", dies)
        for _ in range(2):
            with pytest.raises(MemoryError):
                check_upload(pk)
    assert len(files(uploads)) == 1
    check_upload(pk)
    received = ReceivedUpload.objects.get()
    assert received.errors["__all__"]
    assert (received.attempts, Submission.objects.count()) == (2, 0)
    assert len(files(uploads, "drafts")) == 1, "its sender need not choose the file again"


def test_a_failure_while_it_is_stored_loses_nothing(
    client: Client, made: Benchmark, ada: User, uploads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/submit/", form())
    pk = str(ReceivedUpload.objects.get().pk)
    with monkeypatch.context() as patched:
        patched.setattr(answer_sets, "ensure_runs", lambda *sets: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            check_upload(pk)
    assert (len(files(uploads)), len(files(uploads, f"submissions/{pk}"))) == (1, 0)
    check_upload(pk)
    assert SubmissionFile.objects.count() == 1


def test_one_worker_checks_it_at_a_time(client: Client, made: Benchmark, ada: User) -> None:
    client.post("/submit/", form())
    received = ReceivedUpload.objects.get()
    with only_one(f"check {received.pk}") as is_mine:
        assert is_mine
        check_upload(str(received.pk))
    assert not Submission.objects.exists()
    check_upload(str(received.pk))
    assert Submission.objects.exists()


def test_its_progress_is_what_was_read(
    client: Client, made: Benchmark, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRESS_SECONDS", 0.0)
    client.post("/submit/", form())
    received = ReceivedUpload.objects.get()
    seen: list[str] = []
    check = FilesForm.read

    def read(form: FilesForm, **options: Any) -> Any:
        upload = check(form, **options)
        seen.append(client.get(f"/submissions/{received.pk}/check/").content.decode())
        return upload

    monkeypatch.setattr(FilesForm, "read", read)
    check_upload(str(received.pk))
    assert 'value="100"' in seen[0]


def test_old_problems_and_stray_files_are_deleted_but_no_waiting_upload(
    client: Client, made: Benchmark, ada: User, uploads: Path
) -> None:
    client.post("/submit/", form(openbook=two_problems()))
    check_upload(str(ReceivedUpload.objects.get().pk))
    client.post("/submit/", form(name="Other"))
    (uploads / "received" / "stray.upload").write_bytes(b"x")
    for file in files(uploads):
        os.utime(file, (0, 0))
    delete_drafts()
    assert (ReceivedUpload.objects.count(), len(files(uploads))) == (2, 1)
    long_ago = timezone.now() - datetime.timedelta(days=8)
    ReceivedUpload.objects.update(received_at=long_ago)
    ReceivedUpload.objects.exclude(checked_at=None).update(checked_at=long_ago)
    delete_drafts()
    assert (ReceivedUpload.objects.get().name, len(files(uploads))) == ("Other", 1)
