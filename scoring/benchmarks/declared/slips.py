"""Slips of authors that show only where all questions of a split, or several files, are seen together.

The warnings quote no question and no answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scoring.benchmarks.declared.odd_texts import Oddity, is_address, wrong_code
from scoring.benchmarks.declared.questions import ReadQuestion
from scoring.benchmarks.form import BenchmarkTable
from scoring.files.mistakes import listed, shown_id, texts_in
from scoring.files.tables import Fault
from scoring.task_types import TASK_TYPES, TaskType

_FEWEST: Final = 5
_MANY: Final = 10
_ENGLISH: Final = re.compile(r"(?:What|Which|Who|Where|When|How|Why)\b")
_SEPARATED: Final = re.compile(r"[^,]+(?:, [^,]+){3,}")
_NUMBERS: Final = {
    "decimals": re.compile(r"-?\d+,\d{1,2}"),
    "pointed": re.compile(r"-?[1-9]\d{0,2}\.\d{3}"),
    "thousands": re.compile(r"-?\d{4,}"),
}
_NUMBER: Final = re.compile(r"(-?\d[\d.,]*)(?:[ \u00a0]?[^\d\s.,][^\s.,]*)?")
"""A number, perhaps with a unit."""
_QUALIFIED: Final = re.compile(
    r"\w \((?:moon|planet|film|band|album|song|novel|book|city|company|politician|footballer|actor|actress|"
    r"singer|musician|disambiguation|mythology|TV series|video game)\)$"
)
_IN_ENGLISH: Final = "Write 1234.5 in English, or declare the language."
_ODD: Final = {
    "address": Oddity("an address", "an answer in words, as others have", "Write what the page says."),
    "alias": Oddity("an alias that is the answer of a question beside it", "its own aliases", "Was a line confused?"),
    "commas": Oddity("one entry with several commas", "an entry for each answer", "Write a list, unless it is one."),
    "title": Oddity(
        "a qualifier in brackets, as titles have", "the name alone", "Remove it, or add the name as an alias."
    ),
    "decimals": Oddity("a comma before decimals, which English reads as 1,234", "a point", _IN_ENGLISH),
    "pointed": Oddity(
        "a point before three digits, which English reads as decimals", "1234 for thousands", _IN_ENGLISH
    ),
}
"""Oddities of reference answers by their signs."""
_COMPARE_CHARACTERS: Final = {"exact-match", "token-f1"}
_NOT_COMPARED: Final = ("absolute_tolerance", "relative_tolerance", "per_cent")


def odd_in_split(questions: Sequence[ReadQuestion], task: TaskType) -> Iterator[tuple[ReadQuestion, Oddity]]:
    """Reference answers that are odd beside the others of their split."""
    numbers: Counter[str] = Counter()
    odd: dict[str, list[ReadQuestion]] = {sign: [] for sign in _ODD}
    before: tuple[ReadQuestion, str] | None = None
    for read in (read for read in questions if read.question.has_answer):
        plain = task.plain(read.question.answer)
        signs = list(_signs_of(plain, read.question.language))
        numbers.update(signs)
        if isinstance(plain, str) and plain:
            if before is not None and plain != before[1]:
                if plain in _aliases(before[0], task):
                    odd["alias"].append(before[0])
                if before[1] in _aliases(read, task):
                    signs.append("alias")
            before = read, plain
        for sign in odd.keys() & signs:
            odd[sign].append(read)
    is_usual = {
        "address": numbers["address"] > numbers["answer"] / 2,
        "commas": numbers["several"] <= numbers["list"] / 2,
        "pointed": numbers["thousands"] <= max(2, numbers["pointed"]) and not numbers["decimals"],
    }
    for sign, oddity in _ODD.items():
        if not is_usual.get(sign):
            yield from ((read, oddity) for read in odd[sign])


def _signs_of(plain: Any, language: str) -> Iterator[str]:
    """What a reference answer is, as far as it may be odd."""
    texts = [plain] if isinstance(plain, str) else list(texts_in(plain))
    yield "answer"
    if texts and all(map(is_address, texts)):
        yield "address"
    if any(")" in text and _QUALIFIED.search(text) for text in texts):
        yield "title"
    if isinstance(plain, list):
        yield "list"
        if len(plain) > 1:
            yield "several"
        elif plain and _SEPARATED.fullmatch(str(plain[0])):
            yield "commas"
    elif texts == [plain] and language.split("-")[0] in ("", "en") and (number := _NUMBER.fullmatch(plain)):
        yield from (sign for sign, form in _NUMBERS.items() if form.fullmatch(number[1]))


def _aliases(read: ReadQuestion, task: TaskType) -> Sequence[str]:
    return next(iter(task.other_names(read.question.answer) or ()), ())


def slips_of_splits(form: BenchmarkTable, questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """What all questions of a split say together and nobody means."""
    task = TASK_TYPES[form.task_type]
    for name, of_split in questions.items():
        number = len(of_split)
        answers = [
            next(texts_in(task.plain(read.question.answer)), "") for read in of_split if read.question.has_answer
        ]
        asking = sum(map(_asks, answers))
        if (
            len(answers) >= _FEWEST
            and asking > number / 2
            and sum(_asks(read.question.text) for read in of_split) < number / 10
        ):
            keys = "questions.question and questions.answer" if form.questions else "the keys question and answer"
            yield f"{name}: {asking:,} of {number:,} reference answers end with a question mark. Are {keys} swapped?"
        cut = [read for read in of_split if not _asks(read.question.text)]
        if number >= _MANY and len(cut) == 1 and cut[0].question.text.rstrip()[-1:].isalnum():
            found, expected = "the only question without a question mark", "its last words"
            yield str(cut[0].place.mistake("question", found, expected, "It may be cut."))
        if form.cluster and number >= _FEWEST and len({read.question.cluster for read in of_split}) == 1:
            yield f"{name}: cluster: {form.cluster} has one value for all questions, expected several. Remove cluster."
        others = [read.question for read in of_split if read.question.language.split("-")[0] not in ("", "en")]
        others = [question for question in others if not wrong_code(question.language)]
        english = sum(_ENGLISH.match(question.text) is not None for question in others)
        if english >= _FEWEST and english > len(others) / 2:
            yield f"{name}: {english:,} questions begin in English, and their language is {others[0].language}."
        compared = [read.question.answer for read in of_split if isinstance(read.question.answer, dict)]
        ways = {key for answer in compared for key in _NOT_COMPARED if answer.get(key)}
        if form.task_type == "short-answer" and ways and form.metrics.keys() <= _COMPARE_CHARACTERS:
            metrics = listed(list(form.metrics))
            yield f"{name}: {listed(sorted(ways))} and kind are not read by {metrics}. Add [metrics.inclusion]."


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "\uff1f", "\u061f", "\u037e"))


def short_limits(form: BenchmarkTable, questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[Fault]:
    """A limit that refuses copies of reference answers."""
    limit, task = form.limits.answer_length, TASK_TYPES[form.task_type]
    if limit is None or not task.needs_references:
        return
    unit = task.answer_format(None).unit
    longer: dict[str, int] = {}
    for read in (read for of_split in questions.values() for read in of_split if read.question.has_answer):
        answer = read.question.answer
        length = len(task.plain(answer) if unit == "answers" else task.copy_of(answer))
        if length > limit:
            longer[read.question.qid] = length
    if longer:
        have = f"{len(longer):,} reference answers are" if len(longer) > 1 else "a reference answer is"
        found = f"{limit}, and {have} longer ({listed(list(map(shown_id, longer)))})"
        yield Fault(("limits", "answer_length"), found, f"at least {max(longer.values()):,} {unit}", "Raise the limit.")
