"""The audit: stored scores of single answers, compared with what the official packages compute for them.

Enters: the number of answers to check. Leaves: one `ScoreAudit` per metric. The official code runs in a process of its
own (`scoring.metrics.official`), which gets references and answers on its standard input: they are in no argument, and
what the process writes to its error output, which may quote them, is dropped.
"""

import datetime
import json
import logging
import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.conf import settings
from django.db.models import Max, Sum
from django.utils import timezone

from scoring import queries
from scoring.metrics.base import Metric
from scoring.metrics.official import METRICS as OFFICIAL
from scoring.metrics.official import missing
from scoring.models import Run, ScoreAudit
from scoring.models.run_states import RunState
from scoring.registry import METRICS, why_unavailable
from scoring.runs import outcomes

logger = logging.getLogger(__name__)

SAMPLE: Final = 200
"""Answers per metric in one audit."""
RUNS: Final = 20
"""Runs from which they come: reading the references of a run costs more than one more answer."""
MAX_CHARACTERS: Final = 200_000
"""Longer answers are not drawn: the official code takes minutes for them."""
PROCESS_SECONDS: Final = 1800
PROBLEM: Final = "The official code could not be run: {}"

ALERTS: Final[list[Callable[[ScoreAudit], None]]] = []
"""Called with every audit that found a difference."""


Drawn = tuple[dict[str, Any], tuple[Any, str], dict[str, float]]
"""One stored answer: its run and item (with the key of `queries.ScoredItems.keys`), what the official code gets
(reference and answer), and its scores."""


def audit(sample: int = SAMPLE, *, rng: random.Random | None = None) -> list[ScoreAudit]:
    """Audit every metric whose official code is installed; returns the stored results. Metrics without scores are left
    out."""
    rng = rng or random.SystemRandom()
    audits = []
    for name in OFFICIAL:
        metric = METRICS[name].on_site(settings)
        if why_unavailable(metric):
            continue
        if modules := missing(name):
            logger.info("%s is not audited, because %s is not installed: see docs/metrics.md", name, ", ".join(modules))
            continue
        # Random answers of random runs of this installation, and those that differed in the latest audit.
        before = latest(metric.name)
        again: dict[str, set[str]] = defaultdict(set)
        for difference in before.differences if before else []:
            again[difference["run"]].add(difference["key"])
        runs = Run.objects.filter(metric=metric.name, state=RunState.DONE, revision__has_references=True)
        ids = sorted(map(str, runs.order_by().values_list("pk", flat=True)))
        rng.shuffle(ids)
        chosen = ids[:RUNS]
        checked: list[Drawn] = []
        share = -(-sample // max(len(chosen), 1))
        for number, pk in enumerate([*chosen, *(pk for pk in again if pk not in chosen)]):
            run = runs.select_related("answer_set", "revision__split").filter(pk=pk).first()
            if run is None or run.signature != metric.signature(run.revision.signature_part):
                continue
            checked += _draw_of(run, share if number < len(chosen) else 0, again.get(pk, set()), rng)
        if not checked:
            continue
        made = ScoreAudit(metric=metric.name, signature=metric.signature(), n_checked=0, n_equal=0)
        audits.append(made)
        try:
            official = official_scores(metric, [pair for _, pair, _ in checked])
        except OfficialCodeError as error:
            made.problem = PROBLEM.format(error)
            made.save()
            logger.error("The audit of %s could not be done: %s", metric.name, error)
            continue
        differences = [
            item | {"scores": differing}
            for (item, _, stored), right in zip(checked, official, strict=True)
            if (differing := [name for name, value in right.items() if stored.get(name) != value])
        ]
        made.n_checked, made.n_equal, made.differences = len(checked), len(checked) - len(differences), differences
        made.save()
        if bool(differences) != (before is not None and bool(before.differences)):
            scored = Run.objects.filter(metric=metric.name, state=RunState.DONE).order_by()
            for split in scored.values_list("answer_set__split", flat=True).distinct():
                outcomes.split_changed(split)
        if differences:
            logger.error(
                "The audit found %s of %s answers whose %s differs from the official code. The administration names "
                "them (Score audits).",
                len(differences),
                len(checked),
                metric.name,
            )
            for alert in ALERTS:
                alert(made)
    return audits


def is_due() -> bool:
    """Whether the last audit was more than a day ago, or there was none."""
    since = timezone.now() - datetime.timedelta(hours=23, minutes=30)
    return not ScoreAudit.objects.filter(checked_at__gte=since).exists()


def latest(metric: str) -> ScoreAudit | None:
    """The latest audit of a metric in which the official code could be run."""
    return ScoreAudit.objects.filter(metric=metric, problem="").order_by("-checked_at", "-pk").first()


def differing_metrics() -> set[str]:
    """The metrics whose latest audit found a difference. One query."""
    rows = (
        ScoreAudit.objects.filter(problem="").order_by("checked_at", "pk").values_list("metric", "n_checked", "n_equal")
    )
    return {
        metric for metric, (n_checked, n_equal) in {row[0]: row[1:] for row in rows}.items() if n_checked != n_equal
    }


def totals() -> dict[str, dict[str, Any]]:
    """By metric in its present version: how many answers were compared with the official code (``n_checked``), how many
    were equal (``n_equal``), and the time of the ``last`` comparison. One query."""
    by_metric: dict[str, dict[str, Any]] = {}
    rows = ScoreAudit.objects.filter(problem="").order_by("metric").values_list("metric", "signature")
    sums = rows.annotate(n=Sum("n_checked"), equal=Sum("n_equal"), last=Max("checked_at"))
    for metric, signature, n_checked, n_equal, last in sums:
        registered = METRICS.get(metric)
        if registered is not None and registered.on_site(settings).signature() == signature:
            by_metric[metric] = {"n_checked": n_checked, "n_equal": n_equal, "last": last}
    return by_metric


def _draw_of(run: Run, n: int, also: Iterable[str], rng: random.Random) -> list[Drawn]:
    items = queries.items_to_score(run.answer_set, run.revision)
    references = queries.references_of(run.revision)
    vectors = {score.name: score.per_item for score in run.scores.all()}
    if any(len(vector) != len(items) for vector in vectors.values()):
        return []  # an answer was withdrawn since
    possible = {
        key: index
        for index, (key, answer) in enumerate(zip(items.keys, items.generations, strict=True))
        if answer is not None and len(answer) <= MAX_CHARACTERS and queries.qid_of(key) not in run.too_long
    }
    keys = set(rng.sample(sorted(possible), min(n, len(possible)))) | (set(also) & possible.keys())
    return [
        (
            {"run": str(run.pk), "qid": queries.qid_of(key), "key": key},
            (references[items.places[possible[key]]], items.generations[possible[key]] or ""),
            {name: float(vector[possible[key]]) for name, vector in vectors.items()},
        )
        for key in sorted(keys)
    ]


class OfficialCodeError(RuntimeError):
    """The official code could not be run; the message contains nothing of references or answers."""


def official_scores(metric: Metric, pairs: Sequence[tuple[Any, str]]) -> list[dict[str, float]]:
    """The official scores of each pair of a reference and an answer, computed in a process of their own.

    Raises:
        OfficialCodeError: the packages are missing, or failed.
    """
    lemmatiser = "en_core_web_sm" if "lemma:en_core_web_sm" in metric.signature() else "lookup"
    request = json.dumps({"metric": metric.name, "lemmatiser": lemmatiser, "pairs": list(pairs)})
    try:
        with TemporaryDirectory() as home:  # importing the scorer creates a folder there
            done = subprocess.run(
                [sys.executable, "-m", "scoring.metrics.official"],
                input=request.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=Path(__file__).resolve().parents[2],
                env={**os.environ, "HOME": home},
                timeout=PROCESS_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OfficialCodeError(type(error).__name__) from None
    if done.returncode:
        raise OfficialCodeError(f"its process ended with status {done.returncode}")
    try:
        scores: list[dict[str, float]] = json.loads(done.stdout)
    except ValueError:
        raise OfficialCodeError("its output is not JSON") from None
    if len(scores) != len(pairs):
        raise OfficialCodeError("it returned another number of scores")
    return scores
