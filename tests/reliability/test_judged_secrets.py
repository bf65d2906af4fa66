"""Judges quote gold answers in their replies: nobody without the right to see references reads one.

Canaries are the gold answers of a hidden split; the judge's endpoint quotes them in verdicts, in replies that cannot be
read, and in error messages. Then everything is asked, as in `test_secrets`.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.accounts import tokens
from leaderboard.models import BoardSnapshot, Event
from scoring.benchmarks.base import SourceFile
from scoring.importing import drafts
from scoring.importing.revisions import source_of
from scoring.models import Run, Score, Verdict
from scoring.models.run_states import RunState
from tests import boards, factories
from tests.judge_server import Chat, JudgeServer, Play
from tests.reliability.test_secrets import (
    CANARY,
    PRIVATE,
    Place,
    ask_everything,
    askers_of,
    assert_tells_nothing,
    heard,
)
from tests.scoring.runs.judging.site import judged_by, run_of, work

__all__ = ["heard"]

pytestmark = pytest.mark.slow

N = 24
ASKERS = ("anybody", "another's token", "the owner")
"""Of those who ask in `test_secrets`: what a judge says is shown by the same pages, to fewer kinds of people."""
GOLD = tuple((f"{CANARY} {n}", "Oslo") if n % 2 else (f"The {CANARY}",) for n in range(N))
ANSWERS = {f"test-j{n}": ["Oslo", f"No {n}"] for n in range(N)}


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as made:
        yield made


def misbehaviour(chat: Chat) -> Play | None:
    """Quote the gold answers where no verdict comes of it."""
    if "3)" in chat.question:
        return Play("text", message=f"I cannot decide. Correct: {chat.reference}")
    if "4)" in chat.question:
        return Play("status", status=400, code="bad", message=f"Unusable: {chat.reference}")
    return None


@pytest.fixture
def place(settings: Any, server: JudgeServer) -> Place:
    judged_by(settings, server)
    split = factories.split(factories.judged_benchmark(GOLD, dev=factories.GOLD), "test")
    assert split.hidden and split.current_revision is not None
    ada, eve = factories.user("ada"), factories.user("eve")
    public = factories.published(ada, split, {"closedbook": ANSWERS}, name="Public system")
    factories.published(eve, split, {"closedbook": ANSWERS}, name="Eve's system")
    server.rule = misbehaviour
    private = factories.submission(
        ada, split, {"closedbook": {name: [*given, PRIVATE] for name, given in ANSWERS.items()}}, name=PRIVATE
    )
    assert work(run_of(private, "closedbook", "list-judge")).state == RunState.INCOMPLETE
    boards.refresh()
    known = SourceFile(tuple(source_of(split.current_revision)[:5]))
    draft = drafts.save(split, known, date=factories.DATE, note="", make_current=True, made_by="grace")
    tokens.create_token(user=ada, name=PRIVATE)
    _, secret = tokens.create_token(user=eve, name="tests")
    return Place(
        public,
        private,
        draft,
        {who: client for who, client in askers_of(ada, eve).items() if who in ASKERS},
        {"another's token": {"authorization": f"Token {secret}"}},
        setting="closedbook",
        column="list-judge.f1",
        metrics=("list-judge.f1", "list-judge.recall"),
    )


@pytest.mark.django_db
@pytest.mark.timeout(600)
def test_no_door_tells_what_a_judge_quoted(place: Place, heard: list[str]) -> None:
    quoting = Verdict.objects.filter(reply__contains=CANARY)
    assert {*quoting.values_list("outcome", flat=True)} >= {"verdict", "unparsed"}
    assert Score.objects.filter(name="list-judge.f1", value__gt=0).count() == 2
    assert BoardSnapshot.objects.filter(split=place.public.split).exists()
    ask_everything(place)
    assert_tells_nothing("the log", "\n".join(heard).replace(f"?q={CANARY}", ""))
    for run in Run.objects.all():
        assert_tells_nothing("a reason", run.reason)
    assert_tells_nothing("the verdicts", str([*Verdict.objects.values_list("letter", "rule", "finish_reason")]))
    assert_tells_nothing("the events", str([*Event.objects.values()]))
    client = place.askers["the owner"]
    client.force_login(factories.maintainer())
    page = client.get(f"/admin/scoring/verdict/{quoting.first().pk}/change/")  # type: ignore[union-attr]
    assert CANARY in page.content.decode(), "those who may see references see the replies"
