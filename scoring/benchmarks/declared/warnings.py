"""What a benchmark's files may say and its author probably did not mean.

The warnings are about declarations without mistakes, and quote no question and no answer.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from difflib import SequenceMatcher
from itertools import chain
from typing import Any, Final

from scoring.benchmarks.base import BenchmarkDefinition, canonical_json
from scoring.benchmarks.copies import lost_scores
from scoring.benchmarks.declared.categories import WAYS
from scoring.benchmarks.declared.context import LABELS, is_picture
from scoring.benchmarks.declared.odd_texts import (
    LETTER,
    QUOTED,
    SECOND_NAME,
    Oddity,
    answer_oddities,
    is_marked,
    left_open_in,
    oddities,
    wrong_code,
)
from scoring.benchmarks.declared.question_rows import KEYS
from scoring.benchmarks.declared.questions import ReadQuestion
from scoring.benchmarks.declared.slips import odd_in_split, slips_of_splits
from scoring.benchmarks.form import BenchmarkTable, CategoryTable, QuestionsTable
from scoring.benchmarks.leaks import accepted_texts, warnings_of_leaks
from scoring.benchmarks.subsets import SMALLEST_HIDDEN
from scoring.files.mistakes import Mistake, listed, nearest, spelling, texts_in
from scoring.files.objects import Place
from scoring.metrics.base import UnusableReference
from scoring.metrics.short_answer.matching import UNIT_ASKED, has_other_unit
from scoring.metrics.text.normalise import as_text
from scoring.metrics.text.scripts import has_only_other_letters, is_spaceless
from scoring.task_types import TASK_TYPES, TaskType, known_metrics

_MANY: Final = 10
_LABEL: Final = re.compile(r"\s*\(?([A-Za-z]|\d{1,2})(?:[.:]\s|\)\s*)")
_HYPHENS: Final = re.compile(r"[\s_.:-]+")
_DASHES: Final = re.compile("[\u2010-\u2015\u2212]")
_AND: Final = re.compile(r"(?:and|und|y|et) \w")
_STRICTER: Final = (
    ("token-f1.f1", "exact-match"),
    ("inclusion", "exact-match"),
    ("loose", "strict"),
    ("rouge1", "rouge2"),
    ("rouge1", "rougeL"),
)
"""Parts of the names of scores, and those of scores that cannot be above them."""
_F1: Final = re.compile(r"\b(?:f1|fscore)$")
_ROUNDED: Final = 0.001
"""What published scores may differ by because they are rounded."""
_PEOPLE: Final = {"human", "humans", "people", "annotators", "crowdworkers"}
_MODELS: Final = ("FOUNDATION", "FINETUNE", "PROMPT")
_OF_MODELS: Final = {"model", "parameters", "active_parameters", "base_model", "decoding", "licence", "access"}
_OTHERS: Final = 3
_MANY_CATEGORIES: Final = 50
_OF_QUESTIONS: Final = {*KEYS} - {"answer"}
_SHORT: Final = 100
_SHORTEST: Final = 3
_MOSTLY: Final = 0.8
_SAYS_NOTHING: Final = re.compile(
    r"(?:an? |the )?(?:image|picture|figure|fig|photo|diagram|chart|graph|plot|table|screenshot|alt|todo|tbd)"
    r"s?[. ]?\s*\d*|\S+\.(?:png|jpe?g|webp|gif|svg)",
    re.IGNORECASE,
)
FEWEST: Final = SMALLEST_HIDDEN
"""With fewer questions of a hidden split in a score, or in a difference of two, readers can work out single results."""


def warnings_of_declaration(definition: BenchmarkDefinition) -> list[str]:
    """Warnings about the hidden splits of a declaration, without a database."""
    packaged = definition.packaged()
    hidden = [split.slug for split in definition.splits if split.hidden and split.slug in packaged]
    few = (few_questions(slug, len(packaged[slug].source.questions)) for slug in hidden)
    return [
        *filter(None, few),
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
    """What readers can work out from the scores of a small hidden split; empty for a larger one."""
    if not 0 < n_questions < FEWEST:
        return ""
    return (
        f"The hidden split {split} has {n_questions} question{'' if n_questions == 1 else 's'}. With fewer than "
        f"{FEWEST}, readers can work out from scores which questions a system answered correctly. Add questions, or "
        "publish few scores."
    )


def doubts_of_questions(form: BenchmarkTable, questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """What questions and reference answers may say by mistake, by split."""
    yield from slips_of_splits(form, questions)
    yield from odd_texts(questions, form.task_type)
    yield from pictures_without_words(questions)
    yield from repeated_questions(form, questions)
    yield from same_answers(questions)
    yield from spellings_of_categories(questions)


def unused_files(names: Sequence[str]) -> Iterator[str]:
    """Files of the folder that nothing names."""
    if names:
        number = "1 file is" if len(names) == 1 else f"{len(names)} files are"
        yield f"{number} not used and not stored, because nothing in benchmark.toml refers to them: {listed(names)}."


def unread_keys(questions: Mapping[str, Sequence[ReadQuestion]], task_type: str) -> Iterator[str]:
    """Keys of questions and of their reference answers that mean nothing: what they say is not used."""
    task = TASK_TYPES[task_type]
    for name, of_split in questions.items():
        places: dict[str, list[Place]] = {}
        for key, place in ((key, read.place) for read in of_split for key in read.unread):
            places.setdefault(key, []).append(place)
        for key, at in places.items():
            number = f"{len(at):,} question{'' if len(at) == 1 else 's'}"
            first = at[0]._replace(line=1) if at[0].file.endswith((".csv", ".tsv")) else at[0]
            field = key.removeprefix("answer.")
            known = (*KEYS, *task.question_keys) if field == key else task.answer_fields
            guess = "" if field in known else nearest(field, known)
            yield f"{name}: the key {key[:40]!r} of {number} ({first}) is not read.{f' {guess}' if guess else ''}"


def odd_texts(questions: Mapping[str, Sequence[ReadQuestion]], task_type: str) -> Iterator[str]:
    """Texts of questions and reference answers that may be damaged, or not what they should be.

    Each sign is one warning for each file and key, with the lines.
    """
    task = TASK_TYPES[task_type]
    lines: dict[tuple[str, str, Oddity], list[int]] = {}
    found = ((read, *odd) for of_split in questions.values() for read in of_split for odd in _odd_in(read, task))
    # Criteria are sentences: what is odd about the name of an answer says nothing of them.
    named = () if task.by_criteria else questions.values()
    in_splits = (pair for of_split in named for pair in odd_in_split(of_split, task))
    for read, field, oddity in chain(found, ((read, "answer", oddity) for read, oddity in in_splits)):
        place = read.place if field in _OF_QUESTIONS else (read.answer_place or read.place)
        lines.setdefault((place.file, field, oddity), []).append(place.line)
    for (file, field, oddity), all_lines in lines.items():
        first, *further = dict.fromkeys(all_lines)
        mistake = Mistake(file, first, field, oddity.found, oddity.expected, oddity.fix)
        also = f" The same in {len(further):,} further lines: {listed(list(map(str, further)))}." if further else ""
        yield f"{mistake}{also}"


def _odd_in(read: ReadQuestion, task: TaskType) -> Iterator[tuple[str, Oddity]]:
    """What is odd about one question, with the key that has it."""
    question, options = read.question, _options(read)
    texts = [("question", question.text), *(("categories", category) for category in question.categories)]
    texts += (("evidence", page["title"]) for page in question.evidence if page.get("title"))
    texts += (("choices", option) for option in options)
    # A longer context is a document, copied from elsewhere.
    texts += (("context", block) for block in question.context if isinstance(block, str) and len(block) <= _SHORT)
    for field, text in texts:
        for oddity in oddities(text):
            yield field, oddity
    plain: Any = ()
    others: Sequence[Sequence[str]] = ()
    if question.has_answer:
        plain, others = task.plain(question.answer), task.other_names(question.answer) or ()
        accepted = list(texts_in([plain, *others]))
        for text in accepted:
            for oddity in (*oddities(text), *(() if task.by_criteria else answer_oddities(text))):
                without = {QUOTED: text[1:-1], SECOND_NAME: text.partition(" (")[0]}.get(oddity)
                if without not in accepted and not (oddity is LETTER and options):
                    yield "answer", oddity
    if isinstance(plain, list | tuple) and len(plain) > 1 and not task.by_criteria:
        if all(_LABEL.match(str(item)) for item in plain):
            yield "answer", Oddity("a letter or number before each answer", "the answer alone", "Remove it.")
        if str(plain[-1]).strip(" .").casefold() in ("others", "among others", "and others"):
            yield "answer", Oddity("words for further answers", "each of them by its name", "Write or remove them.")
        elif _AND.match(str(plain[-1])):
            yield "answer", Oddity("a last entry that begins with and", "the name alone", "Remove the word.")
    if options:
        yield from (("choices", oddity) for oddity in _odd_options(options))
    asked = UNIT_ASKED.search(question.text) if question.has_answer else None
    if asked and isinstance(plain, str) and has_other_unit(plain, asked[1], question.language):
        found = f"another unit than {asked[1]}, in which the question asks"
        yield "answer", Oddity(found, "a number in that unit", "Correct one of the two.")
    if len(question.text.strip()) < _SHORTEST:
        yield "question", Oddity("a text of a letter or two", "a question", "Write it.")
    if code := wrong_code(question.language):
        yield "language", Oddity(code, "the code of a language, such as en or ja", "Correct it.")
    if any(others):
        yield from (("answer", oddity) for oddity in _odd_names([plain] if isinstance(plain, str) else plain, others))
    with suppress(UnusableReference):  # an answers file and its question do not fit: the metrics say so
        for doubt in task.doubts(question.answer) if question.has_answer else ():
            yield doubt.field, Oddity(doubt.found, doubt.expected, doubt.fix)


def _odd_names(items: Sequence[str], others: Sequence[Sequence[str]]) -> Iterator[Oddity]:
    """Names that an item of a reference answer has twice, and names of two items."""
    names = [(item, *of_item) for item, of_item in zip(items, others, strict=False)]
    if any(len(set(of_item)) < len(of_item) for of_item in names):
        yield Oddity("an accepted answer again", "each once", "Remove it, or write the one that was meant.")
    owners = Counter(name for of_item in names for name in {one.casefold() for one in of_item})
    if any(owners[alias.casefold()] > 1 for of_item in names for alias in of_item[1:]):
        yield Oddity("a name of two entries", "each name in one entry", "Remove it from the other entry.")


def _options(read: ReadQuestion) -> Sequence[str]:
    """The texts of a question's options."""
    blocks = (block for block in read.question.context if isinstance(block, dict) and not is_picture(block))
    return [text for block in blocks for text in block.values()]


def _odd_options(options: Sequence[str]) -> Iterator[Oddity]:
    """What is odd about the texts of a question's options."""
    if len(options) == 1:
        yield Oddity("a single option", "several", "Add the others, or remove choices.")
        return
    labels = [match[1].upper() for match in map(_LABEL.match, options) if match]
    if labels and labels in (list(LABELS[: len(options)]), [str(n + 1) for n in range(len(options))]):
        yield Oddity("a letter or number before each option", "its text alone", "Pages add the letters.")
    if sum(map(is_marked, options)) == 1:
        yield Oddity("an option that is marked as the right one", "its text alone", "Remove the mark.")
    if len(set(map(_option, options))) < len(options):
        yield Oddity("an option again", "each option once", "Correct or remove one of the two.")


def _option(text: str) -> str:
    """An option as people tell it from others: AA is not Aa, and x² is not x2."""
    plain = " ".join(text.split())
    return plain.casefold() if len(plain) > len("aa, bb") else plain


def pictures_without_words(questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Pictures that nobody who cannot see them learns anything of, nor a judge."""
    for name, of_split in questions.items():
        lines: dict[str, list[str]] = {}
        for read in of_split:
            alts = [block["alt"] for block in read.question.context if is_picture(block)]
            place = f"{read.place.file}: line {read.place.line:,}"
            if not all(alts):
                lines.setdefault("without alt", []).append(place)
            if any(_SAYS_NOTHING.fullmatch(alt) for alt in alts):
                lines.setdefault("with the name of a file, or of its kind, as alt", []).append(place)
        for said, places in lines.items():
            have = " has a picture" if len(places) == 1 else "s have pictures"
            yield (
                f"{name}: {len(places):,} question{have} {said}: "
                f"{listed(places)}. Say there what the picture shows: readers who cannot see it, and judges, get this "
                "text."
            )


def same_answers(questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Splits in which nearly all questions have one reference answer."""
    for name, of_split in questions.items():
        answers = Counter(hash(repr(read.question.answer)) for read in of_split if read.question.has_answer)
        number, n_same = answers.total(), max(answers.values(), default=0)
        if number >= _MANY and n_same >= _MOSTLY * number:
            yield f"{name}: {n_same:,} of {number:,} questions have the same reference answer. Was it read right?"


def spellings_of_categories(questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Categories that people read as one: each has a score of its own.

    Those that follow from answers, which may be hidden, are not looked at.
    """
    numbers: Counter[str] = Counter()
    first: dict[str, ReadQuestion] = {}
    for read in (read for of_split in questions.values() for read in of_split):
        for category in read.question.categories:
            numbers[category] += 1
            first.setdefault(category, read)
    spelt: dict[str, str] = {}
    frequent = numbers.most_common(_MANY_CATEGORIES)
    for category, number in numbers.items():
        place, other = first[category].place, spelt.setdefault(spelling(category), category)
        near = [known for known, of_known in frequent if of_known >= 10 * number and _is_slip(category, known)]
        if other != category or near:
            yield f"{place}: categories: found {category!r} beside {near[0] if near else other!r}. Write them alike."


def _is_slip(text: str, known: str) -> bool:
    """Whether a text is another one with a letter too many, too few or in another place.

    >>> _is_slip("Geograhpy", "Geography"), _is_slip("Hop 2", "Hop 1"), _is_slip("Austria", "Australia")
    (True, False, False)
    """
    long_enough = min(len(text), len(known)) >= 6 and abs(len(text) - len(known)) <= 1
    if text == known or not long_enough or any(map(str.isdigit, text + known)):
        return False
    return SequenceMatcher(None, text, known, autojunk=False).ratio() >= 0.88


def repeated_questions(form: BenchmarkTable, questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Questions that a split has twice about the same context, those of another open split with the same answer, and
    ids that people read as one. Options may be in any order."""
    task = TASK_TYPES[form.task_type]
    opened: dict[str, dict[int, ReadQuestion]] = {}
    for name, of_split in questions.items():
        first: dict[int, ReadQuestion] = {}  # by hash: the texts of all contexts would need as much memory again
        ids: dict[int, str] = {}
        lines: dict[str, list[str]] = {}
        has_hyphens = any("-" in read.question.qid for read in of_split)
        for read in of_split:
            question, place = read.question, f"{read.place.file}: line {read.place.line:,}"
            # "Who?" and "who ?" are the same question.
            plain = "".join(question.text.casefold().split()).rstrip("?.!")
            options = sorted(_options(read))
            blocks = [block for block in question.context if not isinstance(block, dict) or is_picture(block)]
            about = canonical_json([blocks, options]) if question.context else ""
            key = hash((plain, about))
            earlier = first.setdefault(key, read)
            if earlier is not read:
                same = accepted_texts(earlier.question, task) == accepted_texts(question, task)
                said = "the same question again" if same else "the same question again, with another answer"
                lines.setdefault(said, []).append(f"{place}, after line {earlier.place.line:,}")
            for other, known in opened.items():
                is_answered = key in known and question.has_answer
                if is_answered and accepted_texts(known[key].question, task) == accepted_texts(question, task):
                    said = f"a question of {other} again, with the same answer,"
                    lines.setdefault(said, []).append(f"{place}, as {known[key].place}")
            qid = ids.setdefault(hash(_HYPHENS.sub("-", spelling(question.qid))), question.qid)
            if qid != question.qid:
                said = "ids that differ in capitals, widths, white space or hyphens alone"
                lines.setdefault(said, []).append(place)
            if has_hyphens and not question.qid.isascii() and _DASHES.search(question.qid):
                lines.setdefault("ids with another dash than the hyphen of a keyboard", []).append(place)
        if name in form.splits and not form.splits[name].hidden:
            opened[name] = first
        for said, places in lines.items():
            yield f"{name}: {said} in {len(places):,} line{'' if len(places) == 1 else 's'} ({listed(places, 5)})."


def idle_categories(rules: Sequence[CategoryTable], questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Rules of categories that match no question, and bins that leave some out."""
    every = [read for of_split in questions.values() for read in of_split]
    matched = {position for read in every for position in read.matched}
    for position, rule in enumerate(rules if every else ()):
        if position not in matched:
            way = next(way for way in WAYS if getattr(rule, way))
            yield f"categories[{position + 1}]: {way} = {getattr(rule, way)!r} gives no question a category."
        elif rule.bins:
            answers = rule.count == "answer"
            n_left = sum(position not in read.matched and (read.question.has_answer or not answers) for read in every)
            left = f"{n_left:,} question{'' if n_left == 1 else 's'} below {rule.bins[0]}"
            if n_left:
                fix = "Begin with a lower number."
                yield f"categories[{position + 1}].bins: found {left}, expected a bin for each. {fix}"


def idle_fields(form: BenchmarkTable, read: Collection[str]) -> Iterator[str]:
    """Keys of ``[questions]`` whose field no question has, or never with the value that it should equal."""
    mapped = form.questions or QuestionsTable()
    for key in QuestionsTable.model_fields:
        if key not in ("columns", "each", "joined") and getattr(mapped, key) is not None and key not in read:
            sources = mapped.sources(key)
            names = " or ".join(source.field for source in sources)
            value = "this value" if any(source.equals is not None for source in sources) else "a value"
            yield f"questions.{key}: found no question whose field {names} has {value}. Correct or remove it."


def unmet_needs(form: BenchmarkTable, questions: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[str]:
    """Metrics that need what no question of a split has: they give no score, or leave a column empty."""
    for name, metric in known_metrics().items():
        for split, own in questions.items() if name in form.metrics else ():
            references = [read.question.answer for read in own if read.question.has_answer]
            evidence = [read.question.evidence for read in own]
            if what := metric(**form.metrics[name].parameters).unmet_need(references, evidence):
                yield f"metrics.{name}: found no question of {split} with {what}. Add it, or correct the declaration."


def doubtful_results(definition: BenchmarkDefinition, *, in_percent: bool) -> Iterator[str]:
    """Published results in another unit, above a score that cannot be lower, or of people."""
    results = definition.published_results
    if results is None:
        return
    rows = results.rows
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    for position, row in enumerate(rows):
        place = f"{row.system} in {row.setting}"
        if in_percent and any(row.values.values()) and all(value <= 0.01 for value in row.values.values()):
            yield (
                f"{place}: the published scores are at most 1 per cent. If they are shares of 1, write per cent, or "
                'scores = "share" below [reported].'
            )
        else:
            for name, value in row.values.items():
                others = [other.values[name] for other in rows if other is not row and name in other.values]
                # A true 0.6 per cent exists: doubtful is what fits as a share, with more decimals than all others.
                fits = 0 < value <= 0.01 and others and min(others) <= 100 * value <= max(others)
                if fits and _decimals(value) > max(map(_decimals, others)):
                    fix = "If it is a share of 1, write per cent." if in_percent else "Is it a hundredth of its share?"
                    yield (
                        f"{place}: the published {name} is {100 * value:.3g} per cent, and that of other systems "
                        f"{100 * min(others):.3g} to {100 * max(others):.3g}. {fix}"
                    )
        yield from (f"{place}: the published {impossible}" for impossible in _impossible_scores(row.values))
        for name, value in row.values.items():
            others = [other.values[name] for other in rows if other is not row and name in other.values]
            is_slip = len(others) >= _OTHERS and 0 < 10 * value < min(others) and max(others) <= 3 * min(others)
            if is_slip and any(10 * other >= min(others) for other in row.values.values()):
                yield f"{place}: the published {name} is a tenth of all others. Is the decimal point in its place?"
        if len(row.values) > 1 and not any(row.values.values()):
            yield f"{place}: all published scores are 0. Leave those empty that were not published."
        system = results.systems[row.system]
        facts = system.get("run_facts") or {}
        is_first = all(other.system != row.system for other in rows[:position])
        if is_first and system["is_human"] and (system["type"] in _MODELS or facts.keys() & _OF_MODELS):
            yield f"{place}: is_human is true, beside the type or attributes of a model. Correct one of the two."
        if is_first and (released := str(facts.get("released") or "")) > results.published.isoformat():
            yield f"{place}: run.released is {released}, after these results were published ({results.published})."
        for attribute in definition.attributes if is_first else ():
            date = system["attributes"].get(attribute.name)
            if attribute.kind == "date" and date is not None and date > today:
                yield f"{place}: {attribute.name} is {date}, a day that has not come."
        if _PEOPLE & set(system["name"].lower().split()) and not system["is_human"]:
            yield f"{place}: if these are people, add a column is_human with true: boards do not rank them."


def _impossible_scores(values: Mapping[str, float]) -> Iterator[str]:
    """Scores of a row that others of it exclude, whatever was scored."""
    for name, value in values.items():
        for part, stricter in _STRICTER:
            strict = name.replace(part, stricter)
            if values.get(strict, 0.0) > value:
                yield f"{strict} is above {name}, which cannot be lower."
        # The F1 of an answer is at most the mean of its two parts, so the mean of all answers is so too.
        parts = [values[part] for kind in ("precision", "recall") if (part := _F1.sub(kind, name)) in values]
        if len(parts) == 2 and value > sum(parts) / 2 + _ROUNDED:
            yield f"{name} is above the mean of precision and recall, which it cannot be."


def odd_rows(definition: BenchmarkDefinition) -> Iterator[str]:
    """Texts of published results that may be damaged, or not what they should be."""
    results, reported = definition.published_results, definition.form.reported
    if results is None or reported is None:
        return
    names = {system["name"] for system in results.systems.values()}
    for bound in reported.upper_bounds:
        if bound not in names:
            yield f"reported.upper_bounds: found {bound}, which is no system of {reported.file}. Correct or remove it."
    spelt: dict[str, str] = {}
    for system in results.systems.values():
        plain = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", system["name"]).casefold()))
        other = spelt.setdefault(plain, system["name"])
        if other != system["name"]:
            yield f"{reported.file}: it has {other} and {system['name']}. If these are one system, write one name."
        texts = [system["name"], *(str(system[key]) for key in ("authors", "citation", "details") if system.get(key))]
        odd = [oddity for text in texts for oddity in oddities(text)]
        odd += [
            Oddity(
                f"{left_open}, as an example has it", "a system with published results", "Remove or correct the row."
            )
            for left_open in map(left_open_in, texts)
            if left_open
        ]
        for oddity in dict.fromkeys(odd):
            found = f"found {oddity.found}, expected {oddity.expected}. {oddity.fix}"
            yield f"{reported.file}: system {system['name']}: {found}"


def _decimals(value: float) -> int:
    """The digits after the point of a share in per cent.

    >>> _decimals(0.00615), _decimals(0.615), _decimals(0.3)
    (3, 1, 0)
    """
    exponent = (Decimal(repr(value)) * 100).normalize().as_tuple().exponent
    return max(0, -int(exponent))


_UNREAD: Final[Sequence[tuple[str, Callable[[Any], bool], str]]] = (
    (
        "rouge",
        lambda answer: has_only_other_letters(as_text(answer)),
        "are in other letters than A to Z, in which the metric rouge finds no words",
    ),
    (
        "accuracy",
        lambda answer: any(map(is_spaceless, texts_in(answer))),
        "are in a script without spaces between words, in which the metric accuracy finds no words",
    ),
    (
        "accuracy",
        lambda answer: isinstance(answer, str) and answer.rstrip().endswith((".", "!")),
        "end with a full stop, with which the metric accuracy finds them in no answer. Remove it",
    ),
)
"""Metrics, reference answers that they cannot find in any answer, and what is said of these."""


def unread_answers(definition: BenchmarkDefinition) -> Iterator[str]:
    """Reference answers that a declared metric finds in no answer."""
    task = TASK_TYPES[definition.task_type]
    for metric, is_unread, said in _UNREAD:
        for slug, packaged in definition.packaged().items() if metric in definition.metrics else ():
            answers = [task.plain(question.answer) for question in packaged.source.questions if question.has_answer]
            if number := sum(map(is_unread, answers)):
                yield f"{number:,} of {len(answers):,} reference answers of {slug} {said}."
