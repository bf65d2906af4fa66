"""Task types: what answers and references look like, how their files are read, and which metrics fit.

Enters: the name of a task type, and files. Leaves: references and answers for the metrics, or every problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from scoring.task_types.answer_list import ANSWER_LIST
from scoring.task_types.base import TaskType
from scoring.task_types.compared_answer import COMPARED_ANSWER
from scoring.task_types.installed import Installed, read_installed, with_metrics
from scoring.task_types.judged_list import JUDGED_LIST
from scoring.task_types.text_answer import TEXT_ANSWER

BUILT_IN: Final = {one.name: one for one in (TEXT_ANSWER, ANSWER_LIST, JUDGED_LIST, COMPARED_ANSWER)}
"""The task types of the software by name, the default first."""

TASK_TYPES: Mapping[str, TaskType]
"""All task types by name, those of installed packages last. Read on first use, because packages import this one."""

__all__ = [
    "ANSWER_LIST",
    "BUILT_IN",
    "COMPARED_ANSWER",
    "JUDGED_LIST",
    "TASK_TYPES",
    "TEXT_ANSWER",
    "TaskType",
    "installed",
    "task_type_named",
]


@cache
def installed() -> Installed:
    """What installed packages add."""
    return read_installed(BUILT_IN)


@cache
def _task_types() -> Mapping[str, TaskType]:
    found = installed()
    return {name: with_metrics(one, found.metrics) for name, one in {**BUILT_IN, **found.task_types}.items()}


def __getattr__(name: str) -> Any:
    if name != "TASK_TYPES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _task_types()


def task_type_named(name: str) -> TaskType:
    """A task type by its name.

    :raises KeyError: no task type has that name; the message lists the existing ones.
    """
    try:
        return _task_types()[name]
    except KeyError:
        raise KeyError(f"No task type {name!r}. Available: {', '.join(_task_types())}.") from None
