"""What holds for every address of the API: entity tags, compression, other sites' scripts, methods, problems."""

import gzip
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.board import write
from leaderboard.models import User
from leaderboard.web.problem_details import CONTENT_TYPE
from scoring.models import Benchmark
from tests import factories

pytestmark = pytest.mark.django_db
BOARD = "/api/v1/board/?split=dev"
PUBLIC = (
    "/api/v1/",
    "/api/v1/benchmarks/",
    "/api/v1/benchmarks/fanoutqa/",
    "/api/v1/benchmarks/fanoutqa/settings/",
    "/api/v1/benchmarks/fanoutqa/splits/dev/",
    "/api/v1/benchmarks/fanoutqa/splits/dev/questions/",
    "/api/v1/benchmarks/fanoutqa/splits/dev/questions/dev-0/",
    "/api/v1/benchmarks/fanoutqa/splits/dev/questions/dev-0/answers/",
    "/api/v1/benchmarks/fanoutqa/splits/dev/question-statistics/",
    "/api/v1/systems/",
    "/api/v1/board/",
    "/api/v1/benchmark.schema.json",
    "/api/v1/schema/",
)
OWN = ("/api/v1/submissions/",)


def problem(response: Any) -> dict[str, Any]:
    """The problem that a response is."""
    assert response["Content-Type"] == CONTENT_TYPE
    body: dict[str, Any] = response.json()
    assert body["status"] == response.status_code
    assert body["title"]
    assert body["detail"]
    return body


class TestEntityTags:
    @pytest.mark.parametrize("path", PUBLIC)
    def test_what_has_not_changed_is_not_sent_again(self, client: Client, made: Benchmark, path: str) -> None:
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        for header in ("ETag", "Cache-Control", "Access-Control-Allow-Origin", "X-RateLimit-Remaining"):
            assert header in again
        assert "Content-Type" not in again

    def test_what_has_changed_is(self, client: Client, made: Benchmark, ada: User) -> None:
        before = client.get(BOARD)["ETag"]
        factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        after = client.get(BOARD, headers={"If-None-Match": before})
        assert after.status_code == 200
        assert after["ETag"] != before
        assert client.get(f"{BOARD}&sort=name", headers={"If-None-Match": after["ETag"]}).status_code == 200

    def test_one_of_several_tags_and_any_tag(self, client: Client, made: Benchmark) -> None:
        tag = client.get(BOARD)["ETag"].removeprefix("W/")
        for sent, status in {
            f'"x", W/{tag}': 304,
            tag: 304,
            "*": 304,
            '"x"': 200,
            "nonsense \xff": 200,
            "": 200,
        }.items():
            assert client.get(BOARD, headers={"If-None-Match": sent}).status_code == status, sent

    def test_following_a_submission_costs_little(self, client: Client, made: Benchmark, ada: User) -> None:
        sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        client.force_login(ada)
        path = f"/api/v1/submissions/{sent.pk}/"
        tag = client.get(path)["ETag"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
        factories.score(sent)
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200

    def test_problems_have_none(self, client: Client, made: Benchmark) -> None:
        assert "ETag" not in client.get("/api/v1/systems/none/", headers={"If-None-Match": "*"})


def test_answers_are_compressed_for_who_can_read_that(client: Client, made: Benchmark) -> None:
    plain = client.get(BOARD)
    packed = client.get(BOARD, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.content)) == plain.json()
    assert {"Accept-Encoding", "Authorization", "Cookie"} <= set(packed["Vary"].split(", "))
    again = client.get(BOARD, headers={"Accept-Encoding": "gzip", "If-None-Match": packed["ETag"]})
    assert again.status_code == 304
    assert "Accept-Encoding" in again["Vary"]


class TestOtherSites:
    @pytest.mark.parametrize("path", PUBLIC)
    def test_other_sites_may_read_public_addresses(self, client: Client, made: Benchmark, path: str) -> None:
        response = client.get(path, headers={"Origin": "https://elsewhere.example"})
        assert response["Access-Control-Allow-Origin"] == "*"
        assert "Link" in response["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in response
        asked = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "GET"}
        before = client.options(path, headers=asked | {"Access-Control-Request-Headers": "if-none-match"})
        assert before.status_code == 200
        assert before["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
        assert before["Access-Control-Allow-Headers"] == "If-None-Match"

    def test_may_read_why_there_is_nothing(self, client: Client, made: Benchmark) -> None:
        assert client.get("/api/v1/systems/none/")["Access-Control-Allow-Origin"] == "*"

    def test_signed_in_requests_are_not_shared_with_other_sites(
        self, client: Client, made: Benchmark, ada: User, token: dict[str, str]
    ) -> None:
        for path in (*PUBLIC, *OWN):
            assert "Access-Control-Allow-Origin" not in client.get(path, headers=token), path
        client.force_login(ada)
        for path in (*PUBLIC, *OWN):
            assert "Access-Control-Allow-Origin" not in client.get(path), path

    def test_never_submissions_and_never_a_change(self, client: Client, made: Benchmark) -> None:
        for response in (
            client.get("/api/v1/submissions/"),
            client.options("/api/v1/submissions/"),
            client.options("/api/v1/submissions/validate/"),
            client.post("/api/v1/submissions/validate/", factories.form_data()),
            client.post("/api/v1/board/"),
        ):
            assert "Access-Control-Allow-Origin" not in response

    def test_a_session_cannot_be_used_by_another_sites_form(self, made: Benchmark, ada: User) -> None:
        sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        client = Client(enforce_csrf_checks=True)
        client.force_login(ada)
        for path in ("", "validate/", f"{sent.pk}/withdraw/", f"{sent.pk}/publish/", f"{sent.pk}/retry/"):
            response = client.post(f"/api/v1/submissions/{path}", factories.form_data() | {"confirm": "true"})
            assert problem(response)["status"] == 403
        sent.refresh_from_db()
        assert sent.withdrawn_at is None


class TestKeeping:
    def test_what_is_anybodys_may_be_kept_if_it_is_asked_for_anew(self, client: Client, made: Benchmark) -> None:
        assert client.get(BOARD)["Cache-Control"] == "no-cache"

    def test_what_is_somebodys_is_their_own(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        for path in (BOARD, *OWN, "/api/v1/systems/none/"):
            assert client.get(path, headers=token)["Cache-Control"] == "private, no-cache"


class TestMethods:
    @pytest.mark.parametrize("path", PUBLIC)
    def test_head_is_get_without_a_body(self, client: Client, made: Benchmark, path: str) -> None:
        get, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        assert (head["ETag"], head["Content-Type"]) == (get["ETag"], get["Content-Type"])

    @pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "trace"])
    @pytest.mark.parametrize("path", [*PUBLIC, "/api/v1/docs/"])
    def test_reading_addresses_refuse_methods_that_change(
        self, client: Client, made: Benchmark, path: str, method: str
    ) -> None:
        response = getattr(client, method)(path)
        assert problem(response)["status"] == 405
        assert "GET" in response["Allow"]

    def test_a_forgotten_slash_loses_nothing(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        data = factories.form_data() | {"openbook": factories.upload(factories.perfect())}
        response = client.post("/api/v1/submissions?x=1", data, headers=token)
        assert (response.status_code, response["Location"]) == (308, "/api/v1/submissions/?x=1")
        assert client.get("/api/v1/board?sort=name")["Location"] == "/api/v1/board/?sort=name"


class TestProblems:
    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/api/v1/nowhere/", 404),
            ("/api/", 404),
            ("/api/v1/submissions/not-a-uuid/", 404),
            ("/api/v1/board/?benchmark=none", 404),
            ("/api/v1/board/?split=none", 404),
            ("/api/v1/board/?q=%00", 400),
            ("/api/v1/systems/?q=%00", 400),
            ("/api/v1/systems/?page_size=0", 400),
            ("/api/v1/systems/?cursor=%00", 400),
            ("/api/v1/systems/?format=xml", 404),
            ("/api/v1/systems/%00/", 404),
            ("/api/v1/submissions/", 401),
        ],
    )
    def test_unknown_invalid_or_private_addresses_answer_with_a_problem(
        self, client: Client, made: Benchmark, path: str, status: int
    ) -> None:
        assert problem(client.get(path))["status"] == status

    def test_a_kind_of_answer_that_there_is_not(self, client: Client, made: Benchmark) -> None:
        assert problem(client.get(BOARD, headers={"Accept": "text/html"}))["status"] == 406
        assert client.get(BOARD, headers={"Accept": "text/html,*/*;q=0.8"}).status_code == 200
        assert client.get(BOARD, headers={"Accept": "application/json"}).status_code == 200

    def test_a_kind_of_answer_that_there_is_not_with_a_bad_token(self, client: Client, made: Benchmark) -> None:
        response = client.get(BOARD, headers={"Accept": "text/html", "Authorization": "Token nobody"})
        assert problem(response)["status"] == 406

    def test_of_the_schema_are_json_though_it_is_not(self, client: Client) -> None:
        assert client.get("/api/v1/schema/")["Content-Type"].startswith("application/vnd.oai.openapi")
        assert problem(client.delete("/api/v1/schema/"))["status"] == 405

    def test_a_failure_of_the_site_is_one_too(
        self, client: Client, made: Benchmark, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*arguments: object) -> None:
            raise RuntimeError("secret internals")

        monkeypatch.setattr(write, "find_board", broken)
        client.raise_request_exception = False
        response = client.get(BOARD)
        assert problem(response)["status"] == 500
        assert "secret" not in response.content.decode()
        assert client.get("/fanoutqa/dev/openbook/")["Content-Type"].startswith("text/html")


def test_every_address_is_one_of_these(made: Benchmark) -> None:
    """So that a new address cannot be forgotten here."""
    from leaderboard.api.urls import urlpatterns

    arguments: dict[str, list[str]] = {
        "api-benchmark": ["fanoutqa"],
        "api-settings": ["fanoutqa"],
        "api-split": ["fanoutqa", "dev"],
        "api-questions": ["fanoutqa", "dev"],
        "api-question": ["fanoutqa", "dev", "dev-0"],
        "api-question-answers": ["fanoutqa", "dev", "dev-0"],
        "api-question-statistics": ["fanoutqa", "dev"],
    }
    of_one = {"api-system", "api-system-scores", "api-system-verdicts", "api-submission", "api-validate", "api-docs"}
    of_one |= {"api-system-questions", "api-system-answers", "api-submission-questions", "api-comparison"}
    of_one |= {"api-system-changes", "api-submission-changes"}
    of_one.add("api-ranking")  # of boards whose systems are compared side by side
    changes = {f"api-{name}" for name in ("publish", "unpublish", "reveal", "replace", "retry", "withdraw")}
    names = {str(pattern.name) for pattern in urlpatterns}
    assert {reverse(name, args=arguments.get(name, [])) for name in names - of_one - changes} == {*PUBLIC, *OWN}
