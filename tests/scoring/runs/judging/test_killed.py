"""Real workers, killed at any point: what was paid for is never asked for again."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from scoring.models import AnswerSet, Run, Score, Split, Verdict
from scoring.models.run_states import RunState
from scoring.runs.judging.baselines import choose_baseline
from tests import compared_site, factories
from tests.judge_server import JudgeServer, Play
from tests.processes import Beat, Worker, child_environment
from tests.scoring.conftest import KEY
from tests.scoring.runs.judging.site import judged_by, run_of, submit
from tests.services import PATIENCE_SECONDS, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

N = 60
CONCURRENCY = 4


@pytest.fixture
def process_options(server: JudgeServer) -> dict[str, str]:
    return {
        "RUN_LEASE_SECONDS": "6",
        "RUN_RESEND_SECONDS": "1",
        "SWEEP_SECONDS": "1",
        "JUDGE_BASE_URL": server.url,
        "JUDGE_API_KEY": KEY,
        "JUDGE_CONCURRENCY": str(CONCURRENCY),
        "JUDGE_RETRY_SECONDS": "1",
    }


@pytest.fixture
def judge_worker(
    transactional_db: None, broker: str, process_options: dict[str, str], tmp_path: Path
) -> Iterator[Worker]:
    environment = child_environment(CELERY_BROKER_URL=broker, **process_options)
    worker = Worker(tmp_path, environment, name="judge", queues="cpu,judge")
    try:
        yield worker.start()
    finally:
        worker.stop()


def wait_until(what: str, condition: Callable[[], object]) -> None:
    def runs() -> list[str]:
        return [f"{run.state} {run.done_items}/{run.total_items} {run.reason}" for run in Run.objects.all()]

    wait_for(condition, PATIENCE_SECONDS, lambda: f"{what}; {runs()}", 0.01)


def are_kept(count: int) -> bool:
    return Verdict.objects.count() >= count


def answer_only(server: JudgeServer, n: int) -> Callable[[], bool]:
    """Answer *n* more requests and leave the others waiting, so that a run stays in the middle; returns whether all
    that can be under way then have arrived."""
    limit = len(server.chats) + n
    server.rule = lambda chat: Play("silent") if len(server.chats) > limit else None
    return lambda: len(server.chats) == limit + CONCURRENCY


def answer_all(server: JudgeServer) -> None:
    server.rule = lambda chat: None


def sixty_questions() -> Split:
    made = factories.benchmark()
    split = factories.split(made, "dev")
    overrides = {index: f"city number {index}" for index in range(N)}
    factories.revise(split, factories.source_questions("dev", N, overrides=overrides))
    return factories.split(made, "dev")


def test_killed_again_and_again_it_never_asks_for_what_is_kept(
    settings: object, server: JudgeServer, judge_worker: Worker, beat: Beat
) -> None:
    judged_by(settings, server)
    split = sixty_questions()
    all_arrived = answer_only(server, 12)
    run = run_of(submit(split, {f"dev-{index}": f"It is city number {index}" for index in range(N)}))
    at_death = []
    for n_kept, n_further in ((12, 24), (36, N)):
        wait_until("some verdicts are kept", partial(are_kept, n_kept))
        wait_until("the next are asked for", all_arrived)
        judge_worker.kill9()
        kept = set(Verdict.objects.values_list("qid", flat=True))
        assert len(kept) == n_kept
        at_death.append((kept, len(server.chats)))
        all_arrived = answer_only(server, n_further)
        judge_worker.start()
    wait_until("the run is done", lambda: Run.objects.get(pk=run.pk).state == RunState.DONE)
    assert Score.objects.get(run=run).value == 1.0
    assert Verdict.objects.count() == N
    for kept, n_chats in at_death:
        asked_afterwards = {f"dev-{chat.question.split('(')[1].rstrip(')?')}" for chat in server.chats[n_chats:]}
        assert not kept & asked_afterwards, "a verdict that was kept was asked for again"
    lost = len(server.chats) - N
    assert 0 <= lost <= 2 * CONCURRENCY, "at most what was under way when it was killed"
    assert len({chat.headers["idempotency-key"] for chat in server.chats}) == N, "a provider that knows it bills once"


def test_a_run_whose_endpoint_was_down_ends_by_itself(
    settings: object, server: JudgeServer, judge_worker: Worker, beat: Beat
) -> None:
    judged_by(settings, server)
    split = sixty_questions()
    answer_only(server, 10)
    run = run_of(submit(split, {f"dev-{index}": f"It is city number {index}" for index in range(N)}))
    wait_until("some verdicts are kept", partial(are_kept, 10))
    server.stop()
    answer_all(server)
    wait_until("it waits and says why", lambda: "is not answering" in Run.objects.get(pk=run.pk).reason)
    waiting = Run.objects.get(pk=run.pk)
    assert waiting.state in (RunState.WAITING, RunState.RUNNING)
    assert Verdict.objects.count() < N
    server.start()
    wait_until("the run is done", lambda: Run.objects.get(pk=run.pk).state == RunState.DONE)
    assert Score.objects.get(run=run).value == 1.0
    assert Verdict.objects.count() == N


def test_a_comparison_that_is_killed_pays_nothing_twice_but_what_was_in_flight(
    settings: object, server: JudgeServer, judge_worker: Worker, beat: Beat
) -> None:
    n = 20
    judged_by(settings, server)
    all_arrived = answer_only(server, n)
    split = factories.split(compared_site.declare(n), "dev")
    base = factories.submission(
        factories.user("base"), split, {"closed-book": {f"dev-{index}": f"Worth {40 + index}" for index in range(n)}}
    )
    choose_baseline(split, AnswerSet.objects.get(submission_file__submission=base), by="mia")
    sent = factories.submission(
        factories.user("ada"), split, {"closed-book": {f"dev-{index}": f"Worth {70 - index}" for index in range(n)}}
    )
    wait_until("some verdicts are kept", partial(are_kept, n))
    wait_until("the next are asked for", all_arrived)
    judge_worker.kill9()
    assert Verdict.objects.count() == n
    answer_all(server)
    judge_worker.start()
    run = Run.objects.get(answer_set__submission_file__submission=sent)
    wait_until("the run is done", lambda: Run.objects.get(pk=run.pk).state == RunState.DONE)
    assert Verdict.objects.count() == 2 * n - 1, "equal answers have one order"
    asked = {chat.body["messages"][-1]["content"] for chat in server.chats}
    assert len(server.chats) - len(asked) <= CONCURRENCY, "at most what was in flight when it was killed"
    assert Score.objects.get(run=run, name="side-by-side.win-rate").value == 15.5 / n
