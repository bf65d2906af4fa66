"""String accuracy and ROUGE beside the official scorer, which is given the same lemmas (spaCy's lookup pipeline)."""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer

from scoring.cli.score import SCORED, SCORED_WITH_WARNINGS
from scoring.metrics.base import ReferenceAnswer, ScoredVector
from scoring.metrics.rouge import Rouge
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.metrics.text.lemmatizer import LookupLemmatiser
from tests.bench.corpus import N_QUESTIONS, Submission, submission
from tests.bench.registry import ROOT, Report, bench, output_of
from tests.scoring.metrics import official

ROUNDS = 3
WARM_BARS = {"short": 12.0, "long": 25.0}
COLD_BAR = 5.0
MEMORY_BAR = 400.0
FIRST_SCORE_BAR = 5.0


def seconds(work: Callable[[], object]) -> float:
    """How long it takes, with the garbage collected before."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def sized(report: Report, kind: str) -> Submission:
    """A submission of the size of the report."""
    return submission(kind).first(report.size(N_QUESTIONS, 12))


# A warm worker -------------------------------------------------------------------------------------------------------


def our_scores(this: Submission) -> tuple[float, float, dict[str, ScoredVector]]:
    """Seconds for accuracy and for ROUGE, and the scores, in a worker that has scored another system's submission."""
    other = submission("warming").first(len(this.ids))
    accuracy, rouge = StringAccuracy(LookupLemmatiser()), Rouge()
    references = accuracy.prepare(this.references), rouge.prepare(this.references)
    accuracy.score(references[0], other.generations)
    rouge.score(references[1], other.generations)
    scores: dict[str, ScoredVector] = {}
    first = seconds(lambda: scores.update(accuracy.score(references[0], this.generations)))
    second = seconds(lambda: scores.update(rouge.score(references[1], this.generations)))
    return first, second, scores


def their_scores(this: Submission) -> tuple[float, float, dict[str, tuple[float, list[float]]]]:
    """The same of the official scorer."""
    scores: dict[str, tuple[float, list[float]]] = {}
    pipeline = official.lookup_pipeline()
    first = seconds(lambda: scores.update(official.accuracy(this.references, this.generations, pipeline)))
    second = seconds(lambda: scores.update(official.rouge(this.references, this.generations)))
    return first, second, scores


def compare(report: Report, ours: Mapping[str, ScoredVector], theirs: Mapping[str, tuple[float, list[float]]]) -> None:
    """Every aggregate and every question's score."""
    for name, (value, per_item) in theirs.items():
        report.compare(name, ours[name].value, value)
        report.compare(f"{name} by question", ours[name].per_item.tolist(), per_item)


def warm_worker(report: Report, kind: str) -> None:
    """A worker's next submission."""
    this, rounds = sized(report, kind), report.size(ROUNDS, 1)
    report.note(this.describe())
    report.note(
        f"best of {rounds}; the official scorer is loaded, and its spaCy knows the words from the rounds before"
    )
    report.note(
        "ours knows the prepared references and the words of another system's answers; these answers are new to it"
    )
    official.accuracy(submission("warming").references[:50], submission("warming").generations[:50])
    their_best = our_best = float("inf")
    for _ in range(rounds):
        theirs = their_scores(this)
        ours = our_scores(this)
        compare(report, ours[2], theirs[2])
        their_best = min(their_best, theirs[0] + theirs[1])
        our_best = min(our_best, ours[0] + ours[1])
        detail = (
            f"last round: accuracy {theirs[0]:.2f} s to {ours[0]:.3f} s, ROUGE {theirs[1]:.2f} s to {ours[1]:.3f} s"
        )
    report.note(detail)
    report.measure("seconds for accuracy and ROUGE", our_best, "s", beside=f"official {their_best:.2f} s")
    report.measure("times as fast as the official scorer", their_best / our_best, "x", at_least=WARM_BARS[kind])


@bench("metrics-warm-short")
def warm_short(report: Report) -> None:
    """Short answers."""
    warm_worker(report, "short")


@bench("metrics-warm-long")
def warm_long(report: Report) -> None:
    """Long answers."""
    warm_worker(report, "long")


# A process from nothing ----------------------------------------------------------------------------------------------


_LAUNCH = """
import json, os, sys, time
start = time.perf_counter()
process = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(process, 0)
elapsed = time.perf_counter() - start
with open(sys.argv[1], "w") as report:
    json.dump([elapsed, usage.ru_maxrss / 1024], report)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(command: list[str], allowed: Sequence[int] = (0,)) -> tuple[float, float, str]:
    """Wall-clock seconds, peak memory in MiB and output of a process.

    A small process starts it, since Linux counts to a process's peak what its parent had in memory at the start.

    Raises:
        ChildError: it ended with another status than *allowed*.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        launcher = [sys.executable, "-S", "-E", "-c", _LAUNCH, str(report), *command]
        output = output_of(launcher, env=environment, allowed=allowed)
        elapsed, peak = json.loads(report.read_text())
    return elapsed, peak, output


def cold_start(report: Report, kind: str) -> None:
    """Start, load, read, score, write."""
    this, rounds = sized(report, kind), report.size(ROUNDS, 1)
    report.note(this.describe())
    report.note(
        f"python -m scoring beside a process that runs the official scorer; best of {rounds}, files in the cache"
    )
    with tempfile.TemporaryDirectory() as folder:
        files = list(map(str, this.write(Path(folder))))
        ours_command = [sys.executable, "-m", "scoring", "--references", files[0], "--generations", files[1]]
        ours_command += ["--lemmatiser", "lookup"]
        theirs_command = [sys.executable, "-m", "tests.bench.official_process", *files]
        ours = [run(ours_command, allowed=(SCORED, SCORED_WITH_WARNINGS)) for _ in range(rounds)]
        theirs = [run(theirs_command) for _ in range(rounds)]
    expected = json.loads(theirs[0][2])
    found = json.loads(ours[0][2])["scores"]
    for name, value in expected.items():
        outer, _, inner = name.partition(".")
        report.compare(name, found[outer][inner] if inner else found[outer], value)
    our_best, their_best = (min(elapsed for elapsed, _, _ in runs) for runs in (ours, theirs))
    our_peak, their_peak = (max(peak for _, peak, _ in runs) for runs in (ours, theirs))
    report.measure("seconds from start to end of the process", our_best, "s", beside=f"official {their_best:.2f} s")
    report.measure("times as fast as the official scorer", their_best / our_best, "x", at_least=COLD_BAR)
    report.measure("peak memory", our_peak, "MiB", beside=f"official {their_peak:.0f} MiB", at_most=MEMORY_BAR)


@bench("metrics-cold-short")
def cold_short(report: Report) -> None:
    """Short answers."""
    cold_start(report, "short")


@bench("metrics-cold-long")
def cold_long(report: Report) -> None:
    """Long answers."""
    cold_start(report, "long")


_FIRST_SCORE = """
import json, sys
from scoring.metrics.rouge import Rouge
from scoring.metrics.string_accuracy import StringAccuracy

references, generations = json.load(open(sys.argv[1], encoding="utf-8"))
def tell(done, total):
    if done:
        print("scored", flush=True)
        sys.exit()
metric = StringAccuracy("lookup")
prepared = metric.prepare(references)
metric.score(prepared, generations, tell)
"""


@bench("metrics-first-score")
def first_score(report: Report) -> None:
    """From the start of a process to the first question scored."""
    this = sized(report, "long")
    report.note(f"{this.describe()}; all references prepared first")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.json"
        file.write_text(json.dumps([this.references, this.generations]), encoding="utf-8")
        best = min(run([sys.executable, "-c", _FIRST_SCORE, str(file)])[0] for _ in range(report.size(ROUNDS, 1)))
    report.measure("seconds to the first question's score", best, "s", at_most=FIRST_SCORE_BAR)


# Very long texts -----------------------------------------------------------------------------------------------------


@bench("metrics-long-reference")
def long_reference(report: Report) -> None:
    """ROUGE of 13,000 words against 11,000; the official table of so many cells takes half a minute and a gigabyte."""
    chance = random.Random(0)
    vocabulary = [
        f"{stem}{ending}" for stem in ("museum", "walk", "relat", "cit") for ending in ("s", "ing", "ed", "ies")
    ]
    vocabulary += [f"name{number}" for number in range(3000)]
    sizes = [(2_200, 2_600, True), (11_000, 13_000, report.full)]
    for n_reference, n_answer, beside in [(220, 260, True)] if report.short else sizes:
        reference = " ".join(chance.choices(vocabulary, k=n_reference))
        answer = " ".join(chance.choices(vocabulary, k=n_answer))
        metric = Rouge()
        prepared = metric.prepare([reference])
        scores: dict[str, ScoredVector] = {}
        elapsed = min(seconds(lambda: scores.update(metric.score(prepared, [answer]))) for _ in range(ROUNDS))  # noqa: B023
        official_says = ""
        if beside:
            scorer = RougeScorer(official.ROUGE_TYPES, use_stemmer=True)
            start = time.perf_counter()
            expected = scorer.score(reference, answer)
            official_says = f"official {time.perf_counter() - start:.2f} s"
            for kind, score in expected.items():
                found = tuple(scores[f"{kind}.{part}"].value for part in official.ROUGE_PARTS)
                report.compare(kind, found, tuple(score))
        bar = 0.1 if n_reference == 11_000 else None
        report.measure(f"{n_reference:,} against {n_answer:,} words", elapsed, "s", beside=official_says, at_most=bar)
    if not report.full:
        report.note("the official scorer at the smaller size only; --full runs it at both")


@bench("metrics-huge-answer")
def huge_answer(report: Report) -> None:
    """One answer of 5 MB in one line: how long, and whether another thread gets its turn."""
    size = report.size(5_000_000, 5_000)
    chance = random.Random(0)
    texts = {
        "distinct words": " ".join(f"word{number}" for number in range(size // 10)),
        "the same words": "the museums of two cities " * (size // 26),
        "one word": "a" * size,
        "random brackets and points": "".join(chance.choices("()[]{}'\".,;:- ", k=size)),
        "emoji": "\U0001f600" * size,
        "entities in entities": "&" + "amp;" * (size // 4),
    }
    accuracy, rouge = StringAccuracy(LookupLemmatiser()), Rouge()
    references: list[ReferenceAnswer] = [["museum", "two city", "word77"]]
    prepared = accuracy.prepare(references), rouge.prepare(references)
    for name, text in texts.items():
        calls: list[float] = []
        with Heartbeat() as heartbeat:
            elapsed = seconds(
                lambda: (
                    accuracy.score(prepared[0], [text], lambda done, total: calls.append(1)),  # noqa: B023
                    rouge.score(prepared[1], [text], lambda done, total: calls.append(1)),  # noqa: B023
                )
            )
        beside = f"{len(calls)} calls of progress, heartbeat late by at most {heartbeat.longest:.2f} s"
        report.measure(f"{size / 1e6:g} MB: {name}", elapsed, "s", beside=beside, at_most=30)
        report.measure(f"{size / 1e6:g} MB: {name}: longest wait of a thread", heartbeat.longest, "s", at_most=5)


class Heartbeat:
    """A thread that wants to run every 20 ms, as one that renews a lease does less often."""

    def __enter__(self) -> Heartbeat:
        self.longest = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat)
        self._thread.start()
        return self

    def _beat(self) -> None:
        last = time.perf_counter()
        while not self._stop.wait(0.02):
            now = time.perf_counter()
            self.longest = max(self.longest, now - last)
            last = now

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()
