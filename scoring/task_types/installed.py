"""Metrics and task types of installed packages, found by their entry points (docs/plugins.md).

A package that cannot be loaded, or that breaks a rule, is left out: a line in the log and `Installed.problems`, which a
system check reports, name the package, the entry point and what is wrong.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from scoring.metrics.base import Metric
from scoring.metrics.built_in import BUILT_IN
from scoring.metrics.list_f1 import ListF1
from scoring.metrics.short_answer.metrics import ShortAnswerMetric
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.task_types.base import TaskType

METRICS: Final = "manyhop.metrics"
TASK_TYPES: Final = "manyhop.task_types"
OTHERS_NAME: Final = "has a name that another installed package has. Remove one of the two."
BUILT_IN_NAME: Final = "has a name that a part of Manyhop has. Choose another name."

LONGEST_METRIC: Final = 39
LONGEST_SCORE: Final = 60
NAMES: Final = "letters, digits, _, . and -, and a small letter or a digit at the beginning"
_NAME: Final = re.compile(r"[a-z0-9][A-Za-z0-9_.-]*")

logger = logging.getLogger(__name__)


@dataclass
class Installed:
    """Metrics and task types of the installed packages."""

    metrics: dict[str, type[Metric]] = field(default_factory=dict)
    """By name."""
    task_types: dict[str, TaskType] = field(default_factory=dict)
    """By name."""
    problems: list[str] = field(default_factory=list)
    """Package, entry point and mistake of each entry point that is left out."""


class _RefusedError(Exception):
    """Mistake of an entry point, in one sentence without its subject."""


def read_installed(built_in: Mapping[str, TaskType]) -> Installed:
    """The metrics and task types of all installed packages.

    Args:
        built_in: the task types of the software, by name. Their names, and those of the metrics, are taken.
    """
    installed = Installed()
    taken = {metric.name for metric in BUILT_IN}
    for point, thing in _loaded(METRICS, installed, taken):
        installed.metrics[point.name] = thing
    for point, thing in _loaded(TASK_TYPES, installed, built_in):
        installed.task_types[point.name] = thing
    _check_between(installed, built_in)
    return installed


def _loaded(group: str, installed: Installed, taken: Container[str]) -> Iterator[tuple[EntryPoint, Any]]:
    """The usable entry points of a group with what they lead to; the others become problems."""
    kept = installed.metrics if group == METRICS else installed.task_types
    read = _metric if group == METRICS else _task_type
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, _package(point))):
        try:
            if point.name in taken:
                raise _RefusedError(BUILT_IN_NAME)
            if point.name in kept:
                raise _RefusedError(OTHERS_NAME)
            yield point, read(point)
        except _RefusedError as error:
            _refuse(installed, point, str(error))
        except Exception as error:  # noqa: BLE001 - the package of somebody else, which must not take the site down
            _refuse(installed, point, f"cannot be loaded: {type(error).__name__}: {error}")


def _refuse(installed: Installed, point: EntryPoint, what: str) -> None:
    problem = f"The entry point {point.name} = {point.value} ({point.group}) of the package {_package(point)} {what}"
    installed.problems.append(problem)
    logger.error("%s It is left out.", problem)


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "(unknown)"


def _metric(point: EntryPoint) -> type[Metric]:
    metric = point.load()
    if not (isinstance(metric, type) and issubclass(metric, Metric)):
        raise _RefusedError("is no subclass of scoring.metrics.base.Metric.")
    if inspect.isabstract(metric):
        lacking = ", ".join(sorted(metric.__abstractmethods__))
        raise _RefusedError(f"lacks methods: {lacking}.")
    if getattr(metric, "name", None) != point.name:
        raise _RefusedError(f"has the name {getattr(metric, 'name', None)!r}, not that of its entry point.")
    if metric.signature is not Metric.signature:
        raise _RefusedError("overrides signature(). Override signature_parts() instead.")
    if not _NAME.fullmatch(point.name) or len(point.name) > LONGEST_METRIC:
        raise _RefusedError(f"needs another name: {NAMES}, at most {LONGEST_METRIC} characters.")
    scores = getattr(metric, "score_names", ())
    if not _are_names(scores) or any(
        score != point.name and not score.startswith(f"{point.name}.") for score in scores
    ):
        raise _RefusedError(f"needs score_names, a tuple of names such as {point.name}.f1, or {point.name} alone.")
    if unusable := [score for score in scores if not _NAME.fullmatch(score) or len(score) > LONGEST_SCORE]:
        raise _RefusedError(f"needs another score name than {unusable[0]!r}: {NAMES}, at most {LONGEST_SCORE}.")
    task_types = getattr(metric, "task_types", ())
    if not _are_names(task_types):
        raise _RefusedError("needs task_types, a tuple of names such as ('answer-list',).")
    label = getattr(metric, "label", "")
    if not isinstance(label, str) or not label:
        raise _RefusedError("needs a label, its name on pages.")
    metric()  # without parameters it must be possible
    metric.package = _package(point).replace(" ", ":")
    # What it inherits from a metric of Manyhop is about that one's scores and settings.
    for name in ("columns", "explanation", "on_site"):
        if getattr(metric, name).__module__.startswith("scoring.metrics."):
            setattr(metric, name, vars(Metric)[name])
    for name in ("formula", "queue", "needs_site", "reads_passages", "compares"):
        setattr(metric, name, vars(Metric)[name])
    return metric


def _are_names(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(name, str) and name for name in value)


def _task_type(point: EntryPoint) -> TaskType:
    task = point.load()
    if isinstance(task, type) and issubclass(task, TaskType):
        if inspect.isabstract(task):
            raise _RefusedError(f"lacks methods: {', '.join(sorted(task.__abstractmethods__))}.")
        task = task()
    if not isinstance(task, TaskType):
        raise _RefusedError("is no subclass of scoring.task_types.base.TaskType.")
    if task.name != point.name:
        raise _RefusedError(f"has the name {task.name!r}, not that of its entry point.")
    task.answer_format(None)
    task.package = _package(point).replace(" ", ":")
    return task


def _check_between(installed: Installed, built_in: Mapping[str, TaskType]) -> None:
    """Leave out what names a part that does not exist."""
    known = {metric.name: metric for metric in BUILT_IN} | installed.metrics
    points = {
        (point.group, point.name): point for group in (METRICS, TASK_TYPES) for point in entry_points(group=group)
    }
    for name, task in list(installed.task_types.items()):
        point = points[TASK_TYPES, name]
        others = [metric for metric in task.metrics if metric not in known]
        explained = task.outcomes.metric if task.outcomes is not None else None
        if others:
            del installed.task_types[name]
            _refuse(installed, point, f"names the metrics {', '.join(others)}, which no entry point in {METRICS} has.")
        elif explained is None:
            continue
        elif explained not in known or not issubclass(known[explained], StringAccuracy | ListF1 | ShortAnswerMetric):
            del installed.task_types[name]
            _refuse(
                installed,
                point,
                f"has outcomes of {explained}, which is not accuracy, list-f1 or of short answers, or made of these.",
            )
    names = {*built_in, *installed.task_types}
    for name, metric in list(installed.metrics.items()):
        if unknown := [task_type for task_type in metric.task_types if task_type not in names]:
            del installed.metrics[name]
            _refuse(installed, points[METRICS, name], f"names task types that do not exist: {', '.join(unknown)}.")
