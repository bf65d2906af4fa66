"""``make load``: people at a cluster, and what they waited: a table, and status 1 if a request failed.

``python -m tests.load.people --people 50 --seconds 60`` starts a cluster (`tests.load.cluster`) with a study, a grading
round and a board, and lets Locust do what `tests.load.locustfile` says.
"""

import argparse
import json
import subprocess
import sys
from typing import Any

from tests.load.cluster import Cluster, cluster_in_a_folder
from tests.processes import ROOT


def run(cluster: Cluster, people: int, seconds: float, *, senders: int = 0, mib: float = 1.2) -> list[dict[str, Any]]:
    """What Locust counted for each kind of request.

    Args:
        senders: instead of people of every kind there are readers, and as many who each send a file every six seconds.
        mib: the size of these files.
    """
    ground = cluster.ask("people", str(people)) | {"webs": [web.url for web in cluster.webs]}
    if senders:
        ground |= {"senders": senders, "upload": _padded(ground["files"][0], mib)}
    file = cluster.directory / "ground.json"
    file.write_text(json.dumps(ground))
    command = [sys.executable, "-m", "locust", "--locustfile", "tests/load/locustfile.py", "--headless", "--json"]
    command += ["Reader", "Sender"] if senders else []
    command += ["--users", str(people + senders), "--spawn-rate", "10", "--run-time", f"{seconds:g}s", "--only-summary"]
    command += ["--host", cluster.webs[0].url, "--exit-code-on-error", "0", "--loglevel", "WARNING"]
    done = subprocess.run(
        command, cwd=ROOT, env=cluster.environment | {"MANYHOP_LOAD": str(file)}, stdout=subprocess.PIPE, check=True
    )
    counted: list[dict[str, Any]] = json.loads(done.stdout)
    return counted


def _padded(generations: str, mib: float) -> str:
    """A generations file with a further key in each line, which makes it so large."""
    lines = [json.loads(line) for line in generations.splitlines()]
    words = int(mib * 2**20 / len(lines)) // len("word ")
    return "".join(json.dumps(line | {"context": "word " * words}) + "\n" for line in lines)


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
    parser.add_argument("--senders", type=int, default=0, help="send a file every six seconds each, beside readers")
    parser.add_argument("--mib", type=float, default=1.2, help="the size of their files")
    options = parser.parse_args()
    with cluster_in_a_folder() as cluster:
        counted = run(cluster, options.people, options.seconds, senders=options.senders, mib=options.mib)
    print(f"{'requests':>8} {'failed':>6} {'median':>8} {'95 %':>8} {'most':>8}  (ms)")
    for row in sorted(counted, key=lambda row: row["name"]):
        median, slow = share_within(row, 0.5), share_within(row, 0.95)
        times = f"{median:8.0f} {slow:8.0f} {row['max_response_time']:8.0f}"
        print(f"{row['num_requests']:8} {row['num_failures']:6} {times}  {row['method']} {row['name']}")
    sys.exit(any(row["num_failures"] for row in counted))


if __name__ == "__main__":
    main()
