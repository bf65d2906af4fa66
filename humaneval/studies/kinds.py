"""The types of studies: what differs between them. Everything else is the same for every type.

A further type is a further `Kind` (`humaneval/models/studies.py`) with an entry here, a template for its questions, and
a module that computes its outcome.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import TextChoices

from humaneval.models import Kind, Preference, Study, Vote
from humaneval.studies import default_texts, ratings
from scoring.task_types.base import deferred

NO_VOTE: Final = "Choose one of the possibilities, or skip the question."
NO_ANSWER: Final = "There is no answer yet. Write one, or skip the question."


def _typed(study: Study, fields: Mapping[str, str]) -> str:
    return fields.get("text", "")


def _no_text(study: Study, text: str, complete: bool) -> str:
    return NO_ANSWER if complete and not text.strip() else ""


def _one_of(choices: type[TextChoices]) -> Callable[[Study, str, bool], str]:
    return lambda study, text, complete: "" if text in choices.values or not (text or complete) else NO_VOTE


def _label_of(choices: type[TextChoices]) -> Callable[[Study, str], str]:
    return lambda study, text: str(dict(choices.choices).get(text, text))


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
    problem: Callable[[Study, str, bool], str]
    """Takes a study, an answer as it is stored, and whether it shall be complete; returns why it cannot be saved (or,
    complete, not be marked done), or an empty text."""
    unit: str = "item"
    """What people answer, in one word."""
    has_reader: bool = True
    """Whether the encyclopedia is beside the question."""
    typed: Callable[[Study, Mapping[str, str]], str] = _typed
    """Takes a study and the fields of a form; returns the answer as it is stored."""
    in_words: Callable[[Study, str], str] = lambda study, text: text
    """Takes a study and an answer as it is stored; returns it as people read it."""
    context: Callable[[Study, str], Mapping[str, Any]] = lambda study, text: {}
    """Takes a study and an answer as it is stored; returns what the page of a question shows in addition."""


KINDS: Final[Mapping[str, StudyKind]] = {
    Kind.ANSWER: StudyKind(
        consent=default_texts.CONSENT,
        instructions=default_texts.INSTRUCTIONS,
        tabs=(("manage-study-evidence", "Evidence"), ("manage-study-results", "Scores")),
        question_template="humaneval/answering/question.html",
        plan=deferred("humaneval.answering.sampling:plan_questions"),
        scores=deferred("humaneval.maintenance.result_views:scores_of_answers"),
        writes_answers=True,
        unit="question",
        problem=_no_text,
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
        problem=_one_of(Vote),
        in_words=_label_of(Vote),
    ),
    Kind.PAIRS: StudyKind(
        consent=default_texts.PAIR_CONSENT,
        instructions=default_texts.PAIR_INSTRUCTIONS,
        tabs=(("manage-study-pairs", "Pairs"), ("manage-study-results", "Scores")),
        question_template="humaneval/answering/pair.html",
        plan=deferred("humaneval.answering.pair_sampling:plan_pairs"),
        scores=deferred("humaneval.maintenance.pair_views:scores_of_pairs"),
        unit="pair",
        writes_answers=False,
        problem=_one_of(Preference),
        in_words=_label_of(Preference),
    ),
    Kind.RATINGS: StudyKind(
        consent=default_texts.RATING_CONSENT,
        instructions=default_texts.RATING_INSTRUCTIONS,
        tabs=(("manage-study-items", "Items"), ("manage-study-results", "Scores")),
        question_template="humaneval/answering/rating.html",
        plan=deferred("humaneval.answering.item_sampling:plan_ratings"),
        scores=deferred("humaneval.maintenance.item_views:scores_of_ratings"),
        writes_answers=False,
        has_reader=False,
        problem=ratings.rating_problem,
        typed=ratings.typed_rating,
        in_words=ratings.rating_in_words,
        context=ratings.rating_fields,
    ),
}
