"""A worker's own check at its start."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
import spacy

from scoring import worker_hooks
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.metrics.text.lemmatizer import PipelineLemmatiser
from tests.processes import child_environment


def worker_of(queue: str) -> SimpleNamespace:
    """A worker, as Celery passes it to its hooks, that takes one queue."""
    return SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from=[queue]))))


def test_a_pipeline_with_empty_lemmas_stops_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    blank = spacy.blank("en")
    metric = StringAccuracy(PipelineLemmatiser(blank, "blank"))
    monkeypatch.setattr(StringAccuracy, "on_site", classmethod(lambda cls, site: metric))
    with pytest.raises(SystemExit, match=rf"{worker_hooks.CANNOT_START}: .*lemma"):
        worker_hooks.check_metrics(worker_of("cpu"))
    worker_hooks.check_metrics(worker_of("site"))


def test_a_good_one_is_loaded_before_the_first_run() -> None:
    worker_hooks.check_metrics(worker_of("cpu"))


@pytest.mark.slow
@pytest.mark.django_db
def test_a_real_worker_without_its_lemmatiser_ends_with_the_remedy() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "leaderboard.celery:app", "worker", "--pool", "solo"],
        env=child_environment(LEMMATISER="en_core_web_sm", CELERY_BROKER_URL="memory://"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode != 0
    assert "cannot start" in process.stderr
    assert "spacy download en_core_web_sm" in process.stderr
