"""How a round takes its answers, and how they are graded."""

from collections.abc import Sequence
from dataclasses import dataclass

from humaneval.models import Selection


@dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """What a maintainer chooses for a round, besides whose answers are graded and who grades them."""

    selection: Selection = Selection.ALL
    n_answers: int | None = None
    """How many answers to take, where not all."""
    n_calibration: int = 0
    """How many more to take, to which the maintainer gives the known grade."""
    graders_per_answer: int = 2
    shared_share: float = 1.0
    """The share of the answers that so many grade; one grades the others."""
    calibration_share: float = 0.1
    """The share of calibration answers among those that a grader gets after the first."""
    calibration_start: int = 3
    """How many calibration answers a grader gets first."""
    shows_matches: bool = True
    masks: Sequence[str] = ()
    seed: int = 0
    guidelines: str = ""
    """Ours, if empty."""
