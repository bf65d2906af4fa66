"""A worker's own check at its start."""

import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy

from scoring import worker_hooks
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.workers import locks
from tests.processes import child_environment
from tests.scoring.metrics.official import GivenPipeline


def worker_of(queue: str, concurrency: int = 1) -> SimpleNamespace:
    """A worker, as Celery passes it to its hooks, that takes one queue."""
    app = SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from=[queue])))
    return SimpleNamespace(app=app, concurrency=concurrency)


def test_a_pipeline_with_empty_lemmas_stops_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    blank = spacy.blank("en")
    metric = StringAccuracy(GivenPipeline(blank, "blank"))
    monkeypatch.setattr(StringAccuracy, "on_site", classmethod(lambda cls, site: metric))
    with pytest.raises(SystemExit, match=rf"{worker_hooks.CANNOT_START}: .*lemma"):
        worker_hooks.check_metrics(worker_of("cpu"))
    worker_hooks.check_metrics(worker_of("site"))


def test_a_working_pipeline_is_loaded_before_the_first_run() -> None:
    worker_hooks.check_metrics(worker_of("cpu"))


@pytest.mark.slow
@pytest.mark.django_db
def test_a_real_worker_without_its_lemmatiser_ends_with_the_remedy() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "leaderboard.celery:app", "worker", "--pool", "solo"],
        env=child_environment(LEMMATISER="en_core_web_sm", CELERY_BROKER_URL="memory://"),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert process.returncode != 0
    assert "cannot start" in process.stderr
    assert "spacy download en_core_web_sm" in process.stderr


class TestGpu:
    """Without a GPU: the reservation needs its name alone."""

    @pytest.fixture(autouse=True)
    def machine(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        monkeypatch.setattr(locks, "_held", [])
        monkeypatch.setattr(worker_hooks, "why_unavailable", lambda metric: "")
        settings.BLEURT_DEVICE = "cuda"

    def test_a_second_worker_on_a_gpu_is_refused_until_the_first_has_ended(self, settings: Any) -> None:
        worker_hooks.reserve_gpus(worker_of("bleurt"))
        for device in ("cuda", "cuda:0"):
            settings.BLEURT_DEVICE = device
            with pytest.raises(SystemExit, match=r"another worker .* on cuda:0"):
                worker_hooks.reserve_gpus(worker_of("bleurt"))
        settings.BLEURT_DEVICE = "cuda:1"
        worker_hooks.reserve_gpus(worker_of("bleurt"))
        for file in locks._held:
            file.close()
        settings.BLEURT_DEVICE = "cuda:0"
        worker_hooks.reserve_gpus(worker_of("bleurt"))

    def test_several_processes_of_one_worker_on_a_gpu_are_refused(self) -> None:
        with pytest.raises(SystemExit, match="--concurrency 1"):
            worker_hooks.reserve_gpus(worker_of("bleurt", concurrency=2))

    def test_workers_of_other_queues_need_no_gpu(self, settings: Any) -> None:
        worker_hooks.reserve_gpus(worker_of("cpu", concurrency=2))
        settings.BLEURT_DEVICE = "cpu"
        for _ in range(2):
            worker_hooks.reserve_gpus(worker_of("bleurt", concurrency=2))
        assert locks._held == []
