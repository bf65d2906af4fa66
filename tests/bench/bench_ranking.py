"""The page of a ranking of 200 systems, beside that of a board without systems: the same frame and text, no numbers."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.bench.bench_pages import _site
from tests.bench.registry import Report, bench, output_of

SYSTEMS = 200
REPEATS = 41
MOST = 3


@bench("pages-ranking")
def ranking(report: Report) -> None:
    """The first rendering after the board changed, and the cached page, beside the empty page in the same state."""
    with tempfile.TemporaryDirectory(prefix="manyhop-bench-") as folder, _site(Path(folder), report) as environment:
        n_systems, repeats = report.size(SYSTEMS, 5), report.size(REPEATS, 1)
        command = [sys.executable, "-m", "tests.bench.ranking_site", str(n_systems), str(repeats)]
        medians = json.loads(output_of(command, env=environment))
    report.note(f"{n_systems} systems, all pairs compared; medians of requests in one process, without the network.")
    for state, (full, empty) in medians.items():
        report.measure(
            f"ranking, {state}, against an empty page",
            full / empty,
            "times",
            beside=f"{1000 * full:.1f} ms against {1000 * empty:.1f} ms",
            at_most=MOST,
        )
