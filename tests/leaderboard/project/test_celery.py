"""What a worker process is like before its first task."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT, child_environment


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted on Linux")
def test_a_worker_computes_matrix_products_in_one_thread() -> None:
    """It has as many processes as it may use cores; threads beside them would wait for each other."""
    script = (
        "import os, leaderboard.celery, numpy\n"
        "numpy.ones((600, 600)) @ numpy.ones((600, 600))\n"
        "print(len(os.listdir('/proc/self/task')))\n"
    )
    environment = {key: value for key, value in child_environment().items() if key != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
