"""The metrics of the site: how each is built, its name, and whether it can run on this machine now.

Enters: the site's settings. Leaves: metrics by name, their signatures, and the reason why one is unavailable.
``judge_settings`` reads the settings of the judge.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Protocol

from django.conf import settings

from scoring.benchmarks import definition_of
from scoring.benchmarks.subsets import plain_name, subset_in
from scoring.metrics.base import Metric
from scoring.registry import judge_settings
from scoring.task_types import ANSWER_LIST, installed, task_type_named
from scoring.task_types.base import TaskType, load


class Signed(Protocol):
    """An object that makes scores of one kind, and describes how."""

    def signature(self, data: str | None = None) -> str:
        """One line that describes how a score against *data* (``dev@3f2a9c1b``) is made."""


@dataclass(frozen=True)
class RegisteredMetric:
    """One metric of the site.

    ``build`` creates it (cheaply: no model is loaded before it scores); ``unavailable`` says in one sentence why it
    cannot run on this site now, and is empty if it can. A metric that is not included in this version has only the
    reason. A metric that is requested from elsewhere, not computed here, has only ``signed_by``, which can sign at any
    time.
    """

    name: str
    label: str
    queue: str
    build: Callable[[], Metric] | None
    unavailable: Callable[[], str]
    signed_by: Callable[[], Signed] | None = None
    reads_passages: bool = False
    """Whether it scores retrieved passages: only for answer sets that have some."""
    compares: bool = False
    """Whether it compares answers with those of an opponent."""
    takes_parameters: Callable[..., Metric] | None = None
    """Creates it with a benchmark's parameters, which enter the signature; None if it has none."""

    def with_parameters(self, parameters: Mapping[str, Any]) -> "RegisteredMetric":
        """The metric with a benchmark's parameters.

        Raises:
            TypeError: it has no parameters, or not these.
        """
        if not parameters:
            return self
        if self.takes_parameters is None:
            raise TypeError(f"The metric {self.name} has no parameters.")
        build = partial(self.takes_parameters, **parameters)
        build()  # an unknown parameter is refused here
        return replace(self, build=build)

    def signature(self, data: str) -> str:
        """The signature of a score made now against *data* (``dev@3f2a9c1b``); partial if the metric cannot run."""
        if self.signed_by is not None:
            return self.signed_by().signature(data)
        if self.build is None or self.unavailable():
            return f"{self.name}|data:{data}"
        return self.build().signature(data)


def _available() -> str:
    return ""


# Each metric is imported when it is built: together the imports would add a tenth of a second and more to every start.


@cache
def _accuracy(lemmatiser: str) -> Metric:
    from scoring.metrics.string_accuracy import StringAccuracy

    return StringAccuracy(lemmatiser=lemmatiser)


@cache
def _repaired_accuracy(lemmatiser: str) -> Metric:
    from scoring.metrics.string_accuracy_v2 import RepairedStringAccuracy

    return RepairedStringAccuracy(lemmatiser=lemmatiser)


@cache
def _rouge() -> Metric:
    from scoring.metrics.rouge import Rouge

    return Rouge()


@cache
def _bleurt(checkpoint: str, dtype: str, device: str) -> Metric:
    from scoring.metrics.bleurt import Bleurt

    return Bleurt(checkpoint, dtype=dtype, device=device)


def _bleurt_unavailable() -> str:
    from scoring.metrics.bleurt import unavailable_reason

    return unavailable_reason(settings.BLEURT_CHECKPOINT)


@cache
def _built(where: str, **parameters: Any) -> Metric:
    metric: Metric = load(where)(**parameters)
    return metric


LIST_LABELS = {"list-f1": "List F1", "list-f1-repaired": "List F1, repaired", "list-f1-alce": "List F1, ALCE"}


COMPARISON_LABELS = {
    "side-by-side": "Side by side",
    "side-by-side-repeat": "Side by side, repeated",
    "side-by-side-pair": "Side by side, other pairs",
}


METRICS: dict[str, RegisteredMetric] = {
    metric.name: metric
    for metric in (
        RegisteredMetric("accuracy", "String accuracy", "cpu", lambda: _accuracy(settings.LEMMATISER), _available),
        RegisteredMetric(
            "accuracy-repaired",
            "String accuracy, repaired",
            "cpu",
            lambda: _repaired_accuracy(settings.LEMMATISER),
            _available,
        ),
        RegisteredMetric("rouge", "ROUGE", "cpu", _rouge, _available),
        RegisteredMetric(
            "bleurt",
            "BLEURT",
            "bleurt",
            lambda: _bleurt(settings.BLEURT_CHECKPOINT, settings.BLEURT_DTYPE, settings.BLEURT_DEVICE),
            _bleurt_unavailable,
        ),
        *(
            RegisteredMetric(
                name,
                LIST_LABELS[name],
                "cpu",
                partial(_built, choice.where),
                _available,
                takes_parameters=partial(_built, choice.where),
            )
            for name, choice in ANSWER_LIST.metrics.items()
        ),
        RegisteredMetric(
            "passage-recall",
            "Recall of passages",
            "cpu",
            partial(_built, "scoring.metrics.passage_recall:PassageRecall"),
            _available,
            reads_passages=True,
        ),
        RegisteredMetric(
            "judge", "GPT judge", "judge", None, judge_settings.judge_unavailable, judge_settings.judge_settings
        ),
        RegisteredMetric(
            "judge-repeat",
            "GPT judge, repeated",
            "judge",
            None,
            judge_settings.judge_unavailable,
            judge_settings.judge_settings,
        ),
        RegisteredMetric(
            "list-judge",
            "Judge of lists",
            "judge",
            None,
            judge_settings.judge_unavailable,
            judge_settings.list_judge_settings,
        ),
        RegisteredMetric(
            "list-judge-repeat",
            "Judge of lists, repeated",
            "judge",
            None,
            judge_settings.judge_unavailable,
            judge_settings.list_judge_settings,
        ),
        *(
            RegisteredMetric(
                name,
                label,
                "judge",
                None,
                judge_settings.judge_unavailable,
                judge_settings.comparison_judge_settings,
                compares=True,
            )
            for name, label in COMPARISON_LABELS.items()
        ),
    )
}
METRICS |= {
    name: RegisteredMetric(
        name,
        one.label,
        "cpu",
        partial(_built, one.where),
        _available,
        takes_parameters=partial(_built, one.where),
    )
    for name, one in installed().metrics.items()
}


def metric_named(name: str) -> RegisteredMetric:
    """One metric by its name, which may say that it is computed on a subset; for a name that none has, one that cannot
    run: its package was removed, or is broken."""
    subset = subset_in(name)
    if subset and name not in METRICS:
        metric = metric_named(plain_name(name))
        return replace(metric, name=name, label=f"{metric.label} ({subset})")
    return METRICS.get(name) or RegisteredMetric(
        name, name, "cpu", None, lambda: f"No installed package has the metric {name}. `manage.py check` may say why."
    )


def metric_of(benchmark: str, name: str) -> RegisteredMetric:
    """One metric with the parameters that a benchmark declares; a judge with the benchmark's prompts.

    Raises:
        KeyError: no benchmark has that name.
    """
    metric = metric_named(name)
    if metric.queue == "judge":
        return _judge_of(benchmark, metric)
    return metric.with_parameters(definition_of(benchmark).metric_parameters.get(plain_name(name), {}))


def _judge_of(benchmark: str, metric: RegisteredMetric) -> RegisteredMetric:
    try:
        kind = judge_settings.judge_kind(benchmark, metric.name)
    except ValueError as error:
        reason = str(error)
        return replace(metric, unavailable=lambda: reason)
    return replace(
        metric,
        unavailable=partial(judge_settings.judge_unavailable, kind),
        signed_by=partial(judge_settings.judge_settings, kind),
    )


def task_type_of(benchmark: str) -> TaskType:
    """The task type of a benchmark, by its slug.

    Raises:
        KeyError: no benchmark has that slug.
    """
    return task_type_named(definition_of(benchmark).task_type)
