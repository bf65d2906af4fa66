"""Keys of answers and of scored items: a question's id, and what tells several answers to it apart.

Plain Python: no Django.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

IN_KEYS: Final = "\t"
"""The separator between a question's id and the attempt of a system or the participant of a study; neither contains
it."""


def answer_key(question_id: str, attempt: int, n_attempts: int) -> str:
    r"""The key of an answer among those of a system: the question's id, with the attempt if there are several.

    >>> answer_key("q1", 1, n_attempts=1), answer_key("q1", 2, n_attempts=4)
    ('q1', 'q1\t2')
    """
    return question_id if n_attempts == 1 else f"{question_id}{IN_KEYS}{attempt}"


def place_of(key: str, n_attempts: int) -> tuple[str, int]:
    r"""The question's id and the attempt from the key of an answer.

    >>> place_of("q1", n_attempts=1), place_of("q1\t2", n_attempts=4)
    (('q1', 1), ('q1', 2))
    """
    if n_attempts == 1:
        return key, 1
    question_id, _, attempt = key.rpartition(IN_KEYS)
    return question_id, int(attempt)


def in_words(key: str, n_attempts: int) -> str:
    r"""The question's id from the key of an answer, with the attempt if there are several, for people.

    >>> in_words("q1", n_attempts=1), in_words("q1\t2", n_attempts=4)
    ('q1', 'q1 (attempt 2)')
    """
    question_id, attempt = place_of(key, n_attempts)
    return question_id if n_attempts == 1 else f"{question_id} (attempt {attempt})"


def first_in_words(n_attempts: int) -> str:
    """What follows the name of a system of which the first attempt is shown; empty if it has one.

    >>> first_in_words(4), first_in_words(1)
    (', attempt 1 of 4', '')
    """
    return f", attempt 1 of {n_attempts}" if n_attempts > 1 else ""


def qid_of(key: str) -> str:
    """The question's id from a key."""
    return key.partition(IN_KEYS)[0]


def by_question(answers: Mapping[str, str]) -> dict[str, list[str]]:
    r"""The answers of each question in the order of their keys, by its id.

    >>> by_question({"q1\t1": "Oslo", "q2\t1": "Rome", "q1\t3": "Bern"})
    {'q1': ['Oslo', 'Bern'], 'q2': ['Rome']}
    """
    texts: dict[str, list[str]] = defaultdict(list)
    for key, text in answers.items():
        texts[qid_of(key)].append(text)
    return dict(texts)
