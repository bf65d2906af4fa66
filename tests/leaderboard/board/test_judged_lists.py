"""A benchmark of judged lists from file to board: submitted, judged, published; page, export, API."""

import html
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from leaderboard.board.charts.categories import category_means
from leaderboard.models import Entry, Submission
from leaderboard.publishing.reported_rows import import_published
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import notifications
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.queries import submission_rows
from scoring.benchmarks import definition_of
from scoring.models import Run, Score
from tests import boards, factories
from tests.chance import without_times
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by

pytestmark = pytest.mark.django_db

GOLD = tuple(("Oslo", "Lima", "Accra", "Quito")[: 1 + 3 * (n % 2)] for n in range(24))
"""One and four gold answers in turn."""


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        yield running


@pytest.fixture
def made(settings: Any, server: JudgeServer) -> Any:
    judged_by(settings, server)
    return factories.judged_benchmark(GOLD)


def publish(made: Any, client: Client, slug: str, name: str = "Example system") -> Submission:
    """Send a file by the form, score and publish it."""
    owner = factories.user()
    client.force_login(owner)
    answers = {f"{slug}-j{n}": ["Oslo", "Atlantis"] for n in range(24)}
    form = factories.form_data(slug, name=name, benchmark="monaco") | {"closedbook": factories.upload(answers)}
    response = client.post("/submit/", form)
    assert response.status_code == 302, response.content.decode()
    sent = Submission.objects.get()
    factories.score(sent)
    publish_submission(sent, actor=owner)
    boards.refresh()
    return sent


def test_a_file_without_its_only_headline_score_is_not_scored_and_hides_nothing(client: Client) -> None:
    """Without a judge, MoNaCo's list F1 is computed, which its boards do not show."""
    made = factories.judged_benchmark(GOLD)
    results = definition_of("monaco").published_results
    assert results is not None
    import_published(made, results)
    sent = publish(made, client, "test")
    states = dict(Run.objects.values_list("metric", "state"))
    assert (states["list-f1"], states["list-judge"]) == ("done", "not_configured")
    assert [row.state for row in submission_rows(Submission.objects.all())] == ["not_configured"]
    assert submission_view(sent, viewer_id=sent.owner_id).state == "not_configured"
    assert notifications.INCOMPLETE in notifications.scored_mail(sent, sent.owner).subject
    rows = client.get("/monaco/test/closedbook/export.json").json()["rows"]
    assert [row["kind"] for row in rows] == ["reported"] * 22 + ["scored"]
    page = client.get("/monaco/test/closedbook/").content.decode()
    assert all(html.escape(row["system"]) in page for row in rows)


def test_a_file_becomes_a_row_with_three_scores(made: Any, client: Client) -> None:
    results = definition_of("monaco").published_results
    assert results is not None
    assert import_published(made, results) == (22, 0)
    sent = publish(made, client, "test")
    page = client.get("/monaco/test/closedbook/?kind=all").content.decode()
    assert "Example system" in page
    assert "o3 (2025-05)" in page, "the paper's rows are beside it"
    scores = {one.name: one.value for one in Score.objects.filter(run__answer_set=sent.files.get().answer_set)}
    assert scores["list-judge.recall"] == pytest.approx((1 + 1 / 4) / 2)
    assert scores["list-judge.precision"] == pytest.approx((1 + 1 / 2) / 2)
    rows = client.get("/monaco/test/closedbook/export.json?kind=all&columns=all").json()["rows"]
    assert len(rows) == 23
    (row,) = (one for one in rows if one["system"] == "Example system")
    cells = {key: cell["value"] for key, cell in row["cells"].items()}
    assert cells["list-judge.f1"] == 0.667, "the mean of 1 and 1/3, with the digits of a hidden split"
    assert [cells.get(f"list-judge.{part}") for part in ("recall", "precision", "f1-recomputed")] == [None] * 3
    exported = client.get("/monaco/test/closedbook/export.csv?kind=all&columns=all").content.decode()
    assert "list-judge.f1" in exported and "0.625" not in without_times(exported)


@pytest.mark.slow
def test_an_open_board_has_recall_by_number_of_gold_answers(made: Any, client: Client) -> None:
    publish(made, client, "dev")
    entry = Entry.objects.get()
    categories, means_of = category_means(entry.split_id, entry.setting_id, "list-judge.recall")
    means = dict(zip([name for name, *_ in categories], means_of[entry.pk], strict=True))
    assert means["1 gold answer"] == 1.0
    assert means["2–5 gold answers"] == 0.25
    assert means["11–20 evidence pages"] == pytest.approx(0.625)
    assert client.get("/monaco/dev/closedbook/pictures/?column=list-judge.recall").status_code == 200


@pytest.mark.slow
def test_a_hidden_board_has_f1_by_evidence_pages_alone(made: Any, client: Client) -> None:
    publish(made, client, "test")
    entry = Entry.objects.get()
    categories, _ = category_means(entry.split_id, entry.setting_id, "list-judge.f1")
    assert [name for name, *_ in categories] == ["11–20 evidence pages"]


@pytest.mark.slow
def test_verdicts_of_an_open_split_are_counts(made: Any, client: Client) -> None:
    publish(made, client, "dev")
    query = "?benchmark=monaco&split=dev&setting=closedbook"
    rows = client.get(f"/api/v1/systems/example-system/verdicts/{query}").json()
    assert [(one["verdict"], one["correct"], one["rule"]) for one in rows[:2]] == [
        ("1.0", True, ""),
        ("1/2/4", False, ""),
    ]
    page = client.get(f"/systems/example-system/questions/{query}")
    assert page.status_code == 200 and "Export verdicts" in page.content.decode()


def test_verdicts_of_a_hidden_split_are_not_shown(made: Any, client: Client) -> None:
    publish(made, client, "test")
    query = "?benchmark=monaco&split=test&setting=closedbook"
    assert client.get(f"/api/v1/systems/example-system/verdicts/{query}").status_code == 404
    assert client.get(f"/systems/example-system/questions/{query}").status_code == 404
