"""Public fields of questions that tell their reference answers: of a hidden split they would publish what is scored.

The questions of a split are compared as readers see them with their reference answers, word by word, as metrics read
texts (`scoring.metrics.text.as_read`). A leak names the question and the field, and quotes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from scoring.benchmarks.base import SourceQuestion
from scoring.benchmarks.reference_texts import NO_TEXTS, ReferenceTexts, texts_of_reference, words
from scoring.files.mistakes import is_id, listed, shown_id
from scoring.metrics.short_answer.choices import labelled
from scoring.task_types import TaskType

LEAST_SHARED: Final = 10
"""A value that fewer questions have in a field is no word of a closed vocabulary."""
TELLING: Final = 0.1
"""The share of the questions with a value above which it tells the reference answer that equals it."""
MOSTLY: Final = 0.9
"""The share of the questions whose ids end with the reference answer above which that is no chance."""
ADDRESS: Final = "evidence.url"
_PARTS: Final = re.compile(r"[\W_]+")
MANY_PAGES: Final = 5
"""Among the titles of so many pages of evidence, one that equals the reference answer does not stand out."""
LEAST_BYTES: Final = 4
"""Shorter reference answers (a letter, a digit) are in most texts by chance, and are not looked for inside others."""


class Leak(NamedTuple):
    """A field that tells the reference answer of its question."""

    position: int
    """The position of the question in its split."""
    field: str
    """Its key in a question file."""
    whole: bool
    """Whether it equals the reference answer, and no closed vocabulary explains it; otherwise it contains it."""


def _reference(question: SourceQuestion, task: TaskType) -> ReferenceTexts:
    return texts_of_reference(question.answer, task) if question.has_answer else NO_TEXTS


def accepted_texts(question: SourceQuestion, task: TaskType) -> frozenset[str]:
    """The texts that a reference answer accepts; of options, which may be in any order, their texts."""
    choices = question.answer.get("choices") if isinstance(question.answer, dict) else None
    options = {words(label): words(str(text)) for label, text in labelled(choices or {}).items()}
    return frozenset(options.get(text, text) for text in _reference(question, task).parts)


def _fields(question: SourceQuestion) -> Iterator[tuple[str, str]]:
    """The public texts of a question with their keys; evidence is named by its titles."""
    yield "id", question.qid
    yield "question", question.text
    yield from (("categories", category) for category in question.categories)
    if question.cluster:
        yield "cluster", question.cluster
    for page in question.evidence:
        title, named = str(page.get("title") or ""), _named_by(page.get("url"))
        yield from (("evidence", title),) if title else ()
        yield from ((ADDRESS, named),) if named and named != title else ()


def _named_by(url: object) -> str:
    """The page that the last part of an address names; empty if that is a number.

    >>> _named_by("https://en.wikipedia.org/wiki/Ada_Berg#Life"), _named_by("https://a.example/%C3%85s/"), _named_by("")
    ('Ada Berg', 'Ås', '')
    """
    path = str(url or "").partition("#")[0].partition("?")[0].rstrip("/")
    name = unquote(path.rpartition("/")[2]).replace("_", " ")
    return "" if name.isdigit() else name


def leaks_in(questions: Sequence[SourceQuestion], task: TaskType) -> list[Leak]:
    """Public fields that equal or contain the reference answer of their question, one for each question and key, in
    questions as readers see them (`SourceQuestion.in_split`).

    A field may equal a reference answer by chance where its values are a closed vocabulary (yes and no, letters, kinds
    of things). A value is taken as a word of one if at least `LEAST_SHARED` questions have it and it tells little: at
    most `TELLING` of them have it as their reference answer; or more of all questions than that share have it as
    theirs, and those with the value have another one at least half as often as all questions. The title of one page of
    evidence among `MANY_PAGES` counts as contained; what an address contains does not count. Ids that end with the
    reference answer tell it if nearly all do.
    """
    if not task.needs_references:
        return []
    found: dict[tuple[int, str], str] = {}
    equal: Counter[tuple[str, str]] = Counter()
    inside: set[tuple[int, str]] = set()
    ending: list[int] = []
    for position, question in enumerate(questions):
        reference = _reference(question, task)
        long = [part for part in reference.parts if len(part.encode()) >= LEAST_BYTES + 2]  # two spaces
        if question.has_answer and words(_PARTS.split(question.qid)[-1]) in reference.whole:
            ending.append(position)
        for key, text in _fields(question) if question.has_answer else ():
            value = words(text)
            is_evidence = key in ("evidence", ADDRESS)
            if value in reference.whole and not (is_evidence and len(question.evidence) >= MANY_PAGES):
                equal[key, value] += 1
                found[position, key] = value
            elif key != ADDRESS and any(part in value for part in long):
                inside.add((position, key))
    leaks = [Leak(position, key, False) for position, key in inside if (position, key) not in found]
    if found:
        explained = _explained(questions, task, equal)
        leaks += [Leak(*place, True) for place, value in found.items() if (place[1], value) not in explained]
    if len(ending) >= max(LEAST_SHARED, MOSTLY * sum(question.has_answer for question in questions)):
        leaks += [Leak(position, "id", True) for position in ending if (position, "id") not in found]
    return sorted(leaks)


def _explained(
    questions: Sequence[SourceQuestion], task: TaskType, equal: Mapping[tuple[str, str], int]
) -> set[tuple[str, str]]:
    """The keys and values that are a word of a closed vocabulary, as `leaks_in` says."""
    looked_for = {value for _, value in equal}
    answered = [question for question in questions if question.has_answer]
    of_all = Counter(value for question in answered for value in _reference(question, task).whole & looked_for)
    fields = ((key, words(text)) for question in answered for key, text in _fields(question))
    values = Counter(pair for pair in fields if pair in equal)

    def is_explained(pair: tuple[str, str]) -> bool:
        number, same = values[pair], equal[pair]
        if number < LEAST_SHARED:
            return False
        if same <= TELLING * number:
            return True
        usual = of_all[pair[1]] / len(answered)
        return usual > TELLING and (number - same) / number >= (1 - usual) / 2 > 0

    return set(filter(is_explained, equal))


def public_elsewhere(
    hidden: Sequence[SourceQuestion], others: Mapping[str, Sequence[SourceQuestion]], task: TaskType
) -> Iterator[tuple[int, str, bool]]:
    """Questions of a hidden split that an open one has too, in the same words.

    Yields:
        The position of each, the open split, and whether the reference answers are equal there: the same
        words may ask for another answer.
    """
    if not task.needs_references:
        return
    asked = {words(question.text) for question in hidden} if others else set()
    places: dict[str, list[tuple[str, SourceQuestion]]] = {}
    for name, of_split in others.items():
        for question in of_split if asked else ():
            if (text := words(question.text)) in asked:
                places.setdefault(text, []).append((name, question))
    for position, question in enumerate(hidden if places else ()):
        same = {
            name: question.has_answer and accepted_texts(other, task) == accepted_texts(question, task)
            for name, other in places.get(words(question.text), ())
        }
        if same:
            yield position, max(same, key=lambda name: same[name]), any(same.values())


class Refusal(NamedTuple):
    """What must not become public, of a question of a hidden split."""

    split: str
    """Split of the question, by slug."""
    position: int
    """Position of the question in its split."""
    field: str
    """Its key in a question file."""
    found: str
    expected: str
    fix: str


HIDDEN_WEIGHTS: Final = range(1, 6)
"""What a question of a hidden split may count. Of weights such as 1, 2, 4, 8, or with many digits, a single sum says
which questions are in it."""
EXPECTED_WEIGHT: Final = "a whole number from 1 to 5, because the split is hidden"


def refusals(
    split: str, splits: Mapping[str, Sequence[SourceQuestion]], hidden: Collection[str], task: TaskType
) -> Iterator[Refusal]:
    """What the questions of a split would publish of reference answers of hidden splits: public fields that equal
    them, questions of a hidden split that an open one has with the same answer, and weights by which a score tells
    which answers are right.

    Args:
        split: its slug; of an open split, its questions are looked for in the hidden ones.
        splits: by slug, the questions of splits and subsets as readers see them.
        hidden: the slugs of hidden splits, and of their subsets.
        task: how their reference answers are written.
    """
    if split in hidden:
        for leak in leaks_in(splits[split], task):
            if leak.whole:
                expected = "a value that does not tell it, because the split is hidden"
                fix = "Remove it, or rename what it says."
                yield Refusal(split, leak.position, leak.field, "the reference answer", expected, fix)
        for position, question in enumerate(splits[split]):
            weight = task.weight_of(question.answer) if question.has_answer else None
            if weight is not None and weight not in HIDDEN_WEIGHTS:
                fix = "Round it. With other weights, a score would tell which of its answers are right."
                yield Refusal(split, position, "weight", f"{weight:g}", EXPECTED_WEIGHT, fix)
        others = {name: questions for name, questions in splits.items() if name not in hidden}
        names = [split]
    else:
        others = {split: splits[split]}
        names = [name for name in splits if name in hidden]
    for name in names:
        for position, other, same in public_elsewhere(splits[name], others, task):
            if same:
                found = f"a question that the open split {other} has too"
                fix = "Remove it from one of them."
                yield Refusal(name, position, "question", found, "one whose answer is not public", fix)


def warnings_of_leaks(
    split: str,
    questions: Sequence[SourceQuestion],
    task: TaskType,
    *,
    hidden: bool,
    others: Mapping[str, Sequence[SourceQuestion]],
) -> Iterator[str]:
    """What the public fields of a split tell of its reference answers and is not refused, a sentence for each kind."""
    places: dict[tuple[str, bool], list[str]] = {}
    for leak in leaks_in(questions, task):
        qid = questions[leak.position].qid  # one that may be an answer is not quoted
        named = shown_id(qid) if is_id(qid) else f"question {leak.position + 1:,} of the split"
        places.setdefault((leak.field, leak.whole), []).append(named)
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
