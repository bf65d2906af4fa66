"""Money: estimated before it is spent, capped, released by maintainers, and accounted for to the last reply."""

import datetime
import re
from decimal import Decimal
from statistics import fmean
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import User
from scoring.metrics.asking import config
from scoring.metrics.asking.config import is_own_network
from scoring.metrics.asking.cost import REPLY_TOKENS
from scoring.metrics.asking.replies import Outcome
from scoring.models import BudgetRelease, JudgeEstimate, Run, Score, Split, Verdict
from scoring.models.run_states import RunState
from scoring.runs import sweeper
from scoring.runs.judging import budget
from scoring.runs.judging.budget import NotOverBudgetError, release, spending_by_month
from scoring.runs.judging.items import metric_of_run
from scoring.runs.judging.queries import judging_of
from scoring.runs.judging.store import FEWEST_REPLIES, mean_reply_tokens
from tests import factories
from tests.judge_server import JudgeServer, Play
from tests.scoring.runs.judging.site import RIGHT, judged_by, run_of, submit, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    return factories.split(factories.benchmark(), "dev")


def test_an_estimate_is_kept_before_the_run_asks(split: Split, server: JudgeServer) -> None:
    run = work(run_of(submit(split, RIGHT)))
    made = JudgeEstimate.objects.get(run=run)
    assert (made.n_calls, made.tokens_out, made.method) == (4, 4 * REPLY_TOKENS, "characters")
    actual = sum(verdict.tokens_in or 0 for verdict in Verdict.objects.all())
    assert made.tokens_in == pytest.approx(actual, rel=0.1)
    assert made.usd == (made.tokens_in * Decimal("2.5") + made.tokens_out * 10) / 1_000_000


def test_the_next_estimate_knows_how_long_replies_are(split: Split, server: JudgeServer) -> None:
    work(run_of(submit(split, RIGHT)))
    length = Verdict.objects.values_list("tokens_out", flat=True)[0]
    assert length != REPLY_TOKENS
    run = work(run_of(submit(split, {"dev-0": "Bergen", "dev-1": RIGHT["dev-1"]})))
    made = JudgeEstimate.objects.get(run=run)
    assert (made.n_calls, made.tokens_out) == (1, length)


def test_reply_lengths_for_another_benchmark_count_until_this_one_has_some_and_those_to_another_judge_never(
    split: Split, server: JudgeServer
) -> None:
    run = run_of(submit(split, RIGHT))
    other = factories.split(factories.judged_benchmark(), "dev")
    answers = {question.qid: ["Oslo"] for question in factories.judged_questions("dev")}
    elsewhere = run_of(factories.submission(User.objects.get(), other, {"openbook": answers}), metric="list-judge")
    metric = metric_of_run(run)

    def reply(to: Run, tokens: int) -> None:
        Verdict.objects.create(
            address=f"{tokens}",
            ask=1,
            qid="dev-0",
            run=to,
            outcome=Outcome.EMPTY.value,
            model="a-model",
            seed=1,
            tokens_out=tokens,
        )

    def expected() -> int:
        return mean_reply_tokens("a-model", metric, "fanoutqa")

    reply(elsewhere, 400)
    assert expected() == metric.reply_tokens
    Run.objects.filter(pk=elsewhere.pk).update(metric=metric.name, signature=run.signature)
    assert expected() == 400
    reply(run, 7)
    assert expected() == 7


@pytest.mark.parametrize("n_replies", [1, FEWEST_REPLIES])
def test_the_remaining_cost_of_a_run_follows_from_its_own_replies_once_there_are_enough(
    split: Split, server: JudgeServer, n_replies: int
) -> None:
    first = work(run_of(submit(split, RIGHT)))
    run = run_of(submit(split, {"dev-0": "Bergen", "dev-1": "Turku"}))
    other = Verdict.objects.filter(run=first)[0]
    own = {"ask": 1, "qid": "dev-0", "run": run, "model": other.model, "seed": 1, "tokens_out": 900}
    Verdict.objects.bulk_create(Verdict(address=f"long-{number}", **own) for number in range(n_replies))
    every = [verdict.tokens_out or 0 for verdict in Verdict.objects.all()]
    mean = 900 if n_replies == FEWEST_REPLIES else fmean(every)
    estimate = judging_of(run).estimate
    assert estimate is not None
    assert (estimate.n_calls, estimate.tokens_out) == (2, 2 * round(mean))


def test_over_the_cap_of_a_submission_nothing_is_asked_until_a_maintainer_lets_it_go(
    split: Split, server: JudgeServer, settings: Any
) -> None:
    settings.JUDGE_SUBMISSION_CAP_USD = "0.01"
    run = work(run_of(submit(split, RIGHT)))
    assert run.state == RunState.OVER_BUDGET
    assert f"0.02 USD{budget.BY_CHARACTERS}" in run.reason
    assert re.findall(r"[\d.]+ (?:USD|requests)", run.reason) == ["4 requests", "0.02 USD", "0.01 USD", "0.01 USD"]
    assert run.reason.endswith(budget.NEEDS_RELEASE)
    sweeper.sweep()
    run.refresh_from_db()
    assert run.state == RunState.OVER_BUDGET
    assert server.chats == []

    made = release(run, by="grace")
    estimate = JudgeEstimate.objects.get(run=run).usd
    assert estimate is not None
    assert (made.limit_usd, made.by) == (estimate * Decimal("1.5"), "grace")
    assert work(run).state == RunState.DONE
    assert Score.objects.get(run=run).value == 1.0
    with pytest.raises(NotOverBudgetError):
        release(run, by="grace")
    assert BudgetRelease.objects.count() == 1


def test_the_cap_is_for_all_settings_of_a_submission_together(split: Split, server: JudgeServer, settings: Any) -> None:
    submission = submit(split, RIGHT, closedbook={key: f"Maybe {answer}" for key, answer in RIGHT.items()})
    first = work(run_of(submission))
    assert first.state == RunState.DONE
    paid = budget.spent(Verdict.objects.all())
    settings.JUDGE_SUBMISSION_CAP_USD = str(paid * Decimal("1.5"))
    second = work(run_of(submission, "closedbook"))
    assert second.state == RunState.OVER_BUDGET
    assert len(server.chats) == 4
    other = work(run_of(submit(split, {"dev-0": "Perhaps Oslo"})))
    assert other.state == RunState.DONE, "another submission has a cap of its own"


def test_the_cap_of_a_month_is_for_everybody_and_ends_with_the_month(
    split: Split, server: JudgeServer, settings: Any
) -> None:
    work(run_of(submit(split, RIGHT)))
    paid = budget.spent(Verdict.objects.all())
    settings.JUDGE_MONTHLY_CAP_USD = str(paid * Decimal("1.1"))
    second = work(run_of(submit(split, {"dev-0": "Bergen"})))
    assert second.state == RunState.OVER_BUDGET
    assert "judging may cost 0.00 USD per month" in second.reason or "a month, of which" in second.reason
    before = timezone.localtime().replace(day=1) - datetime.timedelta(days=2)
    Verdict.objects.update(created_at=before)
    third = work(run_of(submit(split, {"dev-1": "Mombasa"})))
    assert third.state == RunState.DONE
    assert [spending.label for spending in spending_by_month()] == [f"{timezone.localtime():%Y-%m}", f"{before:%Y-%m}"]


def test_no_caps_no_limit(split: Split, server: JudgeServer, settings: Any) -> None:
    settings.JUDGE_SUBMISSION_CAP_USD = settings.JUDGE_MONTHLY_CAP_USD = ""
    settings.JUDGE_PRICES = "gpt-4o-2024-11-20=1000000/1000000"
    assert work(run_of(submit(split, RIGHT))).state == RunState.DONE


def test_what_is_there_already_costs_nothing(split: Split, server: JudgeServer, settings: Any) -> None:
    work(run_of(submit(split, RIGHT)))
    settings.JUDGE_SUBMISSION_CAP_USD = settings.JUDGE_MONTHLY_CAP_USD = "0"
    assert work(run_of(submit(split, RIGHT))).state == RunState.DONE
    assert len(server.chats) == 4


def test_replies_dearer_than_estimated_stop_the_run_in_the_middle(
    split: Split, server: JudgeServer, settings: Any
) -> None:
    """An answer that makes the judge write without end cannot spend more than the cap and what is under way."""
    settings.JUDGE_CONCURRENCY = 1
    settings.JUDGE_SUBMISSION_CAP_USD = "0.03"
    server.rule = lambda chat: Play("text", message="word " * 12_000 + "\nC")
    run = work(run_of(submit(split, RIGHT)))
    assert run.state == RunState.OVER_BUDGET
    assert run.reason.count("0.03 USD") == 1
    assert len(server.chats) == 1
    assert run.done_items == 1
    release(run, by="grace")
    BudgetRelease.objects.update(limit_usd=1)
    assert work(run).state == RunState.DONE
    assert len(server.chats) == 4


def test_a_release_has_its_limit(split: Split, server: JudgeServer, settings: Any) -> None:
    settings.JUDGE_SUBMISSION_CAP_USD = "0"
    run = work(run_of(submit(split, RIGHT)))
    release(run, by="grace")
    BudgetRelease.objects.update(limit_usd="0.001")
    assert work(run).state == RunState.OVER_BUDGET
    assert "grace allowed 0.00 USD in total" in run.reason
    assert server.chats == []


def test_a_model_without_a_price_is_held_unless_it_runs_on_ones_own_machine(
    split: Split, server: JudgeServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.JUDGE_MODEL = "llama-3.3-70b"
    run = work(run_of(submit(split, RIGHT)))
    assert run.state == RunState.DONE
    assert not Verdict.objects.exclude(price_usd=None).exists()
    assert JudgeEstimate.objects.get(run=run).usd is None
    assert spending_by_month()[0].n_unpriced == 4

    monkeypatch.setattr(config, "is_own_network", lambda host: False)
    held = work(run_of(submit(split, {"dev-0": "Bergen"})))
    assert held.state == RunState.OVER_BUDGET
    assert "llama-3.3-70b" in held.reason
    assert "JUDGE_PRICES" in held.reason
    assert len(server.chats) == 4
    assert release(held, by="grace").limit_usd is None
    assert work(held).state == RunState.DONE
    settings.JUDGE_PRICES = "llama-3.3-70b=0.6/0.8"
    assert work(run_of(submit(split, {"dev-1": "Mombasa"}))).state == RunState.DONE


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("10.1.2.3", True),
        ("192.168.0.7", True),
        ("vllm", True),
        ("gpu.internal", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("localhost.example.com", False),
    ],
)
def test_which_machines_are_ones_own(host: str, own: bool) -> None:
    assert is_own_network(host) is own
