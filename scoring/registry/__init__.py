"""The metrics of this site: each by its name, as a benchmark sets it, and whether it can run here now."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Final, TypeVar

from django.conf import settings

from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.names import of_run, parts_of
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import (
    REASONING_REMOVED,
    Metric,
    ScoredVector,
    Site,
    removing_reasoning,
)
from scoring.task_types import known_metrics, task_type_named
from scoring.task_types.base import Outcomes, TaskType

_Key = TypeVar("_Key")


@cache
def _also(metric: type[Metric], label: str) -> type[Metric]:
    """A metric under another label."""
    return type(metric.__name__, (metric,), {"label": label, "__doc__": metric.__doc__})


METRICS: Final[dict[str, type[Metric]]] = {}
"""All metrics of the site by promised name, those that compare other pairs after their first."""
for _name, _metric in known_metrics().items():
    METRICS[_name] = _metric
    if _metric.compares:
        METRICS[of_run(_name, counts=False)] = _also(_metric, f"{_metric.label}, other pairs")


class UnusableMetric(Metric):
    """A metric that cannot be made: its package was removed or is broken, or a benchmark lacks a judge's prompts."""

    task_types = ()
    version = ""
    score_names = ()
    reason: ClassVar[str]

    @classmethod
    def unavailable(cls, site: Site) -> str:
        del site
        return cls.reason

    def signature_parts(self) -> tuple[str, ...]:
        return ()

    def prepare(self, *_: object, **__: object) -> Any:
        raise TypeError(self.reason)

    def score(self, *_: object, **__: object) -> dict[str, ScoredVector]:
        raise TypeError(self.reason)


@cache
def _unusable(name: str, reason: str, metric: type[Metric] = Metric) -> type[Metric]:
    """A class in the place of a metric, with what pages show of it."""
    facts = {"label": getattr(metric, "label", name), "queue": metric.queue, "compares": metric.compares}
    return type("Unusable", (UnusableMetric,), {"name": name, "reason": reason, **facts})


def metric_named(name: str) -> type[Metric]:
    """One metric by its name, which may say that it is computed on a subset; for a name that none has, one that cannot
    run: its package was removed, or is broken."""
    if name in METRICS:
        return METRICS[name]
    plain, subset = parts_of(name)
    if subset:
        metric = metric_named(plain)
        return _also(metric, f"{metric.label} ({subset})")
    return _unusable(name, f"No installed package has the metric {name}. `manage.py check` may say why.")


def metric_of(benchmark: str, name: str) -> Metric:
    """One metric with the parameters that a benchmark declares; a judge with the benchmark's prompts.

    Raises:
        KeyError: no benchmark has that name.
        TypeError: the metric does not have these parameters.
    """
    metric = metric_named(name)
    if not issubclass(metric, JudgeMetric):
        definition = definition_of(benchmark)
        made = metric.on_site(settings, **definition.metric_parameters.get(parts_of(name)[0], {}))
        return removing_reasoning(made) if definition.form.answers.remove_reasoning else made
    try:
        return judge_of(benchmark, name)
    except ValueError as error:
        return _unusable(metric.name, str(error), metric)()


def judge_of(benchmark: str, name: str) -> JudgeMetric:
    """A metric that asks a judge, with a benchmark's prompts and model.

    Raises:
        KeyError: no benchmark has that slug, or no judge that name.
        ValueError: the benchmark lacks the prompts.
    """
    return declared_judge(definition_of(benchmark), name)


def declared_judge(definition: BenchmarkDefinition, name: str) -> JudgeMetric:
    """A metric that asks a judge, as a definition declares it, which need not be a benchmark of the site.

    Raises:
        KeyError: no judge has that name.
        ValueError: the benchmark lacks the prompts.
    """
    metric = metric_named(name)
    if not issubclass(metric, JudgeMetric):
        raise KeyError(name)
    declared = definition.form.metrics.get(metric.name)
    judge = metric.on_site(
        settings,
        model=declared.model if declared is not None else "",
        prompts=definition.prompts,
        judged_length=definition.form.limits.judged_length,
        **definition.metric_parameters.get(metric.name, {}),
    )
    judge.removes_reasoning = definition.form.answers.remove_reasoning
    judge.settings = replace(judge.settings, removes_reasoning=definition.form.answers.remove_reasoning)
    return judge


def why_unavailable(metric: Metric | type[Metric]) -> str:
    """Reason why a metric cannot run on this site now, in one sentence for maintainers; empty if it can."""
    return metric.unavailable(settings)


def signature_of(metric: Metric, data: str) -> str:
    """The signature of a score made now against *data* (``dev@3f2a9c1b``); partial if the metric cannot run. A judge,
    which is asked elsewhere, can sign at any time."""
    if isinstance(metric, JudgeMetric) or not why_unavailable(metric):
        return metric.signature(data)
    removed = f"|{REASONING_REMOVED}" if metric.removes_reasoning else ""
    return f"{metric.name}{removed}|data:{data}"


def scored_texts(benchmark: str, texts: Mapping[_Key, str]) -> Mapping[_Key, str]:
    """Stored answers by any key, as the metrics of a benchmark get them: without reasoning, if it declares that."""
    definition = definition_of(benchmark)
    if not definition.form.answers.remove_reasoning:
        return texts
    without_reasoning = task_type_named(definition.task_type).without_reasoning
    return {key: without_reasoning(text) for key, text in texts.items()}


def task_type_of(benchmark: str) -> TaskType:
    """The task type of a benchmark, by its slug.

    Raises:
        KeyError: no benchmark has that slug.
    """
    return task_type_named(definition_of(benchmark).task_type)


def outcomes_of(benchmark: str) -> Outcomes | None:
    """The scores that explain a benchmark's results question by question; None if none of its metrics does.

    Raises:
        KeyError: no benchmark has that slug.
    """
    definition = definition_of(benchmark)
    return task_type_named(definition.task_type).outcomes_with(definition.metrics)
