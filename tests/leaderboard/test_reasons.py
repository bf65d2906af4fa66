"""Why a metric has no score: its cause is for maintainers; nobody else reads about the site's settings."""

import json
from typing import Any

import pytest
from django.test import Client

from leaderboard.disclosure import NOT_YET
from leaderboard.models import Mail, User
from leaderboard.submissions import notifications
from leaderboard.submissions.types import OF_STATE, state_and_reason
from scoring.models import Run
from scoring.models.run_states import RunState
from tests import factories

SECRET = "JUDGE_API_KEY is not set; the endpoint http://10.0.0.7 refused"
INTERNAL = ("JUDGE_", "BLEURT_CHECKPOINT", "10.0.0.7", "fetch BLEURT-20")
ADDRESSES = [
    "/fanoutqa/dev/openbook/?columns=all",
    *(f"/fanoutqa/dev/openbook/export.{extension}?columns=all" for extension in ("json", "csv", "tex", "bib")),
    "/systems/example-system/",
    "/fanoutqa/dev/openbook/pictures/",
    "/definitions/",
    "/compare/?system=example-system",
    "/api/v1/board/?split=dev&setting=openbook",
    "/api/v1/systems/example-system/",
    "/api/v1/systems/example-system/scores/",
    "/api/v1/benchmarks/fanoutqa/",
]


@pytest.fixture
def ada(db: None) -> User:
    return factories.user("ada")


@pytest.fixture
def pk(ada: User, settings: Any) -> str:
    settings.SITE_URL = "https://board.example.org"
    sent = factories.published(ada, factories.split(factories.benchmark(), "dev"), {"openbook": factories.perfect()})
    Run.objects.filter(metric="judge").update(state=RunState.FAILED, reason=SECRET)
    return str(sent.pk)


def internal(text: str) -> list[str]:
    return [word for word in INTERNAL if word in text]


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_readers_see_not_scored_yet(pk: str, client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 200
    assert internal(response.content.decode()) == []


def test_a_board_says_not_scored_yet(pk: str, client: Client) -> None:
    board = json.loads(client.get("/fanoutqa/dev/openbook/export.json?columns=all").content)
    cells = board["rows"][0]["cells"]
    assert {cells[name]["reason"] for name in ("bleurt", "judge")} == {NOT_YET}


def test_a_submitter_sees_the_state_and_a_maintainer_the_cause(pk: str, client: Client, ada: User) -> None:
    client.force_login(ada)
    for address in (f"/submissions/{pk}/", f"/submissions/{pk}/judge/", f"/api/v1/submissions/{pk}/"):
        text = client.get(address).content.decode()
        assert internal(text) == []
        assert OF_STATE[RunState.FAILED] in text
    client.force_login(factories.maintainer())
    for address in (
        f"/submissions/{pk}/",
        f"/submissions/{pk}/judge/",
        f"/maintenance/moderation/{pk}/",
        "/maintenance/queues/",
    ):
        assert "JUDGE_API_KEY is not set" in client.get(address).content.decode()


def test_the_mail_has_no_cause(pk: str) -> None:
    assert notifications.queue_due() == 1
    body = Mail.objects.get().text
    assert internal(body) == []
    assert "BLEURT: not scored yet: " in body


def test_only_the_reason_of_a_cancelled_run_is_the_submitter_s() -> None:
    shown = {state: state_and_reason(Run(state=state, reason=SECRET), for_maintainer=False)[1] for state in RunState}
    assert [state for state, text in shown.items() if text == SECRET] == [RunState.CANCELLED]
    without = {state for state, text in shown.items() if not text}
    assert without == {RunState.WAITING, RunState.RUNNING, RunState.DONE}
