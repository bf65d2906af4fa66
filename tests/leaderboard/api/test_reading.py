"""Reading benchmarks, questions, systems, scores and boards: the numbers of the pages, and no more."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.models import Entry, EntryKind, ReportedValue, System, User
from leaderboard.submissions import services
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, CurrentSignature, Question, Score
from tests import boards, factories

pytestmark = pytest.mark.django_db
BENCHMARK = "/api/v1/benchmarks/fanoutqa/"


class TestBenchmarks:
    def test_what_a_benchmark_declares(self, client: Client, made: Benchmark) -> None:
        assert [line["slug"] for line in client.get("/api/v1/benchmarks/").json()] == [made.slug]
        body = client.get(BENCHMARK).json()
        definition = definition_of(made.slug)
        assert [split["slug"] for split in body["splits"]] == [split.slug for split in definition.splits]
        assert [split["n_questions"] for split in body["splits"]] == [4, 4]
        assert [column["score"] for column in body["columns"]] == [column.score for column in definition.columns]
        assert [setting["slug"] for setting in body["settings"]] == [one.slug for one in definition.settings]
        assert body["settings"] == client.get(f"{BENCHMARK}settings/").json()
        assert (body["default_split"], body["default_sort"]) == (definition.default_split, definition.default_sort)
        assert body["splits"][0]["url"] == f"http://testserver{BENCHMARK}splits/dev/"
        assert body["remove_reasoning"] is False

    def test_a_split_tells_every_revision(self, client: Client, made: Benchmark) -> None:
        dev = factories.split(made, "dev")
        first = dev.current_revision
        assert first is not None
        factories.revise(dev, factories.source_questions("dev", 5, overrides={0: "another answer"}))
        dev.refresh_from_db()
        assert dev.current_revision is not None
        body = client.get(f"{BENCHMARK}splits/dev/").json()
        assert body["revision"] == dev.current_revision.short_hash
        assert [(one["id"], one["n_questions"], one["current"]) for one in body["revisions"]] == [
            (dev.current_revision.short_hash, 5, True),
            (first.short_hash, 4, False),
        ]
        assert body["revisions"][0]["content_hash"] == dev.current_revision.content_hash
        assert f"|data:dev@{dev.current_revision.short_hash}" in body["signatures"]["accuracy"]
        assert (body["hidden"], client.get(f"{BENCHMARK}splits/test/").json()["hidden"]) == (False, True)

    @pytest.mark.parametrize("path", ["splits/none/", "splits/none/questions/", "../none/", "../none/settings/"])
    def test_what_is_not_there(self, client: Client, made: Benchmark, path: str) -> None:
        response = client.get(f"{BENCHMARK}{path}".replace("fanoutqa/../", ""))
        assert response.status_code == 404
        assert response["Content-Type"] == "application/problem+json"

    def test_the_number_of_queries_does_not_grow(
        self, client: Client, made: Benchmark, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        dev = factories.split(made, "dev")
        for n in (5, 6, 7):
            factories.revise(dev, factories.source_questions("dev", n))
        for path, n in {"": 3, "settings/": 2, "splits/dev/": 3, "splits/dev/questions/": 2}.items():
            with django_assert_num_queries(n):
                assert client.get(f"{BENCHMARK}{path}").status_code == 200


class TestQuestions:
    def test_of_dev_with_their_steps_but_without_any_answer(self, client: Client, made: Benchmark) -> None:
        questions = client.get(f"{BENCHMARK}splits/dev/questions/").json()
        assert [question["id"] for question in questions] == [f"dev-{n}" for n in range(4)]
        assert questions[0]["text"] == "What is the capital of Norway (0)?"
        assert questions[0]["categories"] == ["Geography", "Politics"]
        assert questions[0]["evidence"][0]["title"] == "Norway"
        assert questions[0]["decomposition"][0]["question"] == "Which city rules Norway?"
        text = repr(questions)
        assert not any(capital in text for capital in factories.CAPITALS.values())
        assert "answer" not in text

    def test_of_a_hidden_split_without_their_steps_even_if_some_were_kept(
        self, client: Client, made: Benchmark
    ) -> None:
        Question.objects.filter(qid="test-0").update(decomposition=[{"question": "Which city rules Norway?"}])
        questions = client.get(f"{BENCHMARK}splits/test/questions/").json()
        assert [question["decomposition"] for question in questions] == [[], [], [], []]
        assert questions[0]["text"]


class TestSystems:
    @pytest.fixture
    def dev_row(self, made: Benchmark, ada: User) -> None:
        factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=2)})

    def test_only_systems_on_a_board_are_listed(
        self, client: Client, made: Benchmark, ada: User, dev_row: None
    ) -> None:
        hidden = factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="Gone")
        services.withdraw_submission(hidden, actor=ada)
        factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="Private")
        assert [line["slug"] for line in client.get("/api/v1/systems/").json()] == ["example-system"]
        for path in ("gone/", "gone/scores/", "private/", "none/scores/"):
            assert client.get(f"/api/v1/systems/{path}").status_code == 404

    @pytest.mark.postgres  # SQLite ignores the case of ASCII only
    def test_systems_are_searched_and_filtered_by_type(self, client: Client, roomy: Benchmark) -> None:
        boards.fill(factories.split(roomy, "test"), factories.setting(roomy), 12)
        System.objects.filter(slug="system-7").update(authors="Zoë Żółw", name="Turtle 7B")

        def found(query: str) -> list[str]:
            return [line["slug"] for line in client.get(f"/api/v1/systems/?{query}").json()]

        assert found("q=żółw 7b") == found("q=turtle") == ["system-7"]
        assert found("q=nobody") == []
        assert len(found("type=PROMPT")) == 3
        assert len(found("type=PROMPT&type=OTHER")) == 6
        assert found("q=%25") == []

    @pytest.mark.parametrize("query", ["type=NONSENSE", "type=PROMPT&type=prompt"])
    def test_an_unknown_type_is_refused(self, client: Client, made: Benchmark, query: str) -> None:
        response = client.get(f"/api/v1/systems/?{query}")
        assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
        assert response.json()["detail"].startswith("type ")
        assert client.get("/api/v1/systems/?type=PROMPT&type=OTHER").status_code == 200

    def test_a_system_is_shown_with_its_boards(self, client: Client, dev_row: None) -> None:
        body = client.get("/api/v1/systems/example-system/").json()
        assert (body["name"], body["page"], body["context_size"]) == (
            "Example system",
            "/systems/example-system/",
            8192,
        )
        assert [(one["benchmark"], one["split"], one["setting"], one["kind"]) for one in body["boards"]] == [
            ("fanoutqa", "dev", "openbook", "scored")
        ]

    def test_scores_under_every_signature_with_intervals(self, client: Client, made: Benchmark, dev_row: None) -> None:
        loose = Score.objects.get(name="loose")
        Score.objects.filter(pk=loose.pk).update(low=0.1, high=0.9)
        (result,) = client.get("/api/v1/systems/example-system/scores/").json()
        scores = {score["score"]: score for score in result["scores"]}
        assert scores["loose"] == {
            "score": "loose",
            "metric": "accuracy",
            "value": loose.value,
            "low": 0.1,
            "high": 0.9,
            "reason": "",
            "signature": loose.signature,
            "shown": True,
            "revision": factories.split(made, "dev").current_revision.short_hash,  # type: ignore[union-attr]
            "n_items": 4,
            "scored_at": scores["loose"]["scored_at"],
        }
        CurrentSignature.objects.filter(metric="accuracy").update(signature="accuracy|another")
        (result,) = client.get("/api/v1/systems/example-system/scores/").json()
        shown = {score["score"]: score["shown"] for score in result["scores"]}
        assert (shown["loose"], shown["strict"], shown["rouge1.fscore"]) == (False, False, True)
        assert [score["shown"] for score in result["scores"]] == sorted(shown.values(), reverse=True)

    def test_reported_numbers_have_a_source_and_no_signature(self, client: Client, made: Benchmark) -> None:
        system = System.objects.create(slug="paper", name="Paper", authors="A")
        entry = Entry.objects.create(
            system=system,
            split=factories.split(made, "test"),
            setting=factories.setting(made),
            kind=EntryKind.REPORTED,
            source="Table 2",
        )
        ReportedValue.objects.create(entry=entry, name="loose", value=0.25)
        (result,) = client.get("/api/v1/systems/paper/scores/").json()
        (score,) = result["scores"]
        assert (result["kind"], result["published_in"]) == ("reported", "Table 2")
        assert (score["value"], score["low"], score["signature"], score["shown"]) == (0.25, None, "", True)

    def test_the_number_of_queries_does_not_grow(
        self, client: Client, roomy: Benchmark, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        test = factories.split(roomy, "test")
        for setting in roomy.settings.filter(accepts_submissions=True):
            boards.fill(test, setting, 30)
        for path, n in {"": 1, "system-3/": 3, "system-3/scores/": 6}.items():
            with django_assert_num_queries(n):
                assert client.get(f"/api/v1/systems/{path}").status_code == 200


class TestTheBoard:
    def test_rows_are_those_of_the_page_at_full_precision(
        self, client: Client, made: Benchmark, ada: User, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        factories.published(ada, factories.split(made, "dev"), {"openbook": factories.perfect(right=2)})
        body = client.get("/api/v1/board/?split=dev&sort=name").json()
        row = body["rows"][0]
        assert (row["rank"], row["name"], row["kind"]) == (1, "Example system", "scored")
        cells = {cell["score"]: cell for cell in row["scores"]}
        assert cells["rougeL.fscore"]["value"] == Score.objects.get(name="rougeL.fscore").value
        judge = cells["judge"]
        assert judge["reason"]
        assert (judge["value"], judge["low"], judge["rank"], judge["other_value"]) == (None, None, None, None)
        assert (judge["state"], judge["best"], judge["marked"]) == ("not_scored", False, False)
        assert body["signatures"]["accuracy"] == Score.objects.get(name="loose").signature
        assert (body["split"], body["setting"], body["sort"]) == ("dev", "openbook", "name")

    def test_every_row_and_every_column_at_once_unless_told_otherwise(self, client: Client, roomy: Benchmark) -> None:
        boards.fill(factories.split(roomy, "test"), factories.setting(roomy), 130)
        body = client.get("/api/v1/board/").json()
        columns = [column.key for column in definition_of(roomy.slug).columns]
        assert len(body["rows"]) == body["n_total"] == 130
        assert [cell["score"] for cell in body["rows"][0]["scores"]] == columns
        body = client.get("/api/v1/board/?columns=loose,judge&type=PROMPT&sort=-judge").json()
        assert {cell["score"] for row in body["rows"] for cell in row["scores"]} == {"loose", "judge"}
        assert {row["type"] for row in body["rows"]} == {"PROMPT"}
        assert body["n_matching"] == len(body["rows"]) < 130
        values = [cell["value"] for row in body["rows"] for cell in row["scores"] if cell["score"] == "judge"]
        known = [value for value in values if value is not None]
        assert values == sorted(known, reverse=True) + [None] * (len(values) - len(known))
        default = client.get("/api/v1/board/?columns=default").json()["rows"][0]["scores"]
        assert [cell["score"] for cell in default] == [
            column.key for column in definition_of(roomy.slug).default_columns
        ]

    def test_pages_and_fields_make_it_smaller(self, client: Client, roomy: Benchmark) -> None:
        boards.fill(factories.split(roomy, "test"), factories.setting(roomy), 30)
        whole = client.get("/api/v1/board/").json()
        address, slugs, pages = "/api/v1/board/?page_size=12&fields=system,rank", [], []
        while address:
            response = client.get(address)
            pages.append(response.json())
            rows = pages[-1]["rows"] + pages[-1]["apart_rows"]
            assert all(set(row) == {"system", "rank"} for row in rows + pages[-1]["pinned_rows"])
            slugs += [row["system"] for row in rows]
            following = re.search(r'<([^>]+)>; rel="next"', response.headers.get("Link", ""))
            address = following[1] if following else ""
        assert [len(page["rows"]) for page in pages] == [12, 12, 6]
        assert slugs == [row["system"] for row in whole["rows"] + whole["apart_rows"]]
        assert {page["n_matching"] for page in pages} == {30}
        previous = client.get("/api/v1/board/?page_size=12&page=3")["Link"]
        assert "page=2" in previous
        assert "next" not in previous
        for wrong in ("page_size=0", "page_size=501", "fields=name,scroes"):
            problem = client.get(f"/api/v1/board/?{wrong}")
            assert problem.status_code == 400, wrong
        assert "scroes" in problem.content.decode()

    def test_intervals_ranges_and_marks_are_told(self, client: Client, roomy: Benchmark) -> None:
        test, setting = factories.split(roomy, "test"), factories.setting(roomy)
        boards.fill(test, setting, 6)
        standings.refresh(test, setting)
        body = client.get("/api/v1/board/").json()
        assert body["statistics_at"]
        assert not body["statistics_stale"]
        for row in body["rows"]:
            cell = next(one for one in row["scores"] if one["score"] == "loose")
            assert cell["low"] <= cell["value"] <= cell["high"]
            assert row["best_rank"] <= row["rank"] <= row["worst_rank"]
            assert (row["best_rank"], row["worst_rank"]) == (cell["best_rank"], cell["worst_rank"])
            assert 0 <= cell["p_value"] <= 1
        assert body["rows"][0]["scores"][0]["marked"]

    def test_the_number_of_queries_does_not_grow(
        self, client: Client, roomy: Benchmark, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        made_with = []
        for n in (3, 60):
            boards.fill(factories.split(roomy, "test"), factories.setting(roomy), n, prefix=f"Of{n}")
            boards.write()
            with CaptureQueriesContext(connection) as queries:
                first = client.get("/api/v1/board/")
            made_with.append(len(queries))
            with django_assert_num_queries(6):  # which benchmark is the first, and where its board is
                assert client.get("/api/v1/board/").content == first.content
            with django_assert_num_queries(6):
                again = client.get("/api/v1/board/", headers={"If-None-Match": first["ETag"]})
            assert again.status_code == 304
        assert made_with == [7, 7]
