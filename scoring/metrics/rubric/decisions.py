"""What a judge decided about each criterion of an answer, and its reasons, for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

LONGEST_REASON: Final = 600
"""Characters of a reason that are shown."""
_REASONS: Final = ("explanation", "reasoning", "analysis", "reason")
"""The fields of replies that have it."""


@dataclass(frozen=True)
class Decision:
    """The judge's decision about one criterion of one answer."""

    score: float
    """How far it is met, from 0 to 1; beside a reference report, the report's score from 0 to 10."""
    reference: float | None = None
    """The score of the reference report, if there is one."""
    reason: str = ""
    """What the judge says for it, perhaps cut: it may quote the answer."""


def is_met(share: float) -> bool:
    """Whether a criterion counts as met where there is only yes or no: by more than half, so not if it is met in part.

    >>> [is_met(share) for share in (1, 0.9, 0.5, 0)]
    [True, True, False, False]
    """
    return share > 0.5


def reason_in(said: Mapping[str, Any]) -> str:
    """What a reply says for its decision, on one line and cut; empty if it says nothing.

    >>> reason_in({"verdict": "Satisfied", "reasoning": "It names\\n Oslo."})
    'It names Oslo.'
    """
    text = next((said[name] for name in _REASONS if isinstance(said.get(name), str)), "")
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON].rstrip()}…"
