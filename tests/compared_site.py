"""A declared benchmark of open answers that are compared side by side, without reference answers."""

from __future__ import annotations

from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.metrics import side_by_side
from scoring.models import Benchmark

SLUG = "essays"


def files(n: int = 3) -> dict[str, bytes]:
    """Its folder: *n* questions in each of the splits ``dev`` (open) and ``test`` (hidden)."""
    found = template(SLUG, "compared-answer")
    toml = found["benchmark.toml"].decode().partition("# Published results")[0]
    del found["reported.csv"]
    for split in ("dev", "test"):
        lines = (f'{{"id": "{split}-{number}", "question": "Why is {number}?"}}\n' for number in range(n))
        found[f"questions/{split}.jsonl"] = "".join(lines).encode()
    places = " ".join(f"{{{field}}}" for field in side_by_side.FIELDS)
    found[f"prompts/{side_by_side.PROMPT}"] = f"{places}\n".encode()
    return found | {"benchmark.toml": toml.encode()}


def declare(n: int = 3) -> Benchmark:
    """The benchmark, imported."""
    return import_declaration(read_declaration(files(n))).benchmark
