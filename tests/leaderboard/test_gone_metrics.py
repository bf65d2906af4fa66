"""Scores of a metric that is no longer part of the software stay stored, leave the boards and break nothing."""

import pytest
from django.core.management import call_command
from django.test import Client

from leaderboard.board import standings
from leaderboard.board.exports.files import FORMATS
from leaderboard.maintenance import rescoring
from leaderboard.models import Entry, ReportedValue, Standing, Submission
from leaderboard.submissions import notifications
from scoring.models import CurrentSignature, Run, Score, Split, workers
from scoring.models.run_states import RunState
from scoring.runs import answer_sets, intervals, sweeper
from scoring.tasks import execute_run
from tests import factories
from tests.chance import without_times

pytestmark = pytest.mark.django_db
METRIC = "accuracy-repaired"
SIGNATURE = f"{METRIC}|lemma:spacy-lookups-data-1.0.5|data:dev@3f2a9c1b|manyhop:0.7.0"
NAME = "repaired.loose"
BOARD = "/fanoutqa/dev/openbook/"


@pytest.fixture
def sent() -> Submission:
    """A published submission with a score of the metric, and one whose run of the metric waits."""
    ada, dev = factories.user(), factories.split(factories.benchmark(), "dev")
    sent = factories.published(ada, dev, {"openbook": factories.perfect()}, name="First")
    other = factories.published(ada, dev, {"openbook": factories.perfect()}, name="Second")
    for submission, state in ((sent, RunState.DONE), (other, RunState.WAITING)):
        run = Run.objects.get(answer_set__submission_file__submission=submission, metric="accuracy")
        scores = list(run.scores.all())
        run.pk, run.metric, run.signature, run.state = None, METRIC, SIGNATURE, state
        run._state.adding = True
        run.id = Run._meta.get_field("id").get_default()
        run.save()
        if state == RunState.DONE:
            for score, name in zip(scores, (NAME, "repaired.strict"), strict=True):
                score.pk, score.run, score.name, score.signature, score.value = None, run, name, SIGNATURE, 0.4321
                score._state.adding = True
                score.save()
    CurrentSignature.objects.create(split=dev, metric=METRIC, signature=SIGNATURE)
    standings.refresh(dev, factories.setting(dev.benchmark))
    standing = Standing.objects.filter(entry__submission=sent, name="loose").get()
    standing.pk, standing.name = None, NAME
    standing.save()
    ReportedValue.objects.create(entry=Entry.objects.get(submission=other), name=NAME, value=0.4321)
    return sent


def test_boards_exports_and_pages_are_there_without_it(sent: Submission, client: Client) -> None:
    standings.refresh(sent.split, sent.files.get().setting)
    exports = [f"{BOARD}export.{name}?columns=all" for name in FORMATS]
    compared = "split=dev&setting=openbook&system=first&system=second"
    boards = [
        f"{BOARD}?columns=all",
        f"{BOARD}?sort=-{NAME}",
        f"{BOARD}pictures/",
        "/api/v1/board/?split=dev",
        *exports,
    ]
    others = [f"/compare/?{compared}", f"/api/v1/comparison/?{compared}", "/definitions/", "/", "/systems/first/"]
    others += ["/api/v1/benchmarks/fanoutqa/", "/api/v1/systems/first/scores/", "/fanoutqa/dev/questions/"]
    for address in (*boards, *others):
        response = client.get(address)
        assert response.status_code == 200, address
        if address in boards:
            text = without_times(response.content.decode())
            assert "0.432" not in text and "Repaired" not in text, address
    assert Score.objects.get(name=NAME).value == 0.4321
    client.force_login(sent.owner)
    for one in Submission.objects.all():
        for address in (
            f"/submissions/{one.pk}/",
            f"/submissions/{one.pk}/progress/",
            f"/api/v1/submissions/{one.pk}/",
        ):
            assert client.get(address).status_code == 200, address
        notifications.scored_mail(one, one.owner)
    maintainer = factories.maintainer()
    client.force_login(maintainer)
    for address in (
        "/maintenance/",
        "/maintenance/queues/",
        "/maintenance/judge/",
        "/maintenance/fanoutqa/dev/rescore/",
    ):
        assert client.get(address).status_code == 200, address
    for table in ("run", "score", "currentsignature"):
        assert client.get(f"/admin/scoring/{table}/").status_code == 200, table
    assert client.get("/metrics").status_code == 200


def test_workers_and_rescoring_leave_its_scores_and_do_not_run_it(sent: Submission) -> None:
    dev = Split.objects.get(pk=sent.split_id)
    workers.record_heartbeat("one", ["cpu"])
    sweeper.sweep()
    sweeper.start_parked()
    intervals.fill()
    waiting = Run.objects.get(metric=METRIC, answer_set__submission_file__submission__name="Second")
    execute_run(str(waiting.pk))
    waiting.refresh_from_db()
    assert (waiting.state, METRIC in waiting.reason) == (RunState.NOT_CONFIGURED, True)
    factories.revise(
        dev, factories.source_questions("dev", overrides={0: "Other"}), date=factories.DATE.replace(year=2026)
    )
    dev = Split.objects.get(pk=dev.pk)
    for answer_set in {run.answer_set for run in Run.objects.all()}:
        answer_sets.ensure_runs(answer_set)
    rescoring.make_missing_runs(dev)
    for submission in Submission.objects.all():
        factories.score(submission)
    call_command("rescore", "fanoutqa", "dev")
    assert METRIC not in rescoring.switch(dev)
    standings.refresh(dev, factories.setting(dev.benchmark))
    assert Run.objects.filter(metric=METRIC).count() == 2
    assert Score.objects.get(name=NAME).value == 0.4321
