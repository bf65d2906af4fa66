"""The folder that ``manage.py benchmark new`` writes, with texts to replace, and the same one as a complete example."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scoring.benchmarks import packaged_definitions
from scoring.benchmarks.base import BenchmarkDefinition, SourceError
from scoring.benchmarks.columns import JUDGES, columns_of
from scoring.benchmarks.declared.odd_texts import PLACEHOLDER
from scoring.benchmarks.declared.reading import PROMPTS, read_declaration
from scoring.benchmarks.form import SCHEMA_FILE, json_schema
from scoring.files.mistakes import CARD, DECLARATION
from scoring.task_types import TASK_TYPES

_TOML: Final = """\
#:schema ./benchmark.schema.json
slug = "{slug}"
name = "{name}"
version = "1.0"
description = "{description}"
{url}licence = "{licence}"
licence_url = "{licence_url}"
citation = "{citation}"
bibtex = '''
{bibtex}
'''
# What an answer is: text-answer (a text), short-answer (a name, number, date or option), answer-list or judged-list (a
# list of texts), or compared-answer (a text that is compared with that of another system).
task_type = "{task_type}"
# How pages show scores: percent (43.2) or share (0.432).
scores = "percent"
{default_baseline}
# The answers of a hidden split, and results of its single questions, are never shown.
[splits.dev]
name = "Development"
hidden = false
questions = "questions/dev.jsonl"
date = {date}

[splits.test]
name = "Test"
hidden = true
questions = "questions/test.jsonl"
date = {date}

# What a system gets besides the question. Boards and uploads are per split and setting.
[settings.closed-book]
name = "Closed book"
description = "{closed_book}"
{open_book}
# Without [[columns]], each metric has its usual columns.
{metrics}

# How questions get categories: from a field of the question, its id, or the length of a list.
[[categories]]
field = "categories"
{rest}"""
_EXAMPLE: Final = {
    "description": "Questions about capitals. Replace this by one to three sentences.",
    "url": 'url = "https://example.org/"\n',
    "licence": "CC BY 4.0",
    "licence_url": "https://creativecommons.org/licenses/by/4.0/",
    "citation": "A. Author. {name}: an example. 2026.",
    "bibtex": "@misc{{{slug},\n  title = {{{name}: an example}},\n  author = {{Author, A.}},\n  year = {{2026}},\n}}",
    "date": "2026-01-01",
    "closed_book": "The question only.",
    "open_book": """
[settings.open-book]
name = "Open book"
description = "The question, and tools to search and read."
""",
    "rest": """
[limits]
submissions_per_week = 20

[[links]]
title = "The paper"
url = "https://example.org/paper"

# Published results, as the paper prints them.
[reported]
file = "reported.csv"
split = "test"
published = 2026-01-01
source = "Table 1 of the paper"
""",
}
"""The texts of a complete example."""
_BLANK: Final = {
    "description": f"{PLACEHOLDER} what the benchmark asks of a system, in one to three sentences",
    "url": "",
    "licence": f"{PLACEHOLDER} the licence of the questions, by name, such as CC BY 4.0",
    "licence_url": f"{PLACEHOLDER} the URL of its text",
    "citation": f"{PLACEHOLDER} how to cite the benchmark, in one line",
    "bibtex": f"{PLACEHOLDER} how to cite it, as one BibTeX entry",
    "closed_book": f"{PLACEHOLDER} in one sentence, such as: The question only.",
    "open_book": "",
    "rest": """
# Published results, as the paper prints them, in a CSV file with a line of names:
#     system,authors,type,setting,{scores}
# [reported]
# file = "reported.csv"
# split = "test"
# published = {date}
# source = "Table 1 of the paper"
""",
}
"""Texts in place of them that a check refuses, so that none is published by oversight."""
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
Example system,A. Author,PROMPT,closed-book,61.5,40.0
"""
_BASELINE: Final = """
# Systems are compared with the first complete one that is published in this setting, unless you choose another one.
default_baseline = "closed-book"
"""
_METRICS: Final = {
    "text-answer": ("accuracy", "rouge"),
    "short-answer": ("exact-match", "token-f1"),
    "answer-list": ("list-f1",),
    "judged-list": ("list-judge",),
    "compared-answer": ("side-by-side",),
}
KINDS: Final = tuple(_METRICS)
"""The task types that there is a template for; the first one is the default."""


def template(slug: str, task_type: str = KINDS[0], *, blank: bool = False) -> dict[str, bytes]:
    """The files of a new benchmark.

    Args:
        slug: its slug, from which the example's name is made.
        task_type: one of `KINDS`.
        blank: whether texts to replace stand in the places of a complete example.

    Raises:
        SourceError: its judge needs prompts, and no installed benchmark has any.
    """
    metrics = _METRICS[task_type]
    compares = not TASK_TYPES[task_type].needs_references
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    named = {
        "slug": slug,
        "name": f"{PLACEHOLDER} as pages show it" if blank else slug.replace("-", " ").capitalize(),
        "task_type": task_type,
        "default_baseline": _BASELINE if compares else "",
        "metrics": "\n".join(f"[metrics.{metric}]" for metric in metrics),
        "scores": ",".join(column.score for column in columns_of(metrics)[:2]),
        "date": today,
    }
    texts = {name: text.format(**named) for name, text in (_BLANK if blank else _EXAMPLE).items()}
    files = {
        DECLARATION: _TOML.format(**named | texts),
        CARD: _BLANK_CARD if blank else _CARD,
        SCHEMA_FILE: json.dumps(json_schema(), indent=2) + "\n",
    }
    for split, capitals in (("dev", _CAPITALS[:5]), ("test", _CAPITALS[5:])):
        lines = _blank_questions(split, task_type) if blank else _questions(split, capitals, task_type)
        files[f"questions/{split}.jsonl"] = lines
    if not blank:
        files["reported.csv"] = _REPORTED.format(**named)
    if JUDGES.keys() & set(metrics):
        prompts = published_prompts(task_type)
        if prompts is None:
            raise SourceError([f"No installed benchmark has prompts for {task_type}. Choose another task type."])
        files |= {f"{PROMPTS}{file}": text for file, text in prompts.items()}
    return {file: text.encode() for file, text in files.items()}


def published_prompts(task_type: str) -> Mapping[str, str] | None:
    """The prompts of a packaged benchmark of a task type, by file name; None if none is installed."""
    return next(
        (definition.prompts for definition in packaged_definitions().values() if definition.task_type == task_type),
        None,
    )


def _blank_questions(split: str, task_type: str) -> str:
    answer = f"{PLACEHOLDER} its reference answer"
    line: dict[str, Any] = {"id": f"{split}-1", "question": f"{PLACEHOLDER} a question"}
    if TASK_TYPES[task_type].needs_references:
        line["answer"] = answer if task_type == KINDS[0] else [answer]
    return json.dumps(line) + "\n"


def _questions(split: str, capitals: Sequence[tuple[str, str]], task_type: str) -> str:
    lines = []
    for number, (country, capital) in enumerate(capitals, start=1):
        line: dict[str, Any] = {"id": f"{split}-{number}", "question": f"What is the capital of {country}?"}
        if TASK_TYPES[task_type].needs_references:
            line["answer"] = capital if task_type == KINDS[0] else [capital]
        else:
            line["question"] = f"Why is {capital} the capital of {country}?"
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
