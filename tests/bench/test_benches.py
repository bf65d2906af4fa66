"""Every bench works: once in a small size, in processes of their own, as ``make bench`` runs them.

The quick tests run the simulations in that size (`tests.bench.test_calibration`).
"""

import subprocess
import sys

import pytest

from tests.bench.registry import ROOT

ELSEWHERE = "calibration-"
COMMAND = (sys.executable, "-m", "tests.bench")


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.postgres
@pytest.mark.redis
def test_every_bench_works_in_a_small_size() -> None:
    listed = subprocess.run([*COMMAND, "--list"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert listed.stderr == "", "no bench is left out"
    names = [name for name in listed.stdout.splitlines() if not name.startswith(ELSEWHERE)]
    assert len(names) > 5
    done = subprocess.run([*COMMAND, "--short", *names], cwd=ROOT, capture_output=True, text=True)
    failed = [line for line in done.stdout.splitlines() if line.startswith("failed: ")]
    assert done.returncode == 0 and not failed, (failed, done.stdout[-20_000:])
