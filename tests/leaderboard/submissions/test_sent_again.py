"""Forms that are sent again, or while an account is disabled."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Submission, SubmissionFile, User
from leaderboard.submissions import intake, upload_views
from scoring.models import Benchmark
from tests import factories
from tests.leaderboard.api.test_idempotency import at_once

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


def stored(uploads: Path) -> list[Path]:
    return [path for path in uploads.rglob("*") if path.is_file()]


def send(client: Client, key: str = KEY, **data: Any) -> Any:
    file = {"openbook": factories.upload(factories.perfect())}
    return client.post("/submit/", factories.form_data(idempotency_key=key) | file | data)


def killed(*arguments: Any, **options: Any) -> None:
    """As if the process had ended: nothing of the site catches it."""
    raise KeyboardInterrupt


class TestOneAfterTheOther:
    def test_each_form_that_is_shown_has_a_key_of_its_own(self, client: Client, made: Benchmark, ada: User) -> None:
        keys = {str(client.get("/submit/").context["form"]["idempotency_key"].value()) for _ in range(3)}
        assert len(keys) == 3
        page = client.get("/submit/")
        key = page.context["form"]["idempotency_key"].value()
        assert f'name="idempotency_key" value="{key}"' in page.content.decode()
        refused = send(client, str(key), name="")
        assert refused.context["form"]["idempotency_key"].value() == str(key)

    def test_the_same_form_leads_to_its_submission(self, client: Client, made: Benchmark, ada: User) -> None:
        locations = {send(client)["Location"] for _ in range(3)}
        assert locations == {Submission.objects.get().get_absolute_url()}

    def test_a_refused_form_may_be_corrected(self, client: Client, made: Benchmark, ada: User) -> None:
        assert send(client, name="").status_code == 422
        assert send(client).status_code == 302
        assert Submission.objects.count() == 1

    def test_another_content_is_refused_once_and_then_becomes_a_second_submission(
        self, client: Client, made: Benchmark, ada: User
    ) -> None:
        send(client)
        other: dict[str, Any] = {"name": "Another", "openbook": factories.upload(factories.perfect(right=1))}
        refused = send(client, **other)
        assert refused.status_code == 422
        assert upload_views.SENT in refused.context["form"].non_field_errors()
        other["openbook"].seek(0)
        assert send(client, refused.context["form"]["idempotency_key"].value(), **other).status_code == 302
        assert Submission.objects.count() == 2

    @pytest.mark.parametrize("key", ["", KEY])
    def test_a_form_without_a_key_or_of_another_account_is_a_new_submission(
        self, client: Client, made: Benchmark, ada: User, key: str
    ) -> None:
        send(client)
        if key:
            client.force_login(factories.user("eve"))
        assert send(client, key, confirm_same="on").status_code == 302
        assert Submission.objects.count() == 2

    def test_killed_while_it_is_stored_and_sent_again(
        self, client: Client, made: Benchmark, ada: User, uploads: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(SubmissionFile, "save", killed)
            with pytest.raises(KeyboardInterrupt):
                send(client)
        assert (Submission.objects.count(), stored(uploads)) == (0, [])
        assert send(client).status_code == 302
        assert SubmissionFile.objects.get().original.read() == factories.generations(factories.perfect())

    def test_a_script_is_told_the_address_of_the_submission(self, client: Client, made: Benchmark, ada: User) -> None:
        client.defaults["HTTP_X_REQUESTED_WITH"] = "fetch"
        response = send(client)
        sent = Submission.objects.get()
        assert (response.status_code, response["Location"]) == (201, sent.get_absolute_url())
        newer = {"openbook": factories.upload(factories.perfect(right=1))}
        response = client.post(f"{sent.get_absolute_url()}files/openbook/replace/", newer)
        assert (response.status_code, response["Location"]) == (201, sent.get_absolute_url())


@pytest.mark.postgres
class TestAtOnce:
    @pytest.mark.parametrize("attempt", range(3))
    def test_the_same_form_several_times_is_one_submission(
        self, made: Benchmark, ada: User, uploads: Path, attempt: int
    ) -> None:
        answers = at_once([lambda: self.send_as(ada)] * 4)
        assert {answer["Location"] for answer in answers} == {Submission.objects.get().get_absolute_url()}
        assert len(stored(uploads)) == 1

    def test_of_two_contents_one_is_submitted_and_the_other_refused(self, made: Benchmark, ada: User) -> None:
        answers = at_once([lambda: self.send_as(ada, name="One"), lambda: self.send_as(ada, name="Another")])
        assert sorted(answer.status_code for answer in answers) == [302, 422]
        assert Submission.objects.count() == 1

    def send_as(self, user: User, **data: Any) -> Any:
        browser = Client()
        browser.force_login(user)
        return send(browser, **data)


@pytest.mark.parametrize("kind", ["new", "newer version"])
def test_an_account_that_is_disabled_during_an_upload_stores_nothing(
    made: Benchmark, ada: User, client: Client, uploads: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    before, real = stored(uploads), intake.check

    def slow(*args: Any) -> Any:
        checked = real(*args)
        User.objects.filter(pk=ada.pk).update(is_active=False)
        return checked

    monkeypatch.setattr("leaderboard.submissions.intake.check", slow)
    newer = factories.upload(factories.perfect() | {"dev-0": "another answer"})
    if kind == "newer version":
        answer = client.post(f"/submissions/{sent.pk}/files/openbook/replace/", {"openbook": newer})
    else:
        answer = send(client, openbook=newer)
    assert answer.status_code == 403
    assert (Submission.objects.count(), sent.files.count()) == (1, 1)
    assert stored(uploads) == before
