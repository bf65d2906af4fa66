"""The judge's verdicts per question: in the API and as a file, on open splits, and never of hidden ones."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Entry
from leaderboard.publishing.services import publish_submission
from scoring.models import Benchmark, Score, Verdict
from tests import factories
from tests.judge_server import Chat, JudgeServer, Play
from tests.scoring.runs.judging.site import RIGHT, judged_by, submit

pytestmark = pytest.mark.django_db
QUERY = "?split=dev&setting=openbook"
API = f"/api/v1/systems/example-system/verdicts/{QUERY}"
FILE = f"/systems/example-system/questions/verdicts.csv{QUERY}"


def boxed_norway(chat: Chat) -> Play | None:
    return Play("text", message=r"The answer is right: \boxed{C}") if "Norway" in chat.question else None


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


@pytest.fixture
def made(settings: Any, server: JudgeServer) -> Benchmark:
    judged_by(settings, server)
    server.rule = boxed_norway
    return factories.benchmark()


def publish(made: Benchmark, slug: str) -> None:
    answers = {qid.replace("dev", slug): text for qid, text in RIGHT.items() if qid != "dev-3"}
    sent = submit(factories.split(made, slug), answers)
    factories.score(sent)
    publish_submission(sent, actor=sent.owner)


def test_each_question_has_its_verdict_and_the_rule_that_read_it(made: Benchmark, client: Client) -> None:
    publish(made, "dev")
    score = Score.objects.get(name="judge")
    rows = client.get(API).json()
    assert [(one["question_id"], one["correct"], one["rule"]) for one in rows] == [
        ("dev-0", True, "boxed"),
        ("dev-1", True, "last_line"),
        ("dev-2", True, "last_line"),
        ("dev-3", False, ""),
    ]
    assert [one["verdict"] for one in rows][::3] == ["C", ""]
    assert sum(one["correct"] for one in rows) / 4 == score.value
    assert {one["signature"] for one in rows} == {score.signature}
    (page,) = [client.get(f"{API}&page_size=2")]
    assert [one["question_id"] for one in page.json()] == ["dev-0", "dev-1"]
    assert 'rel="next"' in page["Link"]

    lines = list(csv.DictReader(io.StringIO(client.get(FILE).content.decode())))
    assert [{**one, "correct": str(int(one["correct"]))} for one in rows] == lines
    assert f'href="{FILE.replace("?", "?benchmark=fanoutqa&").replace("&", "&amp;")}"' in (
        client.get(f"/systems/example-system/questions/{QUERY}").content.decode()
    )


def test_verdicts_from_before_rules_were_stored_were_read_from_the_last_line(made: Benchmark, client: Client) -> None:
    publish(made, "dev")
    Verdict.objects.update(rule="")
    assert [one["rule"] for one in client.get(API).json()] == ["last_line"] * 3 + [""]


def test_no_verdict_of_a_hidden_split_is_exported_to_anybody(made: Benchmark, client: Client) -> None:
    publish(made, "test")
    Entry.objects.update(shows_answers=True)
    for user in (None, Entry.objects.get().submission.owner, factories.maintainer()):  # type: ignore[union-attr]
        if user is not None:
            client.force_login(user)
        assert client.get(API.replace("dev", "test")).status_code == 404
        assert client.get(FILE.replace("dev", "test")).status_code == 404


def test_a_row_that_is_not_judged_has_no_verdicts(client: Client) -> None:
    made = factories.benchmark()
    factories.published(factories.user(), factories.split(made, "dev"), {"openbook": RIGHT})
    assert client.get(API).status_code == client.get(FILE).status_code == 404
    assert b"verdicts.csv" not in client.get(f"/systems/example-system/questions/{QUERY}").content
