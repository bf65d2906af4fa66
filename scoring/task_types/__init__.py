"""Task types: what answers and references look like, how their files are read, and which metrics fit.

Enters: the name of a task type, and files. Leaves: references and answers for the metrics, or every problem.
"""

from __future__ import annotations

from typing import Final

from scoring.task_types.answer_list import ANSWER_LIST
from scoring.task_types.base import TaskType
from scoring.task_types.judged_list import JUDGED_LIST
from scoring.task_types.text_answer import TEXT_ANSWER

TASK_TYPES: Final = {one.name: one for one in (TEXT_ANSWER, ANSWER_LIST, JUDGED_LIST)}
"""All task types by name, the default first."""

__all__ = ["ANSWER_LIST", "JUDGED_LIST", "TASK_TYPES", "TEXT_ANSWER", "TaskType", "task_type_named"]


def task_type_named(name: str) -> TaskType:
    """A task type by its name.

    :raises KeyError: no task type has that name; the message lists the existing ones.
    """
    try:
        return TASK_TYPES[name]
    except KeyError:
        raise KeyError(f"No task type {name!r}. Available: {', '.join(TASK_TYPES)}.") from None
