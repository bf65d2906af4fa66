"""A site with a judge, for tests of runs: questions, answers, and the work of a worker done in this process."""

import datetime
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from leaderboard.models import Submission, User
from scoring import tasks
from scoring.models import Run, Split
from scoring.models.run_states import RunState
from scoring.runs import leases
from tests import factories
from tests.judge_server import JudgeServer
from tests.scoring.conftest import KEY

RIGHT = {f"dev-{index}": answer for index, answer in enumerate(["Norway - Oslo", "Nairobi\nKenya", "Lima", "3"])}
"""Answers to the questions of `factories.benchmark` that the server's simple mind finds right."""


def judged_by(settings: Any, server: JudgeServer, **changes: Any) -> None:
    """Set the site up with a judge."""
    settings.JUDGE_BASE_URL = server.url
    settings.JUDGE_API_KEY = KEY
    settings.JUDGE_RETRY_SECONDS = 0.001
    settings.JUDGE_GIVE_UP_SECONDS = 0
    for name, value in changes.items():
        setattr(settings, f"JUDGE_{name}", value)


def submit(split: Split, answers: Mapping[str, str], **settings: Mapping[str, str]) -> Submission:
    """A submission with answers in the open-book setting, and in others by name."""
    owner = User.objects.filter(username="ada").first() or factories.user()
    return factories.submission(owner, split, {"openbook": answers, **settings})


def run_of(submission: Submission, setting: str = "openbook", metric: str = "judge") -> Run:
    """A run, as it is now."""
    return Run.objects.select_related("answer_set__split", "revision__split").get(
        answer_set__submission_file__submission=submission,
        answer_set__submission_file__setting__slug=setting,
        metric=metric,
        revision=submission.split.current_revision,
    )


def work(run: Run) -> Run:
    """Do what a worker does with a waiting run whose time has come; returns it as it is then."""
    Run.objects.filter(pk=run.pk, not_before__gt=timezone.now()).update(
        not_before=timezone.now() - datetime.timedelta(seconds=1)
    )
    tasks.execute_run(str(run.pk))
    run.refresh_from_db()
    return run


def work_until_settled(run: Run, rounds: int = 30) -> Run:
    """Do it until the run does not wait any more."""
    for _ in range(rounds):
        if work(run).state != RunState.WAITING:
            return run
    raise AssertionError(f"It still waits: {run.reason}")


def claimed(run: Run) -> str:
    """Take a run as a worker does, and leave it at that."""
    token = leases.claim(str(run.pk))
    assert token is not None
    run.refresh_from_db()
    return token
