"""The types of studies: what differs between them. Everything else is the same for every type.

A further type is a further `Kind` with a class here, a module in `humaneval/results/` that computes its outcome (listed
in `humaneval/maintenance/result_views.py`), and two templates.
"""

from collections.abc import Mapping
from typing import Final

from humaneval.studies.kinds.answer import AnswerStudy
from humaneval.studies.kinds.base import StudyKind
from humaneval.studies.kinds.items import ItemStudy
from humaneval.studies.kinds.pairs import PairStudy
from humaneval.studies.kinds.ratings import RatingStudy

KINDS: Final[Mapping[str, StudyKind]] = {
    kind.kind: kind for kind in (AnswerStudy(), ItemStudy(), PairStudy(), RatingStudy())
}

__all__ = ["KINDS", "StudyKind"]
