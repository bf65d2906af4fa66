"""Settings for selecting and grading a round's answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from humaneval.models import Selection


@dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """A maintainer's settings of a round, except the sources of answers and the graders."""

    selection: Selection = Selection.ALL
    n_answers: int | None = None
    """The number of answers to take, if not all."""
    n_calibration: int = 0
    """The number of additional answers for which the maintainer gives the known grade."""
    graders_per_answer: int = 2
    shared_share: float = 1.0
    """The share of the answers with this number of graders; the others have one."""
    calibration_share: float = 0.1
    """The share of calibration answers among those that a grader gets after the first."""
    calibration_start: int = 3
    """The number of calibration answers that a grader gets first."""
    shows_matches: bool = True
    masks: Sequence[str] = ()
    seed: int = 0
    guidelines: str = ""
    """The default guidelines, if empty."""
