"""The scripts that the documentation gives, run as they stand against a real site: shell, Python and the CI job."""

import html
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest
import yaml
from django.db import connection

from leaderboard.accounts import tokens
from leaderboard.models import IdempotentRequest, Submission, User
from scoring.models import Benchmark, Score
from tests import boards, factories
from tests.processes import Site

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ada(transactional_db: None) -> User:
    return factories.user()


@pytest.fixture
def site(live_site: Site, tmp_path: Path) -> Site:
    made: Benchmark = factories.benchmark(n_test=12)
    boards.fill(factories.split(made, "dev"), factories.setting(made), 3)
    boards.fill(factories.split(made, "test"), factories.setting(made), 120, prefix="Other")
    (tmp_path / "generations.jsonl").write_bytes(factories.generations(factories.perfect()))
    return live_site


@pytest.fixture
def environment(ada: User) -> dict[str, str]:
    _, secret = tokens.create_token(user=ada, name="CI")
    run = {"GITHUB_REPOSITORY": "ada/system", "GITHUB_RUN_ID": "17", "GITHUB_REF_NAME": "v1.0"}
    return {"PATH": os.environ["PATH"], "MANYHOP_TOKEN": secret, **run}


def script(site: Site, name: str) -> str:
    """A script as the page shows it."""
    with urllib.request.urlopen(f"{site.url}/api/v1/docs/") as page:
        found = re.search(rf'<pre[^>]*id="script-{name}"[^>]*>(.*?)</pre>', page.read().decode(), re.DOTALL)
    assert found
    return html.unescape(found.group(1))


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_shell(site: Site, environment: dict[str, str], tmp_path: Path) -> None:
    command = ["bash", "-euc", script(site, "shell")]
    checked, sent = json.loads("[" + run(command, tmp_path, environment).replace("}{", "},{") + "]")
    assert checked["valid"]
    assert sent["name"] == "My system"
    assert Submission.objects.count() == 1
    run(command, tmp_path, environment)
    assert Submission.objects.count() == 1, "the same file has the same key"


def test_reading_in_python(site: Site, environment: dict[str, str], tmp_path: Path) -> None:
    told = run([sys.executable, "-c", script(site, "read")], tmp_path, environment).splitlines()
    assert told[0].startswith("1 System ")
    assert sum(line.startswith("other-") for line in told) == 120, "of every page"


def test_submitting_in_python(site: Site, environment: dict[str, str], tmp_path: Path) -> None:
    text = script(site, "python").replace("time.sleep(5)", "time.sleep(0.1)")

    def score() -> None:
        try:
            while not Submission.objects.exists():
                time.sleep(0.05)
            factories.score(Submission.objects.get())
        finally:
            connection.close()

    worker = threading.Thread(target=score)
    worker.start()
    told = run([sys.executable, "-c", text], tmp_path, environment)
    worker.join()
    loose = Score.objects.get(name="loose", run__answer_set__submission_file__isnull=False)
    assert f"loose {loose.value}" in told
    assert "bleurt not_configured" in told


def test_a_broken_file_in_python(site: Site, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "generations.jsonl").write_bytes(b'{"id": "dev-0", "answer": "x"}\n{"id": 3}\nnonsense\n')
    done = subprocess.run(
        [sys.executable, "-c", script(site, "python")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 1
    assert "generations.jsonl:2: " in done.stdout
    assert "generations.jsonl:3: " in done.stdout
    assert not Submission.objects.exists()


def test_the_job(site: Site, environment: dict[str, str], tmp_path: Path) -> None:
    job = yaml.safe_load(script(site, "job"))["jobs"]["submit"]
    steps = [step["run"] for step in job["steps"] if "curl" in step.get("run", "")]
    assert len(steps) == 2
    for _ in range(2):
        for step in steps:
            run(["bash", "-euc", step], tmp_path, environment)
    assert Submission.objects.get().name == "My system v1.0"
    assert IdempotentRequest.objects.get().key == "ada/system/17"
