"""The client: what it repeats, what it says of refusals, and frames; with a transport in place of a site."""

import asyncio
import datetime
from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from manyhop import calls, records
from manyhop.client import AsyncClient, Client
from manyhop.errors import ApiError, NoAnswerError
from manyhop.frames import frame, table

LINES = [{"slug": f"b{number}", "name": "B", "description": "", "url": "http://x/"} for number in range(3)]


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays that were asked for."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("manyhop.client.time.sleep", slept.append)
    monkeypatch.setattr("manyhop.client.asyncio.sleep", sleep)
    return slept


def answering(*answers: httpx.Response | Exception, site: str = "http://site") -> tuple[Client, list[httpx.Request]]:
    """A client that gets these answers, one after the other, and the requests that it sends."""
    asked: list[httpx.Request] = []
    waiting = list(answers)

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        answer = waiting.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    made = Client(site, "mh_token")
    made._http = httpx.Client(**made._options, transport=httpx.MockTransport(handler))
    return made, asked


def page(rows: list[Any], following: str = "") -> httpx.Response:
    return httpx.Response(200, json=rows, headers={"Link": f'<{following}>; rel="next"'} if following else {})


def test_a_site_may_be_under_a_path_of_its_host() -> None:
    site = "https://lab.example/manyhop"
    pages = [page(LINES[:1], f"{site}/api/v1/benchmarks/?cursor=x"), page([]), httpx.Response(200, content=b"a,b")]
    made, asked = answering(*pages, site=f"{site}/")
    assert len(made.benchmarks()) == 1
    made.export("fanoutqa", "dev", "openbook", "csv")
    assert [str(request.url).removeprefix(site) for request in asked] == [
        *("/api/v1/benchmarks/", "/api/v1/benchmarks/?cursor=x", "/fanoutqa/dev/openbook/export.csv")
    ]


def test_a_list_has_the_rows_of_all_pages() -> None:
    made, asked = answering(page(LINES[:2], "http://site/api/v1/benchmarks/?cursor=x"), page(LINES[2:]))
    assert [line.slug for line in made.benchmarks()] == ["b0", "b1", "b2"]
    assert [request.url.query for request in asked] == [b"", b"cursor=x"]
    assert {request.headers["Authorization"] for request in asked} == {"Bearer mh_token"}


def test_passing_failures_are_repeated(no_sleep: list[float]) -> None:
    failures = (httpx.ConnectError("no route"), httpx.Response(503), httpx.Response(429, headers={"Retry-After": "7"}))
    made, asked = answering(*failures, page(LINES))
    assert len(made.benchmarks()) == 3
    assert len(asked) == 4
    assert no_sleep == [0.5, 1.0, 7.0]


def test_the_last_failure_is_said() -> None:
    made, asked = answering(*[httpx.ConnectError("no route")] * 5)
    with pytest.raises(NoAnswerError, match="http://site cannot be reached: no route"):
        made.benchmarks()
    assert len(asked) == 5


def test_a_quota_that_ends_much_later_is_not_waited_for(no_sleep: list[float]) -> None:
    made, _ = answering(httpx.Response(429, headers={"Retry-After": "86400"}, json={"detail": "Above the quota."}))
    with pytest.raises(ApiError, match="Above the quota") as refused:
        made.submit({"openbook": b"{}"}, split="dev")
    assert refused.value.status == 429
    assert no_sleep == []


def test_what_may_happen_twice_is_not_repeated() -> None:
    made, asked = answering(httpx.ReadTimeout("late"))
    with pytest.raises(NoAnswerError):
        made.withdraw("7")
    assert len(asked) == 1


def test_a_submission_is_repeated_with_its_key() -> None:
    refusal = httpx.Response(422, json={"title": "Invalid", "errors": {"name": ["Too long."]}})
    made, asked = answering(httpx.ReadTimeout("late"), refusal)
    with pytest.raises(ApiError, match="Invalid\nname: Too long"):
        made.submit({"openbook": b"{}"}, split="dev", name="S")
    first, second = asked
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]
    assert b'name="openbook"; filename="openbook.jsonl"' in second.content


def test_a_submission_reports_its_bytes(no_sleep: list[float]) -> None:
    refusal = httpx.Response(422, json={"title": "Invalid"})
    reports: list[tuple[int, int]] = []
    made, asked = answering(httpx.Response(503), refusal)
    call = calls.submit({"openbook": b"x" * 300_000}, split="dev")
    with pytest.raises(ApiError, match="Invalid"):
        made.send(call, lambda sent, total: reports.append((sent, total)))
    size = len(asked[0].content)
    assert size > 300_000
    assert {total for _, total in reports} == {size}
    sent = [number for number, _ in reports]
    assert len(sent) > 4
    assert sent.count(size) == 2, "once for each of the two requests"
    first = sent[: sent.index(size) + 1]
    assert first == sorted(first)
    assert sent == first * 2

    async def asynchronous() -> None:
        client = AsyncClient("http://site")
        client._http = httpx.AsyncClient(
            **client._options, transport=httpx.MockTransport(lambda _: httpx.Response(422, json={}))
        )
        with pytest.raises(ApiError):
            await client.send(call, lambda sent, total: reports.append((sent, total)))

    reports.clear()
    asyncio.run(asynchronous())
    assert [number for number, _ in reports] == first


def test_the_key_follows_the_content() -> None:
    keys = {
        calls.submit({"openbook": content}, **fields).key
        for content in (b"a", b"b")
        for fields in ({"name": "S"}, {"name": "T"}, {"name": "S", "url": "x"})
    }
    assert len(keys) == 6
    assert calls.submit({"a": b"1", "b": b"2"}).key == calls.submit({"b": b"2", "a": b"1"}).key


@pytest.mark.parametrize("content", [b"<html>", b'{"slug": 1}'])
def test_an_answer_of_something_else_is_no_answer(content: bytes) -> None:
    made, _ = answering(httpx.Response(200, content=content))
    with pytest.raises(NoAnswerError, match="gave no answer of this version of the API"):
        made.benchmark("fanoutqa")


def test_a_refusal_without_a_problem_document() -> None:
    made, _ = answering(httpx.Response(404, content=b"<html>"))
    with pytest.raises(ApiError, match="http://site/api/v1/board/ answered 404"):
        made.board()


def test_refused_files_are_said_by_kind_and_place() -> None:
    group = {"severity": "error", "title": "Unknown ids", "count": 2, "where": "lines 3, 9"}
    problem = {
        "detail": "Invalid.",
        "files": [{"setting": "openbook", "groups": [group, group | {"severity": "warning"}]}],
    }
    assert str(ApiError(422, problem)) == "Invalid.\nopenbook: Unknown ids (2) lines 3, 9"


def test_clients_have_a_method_for_each_request() -> None:
    requests = {name for name, value in vars(calls).items() if callable(value) and value.__module__ == calls.__name__}
    assert {name for name in requests if name[0].islower() and name[0] != "_"} <= {*dir(Client)} & {*dir(AsyncClient)}


def test_the_async_client() -> None:
    answers = [httpx.Response(503), page(LINES[:1], "http://site/api/v1/benchmarks/?cursor=x"), page(LINES[1:])]

    async def main() -> list[str]:
        async with AsyncClient("http://site") as made:
            made._http = httpx.AsyncClient(
                **made._options, transport=httpx.MockTransport(lambda request: answers.pop(0))
            )
            return [line.slug for line in await made.benchmarks()]

    assert asyncio.run(main()) == ["b0", "b1", "b2"]


# Frames ---------------------------------------------------------------------------------------------------------------

SCORE = {
    "value": 0.25,
    "reason": "",
    "low": 0.1,
    "high": None,
    "signature": "s",
    "shown": True,
    "revision": "r",
    "n_items": 4,
}
RESULT = {
    "benchmark": "b", "split": "dev", "setting": "openbook", "kind": "scored", "published_in": "", "note": "",
    "context_size": None, "n_answered": 4, "published_at": "2026-01-02T03:04:05Z",
    "scores": [SCORE | {"score": name, "metric": "accuracy", "scored_at": None} for name in ("loose", "strict")],
}  # fmt: skip


def test_results_become_one_row_a_score() -> None:
    results = msgspec.convert([RESULT], list[records.Result])
    rows = table(results)
    assert [(row["score"], row["value"], row["setting"]) for row in rows] == [
        ("loose", 0.25, "openbook"),
        ("strict", 0.25, "openbook"),
    ]
    assert rows[0]["published_at"] == datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("library", "columns"),
    [
        ("pandas", lambda frame: [str(column) for column in frame.columns]),
        ("polars", lambda frame: list(frame.columns)),
    ],
)
def test_frames(library: str, columns: Callable[[Any], list[str]]) -> None:
    results = msgspec.convert([RESULT], list[records.Result])
    made = frame(results, library)
    assert type(made).__module__.startswith(library)
    assert columns(made) == list(table(results)[0])
    assert made["value"].to_list() == [0.25, 0.25]
    assert len(frame([], library)) == 0


def test_another_library_is_refused() -> None:
    with pytest.raises(ValueError, match="'excel'; there are pandas, polars"):
        frame([], "excel")
