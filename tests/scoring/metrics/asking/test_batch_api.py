"""Batches: begun in steps that can be found again, read whatever they bring."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from scoring.metrics.asking import batch_api
from scoring.metrics.asking.endpoint import Endpoint, EndpointSettings
from scoring.metrics.asking.errors import BatchGoneError, MisconfiguredError, PassingTroubleError
from scoring.metrics.asking.replies import Outcome
from tests.judge_server import JudgeServer, Play
from tests.scoring.conftest import KEY, MODEL, item

Result = TypeVar("Result")


def with_endpoint(server: JudgeServer, work: Callable[[Endpoint], Awaitable[Result]], key: str = KEY) -> Result:
    async def run() -> Result:
        endpoint = Endpoint(EndpointSettings(base_url=server.url, api_key=key, timeout_seconds=5))
        try:
            return await work(endpoint)
        finally:
            await endpoint.aclose()

    return asyncio.run(run())


def requests(count: int) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"id-{number}", {"model": MODEL, "messages": item(number).messages(), "seed": 31415})
        for number in range(count)
    ]


def begin(server: JudgeServer, count: int) -> str:
    file_id = with_endpoint(server, lambda endpoint: batch_api.upload(endpoint, requests(count)))
    state = with_endpoint(server, lambda endpoint: batch_api.create(endpoint, file_id, metadata={"run": "r"}))
    assert not state.ended
    return state.id


def test_a_batch_is_uploaded_made_waited_for_and_read(server: JudgeServer) -> None:
    batch_id = begin(server, 5)
    waiting = with_endpoint(server, lambda endpoint: batch_api.get_batch(endpoint, batch_id))
    assert (waiting.ended, waiting.n_total, waiting.result_files) == (False, 5, ())
    server.rule = lambda chat: Play("prose") if "country 2?" in chat.question else None
    server.work_batches()
    ended = with_endpoint(server, lambda endpoint: batch_api.get_batch(endpoint, batch_id))
    assert (ended.ended, ended.status, ended.n_done) == (True, "completed", 5)
    [file_id] = ended.result_files
    replies = dict(with_endpoint(server, lambda endpoint: batch_api.results(endpoint, file_id)))
    assert {key: reply.outcome for key, reply in replies.items()} == {
        f"id-{number}": Outcome.UNPARSED if number == 2 else Outcome.VERDICT for number in range(5)
    }
    assert replies["id-0"].letter == "C"
    assert replies["id-0"].tokens_in
    assert server.batches[batch_id].metadata == {"run": "r"}


def test_a_batch_is_found_by_its_file(server: JudgeServer) -> None:
    begin(server, 1)
    lost = with_endpoint(server, lambda endpoint: batch_api.upload(endpoint, requests(2)))
    assert with_endpoint(server, lambda endpoint: batch_api.find(endpoint, lost)) is None
    made = with_endpoint(server, lambda endpoint: batch_api.create(endpoint, lost, metadata={}))
    begin(server, 3)
    found = with_endpoint(server, lambda endpoint: batch_api.find(endpoint, lost))
    assert found is not None
    assert found.id == made.id


def test_what_a_batch_did_not_do_is_named(server: JudgeServer) -> None:
    batch_id = begin(server, 6)
    plays = {
        0: Play("status", status=400, code="content_filter"),
        1: Play("status", status=400, code="invalid_request"),
        2: Play("status", status=500),
        3: Play("rate_limited"),
    }
    server.rule = lambda chat: plays.get(int(chat.question.split()[-1].rstrip("?")))
    server.batch_share, server.batch_status = 5 / 6, "expired"
    server.work_batches()
    state = with_endpoint(server, lambda endpoint: batch_api.get_batch(endpoint, batch_id))
    assert (state.ended, state.n_done) == (True, 1)
    outcomes: dict[str, Outcome] = {}
    for file_id in state.result_files:
        for key, reply in with_endpoint(server, lambda endpoint: batch_api.results(endpoint, file_id)):  # noqa: B023
            outcomes[key] = reply.outcome
    assert [outcomes[f"id-{number}"] for number in range(6)] == [
        Outcome.FILTERED,
        Outcome.REJECTED,
        Outcome.SERVER_ERROR,
        Outcome.RATE_LIMITED,
        Outcome.VERDICT,
        Outcome.EXPIRED,
    ]


def test_a_batch_that_failed_says_whether_it_may_be_sent_again(server: JudgeServer) -> None:
    batch_id = begin(server, 1)
    server.batch_status = "failed"
    server.work_batches()
    state = with_endpoint(server, lambda endpoint: batch_api.get_batch(endpoint, batch_id))
    assert (state.ended, state.error_code, state.may_be_sent_again) == (True, "token_limit_exceeded", True)
    server.batches[batch_id].errors = [{"code": "invalid_json_line", "message": "", "line": 1, "param": None}]
    assert not with_endpoint(server, lambda endpoint: batch_api.get_batch(endpoint, batch_id)).may_be_sent_again


def test_damaged_results_lose_only_their_own_line(server: JudgeServer) -> None:
    batch_id = begin(server, 2)
    server.work_batches()
    file_id = server.batches[batch_id].output_file_id
    assert file_id is not None
    server.files[file_id] += b'{"custom_id": "id-9", "respon\n[]\n"x"\n{"custom_id": 7}\n'
    server.files[file_id] += b'{"custom_id": "id-8", "response": {"status_code": 200, "body": {"choices": 1}}}\n'
    replies = with_endpoint(server, lambda endpoint: batch_api.results(endpoint, file_id))
    assert sorted((key, str(reply.outcome)) for key, reply in replies) == [
        ("id-0", "verdict"),
        ("id-1", "verdict"),
        ("id-8", "malformed"),
    ]


def test_troubles_are_named(server: JudgeServer) -> None:
    for look in (batch_api.get_batch, batch_api.results):
        with pytest.raises(BatchGoneError):
            with_endpoint(server, lambda endpoint: look(endpoint, "batch_99"))  # noqa: B023
    for count in (0, 50_001):
        with pytest.raises(ValueError, match="takes 1 to 50,000"):
            with_endpoint(server, lambda endpoint: batch_api.upload(endpoint, [("i", {})] * count))  # noqa: B023
    server.key = "another"
    with pytest.raises(MisconfiguredError, match=r": 401 invalid_api_key$"):
        begin(server, 1)
    server.stop()
    with pytest.raises(PassingTroubleError):
        begin(server, 1)
