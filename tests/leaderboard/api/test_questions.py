"""Scores and answers of single questions, and comparisons, through the API."""

import re
from typing import Any

import numpy as np
import pytest
from django.test import Client

import manyhop
from leaderboard.models import Entry, User
from leaderboard.systems.comparison.page import comparison_for
from leaderboard.systems.comparison.types import ComparisonParams
from scoring.models import Benchmark, Score
from tests import boards, factories

pytestmark = pytest.mark.django_db

QUERY = {"split": "dev", "setting": "openbook", "benchmark": "fanoutqa"}
URL = "/api/v1/systems/example-system/questions/"


@pytest.fixture
def entry(made: Benchmark, ada: User) -> Entry:
    answers = {**factories.perfect(), "dev-1": "nothing of it"}
    del answers["dev-3"]
    sent = factories.published(ada, factories.split(made, "dev"), {"openbook": answers}, name="Example system")
    return Entry.objects.get(submission=sent)


def stored(entry: Entry, name: str) -> list[float]:
    return [float(value) for value in Score.objects.get(run__answer_set=entry.answer_set, name=name).per_item]


def test_each_question_has_the_scores_that_the_boards_means_are_made_of(client: Client, entry: Entry) -> None:
    rows = client.get(URL, QUERY).json()
    assert [row["question_id"] for row in rows] == ["dev-0", "dev-1", "dev-2", "dev-3"]
    assert [row["answered"] for row in rows] == [True, True, True, False]
    for name in ("loose", "strict", "rouge1.fscore"):
        assert [row["scores"][name] for row in rows] == stored(entry, name)
    (result,) = client.get("/api/v1/systems/example-system/scores/").json()
    means = {score["score"]: score["value"] for score in result["scores"] if score["score"] in rows[0]["scores"]}
    assert {"loose", "strict"} <= set(means)
    assert means == pytest.approx({name: np.mean([row["scores"][name] for row in rows]) for name in means})


def test_pages_have_the_same_rows(client: Client, entry: Entry) -> None:
    first = client.get(URL, QUERY | {"page_size": 3})
    following = first["Link"].partition("<")[2].partition(">")[0]
    assert first.json() + client.get(following).json() == client.get(URL, QUERY).json()


def test_the_number_of_queries_does_not_grow(client: Client, entry: Entry, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(14):
        assert len(client.get(URL, QUERY | {"page_size": 2}).json()) == 2
    with django_assert_max_num_queries(14):
        assert len(client.get(URL, QUERY).json()) == 4


@pytest.mark.parametrize("door", ["questions", "answers"])
def test_a_hidden_split_has_none_not_even_for_its_owner(
    door: str, client: Client, roomy: Benchmark, ada: User, token: dict[str, str]
) -> None:
    answers = factories.perfect("test", 12)
    sent = factories.published(ada, factories.split(roomy, "test"), {"openbook": answers}, name="Example system")
    query = QUERY | {"split": "test"}
    url = f"/api/v1/systems/example-system/{door}/"
    assert client.get("/api/v1/systems/example-system/", headers=token).status_code == 200
    assert client.get(url, query, headers=token).status_code == 404
    assert client.get(url, query).status_code == 404
    own = f"/api/v1/submissions/{sent.pk}/questions/"
    assert client.get(own, {"setting": "openbook"}, headers=token).status_code == 404


def test_ones_own_before_publication(client: Client, made: Benchmark, ada: User, token: dict[str, str]) -> None:
    sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    url = f"/api/v1/submissions/{sent.pk}/questions/"
    rows = client.get(url, {"setting": "openbook"}, headers=token).json()
    assert [row["scores"]["strict"] for row in rows] == [1.0] * 4
    assert client.get(url, {"setting": "closedbook"}, headers=token).status_code == 404
    assert client.get(url, {"setting": "openbook"}).status_code == 401
    stranger = factories.user("eve")
    client.force_login(stranger)
    assert client.get(url, {"setting": "openbook"}).status_code == 404


def test_answers_are_for_those_who_may_read_them(client: Client, entry: Entry, token: dict[str, str]) -> None:
    url = "/api/v1/systems/example-system/answers/"
    rows = client.get(url, QUERY, headers=token).json()
    assert {row["question_id"] for row in rows} == {"dev-0", "dev-1", "dev-2"}
    answer = {"question_id": "dev-1", "answer": "nothing of it", "attempts": ["nothing of it"], "citations": []}
    assert rows[1] == answer
    assert client.get(url, QUERY).status_code == 404
    Entry.objects.filter(pk=entry.pk).update(shows_answers=True)
    assert client.get(url, QUERY).json() == rows


def test_answers_have_pages(client: Client, entry: Entry, token: dict[str, str]) -> None:
    def page(url: str, **query: Any) -> tuple[list[str], dict[str, str]]:
        response = client.get(url, query or None, headers=token)
        links = dict(re.findall(r'<http://testserver([^>]*)>; rel="(\w+)"', response.get("Link", "")))
        return [row["question_id"] for row in response.json()], {name: address for address, name in links.items()}

    url = "/api/v1/systems/example-system/answers/"
    first, links = page(url, **QUERY, page_size=2)
    assert (first, set(links)) == (["dev-0", "dev-1"], {"next"})
    second, others = page(links["next"])
    assert (second, set(others)) == (["dev-2"], {"prev"})
    back, names = page(others["prev"])
    assert (back, set(names)) == (first, {"next"})  # the addresses differ in the time of their signature
    assert client.get(url, {**QUERY, "cursor": "made-up"}, headers=token).status_code == 400


# Comparisons ----------------------------------------------------------------------------------------------------------


def test_a_comparison_has_the_numbers_of_the_page(client: Client, roomy: Benchmark) -> None:
    boards.fill(factories.split(roomy, "dev"), factories.setting(roomy), 3)
    slugs = list(Entry.objects.order_by("pk").values_list("system__slug", flat=True))
    document = client.get("/api/v1/comparison/", {"system": slugs, **QUERY}).json()
    assert [system["system"] for system in document["systems"]] == slugs
    page = comparison_for(ComparisonParams(tuple(slugs), **QUERY))
    assert page is not None
    for section, score in zip(page.sections, document["scores"], strict=True):
        assert score["score"] == section.column.key
        assert [pair["p_value"] for pair in score["differences"]] == [
            difference.p_value for difference in section.differences.differences
        ]
        assert [value["value"] for value in score["values"]] == [value.value for value in section.values if value]
    pairs = [(pair["system"], pair["other"]) for pair in document["scores"][0]["differences"]]
    refused = [tuple(pair["systems"]) for pair in document["scores"][0]["not_compared"]]
    assert len(pairs) + len(refused) == 3


def test_the_test_can_be_repeated_from_the_scores_of_questions_to_the_last_digit(client: Client, db: None) -> None:
    benchmark = factories.benchmark(n_dev=30)
    boards.fill(factories.split(benchmark, "dev"), factories.setting(benchmark), 3)
    slugs = list(Entry.objects.order_by("pk").values_list("system__slug", flat=True))
    vectors = [
        [row["scores"]["loose"] for row in client.get(f"/api/v1/systems/{slug}/questions/", QUERY).json()]
        for slug in slugs
    ]
    scores = client.get("/api/v1/comparison/", {"system": slugs, **QUERY}).json()["scores"]
    pairs = next(score["differences"] for score in scores if score["score"] == "loose")
    places = [(slugs.index(pair["system"]), slugs.index(pair["other"])) for pair in pairs]
    assert len(places) == 3
    own = manyhop.paired_differences(np.array(vectors), places)
    assert own.p_value.tolist() == [pair["p_value"] for pair in pairs]
    assert own.interval.low.tolist() == [pair["low"] for pair in pairs]
    assert manyhop.holm(own.p_value).tolist() == [pair["corrected"] for pair in pairs]


def test_a_system_that_cannot_be_compared_has_a_reason(client: Client, entry: Entry) -> None:
    query = {"system": ["example-system", "nobody"], **QUERY}
    systems = client.get("/api/v1/comparison/", query).json()["systems"]
    assert [bool(system["reason"]) for system in systems] == [False, True]


@pytest.mark.parametrize("systems", [[], ["example-system"], [f"s{number}" for number in range(7)]])
def test_another_number_of_systems_is_refused(systems: list[str], client: Client, entry: Entry) -> None:
    assert client.get("/api/v1/comparison/", {"system": systems}).status_code == 400


def test_an_unknown_board_is_not_another_one(client: Client, entry: Entry) -> None:
    query = {"system": ["example-system", "b"], "split": "dev", "setting": "nowhere", "benchmark": "fanoutqa"}
    assert client.get("/api/v1/comparison/", query).status_code == 404
