"""The folder that ``manage.py benchmark new`` writes, with texts to replace, and the same one as a complete example."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scoring.benchmarks import files_in, packaged_definitions, shipped_folders
from scoring.benchmarks.base import BenchmarkDefinition, SourceError
from scoring.benchmarks.columns import JUDGES, columns_of
from scoring.benchmarks.declared.odd_texts import PLACEHOLDER
from scoring.benchmarks.declared.reading import PROMPTS, read_declaration
from scoring.benchmarks.declared.writing import written
from scoring.benchmarks.form import SCHEMA_FILE, json_schema
from scoring.files.mistakes import CARD, DECLARATION
from scoring.task_types import TASK_TYPES

_EXAMPLE_DATE: Final = datetime.date(2026, 1, 1)
_EXAMPLE: Final = {
    "description": "Questions about capitals. Replace this by one to three sentences.",
    "url": "https://capitals.example/",
    "licence": "CC BY 4.0",
    "licence_url": "https://creativecommons.org/licenses/by/4.0/",
    "links": [{"title": "The paper", "url": "https://capitals.example/paper"}],
    "limits": {"submissions_per_week": 20},
    "reported": {
        "file": "reported.csv",
        "split": "test",
        "published": _EXAMPLE_DATE,
        "source": "Table 1 of the paper",
    },
}
"""What the complete example has besides: a blank declaration has texts to replace in its place."""
_BIBTEX: Final = "@misc{{{slug},\n  title = {{{name}: an example}},\n  author = {{Author, A.}},\n  year = {{2026}},\n}}"
_SETTINGS: Final = {
    "closed-book": {"name": "Closed book", "description": "The question only."},
    "open-book": {"name": "Open book", "description": "The question, and tools to search and read."},
}
_CARD: Final = """\
Questions about capital cities, written as an example. Replace this text by a summary of your data.

## Origin of the questions

They were written for this example, and cover countries on four continents.

- Development split: for building systems, with its answers.
- Test split: for comparing them; its answers stay private.

Source: this folder

## Intended use

To try out how a benchmark is declared.
"""
_BLANK_CARD: Final = f"""\
{PLACEHOLDER} a summary of the data

## Origin of the questions

{PLACEHOLDER} who wrote the questions and answers, how, and from which sources

## Intended use

{PLACEHOLDER} what the benchmark is for, and what not
"""
_CAPITALS: Final = (
    *(("Norway", "Oslo"), ("Kenya", "Nairobi"), ("Peru", "Lima"), ("Japan", "Tokyo"), ("Canada", "Ottawa")),
    *(("Ghana", "Accra"), ("Chile", "Santiago"), ("Nepal", "Kathmandu"), ("Cuba", "Havana"), ("Malta", "Valletta")),
)
_REPORTED: Final = """\
system,authors,type,setting,{scores}
Baseline,A. Author,PROMPT,closed-book,{values}
"""
_METRICS: Final = {
    "text-answer": ("accuracy", "rouge"),
    "short-answer": ("exact-match", "token-f1"),
    "answer-list": ("list-f1",),
    "judged-list": ("list-judge",),
    "compared-answer": ("side-by-side",),
    "rubric": ("rubric",),
}
KINDS: Final = tuple(_METRICS)
"""The task types that there is a template for; the first one is the default."""


def template(slug: str, task_type: str = KINDS[0], *, blank: bool = False) -> dict[str, bytes]:
    """The files of a new benchmark.

    Raises:
        SourceError: its judge needs prompts, and no installed benchmark has any.
    """
    metrics = _METRICS[task_type]
    values = blank_values(slug, task_type) if blank else example_values(slug, task_type)
    files = {
        DECLARATION: declaration_text(values, blank=blank, notes=_notes(task_type) if blank else {}),
        CARD: _BLANK_CARD if blank else _CARD,
        SCHEMA_FILE: json.dumps(json_schema(), indent=2) + "\n",
    }
    for split, capitals in (("dev", _CAPITALS[:5]), ("test", _CAPITALS[5:])):
        lines = _blank_questions(split, task_type) if blank else _questions(split, capitals, task_type)
        files[f"questions/{split}.jsonl"] = lines
    if not blank:
        scores = [column.score for column in columns_of(metrics)[:2]]
        files["reported.csv"] = _REPORTED.format(scores=",".join(scores), values=",".join(["61.5"] * len(scores)))
    if JUDGES.keys() & set(metrics):
        prompts = published_prompts(task_type)
        if prompts is None:
            raise SourceError([f"No installed benchmark has prompts for {task_type}. Choose another task type."])
        files |= {f"{PROMPTS}{file}": text for file, text in prompts.items()}
    return {file: text.encode() for file, text in files.items()}


def _notes(task_type: str) -> dict[str, Sequence[str]]:
    """By table: an example of keys that few benchmarks have, as comments."""
    year = datetime.datetime.now(tz=datetime.UTC).year + 1
    times = [f"opens = {year}-01-01T00:00:00Z", f"closes = {year}-05-01T12:00:00Z"]
    of_answers = ["attempts = 5", "final = 0.5"] if TASK_TYPES[task_type].needs_references else []
    return {
        "splits.test": ("For several attempts, or an end with a part of its own, for example:", *of_answers, *times)
    }


def declaration_text(values: Mapping[str, Any], *, blank: bool, notes: Mapping[str, Collection[str]] = {}) -> str:
    """A declaration that names its schema for editors; see `written`."""
    return f"#:schema ./{SCHEMA_FILE}\n{written(values, blank=blank, notes=notes)}"


def blank_values(slug: str, task_type: str) -> dict[str, Any]:
    """What the declaration of a new benchmark says before its author has written anything."""
    splits = (("dev", "Development", False), ("test", "Test", True))
    today = datetime.datetime.now(tz=datetime.UTC).date()
    values: dict[str, Any] = {
        "slug": slug,
        "version": "1.0",
        "task_type": task_type,
        "scores": "percent",
        "splits": {
            name: {"name": label, "hidden": hidden, "questions": f"questions/{name}.jsonl", "date": today}
            for name, label, hidden in splits
        },
        "settings": {"closed-book": {"name": "Closed book"}},
        "metrics": {metric: {} for metric in _METRICS[task_type]},
        "categories": [{"field": "categories"}],
    }
    if not TASK_TYPES[task_type].needs_references:
        values["default_baseline"] = "closed-book"
    return values


def example_values(slug: str, task_type: str) -> dict[str, Any]:
    """What the declaration of the complete example says."""
    values = blank_values(slug, task_type)
    for split in values["splits"].values():
        split["date"] = _EXAMPLE_DATE
    name = slug.replace("-", " ").capitalize()
    named = {
        "name": name,
        "citation": f"A. Author. {name}: an example. 2026.",
        "bibtex": _BIBTEX.format(slug=slug, name=name),
    }
    return values | _EXAMPLE | named | {"settings": _SETTINGS}


def published_prompts(task_type: str) -> Mapping[str, str] | None:
    """The prompts of a benchmark of a task type that comes with this software, by file name; None if there is none."""
    if task_type == "rubric":
        return read_declaration(files_in(shipped_folders()["researchrubrics"])).definition.prompts
    return next(
        (definition.prompts for definition in packaged_definitions().values() if definition.task_type == task_type),
        None,
    )


def _blank_questions(split: str, task_type: str) -> str:
    answer = f"{PLACEHOLDER} its reference answer"
    line: dict[str, Any] = {"id": f"{split}-1", "question": f"{PLACEHOLDER} a question"}
    if TASK_TYPES[task_type].needs_references:
        line["answer"] = answer if task_type == KINDS[0] else [answer]
    if task_type == "rubric":
        line["answer"] = [{"criterion": f"{PLACEHOLDER} what a report must say", "weight": 1}]
    return json.dumps(line) + "\n"


def _questions(split: str, capitals: Sequence[tuple[str, str]], task_type: str) -> str:
    lines = []
    for number, (country, capital) in enumerate(capitals, start=1):
        line: dict[str, Any] = {"id": f"{split}-{number}", "question": f"What is the capital of {country}?"}
        if TASK_TYPES[task_type].needs_references:
            line["answer"] = capital if task_type == KINDS[0] else [capital]
        else:
            line["question"] = f"Why is {capital} the capital of {country}?"
        if task_type == "rubric":
            line["question"] = f"Write a report about the capital of {country}."
            line["answer"] = [
                {"criterion": f"Names {capital}.", "weight": 5, "dimension": "Facts"},
                {"criterion": "Says since when it has been the capital.", "weight": 2, "dimension": "Facts"},
                {"criterion": "Names a source that does not exist.", "weight": -3, "dimension": "Sources"},
            ]
        evidence = [{"title": country, "url": f"https://en.wikipedia.org/wiki/{country}"}]
        line |= {"categories": ["Geography"], "evidence": evidence}
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)


def write_template(folder: Path, task_type: str = KINDS[0]) -> list[Path]:
    """Write the files of a new benchmark into a folder, whose name becomes the slug; returns their paths.

    Its texts are there to be replaced, and refused by a check until they are.

    Raises:
        SourceError: the folder is not empty, or its name cannot become a slug; see `template` for `task_type`.
    """
    return write_files(folder, template(slug_for(folder), task_type, blank=True))


def slug_for(folder: Path) -> str:
    """The slug of a benchmark that is written into a new folder.

    Raises:
        SourceError: the folder is not empty, or its name cannot become a slug.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")[:50].strip("-")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SourceError([f"{folder}: exists and is not empty. Choose another folder."])
    if not slug:
        raise SourceError([f"{folder}: the name has no letter or digit. Choose another name."])
    return slug


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write the files of a benchmark into a folder; returns their paths."""
    written = []
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return written


def documented_definitions() -> list[BenchmarkDefinition]:
    """The definitions that examples in the documentation are made from: the packaged ones, or else the template's."""
    return list(packaged_definitions().values()) or [read_declaration(template("capitals")).definition]
