"""Submitting from a program: the same intake as the form, problem details."""

import datetime
import gzip
import json
import uuid
from typing import Any

import pytest
from django.forms import Field
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard import access
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.models import Submission, User
from leaderboard.publishing import pseudonyms
from leaderboard.submissions.forms import NO_FILE
from scoring.models import Benchmark, Run, Score
from scoring.models.run_states import RunState
from tests import factories
from tests.reliability.ground import rows, stored_files

pytestmark = pytest.mark.django_db


def create(client: Client, token: dict[str, str], **data: Any) -> Any:
    return client.post("/api/v1/submissions/", data, headers=token)


def test_a_script_submits_files_and_reads_their_scores(client: Client, made: Benchmark, token: dict[str, str]) -> None:
    data = factories.form_data() | {"openbook": factories.upload(factories.perfect(right=3))}
    created = create(client, token, **data)
    assert created.status_code == 201
    body = created.json()
    assert created["Location"].endswith(f"/api/v1/submissions/{body['id']}/")
    assert (body["state"], body["finished"]) == ("waiting", False)
    factories.score(Submission.objects.get())
    body = client.get(f"/api/v1/submissions/{body['id']}/", headers=token).json()
    assert (body["state"], body["finished"]) == ("done", True)
    runs = {run["metric"]: run for run in body["files"][0]["runs"]}
    scores = {score["name"]: score["value"] for score in runs["accuracy"]["scores"]}
    assert scores == {"loose": Score.objects.get(name="loose").value, "strict": 0.75}
    assert runs["bleurt"]["state"] == "not_configured"
    assert runs["bleurt"]["reason"]
    lines = client.get("/api/v1/submissions/", headers=token).json()
    assert [line["id"] for line in lines] == [body["id"]]


def test_a_submission_without_files_has_an_error_of_the_whole_form(
    client: Client, made: Benchmark, token: dict[str, str]
) -> None:
    errors = create(client, token, **factories.form_data()).json()["errors"]
    assert list(errors) == ["form"]
    assert errors["form"][0].startswith(NO_FILE)


def test_one_problem_document_has_the_errors_of_fields_and_files(
    client: Client, made: Benchmark, token: dict[str, str]
) -> None:
    data = factories.form_data(name="") | {"openbook": factories.upload(b'{"id": 3}\n[]\n')}
    response = create(client, token, **data)
    assert response.status_code == 422
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == 422
    assert body["errors"]["name"] == [Field.default_error_messages["required"]]
    problems = [problem for group in body["files"][0]["groups"] for problem in group["problems"]]
    assert {1, 2} <= {problem["line"] for problem in problems}
    assert all(problem["fix"] for problem in problems)
    assert not Submission.objects.exists()


def test_a_body_that_cannot_be_read_is_refused_with_a_problem_document(
    client: Client, made: Benchmark, token: dict[str, str]
) -> None:
    for body, kind, status in (
        ("{", "application/json", 400),
        ("[]", "application/json", 400),
        ("null", "application/json", 400),
        ('{"name": "a", "name": "b"}', "application/json", 400),
        ('{"\\ud800": 1}', "application/json", 400),
        ("\xff".encode("latin-1"), "application/json", 400),
        (json.dumps(factories.form_data()), "application/json", 422),
        ("[" * 60_000, "application/json", 400),
        ("[" * 70_000, "application/json", 413),
        ("NaN", "application/json", 400),
        ("name=" + "x" * 3 * 2**20, "application/x-www-form-urlencoded", 413),
        ("x=1&" * 11_000, "application/x-www-form-urlencoded", 400),
        ("x", "text/plain", 415),
        ("--x\r\n", "multipart/form-data", 400),
    ):
        response = client.post("/api/v1/submissions/", body, content_type=kind, headers=token)
        assert (kind, response.status_code) == (kind, status)
        assert response["Content-Type"] == "application/problem+json"


class TestCheckingOnly:
    PATH = "/api/v1/submissions/validate/"

    def test_a_validation_needs_no_account_and_stores_nothing(self, client: Client, made: Benchmark) -> None:
        before = rows(), stored_files()
        answers = factories.perfect() | {"dev-3": ""}
        data = {"split": "dev", "openbook": factories.upload(dict(list(answers.items())[1:]))}
        response = client.post(self.PATH, data)
        assert response.status_code == 200
        body = response.json()
        assert (body["valid"], body["missing"]) == (True, ["name", "authors", "type"])
        (report,) = body["files"]
        assert (report["setting"], report["ok"], report["n_missing"]) == ("openbook", True, 1)
        assert (report["text_size"], report["compression"]) == (report["size"], None)
        assert report["n_warnings"] >= 1
        assert all(problem["message"] for group in report["groups"] for problem in group["problems"])
        assert (rows(), stored_files()) == before

    def test_a_validation_returns_the_same_errors_as_a_submission(
        self, client: Client, made: Benchmark, token: dict[str, str]
    ) -> None:
        def sent() -> dict[str, Any]:
            file = factories.upload(b'{"id": 3}\n[]\n{"id": "dev-0", "answer": "x"}\n')
            return factories.form_data(name="", url="no address", context_size="-1") | {"openbook": file}

        checked = client.post(self.PATH, sent())
        submitted = create(client, token, **sent())
        assert (checked.status_code, submitted.status_code) == (422, 422)
        assert checked.json() == submitted.json()
        assert {"name", "url", "context_size", "openbook"} == set(checked.json()["errors"])

    def test_a_validation_of_complete_metadata_names_no_missing_field(self, client: Client, made: Benchmark) -> None:
        data = factories.form_data() | {"closedbook": factories.upload(factories.perfect())}
        body = client.post(self.PATH, data).json()
        assert body["missing"] == []
        assert body["files"][0]["n_answered"] == 4

    def test_a_validation_without_file_split_or_benchmark_is_refused(self, client: Client, made: Benchmark) -> None:
        assert "form" in client.post(self.PATH, {"split": "dev"}).json()["errors"]
        assert "split" in client.post(self.PATH, {"openbook": factories.upload({})}).json()["errors"]
        assert client.post(self.PATH, {"benchmark": "none"}).status_code == 404

    def test_reports_contain_neither_questions_nor_reference_answers(self, client: Client, made: Benchmark) -> None:
        data = {"split": "test", "openbook": factories.upload({"test-0": "Oslo", "dev-1": "x", "unknown": "y"})}
        text = client.post(self.PATH, data).content.decode()
        assert "capital" not in text
        assert "Norway" not in text


class TestWhatItsOwnerMayDo:
    @pytest.fixture
    def sent(self, made: Benchmark, ada: User) -> Submission:
        return factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})

    def do(self, client: Client, sent: Submission, what: str, token: dict[str, str], data: Any = None) -> Any:
        path = f"/api/v1/submissions/{sent.pk}/{what}/"
        return client.post(path, data, content_type="application/json", headers=token)

    def test_a_submission_can_be_published_unpublished_and_published_again(
        self, client: Client, sent: Submission, token: dict[str, str]
    ) -> None:
        assert client.get(f"/api/v1/submissions/{sent.pk}/", headers=token).json()["can_publish"]
        for what, public in (
            *(("publish", True), ("publish", True), ("unpublish", False), ("unpublish", False)),
            ("publish", True),
        ):
            response = self.do(client, sent, what, token)
            told = response.json()
            assert (response.status_code, told["is_public"]) == (200, public)
            assert told["publication"]["state"] == ("approved" if public else "off_board")
        assert client.get("/api/v1/systems/example-system/").status_code == 200

    def test_a_compressed_file_has_both_sizes_and_its_compression(
        self, client: Client, made: Benchmark, token: dict[str, str]
    ) -> None:
        plain = factories.generations(factories.perfect())
        packed = factories.upload(gzip.compress(plain), "generations.jsonl.gz")
        (file,) = create(client, token, **factories.form_data(), openbook=packed).json()["files"]
        assert (file["size"], file["text_size"], file["compression"]) == (packed.size, len(plain), "gzip")

    def test_answers_are_public_only_on_request_and_never_on_a_hidden_split(
        self, client: Client, sent: Submission, token: dict[str, str], ada: User
    ) -> None:
        assert not self.do(client, sent, "publish", token).json()["shows_answers"]
        assert self.do(client, sent, "publish", token, {"shows_answers": True}).json()["shows_answers"]
        of_test = factories.scored(
            ada, factories.split(sent.split.benchmark, "test"), {"openbook": factories.perfect("test")}
        )
        response = self.do(client, of_test, "publish", token, {"shows_answers": True})
        assert response.status_code == 409
        assert not of_test.entries.filter(replaced_at=None).exists()

    def test_an_anonymous_submission_keeps_its_pseudonym_until_it_is_revealed(
        self, client: Client, sent: Submission, token: dict[str, str]
    ) -> None:
        day = (pseudonyms.today() + datetime.timedelta(days=30)).isoformat()
        told = self.do(client, sent, "publish", token, {"anonymous_until": day}).json()
        publication = told["publication"]
        assert (told["is_public"], publication["state"], publication["anonymous_until"]) == (True, "approved", day)
        assert publication["pseudonym"].startswith("Anonymous ")
        (line,) = client.get("/api/v1/systems/").json()
        assert line["name"] == publication["pseudonym"]
        made_up = f"/api/v1/systems/{line['slug']}/"
        assert client.get(made_up).status_code == 200
        assert self.do(client, sent, "publish", token).json()["publication"]["pseudonym"], "it stays anonymous"
        assert self.do(client, sent, "reveal", token).json()["publication"]["pseudonym"] == ""
        assert self.do(client, sent, "reveal", token).status_code == 409
        assert client.get("/api/v1/systems/example-system/").status_code == 200
        for rest in ("", "scores/"):
            moved = client.get(f"{made_up}{rest}")
            assert (moved.status_code, moved["Location"]) == (301, f"/api/v1/systems/example-system/{rest}")
            assert moved["Access-Control-Allow-Origin"] == "*"
        self.do(client, sent, "unpublish", token)
        assert client.get(made_up).status_code == 404, "what the true name stands for is public no more"

    def test_an_anonymous_submission_that_left_the_board_is_named_only_if_the_day_is_null(
        self, client: Client, sent: Submission, token: dict[str, str]
    ) -> None:
        day = (pseudonyms.today() + datetime.timedelta(days=30)).isoformat()
        self.do(client, sent, "publish", token, {"anonymous_until": day})
        self.do(client, sent, "unpublish", token)
        response = self.do(client, sent, "publish", token, {"shows_traits": True})
        assert response.status_code == 422
        assert list(response.json()["errors"]) == ["anonymous_until"]
        assert day in response.json()["errors"]["anonymous_until"][0]
        assert not sent.entries.filter(replaced_at=None).exists()
        assert self.do(client, sent, "publish", token, {"anonymous_until": day}).json()["publication"]["pseudonym"]
        self.do(client, sent, "unpublish", token)
        named = self.do(client, sent, "publish", token, {"anonymous_until": None}).json()
        assert (named["is_public"], named["publication"]["pseudonym"]) == (True, "")

    @pytest.mark.parametrize(
        ("data", "field"),
        [
            ({"anonymous_until": "tomorrow"}, "anonymous_until"),
            ({"anonymous_untill": "2999-01-01"}, "anonymous_untill"),
            ({"shows_answers": "perhaps"}, "shows_answers"),
        ],
    )
    def test_a_wrong_or_unknown_field_prevents_publication(
        self, client: Client, sent: Submission, token: dict[str, str], data: dict[str, str], field: str
    ) -> None:
        response = self.do(client, sent, "publish", token, data)
        assert response.status_code == 422
        assert list(response.json()["errors"]) == [field]
        assert not sent.entries.exists()

    def test_a_submission_that_changed_since_it_was_read_is_not_published(
        self, client: Client, sent: Submission, token: dict[str, str], ada: User
    ) -> None:
        read = client.get(f"/api/v1/submissions/{sent.pk}/", headers=token).json()["publication"]["fingerprint"]
        newer = factories.perfect() | {"dev-0": "another answer"}
        path = f"/api/v1/submissions/{sent.pk}/replace/"
        assert client.post(path, {"openbook": factories.upload(newer)}, headers=token).status_code == 200
        factories.score(sent)
        for seen in (read, "", "x" * 65):
            response = self.do(client, sent, "publish", token, {"seen": seen})
            assert response.status_code == (409 if seen == read else 422)
        assert not sent.entries.exists()
        now = client.get(f"/api/v1/submissions/{sent.pk}/", headers=token).json()["publication"]["fingerprint"]
        assert self.do(client, sent, "publish", token, {"seen": now}).json()["is_public"]

    def test_a_file_of_a_team_member_is_published_only_with_its_fingerprint(
        self, client: Client, made: Benchmark, token: dict[str, str], ada: User
    ) -> None:
        dev = factories.split(made, "dev")
        bob = factories.user("bob")
        team = factories.team(ada, bob)
        shared = factories.scored(ada, dev, {"openbook": factories.perfect()}, team=team)
        assert self.do(client, shared, "publish", token).status_code == 200
        assert self.do(client, shared, "unpublish", token).status_code == 200
        factories.replace_file(shared, factories.perfect() | {"dev-0": "Lyon"}, by=bob)
        factories.score(shared)
        response = self.do(client, shared, "publish", token)
        assert (response.status_code, list(response.json()["errors"])) == (422, ["seen"])
        assert not shared.entries.filter(replaced_at=None).exists()
        now = client.get(f"/api/v1/submissions/{shared.pk}/", headers=token).json()["publication"]["fingerprint"]
        assert self.do(client, shared, "publish", token, {"seen": now}).json()["is_public"]

    def test_a_file_received_during_the_request_is_not_published(
        self, client: Client, sent: Submission, token: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def asked_while_somebody_sends(user: User, submission: Submission) -> bool:
            submission.files.update(replaced_at=timezone.now())
            return False

        monkeypatch.setattr(access, "has_files_of_others", asked_while_somebody_sends)
        assert self.do(client, sent, "publish", token).status_code == 409
        assert not sent.entries.exists()

    def test_a_past_day_for_the_end_of_anonymity_is_a_conflict(
        self, client: Client, sent: Submission, token: dict[str, str]
    ) -> None:
        assert self.do(client, sent, "publish", token, {"anonymous_until": "2019-01-01"}).status_code == 409

    def test_a_publication_waits_for_approval_and_shows_why_it_was_returned(
        self, client: Client, sent: Submission, token: dict[str, str]
    ) -> None:
        Benchmark.objects.update(needs_approval=True)
        told = self.do(client, sent, "publish", token).json()
        assert (told["is_public"], told["can_publish"], told["publication"]["state"]) == (False, False, "pending")
        moderation.give_back(sent, actor=factories.maintainer(), message="Name all authors.")
        told = client.get(f"/api/v1/submissions/{sent.pk}/", headers=token).json()
        assert (told["publication"]["state"], told["publication"]["message"]) == ("returned", "Name all authors.")

    def test_a_withdrawal_needs_its_confirmation_and_is_permanent(
        self, client: Client, sent: Submission, token: dict[str, str]
    ) -> None:
        self.do(client, sent, "publish", token)
        refused: list[Any] = [{"confirm": value} for value in (False, "no", None, [True], 2)]
        for data in (None, {}, *refused):
            response = self.do(client, sent, "withdraw", token, data)
            assert response.status_code == 422, data
            assert response.json()["errors"]["confirm"]
        assert self.do(client, sent, "withdraw", token, {"confirm": True}).json()["state"] == "withdrawn"
        assert self.do(client, sent, "withdraw", token, {"confirm": True}).status_code == 200
        assert client.get("/api/v1/systems/example-system/").status_code == 404
        response = self.do(client, sent, "publish", token)
        assert response.status_code == 409
        assert "withdrawn" in response.json()["detail"]

    def test_a_form_can_confirm_a_withdrawal(self, client: Client, sent: Submission, token: dict[str, str]) -> None:
        path = f"/api/v1/submissions/{sent.pk}/withdraw/"
        assert client.post(path, {"confirm": "true"}, headers=token).status_code == 200

    def test_a_submission_that_is_being_scored_cannot_be_published(
        self, client: Client, made: Benchmark, ada: User, token: dict[str, str]
    ) -> None:
        sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        response = self.do(client, sent, "publish", token)
        assert response.status_code == 409
        assert "still being scored" in response.json()["detail"]

    def test_failed_runs_are_queued_again(self, client: Client, sent: Submission, token: dict[str, str]) -> None:
        assert self.do(client, sent, "retry", token).status_code == 409
        Run.objects.filter(metric="rouge").update(state=RunState.FAILED, reason="A test.")
        assert client.get(f"/api/v1/submissions/{sent.pk}/", headers=token).json()["can_retry"]
        body = self.do(client, sent, "retry", token).json()
        assert {run["metric"]: run["state"] for run in body["files"][0]["runs"]}["rouge"] == "waiting"

    @pytest.mark.parametrize("what", ["publish", "unpublish", "retry", "withdraw"])
    def test_a_submission_of_somebody_else_answers_as_if_it_did_not_exist(
        self, client: Client, sent: Submission, token: dict[str, str], what: str
    ) -> None:
        for other in (factories.user("eve"), factories.maintainer()):
            hers = factories.token_of(other)
            there = self.do(client, sent, what, hers, {"confirm": True})
            sent_id, sent.pk = sent.pk, uuid.uuid4()
            nowhere = self.do(client, sent, what, hers, {"confirm": True})
            sent.pk = sent_id
            assert there.status_code == nowhere.status_code == 404
            assert there.content == nowhere.content
        assert self.do(client, sent, what, {}).status_code == 401
        sent.refresh_from_db()
        assert sent.withdrawn_at is None
        assert not sent.entries.exists()


def test_the_list_takes_the_same_number_of_queries_for_any_number_of_submissions(
    client: Client, made: Benchmark, ada: User, token: dict[str, str], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/api/v1/submissions/", headers=token)  # notes the use of the token
    for n in (1, 4):
        for _ in range(n):
            factories.submission(
                ada, factories.split(made, "dev"), {"openbook": factories.perfect(), "closedbook": factories.perfect()}
            )
        with django_assert_num_queries(8):
            lines = client.get("/api/v1/submissions/", headers=token).json()
    assert len(lines) == 5
    assert {(line["benchmark"], line["split"], line["state"]) for line in lines} == {("fanoutqa", "dev", "waiting")}
