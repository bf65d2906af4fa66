"""Warnings for maintainers about what an import lets readers learn of hidden splits.

Enters: a split, and what an import does to it. Leaves: sentences, without a question or an answer.
"""

from __future__ import annotations

from typing import Final

OPENED: Final = (
    "The split {split} is no longer hidden: its reference answers, and the answers and results per question of "
    "published systems, become public."
)


def opened(split: str) -> str:
    """What follows if a hidden split, given by its slug, is declared as open."""
    return OPENED.format(split=split)
