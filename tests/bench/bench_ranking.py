"""The page of a ranking of 200 systems, beside that of a board without systems: the same frame and text, no numbers."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.bench_pages import ROOT, _site
from tests.bench.registry import Report, bench

SYSTEMS = 200
MOST = 3


@bench("pages-ranking")
def ranking(report: Report) -> None:
    """The first rendering after the board changed, and the cached page, beside the empty page in the same state."""
    with tempfile.TemporaryDirectory(prefix="manyhop-bench-") as folder, _site(Path(folder), report) as environment:
        command = [sys.executable, "-m", "tests.bench.ranking_site", str(SYSTEMS)]
        done = subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    report.note(f"{SYSTEMS} systems, all pairs compared; medians of requests in one process, without the network.")
    for state, (full, empty) in json.loads(done.stdout).items():
        report.measure(
            f"ranking, {state}, against an empty page",
            full / empty,
            "times",
            beside=f"{1000 * full:.1f} ms against {1000 * empty:.1f} ms",
            at_most=MOST,
        )
