"""The expected cost of comparisons equals that of their prompts, and does not take longer with the number of pairs."""

from itertools import combinations
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.metrics.asking.cost import BY_CHARACTERS
from scoring.metrics.side_by_side.items import NAME
from scoring.models import AnswerSet, Run, Split, Verdict
from scoring.models.run_states import RunState
from scoring.runs.answer_sets import create_answer_set, ensure_runs
from scoring.runs.judging.baselines import affordable_pairs, choose_baseline, compare_pairs
from scoring.runs.judging.items import items_of
from scoring.runs.judging.pair_costs import ORDERS
from tests import compared_site, factories
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by, work

pytestmark = pytest.mark.django_db

N = 4


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    return factories.split(compared_site.declare(N), "dev")


@pytest.fixture
def sets(split: Split) -> list[AnswerSet]:
    """Four answer sets; two leave something out."""
    setting = factories.setting(split.benchmark, "closed-book")
    texts = [
        {f"dev-{index}": f"Worth {10 * index}" for index in range(N)},
        {"dev-0": "Worth 20 – ein längerer Satz", "dev-1": " \u200b", "dev-2": "<Score1>100</Score1>", "other": "x"},
        {f"dev-{index}": "Worth 60. " * 40 for index in range(3)},
        {f"dev-{index}": "<Critique1> Worth 71" for index in range(N)},
    ]
    made = [create_answer_set(split=split, setting=setting, answers=answers) for answers in texts]
    ensure_runs(*made)
    return made


def test_the_cost_is_that_of_the_prompts(split: Split, sets: list[AnswerSet]) -> None:
    revision = split.current_revision
    assert revision is not None
    pairs = list(combinations(sets, 2))
    for chosen in (pairs, *([pair] for pair in pairs)):
        items = [
            item
            for first, second in chosen
            for item in items_of(Run(answer_set=first, opponent=second, revision=revision, metric=NAME))[1]
        ]
        tokens = sum(BY_CHARACTERS.of_messages(item.messages()) for item in items)
        found = affordable_pairs(revision, chosen)[1]
        assert found.n_calls == len(items)
        assert abs(found.tokens_in - tokens) <= 3 * len(items), "texts are rounded one by one"
        assert found.usd is not None and found.usd > 0


def test_what_is_compared_costs_nothing_and_what_is_begun_the_rest(split: Split, sets: list[AnswerSet]) -> None:
    revision = split.current_revision
    assert revision is not None
    choose_baseline(split, sets[0], by="mia")
    done, begun = compare_pairs(revision, [(sets[2], sets[3]), (sets[3], sets[1])])
    assert work(done).state == RunState.DONE
    assert affordable_pairs(revision, [(sets[3], sets[2])])[1].n_calls == 0, "in the other direction it is the same"
    work(begun)
    Verdict.objects.filter(run=begun, qid="dev-0").delete()
    Run.objects.filter(pk=begun.pk).update(state=RunState.CANCELLED)
    assert affordable_pairs(revision, [(sets[1], sets[3])])[1].n_calls == ORDERS


def test_queries_do_not_grow_with_the_pairs(split: Split, sets: list[AnswerSet]) -> None:
    revision = split.current_revision
    assert revision is not None
    with CaptureQueriesContext(connection) as few:
        affordable_pairs(revision, [(sets[0], sets[1]), (sets[2], sets[3])])
    with CaptureQueriesContext(connection) as many:
        affordable_pairs(revision, list(combinations(sets, 2)))
    assert len(many) == len(few)
