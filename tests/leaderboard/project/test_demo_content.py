"""The content of the demo: samples of benchmarks, example systems, and what people find to do."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from django.test import Client

from humaneval.models import GradingRound, Study
from leaderboard.board.table import board_for
from leaderboard.board.write import open_board
from leaderboard.models import Entry, Submission
from leaderboard.project.demo import content
from leaderboard.publishing.services import unpublish_submission
from leaderboard.submissions import notifications
from scoring import declarations
from scoring.models import Baseline, Run, Split, Verdict
from scoring.models.run_states import RunState
from tests import boards, factories
from tests.paths import ROOT
from tests.services import is_alive, wait_for


@pytest.fixture
def examples(db: None) -> list[content.Example]:
    for folder in content.sample_folders():
        content._import_sample(folder)
    declarations.clear()
    return list(content.examples_of_samples())


def test_the_systems_of_the_samples_are_scored_and_published_once(
    examples: list[content.Example], client: Client
) -> None:
    owner, grace = factories.user("ada"), factories.maintainer()
    submissions = [example.send(owner) for example in examples]
    assert [example.sent(owner) for example in examples] == submissions
    assert not notifications.due().exists(), "no mail is sent about them"
    for submission in submissions:
        content.choose_compared_baseline(submission)
        factories.score(submission)
        assert content.is_settled(submission)
        assert content.publish_if_new(submission)
        assert not content.publish_if_new(submission)
    boards.refresh()
    for slug in ("lists-sample", "judged-lists-sample"):
        board = open_board(slug, "dev", content.SAMPLE_SETTING)
        assert board is not None
        values = [float(row.cells[0].value or 0) for row in board_for(board, as_page=True).rows]
        assert len(values) == 3
        assert values == sorted(values, reverse=True)
        assert all(0 < value < 1 for value in values)
    judged = Run.objects.filter(metric="list-judge")
    assert set(judged.values_list("state", flat=True)) == {RunState.NOT_CONFIGURED}, "no score is invented"
    assert not Verdict.objects.exists()
    assert "Columns without any value are not shown: Judged F1" in client.get(JUDGED_BOARD).content.decode()

    split = Split.objects.get(benchmark__slug=content.COMPARED)
    assert Baseline.objects.get().split == split
    assert Entry.objects.filter(split=split, shows_answers=True).count() == 2
    for _ in range(2):
        content.load_comparison_study(grace)
    assert Study.objects.get(slug=content.PAIRS_SLUG).items.exists()

    unpublish_submission(submissions[0], actor=owner)  # what its owner takes off stays off
    assert not content.publish_if_new(Submission.objects.get(pk=submissions[0].pk))


def test_two_systems_that_read_no_article_answer_the_first_open_split(db: None, tmp_path: Path) -> None:
    factories.benchmark(n_dev=12)
    target = content.example_target()
    assert target is not None
    titles, words = content.examples_of(*target)
    assert "What is the capital of Norway 0" in words.content.decode()
    content.write_example_files(tmp_path, titles)
    assert (tmp_path / content.EXAMPLE_FILE).read_bytes() == titles.content


def test_a_round_for_grading_is_made_once(db: None) -> None:
    split = factories.split(factories.benchmark(), "dev")
    submission = factories.submission(factories.user("ada"), split, {"openbook": factories.perfect()})
    grace = factories.maintainer()
    for _ in range(2):
        content.load_grading_round(submission, grace)
    assert GradingRound.objects.count() == 1


JUDGED_BOARD = "/judged-lists-sample/dev/closed-book/"
MAIN = """
import sys, time
from pathlib import Path
from leaderboard.project.demo.processes import Children, Program
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
folder = Path(sys.argv[1])
with Children([Program("sleeper", sleep, folder / "sleeper.log")], environment={}, directory=folder) as children:
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_children_end_however_the_demo_ends(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", MAIN, tmp_path], cwd=ROOT, stdout=subprocess.PIPE) as demo:
        assert demo.stdout is not None
        demo.stdout.readline()
        children = psutil.Process(demo.pid).children(recursive=True)
        assert children
        os.kill(demo.pid, number)
        wait_for(lambda: not any(is_alive(child) for child in children), 30, "the end of the children")
