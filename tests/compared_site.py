"""A declared benchmark of open answers that are compared side by side, without reference answers."""

from __future__ import annotations

from leaderboard.board import standings, write
from leaderboard.models import Entry
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.metrics import side_by_side
from scoring.models import AnswerSet, Baseline, Benchmark, Run, Setting, Split
from tests import boards, compared

SLUG = "essays"


def files(n: int = 3) -> dict[str, bytes]:
    """Its folder: *n* questions in each of the splits ``dev`` (open) and ``test`` (hidden)."""
    found = template(SLUG, "compared-answer")
    toml = found["benchmark.toml"].decode().partition("[reported]")[0]
    del found["reported.csv"]
    for split in ("dev", "test"):
        lines = (f'{{"id": "{split}-{number}", "question": "Why is {number}?"}}\n' for number in range(n))
        found[f"questions/{split}.jsonl"] = "".join(lines).encode()
    places = " ".join(f"{{{field}}}" for field in side_by_side.FIELDS)
    found[f"prompts/{side_by_side.PROMPT}"] = f"{places}\n<Score1> <Score2>\n".encode()
    return found | {"benchmark.toml": toml.encode()}


def declare(n: int = 3) -> Benchmark:
    """The benchmark, imported."""
    return import_declaration(read_declaration(files(n))).benchmark


def rank(split: Split, setting: Setting, n_systems: int) -> list[Entry]:
    """Put a number of systems on a board, store made-up comparisons of them with a baseline without a row and with the
    first one, and do a worker's work."""
    entries = boards.fill(split, setting, n_systems)
    baseline = AnswerSet.objects.create(split=split, setting=setting)
    Baseline.objects.create(split=split, answer_set=baseline, digest="0" * 64, chosen_by="grace")
    Run.objects.filter(answer_set__split=split).update(opponent=baseline)
    sets = [baseline, *(entry.answer_set for entry in entries if entry.answer_set)]
    pairs = [(one, 0) for one in range(1, len(sets))] + [(1, other) for other in range(2, len(sets), 2)]
    compared.store(sets, pairs, [0.2 * one for one in range(len(sets))])
    write.write(split, setting)
    standings.refresh(split, setting)
    return entries
