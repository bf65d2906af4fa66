"""What the tests of this folder stand on: questions and answers to score, and looks at the runs."""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from leaderboard.models import Event, Submission, SubmissionFile
from scoring import queries
from scoring.benchmarks import definitions
from scoring.benchmarks.base import SourceQuestion
from scoring.metrics.base import ScoredVector
from scoring.models import AnswerBlock, AnswerSet, Run, Score, Split
from scoring.models.run_states import RunState
from scoring.registry import metric_named, why_unavailable
from tests import factories
from tests.services import PATIENCE_SECONDS, wait_for

SCORED = tuple(
    name
    for name in next(iter(definitions().values())).metrics
    if metric_named(name).queue != "judge" and not why_unavailable(metric_named(name))
)
"""The metrics that can run here; the others wait for what they need."""
N_QUESTIONS = 24


def wait_until(what: str, condition: Callable[[], Any], *, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for a condition; *what* names it where it never holds."""
    wait_for(condition, seconds, lambda: f"{what}\n{runs_in_words()}", 0.02)


def runs_in_words() -> str:
    return "\n".join(
        f"{run.metric}: {run.state} {run.done_items}/{run.total_items}, attempt {run.attempts}, sent {run.times_sent} "
        f"times; {run.reason}"
        for run in Run.objects.filter(metric__in=SCORED)
    )


# --- Something to score --------------------------------------------------------------------------------------------


def _words(seed: int, n: int) -> str:
    chance = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(chance.choices(letters, k=chance.randint(4, 9))) for _ in range(n))


def questions_of_words(n: int) -> list[SourceQuestion]:
    """Questions whose references share words with `answers_of_words`, so that the scores are no zeros."""
    overrides = {index: [_words(100 * index, 2), _words(100 * index, 40), f"item {index}"] for index in range(n)}
    return factories.source_questions("dev", n, overrides=overrides)


def answers_of_words(n: int = N_QUESTIONS) -> dict[str, str]:
    """An answer to each question; a slow worker (`tests.reliability.slow_worker`) needs seconds for each metric."""
    return {f"dev-{index}": f"{_words(100 * index, 100)} {_words(7 * index + 1, 100)}" for index in range(n)}


def benchmark_of_words(n: int = N_QUESTIONS) -> Split:
    made = factories.benchmark()
    split = factories.split(made, "dev")
    factories.revise(split, questions_of_words(n))
    return factories.split(made, "dev")


_computed: dict[tuple[str, str], dict[str, ScoredVector]] = {}


def undisturbed(split: Split, answers: Mapping[str, str]) -> dict[str, ScoredVector]:
    """The scores as they are when nothing goes wrong: computed here, by the metrics alone, once for all tests."""
    revision = split.current_revision
    assert revision is not None
    key = revision.content_hash, json.dumps(answers)
    if key not in _computed:
        references = queries.references_of(revision)
        texts = [answers.get(qid) for qid in queries.split_ids(split).current]
        scores: dict[str, ScoredVector] = {}
        for name in SCORED:
            metric = metric_named(name).on_site(settings)
            scores |= metric.score(metric.prepare(references), texts)
        _computed[key] = scores
    return _computed[key]


# --- What must hold afterwards -------------------------------------------------------------------------------------


def scorable_runs(submission: Submission | None = None) -> list[Run]:
    runs = Run.objects.filter(metric__in=SCORED).order_by("created_at", "metric")
    return list(runs.filter(answer_set__submission_file__submission=submission) if submission else runs)


def all_done(submission: Submission | None = None) -> bool:
    return all(run.state == RunState.DONE for run in scorable_runs(submission))


def assert_scored_once(submission: Submission, expected: Mapping[str, ScoredVector]) -> None:
    """Every score is there, once, and is what it would have been undisturbed, to the last bit."""
    scores = Score.objects.filter(run__answer_set__submission_file__submission=submission)
    names = [score.name for score in scores]
    assert sorted(names) == sorted(expected), "each score once"
    for score in scores:
        assert score.value == expected[score.name].value, score.name
        assert score.per_item.tobytes() == expected[score.name].per_item.tobytes(), score.name
        assert score.signature == score.run.signature
    for run in scorable_runs(submission):
        assert (run.state, run.reason, run.lease_token, run.lease_until) == (RunState.DONE, "", "", None)
        assert run.done_items == run.total_items == len(next(iter(expected.values())).per_item)


def stored_files() -> list[Path]:
    """Every file below the folder of uploads, and every folder that a refused upload could have left."""
    return sorted(Path(settings.MEDIA_ROOT).rglob("*"))


def rows() -> dict[str, int]:
    """How many rows there are of everything that a submission makes."""
    models: list[Any] = [Submission, SubmissionFile, AnswerSet, AnswerBlock, Run, Score, Event]
    return {model.__name__: model.objects.count() for model in models}
