"""Public fields of questions that tell their reference answers: of a hidden split they would publish what is scored.

Enters: the questions of a split as readers see them, with their reference answers. Leaves: leaks, without any text.
Texts are compared as metrics read them (`scoring.metrics.text.as_read`), word by word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from scoring.benchmarks.base import SourceQuestion
from scoring.files.mistakes import listed, shown_id
from scoring.metrics.text.as_read import as_read, joined
from scoring.metrics.text.scripts import separated
from scoring.task_types import TaskType

LEAST_SHARED: Final = 10
"""A value that fewer questions have in a field is no word of a closed vocabulary."""
TELLING: Final = 0.1
"""The share of the questions with a value above which it tells the reference answer that equals it."""
LEAST_BYTES: Final = 4
"""Shorter reference answers (a letter, a digit) are in most texts by chance, and are not looked for inside others."""

_PART: Final = re.compile(r"[^\W_]+")


class Leak(NamedTuple):
    """A field that tells the reference answer of its question."""

    position: int
    """The position of the question in its split."""
    field: str
    """Its key in a question file."""
    whole: bool
    """Whether it equals the reference answer, and no closed vocabulary explains it; otherwise it contains it."""


@lru_cache(maxsize=2**14)
def _words(text: str) -> str:
    """The words of a text as metrics read it, each with a space before and after."""
    parts = _PART.findall(separated(joined(as_read(text))))
    return f" {' '.join(parts)} " if parts else text


def _texts(value: Any) -> list[str]:
    """The entries of a plain reference answer as texts, keys included; without recursion."""
    waiting, texts = [value], []
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += reversed([part for pair in item.items() for part in pair])
        elif isinstance(item, list | tuple):
            waiting += reversed(item)
        elif isinstance(item, bool):
            texts.append("yes" if item else "no")
        elif item is not None:
            texts.append(str(item))
    return texts


class _Reference(NamedTuple):
    whole: frozenset[str]
    """The texts that say all of it: each name of a single entry, or all entries in their order."""
    parts: frozenset[str]
    """Each name of each entry."""


def _reference(question: SourceQuestion, task: TaskType) -> _Reference:
    if not question.has_answer:
        return _Reference(frozenset(), frozenset())
    try:
        entries = list(dict.fromkeys(map(_words, _texts(task.plain(question.answer)))))
        others = {_words(name) for names in task.other_names(question.answer) or () for name in names}
    except (TypeError, KeyError, IndexError, AttributeError):  # the task type refuses it, with a mistake of its own
        return _Reference(frozenset(), frozenset())
    parts = frozenset({*entries, *others})
    return _Reference(parts if len(entries) == 1 else frozenset({_words("".join(entries))}), parts)


def _fields(question: SourceQuestion) -> Iterator[tuple[str, str]]:
    """The public texts of a question with their keys; evidence is named by its titles."""
    yield "id", question.qid
    yield "question", question.text
    yield from (("categories", category) for category in question.categories)
    if question.cluster:
        yield "cluster", question.cluster
    yield from (("evidence", str(page["title"])) for page in question.evidence if page.get("title"))


def leaks_in(questions: Sequence[SourceQuestion], task: TaskType) -> list[Leak]:
    """Public fields that equal or contain the reference answer of their question, one for each question and key.

    A field may equal a reference answer by chance where its values are a closed vocabulary (yes and no, letters, kinds
    of things). A value is taken as a word of one if at least `LEAST_SHARED` questions have it and it tells little: at
    most `TELLING` of them have it as their reference answer; or more of all questions than that share have it as
    theirs, and those with the value have another one at least half as often as all questions.

    Args:
        questions: of one split, as readers see them (`SourceQuestion.in_split`), with their reference answers.
        task: how their reference answers are written.
    """
    if not task.needs_references:
        return []
    references = [_reference(question, task) for question in questions]
    of_all = Counter(text for reference in references for text in reference.whole)
    n_answered = sum(question.has_answer for question in questions)
    values: Counter[tuple[str, str]] = Counter()
    equal: Counter[tuple[str, str]] = Counter()
    found: dict[tuple[int, str], str] = {}
    inside: set[tuple[int, str]] = set()
    for position, (question, reference) in enumerate(zip(questions, references, strict=True)):
        if not question.has_answer:
            continue
        long = [part for part in reference.parts if len(part.encode()) >= LEAST_BYTES + 2]  # two spaces
        for key, text in _fields(question):
            words = _words(text)
            values[key, words] += 1
            if words in reference.whole:
                equal[key, words] += 1
                found[position, key] = words
            elif any(part in words for part in long):
                inside.add((position, key))

    def is_explained(key: str, words: str) -> bool:
        number, same = values[key, words], equal[key, words]
        if number < LEAST_SHARED:
            return False
        if same <= TELLING * number:
            return True
        usual = of_all[words] / n_answered
        return usual > TELLING and (number - same) / number >= (1 - usual) / 2 > 0

    leaks = [Leak(position, key, True) for (position, key), words in found.items() if not is_explained(key, words)]
    leaks += [Leak(position, key, False) for position, key in inside if (position, key) not in found]
    return sorted(leaks)


def public_elsewhere(
    hidden: Sequence[SourceQuestion], others: Mapping[str, Sequence[SourceQuestion]], task: TaskType
) -> Iterator[tuple[int, str, bool]]:
    """Questions of a hidden split that an open one has too, in the same words.

    Args:
        hidden: the questions of the hidden split.
        others: by split, the questions of open ones.
        task: how their reference answers are written.

    Yields:
        The position of each, the open split, and whether the reference answers are equal there: the same
        words may ask for another answer.
    """
    if not task.needs_references:
        return
    places = {_words(question.text): (name, question) for name, of_split in others.items() for question in of_split}
    for position, question in enumerate(hidden if places else ()):
        name, other = places.get(_words(question.text), ("", None))
        if other is not None:
            same = question.has_answer and _reference(question, task).parts == _reference(other, task).parts
            yield position, name, same


def warnings_of_leaks(
    split: str,
    questions: Sequence[SourceQuestion],
    task: TaskType,
    *,
    hidden: bool,
    others: Mapping[str, Sequence[SourceQuestion]],
) -> Iterator[str]:
    """What the public fields of a split tell of its reference answers and is not refused, a sentence for each kind.

    Args:
        split: its slug.
        questions: as readers see them.
        task: how their reference answers are written.
        hidden: whether the split is hidden.
        others: by slug, the questions of open splits.
    """
    places: dict[tuple[str, bool], list[str]] = {}
    for leak in leaks_in(questions, task):
        places.setdefault((leak.field, leak.whole), []).append(shown_id(questions[leak.position].qid))
    for (key, whole), qids in places.items():
        if not (hidden and whole):
            what = "equals" if whole else "contains"
            yield f"{split}: {key} {what} the reference answer in {_number(qids)}."
    if hidden:
        elsewhere = public_elsewhere(questions, others, task)
        asked = [shown_id(questions[position].qid) for position, _, same in elsewhere if not same]
        if asked:
            many = _number(asked)
            yield f"{split}: an open split has the same question, with another answer or none here, for {many}."


def _number(qids: Sequence[str]) -> str:
    return f"{len(qids):,} question{'' if len(qids) == 1 else 's'} ({listed(qids)})"
