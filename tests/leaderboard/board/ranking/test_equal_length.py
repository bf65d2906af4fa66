"""The win rate at equal length of a submission: on today's board until it is published, then of the board."""

from collections.abc import Callable

import numpy as np
import pytest
from django.test import Client

from leaderboard.board import standings
from leaderboard.board.ranking.lookup import find_ranking
from leaderboard.board.ranking.types import Estimate
from leaderboard.models import Entry, Submission
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions.page import submission_view
from scoring.metrics.side_by_side.items import NAME, WIN_RATE
from scoring.models import Baseline, CurrentSignature, Question, Revision, Run, Score, Split, vector_bytes
from tests import compared, factories
from tests.leaderboard.board.ranking.conftest import Place

Ranked = Callable[..., list[Entry]]


@pytest.fixture
def sent(place: Place, ranked: Ranked) -> Callable[..., Submission]:
    """Ranks six systems and makes a submission that was compared with their baseline."""

    def make(*, hidden: bool = False) -> Submission:
        ranked(6, hidden=hidden)
        split, setting = place
        split.refresh_from_db()
        answers = {f"dev-{number}": "An answer." for number in range(30)}
        submission = factories.submission(factories.user(), split, {setting.slug: answers})
        answer_set = submission.files.get().answer_set
        Run.objects.filter(answer_set=answer_set).delete()
        compared.store([Baseline.objects.get().answer_set, answer_set], [(1, 0)], [0, 1])
        run = Run.objects.get(answer_set=answer_set)
        vector = np.full(30, 0.75)
        Score.objects.create(
            run=run,
            name=WIN_RATE,
            value=0.75,
            vector=vector_bytes(vector),
            n_items=30,
            n_answered=30,
            signature=CurrentSignature.objects.get(split=split, metric=NAME).signature,
        )
        return submission

    return make


def on_board(submission: Submission) -> Estimate | None:
    view = submission_view(Submission.objects.get(pk=submission.pk), viewer_id=submission.owner_id)
    (score,) = (score for run in view.files[0].runs for score in run.scores if score.name == WIN_RATE)
    return score.equal_length


def published(place: Place, submission: Submission) -> Estimate | None:
    split, setting = place
    publish_submission(submission, actor=submission.owner)
    standings.refresh(split, setting)
    found = find_ranking(split.benchmark.slug, split.slug, setting.slug)
    assert found is not None and found.ranking is not None
    entry = Entry.objects.get(submission=submission)
    return next(one.controlled for one in found.ranking.systems if one.entry == entry.pk)


@pytest.mark.parametrize("hidden", [False, True], ids=["open", "hidden"])
def test_an_unpublished_submission_has_the_value_that_it_gets_on_the_board(
    place: Place, sent: Callable[..., Submission], hidden: bool
) -> None:
    submission = sent(hidden=hidden)
    before = on_board(submission)
    assert before is not None and before.low is not None and before.low < before.value
    after = published(place, submission)
    assert after is not None
    assert (after.value, after.low, after.high) == pytest.approx((before.value, before.low, before.high))
    assert on_board(submission) is None, "the board has it now"
    if hidden:
        assert before.value == round(before.value, 3)


def test_its_interval_is_over_clusters_if_questions_have_them(place: Place, sent: Callable[..., Submission]) -> None:
    submission = sent()
    alone = on_board(submission)
    questions = Question.objects.order_by("position")
    for question in questions:
        question.cluster = f"template {question.position // 4}"
    Question.objects.bulk_update(questions, ["cluster"])
    Revision.objects.update(clusters_hash="of the templates")
    before = on_board(submission)
    assert alone is not None and before is not None
    assert before.value == alone.value and (before.low, before.high) != (alone.low, alone.high)
    after = published(place, submission)
    assert after is not None
    assert (after.value, after.low, after.high) == pytest.approx((before.value, before.low, before.high))


def test_it_changes_with_the_board(place: Place, sent: Callable[..., Submission]) -> None:
    submission = sent()
    before = on_board(submission)
    Entry.objects.order_by("pk").first().delete()  # type: ignore[union-attr]
    standings.refresh(*place)
    after = on_board(submission)
    assert before is not None and after is not None and before.value != after.value


def test_none_is_shown_while_the_board_has_fewer_than_five_systems(
    place: Place, url: str, client: Client, sent: Callable[..., Submission]
) -> None:
    submission = sent()
    assert "are shown from 5 systems on" not in client.get(url).content.decode()
    for entry in Entry.objects.order_by("pk")[:3]:
        entry.delete()
    standings.refresh(*place)
    assert on_board(submission) is None
    page = client.get(url).content.decode()
    assert "are shown from 5 systems on" in page
    assert "hardly overlap" not in page


def test_none_is_shown_where_a_score_is_withheld(sent: Callable[..., Submission]) -> None:
    submission = sent(hidden=True)
    Score.objects.filter(run__answer_set=submission.files.get().answer_set).update(n_answered=3)
    assert on_board(submission) is None
    Score.objects.filter(run__answer_set=submission.files.get().answer_set).update(n_answered=30)
    assert on_board(submission) is not None
    Split.objects.filter(pk=submission.split_id).update(rounding_step=0.01)
    assert on_board(submission) is None
