"""Whose turn it is: no party waits behind all the runs of another, and no run fails on a worker of another version."""

import datetime
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.accounts.teams import services as teams
from leaderboard.models import Membership, Team, User
from scoring import tasks
from scoring.models import AnswerSet, Benchmark, Run, Turn, WorkerHeartbeat, workers
from scoring.models.run_states import RunState
from scoring.registry import metric_named
from scoring.runs import leases, sweeper, turns
from tests import factories

pytestmark = pytest.mark.django_db
DAY = datetime.timedelta(days=1)


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


def send(made: Benchmark, owner: User, n: int, team: Team | None = None) -> None:
    for number in range(n):
        factories.submission(
            owner, factories.split(made, "dev"), {"openbook": factories.perfect()}, team=team, name=f"S{number}"
        )


def parties_served(of_queue: str = "cpu") -> list[str]:
    """The parties in the order in which a single worker takes their runs, with one message for each."""
    waiting = Run.objects.filter(state=RunState.WAITING).order_by("created_at")
    served = []
    for pk in [str(run.pk) for run in waiting if metric_named(run.metric).queue == of_queue]:
        before = set(Run.objects.filter(state=RunState.DONE).values_list("pk", flat=True))
        tasks.execute_run(pk, in_turn=True)
        (taken,) = Run.objects.filter(state=RunState.DONE).exclude(pk__in=before)
        served.append(taken.answer_set.party)
    return served


def test_one_submission_does_not_wait_behind_all_of_another_party(made: Benchmark) -> None:
    many, single = factories.user("ada"), factories.user("grace")
    send(made, many, 10)
    send(made, single, 1)
    served = parties_served()
    theirs, mine = f"user-{many.pk}", f"user-{single.pk}"
    places = [place for place, party in enumerate(served) if party == mine]
    assert len(served) == 11 * len(places), "each message led to a run"
    assert places[0] <= 1
    assert all(later - earlier <= 2 for earlier, later in pairwise(places))
    assert served.count(theirs) == 10 * len(places)


def test_a_new_party_goes_behind_one_that_waits_as_long_as_its_only_submission(made: Benchmark) -> None:
    first, second, third = (factories.user(name) for name in ("ada", "grace", "mary"))
    send(made, first, 1)
    send(made, second, 1)
    runs = Run.objects.filter(state=RunState.WAITING).order_by("created_at")
    of_first = next(run for run in runs if metric_named(run.metric).queue == "cpu")
    tasks.execute_run(str(of_first.pk), in_turn=True)
    send(made, third, 1)
    served = [f"user-{user.pk}" for user in (second, first, third)]
    assert parties_served()[:3] == served


def test_members_of_a_team_share_its_turns(made: Benchmark) -> None:
    ada, grace, other = factories.user("ada"), factories.user("grace"), factories.user("other")
    team = teams.create_team(by=ada, name="Readers")
    Membership.objects.create(team=team, user=grace)
    send(made, ada, 1, team=team)
    send(made, grace, 1, team=team)
    send(made, other, 1)
    parties = [f"team-{team.pk}", f"team-{team.pk}", f"user-{other.pk}"]
    assert sorted(AnswerSet.objects.values_list("party", flat=True)) == sorted(parties)


def test_the_oldest_run_of_a_party_comes_first(made: Benchmark) -> None:
    send(made, factories.user("ada"), 3)
    waiting = Run.objects.filter(state=RunState.WAITING, metric__in=["accuracy", "rouge"]).order_by("created_at")
    last = str(waiting.last().pk)  # type: ignore[union-attr]
    assert turns.next_in_queue_of(last) == str(waiting.first().pk)  # type: ignore[union-attr]
    assert Turn.objects.get().party == f"user-{User.objects.get().pk}"


def test_of_two_workers_that_choose_one_run_the_slower_takes_the_next(
    made: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(made, factories.user("ada"), 2)
    waiting = Run.objects.filter(state=RunState.WAITING).order_by("created_at")
    first, second, *_ = [str(run.pk) for run in waiting if metric_named(run.metric).queue == "cpu"]
    claim = leases.claim

    def claim_after_another(run_id: str) -> str | None:
        if run_id == first:
            claim(run_id)
        return claim(run_id)

    monkeypatch.setattr(leases, "claim", claim_after_another)
    for message in (first, second):
        Run.objects.filter(pk=first).update(state=RunState.WAITING)
        Run.objects.filter(pk=second).update(state=RunState.WAITING)
        tasks.execute_run(message, in_turn=True)
        assert Run.objects.get(pk=first).state == RunState.RUNNING
        assert Run.objects.get(pk=second).state == RunState.DONE


def test_the_choice_costs_the_same_however_many_wait(made: Benchmark) -> None:
    send(made, factories.user("ada"), 1)
    first = str(Run.objects.filter(state=RunState.WAITING, metric="accuracy").get().pk)
    turns.next_in_queue_of(first)
    with CaptureQueriesContext(connection) as few:
        turns.next_in_queue_of(first)
    send(made, factories.user("grace"), 5)
    for _ in range(2):  # a turn of each
        turns.next_in_queue_of(first)
    with CaptureQueriesContext(connection) as many:
        turns.next_in_queue_of(first)
    assert len(many) == len(few)


# --- Workers of two versions ---------------------------------------------------------------------------------------


@pytest.fixture
def of_another_version(made: Benchmark) -> Run:
    """A run of accuracy under the signature of another version of the metric, which comes first."""
    send(made, factories.user(), 1)
    run = Run.objects.get(metric="accuracy")
    signature = f"{run.signature.rpartition('|manyhop:')[0]}|manyhop:99.0.0"
    Run.objects.filter(pk=run.pk).update(signature=signature, created_at=run.created_at - DAY)
    return run


def other_worker(queue: str) -> None:
    workers.record_heartbeat(f"{queue}@other", [queue])
    WorkerHeartbeat.objects.filter(name=f"{queue}@other").update(version="99.0.0")


def test_a_worker_leaves_a_run_that_it_cannot_finish_to_one_of_another_version(of_another_version: Run) -> None:
    other_worker("cpu")
    n_runs = sum(metric_named(run.metric).queue == "cpu" for run in Run.objects.filter(state=RunState.WAITING))
    for _ in range(n_runs):
        tasks.execute_run(str(of_another_version.pk), in_turn=True)
    assert Run.objects.filter(state=RunState.DONE).count() == n_runs - 1 > 0
    of_another_version.refresh_from_db()
    assert (of_another_version.state, of_another_version.attempts) == (RunState.WAITING, 0)


@pytest.mark.parametrize("others", [(), ("judge",)])
def test_without_such_a_worker_the_run_starts_again_under_the_present_signature(
    of_another_version: Run, others: tuple[str, ...]
) -> None:
    for queue in others:
        other_worker(queue)
    signature = of_another_version.signature
    tasks.execute_run(str(of_another_version.pk), in_turn=True)
    of_another_version.refresh_from_db()
    assert of_another_version.state == RunState.NOT_CONFIGURED
    sweeper.sweep()
    tasks.execute_run(str(of_another_version.pk), in_turn=True)
    of_another_version.refresh_from_db()
    assert (of_another_version.state, of_another_version.signature) == (RunState.DONE, signature)


def test_a_message_of_a_later_version_may_say_more(made: Benchmark) -> None:
    send(made, factories.user(), 1)
    tasks.execute_run(str(Run.objects.get(metric="accuracy").pk), in_turn=True, colour="blue")
    assert Run.objects.get(metric="accuracy").state == RunState.DONE
