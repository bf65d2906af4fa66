"""The types of studies: what differs between them. Everything else is the same for every type.

Enters: a study with its items or questions, and what a participant typed. Leaves: assignments, and answers as they are
stored and shown.

A further type is a further `Kind` (`humaneval/models/studies.py`) with a class here, a module in `humaneval/results/`
that computes its outcome, which `humaneval/maintenance/result_views.py` lists, and two templates: for its questions and
its scores.
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
