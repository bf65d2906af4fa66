"""What a judge decided beside what people decided, answer by answer or criterion by criterion.

This module is in the exports of rounds, whose notebook calls it: it needs `scoring.statistics` and
`scoring.metrics.rubric.decisions` alone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from scoring.metrics.rubric.decisions import is_met
from scoring.statistics import JudgeValidation, validate_judge

DIMENSION: Final = "By dimension"


class Decision(NamedTuple):
    """What a judge and people say of an answer, or of one of its criteria: how far it is right or met, from 0 to 1."""

    judge: float
    people: Sequence[float]
    """What each says; empty if nobody could say."""
    question: str
    groups: Mapping[str, str]
    """The name of its group under each heading; one about a criterion has `DIMENSION`."""

    def holds(self, share: float) -> bool:
        """Whether a share counts as right, which is the whole, or as met (`is_met`)."""
        return is_met(share) if DIMENSION in self.groups else share == 1


def compare(decisions: Sequence[Decision]) -> dict[str, Any] | None:
    """A judge beside people: in whole, and under each heading by group, the largest first. None without a decision.

    What is right in part counts as not, and a criterion as `is_met` says. Decisions on which people differ, and those
    of which nobody could say anything, are left out and counted.
    """
    decided = [decision for decision in decisions if len(set(decision.people)) == 1]
    if not decided:
        return None
    tables = []
    for heading in decided[0].groups:
        groups: dict[str, list[Decision]] = defaultdict(list)
        for decision in decided:
            groups[decision.groups[heading]].append(decision)
        if heading != DIMENSION or len(groups) > 1:
            ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
            tables.append((heading, [(name, _validation(own)) for name, own in ordered]))
    n_unsure = sum(not decision.people for decision in decisions)
    return {
        "whole": _validation(decided),
        "tables": tables,
        "n_undecided": len(decisions) - len(decided) - n_unsure,
        "n_unsure": n_unsure,
    }


def _validation(decided: Sequence[Decision]) -> JudgeValidation:
    """The units of the intervals are questions, each with its answers of all systems."""
    return validate_judge(
        [decision.holds(decision.judge) for decision in decided],
        [decision.holds(decision.people[0]) for decision in decided],
        clusters=[decision.question for decision in decided],
    )
