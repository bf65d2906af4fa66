"""What each metric says of itself: everything that pages, boards and declarations need is with the metric."""

import inspect

import pytest

from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import Metric
from scoring.metrics.built_in import BUILT_IN
from scoring.task_types import TASK_TYPES
from tests.paths import ROOT


def subclasses(metric: type[Metric]) -> set[type[Metric]]:
    direct = set(metric.__subclasses__())
    return direct.union(*map(subclasses, direct))


def test_the_list_has_every_metric_of_the_package_once() -> None:
    written = {
        metric
        for metric in subclasses(Metric)  # type: ignore[type-abstract]
        if metric.__module__.startswith("scoring.metrics.") and not inspect.isabstract(metric)
    }
    assert written == {*BUILT_IN} and len({metric.name for metric in BUILT_IN}) == len(BUILT_IN)


@pytest.mark.parametrize("metric", BUILT_IN, ids=lambda metric: metric.name)
def test_a_metric_describes_itself_without_a_site(metric: type[Metric]) -> None:
    described = metric()
    columns = described.columns()
    assert columns and {column.metric for column in columns} == {metric.name}
    assert {column.score for column in columns} <= {*metric.score_names}
    hides_all = ("list-f1-alce", "passage-recall", "citations", "fact", "evidence")
    assert any(column.disclosed for column in columns) or metric.name in hides_all
    explanation = described.explanation()
    assert explanation.measures and explanation.formula and explanation.surprises
    assert (ROOT / "scoring" / metric.formula).is_file()
    assert metric.label and {*metric.task_types} <= {*TASK_TYPES}


@pytest.mark.parametrize("metric", BUILT_IN, ids=lambda metric: metric.name)
def test_a_judge_computes_nothing_by_itself(metric: type[Metric]) -> None:
    assert issubclass(metric, JudgeMetric) == (metric.queue == "judge")
    if issubclass(metric, JudgeMetric):
        with pytest.raises(TypeError, match="judge"):
            metric().score(["Oslo"], ["Oslo"])
