"""What Prometheus and load balancers are told, and that nobody else is."""

import datetime
import math
import os
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import redis
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

import leaderboard
from leaderboard.operations import health
from leaderboard.operations.metrics.requests import exposition
from leaderboard.operations.metrics.site import SiteCollector
from scoring import tasks
from scoring.models import Run, Verdict, WorkerHeartbeat, clock, workers
from scoring.models.run_states import RunState
from tests import factories
from tests.processes import Site, Worker
from tests.services import PATIENCE_SECONDS, Redis, wait_for

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]
TOKEN = "a-token-that-prometheus-knows"


def samples(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


@pytest.mark.django_db
class TestMetrics:
    def test_only_the_token_and_maintainers_see_them(self, client: Client, settings: Any) -> None:
        assert client.get("/metrics").status_code == 404
        assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404, "no token is no key"
        settings.METRICS_TOKEN = TOKEN
        for wrong in ("", "Bearer", f"Bearer {TOKEN}x", "Bearer ünï"):
            assert client.get("/metrics", headers={"Authorization": wrong}).status_code == 404
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith("text/plain; version=")
        assert answer["Cache-Control"] == "no-store"
        client.force_login(factories.user("somebody", is_staff=True))
        assert client.get("/metrics").status_code == 404
        client.force_login(factories.maintainer())
        assert client.get("/metrics").status_code == 200

    def test_metrics_count_the_runs_and_verdicts_of_the_site(self) -> None:
        made = factories.benchmark()
        owner = factories.user()
        sent = factories.scored(owner, factories.split(made, "dev"), {"openbook": factories.perfect()})
        factories.submission(owner, factories.split(made, "dev"), {"closedbook": factories.perfect()}, name="Waiting")
        Run.objects.filter(state=RunState.WAITING).update(created_at=timezone.now() - datetime.timedelta(hours=2))
        for ask in (1, 2):
            Verdict.objects.create(
                address=str(ask) * 64, ask=ask, qid="dev-0", outcome="verdict", letter="B", model="m-1", seed=1,
                tokens_in=100, tokens_out=7, price_usd=Decimal("0.0125"),
            )  # fmt: skip
        workers.record_heartbeat("cpu@one", ["cpu"])
        workers.record_heartbeat("both@two", ["cpu", "judge"])
        WorkerHeartbeat.objects.filter(name="cpu@one").update(seen_at=timezone.now() - datetime.timedelta(minutes=3))
        assert value(samples(exposition(SiteCollector()).decode()), "manyhop_sweep_age_seconds") == math.inf
        workers.record_sweep()
        WorkerHeartbeat.objects.filter(name=workers.SWEEP).update(seen_at=timezone.now() - datetime.timedelta(hours=1))
        found = samples(exposition(SiteCollector()).decode())
        assert value(found, "manyhop_sweep_age_seconds") == pytest.approx(3600, abs=60)
        n_done = Run.objects.filter(answer_set__submission_file__submission=sent, metric="rouge").count()
        assert value(found, "manyhop_runs", metric="rouge", state="done") == n_done == 1
        assert value(found, "manyhop_runs", metric="rouge", state="waiting") == 1
        assert value(found, "manyhop_runs", metric="rouge", state="failed") == 0, (
            "a series is there before it is needed"
        )
        assert value(found, "manyhop_queue_runs", queue="cpu") == Run.objects.filter(state=RunState.WAITING).count() > 0
        assert value(found, "manyhop_queue_oldest_seconds", queue="cpu") == pytest.approx(7200, abs=60)
        assert value(found, "manyhop_queue_oldest_seconds", queue="bleurt") == 0
        assert value(found, "manyhop_workers", queue="cpu") == 1, "one of the two was not heard of lately"
        assert value(found, "manyhop_workers", queue="judge") == 1
        assert value(found, "manyhop_workers", queue="bleurt") == 0
        assert value(found, "manyhop_judge_calls_total", model="m-1", outcome="verdict") == 2
        assert value(found, "manyhop_judge_tokens_total", model="m-1", way="sent") == 200
        assert value(found, "manyhop_judge_cost_usd_total", model="m-1") == pytest.approx(0.025)
        assert value(found, "manyhop_submissions_total") == 2

    def test_they_cost_the_same_whatever_is_there(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        made = factories.benchmark()
        for number in range(3):
            factories.scored(
                factories.user(f"user{number}"), factories.split(made, "dev"), {"openbook": factories.perfect()}
            )
            with django_assert_num_queries(7 if connection.vendor == "sqlite" else 9):  # the time, asked twice
                exposition(SiteCollector())

    def test_no_label_tells_of_a_person_a_system_or_an_address(self, client: Client) -> None:
        made = factories.benchmark()
        sent = factories.published(
            factories.user("ada-lovelace"),
            factories.split(made, "dev"),
            {"openbook": factories.perfect()},
            name="Secretive",
        )
        for address in (sent.get_absolute_url(), "/systems/secretive/", "/nothing/here-at-all", "/?q=secretive"):
            client.get(address)
        client.generic("BREW", "/")
        text = exposition(SiteCollector()).decode()
        assert "ada-lovelace" not in text
        assert "ecretive" not in text
        assert str(sent.pk) not in text
        assert "here-at-all" not in text
        assert "BREW" not in text
        found = samples(text)
        assert value(found, "manyhop_request_seconds_count", view="system", method="GET", status="2xx") >= 1
        assert value(found, "manyhop_request_seconds_count", view="none", method="GET", status="4xx") >= 1


@pytest.mark.django_db
class TestReady:
    def ask(self, client: Client) -> tuple[int, dict[str, str]]:
        answer = client.get("/readyz")
        return answer.status_code, answer.json()

    def test_a_worker_was_heard_of_lately(self, client: Client) -> None:
        assert self.ask(client) == (
            503,
            {
                "status": "unavailable",
                "version": leaderboard.__version__,
                "database": "ok",
                "queue": "ok",
                "workers": health.NO_WORKER,
                "files": "ok",
                "scheduler": workers.NO_SWEEP,
                "housekeeping": health.NO_SITE_WORKER,
                "clocks": "ok",
            },
        )
        workers.record_heartbeat("cpu@one", ["cpu"])
        tasks.sweep()
        parts = dict.fromkeys(("status", "database", "queue", "workers", "files", "scheduler", "clocks"), "ok")
        parts["version"] = leaderboard.__version__
        assert self.ask(client) == (200, parts | {"housekeeping": health.NO_SITE_WORKER})
        workers.record_heartbeat("site@one", ["site"])
        assert self.ask(client) == (200, parts | {"housekeeping": "ok"})
        WorkerHeartbeat.objects.update(seen_at=timezone.now() - datetime.timedelta(seconds=300))
        status, found = self.ask(client)
        assert status == 503
        assert re.fullmatch(r"no heartbeat for 3\d\d s", found["workers"])
        workers.record_heartbeat("judge@one", ["judge"])
        assert self.ask(client)[0] == 503, "the judge's worker scores nothing else"

    def test_a_folder_that_cannot_be_written_to_is_named(
        self, client: Client, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workers.record_heartbeat("cpu@one", ["cpu"])
        settings.MEDIA_ROOT = str(tmp_path)
        monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may write everywhere else
        status, found = self.ask(client)
        assert (status, found["status"], found["files"]) == (503, "unavailable", "cannot be written: uploads")

    def test_health_reports_a_broker_that_does_not_answer(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workers.record_heartbeat("cpu@one", ["cpu"])

        def away() -> None:
            raise ConnectionRefusedError

        monkeypatch.setattr(health, "reach_broker", away)
        status, found = self.ask(client)
        assert (status, found["queue"], found["database"]) == (503, "does not answer", "ok")

    @pytest.mark.redis
    def test_a_redis_that_refuses_writes(self, client: Client, redis_server: Redis, broker: str) -> None:
        workers.record_heartbeat("cpu@one", ["cpu"])
        assert self.ask(client)[1]["queue"] == "ok"
        server = redis.Redis.from_url(redis_server.url)
        server.config_set("maxmemory", "1")
        try:
            assert (self.ask(client)[0], self.ask(client)[1]["queue"]) == (503, "refuses writes")
        finally:
            server.config_set("maxmemory", "0")

    def test_health_reports_a_database_that_does_not_answer(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away() -> None:
            raise DatabaseError

        monkeypatch.setattr(health, "ages_by_queue", away)
        status, found = self.ask(client)
        assert (status, found["database"], found["workers"]) == (503, "does not answer", "unknown")
        assert found["scheduler"] == "unknown"
        assert client.get("/healthz").status_code == 200

    def test_a_clock_that_differs_is_named_and_the_site_stays_ready(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        workers.record_heartbeat("cpu@one", ["cpu"])
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now", lambda: timezone.now() - datetime.timedelta(seconds=30))
            workers.record_heartbeat("site@fast", ["site"])
        workers.record_heartbeat("judge@earlier-version", ["judge"])
        WorkerHeartbeat.objects.filter(name="judge@earlier-version").update(clock_ahead=None)
        status, found = self.ask(client)
        assert (status, found["clocks"]) == (200, "the clock of site@fast is 30 s ahead of the database's")
        monkeypatch.setattr(clock, "now", lambda: timezone.now() + datetime.timedelta(seconds=40))
        assert "this web server is 40 s behind" in self.ask(client)[1]["clocks"]

    def test_a_stopped_scheduler_is_named_and_the_site_stays_ready(self, client: Client) -> None:
        workers.record_heartbeat("cpu@one", ["cpu"])
        workers.record_sweep()
        WorkerHeartbeat.objects.filter(name=workers.SWEEP).update(seen_at=timezone.now() - datetime.timedelta(hours=1))
        status, found = self.ask(client)
        assert (status, found["status"], found["scheduler"][:14]) == (200, "ok", "no sweep for 3")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_real_worker_says_that_it_is_there(worker: Worker) -> None:
    wait_for(WorkerHeartbeat.objects.exists, PATIENCE_SECONDS, "its heartbeat", 0.1)
    seen = WorkerHeartbeat.objects.get()
    assert (seen.queues, seen.version) == ("cpu", leaderboard.__version__)
    assert seen.name.startswith("worker@")
    worker.stop()
    assert not WorkerHeartbeat.objects.exists(), "it stopped in good order"


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_all_processes_of_a_server_are_counted(live_site_with_metrics: Site) -> None:
    for _ in range(20):
        with urlopen(f"{live_site_with_metrics.url}/healthz") as answer:
            assert answer.status == 200
    request = Request(f"{live_site_with_metrics.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    counts = set()
    for _ in range(6):
        with urlopen(request) as answer:
            found = samples(answer.read().decode())
        counts.add(value(found, "manyhop_request_seconds_count", view="healthz", method="GET", status="2xx"))
    assert len(counts) == 1, "the same whichever process answers"
    assert counts.pop() >= 20


@pytest.fixture
def live_site_with_metrics(process_options: dict[str, str], request: pytest.FixtureRequest) -> Site:
    process_options |= {"METRICS_TOKEN": TOKEN, "WEB_CONCURRENCY": "2"}
    site: Site = request.getfixturevalue("live_site")
    return site


def test_the_files_of_a_server_go_with_it(tmp_path: Path) -> None:
    code = (
        "import os\nfrom leaderboard import gunicorn_conf as conf\n"
        "folder = os.environ['PROMETHEUS_MULTIPROC_DIR']\nassert os.path.isdir(folder)\n"
        "conf.on_exit(None)\nassert not os.path.exists(folder)\nprint(folder)"
    )
    environment = {key: text for key, text in os.environ.items() if key != "PROMETHEUS_MULTIPROC_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(tmp_path))
