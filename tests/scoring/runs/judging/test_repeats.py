"""Noise: the same answers judged again, beside the first, and what that says."""

from typing import Any

import pytest

from leaderboard.submissions.page import submission_view
from scoring.benchmarks import definition_of
from scoring.models import CurrentSignature, Score, Split, Verdict
from scoring.models.run_states import RunState
from scoring.runs.judging.repeats import NothingToRepeatError, repeats_of, request_repeats
from tests import factories
from tests.judge_server import Chat, JudgeServer, Play
from tests.scoring.runs.judging.site import RIGHT, judged_by, run_of, submit, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    return factories.split(factories.benchmark(), "dev")


def test_repeats_stand_beside_the_score_and_measure_its_noise(split: Split, server: JudgeServer) -> None:
    submission = submit(split, RIGHT)
    answer_set = submission.files.get().answer_set
    with pytest.raises(NothingToRepeatError):
        request_repeats(answer_set, 2)
    assert repeats_of(answer_set) is None
    first = work(run_of(submission))
    alone = repeats_of(answer_set)
    assert alone is not None
    assert (alone.n_judgings, alone.noise, alone.changed_share) == (1, None, None)

    runs = request_repeats(answer_set, 2)
    assert [(run.metric, run.repeat, run.signature) for run in runs] == [
        ("judge", 1, first.signature),
        ("judge", 2, first.signature),
    ]
    letters = {"Norway": "B", "Peru": "D"}  # B is as good as C; D is not

    def another(chat: Chat) -> Play | None:
        return next((Play(letter=letter) for country, letter in letters.items() if country in chat.question), None)

    server.rule = another
    assert work(runs[0]).state == RunState.DONE
    server.rule = lambda chat: None
    assert repeats_of(answer_set).n_pending == 1  # type: ignore[union-attr]
    assert work(runs[1]).state == RunState.DONE
    repeats = repeats_of(answer_set)
    assert repeats is not None
    assert (repeats.n_judgings, repeats.n_answers) == (3, 4)
    assert (repeats.n_changed, repeats.changed_share) == (2, 0.5)
    noise = repeats.noise
    assert noise is not None
    assert noise.item_standard_deviation == pytest.approx(0.1443, abs=1e-4)
    assert (noise.n_changed, noise.half_range) == (1, 0.125)
    assert len(server.chats) == 12, "a repeat asks for every answer again"
    assert [{chat.seed for chat in server.chats[start : start + 4]} for start in (0, 4, 8)] == [
        {31415},
        {32415},
        {33415},
    ], "each repeat with a seed of its own"
    assert (repeats.same_replies, repeats.same_seed) == (False, False)

    assert Score.objects.get(run=first).value == 1.0
    assert Score.objects.counting().filter(name="judge").count() == 1
    assert list(CurrentSignature.objects.values_list("metric", flat=True)) == ["judge"]
    assert Verdict.objects.filter(repeat=0).count() == 4


def test_identical_replies_are_named_and_are_no_noise(split: Split, server: JudgeServer) -> None:
    submission = submit(split, RIGHT)
    answer_set = submission.files.get().answer_set
    work(run_of(submission))
    for run in request_repeats(answer_set, 2):
        work(run)
    found = repeats_of(answer_set)
    assert found is not None
    assert found.noise is not None
    assert (found.n_judgings, found.n_changed, found.same_replies, found.same_seed) == (3, 0, True, False)
    assert len(server.chats) == 12, "no verdict of another judging is used again"
    Verdict.objects.update(seed=31415)  # as versions before sent it
    found = repeats_of(answer_set)
    assert found is not None
    assert found.same_seed


def test_asking_again_for_as_many_changes_nothing_and_for_more_adds(split: Split, server: JudgeServer) -> None:
    submission = submit(split, RIGHT)
    answer_set = submission.files.get().answer_set
    work(run_of(submission))
    assert len(request_repeats(answer_set, 2)) == 2
    assert request_repeats(answer_set, 2) == []
    assert [run.repeat for run in request_repeats(answer_set, 3)] == [3]
    with pytest.raises(ValueError, match="1, not 0"):
        request_repeats(answer_set, 0)


def test_repeats_do_not_show_among_a_submissions_runs(split: Split, server: JudgeServer) -> None:
    submission = submit(split, RIGHT)
    work(run_of(submission))
    request_repeats(submission.files.get().answer_set, 3)
    view = submission_view(submission, viewer_id=submission.owner_id)
    assert sorted(run.metric for run in view.files[0].runs) == sorted(definition_of(split.benchmark.slug).metrics)
