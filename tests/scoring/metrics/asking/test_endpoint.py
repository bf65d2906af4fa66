"""What is sent to an endpoint, and what of its errors may be shown."""

import asyncio
import pickle
from typing import Any

import pytest

from scoring.metrics.asking.endpoint import Endpoint, EndpointSettings, repeats
from tests.judge_server import JudgeServer
from tests.scoring.conftest import KEY, Asker, item

FOREIGN = {
    "OPENAI_API_KEY": "sk-of-the-environment",
    "OPENAI_ADMIN_KEY": "sk-admin-of-the-environment",
    "OPENAI_ORG_ID": "org-of-the-environment",
    "OPENAI_PROJECT_ID": "proj-of-the-environment",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/of-the-environment",
    "OPENAI_WEBHOOK_SECRET": "secret-of-the-environment",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer of-the-environment\nX-Team: of-the-environment",
    "OPENAI_LOG": "debug",
}


@pytest.mark.parametrize("key", [KEY, ""])
def test_nothing_of_the_environment_is_sent(
    server: JudgeServer, asker: Asker, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    assert asker.ask(item(1), key=key)["q1"].letter == "C"
    headers = server.chats[0].headers
    assert headers["authorization"] == f"Bearer {key or 'none'}"
    assert not [name for name, value in headers.items() if "of-the-environment" in value]
    assert "openai-organization" not in headers
    assert "openai-project" not in headers


def test_the_environment_gives_no_address_either(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    assert str(Endpoint(EndpointSettings(api_key=KEY))._client.base_url) == "https://api.openai.com/v1/"


@pytest.mark.parametrize(
    "address", ["", "api.openai.com", "ftp://host/v1", "http://", "file:///etc", "https://user:secret@host/v1"]
)
def test_addresses_that_are_none_are_refused_without_being_repeated(address: str) -> None:
    with pytest.raises(ValueError, match="the judge's URL") as raised:
        EndpointSettings(base_url=address)
    assert "secret" not in str(raised.value)


def test_the_key_is_not_in_the_settings_text() -> None:
    assert KEY not in repr(EndpointSettings(api_key=KEY))
    assert pickle.loads(pickle.dumps(EndpointSettings(api_key=KEY))).api_key == KEY


def test_a_greatest_length_is_asked_for_unless_it_is_zero() -> None:
    async def body(limit: int) -> dict[str, Any]:
        endpoint = Endpoint(EndpointSettings(max_reply_tokens=limit))
        return endpoint.request_body([], model="m", temperature=0, seed=1)

    assert asyncio.run(body(100))["max_tokens"] == 100
    assert "max_tokens" not in asyncio.run(body(0))


@pytest.mark.parametrize(
    ("text", "private", "found"),
    [
        ("Invalid input: 'the capital is OSLO'", ["Oslo"], True),
        ("this model does not exist", ["Oslo\nBergen"], False),
        ("cannot parse bergen", ["Oslo\nBergen"], True),
        ("the value 709,037", ["Oslo - 709,037"], True),
        ("cannot read 'names ada'", ["1. Oslo\n12. Names Ada\n    Or Bo."], True),
        ('body: "\\u00c5lesund"', ["Ålesund"], True),
        ("a b c", ["a"], False),
        ("anything", ["", "\n"], False),
    ],
)
def test_messages_that_repeat_a_reference_are_recognised(text: str, private: list[str], found: bool) -> None:
    assert repeats(text, private) is found


def test_whether_an_endpoint_is_there_is_found_out_for_free(server: JudgeServer) -> None:
    async def reachable() -> bool:
        endpoint = Endpoint(EndpointSettings(base_url=server.url))
        try:
            return await endpoint.reachable()
        finally:
            await endpoint.aclose()

    for status, there in ((200, True), (404, True), (401, True), (500, False), (503, False)):
        server.models_status = status
        assert asyncio.run(reachable()) is there
    server.stop()
    assert asyncio.run(reachable()) is False
    assert server.chats == []
