"""A declaration that is proposed for published files: which of their fields are what, and the task type.

Guesses follow the names of fields and the form of their values in the first objects of a file; what no name tells is
left to the author. Nothing is guessed from the name of a benchmark.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.context import LABELS
from scoring.benchmarks.declared.files import MAX_BYTES
from scoring.benchmarks.declared.published import unfolded
from scoring.benchmarks.declared.template import KINDS, blank_values, declaration_text, example_values, template
from scoring.files.fields import FieldError, FieldPath, read_written
from scoring.files.mistakes import DECLARATION, Mistake, listed, refuse, repeated
from scoring.files.objects import Place, objects_in, opened
from scoring.metrics.rubric.references import PUBLISHED

SAMPLE: Final = 200
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": (
        *("id", "_id", "qid", "question_id", "uid", "uuid", "sample_id", "example_id", "prompt_id", "idx"),
        "unnamed: 0",
    ),
    "question": ("question", "question_text", "problem", "prompt", "query", "input", "q"),
    "answer": (
        *("answer", "answers", "answer_text", "short_answers", "possible_answers", "golden_answers", "gold_answers"),
        *("gold", "golds", "golden_answer", "gold_answer", "correct_answer", "reference_answer", "target", "targets"),
        *("label", "ideal", "reference"),
    ),
    "aliases": ("answer_aliases", "aliases", "answer_alias", "answer_or_aliases"),
    "categories": (
        *("category", "categories", "topic", "topics", "problem_topic", "subject", "domain", "type", "question_type"),
        *("answer_type", "reasoning_types", "level", "difficulty", "example_tags"),
    ),
    "choices": ("choices", "options"),
    "context": ("context", "passage", "table", "paragraphs"),
    "evidence": ("wiki_links", "urls", "evidence", "supporting_facts"),
    "password": ("canary",),
}
"""By what a field is: names that it has in published files, the most telling first."""
_INNER: Final = ("text", "table", "name")
"""Names of the value in an object that is an answer or a part of a context."""
_SHORT_WORDS: Final = 12
"""Most words of a short answer."""
_MOST: Final = 0.9
_MANY: Final = 4
"""More answers than this are the entries of a list, not names of one."""
_SPLITS: Final = (("train", "Training"), ("dev", "Development"), ("valid", "Validation"), ("test", "Test"))


@dataclass
class Proposal:
    """The fields of published files, as ``[questions]`` names them, and what answers are."""

    fields: dict[str, Any] = field(default_factory=dict)
    """The values of ``[questions]``, by key."""
    task_type: str = KINDS[0]
    is_encrypted: bool = False
    unused: Sequence[str] = ()
    """Other fields of the objects."""


def propose(name: str, objects: Sequence[Mapping[str, Any]]) -> Proposal:
    """A mapping for the objects of a file.

    Raises:
        SourceError: no field can be the question.
    """
    proposal = Proposal()
    each, records = _unfolded(objects)
    if each:
        proposal.fields["each"] = each
    values = _values(records)
    question = next(_fields("question", values), "")
    if not question:
        fields = listed(list(values), 30)
        fix = "Write [questions] by hand, with columns if a table has no row of names: docs/benchmarks.md describes it."
        refuse([Mistake(name, 0, "", f"the fields {fields}", "one that is named as a question is", fix)])
    used = {question}
    password = next((path for path in _fields("password", values) if len(set(values[path])) <= len(records)), "")
    proposal.is_encrypted = bool(password) and all(" " not in str(text).strip() for text in values[question])
    locked = password if proposal.is_encrypted else ""
    identity = next((path for path in _fields("id", values) if _is_identity(values[path], len(records))), "")
    if identity:
        proposal.fields["id"] = identity
    proposal.fields["question"] = _source(question, locked)
    if all(_are_objects(turns) and all("content" in turn for turn in turns) for turns in values[question]):
        proposal.fields["question"] = {"field": f"{question}[].content", "join": "\n\n"}  # of a conversation
    criteria = next((path for path, own in values.items() if _are_criteria(own)), "")
    answers = [(path, _through(path, values[path])) for path in islice(_fields("answer", values), 1)]
    answers += [(path, _through(path, values[path])) for path in _fields("aliases", values)]
    answers = [(criteria, criteria)] if criteria else answers
    paths = [path for _, path in answers]
    categories = [path for path in _fields("categories", values) if _are_categories(values[path])]
    if categories:
        parts = [_category(path, values[path]) for path in categories]
        proposal.fields["categories"] = parts[0] if len(parts) == 1 else parts
    lettered = [label for label in LABELS if label in values]
    if lettered == list(LABELS[: len(lettered)]) and len(lettered) > 1:
        proposal.fields["choices"] = lettered
        used.update(lettered)
    for path in islice(_fields("choices", values), 1):
        if all(isinstance(value, list | dict) or _written(str(value)) for value in values[path]):
            proposal.fields["choices"] = _through(path, values[path])
            used.add(path)
    if paths:
        sources: list[Any] = [_source(path, locked) for path in paths]
        has_lists = any(isinstance(value, list) for value in values[answers[0][0]])
        first = _first_option(values[answers[0][0]]) if "choices" in proposal.fields else None
        if first is not None:
            sources[0] = {"field": paths[0], "first_option": first}
        elif has_lists and "choices" in proposal.fields:  # several options that are right together
            sources[0] = {"field": paths[0], "join": ", "}
        is_list = len(sources) > 1 or any("" in value for value in values[answers[0][0]] if isinstance(value, list))
        proposal.fields["answer"] = sources if is_list else sources[0]
    has_choices = "choices" in proposal.fields
    proposal.task_type = "rubric" if criteria else _task_type(records, paths, has_choices=has_choices)
    for key, may_be in (("context", _is_context), ("evidence", _are_pages)):
        found = [path for path in _fields(key, values) if may_be(values[path])]
        ways = [_through(path, values[path], titles=key == "evidence") for path in found]
        if ways:
            proposal.fields[key] = ways[0] if len(ways) == 1 else ways
        used.update(found)
    used |= {identity, password, *(path for path, _ in answers), *categories}
    proposal.unused = [path for path in values if path not in used and path.partition(".")[0] not in used]
    return proposal


def _unfolded(objects: Sequence[Mapping[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """The path to the list whose elements are questions (empty if the objects are), and these."""
    level: list[tuple[str, list[dict[str, Any]]]] = [("", [dict(own) for own in objects])]
    for _ in range(4):
        for path, records in level:
            if next(_fields("question", _values(records)), ""):
                return path, records
        level = [
            (f"{path}.{name}[]".removeprefix("."), list(islice(_inside(records, name), SAMPLE)))
            for path, records in level
            for name in dict.fromkeys(key for own in records[:5] for key, value in own.items() if _are_objects(value))
        ]
    return "", [dict(own) for own in objects]


def _inside(records: Sequence[dict[str, Any]], name: str) -> Iterator[dict[str, Any]]:
    for own in records:
        yield from unfolded(own, [name], Place("", 0), [])


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _values(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The values of each field, and of those in objects, also where these are written as text."""
    values: dict[str, list[Any]] = {}
    for record in records:
        for name, value in record.items():
            if value is None:
                continue
            values.setdefault(name, []).append(value)
            inner = _written(value) if isinstance(value, str) else value
            if isinstance(inner, dict):
                for key, part in inner.items():
                    if part is not None and FieldPath.is_path(f"{name}.{key}"):
                        values.setdefault(f"{name}.{key}", []).append(part)
    return {path: found for path, found in values.items() if FieldPath.is_path(path) or "." not in path}


def _written(text: str) -> Any:
    try:
        return read_written(text)
    except FieldError:
        return None


def _fields(kind: str, values: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """The fields that a name tells to be of a kind, the most telling first."""
    by_name = {path.rpartition(".")[2].strip().lower().replace(" ", "_"): path for path in reversed(list(values))}
    by_name |= {path.strip().lower(): path for path in values}
    yield from dict.fromkeys(by_name[name] for name in _NAMES[kind] if name in by_name)


def _is_identity(values: Sequence[Any], n: int) -> bool:
    texts = [str(value) for value in values if type(value) in (str, int)]
    return len(set(texts)) == n and all(len(text) <= 64 and text == text.strip() for text in texts)


def _are_categories(values: Sequence[Any]) -> bool:
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    are_short = all(isinstance(text, str) and 0 < len(text) <= 100 and "\n" not in text for text in texts)
    return bool(texts) and are_short and 2 * len(set(texts)) <= max(len(texts), 8)


def _is_context(values: Sequence[Any]) -> bool:
    """Whether values are texts, tables, or objects with one: not the many articles that distract."""
    return all(isinstance(value, str) or _inner_name(value) or _is_table(value) for value in values)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, list) and not any(isinstance(cell, list | dict) for cell in row) for row in value
    )


def _are_pages(values: Sequence[Any]) -> bool:
    return all(isinstance(_written(value) if isinstance(value, str) else value, list) for value in values)


def _are_criteria(values: Sequence[Any]) -> bool:
    """Whether values are rubrics: lists of objects with the text and the weight of a criterion.

    >>> _are_criteria([[{"title": "Names Oslo", "points": 2}]]), _are_criteria([[{"title": "Oslo"}]])
    (True, False)
    """
    named = [{name, *PUBLISHED[name]} for name in ("criterion", "weight")]
    lists = [_written(value) if isinstance(value, str) else value for value in values]
    return all(_are_objects(own) and all(names & item.keys() for item in own for names in named) for own in lists)


def _inner_name(value: Any) -> str:
    """The name of the value in an object, or in each object of a list."""
    first = value[0] if isinstance(value, list) and value else value
    return next((name for name in _INNER if isinstance(first, dict) and name in first), "")


def _through(path: str, values: Sequence[Any], *, titles: bool = False) -> str:
    """The path to the values in a field: through objects, through lists that are written as text, to first parts."""
    first = next((value for value in values if value), None)
    inner = _written(first) if isinstance(first, str) else first
    name = _inner_name(inner)
    if isinstance(inner, list) and name:
        return f"{path}[].{name}"
    if isinstance(inner, dict) and name:
        return f"{path}.{name}"
    if titles and isinstance(inner, list) and inner and isinstance(inner[0], list):
        return f"{path}[][0]"
    return f"{path}[]" if isinstance(first, str) and isinstance(inner, list) else path


def _category(path: str, values: Sequence[Any]) -> str | dict[str, str]:
    joined = any(isinstance(value, str) and " | " in value for value in values)
    return {"field": path, "separator": " | "} if joined else path


def _first_option(values: Sequence[Any]) -> int | None:
    """The number of the first option, if answers are numbers of options; None if they are anything else.

    >>> _first_option([1, 0, 3]), _first_option(["1", "4"]), _first_option([17, 4]), _first_option(["A"])
    (0, 1, None, None)
    """
    numbers = [int(value) if re.fullmatch(r"\d{1,2}", str(value)) else len(LABELS) for value in values]
    return min(*numbers, 1) if numbers and max(numbers) < len(LABELS) // 2 else None


def _task_type(records: Sequence[Mapping[str, Any]], answer: Sequence[str], *, has_choices: bool) -> str:
    """Without answers, compared ones; options and few words, a short answer; long lists of names, a list; else a text.

    Several short answers to a question are mostly names of one.
    """
    if not answer:
        return "compared-answer"
    values = [FieldPath(answer[0]).value(record) for record in records]
    lists = [value if isinstance(value, list) else [value] for value in values if value is not None]
    texts = [part for value in lists for part in value]
    lengths = sorted(map(len, lists))
    if any(isinstance(part, dict | list) for part in texts) or not texts:
        return "text-answer"
    if not has_choices and lengths[len(lengths) // 2] > _MANY:
        return "answer-list"
    n_short = sum(len(str(part).split()) <= _SHORT_WORDS for part in texts)
    return "short-answer" if has_choices or n_short > _MOST * len(texts) else "text-answer"


def _source(path: str, password: str) -> str | dict[str, str]:
    return {"field": path, "password": password} if password else path


# --- Files -----------------------------------------------------------------------------------------------------------


def read_sample(path: Path) -> list[dict[str, Any]]:
    """The first objects of a published file.

    Raises:
        SourceError: it has none, or cannot be read.
    """
    problems: list[Mistake] = []
    for documents in (False, True):  # objects on several lines are no JSON Lines
        mistakes: list[Mistake] = []
        with opened(path) as stream:
            found = objects_in(path.name, stream, mistakes, max_bytes=MAX_BYTES, documents=documents)
            objects = [record for _, record in islice(found, SAMPLE)]
        if objects and not mistakes:
            return objects
        problems = problems or mistakes
    refuse(problems)
    raise SourceError([f"{path.name}: found no object, expected questions."])


def folder_for(
    slug: str, files: Sequence[Path], task_type: str | None = None, *, blank: bool = True
) -> tuple[dict[str, bytes], Proposal]:
    """The files of a new benchmark with published files: a declaration to complete, and the files as they are.

    Args:
        slug: the slug.
        files: the published files; those whose names have the word of one split belong to it.
        task_type: what an answer is; None to propose that too.
        blank: see `template`.

    Raises:
        SourceError: a file cannot be read, or none of its fields is a question.
    """
    for position, name in repeated(path.name for path in files):
        raise SourceError([f"{files[position]}: another file is called {name} too. Rename one of them."])
    proposal = propose(files[0].name, read_sample(files[0]))
    proposal.task_type = task_type or proposal.task_type
    values = blank_values(slug, proposal.task_type) if blank else example_values(slug, proposal.task_type)
    values.pop("reported", None)
    values["questions"] = proposal.fields
    if "choices" in proposal.fields and "token-f1" in values["metrics"]:  # a letter is no word that these compare
        values["metrics"] = {"inclusion": {}}
    if "categories" not in proposal.fields:
        del values["categories"]
    splits: dict[str, list[Path]] = {}
    for path in files:
        splits.setdefault(next((name for name, _ in _SPLITS if name in path.name.lower()), "test"), []).append(path)
    today = datetime.datetime.now(tz=datetime.UTC).date()
    values["splits"] = {
        split: {
            "name": dict(_SPLITS)[split],
            "hidden": proposal.is_encrypted,
            "questions": [f"questions/{path.name}" for path in own],
            "date": today,
        }
        for split, own in splits.items()
    }
    notes = []
    if "id" not in proposal.fields:
        notes.append("The files have no ids: they are made of each question's content, and stay the same.")
    if proposal.unused:
        notes.append(f"Not read: {listed([path for path in proposal.unused if path.isprintable()], 20)}.")
    toml = declaration_text(values, blank=blank, notes={"questions": notes})
    made = template(slug, proposal.task_type, blank=blank)
    kept = {name: content for name, content in made.items() if not name.startswith(("questions/", "reported"))}
    read = {f"questions/{path.name}": path.read_bytes() for path in files}
    return kept | {DECLARATION: toml.encode()} | read, proposal
