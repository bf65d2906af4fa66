"""A benchmark whose questions have weights: values, intervals, ranks and categories are those of weighted means."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import Standing
from leaderboard.publishing.services import publish_submission
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import import_declaration
from scoring.models import Question, Score
from scoring.statistics import weighted_mean_interval
from tests import boards, factories, graded_site
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by

pytestmark = pytest.mark.django_db
WEIGHTS = np.array([5.0 if n < 10 else 1.0 for n in range(40)])
"""Of the questions in their order: the first ten count five times."""
METRICS = "[metrics.exact-match]\n[metrics.graded-answer]\n"
SCORES = ("exact-match", "graded-answer.correct")
BOARD = "/facts/dev/closed-book/"
QUERY = "benchmark=facts&split=dev&setting=closed-book"


def weighted_files(weights: Sequence[float], split: str) -> dict[str, bytes]:
    files = graded_site.files(METRICS)
    rows = [json.loads(line) for line in files[f"questions/{split}.jsonl"].splitlines()]
    for row, weight in zip(rows, weights, strict=True):
        row["weight"] = weight
    return files | {f"questions/{split}.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows).encode()}


@pytest.fixture
def server(settings: Any) -> Iterator[JudgeServer]:
    with JudgeServer() as running:
        judged_by(settings, running)
        yield running


@pytest.fixture
def published(server: JudgeServer) -> dict[str, np.ndarray]:
    """Two systems that answer 20 questions rightly: one of them the heavy ones. By system, which."""
    made = import_declaration(read_declaration(weighted_files(WEIGHTS.tolist(), "dev"))).benchmark
    outcomes = {"Heavy": np.arange(40) < 20, "Light": np.arange(40) >= 20}
    for name, right in outcomes.items():
        owner = factories.user(name.lower())
        texts = [town if is_right else "Atlantis" for town, is_right in zip(graded_site.TOWNS, right, strict=True)]
        given = {f"dev-{n}": text for n, text in enumerate(texts)}
        sent = factories.submission(owner, factories.split(made, "dev"), {"closed-book": given}, name=name)
        factories.score(sent)
        publish_submission(sent, actor=owner)
    boards.refresh()
    return {name: right.astype(float) for name, right in outcomes.items()}


def test_a_board_shows_weighted_means_with_their_intervals_and_ranks(
    published: dict[str, np.ndarray], client: Client
) -> None:
    document = client.get(f"{BOARD}export.json?columns=all").json()
    cells = {row["system"]: row["cells"] for row in document["rows"]}
    for name, right in published.items():
        ends = weighted_mean_interval(right, WEIGHTS)
        for score in SCORES:
            cell = cells[name][score]
            assert cell["value"] == pytest.approx(np.average(right, weights=WEIGHTS)), score
            assert (cell["low"], cell["high"]) == pytest.approx((ends.low, ends.high)), score
    for score in SCORES:
        ranks = dict(Standing.objects.filter(name=score).values_list("entry__system__name", "rank"))
        assert ranks == {"Heavy": 1, "Light": 2}, "without weights they are equal"


def test_questions_show_what_is_right_and_not_what_statistics_make_of_it(
    published: dict[str, np.ndarray], client: Client
) -> None:
    vectors = {tuple(score.per_item) for score in Score.objects.filter(name__in=SCORES)}
    assert vectors == {tuple(right) for right in published.values()}
    questions = client.get(f"/api/v1/systems/heavy/questions/?{QUERY}").json()
    assert {question["scores"]["exact-match"] for question in questions} == {0, 1}


def test_categories_and_differences_are_of_weighted_means(published: dict[str, np.ndarray], client: Client) -> None:
    page = client.get(f"/compare/?system=heavy&system=light&{QUERY}&score=exact-match")
    comparison = page.context["comparison"]
    [difference] = comparison.current.differences.differences
    means = {name: np.average(right, weights=WEIGHTS) for name, right in published.items()}
    assert difference.value == pytest.approx(means["Heavy"] - means["Light"])
    assert difference.low < difference.value < difference.high
    of_even = WEIGHTS[::2]
    [even] = [row for row in comparison.categories if row.name == "even"]
    assert even.values[0].value == pytest.approx(np.average(published["Heavy"][::2], weights=of_even))
    assert even.differences[0].value == pytest.approx(
        np.average(published["Heavy"][::2] - published["Light"][::2], weights=of_even)
    )
    assert client.get(f"/systems/heavy/?{QUERY}").status_code == 200


def test_the_data_card_says_what_questions_count(published: dict[str, np.ndarray], client: Client) -> None:
    assert set(Question.objects.filter(qid__startswith="dev-").values_list("weight", flat=True)) == {1.0, 5.0}
    page = client.get(reverse("data-card", args=["facts"]))
    contents = {split["slug"]: split["contents"] for split in page.context["splits"]}
    assert contents["dev"].weights == (1, 5)
    assert contents["test"].weights is None


@pytest.mark.parametrize("weight", [8, 1.5])
def test_weights_that_tell_which_hidden_answers_are_right_are_refused(weight: float) -> None:
    with pytest.raises(SourceError) as refused:
        read_declaration(weighted_files([1.0] * 39 + [weight], "test"))
    [problem] = refused.value.problems
    assert problem.startswith("questions/test.jsonl: line 40: weight: ")
    assert "1 to 5" in problem
