"""A second benchmark for the demo: its answers are lists, and its folder is made from published open questions.

Enters: the open questions of the first benchmark. Leaves: a folder with ``benchmark.toml``, the benchmark imported from
it, and the answers of two baselines.
"""

import json
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final

from django.core.management import call_command

from leaderboard.models import SystemType
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceQuestion
from scoring.models import Benchmark, Split

SLUG: Final = "lists-sample"
SETTING: Final = "evidence-titles"
FEWEST_ANSWERS: Final = 5
_DECLARATION: Final = """\
slug = "{slug}"
name = "Lists (sample)"
version = "1"
description = "A sample of a benchmark whose answers are lists. Its questions are development questions of {source}."
url = "{url}"
licence = "{licence}"
licence_url = "{licence_url}"
bibtex = '''
{bibtex}
'''
citation = "Made by the Manyhop demo from {source}."
task_type = "answer-list"
scores = "percent"

[splits.dev]
name = "Development"
hidden = false
questions = "dev.jsonl"
date = 2026-01-01

[settings.{setting}]
name = "Titles only"
description = "The question, and the titles of the articles that its author used to answer it."

[metrics.list-f1]
[metrics.list-f1-repaired]

[[categories]]
name = "Number of answers"
count = "answer"
bins = [5, 8, 16]
"""
_CARD: Final = """\
A sample that shows how Manyhop serves a benchmark whose answers are lists. It is no benchmark for publications.

## Origin of the questions

Development questions of {source} whose answers have at least {fewest} items. The items of a list, or the keys of a
table, are the gold answers.

Source: {source}
"""
SYSTEMS: Final = {
    "All titles (list baseline)": None,
    "First five titles (list baseline)": 5,
}
"""By the name of each baseline: how many titles of evidence articles it answers with; None for all."""


def sample_questions(source: Split) -> list[tuple[SourceQuestion, list[str]]]:
    """The packaged questions of an open split whose answers are lists, with their gold answers."""
    packaged = definition_of(source.benchmark.slug).packaged().get(source.slug)
    if packaged is None or source.hidden:
        return []
    found = ((question, _items(question.answer)) for question in packaged.source.questions)
    return [(question, items) for question, items in found if len(items) >= FEWEST_ANSWERS]


def _items(answer: Any) -> list[str]:
    """The items of a list or the keys of a table, each once; none if some are no text."""
    items = list(answer) if isinstance(answer, list | dict) else []
    return list(dict.fromkeys(items)) if all(isinstance(item, str) for item in items) else []


def load_sample(directory: Path, source: Split) -> None:
    """Imports the sample from a folder in the demo's directory, unless it was imported before or the source has no
    suitable questions."""
    questions = [] if Benchmark.objects.filter(slug=SLUG).exists() else sample_questions(source)
    if not questions:
        return
    folder = directory / SLUG
    folder.mkdir(exist_ok=True)
    definition = definition_of(source.benchmark.slug)
    (licence, *_) = definition.card.licences
    named = {"source": definition.name, "url": definition.url, "licence": licence.name, "licence_url": licence.url}
    named |= {"bibtex": definition.card.bibtex, "slug": SLUG}
    (folder / "benchmark.toml").write_text(_DECLARATION.format(setting=SETTING, **named), encoding="utf-8")
    (folder / "data-card.md").write_text(_CARD.format(fewest=FEWEST_ANSWERS, **named), encoding="utf-8")
    (folder / "dev.jsonl").write_text("".join(_lines(questions)), encoding="utf-8")
    call_command("benchmark", "import", folder, stdout=StringIO())


def _lines(questions: Sequence[tuple[SourceQuestion, list[str]]]) -> Iterator[str]:
    for question, items in questions:
        evidence = [{key: page[key] for key in ("title", "url") if page.get(key)} for page in question.evidence]
        line = {"id": question.qid, "question": question.text, "evidence": evidence}
        yield json.dumps(line | {"answer": [[item] for item in items]}, ensure_ascii=False) + "\n"


def sample_answers(source: Split, most: int | None) -> bytes:
    """A baseline's generations: the titles of each question's evidence articles, at most so many."""
    lines = []
    for question, _ in sample_questions(source):
        titles = list(dict.fromkeys(str(page["title"]) for page in question.evidence if page.get("title")))
        lines.append(json.dumps({"id": question.qid, "predictions": titles[:most]}, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def sample_system(name: str) -> dict[str, str]:
    """The metadata of a baseline."""
    return {
        "name": name,
        "authors": "The Manyhop demo",
        "type": SystemType.OTHER,
        "trained_for_function_calling": "false",
        "details": "A baseline that reads no articles: it answers with the titles of the evidence. Part of the demo.",
    }
