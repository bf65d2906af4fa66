"""Runs that wait for something to be set up, and what becomes of them when the questions change meanwhile."""

import datetime

import pytest

from leaderboard.submissions.services import withdraw_submission
from scoring import registry
from scoring.models import Benchmark, CurrentSignature, Run
from scoring.models.run_states import RunState
from scoring.runs import answer_sets, sweeper
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


def set_up(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a metric become available, by way of one that is."""
    monkeypatch.setitem(registry.METRICS, metric, registry.METRICS["rouge"])


def test_runs_start_by_themselves_under_the_full_signature_when_answers_arrive(
    made: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = factories.submission(factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect()})
    assert sweeper.sweep()["configured"] == 0
    set_up("bleurt", monkeypatch)
    assert sweeper.sweep()["configured"] == 1
    run = Run.objects.get(metric="bleurt")
    assert run.state == RunState.WAITING
    assert run.signature.startswith("rouge|types:")
    factories.score(sent)
    assert CurrentSignature.objects.filter(metric="bleurt").exists()


def test_waiting_runs_of_a_revision_that_no_board_shows_are_cancelled(
    made: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev = factories.split(made, "dev")
    factories.scored(factories.user(), dev, {"openbook": factories.perfect()})
    factories.revise(dev, factories.source_questions("dev", 3), date=datetime.date(2026, 7, 1))
    set_up("bleurt", monkeypatch)
    assert sweeper.sweep()["configured"] == 0
    run = Run.objects.get(metric="bleurt")
    assert (run.state, run.reason) == (RunState.CANCELLED, answer_sets.SUPERSEDED)


def test_a_score_against_an_earlier_revision_never_becomes_the_one_shown(made: Benchmark) -> None:
    dev = factories.split(made, "dev")
    sent = factories.submission(factories.user(), dev, {"openbook": factories.perfect()})
    old = dev.current_revision
    assert old is not None
    factories.revise(dev, factories.source_questions("dev", 3), date=datetime.date(2026, 7, 1))
    Run.objects.exclude(revision=old).delete()
    factories.score(sent)
    assert Run.objects.filter(state=RunState.DONE, revision=old).exists()
    assert not CurrentSignature.objects.exists()


def test_what_was_withdrawn_is_not_scored_when_the_answers_come() -> None:
    made = factories.benchmark(test_answers=False)
    sent = factories.submission(
        factories.user(), factories.split(made, "test"), {"openbook": factories.perfect("test")}
    )
    withdraw_submission(sent, actor=sent.owner)
    before = Run.objects.count()
    imported = factories.revise(
        factories.split(made, "test"), factories.source_questions("test"), date=datetime.date(2026, 7, 1)
    )
    assert imported.becomes_current
    assert (imported.runs_made, Run.objects.count()) == (0, before)
