"""The columns of grades that people gave by hand: not metric scores, so in a column group of their own.

They are shown on boards that have such grades, which are only those of reference rows.
"""

from typing import Final

from leaderboard.board.table.cells import NOT_IN_SOURCE
from leaderboard.models import EntryKind
from scoring.benchmarks.columns import GRADED
from scoring.metrics.columns import Column

GRADED_LOOSE, GRADED_STRICT = GRADED
METRIC: Final = "hand"
LABEL: Final = "Graded by hand"
ALONE: Final = "By hand"
"""The short label of a column that has no heading of its group above it."""
NOT_A_METRIC: Final = "Graded by hand, not by a metric."
NOT_PEOPLE: Final = "Only answers of people are graded by hand for leaderboards; this row has scores of metrics."
A_ROW_APART: Final = "Scored by metrics. Grades by hand of these answers, once published, are a row of their own."

COLUMNS: Final = (
    Column(
        score=GRADED_LOOSE,
        label="Loose score, graded by hand",
        short_label="Loose",
        metric=METRIC,
        group=LABEL,
        description="The mean share of a reference answer's items that graders found in the answer.",
    ),
    Column(
        score=GRADED_STRICT,
        label="Strict score, graded by hand",
        short_label="Strict",
        metric=METRIC,
        group=LABEL,
        description="The share of answers in which graders found every item of the reference answer.",
    ),
)
KEYS: Final = tuple(column.key for column in COLUMNS)


def why_not_graded(kind: str, *, is_human: bool) -> str:
    """Reason why a row has no grades by hand."""
    if not is_human:
        return NOT_PEOPLE
    return NOT_IN_SOURCE if kind == EntryKind.REPORTED else A_ROW_APART
