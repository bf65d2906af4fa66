"""Drafts: the files of a form with errors are saved for their sender, for an hour, and used by the next request."""

import datetime
import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from leaderboard.disclosure import answers_needed
from leaderboard.models import DraftFile, Submission, SubmissionFile, UploadDraft, User
from leaderboard.submissions import drafts, upload_pages, validation
from leaderboard.tasks import delete_drafts
from scoring.models import Benchmark
from tests import factories
from tests.leaderboard.api.test_idempotency import at_once
from tests.notices import notices

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def uploads(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


def missing_one() -> Any:
    return factories.upload(dict(list(factories.perfect().items())[1:]), name="short.jsonl")


def send(client: Client, url: str = "/submit/", **data: Any) -> Any:
    return client.post(url, factories.form_data() | data)


def address(draft: UploadDraft, more: str = "") -> str:
    return f"/submit/drafts/{draft.pk}/{more}"


def stored(uploads: Path) -> list[Path]:
    return [path for path in uploads.rglob("drafts/*") if path.is_file()]


def test_missing_answers_are_confirmed_without_the_file(
    client: Client, made: Benchmark, ada: User, uploads: Path
) -> None:
    raw = missing_one().read()
    page = send(client, openbook=missing_one())
    draft = UploadDraft.objects.get()
    assert page.status_code == 422
    assert f'action="{address(draft)}?benchmark={made.slug}"' in page.content.decode()
    assert [report.n_answered for report in page.context["file_reports"]] == [3]
    assert answers_needed().capitalize() in page.content.decode()
    confirmed = send(client, address(draft), confirm_missing="on")
    assert confirmed.status_code == 302
    kept = SubmissionFile.objects.get()
    assert (kept.original.read(), kept.filename) == (raw, "short.jsonl")
    assert not UploadDraft.objects.exists()
    assert stored(uploads) == []


def test_a_wrong_field_loses_no_file_and_a_file_is_replaced_or_removed_alone(
    client: Client, made: Benchmark, ada: User, uploads: Path
) -> None:
    closed, opened = (factories.upload(factories.perfect(right=n), name=f"{n}.jsonl") for n in (1, 2))
    send(client, closedbook=closed, openbook=opened, evidenceprovided=factories.upload(b"nonsense"), name="")
    draft = UploadDraft.objects.get()
    assert draft.files.count() == 3
    assert draft.fields["authors"] == "A. Author"
    again = send(client, address(draft), openbook=factories.upload(factories.perfect(), name="new.jsonl"))
    assert set(again.context["form"].errors) == {"evidenceprovided"}
    assert len(stored(uploads)) == 3
    assert send(client, address(draft), drop="evidenceprovided").status_code == 302
    names = set(SubmissionFile.objects.values_list("setting__slug", "filename"))
    assert names == {("closedbook", "1.jsonl"), ("openbook", "new.jsonl")}


@pytest.mark.parametrize("since", ["now", "an earlier version"])
def test_a_draft_is_shown_again_and_can_be_discarded(
    client: Client, made: Benchmark, ada: User, uploads: Path, since: str
) -> None:
    """Also by the links and buttons of a page that was opened before drafts had addresses."""
    send(client, openbook=missing_one(), name="Half done")
    draft = UploadDraft.objects.get()
    assert address(draft) in client.get("/submit/").content.decode()
    old = since == "an earlier version"
    page = client.get("/submit/", {"draft": str(draft.pk)}) if old else client.get(address(draft))
    assert page.context["form"]["name"].value() == "Half done"
    assert "short.jsonl" in page.content.decode()
    assert address(draft, "discard/") in page.content.decode()
    fields = {"draft": str(draft.pk), "discard": "1"} if old else {}
    discarded = send(client, "/submit/" if old else address(draft, "discard/"), **fields)
    assert discarded["Location"] == f"/submit/?benchmark={made.slug}"
    assert not UploadDraft.objects.exists()
    assert stored(uploads) == []


def test_filling_the_fields_keeps_the_files_and_submits_nothing(client: Client, made: Benchmark, ada: User) -> None:
    pasted = {"statement": '{"name": "Pasted"}', "name": "", "openbook": missing_one()}
    for url, more in (("/submit/fill/", {}), ("/submit/", {"fill": "1"})):  # the second one as earlier versions
        page = send(client, url, **pasted, **more)
        draft = UploadDraft.objects.latest("updated_at")
        assert page.context["form"]["name"].value() == "Pasted"
        assert page.context["draft"] == draft
        assert [file.filename for file in page.context["draft_files"]] == ["short.jsonl"]
        again = send(client, url, draft=str(draft.pk), statement='{"name": "Other"}', **more)
        assert (again.context["draft"], again.context["form"]["name"].value()) == (draft, "Other")
    assert not Submission.objects.exists()


def test_a_form_that_is_sent_again_leads_to_its_submission(
    client: Client, made: Benchmark, ada: User, uploads: Path
) -> None:
    send(client, openbook=missing_one())
    confirmed = {"url": address(UploadDraft.objects.get()), "confirm_missing": "on"}
    addresses = {send(client, **confirmed)["Location"] for _ in range(3)}
    assert addresses == {Submission.objects.get().get_absolute_url()}
    other = send(client, **confirmed, name="Another", openbook=factories.upload(factories.perfect()))
    assert other.status_code == 422
    assert validation.SENT in other.context["form"].non_field_errors()
    assert send(client, address(UploadDraft.objects.get()), name="Another").status_code == 302
    assert Submission.objects.count() == 2


def test_a_draft_that_was_discarded_meanwhile_is_saved_anew(
    client: Client, made: Benchmark, ada: User, uploads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(client, openbook=missing_one())
    first = UploadDraft.objects.get()

    def meanwhile(*arguments: Any, **options: Any) -> object:
        drafts.discard(UploadDraft.objects.get())
        return validation.submit(*arguments, **options)

    monkeypatch.setattr(upload_pages, "submit_form", meanwhile)
    assert send(client, address(first)).status_code == 422
    assert UploadDraft.objects.get().pk != first.pk
    assert [path.read_bytes() for path in stored(uploads)] == [missing_one().read()]


@pytest.mark.postgres
@pytest.mark.parametrize("attempt", range(3))
def test_a_form_that_is_sent_several_times_at_once_is_submitted_once(
    made: Benchmark, ada: User, uploads: Path, client: Client, attempt: int
) -> None:
    send(client, openbook=missing_one())
    draft = address(UploadDraft.objects.get())

    def correct() -> Any:
        browser = Client()
        browser.force_login(ada)
        return send(browser, draft, openbook=factories.upload(factories.perfect()))

    answers = at_once([correct] * 4)
    assert {answer["Location"] for answer in answers} == {Submission.objects.get().get_absolute_url()}
    assert not UploadDraft.objects.exists()
    assert len([path for path in uploads.rglob("*") if path.is_file()]) == 1


@pytest.mark.postgres
def test_of_two_contents_at_once_one_is_submitted_and_the_other_saved(
    made: Benchmark, ada: User, uploads: Path, client: Client
) -> None:
    send(client, openbook=missing_one())
    draft = UploadDraft.objects.get()

    def correct(name: str) -> Any:
        browser = Client()
        browser.force_login(ada)
        return send(browser, address(draft), confirm_missing="on", name=name)

    answers = at_once([lambda: correct("One"), lambda: correct("Another")])
    assert sorted(answer.status_code for answer in answers) == [302, 422]
    refused = next(answer for answer in answers if answer.status_code == 422)
    assert validation.SENT in refused.context["form"].non_field_errors()
    assert Submission.objects.count() == 1
    assert UploadDraft.objects.get() != draft


def test_nobody_else_can_use_a_draft(client: Client, made: Benchmark, ada: User) -> None:
    send(client, openbook=missing_one())
    draft = UploadDraft.objects.get()
    client.force_login(factories.user("eve", is_staff=True, is_superuser=True))
    shown = client.get(address(draft), follow=True)
    assert (shown.redirect_chain, drafts.GONE in notices(shown)[0]) == ([("/submit/", 302)], True)
    assert "short.jsonl" not in shown.content.decode()
    assert client.post(address(draft, "discard/")).status_code == 302
    assert UploadDraft.objects.filter(pk=draft.pk).exists()
    response = send(client, address(draft), confirm_missing="on", openbook=factories.upload(factories.perfect()))
    assert drafts.GONE in response.context["form"].non_field_errors()
    page = client.get(f"/admin/leaderboard/draftfile/{DraftFile.objects.filter(draft=draft).get().pk}/change/")
    assert "short.jsonl" not in page.content.decode()
    assert not Submission.objects.exists()


def test_a_newer_version_is_confirmed_without_the_file(client: Client, made: Benchmark, ada: User) -> None:
    sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    path = f"/submissions/{sent.pk}/files/openbook/replace/"
    assert client.post(path, {"openbook": missing_one()}).status_code == 422
    draft = UploadDraft.objects.get()
    assert send(client, address(draft), confirm_missing="on").status_code == 422  # a draft is for one form
    assert client.post(path, {"draft": str(draft.pk), "confirm_missing": "on"}).status_code == 302
    assert sent.files.get(version=2).filename == "short.jsonl"


def test_drafts_are_few_and_expire(client: Client, made: Benchmark, ada: User, uploads: Path) -> None:
    for _ in range(drafts.MAX_DRAFTS + 2):
        send(client, openbook=missing_one())
    assert UploadDraft.objects.count() == len(stored(uploads)) == drafts.MAX_DRAFTS
    stray = uploads / "drafts" / "stray.upload"
    fresh = uploads / "drafts" / "fresh.upload"
    for path in (stray, fresh):
        path.write_bytes(b"left by a killed process")
    old = timezone.now() - drafts.EXPIRY - datetime.timedelta(minutes=1)
    os.utime(stray, (old.timestamp(), old.timestamp()))
    first = UploadDraft.objects.first()
    assert first is not None
    UploadDraft.objects.filter(pk=first.pk).update(updated_at=old)
    expired = send(client, address(first), confirm_missing="on")
    assert drafts.GONE in expired.context["form"].non_field_errors()
    delete_drafts()
    assert not UploadDraft.objects.filter(pk=first.pk).exists()
    assert len(stored(uploads)) == DraftFile.objects.count() + 1
    assert fresh.exists()
    assert not stray.exists()


class KilledError(BaseException):
    """As if the process had ended: nothing of the site catches it."""


def killed(*arguments: Any, **options: Any) -> None:
    raise KilledError


def an_hour_later(uploads: Path) -> None:
    UploadDraft.objects.update(updated_at=timezone.now() - datetime.timedelta(minutes=61))
    for path in stored(uploads):
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 3700))


def test_killed_while_a_draft_is_stored_leaves_no_file_for_ever(
    client: Client, made: Benchmark, ada: User, uploads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(DraftFile, "save", killed)  # the file is on the disk, its row is not
        with pytest.raises(KilledError):
            send(client, openbook=missing_one())
    assert (UploadDraft.objects.count(), len(stored(uploads))) == (0, 1)
    delete_drafts()
    assert len(stored(uploads)) == 1, "a request that is still running may have written it"
    an_hour_later(uploads)
    delete_drafts()
    assert stored(uploads) == []


def test_killed_between_a_draft_and_its_submission_loses_nothing(
    client: Client, made: Benchmark, ada: User, uploads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = missing_one().read()
    send(client, openbook=missing_one())
    draft = UploadDraft.objects.get()
    confirmed = {"url": address(draft), "confirm_missing": "on"}
    with monkeypatch.context() as patch:
        patch.setattr(SubmissionFile, "save", killed)
        with pytest.raises(KilledError):
            send(client, **confirmed)
    assert Submission.objects.count() == 0
    assert [path.read_bytes() for path in stored(uploads)] == [raw]
    assert str(draft.pk) in client.get("/submit/").content.decode(), "the form offers what was saved"
    assert send(client, **confirmed).status_code == 302
    assert SubmissionFile.objects.get().original.read() == raw
    assert (UploadDraft.objects.count(), stored(uploads)) == (0, [])


def test_killed_after_the_submission_leaves_a_draft_that_expires(
    client: Client, made: Benchmark, ada: User, uploads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(client, openbook=missing_one())
    draft = UploadDraft.objects.get()
    with monkeypatch.context() as patch:
        patch.setattr(drafts, "discard", killed)
        with pytest.raises(KilledError):
            send(client, address(draft), confirm_missing="on")
    assert Submission.objects.count() == 1
    assert len(stored(uploads)) == 1
    an_hour_later(uploads)
    delete_drafts()
    assert (UploadDraft.objects.count(), stored(uploads)) == (0, [])
    original = SubmissionFile.objects.get().original
    assert original.storage.exists(str(original.name)), "the submission has its own copy"


@pytest.mark.parametrize("kind", ["new", "with an error", "newer version"])
def test_an_account_that_is_disabled_during_an_upload_stores_nothing(
    made: Benchmark, ada: User, client: Client, uploads: Path, monkeypatch: Any, kind: str
) -> None:
    sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    before, real = stored(uploads), validation.check

    def slow(*args: Any) -> Any:
        checked = real(*args)
        User.objects.filter(pk=ada.pk).update(is_active=False)
        return checked

    monkeypatch.setattr("leaderboard.submissions.validation.check", slow)
    newer = factories.upload(factories.perfect() | {"dev-0": "another answer"})
    if kind == "newer version":
        answer = client.post(f"/submissions/{sent.pk}/files/openbook/replace/", {"openbook": newer})
    else:
        answer = send(client, openbook=newer if kind == "new" else missing_one())
    assert answer.status_code == 403
    assert (Submission.objects.count(), sent.files.count(), UploadDraft.objects.count()) == (1, 1, 0)
    assert stored(uploads) == before
