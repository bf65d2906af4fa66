"""A site of several machines lives through the failure of each of its parts."""

import json
import subprocess
import sys

import pytest

from tests.paths import ROOT


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.pgbouncer
@pytest.mark.timeout(1200)
def test_nothing_is_lost_while_each_part_of_a_cluster_fails() -> None:
    command = [sys.executable, "-m", "tests.load.faults"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout, done.stderr[-20_000:]
    ledger = json.loads(done.stdout)
    assert done.returncode == 0 and ledger["problems"] == [], done.stdout
    assert len(ledger["faults"]) == 7
    assert ledger["accepted"] == ledger["receipts"] >= 6
    assert ledger["pages_with_the_row"] == 2
