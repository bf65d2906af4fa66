"""``make load``: people at a cluster, and what they waited: a table, and status 1 if a request failed.

``python -m tests.load.people --people 50 --seconds 60`` starts a cluster (`tests.load.cluster`) with a study, a grading
round and a board, and lets Locust do what `tests.load.locustfile` says.
"""

import argparse
import json
import resource
import subprocess
import sys
from typing import Any

import psutil

from tests.load.cluster import Cluster, cluster_in_a_folder
from tests.processes import ROOT

SENDERS = "senders and readers"
OF_A_SITE = {"JUDGE_BASE_URL": "", "RUN_LEASE_SECONDS": "60", "RUN_RESEND_SECONDS": "10", "SWEEP_SECONDS": "10"}
"""A cluster looks for dead workers every second, for tests; with senders it does as a site, and judges nothing."""


def run(
    cluster: Cluster, people: int, seconds: float, *, senders: int = 0, mib: float = 0
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """What Locust counted for each kind of request, and the seconds of processor that each part of the cluster took.

    Args:
        senders: instead of people of every kind there are readers, and as many who each send a submission of three
            files with 724 answers every six seconds.
        mib: what their files have at least, together.
    """
    ground = cluster.ask("senders", str(senders)) if senders else cluster.ask("people", str(people))
    ground["webs"] = [web.url for web in cluster.webs]
    if senders:
        ground |= {"senders": senders, "upload": _padded(ground["upload"], mib)}
    file = cluster.directory / "ground.json"
    file.write_text(json.dumps(ground))
    command = [sys.executable, "-m", "locust", "--locustfile", "tests/load/locustfile.py", "--headless", "--json"]
    command += ["Reader", "Sender"] if senders else []
    command += ["--users", str(people + senders), "--spawn-rate", "10", "--run-time", f"{seconds:g}s", "--only-summary"]
    command += ["--host", cluster.webs[0].url, "--exit-code-on-error", "0", "--loglevel", "WARNING"]
    before, senders_before, all_before = cluster.busy(), _ended(), _machine()
    done = subprocess.run(
        command, cwd=ROOT, env=cluster.environment | {"MANYHOP_LOAD": str(file)}, stdout=subprocess.PIPE, check=True
    )
    busy = {part: taken - before[part] for part, taken in cluster.busy().items()}
    counted: list[dict[str, Any]] = json.loads(done.stdout)
    busy[SENDERS] = _ended() - senders_before
    return counted, busy | {"all else": _machine() - all_before - sum(busy.values())}


def _ended() -> float:
    """The seconds of processor of our children that ended: of Locust, since the cluster's processes go on."""
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime


def _machine() -> float:
    """The seconds of processor that everything on this machine has taken."""
    taken = psutil.cpu_times()
    return taken.user + taken.nice + taken.system + taken.irq + taken.softirq


def _padded(files: dict[str, str], mib: float) -> dict[str, str]:
    """The files with a further key in each line, if they are smaller than that."""
    missing = mib * 2**20 - sum(map(len, files.values()))
    words = int(missing / sum(text.count("\n") for text in files.values())) // len("word ")
    if words <= 0:
        return files
    return {
        setting: "".join(
            json.dumps(json.loads(line) | {"context": "word " * words}) + "\n" for line in text.splitlines()
        )
        for setting, text in files.items()
    }


def share_within(counted: dict[str, Any], share: float) -> float:
    """The milliseconds within which that share of the requests was answered."""
    left = share * counted["num_requests"]
    times = sorted((float(milliseconds), n) for milliseconds, n in counted["response_times"].items())
    for milliseconds, n in times:
        left -= n
        if left <= 0:
            return milliseconds
    return times[-1][0] if times else 0.0


def main() -> None:
    """Run, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument(
        "--senders", type=int, default=0, help="send three files every six seconds each, beside readers"
    )
    parser.add_argument("--mib", type=float, default=0, help="what their files have at least, together")
    options = parser.parse_args()
    with cluster_in_a_folder(**(OF_A_SITE if options.senders else {})) as cluster:
        counted, busy = run(cluster, options.people, options.seconds, senders=options.senders, mib=options.mib)
    print(f"{'requests':>8} {'failed':>6} {'median':>8} {'95 %':>8} {'most':>8}  (ms)")
    for row in sorted(counted, key=lambda row: row["name"]):
        median, slow = share_within(row, 0.5), share_within(row, 0.95)
        times = f"{median:8.0f} {slow:8.0f} {row['max_response_time']:8.0f}"
        print(f"{row['num_requests']:8} {row['num_failures']:6} {times}  {row['method']} {row['name']}")
    print("\nseconds of processor: " + ", ".join(f"{part} {taken:.1f}" for part, taken in busy.items()))
    sys.exit(any(row["num_failures"] for row in counted))


if __name__ == "__main__":
    main()
