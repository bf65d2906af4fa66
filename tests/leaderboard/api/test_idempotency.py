"""The same request again: one submission, however often and however much at once it is sent."""

import datetime
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from leaderboard.models import IdempotentRequest, Submission
from leaderboard.submissions import storage
from leaderboard.web import idempotency
from scoring.models import Benchmark
from tests import factories
from tests.reliability.ground import rows, stored_files

KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


def send(client: Client, token: dict[str, str], key: str | None = KEY, right: int = 3, **fields: Any) -> Any:
    data = factories.form_data(**fields) | {"openbook": factories.upload(factories.perfect(right=right))}
    headers = token | ({} if key is None else {"Idempotency-Key": key})
    return client.post("/api/v1/submissions/", data, headers=headers)


@pytest.mark.django_db
class TestOneAfterTheOther:
    def test_the_same_again_gives_the_first_again(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        first = send(client, token)
        assert first.status_code == 201
        assert "Idempotency-Replayed" not in first
        before = rows(), stored_files()
        again = send(client, token)
        assert (again.status_code, again["Idempotency-Replayed"]) == (200, "true")
        assert (again.json()["id"], again["Location"]) == (first.json()["id"], first["Location"])
        assert (rows(), stored_files()) == before

    def test_it_is_told_as_it_is_now(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        send(client, token)
        factories.score(Submission.objects.get())
        assert send(client, token).json()["state"] == "done"

    def test_quotation_marks_are_no_part_of_a_key(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        send(client, token)
        assert send(client, token, f'"{KEY}"').status_code == 200

    @pytest.mark.parametrize("change", [{"name": "Another name"}, {"right": 2}, {"details": "More"}])
    def test_another_content_under_the_same_key_is_refused(
        self, client: Client, made: Benchmark, token: dict[str, str], change: dict[str, Any]
    ) -> None:
        send(client, token)
        response = send(client, token, **change)
        assert response.status_code == 422
        assert response["Content-Type"] == "application/problem+json"
        assert "different content" in response.json()["detail"]
        assert Submission.objects.count() == 1

    def test_without_a_key_or_with_another_it_is_another(
        self, client: Client, made: Benchmark, token: dict[str, str]
    ) -> None:
        for key in (KEY, None, None, "other"):
            assert send(client, token, key).status_code == 201
        assert Submission.objects.count() == 4

    def test_keys_are_each_accounts_own(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        send(client, token)
        response = send(client, factories.token_of(factories.user("eve")), right=1)
        assert response.status_code == 201
        assert {submission.owner.username for submission in Submission.objects.all()} == {"ada", "eve"}

    def test_what_was_refused_is_not_remembered(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        assert send(client, token, name="").status_code == 422
        assert not IdempotentRequest.objects.exists()
        assert send(client, token).status_code == 201

    def test_a_key_is_forgotten_after_a_week_and_not_before(
        self, client: Client, made: Benchmark, token: dict[str, str]
    ) -> None:
        send(client, token)
        IdempotentRequest.objects.update(
            created_at=timezone.now() - idempotency.RETENTION + datetime.timedelta(hours=1)
        )
        assert send(client, token).status_code == 200
        IdempotentRequest.objects.update(
            created_at=timezone.now() - idempotency.RETENTION - datetime.timedelta(hours=1)
        )
        send(client, token, "another")
        assert IdempotentRequest.objects.get().key == "another"
        assert datetime.timedelta(hours=24) <= idempotency.RETENTION

    @pytest.mark.parametrize("key", ["", " ", '""', "x" * 256, "a b", '"a b"', "a\tb", "\xff", "é"])
    def test_what_is_no_key(self, client: Client, made: Benchmark, token: dict[str, str], key: str) -> None:
        response = send(client, token, key)
        assert response.status_code == 400
        assert "Idempotency-Key" in response.json()["detail"]
        assert not Submission.objects.exists()

    def test_a_failure_half_way_leaves_the_key_free(
        self, client: Client, made: Benchmark, token: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = storage.create_submission

        def broken(**options: Any) -> Submission:
            real(**options)
            raise OSError("disk full")

        monkeypatch.setattr(storage, "create_submission", broken)
        client.raise_request_exception = False
        assert send(client, token).status_code == 500
        assert not IdempotentRequest.objects.exists()
        assert not Submission.objects.exists()
        monkeypatch.setattr(storage, "create_submission", real)
        assert send(client, token).status_code == 201


def test_a_fingerprint_is_of_every_field_and_file() -> None:
    def of(fields: dict[str, list[str]], files: dict[str, bytes]) -> str:
        sent = QueryDict(mutable=True)
        for name, values in fields.items():
            sent.setlist(name, values)
        uploads: Any = {name: [factories.upload(content, "x.jsonl")] for name, content in files.items()}
        return idempotency.content_of(sent, MultiValueDict(uploads))

    same = of({"a": ["1"], "b": ["2"]}, {"f": b"x"})
    assert same == of({"b": ["2"], "a": ["1"]}, {"f": b"x"})
    others = [
        of({"a": ["1", "2"], "b": []}, {"f": b"x"}),
        of({"a": ["12"], "b": [""]}, {"f": b"x"}),
        of({"a": ["1"], "b": ["2"]}, {"g": b"x"}),
        of({"a": ["1"], "b": ["2"]}, {"f": b"xy"}),
        of({"a": ["1"], "b": ["2"]}, {}),
        of({"ab": ["12"]}, {"f": b"x"}),
    ]
    assert len({same, *others}) == 7


def at_once(works: list[Callable[[], Any]]) -> list[Any]:
    barrier = Barrier(len(works))

    def begin(work: Callable[[], Any]) -> Any:
        try:
            barrier.wait(timeout=30)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begin, works))


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    @pytest.mark.parametrize("attempt", range(3))
    def test_one_submission_and_everybody_is_told_of_it(
        self, made: Benchmark, token: dict[str, str], attempt: int
    ) -> None:
        answers = at_once([lambda: send(Client(), token)] * 6)
        assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert Submission.objects.count() == IdempotentRequest.objects.count() == 1
        assert len([path for path in stored_files() if path.is_file()]) == 1

    def test_of_different_contents_one_is_kept_and_the_rest_are_refused(
        self, made: Benchmark, token: dict[str, str]
    ) -> None:
        answers = at_once([lambda right=right: send(Client(), token, right=right) for right in range(4)])  # type: ignore[misc]
        assert sorted(answer.status_code for answer in answers) == [201, 422, 422, 422]
        assert Submission.objects.count() == 1

    def test_if_the_first_comes_to_nothing_another_is_the_first(
        self, made: Benchmark, token: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = storage.create_submission
        failures = iter([True])

        def sometimes_broken(**options: Any) -> Submission:
            made = real(**options)
            if next(failures, False):
                raise OSError("disk full")
            return made

        monkeypatch.setattr(storage, "create_submission", sometimes_broken)
        answers = at_once([lambda: send(Client(raise_request_exception=False), token)] * 4)
        assert sorted(answer.status_code for answer in answers) == [200, 200, 201, 500]
        assert Submission.objects.count() == 1
