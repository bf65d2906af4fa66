"""Metrics and task types of installed packages, found by their entry points (docs/plugins.md).

A package that cannot be loaded, or that breaks a rule, is left out: a line in the log and `Installed.problems`, which a
system check reports, name the package, the entry point and what is wrong.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from scoring.metrics.base import Metric
from scoring.metrics.list_f1 import ListF1
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.task_types.base import MetricChoice, TaskType, load

METRICS: Final = "manyhop.metrics"
TASK_TYPES: Final = "manyhop.task_types"
OTHERS_NAME: Final = "has a name that another installed package has. Remove one of the two."
BUILT_IN_NAME: Final = "has a name that a part of Manyhop has. Choose another name."

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class InstalledMetric:
    """A metric of an installed package."""

    metric: type[Metric]
    where: str
    """Module and class."""
    label: str
    task_types: tuple[str, ...]
    """The names of the task types that it fits."""

    @property
    def measures(self) -> str:
        """What it measures: the first paragraph of its docstring."""
        return " ".join((inspect.getdoc(self.metric) or "").split("\n\n")[0].split())


@dataclass
class Installed:
    """What the installed packages add."""

    metrics: dict[str, InstalledMetric] = field(default_factory=dict)
    """By name."""
    task_types: dict[str, TaskType] = field(default_factory=dict)
    """By name, without the metrics that say themselves which task types they fit."""
    problems: list[str] = field(default_factory=list)
    """For each entry point that is left out: package, entry point, and what is wrong."""


class _RefusedError(Exception):
    """What is wrong with an entry point, in one sentence without its subject."""


def read_installed(built_in: Mapping[str, TaskType]) -> Installed:
    """The metrics and task types of all installed packages.

    Args:
        built_in: the task types of the software, by name. Their names, and those of their metrics, are taken.
    """
    found = Installed()
    own = {name for task in built_in.values() for name in (*task.metrics, *task.site_metrics)}
    taken = own | {f"{name}-repeat" for name in own}
    for one, thing in _loaded(METRICS, found, taken):
        found.metrics[one.name] = thing
    for one, thing in _loaded(TASK_TYPES, found, built_in):
        found.task_types[one.name] = thing
    _check_between(found, built_in, own)
    return found


def with_metrics(task: TaskType, metrics: Mapping[str, InstalledMetric]) -> TaskType:
    """A task type with the installed metrics that fit it; they are computed only where they are named."""
    fitting = {
        name: MetricChoice(one.where, default=False) for name, one in metrics.items() if task.name in one.task_types
    }
    return replace(task, metrics={**fitting, **task.metrics}) if fitting else task


def _loaded(group: str, found: Installed, taken: Container[str]) -> Iterator[tuple[EntryPoint, Any]]:
    """The usable entry points of a group with what they lead to; the others become problems."""
    kept = found.metrics if group == METRICS else found.task_types
    read = _metric if group == METRICS else _task_type
    for one in sorted(entry_points(group=group), key=lambda one: (one.name, _package(one))):
        try:
            if one.name in taken:
                raise _RefusedError(BUILT_IN_NAME)
            if one.name in kept:
                raise _RefusedError(OTHERS_NAME)
            yield one, read(one)
        except _RefusedError as error:
            _refuse(found, one, str(error))
        except Exception as error:  # noqa: BLE001 - the package of somebody else, which must not take the site down
            _refuse(found, one, f"cannot be loaded: {type(error).__name__}: {error}")


def _refuse(found: Installed, one: EntryPoint, what: str) -> None:
    problem = f"The entry point {one.name} = {one.value} ({one.group}) of the package {_package(one)} {what}"
    found.problems.append(problem)
    logger.error("%s It is left out.", problem)


def _package(one: EntryPoint) -> str:
    return f"{one.dist.name} {one.dist.version}" if one.dist is not None else "(unknown)"


def _metric(one: EntryPoint) -> InstalledMetric:
    metric = one.load()
    if not (isinstance(metric, type) and issubclass(metric, Metric)):
        raise _RefusedError("is no subclass of scoring.metrics.base.Metric.")
    if inspect.isabstract(metric):
        lacking = ", ".join(sorted(metric.__abstractmethods__))
        raise _RefusedError(f"lacks methods: {lacking}.")
    if getattr(metric, "name", None) != one.name:
        raise _RefusedError(f"has the name {getattr(metric, 'name', None)!r}, not that of its entry point.")
    if metric.signature is not Metric.signature:
        raise _RefusedError("overrides signature(). Override signature_parts() instead.")
    scores = getattr(metric, "score_names", ())
    if not _are_names(scores) or any(score != one.name and not score.startswith(f"{one.name}.") for score in scores):
        raise _RefusedError(f"needs score_names, a tuple of names such as {one.name}.f1, or {one.name} alone.")
    task_types = getattr(metric, "task_types", ())
    if not _are_names(task_types):
        raise _RefusedError("needs task_types, a tuple of names such as ('answer-list',).")
    label = getattr(metric, "label", "")
    if not isinstance(label, str) or not label:
        raise _RefusedError("needs a label, its name on pages.")
    metric()  # without parameters it must be possible
    metric.package = _package(one).replace(" ", ":")
    return InstalledMetric(metric, one.value, label, task_types)


def _are_names(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(one, str) and one for one in value)


def _task_type(one: EntryPoint) -> TaskType:
    task = one.load()
    if not isinstance(task, TaskType):
        raise _RefusedError("is no scoring.task_types.base.TaskType.")
    if task.name != one.name:
        raise _RefusedError(f"has the name {task.name!r}, not that of its entry point.")
    task.answer_format(None)
    return task


def _check_between(found: Installed, built_in: Mapping[str, TaskType], own: Container[str]) -> None:
    """Leave out what names a part that does not exist."""
    known = {name: choice.where for task in built_in.values() for name, choice in task.metrics.items()}
    known |= {name: one.where for name, one in found.metrics.items()}
    points = {(one.group, one.name): one for group in (METRICS, TASK_TYPES) for one in entry_points(group=group)}
    for name, task in list(found.task_types.items()):
        point = points[TASK_TYPES, name]
        others = [metric for metric, choice in task.metrics.items() if known.get(metric) != choice.where]
        others += [metric for metric in task.site_metrics if metric not in own]
        explained = task.outcomes.metric if task.outcomes is not None else None
        if others:
            del found.task_types[name]
            _refuse(found, point, f"names the metrics {', '.join(others)}, which no entry point in {METRICS} has so.")
        elif explained is None:
            continue
        elif explained not in known or not issubclass(load(known[explained]), StringAccuracy | ListF1):
            del found.task_types[name]
            _refuse(
                found, point, f"has outcomes of {explained}, which is neither accuracy nor list-f1, nor made of one."
            )
    names = {*built_in, *found.task_types}
    for name, metric in list(found.metrics.items()):
        if unknown := [one for one in metric.task_types if one not in names]:
            del found.metrics[name]
            _refuse(found, points[METRICS, name], f"names task types that do not exist: {', '.join(unknown)}.")
