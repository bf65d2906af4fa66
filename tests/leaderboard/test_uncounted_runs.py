"""Comparisons of further pairs: their scores are at no door, and count nowhere."""

import re
from typing import Any

import numpy as np
import pytest
from django.test import Client

from leaderboard.board import standings
from leaderboard.models import Submission
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import quotas
from leaderboard.submissions.notifications import due, scored_mail
from scoring.models import RUN_NAME, AnswerSet, Run, Score, Split, vector_bytes
from scoring.models.run_states import RunState
from scoring.runs.answer_sets import ensure_runs
from scoring.runs.judging.baselines import choose_baseline, compare_pairs
from tests import compared_site, factories
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by, work

pytestmark = pytest.mark.django_db

N = 4
VALUE = 0.987654
SHOWN = re.compile(r"(?<![\w.])(?:0?\.98(?:[78]|7654)\d*|98\.(?:[78]|77|7654)\d*)(?!\w)")
"""The value in any of the ways in which pages, files and mails write numbers."""
NAMES = ("base", "first", "second")
BOARD = f"/{compared_site.SLUG}/dev/closed-book/"


@pytest.fixture
def sent(settings: Any) -> dict[str, Submission]:
    """Published systems: two are compared with the first one, and with each other."""
    with JudgeServer() as server:
        judged_by(settings, server)
        split = factories.split(compared_site.declare(N), "dev")
        owner = factories.user()
        made = {
            name: factories.submission(
                owner, split, {"closed-book": {f"dev-{n}": f"Worth {40 + 10 * place + n}" for n in range(N)}}, name=name
            )
            for place, name in enumerate(NAMES)
        }
        sets = {name: AnswerSet.objects.get(submission_file__submission=one) for name, one in made.items()}
        choose_baseline(split, sets["base"], by="mia")
        do_work(split)
        for one in made.values():
            publish_submission(one, actor=owner)
        assert split.current_revision is not None
        compare_pairs(split.current_revision, [(sets["first"], sets["second"])])
        do_work(split)
    change(Score.objects.exclude(run__counts=True))
    standings.refresh(split, factories.setting(split.benchmark, "closed-book"))
    return made


def do_work(split: Split) -> None:
    """Do what workers do, after the runs that are missing were made."""
    for answer_set in AnswerSet.objects.filter(split=split):
        ensure_runs(answer_set)
    for run in Run.objects.filter(state=RunState.WAITING):
        assert work(run).state == RunState.DONE


def change(scores: Any) -> None:
    """Give scores the value that must not be seen."""
    assert scores.exists()
    scores.update(value=VALUE, low=VALUE, high=VALUE, vector=vector_bytes(np.full(N, VALUE)))


def doors(sent: dict[str, Submission]) -> list[str]:
    compare = f"/compare/?benchmark={compared_site.SLUG}&split=dev&setting=closed-book&system=first&system=second"
    place = f"benchmark={compared_site.SLUG}&split=dev&setting=closed-book"
    found = [*(f"{BOARD}{path}" for path in ("", "?columns=all", "pictures/", "ranking/")), compare, "/"]
    found += [f"{BOARD}export.{name}?columns=all" for name in ("json", "csv", "tex", "bib")]
    found += [f"/api/v1/board/?{place}", f"/api/v1/ranking/?{place}"]
    for name, submission in sent.items():
        of_submission = f"/submissions/{submission.pk}/"
        found += [f"/systems/{name}/", f"/api/v1/systems/{name}/scores/", f"/api/v1{of_submission}"]
        found += [of_submission, f"{of_submission}progress/", f"{of_submission}judge/"]
    return found


def seen(sent: dict[str, Submission]) -> set[str]:
    """The doors at which the value is."""
    client = Client()
    client.force_login(sent["first"].owner)
    pages = {door: client.get(door) for door in doors(sent)}
    assert {door: page.status_code for door, page in pages.items() if page.status_code != 200} == {}
    found = {door for door, page in pages.items() if SHOWN.search(page.content.decode())}
    mails = (scored_mail(one, one.owner) for one in sent.values())
    return found | {"mail" for mail in mails if SHOWN.search(mail.text)}


@pytest.mark.slow
def test_no_door_shows_the_score_of_a_further_pair(sent: dict[str, Submission]) -> None:
    names = set(Run.objects.annotate(full_name=RUN_NAME).values_list("full_name", flat=True))
    assert names == {"side-by-side", "side-by-side-pair"}
    assert seen(sent) == set()
    counting = Score.objects.counting().filter(run__answer_set__submission_file__submission=sent["first"])
    change(counting)
    standings.refresh(sent["first"].split, factories.setting(sent["first"].split.benchmark, "closed-book"))
    visible = seen(sent)
    assert {BOARD, f"{BOARD}export.csv?columns=all", "/api/v1/systems/first/scores/"} <= visible, "it would be"


def test_mails_and_quotas_wait_for_and_count_no_such_run(sent: dict[str, Submission]) -> None:
    uncounted = Run.objects.exclude(counts=True)
    owner, benchmark = sent["first"].owner, sent["first"].split.benchmark
    uncounted.update(state=RunState.WAITING)
    Submission.objects.update(notified_at=None)
    assert {one.name for one in due()} == set(NAMES)
    before = [quota.used for quota in quotas.quotas_of(owner, benchmark)]
    assert any(before)
    Run.objects.counting().update(state=RunState.CANCELLED)
    uncounted.update(state=RunState.DONE)
    assert [quota.used for quota in quotas.quotas_of(owner, benchmark)] == [0 for _ in before]
