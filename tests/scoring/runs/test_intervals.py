"""The interval of every score: by participant in a study, and there as soon as the score is."""

from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from leaderboard.submissions.page import submission_view
from scoring import tasks
from scoring.models import Answer, AnswerBlock, AnswerSet, Run, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import items_to_score, references_of
from scoring.registry import metric_named
from scoring.runs import answer_sets, execution, intervals, leases
from scoring.runs.errors import NO_ANSWERS
from scoring.statistics import mean_interval
from tests import boards, factories

N = 12
pytestmark = pytest.mark.django_db


@pytest.fixture
def dev() -> Split:
    return factories.split(factories.benchmark(n_dev=N), "dev")


@pytest.fixture
def setting(dev: Split) -> Setting:
    return factories.setting(dev.benchmark)


def ends(score: Score, clusters: Any = None) -> tuple[float, float]:
    found = mean_interval(score.per_item, clusters)
    return found.low, found.high


# Systems -----------------------------------------------------------------------------------------------------------


def test_every_score_of_a_submission_comes_with_its_interval(dev: Split) -> None:
    sent = factories.scored(factories.user(), dev, {"openbook": factories.perfect("dev", N, right=7)})
    scores = list(Score.objects.all())
    assert len(scores) > 10
    assert [(score.low, score.high) for score in scores] == [ends(score) for score in scores]
    for score in scores:
        assert score.low is not None
        assert score.high is not None
        assert score.low <= score.value <= score.high
    loose = next(score for score in scores if score.name == "loose")
    assert (loose.low or 0) < loose.value < (loose.high or 0)
    shown = [score for run in submission_view(sent, viewer_id=None).files[0].runs for score in run.scores]
    assert ("loose", loose.value, loose.low, loose.high) in [(s.name, s.value, s.low, s.high) for s in shown]


def test_intervals_are_computed_before_the_transaction_not_in_it(dev: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    depth: list[int] = []
    inside = len(connection.savepoint_ids)

    def noted(*args: Any, **options: Any) -> list[intervals.Ends]:
        depth.append(len(connection.savepoint_ids) - inside)
        return found(*args, **options)

    found = intervals.intervals_of
    monkeypatch.setattr(intervals, "intervals_of", noted)
    sent = factories.submission(factories.user(), dev, {"openbook": factories.perfect("dev", N)})
    factories.score(sent)
    assert depth == [0] * Run.objects.filter(state=RunState.DONE).count()


# Scores that lack one ----------------------------------------------------------------------------------------------


def test_the_sweep_computes_missing_intervals_of_old_scores(dev: Split, setting: Setting) -> None:
    boards.fill(dev, setting, 5)
    kept = Score.objects.order_by("pk").first()
    assert kept is not None
    Score.objects.filter(pk=kept.pk).update(low=-1.0, high=2.0)
    n_scores = Score.objects.count()
    assert intervals.lacking().count() == n_scores - 1
    tasks.sweep()
    assert intervals.lacking().count() == 0
    for score in Score.objects.exclude(pk=kept.pk):
        assert (score.low, score.high) == ends(score)
    kept.refresh_from_db()
    assert (kept.low, kept.high) == (-1.0, 2.0), "what is there is left"
    assert intervals.fill() == 0


def test_the_sweep_computes_intervals_in_steps_and_continues_next_time(
    dev: Split, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards.fill(dev, setting, 3)
    monkeypatch.setattr(intervals, "AT_ONCE", 10)
    left = Score.objects.count()
    assert left > 20
    assert intervals.fill(seconds=-1) == 10, "one step is done in any case"
    assert intervals.lacking().count() == left - 10
    assert intervals.fill() == left - 10


# Studies -----------------------------------------------------------------------------------------------------------

ANSWERS = [
    ("dev-3", "p2", "3"),
    ("dev-0", "p1", "Norway has Oslo"),
    ("dev-0", "p2", "I do not know"),
    ("dev-1", "p1", "Kenya has Nairobi"),
    ("dev-2", "p3", "   "),
    ("dev-2", "p2", "Lima"),
    ("dev-5", "p1", "Accra is in Ghana"),
    ("retired", "p1", "no longer asked"),
]
"""Of three participants, one of whom left theirs blank."""
ITEMS = [("dev-0", "p1"), ("dev-0", "p2"), ("dev-1", "p1"), ("dev-2", "p2"), ("dev-3", "p2"), ("dev-5", "p1")]


@pytest.fixture
def study(dev: Split, setting: Setting) -> AnswerSet:
    made = AnswerSet.objects.create(split=dev, setting=setting)
    Answer.objects.bulk_create(
        Answer(answer_set=made, qid=qid, participant=participant, text=text) for qid, participant, text in ANSWERS
    )
    return made


def score(answer_set: AnswerSet) -> None:
    for run in answer_sets.ensure_runs(answer_set):
        token = leases.claim(str(run.pk))
        if token is not None:
            execution.execute(str(run.pk), token, check=lambda: None)


def test_a_studys_items_are_its_answers_and_a_systems_are_the_questions(study: AnswerSet, dev: Split) -> None:
    assert dev.current_revision is not None
    items = items_to_score(study, dev.current_revision)
    assert items.participants is not None
    assert list(zip(items.qids, items.participants, strict=True)) == ITEMS
    assert items.places == (0, 0, 1, 2, 3, 5)
    assert items.generations[:2] == ("Norway has Oslo", "I do not know")
    assert len(set(items.keys)) == len(items) == 6
    system = AnswerSet.objects.create(split=dev, setting=study.setting)
    AnswerBlock.objects.store(system, {"dev-4": ""})
    items = items_to_score(system, dev.current_revision)
    assert (items.participants, len(items)) == (None, N)
    assert items.keys == items.qids == tuple(f"dev-{index}" for index in range(N))
    assert items.generations[4:6] == ("", None)


@pytest.mark.parametrize("name", ["accuracy", "rouge"])
def test_a_study_is_scored_by_answer_and_clustered_in_two_ways(study: AnswerSet, dev: Split, name: str) -> None:
    score(study)
    assert dev.current_revision is not None
    references = references_of(dev.current_revision)
    metric = metric_named(name).on_site(settings)
    answers = {(qid, who): text for qid, who, text in ANSWERS}
    expected = metric.score(
        metric.prepare([references[int(qid.removeprefix("dev-"))] for qid, _ in ITEMS]),
        [answers[item] for item in ITEMS],
    )
    found = {score.name: score for score in Score.objects.filter(run__answer_set=study, run__metric=name)}
    assert {key: (row.value, row.per_item.tolist()) for key, row in found.items()} == {
        key: (vector.value, vector.per_item.tolist()) for key, vector in expected.items()
    }
    clusters = ([who for _, who in ITEMS], [qid for qid, _ in ITEMS])
    for row in found.values():
        assert (row.n_items, row.n_answered) == (6, 6)
        assert (row.low, row.high) == ends(row, clusters)
    wider = [row for row in found.values() if ends(row) != ends(row, clusters)]
    assert wider, "answers of a participant are not independent"
    Score.objects.update(low=None, high=None)
    assert intervals.fill() == Score.objects.count()
    for row in Score.objects.filter(run__metric=name):
        assert (row.low, row.high) == (found[row.name].low, found[row.name].high), "the sweep clusters too"


def test_a_study_of_one_participant_has_no_interval(study: AnswerSet) -> None:
    study.answers.exclude(participant="p1").delete()
    score(study)
    assert set(Score.objects.values_list("n_items", "low", "high")) == {(3, None, None)}
    assert intervals.fill() == 0


def test_answers_that_changed_after_the_score_give_no_wrong_interval(
    study: AnswerSet, caplog: pytest.LogCaptureFixture
) -> None:
    score(study)
    Score.objects.update(low=None, high=None)
    study.answers.filter(qid="dev-3").delete()
    assert intervals.fill() == 0
    logged = [record for record in caplog.records if record.name == intervals.__name__]
    assert {(record.levelname, record.args) for record in logged} == {("ERROR", (study.pk,))}


def test_a_study_without_a_single_answer_says_so(study: AnswerSet, dev: Split) -> None:
    study.answers.update(text=" ")
    runs = [run for run in answer_sets.ensure_runs(study) if run.state == RunState.WAITING]
    for run in runs:
        tasks.execute_run(str(run.pk))
        run.refresh_from_db()
        assert run.state == RunState.FAILED
        assert run.reason == NO_ANSWERS
    assert runs
    assert not Score.objects.exists()
