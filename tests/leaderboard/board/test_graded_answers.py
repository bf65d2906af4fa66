"""A benchmark of graded short answers from file to board: what is a mean over questions has intervals and ranks."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Standing, Submission
from leaderboard.publishing.services import publish_submission
from scoring.statistics import mean_interval
from tests import boards, factories, graded_site
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by

pytestmark = pytest.mark.django_db
SCORES = (
    *(f"graded-answer.{part}" for part in ("correct", "accuracy-given-attempted", "f-score")),
    *("verified-answer.correct", "verified-answer.calibration-error"),
)
OF_ALL = {"verified-answer.calibration-error"}
GIVEN_ATTEMPTED = "graded-answer.accuracy-given-attempted"


@pytest.fixture
def server(settings: Any) -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        judged_by(settings, running)
        yield running


def published(split: str, *, careful: tuple[int, int, int] = (28, 3, 9), **declared: Any) -> None:
    """Two systems on the board: one answers little and well, the other everything."""
    made = graded_site.declare(**declared)
    right, wrong, unknown = careful
    for name, given in (
        ("Careful", graded_site.answers(split, right=right, wrong=wrong, unknown=unknown, confidence=80)),
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


def test_a_board_shows_what_is_no_weighted_mean_without_an_interval_or_a_rank(
    server: JudgeServer, client: Client
) -> None:
    published("dev")
    cells = rows(client, "dev")
    assert {name: cells["Careful"][name]["value"] for name in SCORES[:4]} == {
        "graded-answer.correct": 0.7,
        GIVEN_ATTEMPTED: pytest.approx(28 / 31),
        "graded-answer.f-score": pytest.approx(2 * 28 / (40 + 31)),
        "verified-answer.correct": 0.7,
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


def test_correct_given_attempted_has_the_interval_of_the_answers_attempted(server: JudgeServer, client: Client) -> None:
    published("dev")
    of_attempted = mean_interval([1] * 28 + [0] * 3)
    cell = rows(client, "dev")["Careful"][GIVEN_ATTEMPTED]
    assert (cell["low"], cell["high"]) == pytest.approx((of_attempted.low, of_attempted.high))
    ranks = Standing.objects.filter(name=GIVEN_ATTEMPTED).values_list("entry__system__name", "rank", "best_rank")
    assert sorted(ranks) == [("Bold", 2, 1), ("Careful", 1, 1)]


def test_few_attempted_answers_have_a_share_of_correct_ones_but_no_interval_and_no_rank(
    server: JudgeServer, client: Client
) -> None:
    published("dev", careful=(27, 2, 11))
    cells = rows(client, "dev")["Careful"]
    assert cells[GIVEN_ATTEMPTED]["value"] == pytest.approx(27 / 29)
    assert cells[GIVEN_ATTEMPTED]["low"] is None
    assert cells["graded-answer.f-score"]["low"] is not None
    assert Standing.objects.filter(name=GIVEN_ATTEMPTED).values_list("entry__system__name").get() == ("Bold",)


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
    published("dev", careful=(25, 3, 12), hidden=False, sort=sort)
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
    scores = [question["scores"] for question in questions.json()]
    assert OF_ALL.isdisjoint(scores[0])
    by_grade = {
        (
            of["graded-answer.correct"],
            of["graded-answer.not-attempted"],
            of[GIVEN_ATTEMPTED],
            of["graded-answer.f-score"],
        )
        for of in scores
    }
    assert by_grade == {(1, 0, 1, 1), (0, 0, 0, 0), (0, 1, None, 0)}, "what was not attempted does not count"
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
    assert "the confidence that the answer states" in page and "not attempted" in page
    assert "six letters" not in page
    assert f"{submission}judge/" in client.get(submission).content.decode()
