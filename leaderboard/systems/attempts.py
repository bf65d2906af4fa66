"""The attempts of a system at one question of an open split, ready to be shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from scoring.analysis.explanations import LONGEST_ANSWER, readable
from scoring.task_types import TaskType

LONGEST_SHOWN: Final = 2_000
"""Characters of a text that are shown; the API has all of it."""
MOST_SHOWN: Final = 40
"""The most answers of a list that are shown."""


@dataclass(frozen=True)
class ShownAttempt:
    """One attempt at a question."""

    number: int
    """From 1."""
    value: float | None
    """Value of the score that is shown for each question; None without one."""
    answer: Any = None
    """As in generations files; None if there is none that may be read."""
    texts: tuple[str, ...] = ()
    """The beginning of the answer, or of its list; empty if there is none that may be read."""
    is_cut: bool = False
    """Whether the answer goes on."""


def shown_attempts(
    answers: Sequence[str | None],
    values: Sequence[float] | None,
    task: TaskType,
    *,
    is_readable: bool = True,
) -> list[ShownAttempt]:
    """The attempts at a question in their order; none if there is only one.

    Args:
        answers: the texts of the attempts, None for one without an answer.
        values: of their scores; None without one.
        is_readable: whether the reader may read the answers.
    """
    if len(answers) < 2:
        return []
    attempts = []
    for place, text in enumerate(answers):
        value = None if values is None else float(values[place])
        is_long = text is not None and len(text) > LONGEST_ANSWER
        if text is None or not is_readable or not (is_long or task.is_answered(text)):
            attempts.append(ShownAttempt(place + 1, value))
            continue
        is_list = task.splits_texts and not is_long
        parts = task.texts_of(text) if is_list else (text[:LONGEST_SHOWN],)
        is_cut = len(parts) > MOST_SHOWN if is_list else len(text) > LONGEST_SHOWN
        texts = tuple(map(readable, parts[:MOST_SHOWN]))
        attempts.append(ShownAttempt(place + 1, value, task.sent(text), texts, is_cut))
    return attempts
