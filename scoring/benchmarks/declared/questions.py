"""Question files: objects with ``id``, ``question`` and ``answer``, or with the fields that a declaration names.

Messages name the line and describe values; of a hidden split they never show one, because it may be an answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Final

from scoring.benchmarks.base import NO_ANSWER, SourceQuestion
from scoring.benchmarks.declared import categories
from scoring.benchmarks.declared.categories import Rule, limited
from scoring.benchmarks.declared.context import blocks_of, is_picture, options_of
from scoring.benchmarks.declared.files import MAX_BYTES
from scoring.benchmarks.declared.odd_texts import is_placeholder
from scoring.benchmarks.declared.published import Opener, PublishedFields
from scoring.benchmarks.declared.question_rows import EVIDENCE, KEYS, row_mistakes
from scoring.benchmarks.form import BenchmarkTable
from scoring.files.mistakes import DECLARATION, Mistake, nearest, shown_id, texts_in
from scoring.files.objects import Place, objects_in
from scoring.generations.records import has_content
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.rubric.references import named_rubric
from scoring.task_types import TASK_TYPES, TaskType

OTHER_NAMES: Final = {
    "answer-list": {"qid": "id", "question_text": "question", "answer_list": "answer"},
    "judged-list": {"answers": "answer"},
    "short-answer": {"answers": "answer"},
}
"""By task type: keys of published files that mean one of `KEYS`."""

_BATCH: Final = 1_000
"""So many reference answers are checked at once."""


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question with its place."""

    place: Place
    question: SourceQuestion
    unread: tuple[str, ...] = ()
    """The keys of its object that mean nothing."""
    matched: tuple[int, ...] = ()
    """The positions of the declared rules of categories that match it."""
    answer_place: Place | None = None
    """Where its reference answer is, if a separate file has it."""
    stated: Mapping[str, Any] = field(default_factory=dict)
    """What its object says of how answers are compared, beside the reference answer or without one."""


def published_fields(form: BenchmarkTable, open_file: Opener) -> PublishedFields | None:
    """Where the objects of files have what a question has; None if as here."""
    if form.questions is None:
        return None
    further = {path for rule in form.categories for path in (rule.field, rule.count)}
    further |= {form.cluster, form.questions.rubric or ""}
    return PublishedFields(form.questions, sorted(further), open_file)


@limited()
def read_questions(
    name: str,
    stream: BinaryIO,
    form: BenchmarkTable,
    published: PublishedFields | None = None,
    *,
    only_answers: bool = False,
    is_public: bool = False,
) -> tuple[list[ReadQuestion], list[Mistake]]:
    """The questions of a file, and every mistake in it.

    Args:
        name: the file's name, for messages.
        stream: its content, which may be compressed.
        form: the content of ``benchmark.toml``; rules of categories that have mistakes are not used.
        published: where its objects have what a question has; None if as here.
        only_answers: whether it holds reference answers for questions of another file.
        is_public: whether messages may quote it, because it belongs to open splits alone.
    """
    mistakes: list[Mistake] = []
    questions: list[ReadQuestion] = []
    task_type = form.task_type or next(iter(TASK_TYPES))
    task = TASK_TYPES[task_type]
    other = {} if published else OTHER_NAMES.get(task_type, {})
    cluster, rubric = form.cluster, form.questions.rubric if form.questions and task_type == "rubric" else None
    rules = form.categories if not list(categories.faults(form.categories)) else []
    of_questions, of_answers = categories.rules_of(rules), categories.answer_rules_of(rules)
    every = list(map(categories.rule_of, rules))
    category_fields = categories.fields_of(rules)
    language = form.language_of(name)
    counts = (rule.count for rule in rules if rule.count)
    read = (*KEYS, *task.question_keys, *category_fields, *counts, cluster, rubric or "")
    keys: set[str] = set()
    if published is not None:
        records = published.read(name, stream, mistakes, MAX_BYTES, only_answers=only_answers)
    else:
        records = objects_in(name, stream, mistakes, max_bytes=MAX_BYTES)
    seen: dict[Any, Any] = {}
    nothing: dict[str, Any] = {}

    def once(value: Any) -> Any:
        """The same object for equal values: many questions have the same categories and pages."""
        return seen.setdefault(value, value)

    for place, record in records:
        keys.update(key for key in record if isinstance(key, str))
        plain = {other.get(key, key): value for key, value in record.items()}
        at = place.mistake
        twice = [key for key in record if other.get(key) in record]
        wrong = [at(key, f"{other[key]} and {key}, which mean the same", "one of them", "Remove one.") for key in twice]
        own = "" if only_answers else cluster
        wrong += row_mistakes(
            plain,
            place,
            category_fields=category_fields,
            cluster=own,
            only_answers=only_answers,
            is_public=is_public,
        )
        mistakes += map(published.under_its_name, wrong) if published else wrong
        if wrong:
            continue
        answer, options = plain.get("answer", NO_ANSWER), options_of(plain.get("choices"))
        own_language = plain.get("language") or language
        stated = {key: plain[key] for key in task.question_keys if plain.get(key) is not None} or nothing
        if answer is NO_ANSWER and stated and task.stored(stated).get("unanswerable") is True:
            answer = {}  # that there is none is an answer
        further = {key: value for key, value in (("choices", options), ("language", own_language)) if value}
        inner = dict.fromkeys(task.unread_fields(answer))
        unread = once((*(key for key in plain if key not in read), *(f"answer.{name}" for name in inner)))
        if rubric:
            answer = named_rubric(answer, plain.get(rubric, ""))
        question = SourceQuestion(
            qid=plain["id"],
            text=plain.get("question", ""),
            categories=once(_categories(plain, of_questions)),
            answer_categories=once(_categories(plain, of_answers)),
            evidence=tuple({key: once(item.get(key)) for key in EVIDENCE} for item in plain.get("evidence", ())),
            decomposition=tuple(plain.get("decomposition", ())),
            answer=task.with_question(task.stored(answer), stated | further) if answer is not NO_ANSWER else NO_ANSWER,
            cluster="" if plain.get(cluster) is None else str(plain[cluster]),
            language=own_language,
            context=(*blocks_of(plain.get("context")), *([options] if options else [])),
        )
        matched = once(tuple(position for position, rule in enumerate(every) if rule(plain)))
        questions.append(ReadQuestion(place, question, unread, matched, stated=stated))
    if published is None and keys and keys.isdisjoint(KEYS) and name.endswith((".csv", ".tsv")):
        fix = "Write these names, or name the columns in [questions]."
        mistakes = [Mistake(name, 1, "", "none of the names id, question and answer", "them in the first row", fix)]
    if rubric and not only_answers:
        questions = _with_all_rubrics(questions)
    if cluster and not only_answers:
        mistakes += _unclustered(questions, name, cluster, keys)
    mistakes += _answer_mistakes(questions, task_type, is_public=is_public)
    if not questions and not mistakes:
        mistakes.append(Mistake(name, 0, "", "no question", '{"id": "…", "question": "…", "answer": "…"} on each line'))
    return questions, mistakes


def _with_all_rubrics(questions: Sequence[ReadQuestion]) -> list[ReadQuestion]:
    """Questions of which each text is there once, with the criteria of all that have it; those without any stay."""
    merged: list[ReadQuestion] = []
    places: dict[str, int] = {}
    for read in questions:
        answer = read.question.answer
        criteria = answer.get("criteria") if isinstance(answer, dict) else None
        place = places.setdefault(" ".join(read.question.text.split()), len(merged)) if criteria else len(merged)
        if place == len(merged):
            merged.append(read)
            continue
        first = merged[place].question
        both = {**first.answer, "criteria": [*first.answer["criteria"], *answer["criteria"]]}
        merged[place] = replace(merged[place], question=replace(first, answer=both))
    return merged


def _unclustered(questions: Sequence[ReadQuestion], file: str, key: str, keys: Collection[str]) -> Iterator[Mistake]:
    """Questions without the key that names their cluster; one mistake if no question of a file has it."""
    if questions and key not in keys:
        fix = nearest(key, sorted(keys)) or f"Correct cluster in {DECLARATION}, or add the key."
        yield Mistake(file, 0, key, "no question with this key", "the cluster of each question", fix)
        return
    for read in questions:
        if not read.question.cluster:
            yield read.place.mistake(key, "nothing", "the cluster of the question", f"Add {key} to the object.")


def _categories(record: Mapping[str, Any], rules: Sequence[Rule]) -> tuple[str, ...]:
    names = (name for rule in rules for name in rule(record))
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


def _answer_mistakes(questions: Sequence[ReadQuestion], task_type: str, *, is_public: bool) -> Iterator[Mistake]:
    """Reference answers that the metrics of the task type cannot use, and blank texts in them."""
    answered = [read for read in questions if read.question.has_answer]
    for start in range(0, len(answered), _BATCH):  # a task type may need more memory for a reference than it has
        batch = answered[start : start + _BATCH]
        answers, places = [read.question.answer for read in batch], [read.place for read in batch]
        yield from TASK_TYPES[task_type].mistakes_in(answers, places, are_public=is_public)
    # String matching finds a blank text in any answer, and so counts it as found.
    for read in answered:
        if not all(map(has_content, texts_in(read.question.answer, without="proof"))):
            fix = "Write the text, or remove it."
            yield read.place.mistake("answer", "a blank text", "a text with characters", fix)
        if any(map(is_placeholder, texts_in(read.question.answer))):
            yield read.place.mistake("answer", "a text of the template", "the reference answer", "Replace it.")


def judge_mistakes(
    questions: Sequence[ReadQuestion], task: TaskType, judges: Iterable[JudgeMetric], *, is_public: bool
) -> Iterator[Mistake]:
    """Reference answers without what the declared judges need of them.

    Args:
        judges: with the benchmark's prompts.
    """
    answered = [read for read in questions if read.question.has_answer]
    answers = [read.question.answer for read in answered]
    places = [read.answer_place or read.place for read in answered]
    for judge in judges:
        yield from task.mistakes_in(answers, places, are_public=is_public, check=judge.prepare)


def with_answers(
    questions: list[ReadQuestion], answers: list[ReadQuestion], task: TaskType
) -> tuple[list[ReadQuestion], list[Mistake]]:
    """Questions with the reference answers of another file, matched by id."""
    by_id = {read.question.qid: read for read in answers}
    known = {read.question.qid for read in questions}
    mistakes = [
        read.place.mistake("id", shown_id(qid), "the id of a question", "Correct the id, or remove the line.")
        for qid, read in by_id.items()
        if qid not in known
    ]
    completed = []
    for read in questions:
        other = by_id.get(read.question.qid)
        if other is not None:  # with its answer, and with the categories that follow from it
            given = other.question
            mistakes += _contradictions(read, other, task)
            blocks = (block for block in read.question.context if isinstance(block, dict) and not is_picture(block))
            options = next(blocks, {})
            stated = {**read.stated, "choices": options, "language": read.question.language}
            answer = task.with_question(given.answer, {key: value for key, value in stated.items() if value})
            question = replace(read.question, answer=answer, answer_categories=given.answer_categories)
            read = ReadQuestion(
                read.place, question, read.unread + other.unread, read.matched + other.matched, other.place
            )
        completed.append(read)
    return completed, mistakes


def _contradictions(read: ReadQuestion, other: ReadQuestion, task: TaskType) -> Iterator[Mistake]:
    """What the files of questions and of answers state differently."""
    where = f"{read.place.file}: line {read.place.line}"
    question, given = read.question, other.question
    if question.has_answer and task.contradict(question.answer, given.answer):
        fix = "Correct one of the two, or remove the answer from the file of questions."
        yield other.place.mistake("answer", f"another answer than {where} has", "the same answer", fix)
    if isinstance(given.text, str) and given.text.split() not in ([], question.text.split()):
        fix = "Check that the ids belong together, and correct or remove the question here."
        yield other.place.mistake("question", f"another question than {where} has", "the same question", fix)


def missing_answers(questions: Sequence[ReadQuestion], expected: str, *, name_unscored: str = "") -> Iterator[Mistake]:
    """Questions without a reference answer."""
    fix = f"Add the answer, or name the question in {name_unscored}." if name_unscored else "Add the answer."
    for read in questions:
        if not read.question.has_answer:
            yield read.place.mistake("answer", f"nothing for {shown_id(read.question.qid)}", expected, fix)


def repeated_ids(splits: Mapping[str, Sequence[ReadQuestion]]) -> Iterator[Mistake]:
    """Ids that occur twice, in a split or in two: a question belongs to one split."""
    seen: dict[str, ReadQuestion] = {}
    for questions in splits.values():
        for read in questions:
            first = seen.setdefault(read.question.qid, read)
            if first is not read:
                actual = f"{shown_id(read.question.qid)} again after {first.place}"
                yield read.place.mistake("id", actual, "an id of its own", "Rename or remove one.")
