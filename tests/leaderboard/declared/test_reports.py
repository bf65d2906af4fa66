"""Boards and pages of benchmarks whose reports a judge decides about by criteria."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.publishing.services import publish_submission
from scoring.models import Run, Split
from tests import boards, factories
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by, work
from tests.scoring.runs.judging.test_rubrics import RUBRICS, by_criterion, imported, lines

pytestmark = pytest.mark.django_db


def published(split: Split, answers: dict[str, str], name: str) -> None:
    owner = factories.user(name.lower())
    submission = factories.submission(owner, split, {"agent": answers}, name=name)
    for run in Run.objects.filter(answer_set__submission_file__submission=submission):
        work(run)
    publish_submission(submission, actor=owner, approved=True)


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        server.rule = by_criterion
        yield server


@pytest.fixture
def split(settings: Any, server: JudgeServer, tmp_path: Path) -> Split:
    judged_by(settings, server)
    split = imported(tmp_path, "researchrubrics", tasks=lines(*RUBRICS))
    published(split, {"r1": "Ada and Bo built them.", "r2": "Ada, as I made up."}, "Atlas")
    published(split, {"r1": "Nobody knows."}, "Borealis")
    boards.write()
    return split


def test_the_board_and_all_pages_of_a_judged_split_answer(split: Split, client: Client) -> None:
    page = client.get("/researchrubrics/test/agent/").content.decode()
    assert page.index("Atlas") < page.index("Borealis")
    for url in ("/systems/atlas/", "/researchrubrics/test/questions/", "/researchrubrics/test/questions/r1/"):
        assert client.get(url).status_code == 200, url
