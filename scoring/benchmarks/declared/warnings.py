"""What a benchmark's files may say and its author probably did not mean.

Enters: a declaration without mistakes. Leaves: sentences, without a question or an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.declared.categories import WAYS
from scoring.benchmarks.declared.published import MADE_AGAIN
from scoring.benchmarks.declared.questions import ReadQuestion
from scoring.benchmarks.form import CategoryTable
from scoring.files.mistakes import listed, texts_in
from scoring.metrics.text.normalise import as_text
from scoring.metrics.text.scripts import has_only_other_letters, is_spaceless
from scoring.task_types import TASK_TYPES


def unused_files(names: Sequence[str]) -> Iterator[str]:
    """Files of the folder that nothing names."""
    if names:
        number = "1 file is" if len(names) == 1 else f"{len(names)} files are"
        yield f"{number} not used and not stored, because nothing in benchmark.toml refers to them: {listed(names)}."


def unread_keys(questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Keys of questions that mean nothing: what they say is not used."""
    for name, of_split in questions.items():
        for key, number in Counter(key for read in of_split for key in read.unread).items():
            yield f"{name}: the key {key[:40]!r} of {number:,} question{'' if number == 1 else 's'} is not read."


def repeated_questions(questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Questions without ids that occur again: their ids were made of the same content."""
    for name, of_split in questions.items():
        again = [read for read in of_split if MADE_AGAIN.fullmatch(read.question.qid)]
        if again:
            shown = listed([f"{read.place} ({read.question.qid})" for read in again], 5)
            number = "1 question has" if len(again) == 1 else f"{len(again):,} questions have"
            yield f"{name}: {number} the same text, context and options as an earlier one: {shown}."


def idle_categories(rules: Sequence[CategoryTable], questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Rules of categories that match no question."""
    every = [read for of_split in questions.values() for read in of_split]
    matched = {position for read in every for position in read.matched}
    for position, rule in enumerate(rules if every else ()):
        if position not in matched:
            way = next(way for way in WAYS if getattr(rule, way))
            yield f"categories[{position + 1}]: {way} = {getattr(rule, way)!r} gives no question a category."


def doubtful_results(definition: BenchmarkDefinition, *, in_percent: bool) -> Iterator[str]:
    """Published results that look like shares in a file of per cent, and strict accuracy above loose accuracy."""
    results = definition.published_results
    rows = results.rows if results is not None else ()
    for row in rows:
        place = f"{row.system} in {row.setting}"
        if in_percent and any(row.values.values()) and all(value <= 0.01 for value in row.values.values()):
            yield (
                f"{place}: the published scores are at most 1 per cent. If they are shares of 1, write per cent, or "
                'scores = "share" below [reported].'
            )
        elif in_percent:
            for name, value in row.values.items():
                others = [other.values[name] for other in rows if other is not row and name in other.values]
                # A true 0.6 per cent exists: doubtful is what fits as a share, with more decimals than all others.
                fits = 0 < value <= 0.01 and others and min(others) <= 100 * value <= max(others)
                if fits and _decimals(value) > max(map(_decimals, others)):
                    yield (
                        f"{place}: the published {name} is {100 * value:.3g} per cent, and that of other systems "
                        f"{100 * min(others):.3g} to {100 * max(others):.3g}. If it is a share of 1, write per cent."
                    )
        for name, loose in row.values.items():
            strict = name.replace("loose", "strict")
            if row.values.get(strict, 0.0) > loose:
                yield f"{place}: the published {strict} is above {name}, which cannot be lower."


def _decimals(value: float) -> int:
    """The digits after the point of a share in per cent.

    >>> _decimals(0.00615), _decimals(0.615), _decimals(0.3)
    (3, 1, 0)
    """
    exponent = (Decimal(repr(value)) * 100).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def unread_scripts(definition: BenchmarkDefinition) -> Iterator[str]:
    """Reference answers in scripts in which a declared metric finds no words."""
    task = TASK_TYPES[definition.task_type]
    for metric in {"accuracy", "rouge"} & set(definition.metrics):
        for slug, packaged in definition.packaged().items():
            answers = [task.plain(question.answer) for question in packaged.source.questions if question.has_answer]
            if metric == "rouge":
                number = sum(has_only_other_letters(as_text(answer)) for answer in answers)
            else:
                number = sum(any(map(is_spaceless, texts_in(answer))) for answer in answers)
            if number:
                script = "other letters than A to Z" if metric == "rouge" else "a script without spaces between words"
                yield (
                    f"{number:,} of {len(answers):,} reference answers of {slug} are in {script}, in which the "
                    f"metric {metric} finds no words."
                )
