"""What receiving a submission costs, in queries and connections."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Submission
from leaderboard.submissions import storage
from scoring.models import Run
from scoring.runs.answer_sets import ensure_runs
from scoring.workers import broker
from tests import factories

pytestmark = pytest.mark.django_db
SYSTEM = {"name": "Example system", "authors": "A. Author", "type": "FOUNDATION"}
SETTINGS = ("closedbook", "openbook", "evidenceprovided")


@pytest.fixture
def producers(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One for each producer that was opened."""
    opened: list[None] = []
    real: Callable[[], AbstractContextManager[Any]] = broker.open_producer

    def counted() -> AbstractContextManager[Any]:
        opened.append(None)
        return real()

    monkeypatch.setattr(broker, "open_producer", counted)
    return opened


def test_three_files_cost_few_queries_more_than_one_and_one_producer(
    producers: list[None], django_capture_on_commit_callbacks: Any
) -> None:
    ada, dev = factories.user(), factories.split(factories.benchmark(12), "dev")
    n_queries = []
    for settings in (SETTINGS[:1], SETTINGS[:1], SETTINGS):  # the first fills caches
        producers.clear()
        files = factories.checked_files(dev, dict.fromkeys(settings, factories.perfect("dev", 12)))
        with CaptureQueriesContext(connection) as queries, django_capture_on_commit_callbacks(execute=True):
            storage.create_submission(owner=ada, split=dev, system=SYSTEM, files=files)
        n_queries.append(len([query for query in queries if "SAVEPOINT" not in query["sql"]]))
        assert len(producers) == 1
    assert n_queries[2] - n_queries[1] == 2 * 3, "the answer set, its blocks, the file"
    runs = Run.objects.filter(answer_set__submission_file__submission=Submission.objects.latest("created_at"))
    assert set(runs.filter(state="waiting").values_list("times_sent", flat=True)) == {1}


def test_runs_that_exist_are_neither_made_nor_sent_again(
    producers: list[None], django_capture_on_commit_callbacks: Any
) -> None:
    dev = factories.split(factories.benchmark(), "dev")
    sent = factories.submission(factories.user(), dev, {"openbook": factories.perfect()})
    answer_set = sent.files.get().answer_set
    known = set(Run.objects.values_list("pk", flat=True))
    Run.objects.filter(metric="rouge").delete()
    producers.clear()
    with django_capture_on_commit_callbacks(execute=True):
        (run,) = ensure_runs(answer_set)
        assert ensure_runs(answer_set) == []
    assert run.metric == "rouge"
    assert len(producers) == 1
    assert len(set(Run.objects.values_list("pk", flat=True)) - known) == 1
    assert dict(Run.objects.values_list("metric", "times_sent"))["rouge"] == 1
