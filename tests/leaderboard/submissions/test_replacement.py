"""Newer versions of files: what is kept, what the board shows meanwhile, and what else is about the current version."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.maintenance import rescoring
from leaderboard.models import Entry, Membership, Publication, PublicationState, Submission, SubmissionFile, User
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import queries, services
from leaderboard.submissions.forms import NO_FILE, SEVERAL_FILES
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.storage import REPLACED, WITHDRAWN
from leaderboard.tasks import send_notices
from scoring.models import Benchmark, Run, Score
from scoring.models.run_states import RunState
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(made: Benchmark, ada: User) -> Submission:
    """Scored, with two right answers of four."""
    return factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=2)})


def replace(client: Client, sent: Submission, content: Any, **fields: Any) -> Any:
    path = f"/submissions/{sent.pk}/files/openbook/replace/"
    return client.post(path, {"openbook": factories.upload(content), **fields})


def strict_of(file: SubmissionFile) -> float:
    return Score.objects.get(run__answer_set=file.answer_set, name="strict").value


class TestByThePage:
    def test_the_new_version_is_scored_and_the_old_is_kept_with_its_scores(
        self, client: Client, sent: Submission, uploads: Path
    ) -> None:
        assert replace(client, sent, factories.perfect())["Location"] == f"/submissions/{sent.pk}/"
        old, new = sent.files.order_by("version")
        assert (old.version, new.version) == (1, 2)
        assert (old.replaced_at is not None, new.replaced_at) == (True, None)
        assert old.sent_at < new.sent_at
        factories.score(sent)
        assert (strict_of(old), strict_of(new)) == (0.5, 1.0)
        assert sorted(path.name for path in uploads.rglob("*") if path.is_file()) == [
            "openbook.2.upload",
            "openbook.upload",
        ]
        page = client.get(sent.get_absolute_url()).content.decode()
        assert "Open book, version 2" in " ".join(page.split())
        assert "1 earlier version" in page
        assert "Received version 2 (open book)." in page
        for version, raw in (("", factories.perfect()), ("1", factories.perfect(right=2)), ("2", factories.perfect())):
            download: Any = client.get(f"/submissions/{sent.pk}/files/openbook/", {"version": version})
            assert b"".join(download.streaming_content) == factories.generations(raw)
        for version in ("3", "0", "x", "9" * 30, "²"):
            assert client.get(f"/submissions/{sent.pk}/files/openbook/", {"version": version}).status_code == 404

    def test_every_problem_is_told_and_nothing_is_changed(self, client: Client, sent: Submission) -> None:
        response = replace(client, sent, b'{"id": "dev-0", "answer": 7}\nnot json\n')
        assert response.status_code == 422
        page = response.content.decode()
        assert "Nothing was changed." in page
        assert "line 2" in page.lower()
        assert sent.files.count() == 1

    def test_missing_answers_are_confirmed(self, client: Client, sent: Submission) -> None:
        response = replace(client, sent, {"dev-0": "Oslo"})
        assert response.status_code == 422
        assert "3 of 4 questions " in response.content.decode()
        assert replace(client, sent, {"dev-0": "Oslo"}, confirm_missing="on").status_code == 302
        assert sent.files.get(replaced_at=None).n_answered == 1

    def test_no_file_and_the_same_file(self, client: Client, sent: Submission) -> None:
        empty = client.post(f"/submissions/{sent.pk}/files/openbook/replace/", {})
        assert empty.status_code == 422
        assert NO_FILE in empty.content.decode()
        same = replace(client, sent, factories.perfect(right=2))
        assert same.status_code == 422
        assert "exactly this file" in same.content.decode()
        assert sent.files.count() == 1

    def test_two_files_at_once_are_refused(self, client: Client, sent: Submission) -> None:
        files = [factories.upload(factories.perfect(right=right)) for right in (3, 4)]
        answer = client.post(f"/submissions/{sent.pk}/files/openbook/replace/", {"openbook": files})
        assert answer.status_code == 422
        assert SEVERAL_FILES in answer.context["form"].errors["openbook"]
        assert sent.files.count() == 1

    def test_not_in_a_setting_without_a_file_nor_when_withdrawn(self, client: Client, sent: Submission) -> None:
        assert client.get(f"/submissions/{sent.pk}/files/closedbook/replace/").status_code == 404
        services.withdraw_submission(sent, actor=sent.owner)
        assert client.get(f"/submissions/{sent.pk}/files/openbook/replace/")["Location"] == sent.get_absolute_url()
        response = replace(client, sent, factories.perfect())
        assert response.status_code == 422
        assert WITHDRAWN in response.content.decode()

    def test_an_error_while_keeping_changes_nothing(
        self, client: Client, sent: Submission, uploads: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = sorted(uploads.rglob("*"))

        def full(*args: Any, **kwargs: Any) -> None:
            raise OSError("disk full")

        monkeypatch.setattr("leaderboard.submissions.storage.record_event", full)
        with pytest.raises(OSError, match="disk full"):
            replace(client, sent, factories.perfect())
        file = sent.files.get()
        assert file.replaced_at is None
        assert sorted(uploads.rglob("*")) == before

    def test_the_cost_of_the_page_does_not_grow_with_the_versions(
        self, client: Client, sent: Submission, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        path = f"/submissions/{sent.pk}/progress/"
        for right in (1, 3, 4):
            replace(client, sent, factories.perfect(right=right))
            factories.score(sent)
            with django_assert_num_queries(15):
                client.get(path)


class TestWhatTheBoardShows:
    def row(self) -> Entry:
        return Entry.objects.get(replaced_at=None)

    def test_the_old_version_until_the_new_one_is_published(self, client: Client, sent: Submission) -> None:
        publish_submission(sent, actor=sent.owner)
        old = sent.files.get()
        replace(client, sent, factories.perfect())
        assert self.row().answer_set_id == old.answer_set_id
        page = client.get(sent.get_absolute_url()).content.decode()
        assert "On the board" in page
        factories.score(sent)
        view = submission_view(sent, viewer_id=sent.owner_id)
        assert (view.is_public, view.has_newer, view.can_publish) == (True, True, True)
        assert view.files[0].earlier[0].on_board
        publish_submission(sent, actor=sent.owner)
        assert self.row().answer_set_id == sent.files.get(version=2).answer_set_id
        view = submission_view(sent, viewer_id=sent.owner_id)
        assert (view.has_newer, view.files[0].on_board, view.files[0].earlier[0].on_board) == (False, True, False)
        assert Entry.objects.count() == 2  # the old row is kept

    def test_an_old_version_on_the_board_is_still_scored_anew_and_another_is_not(
        self, client: Client, sent: Submission
    ) -> None:
        publish_submission(sent, actor=sent.owner)
        old = sent.files.get()
        Run.objects.filter(answer_set=old.answer_set, metric="rouge").update(state=RunState.WAITING)
        replace(client, sent, factories.perfect(right=3))
        assert Run.objects.get(answer_set=old.answer_set, metric="rouge").state == RunState.WAITING
        between = sent.files.get(replaced_at=None)
        replace(client, sent, factories.perfect())
        stopped = Run.objects.filter(answer_set=between.answer_set)
        assert {(run.state, run.reason) for run in stopped} == {(RunState.CANCELLED, REPLACED)}
        new = sent.files.get(replaced_at=None)
        assert set(rescoring.answer_sets_of(sent.split)) == {old.answer_set, new.answer_set}

    def test_a_wish_that_waits_for_a_maintainer_was_for_other_files(self, client: Client, sent: Submission) -> None:
        wish = Publication.objects.create(submission=sent, requested_by=sent.owner)
        replace(client, sent, factories.perfect())
        wish.refresh_from_db()
        assert wish.state == PublicationState.TAKEN_BACK


class TestWhatElseIsAboutTheCurrentVersion:
    def test_its_state_and_retrying(self, client: Client, sent: Submission) -> None:
        Run.objects.filter(metric="rouge").update(state=RunState.FAILED, reason="The disk was full.")
        replace(client, sent, factories.perfect())
        assert queries.submission_rows(Submission.objects.all())[0].state == "waiting"
        factories.score(sent)
        view = submission_view(sent, viewer_id=sent.owner_id)
        assert (view.state, view.can_retry) == ("done", False)
        with pytest.raises(SubmissionError, match="nothing to retry"):
            services.retry_failed_runs(sent, actor=sent.owner)

    def test_whoever_sent_it_gets_the_mail_while_in_the_team(self, made: Benchmark, ada: User, client: Client) -> None:
        bob = factories.user("bob")
        team = factories.team(ada, bob)
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=1)}, team=team)
        send_notices()
        client.force_login(bob)
        for right in (2, 3):
            assert replace(client, sent, factories.perfect(right=right)).status_code == 302
            factories.score(sent)
            if right == 3:
                Membership.objects.filter(user=bob).delete()
            send_notices()
        assert [message.to for message in mail.outbox] == [
            ["ada@example.org"],
            ["bob@example.org"],
            ["ada@example.org"],
        ]
        assert "for the team Night shift" in mail.outbox[1].body


class TestByTheApi:
    def test_several_at_once_and_the_same_again(
        self, client: Client, made: Benchmark, ada: User, sent: Submission
    ) -> None:
        headers = factories.token_of(ada)
        path = f"/api/v1/submissions/{sent.pk}/replace/"

        def post(**files: Any) -> Any:
            return client.post(path, {name: factories.upload(file) for name, file in files.items()}, headers=headers)

        body = post(openbook=factories.perfect()).json()
        assert (body["files"][0]["version"], body["state"]) == (2, "waiting")
        (earlier,) = body["files"][0]["earlier"]
        assert (earlier["version"], earlier["on_board"]) == (1, False)
        assert {score["name"]: score["value"] for score in earlier["scores"]}["strict"] == 0.5
        again = post(openbook=factories.perfect())
        assert (again.status_code, again.json()["files"][0]["version"]) == (200, 2)
        bad = post(openbook=b"{}")
        assert (bad.status_code, bad["Content-Type"]) == (422, "application/problem+json")
        assert bad.json()["files"][0]["groups"]
        services.withdraw_submission(sent, actor=ada)
        assert post(openbook=factories.perfect(right=1)).status_code == 409


def test_the_log_tells_what_became_of_each_metric_and_who_of_a_team_did_what(made: Benchmark, ada: User) -> None:
    bob = factories.user("bob")
    team = factories.team(ada, bob)
    sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, team=team)
    Run.objects.filter(metric="rouge").update(
        state=RunState.FAILED, reason="The disk was full.", finished_at=sent.created_at
    )
    services.retry_failed_runs(sent, actor=bob)
    factories.score(sent)
    services.withdraw_submission(sent, actor=factories.maintainer())
    log = [text for _, text in submission_view(sent, viewer_id=ada.pk).events]
    assert re.fullmatch(r"\D* 1 file \(.*\)\. \(ada\)", log[0])
    assert (log[1].split()[0], log[1].split()[-1]) == ("1", "(bob)")
    assert set(log[2:4]) == {f"Open book, {label}: done." for label in ("String accuracy", "ROUGE")}
    assert "Withdrawn." in log[4:]
    assert not any("grace" in text for text in log)


def test_a_withdrawal_is_asked_about_once_and_needs_a_second_step(client: Client, sent: Submission) -> None:
    page = client.get(sent.get_absolute_url()).content.decode()
    asked, _, form = page.partition('id="withdraw-ask"')
    assert f'action="/submissions/{sent.pk}/withdraw/"' not in asked
    assert f'action="/submissions/{sent.pk}/withdraw/"' in form
    assert "snapshots" in form.partition("</details>")[0]
    client.post(f"/submissions/{sent.pk}/withdraw/")
    page = client.get(sent.get_absolute_url()).content.decode()
    assert 'id="withdraw"' not in page
    assert "/replace/" not in page
