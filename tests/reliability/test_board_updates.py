"""Boards that real workers write: every change is shown, also where a worker is killed while it writes."""

import os
import signal
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.board.lookup import find_board
from leaderboard.board.write import write
from leaderboard.models import BoardChange, BoardSnapshot, Submission
from leaderboard.publishing.services import publish_submission
from scoring.models import Split
from tests import boards, factories
from tests.processes import Beat, Worker
from tests.reliability.ground import wait_until
from tests.services import Redis

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
BOARD = reverse("board", args=["fanoutqa", "dev", "openbook"])
N_SYSTEMS = 4


def dev_board() -> Split:
    """A benchmark whose dev board has a few systems, so that there are statistics to compute.

    Its document exists: a page that finds none writes it, and only the next sweep has the statistics computed.
    """
    made = factories.benchmark(n_dev=40)
    dev = factories.split(made, "dev")
    boards.fill(dev, factories.setting(made), N_SYSTEMS)
    write(dev, factories.setting(made))
    return dev


def scored(dev: Split, name: str) -> Submission:
    """A submission that is scored and on no board. No worker may run meanwhile: it would take its runs."""
    owner = factories.user(name.replace(" ", "").lower())
    return factories.scored(owner, dev, {"openbook": factories.perfect(n=40)}, name=name)


def publish(sent: Submission) -> None:
    publish_submission(sent, actor=sent.owner, approved=True)  # the files are alike


def page() -> str:
    return Client().get(BOARD).content.decode()


def is_settled() -> bool:
    """Whether the board shows its statistics and has a dated state of what it shows."""
    found = find_board("fanoutqa", "dev", "openbook")
    assert found is not None
    return not BoardChange.objects.exists() and "being computed" not in page() and "being updated" not in page()


def test_a_published_name_then_statistics_then_a_dated_state(
    redis_server: Redis, make_worker: Callable[..., Worker]
) -> None:
    """No sweep runs here: the message that publishing sends is enough."""
    dev = dev_board()
    sent = scored(dev, "Engine")
    make_worker()
    publish(sent)
    wait_until("the name on the board", lambda: "Engine" in page())
    wait_until("the statistics on the board", is_settled)
    wait_until("a dated state is stored", BoardSnapshot.objects.filter(split=dev).exists)
    assert ", 95 % rank range 1" in page(), "rank ranges are statistics"


def test_a_worker_killed_while_it_writes_loses_no_change(
    redis_server: Redis, beat: Beat, make_worker: Callable[..., Worker]
) -> None:
    dev = dev_board()
    changes = [(scored(dev, f"First {number}"), scored(dev, f"Second {number}")) for number in range(3)]
    Submission.objects.update(notified_at=timezone.now())  # no worker locks a row to send a mail
    worker = make_worker()
    for first, second in changes:
        os.killpg(worker.pid, signal.SIGSTOP)
        publish(first)
        os.killpg(worker.pid, signal.SIGCONT)
        publish(second)
        worker.kill9()  # somewhere between the message and the document
        worker.start()
    for sent in (sent for pair in changes for sent in pair):
        wait_until(f"{sent} is shown", lambda name=sent.name: name in page())  # type: ignore[misc]
    wait_until("the statistics on the board", is_settled)
