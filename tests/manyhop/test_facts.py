"""The command that changes the facts of a system."""

from typing import Any

import pytest

from manyhop.cli import main
from manyhop.client import Client


@pytest.mark.parametrize(
    ("system", "method"),
    [("my-system", "change_system"), ("0b9f1c52-0000-4000-8000-000000000000", "change_submission")],
)
def test_facts_are_sent_by_name_and_an_empty_one_as_null(
    system: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []

    class Answer:
        name, page, url = "My system", "/systems/my-system/", "/submissions/0b9f/"

    def change(client: Client, of: str, **facts: Any) -> Answer:
        del client
        sent.append((of, facts))
        return Answer()

    monkeypatch.setattr(Client, method, change)
    assert main(["facts", system, "run_facts.access=api", "url="]) == 0
    assert sent == [(system, {"run_facts.access": "api", "url": None})]


def test_a_fact_without_an_equals_sign_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "my-system", "url"]) == 2
    assert "NAME=VALUE" in capsys.readouterr().err
