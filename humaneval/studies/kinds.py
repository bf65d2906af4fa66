"""The types of studies: what differs between them. Everything else is the same for every type.

A further type is a further `Kind` (`humaneval/models/studies.py`) with an entry here, a template for its questions, and
a module that computes its outcome.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from humaneval.models import Kind
from humaneval.studies import default_texts
from scoring.task_types.base import deferred


@dataclass(frozen=True)
class StudyKind:
    """One type of study."""

    consent: str
    """The consent text of a new study."""
    instructions: str
    """The instructions of a new study, with a place for ``n_questions``."""
    tabs: tuple[tuple[str, str], ...]
    """The maintainers' pages between *Invitations* and *Export*: names of URLs, with labels."""
    question_template: str
    """The page of one question for participants."""
    plan: Callable[..., Any]
    """Takes a study and a participant; returns the unsaved assignments in order."""
    scores: Callable[..., Any]
    """The view of the page *Scores*; takes a request and a study."""
    writes_answers: bool
    """Whether people write answers: with an encyclopedia, after a practice question, scored like a system's."""
    has_reader: bool = True
    """Whether the encyclopedia is beside the question."""


KINDS: Final[Mapping[str, StudyKind]] = {
    Kind.ANSWER: StudyKind(
        consent=default_texts.CONSENT,
        instructions=default_texts.INSTRUCTIONS,
        tabs=(("manage-study-evidence", "Evidence"), ("manage-study-results", "Scores")),
        question_template="humaneval/answering/question.html",
        plan=deferred("humaneval.answering.sampling:plan_questions"),
        scores=deferred("humaneval.maintenance.result_views:scores_of_answers"),
        writes_answers=True,
    ),
    Kind.ITEMS: StudyKind(
        consent=default_texts.ITEM_CONSENT,
        instructions=default_texts.ITEM_INSTRUCTIONS,
        tabs=(
            ("manage-study-items", "Items"),
            ("manage-study-results", "Scores"),
            ("manage-study-checks", "Staff check"),
        ),
        question_template="humaneval/answering/item.html",
        plan=deferred("humaneval.answering.item_sampling:plan_items"),
        scores=deferred("humaneval.maintenance.item_views:scores_of_items"),
        writes_answers=False,
        has_reader=False,
    ),
    Kind.PAIRS: StudyKind(
        consent=default_texts.PAIR_CONSENT,
        instructions=default_texts.PAIR_INSTRUCTIONS,
        tabs=(("manage-study-pairs", "Pairs"), ("manage-study-results", "Scores")),
        question_template="humaneval/answering/pair.html",
        plan=deferred("humaneval.answering.pair_sampling:plan_pairs"),
        scores=deferred("humaneval.maintenance.pair_views:scores_of_pairs"),
        writes_answers=False,
    ),
}
