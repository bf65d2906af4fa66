"""Benchmarks whose answers are lists: importing a benchmark of QAMPARI's size, scoring a thousand lists, and the
passages that a system retrieved for a thousand questions."""

from __future__ import annotations

import json
import os
import random
import secrets
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from tests.bench import prepared
from tests.bench.registry import Report, bench, output_of

SIZES: Final = {"train": 61_911, "dev": 1_000, "test": 1_000}
"""QAMPARI's splits (its paper, table 2)."""
MEAN_ANSWERS: Final = 13.25
ALIASES: Final = 3
WORDS_OF_PROOF: Final = 25
WORDS: Final = [f"word{n}" for n in range(5_000)]


def question(number: int, split: str, rng: random.Random) -> dict[str, Any]:
    """A made-up question of the size of the published ones: numbers of answers as in the paper, a proof of a
    sentence for each."""
    n_answers = min(200, 5 + int(rng.expovariate(1 / (MEAN_ANSWERS - 5))))
    answers = []
    for index in range(n_answers):
        name = " ".join(rng.choices(WORDS, k=2))
        proof = {
            "proof_text": " ".join(rng.choices(WORDS, k=WORDS_OF_PROOF)),
            "found_in_url": f"https://en.wikipedia.org/wiki/{name.replace(' ', '_')}",
            "pid": f"{number}__{index}__0",
        }
        aliases = [name, *(" ".join(rng.choices(WORDS, k=2)) for _ in range(ALIASES - 1))]
        answers.append({"answer_text": name, "aid": f"{number}__{index}", "aliases": aliases, "proof": [proof]})
    text = " ".join(rng.choices(WORDS, k=12))
    return {"qid": f"{number}__wikidata_simple__{split}", "question_text": f"Which {text}?", "answer_list": answers}


def write(folder: Path, sizes: dict[str, int] = SIZES) -> dict[str, Path]:
    """The files of a made-up benchmark of QAMPARI's size."""
    rng = random.Random(1)
    files = {}
    for split, size in sizes.items():
        files[split] = folder / f"{split}_data.jsonl"
        with files[split].open("w", encoding="utf-8") as stream:
            for number in range(size):
                stream.write(json.dumps(question(number, split, rng)) + "\n")
    return files


def _import(files: dict[str, Path], url: str, folder: Path) -> tuple[float, float]:
    """Seconds of importing into an empty, migrated database, and the processor time of the importing process."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DEBUG": "0",
        "LOG_LEVEL": "WARNING",
        "DATABASE_URL": url,
        "MANYHOP_DATA_DIR": str(folder),
        "MANYHOP_TEST_CHILD": "1",
    }
    command = [sys.executable, "manage.py"]
    named = [part for split, file in files.items() for part in ("--questions", split, str(file))]
    start, before = time.perf_counter(), os.times()
    output_of([*command, "import_benchmark", "qampari", *named], env=environment)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, used


@bench("lists-import")
def lists_import(report: Report) -> None:
    """Importing 63,911 questions with their answers and proofs."""
    from tests import services

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        files = write(folder, {split: report.size(size, 60) for split, size in SIZES.items()})
        size = sum(file.stat().st_size for file in files.values()) / 2**20
        report.note(f"made-up questions, {size:,.0f} MiB of JSON Lines")
        what = f"import of {sum(report.size(size, 60) for size in SIZES.values()):,} questions"
        seconds, used = _import(files, prepared.sqlite_url(folder), folder)
        report.measure(f"{what}, SQLite", seconds, "s", at_most=60, beside=f"{used:.1f} s of processor")
        if services.find_postgres() is None:
            report.note("PostgreSQL is not installed")
            return
        seconds, used = _import(files, stack.enter_context(prepared.postgres_url()), folder)
        report.measure(f"{what}, PostgreSQL", seconds, "s", at_most=30, beside=f"{used:.1f} s of processor")


@bench("lists-score")
def lists_score(report: Report) -> None:
    """Scoring 1,000 lists, once the references are prepared."""
    from scoring.metrics.answer_lists import text_of
    from scoring.metrics.base import Metric
    from scoring.metrics.list_f1 import ListF1
    from scoring.metrics.list_f1_alce import AlceListF1

    rng = random.Random(2)
    n = report.size(1_000, 20)
    references: list[Any] = [question(number, "test", rng)["answer_list"] for number in range(n)]
    answers = [
        text_of([rng.choice(one["aliases"]) for one in gold] + [" ".join(rng.choices(WORDS, k=2)) for _ in gold])
        for gold in references
    ]
    metrics: tuple[Metric, ...] = (ListF1(), AlceListF1())
    for metric in metrics:
        prepared = metric.prepare(references)
        start = time.perf_counter()
        metric.score(prepared, answers)
        report.measure(f"{metric.name}, {n:,} lists", time.perf_counter() - start, "s", at_most=1)


@bench("passages")
def passages(report: Report) -> None:
    """Checking and scoring a file of 200 passages for each of 1,000 questions."""
    from io import BytesIO

    from scoring.generations.passages import COUNTED, PASSAGES
    from scoring.generations.reader import Limits, read_generations
    from scoring.metrics.passage_recall import PassageRecall

    rng = random.Random(3)
    n = report.size(1_000, 10)
    references: list[Any] = [question(number, "test", rng)["answer_list"] for number in range(n)]
    lines = [json.dumps({"id": f"q{at}", "passages": retrieved(gold, rng)}) for at, gold in enumerate(references)]
    content = "\n".join(lines).encode()
    report.note(f"made-up passages, {len(content) / 2**20:,.0f} MiB of JSON Lines")
    limits = Limits(max_bytes=2**33)
    start = time.perf_counter()
    read_generations(BytesIO(content), None, limits, COUNTED)
    report.measure("check of the file", time.perf_counter() - start, "s", at_most=20)
    start = time.perf_counter()
    found = read_generations(BytesIO(content), None, limits, PASSAGES).answers
    metric = PassageRecall()
    metric.score(metric.prepare(references), list(found.values()))
    report.measure(f"reading and scoring {n:,} × 200 passages", time.perf_counter() - start, "s", at_most=60)


def retrieved(gold: list[Any], rng: random.Random) -> list[dict[str, str]]:
    """200 passages of 100 words; some have the title of the evidence for an answer, and some its text."""
    found = []
    for index in range(200):
        proof = gold[index % len(gold)]["proof"][0]
        title = proof["found_in_url"].rpartition("/")[2].replace("_", " ")
        text = " ".join(rng.choices(WORDS, k=100))
        found.append({"title": title, "text": f"{proof['proof_text']} {text}" if rng.random() < 0.1 else text})
    return found
