"""Lists that are judged: sent, read, scored, repeated, within the budget; an unreadable reply is no zero."""

from typing import Any

import pytest
from django.test import Client

from leaderboard.maintenance import judge_spending
from scoring.metrics.asking.config import NO_JUDGE
from scoring.metrics.asking.replies import Outcome
from scoring.models import JudgeEstimate, Run, Score, Split, Verdict
from scoring.models.run_states import RunState
from scoring.queries import target_signatures
from scoring.registry import metric_of, why_unavailable
from scoring.runs.judging.items import COVERAGE
from tests import factories
from tests.judge_server import JudgeServer, Play
from tests.scoring.runs.judging.site import judged_by, run_of, work

pytestmark = pytest.mark.django_db

METRIC = "list-judge"
ANSWERS = {"dev-j0": ["Oslo", "Lima", "Atlantis", "Accra"], "dev-j1": ["Tokyo"], "dev-j2": ["900"], "dev-j3": []}
MODEL = "gpt-4.1-2025-04-14"


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    return factories.split(factories.judged_benchmark(), "dev")


def sent(split: Split, answers: Any = ANSWERS) -> Run:
    submission = factories.submission(factories.user(), split, {"closedbook": answers})
    return run_of(submission, "closedbook", METRIC)


def scores_of(run: Run) -> dict[str, list[float]]:
    return {one.name: one.per_item.tolist() for one in Score.objects.filter(run=run)}


def test_lists_are_judged_and_scored(split: Split, server: JudgeServer) -> None:
    server.rule = lambda chat: (
        Play("text", message=f"extracted_final_answer: {chat.submission}\n\nfinal precision: 0.88")
        if "(2)" in chat.question
        else None
    )
    run = work(sent(split))
    assert (run.state, run.reason, run.done_items) == (RunState.DONE, "", 4)
    f1 = 2 * 0.5 * (2 / 3) / (0.5 + 2 / 3)
    assert scores_of(run) == {
        "list-judge.f1": [pytest.approx(f1), 1.0, 0.88, 0.0],
        "list-judge.recall": [2 / 3, 1.0, 0.88, 0.0],
        "list-judge.precision": [0.5, 1.0, 0.88, 0.0],
        "list-judge.f1-recomputed": [pytest.approx(f1), 1.0, 0.9, 0.0],
    }
    assert len(server.chats) == 3, "the empty list is not sent"
    assert {chat.body["model"] for chat in server.chats} == {MODEL}
    assert all(len(chat.body["messages"]) == 1 for chat in server.chats)
    assert dict(Verdict.objects.values_list("qid", "letter")) == {
        "dev-j0": "2/4/3",
        "dev-j1": "1.0",
        "dev-j2": "0.88~0.9",
    }
    score = Score.objects.get(run=run, name="list-judge.f1")
    assert score.signature.startswith(f"list-judge|model:{MODEL}|prompt:lists-d9db025a3e8d|temp:0|")
    assert score.n_answered == 3
    assert JudgeEstimate.objects.get(run=run).usd
    price = Verdict.objects.get(qid="dev-j1")
    assert price.tokens_in and price.tokens_out
    assert float(price.price_usd or 0) == pytest.approx((price.tokens_in * 2 + price.tokens_out * 8) / 1e6, abs=1e-10)


@pytest.mark.parametrize(
    "text", ["C", "overlapping answers: A", "x\nfinal answer length: 4", "final precision: high", "final precision: 7"]
)
def test_an_unreadable_reply_is_asked_for_again_and_then_no_zero(split: Split, server: JudgeServer, text: str) -> None:
    server.rule = lambda chat: Play("text", message=text)
    run = work(sent(split, {"dev-j0": ["Oslo"], "dev-j1": ["Tokyo"]}))
    assert run.state == RunState.INCOMPLETE
    assert run.reason.startswith(COVERAGE.format(things="answers", n=0, total=2))
    assert f"2 {Outcome.UNPARSED.label}." in run.reason
    assert not scores_of(run)
    assert len(server.chats) == 6
    assert len({chat.seed for chat in server.chats}) == 3
    assert set(Verdict.objects.values_list("outcome", "letter")) == {("unparsed", "")}


def test_a_reply_that_can_be_read_the_second_time_counts(split: Split, server: JudgeServer) -> None:
    server.play(Play("prose"))
    run = work(sent(split, {"dev-j1": ["Tokyo"]}))
    assert scores_of(run)["list-judge.f1"] == [0.0, 1.0, 0.0, 0.0]
    assert len(server.chats) == 2


def test_the_page_of_a_submission_explains_the_judge_of_lists(split: Split, server: JudgeServer) -> None:
    run = work(sent(split))
    (shown,) = judge_spending.judgings_of(run.answer_set.submission_file.submission, for_maintainer=False)
    assert shown["score"] is not None
    assert shown["score"].value == Score.objects.get(run=run, name="list-judge.f1").value
    client = Client()
    client.force_login(factories.maintainer())
    page = client.get(f"/submissions/{run.answer_set.submission_file.submission_id}/judge/").content.decode()
    assert "counts the answers and lists the correct ones" in page
    assert "six letters" not in page, "of the judge that chooses one"
    assert "for lists gpt-4.1-2025-04-14" in client.get("/maintenance/judge/").content.decode()


def test_without_a_judge_and_without_prompts_the_reason_is_given(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = factories.split(factories.judged_benchmark(), "dev")
    assert why_unavailable(metric_of("monaco", METRIC)) == NO_JUDGE
    assert why_unavailable(metric_of("qampari", METRIC)) != NO_JUDGE
    assert "prompts/single_answer" in why_unavailable(metric_of("qampari", METRIC))
    run = sent(split)
    assert run.state == RunState.NOT_CONFIGURED
    settings.JUDGE_API_KEY, settings.JUDGE_LIST_MODEL = "sk-x", "not a model"
    assert "JUDGE_LIST_MODEL" in why_unavailable(metric_of("monaco", METRIC))
    assert target_signatures(split)[METRIC].startswith("list-judge|model:unknown|prompt:lists-")
