"""What a benchmark's files may say and its author probably did not mean.

The warnings are about declarations without mistakes, and quote no question and no answer.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

from scoring.benchmarks.base import BenchmarkDefinition, canonical_json
from scoring.benchmarks.copies import lost_scores
from scoring.benchmarks.declared.categories import WAYS
from scoring.benchmarks.declared.context import is_picture
from scoring.benchmarks.declared.odd_texts import LETTER, Oddity, answer_oddities, oddities
from scoring.benchmarks.declared.questions import ReadQuestion
from scoring.benchmarks.form import CategoryTable
from scoring.benchmarks.leaks import warnings_of_leaks
from scoring.benchmarks.subsets import SMALLEST_HIDDEN
from scoring.files.mistakes import Mistake, listed, texts_in
from scoring.metrics.base import UnusableReference
from scoring.metrics.text.normalise import as_text
from scoring.metrics.text.scripts import has_only_other_letters, is_spaceless
from scoring.task_types import TASK_TYPES

FEWEST: Final = SMALLEST_HIDDEN
"""With fewer questions of a hidden split in a score, or in a difference of two, readers can work out single results."""


def warnings_of_declaration(definition: BenchmarkDefinition) -> list[str]:
    """Warnings about the hidden splits of a declaration, without a database."""
    packaged = definition.packaged()
    sizes = {
        split.slug: len(packaged[split.slug].source.questions) for split in definition.splits if split.slug in packaged
    }
    hidden = [split.slug for split in definition.splits if split.hidden]
    return [
        *(warning for slug in hidden if (warning := few_questions(slug, sizes.get(slug, 0)))),
        *(f"{slug}: {lost}" for slug, of in packaged.items() for lost in lost_scores(definition, of.source.questions)),
        *leaks_of_declaration(definition),
    ]


def leaks_of_declaration(definition: BenchmarkDefinition) -> list[str]:
    """What public fields of questions tell of the reference answers, as far as it is not refused."""
    hidden = {split.slug: split.hidden for split in definition.splits}
    seen = {
        slug: [question.in_split(hidden=hidden[slug]) for question in of.source.questions]
        for slug, of in definition.packaged().items()
        if slug in hidden
    }
    task = TASK_TYPES[definition.task_type]
    opened = {slug: questions for slug, questions in seen.items() if not hidden[slug]}
    return [
        warning
        for slug, questions in seen.items()
        for warning in warnings_of_leaks(slug, questions, task, hidden=hidden[slug], others=opened)
    ]


def few_questions(split: str, n_questions: int) -> str:
    """What readers can work out from the scores of a small hidden split; empty for a larger one.

    Args:
        split: its slug.
        n_questions: their number.
    """
    if not 0 < n_questions < FEWEST:
        return ""
    return (
        f"The hidden split {split} has {n_questions} question{'' if n_questions == 1 else 's'}. With fewer than "
        f"{FEWEST}, readers can work out from scores which questions a system answered correctly. Add questions, or "
        "publish few scores."
    )


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


def odd_texts(questions: Mapping[str, Sequence[ReadQuestion]], task_type: str) -> Iterator[str]:
    """Texts of questions and reference answers that may be damaged, or not what they should be.

    Each sign is one warning for each file and key, with the lines.
    """
    task = TASK_TYPES[task_type]
    lines: dict[tuple[str, str, Oddity], list[int]] = {}
    for read in (read for of_split in questions.values() for read in of_split):
        has_options = any(isinstance(block, dict) and not is_picture(block) for block in read.question.context)
        for field, text in _texts(read, task_type):
            place = (read.answer_place or read.place) if field == "answer" else read.place
            for oddity in (*oddities(text), *(answer_oddities(text) if field == "answer" else ())):
                if oddity is not LETTER or not has_options:
                    lines.setdefault((place.file, field, oddity), []).append(place.line)
        with suppress(UnusableReference):  # a mistake of its own
            for doubt in task.doubts(read.question.answer) if read.question.has_answer else ():
                oddity, place = Oddity(doubt.found, doubt.expected, doubt.fix), read.answer_place or read.place
                lines.setdefault((place.file, doubt.field, oddity), []).append(place.line)
    for (file, field, oddity), all_lines in lines.items():
        first, *further = dict.fromkeys(all_lines)
        mistake = Mistake(file, first, field, oddity.found, oddity.expected, oddity.fix)
        also = f" The same in {len(further):,} further lines: {listed(list(map(str, further)))}." if further else ""
        yield f"{mistake}{also}"


def pictures_without_words(questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Pictures that nobody who cannot see them learns anything of, nor a judge."""
    for name, of_split in questions.items():
        lines = [
            f"{read.place.file}: line {read.place.line:,}"
            for read in of_split
            if any(is_picture(block) and not block["alt"] for block in read.question.context)
        ]
        if lines:
            yield (
                f"{name}: {len(lines):,} question{' has a picture' if len(lines) == 1 else 's have pictures'} without "
                f"alt: {listed(lines)}. Say there what the picture shows: readers who cannot see it, and judges, get "
                "this text."
            )


def repeated_questions(questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Questions that a split has twice about the same context, and ids that people read as one."""
    for name, of_split in questions.items():
        first: dict[tuple[str, str], ReadQuestion] = {}
        ids: dict[str, str] = {}
        lines: dict[str, list[str]] = {}
        for read in of_split:
            question, place = read.question, f"{read.place.file}: line {read.place.line:,}"
            content = " ".join(question.text.casefold().split()), canonical_json(list(question.context))
            earlier = first.setdefault(content, read)
            if earlier is not read:
                same = canonical_json(_answer(earlier)) == canonical_json(_answer(read))
                said = "the same question again" if same else "the same question again, with another answer"
                lines.setdefault(said, []).append(f"{place}, after line {earlier.place.line:,}")
            qid = ids.setdefault(unicodedata.normalize("NFKC", question.qid).casefold(), question.qid)
            if qid != question.qid:
                lines.setdefault("ids that differ in capitals or widths alone", []).append(place)
        for said, places in lines.items():
            yield f"{name}: {said} in {len(places):,} line{'' if len(places) == 1 else 's'} ({listed(places, 5)})."


def _answer(read: ReadQuestion) -> Any:
    return read.question.answer if read.question.has_answer else None


def _texts(read: ReadQuestion, task_type: str) -> Iterator[tuple[str, str]]:
    """The texts of a question with their keys."""
    question = read.question
    yield "question", question.text
    for category in question.categories:
        yield "categories", category
    for page in question.evidence:
        if page.get("title"):
            yield "evidence", page["title"]
    if question.has_answer:
        answer = question.answer
        with suppress(TypeError, KeyError, IndexError):  # what the task type refuses is a mistake of its own
            names = TASK_TYPES[task_type].other_names(answer) or ()
            for text in texts_in([TASK_TYPES[task_type].plain(answer), *names]):
                yield "answer", text


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


def odd_rows(definition: BenchmarkDefinition) -> Iterator[str]:
    """Texts of published results that may be damaged, or not what they should be."""
    results, reported = definition.published_results, definition.form.reported
    if results is None or reported is None:
        return
    spelt: dict[str, str] = {}
    for system in results.systems.values():
        plain = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", system["name"]).casefold()))
        other = spelt.setdefault(plain, system["name"])
        if other != system["name"]:
            yield f"{reported.file}: it has {other} and {system['name']}. If these are one system, write one name."
        texts = [system["name"], *(str(system[key]) for key in ("authors", "citation", "details") if system.get(key))]
        for oddity in dict.fromkeys(oddity for text in texts for oddity in oddities(text)):
            found = f"found {oddity.found}, expected {oddity.expected}. {oddity.fix}"
            yield f"{reported.file}: system {system['name']}: {found}"


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
