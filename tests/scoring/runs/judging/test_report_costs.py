"""The cost of judging reports by criteria: known before, capped between questions, and never paid twice."""

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from leaderboard.maintenance import rescoring
from scoring.metrics.asking.cost import BY_CHARACTERS
from scoring.models import JudgeEstimate, Run, Score, Split, Verdict
from scoring.models.run_states import RunState
from scoring.runs import sweeper
from scoring.runs.judging.queries import judging_of
from tests import factories
from tests.judge_server import JudgeServer, Play
from tests.scoring.runs.judging.site import judged_by, work
from tests.scoring.runs.judging.test_rubrics import BUILDERS, SOURCE, by_criterion, imported, lines, sent

pytestmark = pytest.mark.django_db
COSTS = {"title": "Compares costs", "weight": 2.0, "category": "Explicit Criteria"}
TASKS = [
    {"sample_id": name, "prompt": f"Compare two bridges of {name}.", "rubrics": json.dumps([BUILDERS, SOURCE, COSTS])}
    for name in ("r1", "r2", "r3")
]
REPORT = "Ada and Bo built them, of which more is said below. " * 500
REPORTS = {name: f"Of {name}. {REPORT}" for name in ("r1", "r2", "r3")}


def as_now(run: Run) -> Run:
    return Run.objects.select_related("answer_set__split", "revision__split__benchmark").get(pk=run.pk)


def asked_of(server: JudgeServer) -> Counter[str]:
    """The number of requests by question."""
    texts = (str(chat.body["messages"][-1]["content"]) for chat in server.chats)
    return Counter(next(name for name in REPORTS if f"Of {name}." in text) for text in texts)


@pytest.fixture
def split(settings: Any, server: JudgeServer, tmp_path: Path) -> Split:
    judged_by(settings, server)
    server.rule = by_criterion
    return imported(tmp_path, "researchrubrics", tasks=lines(*TASKS))


def test_requests_tokens_and_dollars_are_known_while_a_run_waits(split: Split, server: JudgeServer) -> None:
    run = sent(split, REPORTS, "rubric")
    expected = judging_of(as_now(run)).estimate
    assert expected is not None and expected.usd is not None
    assert server.chats == []
    assert work(run).state == RunState.DONE
    tokens = sum(BY_CHARACTERS.of_messages(chat.body["messages"]) for chat in server.chats)
    assert (expected.n_calls, expected.tokens_in) == (9, tokens)
    assert tokens > 9 * len(REPORT) / 4, "the whole report is in each request"
    stored = JudgeEstimate.objects.get(run=run)
    assert stored.in_words == expected.in_words
    for number in (f"{expected.n_calls}", f"{tokens + expected.tokens_out:,}", f"{expected.usd:.2f}"):
        assert number in expected.in_words.split()


def test_a_plan_says_what_each_system_costs(split: Split, server: JudgeServer) -> None:
    for number, answers in enumerate([REPORTS, {"r1": REPORTS["r1"], "r2": "Short."}]):
        owner = factories.user(f"owner-{number}")
        factories.submission(owner, split, {"agent": answers}, name=f"System {number}")
    Run.objects.all().delete()
    (plan,) = rescoring.estimate(split, metrics=["rubric"])
    by_system = dict(plan.systems)
    assert {name: cost.n_calls for name, cost in plan.systems} == {
        "System 0, research agent": 9,
        "System 1, research agent": 3,
    }, "of equal reports the first system has the requests"
    assert plan.requests == by_system["System 0, research agent"] + by_system["System 1, research agent"]
    assert by_system["System 1, research agent"].tokens_in < 3_000
    out = StringIO()
    call_command("rescore", "researchrubrics", "test", "--plan", stdout=out)
    for name, cost in plan.systems:
        assert f"  {name}: {cost.in_words}\n" in out.getvalue()
    assert server.chats == [] and not Run.objects.exists()


@pytest.mark.parametrize("cap", ["SUBMISSION_CAP_USD", "MONTHLY_CAP_USD"])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_cap_stops_between_questions_and_a_raised_one_goes_on_with_what_is_missing(
    split: Split, server: JudgeServer, settings: Any, cap: str, concurrency: int
) -> None:
    judged_by(settings, server, CONCURRENCY=concurrency, PRICES=f"{settings.JUDGE_MODEL}=0/1000")
    dear = json.dumps({"verdict": "Satisfied", "score": 1.0, "reasoning": "So it is. " * 1_000})
    server.rule = lambda chat: Play("text", message=dear)
    setattr(settings, f"JUDGE_{cap}", "2")  # nine short replies cost 1.8, a single long one more than 2
    run = work(sent(split, REPORTS, "rubric"))
    assert run.state == RunState.OVER_BUDGET
    asked = asked_of(server)
    assert set(asked.values()) == {3}, "no question is left with a part of its criteria"
    assert len(asked) == -(-concurrency // 3)
    n_asked = asked.total()
    assert Verdict.objects.exclude(letter="").count() == n_asked
    assert run.done_items == len(asked)
    rest = JudgeEstimate.objects.get(run=run)
    assert rest.n_calls == 9 - n_asked
    assert rest.usd is not None and rest.usd > 2, "long replies are expected by now"
    assert run.reason.startswith(f"{n_asked} of 9 criteria are judged.")
    assert rest.in_words in run.reason
    sweeper.sweep()
    assert as_now(run).state == RunState.OVER_BUDGET
    setattr(settings, f"JUDGE_{cap}", "1000")
    assert sweeper.sweep()["affordable"] == 1
    run = work(as_now(run))
    assert run.state == RunState.DONE
    assert asked_of(server) == {"r1": 3, "r2": 3, "r3": 3}
    assert Score.objects.get(run=run).n_answered == 3


def test_runs_over_budget_wait_where_no_judge_is_configured(split: Split, server: JudgeServer, settings: Any) -> None:
    settings.JUDGE_SUBMISSION_CAP_USD = "0"
    run = work(sent(split, REPORTS, "rubric"))
    settings.JUDGE_SUBMISSION_CAP_USD = "much"
    assert sweeper.sweep()["affordable"] == 0
    assert as_now(run).state == RunState.OVER_BUDGET
    assert server.chats == []
