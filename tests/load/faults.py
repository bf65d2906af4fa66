"""Submissions to a cluster while its parts fail: what was accepted, scored, paid and lost.

``python -m tests.load.faults --seconds 60`` starts a cluster (`tests.load.cluster`), submits, and lets one part after
the other fail; then everything must balance. It prints the ledger as JSON, and ends with status 1 if it does not.
"""

import argparse
import dataclasses
import itertools
import json
import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import psutil
import psycopg

from manyhop import Client
from manyhop.errors import ApiError, NoAnswerError
from tests.load.cluster import Cluster, cluster_in_a_folder
from tests.services import wait_for

FEWEST_SUBMISSIONS = 6
PAUSE_SECONDS = 1.0
"""Between two faults."""
PATIENCE_SECONDS = 600.0
"""How long anything may take before the run says that it never happens. Nothing is measured by it."""


@dataclass
class Ledger:
    """What a run of faults came to; ``problems`` is empty if everything balances."""

    faults: dict[str, int] = field(default_factory=dict)
    accepted: int = 0
    requests_repeated: int = 0
    scores: int = 0
    verdicts: int = 0
    judge_calls: int = 0
    calls_in_flight_at_kills: int = 0
    receipts: int = 0
    pages_with_the_row: int = 0
    megabytes: dict[str, list[float]] = field(default_factory=dict)
    """The memory of each process after each fault."""
    problems: list[str] = field(default_factory=list)


class Faults:
    """What fails, each for a moment. A fault is put right before the next one."""

    def __init__(self, cluster: Cluster, ledger: Ledger) -> None:
        self._cluster = cluster
        self._ledger = ledger
        self.all: list[Callable[[], None]] = [
            self.worker_killed,
            self.redis_primary_killed,
            self.pooler_restarted,
            self.web_server_killed,
            self.store_fails,
            self.replica_stopped,
            self.site_worker_killed,
        ]

    def worker_killed(self) -> None:
        worker = random.choice(self._cluster.workers)
        self._ledger.calls_in_flight_at_kills += self._cluster.judge.in_flight
        worker.kill9()
        worker.start()

    def site_worker_killed(self) -> None:
        self._cluster.site_worker.kill9()
        self._cluster.site_worker.start()

    def web_server_killed(self) -> None:
        web = random.choice(self._cluster.webs)
        web.kill9()
        web.start()

    def redis_primary_killed(self) -> None:
        primary = self._cluster.primary_redis()
        primary.kill9()
        wait_for(lambda: self._cluster.primary_redis() is not primary, PATIENCE_SECONDS, "a new primary of Redis")
        primary.start()

    def pooler_restarted(self) -> None:
        self._cluster.bouncer.kill9()
        self._cluster.bouncer.start()

    def store_fails(self) -> None:
        self._cluster.store.faults += ["503", "slow", "cut", "gone"]

    def replica_stopped(self) -> None:
        self._cluster.replica.pause()
        time.sleep(2)
        self._cluster.replica.resume()


class Submitter(threading.Thread):
    """Sends one submission after the other, to each web server in turn, and each again until it is accepted."""

    def __init__(self, cluster: Cluster, token: str, files: list[bytes], ledger: Ledger) -> None:
        super().__init__(daemon=True)
        self._cluster = cluster
        self._token = token
        self._files = files
        self._ledger = ledger
        self.accepted: list[str] = []
        """The submissions' ids, in the order of the files that were sent, over and over."""
        self.done = threading.Event()

    def run(self) -> None:
        try:
            while len(self.accepted) < FEWEST_SUBMISSIONS or not self.done.is_set():
                self.accepted.append(self._submit(len(self.accepted)))
                time.sleep(0.2)
        except Exception as error:
            self._ledger.problems.append(f"submission {len(self.accepted)}: {error!r}")

    def _submit(self, number: int) -> str:
        webs = itertools.cycle(self._cluster.webs[number % 2 :] + self._cluster.webs[: number % 2])
        for web in webs:
            try:
                with Client(web.url, self._token, attempts=1) as client:
                    sent = client.submit(
                        {"openbook": self._files[number % len(self._files)]},
                        benchmark="fanoutqa",
                        split="dev",
                        name=f"System {number}",
                        authors="A. Author",
                        type="FOUNDATION",
                        context_size=8192,
                    )
                return str(sent.id)
            except NoAnswerError:
                self._ledger.requests_repeated += 1
            except ApiError as error:
                if error.status < 500:
                    raise
                self._ledger.requests_repeated += 1
            time.sleep(0.2)
        raise AssertionError("there is always a next web server")


def run(cluster: Cluster, seconds: float) -> Ledger:
    """Submit while parts fail, for so long; then wait for the scores and look at everything."""
    ledger = Ledger()
    ground = cluster.ask("prepare")
    submitter = Submitter(cluster, ground["token"], [text.encode() for text in ground["files"]], ledger)
    submitter.start()
    faults = Faults(cluster, ledger)
    deadline = time.monotonic() + seconds
    for number, fault in enumerate(itertools.cycle(faults.all)):
        if number >= len(faults.all) and time.monotonic() > deadline:
            break
        ledger.faults[fault.__name__] = ledger.faults.get(fault.__name__, 0) + 1
        fault()
        _note_memory(cluster, ledger)
        time.sleep(PAUSE_SECONDS)
    submitter.done.set()
    submitter.join()
    ledger.accepted = len(submitter.accepted)
    balance = cluster.ask("balance", json.dumps(submitter.accepted))
    ledger.scores, ledger.verdicts, ledger.receipts = balance["scores"], balance["verdicts"], balance["receipts"]
    ledger.problems += balance["problems"]
    ledger.judge_calls = len(cluster.judge.chats)
    if not 0 <= ledger.judge_calls - ledger.verdicts <= ledger.calls_in_flight_at_kills:
        ledger.problems.append(f"{ledger.judge_calls} calls of the judge for {ledger.verdicts} verdicts")
    if submitter.accepted:
        _publish(cluster, ledger, submitter.accepted[-1], ground["token"])
    return ledger


def _note_memory(cluster: Cluster, ledger: Ledger) -> None:
    """The memory of each process of the site that still runs since its start, children included."""
    for process in cluster.processes:
        members = [psutil.Process(process.pid)]
        members += members[0].children(recursive=True)
        total = sum(member.memory_full_info().pss for member in members)
        ledger.megabytes.setdefault(f"{process.name} {process.log.parent.name}", []).append(round(total / 2**20, 1))


def _publish(cluster: Cluster, ledger: Ledger, pk: str, token: str) -> None:
    """Publish a submission: readers without an account then see it on each web server, from the replica."""
    with Client(cluster.webs[0].url, token) as client:
        name = client.publish(pk).name
    before = _n_transactions(cluster.replica.url)
    for web in cluster.webs:

        def shows_it(address: str = f"{web.url}/fanoutqa/dev/openbook/") -> bool:
            return name in httpx.get(address).text

        wait_for(shows_it, PATIENCE_SECONDS, f"{name} on the board")
        ledger.pages_with_the_row += 1
    if _n_transactions(cluster.replica.url) <= before + 1:
        ledger.problems.append("readers' pages did not come from the replica")


def _n_transactions(url: str) -> int:
    """How many transactions a server has ended."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'").fetchone()
    assert row is not None
    return int(row[0])


def main() -> None:
    """Run, print the ledger, and say by the status whether it balances."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.0, help="how long parts fail; each fails once at least")
    options = parser.parse_args()
    with cluster_in_a_folder() as cluster:
        ledger = run(cluster, options.seconds)
    print(json.dumps(dataclasses.asdict(ledger), indent=1))
    sys.exit(bool(ledger.problems))


if __name__ == "__main__":
    main()
