"""A benchmark of graded short answers from file to board: what is a mean over questions has intervals and ranks."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Standing, Submission
from leaderboard.publishing.services import publish_submission
from tests import boards, factories, graded_site
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by

pytestmark = pytest.mark.django_db
SCORES = (
    *(f"graded-answer.{part}" for part in ("correct", "accuracy-given-attempted", "f-score")),
    *("verified-answer.correct", "verified-answer.calibration-error"),
)
OF_ALL = {"graded-answer.accuracy-given-attempted", "graded-answer.f-score", "verified-answer.calibration-error"}


@pytest.fixture
def server(settings: Any) -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        judged_by(settings, running)
        yield running


def published(split: str, **declared: Any) -> None:
    """Two systems on the board: one answers little and well, the other everything."""
    made = graded_site.declare(**declared)
    for name, given in (
        ("Careful", graded_site.answers(split, right=25, wrong=3, unknown=12, confidence=80)),
        ("Bold", graded_site.answers(split, right=30, wrong=10)),
    ):
        owner = factories.user(name.lower())
        sent = factories.submission(owner, factories.split(made, split), {"closed-book": given}, name=name)
        factories.score(sent)
        publish_submission(sent, actor=owner)
    boards.refresh()


def rows(client: Client, split: str) -> dict[str, dict[str, Any]]:
    document = client.get(f"/{graded_site.SLUG}/{split}/closed-book/export.json?columns=all").json()
    return {row["system"]: row["cells"] for row in document["rows"]}


def test_a_board_shows_ratios_without_an_interval_or_a_rank(server: JudgeServer, client: Client) -> None:
    published("dev")
    cells = rows(client, "dev")
    assert {name: cells["Careful"][name]["value"] for name in SCORES[:4]} == {
        "graded-answer.correct": 0.625,
        "graded-answer.accuracy-given-attempted": pytest.approx(25 / 28),
        "graded-answer.f-score": pytest.approx(2 * 25 / (40 + 28)),
        "verified-answer.correct": 0.625,
    }
    for name in SCORES:
        has_interval = cells["Bold"][name]["low"] is not None
        assert has_interval == (name not in OF_ALL), name
    assert set(Standing.objects.values_list("name", flat=True)).isdisjoint(OF_ALL)
    page = client.get(f"/{graded_site.SLUG}/dev/closed-book/?columns=all")
    assert page.status_code == 200
    for score in SCORES:
        shown = client.get(f"/{graded_site.SLUG}/dev/closed-book/?sort={score}")
        assert shown.status_code == 200, score
        assert "of 0 " not in shown.content.decode()
        assert client.get(f"/{graded_site.SLUG}/dev/closed-book/pictures/?column={score}").status_code == 200


@pytest.mark.parametrize(
    ("sort", "first", "second"),
    [
        ("graded-answer.accuracy-given-attempted", "Careful", "Bold"),
        ("verified-answer.calibration-error", "Bold", "Careful"),
    ],
)
def test_a_board_may_be_ordered_by_a_ratio(
    server: JudgeServer, client: Client, sort: str, first: str, second: str
) -> None:
    """Of a number that is no mean over questions the order is all that is said."""
    published("dev", hidden=False, sort=sort)
    document = client.get(f"/{graded_site.SLUG}/dev/closed-book/export.json").json()
    assert [row["system"] for row in document["rows"]] == [first, second]
    query = f"benchmark={graded_site.SLUG}&split=dev&setting=closed-book"
    pages = (f"/{graded_site.SLUG}/dev/closed-book/", "/systems/careful/", "/")
    for page in (*pages, f"/compare/?system=careful&system=bold&{query}"):
        assert client.get(page).status_code == 200, page


def test_systems_with_ratios_are_shown_compared_and_explained(server: JudgeServer, client: Client) -> None:
    published("dev")
    query = f"benchmark={graded_site.SLUG}&split=dev&setting=closed-book"
    system = client.get(f"/systems/careful/?{query}").content.decode()
    assert "Graded correct" in system and "of 0" not in system
    compared = client.get(f"/compare/?system=careful&system=bold&{query}")
    assert compared.status_code == 200
    assert "no mean over questions" in compared.content.decode()
    for score in SCORES:
        assert client.get(f"/compare/?system=careful&system=bold&{query}&score={score}").status_code == 200, score
    verdicts = client.get(f"/api/v1/systems/careful/verdicts/?{query}").json()
    assert verdicts[0]["correct"] is True and verdicts[0]["verdict"] in ("correct", "correct/80", "correct/40")
    questions = client.get(f"/api/v1/systems/careful/questions/?{query}")
    assert questions.status_code == 200
    [first, *_] = questions.json()
    assert "graded-answer.correct" in first["scores"]
    assert OF_ALL.isdisjoint(first["scores"])
    definitions = client.get("/definitions/").content.decode()
    assert "correct given attempted" in definitions and "calibration error" in definitions


def test_a_hidden_split_shows_the_share_of_correct_answers_alone(server: JudgeServer, client: Client) -> None:
    published("test")
    cells = rows(client, "test")
    shown = {name for name, cell in cells["Bold"].items() if cell["value"] is not None}
    assert shown == {"graded-answer.correct", "verified-answer.correct"}
    assert client.get(f"/{graded_site.SLUG}/test/closed-book/?columns=all").status_code == 200
    query = f"benchmark={graded_site.SLUG}&split=test&setting=closed-book"
    assert client.get(f"/api/v1/systems/bold/verdicts/?{query}").status_code == 404


def test_the_page_of_a_submission_says_what_the_judge_gives(server: JudgeServer, client: Client) -> None:
    published("dev")
    client.force_login(factories.maintainer())
    submission = f"/submissions/{Submission.objects.get(name='Bold').pk}/"
    page = client.get(f"{submission}judge/").content.decode()
    lede = page.partition('<p class="lede">')[2].partition("</p>")[0]
    assert "confidence" in lede or "not attempted" in lede
    assert "B, C and E" not in lede
    assert f"{submission}judge/" in client.get(submission).content.decode()
