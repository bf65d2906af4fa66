"""Pairs chosen by earlier comparisons, within a budget."""

from decimal import Decimal
from typing import Any

import pytest

from scoring.metrics.side_by_side.items import NAME
from scoring.models import AnswerSet, Run, Split
from scoring.runs.judging.adaptive import PlanError, plan_pairs
from scoring.runs.judging.baselines import choose_baseline, compare_pairs
from tests import compared_site, factories
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by, work

pytestmark = pytest.mark.django_db

N = 4
RICH = Decimal(1000)


@pytest.fixture
def systems(settings: Any, server: JudgeServer) -> list[AnswerSet]:
    """The baseline, two better systems that win against it as often as each other, and a worse one; none compared."""
    judged_by(settings, server)
    split = factories.split(compared_site.declare(N), "dev")
    answers = ["50 50 50 50", "70 60 70 40", "60 70 70 40", "40 40 30 70"]
    found = [sent(split, f"system-{place}", worth.split()) for place, worth in enumerate(answers)]
    choose_baseline(split, found[0], by="mia")
    return found


def sent(split: Split, name: str, worth: list[str]) -> AnswerSet:
    answers = {f"dev-{number}": f"Worth {one}, says {name}" for number, one in enumerate(worth)}
    submission = factories.submission(factories.user(name), split, {"closed-book": answers}, name=name)
    Run.objects.filter(answer_set__submission_file__submission=submission).delete()
    return AnswerSet.objects.get(submission_file__submission=submission)


def compare_all(pairs: list[tuple[AnswerSet, AnswerSet]], revision: Any) -> None:
    for run in compare_pairs(revision, pairs):
        work(run)


@pytest.mark.slow
def test_all_are_compared_with_the_baseline_then_undecided_pairs(systems: list[AnswerSet]) -> None:
    revision = systems[0].split.current_revision
    assert revision is not None
    baseline, others = systems[0], systems[1:]
    plan = plan_pairs(revision, baseline, others, RICH)
    assert plan.pairs == [(baseline, other) for other in others]
    assert (plan.n_compared, plan.n_all) == (0, 6)
    assert plan.estimate is not None and plan.estimate.n_calls == 3 * 2 * N
    assert not Run.objects.filter(metric=NAME).exists(), "a plan starts nothing"
    compare_all(plan.pairs, revision)
    plan = plan_pairs(revision, baseline, others, RICH)
    assert (plan.n_compared, len(plan.pairs)) == (3, 3)
    assert plan.pairs[0] == (others[0], others[1])
    assert plan.estimate is not None and plan.estimate.usd is not None
    within = plan.estimate.usd / 3 * Decimal("1.5")
    limited = plan_pairs(revision, baseline, others, within)
    assert limited.pairs == plan.pairs[:1]
    assert limited.estimate is not None and limited.estimate.usd is not None and limited.estimate.usd <= within
    compare_all(plan.pairs, revision)
    assert plan_pairs(revision, baseline, others, RICH).pairs == []


def test_a_plan_that_cannot_be_made_says_why(systems: list[AnswerSet], settings: Any) -> None:
    revision = systems[0].split.current_revision
    assert revision is not None
    with pytest.raises(PlanError, match="budget"):
        plan_pairs(revision, systems[0], systems[1:], Decimal("0.000001"))
    first, *others = plan_pairs(revision, systems[0], systems[1:], RICH).pairs
    compare_all(others, revision)
    compare_pairs(revision, [first])
    with pytest.raises(PlanError, match=r"^1 "):
        plan_pairs(revision, systems[0], systems[1:], RICH)
    settings.JUDGE_PRICES = ""
    settings.JUDGE_MODEL = "unheard-of"
    with pytest.raises(PlanError, match="JUDGE_PRICES"):
        plan_pairs(revision, systems[0], systems[1:], RICH)


def test_a_single_question_says_nothing_about_ranks(settings: Any, server: JudgeServer) -> None:
    judged_by(settings, server)
    split = factories.split(compared_site.declare(1), "dev")
    first, *others = (sent(split, f"system-{place}", [worth]) for place, worth in enumerate(["50", "60", "40"]))
    choose_baseline(split, first, by="mia")
    revision = split.current_revision
    assert revision is not None
    compare_all([(first, other) for other in others], revision)
    with pytest.raises(PlanError, match="one question"):
        plan_pairs(revision, first, others, RICH)
