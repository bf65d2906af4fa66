"""A judge on a split that keeps a part for the end: asked by part, and never twice."""

import datetime
import json
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.maintenance import split_ends
from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import import_declaration
from scoring.models import Question, Run, Score, Split
from scoring.models.run_states import RunState
from tests import factories, graded_site
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by, work

pytestmark = pytest.mark.django_db
N = 100
SCORE = "graded-answer.correct"


def declared() -> Split:
    """A benchmark whose hidden split keeps half of its hundred questions for the end."""
    files = graded_site.files("[metrics.graded-answer]\n")
    toml = files["benchmark.toml"].replace(
        b"[splits.test]\n", b'[splits.test]\nfinal = 0.5\ncloses = "2099-05-01T12:00Z"\n'
    )
    rows = (
        {
            "id": f"test-{n}",
            "question": f"Which town is {n}?",
            "answer": graded_site.TOWNS[n % 40],
            "context": "Of towns.",
        }
        for n in range(N)
    )
    files["questions/test.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    files["benchmark.toml"] = toml
    return factories.split(import_declaration(read_declaration(files)).benchmark, "test")


def test_each_verdict_is_paid_once_and_all_questions_cost_nothing_more(settings: Any, server: JudgeServer) -> None:
    judged_by(settings, server)
    test = declared()
    public = set(Question.objects.filter(revision__current_of__part="public").values_list("qid", flat=True))
    answers = {
        f"test-{n}": f"Exact Answer: {graded_site.TOWNS[n % 40] if f'test-{n}' in public else 'Atlantis'}"
        for n in range(N)
    }
    factories.submission(factories.user(), test, {"closed-book": answers})
    assert work(Run.objects.get()).state == RunState.DONE
    assert len(server.chats) == 50
    assert Score.objects.get(name=SCORE).value == 1

    Split.objects.filter(pk=test.pk).update(closes=timezone.now() - datetime.timedelta(minutes=1))
    assert split_ends.end_due() == 0
    waiting = Run.objects.filter(state=RunState.WAITING)
    assert set(waiting.values_list("subset", "revision__split__part")) == {("", "final"), ("whole", "")}
    for run in waiting.order_by("subset"):
        assert work(run).state == RunState.DONE
    assert len(server.chats) == N
    assert dict(Score.objects.filter(name=SCORE).values_list("run__revision__split__slug", "value")) == {
        "test.public": 1,
        "test.final": 0,
        "test": 0.5,
    }
    assert split_ends.end_due() == 1
