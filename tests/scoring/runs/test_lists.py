"""Answer lists in runs: scored by the benchmark's metrics with its parameters; an empty list is no answer."""

from dataclasses import replace

import numpy as np
import pytest
from django.conf import settings

from scoring import benchmarks
from scoring.metrics import list_f1
from scoring.metrics.answer_lists import predictions_of
from scoring.metrics.base import ScoredVector
from scoring.models import AnswerBlock, Run, Score
from scoring.models.run_states import RunState
from scoring.queries import target_signatures
from scoring.registry import METRICS, metric_of
from scoring.runs.errors import RunUnavailableError
from tests import factories

pytestmark = pytest.mark.django_db


def declare(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Change the declaration of the benchmark of lists."""
    known = dict(benchmarks.definitions())
    known[factories.LISTS] = replace(known[factories.LISTS], **changes)  # type: ignore[arg-type]
    monkeypatch.setattr(benchmarks, "definitions", lambda: known)


def test_lists_are_stored_and_scored() -> None:
    dev = factories.split(factories.list_benchmark(), "dev")
    sent = factories.scored(factories.user(), dev, {"openbook": factories.list_answers()})
    kept = AnswerBlock.objects.texts_of(sent.files.get().answer_set)
    texts = [kept[qid] for qid in factories.list_answers()]
    assert predictions_of(texts[0]) == [*list(factories.CAPITALS.values())[:5], "Atlantis"]
    assert texts[-1] == "[]"
    scores = {score.name: score for score in Score.objects.filter(run__answer_set__submission_file__submission=sent)}
    assert scores["list-f1.recall"].per_item.tolist() == [1.0, 5 / 6, 1.0, 0.0]
    assert scores["list-f1.precision"].per_item.tolist() == [5 / 6, 5 / 6, 5 / 6, 0.0]
    assert scores["list-f1.f1_above"].value == scores["list-f1.rec_above"].value == 0.75
    assert {score.n_answered for score in scores.values()} == {3}, "the empty list is no answer"
    assert sent.files.get().n_answered == 3
    assert "list-f1-alce.recall-5" in scores


def test_parameters_enter_the_signature_and_the_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    dev = factories.split(factories.list_benchmark(), "dev")
    usual = target_signatures(dev)["list-f1"]
    declare(monkeypatch, metric_parameters={"list-f1": {"min_recall": 0.95}})
    changed = target_signatures(dev)["list-f1"]
    assert changed == usual.replace("|data:", "|min-recall:0.95|data:")
    sent = factories.scored(factories.user(), dev, {"openbook": factories.list_answers()})
    run = Run.objects.get(answer_set__submission_file__submission=sent, metric="list-f1")
    assert run.signature == changed
    assert run.scores.get(name="list-f1.rec_above").value == 0.5


def test_a_parameter_that_a_metric_does_not_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch, metric_parameters={"list-f1": {"min_f2": 0.5}, "rouge": {"stem": True}})
    with pytest.raises(TypeError, match="min_f2"):
        metric_of(factories.LISTS, "list-f1")
    with pytest.raises(TypeError, match="stem"):
        metric_of(factories.LISTS, "rouge")
    assert METRICS["list-f1"].on_site(settings) is METRICS["list-f1"].on_site(settings)
    with pytest.raises(ValueError, match="not 2"):
        METRICS["list-f1"].on_site(settings, min_f1=2)
    assert "enough:7" in METRICS["list-f1-alce"].on_site(settings, enough=7).signature("dev@1")


def test_scores_of_a_package_that_are_no_shares_fail_with_that_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    dev = factories.split(factories.list_benchmark(), "dev")
    metric = metric_of(factories.LISTS, "list-f1")
    monkeypatch.setattr(type(metric), "package", "made-up:1.0")
    hundred = {"list-f1.f1": ScoredVector(61.5, np.full(4, 61.5))}
    official = list_f1.ListF1.score
    monkeypatch.setattr(list_f1.ListF1, "score", lambda self, *given: official(self, *given) | hundred)
    with pytest.raises(RunUnavailableError) as refused:
        factories.scored(factories.user(), dev, {"openbook": factories.list_answers()})
    assert refused.value.state == RunState.FAILED
    assert "list-f1.f1" in str(refused.value) and "61" not in str(refused.value)
