"""A declared benchmark of short answers that judges with prompts of its own score."""

from __future__ import annotations

import json

from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.models import Benchmark
from tests.scoring.metrics.graded_answer.prompts import FILES

SLUG = "facts"
METRICS = "[metrics.graded-answer]\n[metrics.verified-answer]\n"
TOWNS = tuple(f"town {chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(40))
"""The accepted answers, in the order of the questions ``dev-0``, …"""


def files(metrics: str = METRICS, *, hidden: bool = True, sort: str = "", **prompts: str) -> dict[str, bytes]:
    """Its folder, with the splits ``dev`` (open) and ``test``.

    Args:
        hidden: Whether ``test`` is hidden.
        sort: The score that boards are ordered by; by default the first.
        prompts: By name without its ending, what replaces a prompt.
    """
    found = template(SLUG, "short-answer")
    toml = found["benchmark.toml"].decode().partition("[reported]")[0]
    toml = toml.replace("[metrics.exact-match]\n[metrics.token-f1]\n", metrics)
    if sort:
        toml = toml.replace("task_type = ", f'default_sort = "{sort}"\ntask_type = ')
    toml = toml.replace("hidden = true", f"hidden = {str(hidden).lower()}")
    del found["reported.csv"]
    for split in ("dev", "test"):
        rows = (
            {
                "id": f"{split}-{n}",
                "question": f"Which {split} is {n}?",
                "answer": town,
                "categories": ["odd" if n % 2 else "even"],
                "context": f"Of {town[-2:]}.",
            }
            for n, town in enumerate(TOWNS)
        )
        found[f"questions/{split}.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    texts = FILES | {f"{name}.txt": text for name, text in prompts.items()}
    return found | {"benchmark.toml": toml.encode()} | {f"prompts/{name}": texts[name].encode() for name in texts}


def declare(metrics: str = METRICS, *, hidden: bool = True, sort: str = "", **prompts: str) -> Benchmark:
    """The benchmark, imported; see `files`."""
    return import_declaration(read_declaration(files(metrics, hidden=hidden, sort=sort, **prompts))).benchmark


def answers(split: str, *, right: int, wrong: int, unknown: int = 0, confidence: int = 90) -> dict[str, str]:
    """Answers to the first questions: right ones, then wrong ones, then some that attempt nothing. Further questions
    have none. Every fourth states half the confidence."""
    texts = [*TOWNS[:right], *["Atlantis"] * wrong, *["I don't know."] * unknown]
    return {
        f"{split}-{n}": f"Exact Answer: {text}\nConfidence: {confidence if n % 4 else confidence // 2}%"
        for n, text in enumerate(texts)
    }
