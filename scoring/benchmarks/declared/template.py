"""The folder that ``manage.py benchmark new`` writes: a small complete benchmark, to be replaced part by part."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scoring.benchmarks import packaged_definitions
from scoring.benchmarks.base import BenchmarkDefinition, SourceError
from scoring.benchmarks.columns import JUDGES, columns_of
from scoring.benchmarks.declared.reading import PROMPTS, read_declaration
from scoring.benchmarks.form import SCHEMA_FILE, json_schema
from scoring.files.mistakes import CARD, DECLARATION
from scoring.task_types import TASK_TYPES

_TOML: Final = """\
#:schema ./benchmark.schema.json
slug = "{slug}"
name = "{name}"
version = "1.0"
description = "Questions about capitals. Replace this by one to three sentences."
url = "https://example.org/"
licence = "CC BY 4.0"
licence_url = "https://creativecommons.org/licenses/by/4.0/"
citation = "A. Author. {name}: an example. 2026."
bibtex = '''
@misc{{{slug},
  title = {{{name}: an example}},
  author = {{Author, A.}},
  year = {{2026}},
}}
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
date = 2026-01-01

[splits.test]
name = "Test"
hidden = true
questions = "questions/test.jsonl"
date = 2026-01-01

# What a system gets besides the question. Boards and uploads are per split and setting.
[settings.closed-book]
name = "Closed book"
description = "The question only."

[settings.open-book]
name = "Open book"
description = "The question, and tools to search and read."

# Without [[columns]], each metric has its usual columns.
{metrics}

# How questions get categories: from a field of the question, its id, or the length of a list.
[[categories]]
field = "categories"

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
"""
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


def template(slug: str, task_type: str = KINDS[0]) -> dict[str, bytes]:
    """The files of a new benchmark.

    Args:
        slug: its slug, from which its name is made.
        task_type: one of `KINDS`.

    Raises:
        SourceError: its judge needs prompts, and no installed benchmark has any.
    """
    name = slug.replace("-", " ").capitalize()
    metrics = _METRICS[task_type]
    compares = not TASK_TYPES[task_type].needs_references
    named = {"slug": slug, "name": name, "task_type": task_type, "default_baseline": _BASELINE if compares else ""}
    texts = {
        DECLARATION: _TOML.format(**named, metrics="\n".join(f"[metrics.{metric}]" for metric in metrics)),
        CARD: _CARD,
        "reported.csv": _REPORTED.format(scores=",".join(column.score for column in columns_of(metrics)[:2])),
        SCHEMA_FILE: json.dumps(json_schema(), indent=2) + "\n",
        "questions/dev.jsonl": _questions("dev", _CAPITALS[:5], task_type),
        "questions/test.jsonl": _questions("test", _CAPITALS[5:], task_type),
    }
    if JUDGES.keys() & set(metrics):
        prompts = published_prompts(task_type)
        if prompts is None:
            raise SourceError([f"No installed benchmark has prompts for {task_type}. Choose another task type."])
        texts |= {f"{PROMPTS}{file}": text for file, text in prompts.items()}
    return {file: text.encode() for file, text in texts.items()}


def published_prompts(task_type: str) -> Mapping[str, str] | None:
    """The prompts of a packaged benchmark of a task type, by file name; None if none is installed."""
    return next(
        (definition.prompts for definition in packaged_definitions().values() if definition.task_type == task_type),
        None,
    )


def _questions(split: str, capitals: tuple[tuple[str, str], ...], task_type: str) -> str:
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

    Raises:
        SourceError: the folder is not empty, or its name cannot become a slug; see `template` for `task_type`.
    """
    return write_files(folder, template(slug_for(folder), task_type))


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
