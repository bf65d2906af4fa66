"""More benchmarks for the demo, made from published open questions: their answers are lists, or are compared.

Enters: the open questions of the first benchmark. Leaves: for each sample a folder with ``benchmark.toml``, and the
benchmark imported from it.
"""

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Final

from django.core.management import call_command

from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceQuestion
from scoring.benchmarks.declared.template import published_prompts
from scoring.models import Benchmark, Split

SETTING: Final = "evidence-titles"
_DECLARATION: Final = """\
slug = "{slug}"
name = "{name}"
version = "1"
description = '''
A sample of a benchmark whose answers are {answers}{judged}. Its questions are development questions of {source}.'''
url = "{url}"
licence = "{licence}"
licence_url = "{licence_url}"
bibtex = '''
{bibtex}
'''
citation = "Made by the Manyhop demo from {source}."
task_type = "{task_type}"
scores = "percent"
default_sort = "{default_sort}"

[splits.dev]
name = "Development"
hidden = false
questions = "dev.jsonl"
date = 2026-01-01

[settings.{setting}]
name = "Titles only"
description = "The question, and the titles of the articles that its author used to answer it."

{metrics}

{categories}[[categories]]
name = "Evidence articles"
count = "evidence"
bins = [1, 6, 11]
"""
_NUMBERS: Final = """\
[[categories]]
name = "Number of answers"
count = "answer"
bins = {bins}

"""
_CARD: Final = """\
A sample that shows how Manyhop serves a benchmark whose answers are {answers}{judged}. It is not for
publications.

## Origin of the questions

Development questions of {source}. {selection}

Source: {source}
"""
GOLD: Final = "The items of a list, or the keys of a table, are the gold answers."


SAMPLES: Final[tuple[dict[str, Any], ...]] = (
    {
        "slug": "lists-sample",
        "name": "Lists (sample)",
        "task_type": "answer-list",
        "metrics": ["list-f1"],
        "fewest": 5,
        "bins": [5, 8, 16],
        "selection": f"Their answers have at least 5 items. {GOLD}",
        "default_sort": "list-f1.f1",
        "answers": "lists",
        "judged": "",
    },
    {
        "slug": "judged-lists-sample",
        "name": "Judged lists (sample)",
        "task_type": "judged-list",
        "metrics": ["list-judge", "list-f1"],
        "fewest": 1,
        "bins": [1, 2, 6, 11],
        "selection": f"Their answers are lists, tables, or a single text or number. {GOLD}",
        "default_sort": "list-f1.f1",
        "answers": "lists",
        "judged": ", compared with gold lists by a language model",
    },
    {
        "slug": "compared-answers-sample",
        "name": "Compared answers (sample)",
        "task_type": "compared-answer",
        "metrics": ["side-by-side"],
        "fewest": 1,
        "bins": [],
        "selection": "They have no reference answers here.",
        "default_sort": "side-by-side.win-rate",
        "answers": "texts",
        "judged": ", compared by readers’ votes and by a judge if there is one",
    },
)
"""Benchmarks made from another one's open questions. A question has at least ``fewest`` answers; ``bins`` are the lower
bounds of the bins of their number, none without reference answers. ``selection`` says which questions there are,
``answers`` what answers are, and ``judged`` how a model compares them, if one does."""
COMPARED: Final = SAMPLES[-1]


def sample_questions(sample: Mapping[str, Any], source: Split) -> list[tuple[SourceQuestion, list[str]]]:
    """The packaged questions of an open split that a sample uses, with their gold answers."""
    packaged = definition_of(source.benchmark.slug).packaged().get(source.slug)
    if packaged is None or source.hidden:
        return []
    questions = []
    for question in packaged.source.questions:
        # The items of a list, the keys of a table, each once, or a single text or number; none if some are neither.
        answer = question.answer
        items = list(answer) if isinstance(answer, list | dict) else [answer]
        known = all(isinstance(item, str | int | float) and not isinstance(item, bool) for item in items)
        gold = list(dict.fromkeys(map(str, items))) if known else []
        if len(gold) >= sample["fewest"]:
            questions.append((question, gold))
    return questions


def load_samples(directory: Path, source: Split) -> None:
    """Imports each sample from a folder in the demo's directory, unless it was imported before, the source has no
    suitable questions, or its prompts are not installed."""
    for sample in SAMPLES:
        prompts = published_prompts(sample["task_type"]) if sample["judged"] else {}
        known = prompts is None or Benchmark.objects.filter(slug=sample["slug"]).exists()
        questions = [] if known else sample_questions(sample, source)
        if not questions:
            continue
        definition = definition_of(source.benchmark.slug)
        (licence, *_) = definition.card.licences
        named = sample | {
            "source": definition.name,
            "url": definition.url,
            "licence": licence["name"],
            "licence_url": licence["url"],
            "bibtex": definition.card.bibtex,
            "setting": SETTING,
            "metrics": "\n".join(f"[metrics.{metric}]" for metric in sample["metrics"]),
            "categories": _NUMBERS.format(bins=sample["bins"]) if sample["bins"] else "",
        }
        lines = []
        for question, items in questions:
            evidence = [{key: page[key] for key in ("title", "url") if page.get(key)} for page in question.evidence]
            line: dict[str, Any] = {"id": question.qid, "question": question.text, "evidence": evidence}
            lines.append(json.dumps(line | ({"answer": items} if sample["bins"] else {}), ensure_ascii=False) + "\n")
        files = {f"prompts/{name}": text for name, text in (prompts or {}).items()}
        files["benchmark.toml"] = _DECLARATION.format(**named)
        files["data-card.md"] = _CARD.format(**named)
        files["dev.jsonl"] = "".join(lines)
        folder = directory / sample["slug"]
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        call_command("benchmark", "import", folder, stdout=StringIO())
