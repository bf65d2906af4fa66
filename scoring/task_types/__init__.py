"""Task types: what answers and references look like, how their files are read, and which metrics fit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from scoring.metrics.base import Metric
from scoring.metrics.built_in import BUILT_IN as METRICS
from scoring.task_types.answer_list import AnswerList
from scoring.task_types.base import TaskType
from scoring.task_types.compared_answer import ComparedAnswer
from scoring.task_types.installed import Installed, read_installed
from scoring.task_types.judged_list import JudgedList
from scoring.task_types.rubric import RubricAnswer
from scoring.task_types.short_answer import ShortAnswer
from scoring.task_types.text_answer import TextAnswer

BUILT_IN: Final[Mapping[str, TaskType]] = {
    task.name: task
    for task in (TextAnswer(), AnswerList(), JudgedList(), ComparedAnswer(), ShortAnswer(), RubricAnswer())
}
"""The task types of the software by name, the default first."""

TASK_TYPES: Mapping[str, TaskType]
"""All task types by name, those of installed packages last. Read on first use, because packages import this one."""

__all__ = [
    "BUILT_IN",
    "TASK_TYPES",
    "AnswerList",
    "ComparedAnswer",
    "JudgedList",
    "ShortAnswer",
    "TaskType",
    "TextAnswer",
    "installed",
    "known_metrics",
    "metrics_of",
    "task_type_named",
]


@cache
def installed() -> Installed:
    """Additions of installed packages; see `Installed`."""
    return read_installed(BUILT_IN)


@cache
def _task_types() -> Mapping[str, TaskType]:
    return {**BUILT_IN, **installed().task_types}


@cache
def known_metrics() -> Mapping[str, type[Metric]]:
    """All metrics by name: those of the software, then those of installed packages."""
    return {metric.name: metric for metric in METRICS} | installed().metrics


def metrics_of(task_type: str) -> tuple[type[Metric], ...]:
    """The metrics that fit a task type; none for a name that no task type has.

    >>> [metric.name for metric in metrics_of("judged-list")], metrics_of("no-such-type")
    (['list-f1', 'list-judge'], ())
    """
    task = _task_types().get(task_type)
    return () if task is None else tuple(filter(task.fits, known_metrics().values()))


def __getattr__(name: str) -> Any:
    if name != "TASK_TYPES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _task_types()


def task_type_named(name: str) -> TaskType:
    """A task type by its name.

    Raises:
        KeyError: No task type has that name; the message lists the existing ones.
    """
    try:
        return _task_types()[name]
    except KeyError:
        raise KeyError(f"No task type {name!r}. Available: {', '.join(_task_types())}.") from None
