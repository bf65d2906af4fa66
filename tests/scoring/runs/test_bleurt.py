"""BLEURT through the site: what it waits for, that it starts by itself, and what a broken checkpoint does."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from scoring import tasks
from scoring.metrics.bleurt import Bleurt
from scoring.metrics.bleurt.checkpoint import NOT_SAFETENSORS
from scoring.models import Benchmark, CurrentSignature, Run, Score
from scoring.models.run_states import RunState
from scoring.queries import items_to_score, references_of
from scoring.runs import sweeper
from tests import factories
from tests.processes import Worker, child_environment
from tests.scoring.metrics.bleurt.checkpoints import REMBERT, train_sentencepiece, write_port
from tests.services import wait_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_port(tmp_path_factory.mktemp("checkpoint"), REMBERT, train_sentencepiece()).directory


@pytest.fixture
def parked(made: Benchmark, settings: Any) -> Run:
    settings.BLEURT_CHECKPOINT = ""
    factories.scored(factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect(right=2)})
    return Run.objects.get(metric="bleurt")


def test_without_a_checkpoint_it_waits_and_says_what_to_run(parked: Run) -> None:
    assert parked.state == RunState.NOT_CONFIGURED
    assert "BLEURT_CHECKPOINT" in parked.reason
    assert "fetch BLEURT-20" in parked.reason
    sweeper.start_parked()
    parked.refresh_from_db()
    assert parked.state == RunState.NOT_CONFIGURED


def test_once_it_is_there_the_run_starts_by_itself_and_gives_the_metrics_own_numbers(
    parked: Run, checkpoint: Path, settings: Any
) -> None:
    settings.BLEURT_CHECKPOINT = str(checkpoint)
    sweeper.start_parked()
    parked.refresh_from_db()
    assert parked.state == RunState.WAITING
    assert parked.signature.startswith("bleurt|checkpoint:")
    tasks.execute_run(str(parked.pk))
    score = Score.objects.get(run=parked)
    metric = Bleurt(checkpoint)
    expected = metric.score(
        metric.prepare(references_of(parked.revision)), items_to_score(parked.answer_set, parked.revision).generations
    )["bleurt"]
    assert score.value == pytest.approx(expected.value, abs=1e-6)
    assert score.per_item.tolist() == pytest.approx(expected.per_item.tolist(), abs=1e-6)
    shown = CurrentSignature.objects.get(metric="bleurt").signature
    assert shown.startswith(f"{parked.signature}|served:torch-")


def test_a_checkpoint_that_breaks_before_the_run_is_a_reason_and_not_a_failure(
    parked: Run, checkpoint: Path, settings: Any, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(checkpoint, copy)
    settings.BLEURT_CHECKPOINT = str(copy)
    sweeper.start_parked()
    for weights in copy.glob("*.safetensors"):
        weights.write_bytes(weights.read_bytes()[:100])
    tasks.execute_run(str(parked.pk))
    parked.refresh_from_db()
    assert parked.state == RunState.NOT_CONFIGURED
    assert f"{copy.name}/model.safetensors {NOT_SAFETENSORS}" in parked.reason
    assert str(tmp_path) not in parked.reason


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_starts_beside_a_checkpoint_scores_what_was_parked(
    parked: Run, checkpoint: Path, broker: str, tmp_path: Path
) -> None:
    environment = child_environment(CELERY_BROKER_URL=broker, BLEURT_CHECKPOINT=str(checkpoint))
    worker = Worker(tmp_path, environment, name="bleurt", queues="bleurt")
    try:
        worker.start()
        wait_for(Score.objects.filter(run=parked).exists, 60, "its score", 0.2)
    finally:
        worker.stop()
    parked.refresh_from_db()
    assert (parked.state, parked.reason) == (RunState.DONE, "")
