"""The page that says what the numbers mean, and the columns that a board shows only when asked."""

import html
import re
from dataclasses import replace

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.board.table import BoardParams, SortKey
from leaderboard.board.table.types import ALL_COLUMNS
from leaderboard.models import User
from leaderboard.pages.definitions import definitions_page
from scoring.benchmarks import definitions
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import Benchmark, Run, Score, Split
from scoring.registry import METRICS
from tests import factories
from tests.boards import board_for

pytestmark = pytest.mark.django_db
FURTHER = ["rouge1.precision", "rouge1.recall"]
BOARD = "/fanoutqa/dev/openbook/"
MONEY = {"dev-0": "It costs 5 dollars; Oslo.", "dev-1": "Lima and 12%", "dev-2": "I do not know.", "dev-3": "3"}


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def priced(made: Benchmark) -> Split:
    """A split on which the right answers score 0, ½, 0 and 1."""
    questions = factories.source_questions("dev", overrides={0: "$5", 1: ["Lima", "12%"], 2: "Peru", 3: 3})
    factories.revise(factories.split(made, "dev"), questions, date=factories.DATE.replace(year=2025))
    return factories.split(made, "dev")


def publish(to: Split, name: str, answers: dict[str, str], owner: User, *settings: str) -> None:
    factories.published(owner, to, dict.fromkeys(settings or ("openbook",), answers), name=name)


class TestEveryMetricIsExplained:
    def test_in_words_with_all_its_columns(self) -> None:
        for definition in definitions().values():
            assert set(definition.explanations) == set(definition.metrics) <= set(METRICS)
            for explanation in definition.explanations.values():
                assert explanation.measures
                assert explanation.formula
                assert len(explanation.surprises) > 1
            keys = [column.key for column in definition.columns]
            assert all(key in keys for pair in definition.compared for key in pair)
            assert definition.default_sort in {column.key for column in definition.default_columns}

    def test_the_scores_of_a_copy_that_it_names_are_those_of_the_docstring(self) -> None:
        definition = definitions()["fanoutqa"]
        said = " ".join(definition.explanations["accuracy"].surprises)
        measured = re.findall(r"0\.9\d{3}", StringAccuracy.__doc__ or "")
        assert [f"{float(number):.3f}" for number in measured[-2:]] == re.findall(r"0\.9\d\d", said)

    def test_the_page_shows_them_with_the_signatures_in_force(self, made: Benchmark, client: Client) -> None:
        page = html.unescape(client.get("/definitions/").content.decode())
        text = re.sub(r"<wbr>|\s+", lambda match: "" if match[0] == "<wbr>" else " ", page)
        definition = definitions()["fanoutqa"]
        for name in definition.metrics:
            explanation = definition.explanations[name]
            assert f'id="fanoutqa-{name}"' in text
            assert METRICS[name].label in text
            assert explanation.measures in text
            for surprise in explanation.surprises:
                assert surprise in text
        revision = factories.split(made, "test").current_revision
        assert revision is not None
        assert StringAccuracy("lookup").signature(f"test@{revision.short_hash}") in text
        assert re.findall(r'data-unavailable="([^"]*)"', text) == ["bleurt", "judge"]
        assert "JUDGE_" not in text


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark compares its two accuracies."""
    pair = replace(definitions()["fanoutqa"], compared=(("loose", "strict"),))
    monkeypatch.setattr("leaderboard.pages.definitions.definition_of", lambda slug: pair)


@pytest.mark.usefixtures("compared")
class TestMovements:
    def test_compared_columns_equal_numbers_computed_by_hand(self, priced: Split) -> None:
        ada = factories.user()
        publish(priced, "Priced", MONEY, ada)
        publish(priced, "Plain", {"dev-1": "Lima", "dev-2": "Peru", "dev-3": "3"}, ada)
        (page,) = definitions_page()
        (table,) = page["tables"]
        assert [column.key for column in page["compared"]] == ["loose"]
        assert (table["setting"], table["split"], table["url"]) == ("Open book", "Development", f"{BOARD}?columns=all")
        assert [system.name for system, _ in table["systems"]] == ["Plain", "Priced"]
        plain, priced_system = (movements for _, movements in table["systems"])
        assert [(published, repaired) for _, published, repaired, _ in plain] == [(2.5 / 4, 2 / 4)]
        assert [difference for *_, difference in plain] == [-0.5 / 4]
        assert [(published, repaired) for _, published, repaired, _ in priced_system] == [(1.5 / 4, 1 / 4)]
        assert [difference for *_, difference in priced_system] == [-0.5 / 4]

    def test_the_page_shows_them_in_order_of_settings_and_splits(self, priced: Split, client: Client) -> None:
        ada = factories.user()
        publish(priced, "Priced", MONEY, ada, "openbook", "closedbook")
        publish(factories.split(priced.benchmark, "test"), "Elsewhere", factories.perfect("test"), ada)
        page = client.get("/definitions/").content.decode()
        assert "−0.125" in page
        tables = [(table["split"], table["setting"]) for table in definitions_page()[0]["tables"]]
        assert tables == [("Development", "Closed book"), ("Development", "Open book"), ("Test", "Open book")]

    def test_only_what_is_on_a_board_and_under_the_signatures_in_force(self, priced: Split) -> None:
        ada = factories.user()
        factories.scored(ada, priced, {"openbook": MONEY}, name="Private")
        publish(priced, "Old", MONEY, ada)
        publish(priced, "Shown", MONEY, ada)
        old = Run.objects.get(answer_set__board_entry__system__name="Old", metric="accuracy")
        old.scores.update(signature="accuracy|of:before")
        (page,) = definitions_page()
        assert [system.name for table in page["tables"] for system, _ in table["systems"]] == ["Shown"]

    @pytest.mark.slow
    def test_a_constant_number_of_queries(
        self, priced: Split, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        ada = factories.user()
        publish(priced, "First", MONEY, ada)
        for count in (0, 4):
            for number in range(count):
                publish(priced, f"System {number}", MONEY, ada, "openbook", "closedbook")
            with django_assert_num_queries(5):
                definitions_page()
        with django_assert_num_queries(6):
            assert client.get("/definitions/").status_code == 200


class TestColumns:
    def keys(self, page: str) -> list[str]:
        return re.findall(r'id="sort-([\w.]+)"', page)

    def link(self, page: str) -> tuple[str, str]:
        found = re.search(r'id="other-columns"\s+href="([^"]*)"\s+hx-get="([^"]*)".*?>([^<]*)</a>', page, re.DOTALL)
        assert found is not None
        assert found[1] == found[2]
        return html.unescape(found[1]), found[3]

    def test_a_board_shows_those_of_the_first_choice_and_all_when_asked(self, made: Benchmark, client: Client) -> None:
        publish(factories.split(made, "dev"), "System", factories.perfect(), factories.user())
        page = client.get(BOARD).content.decode()
        assert not set(FURTHER) & set(self.keys(page))
        address, label = self.link(page)
        assert (address, label) == (f"{BOARD}?columns=all", "Show all columns")
        page = client.get(address).content.decode()
        assert set(FURTHER) < set(self.keys(page))
        assert ALL_COLUMNS in page
        assert self.link(page) == (BOARD, "Show fewer columns")

    def test_a_board_sorted_by_a_further_column_shows_it(self, priced: Split, client: Client) -> None:
        ada = factories.user()
        publish(priced, "Plain", {"dev-1": "Lima", "dev-2": "Peru", "dev-3": "3"}, ada)
        publish(priced, "Priced", MONEY, ada)
        board = board_for(
            priced,
            factories.setting(priced.benchmark),
            BoardParams(sort=(SortKey("rouge1.precision", descending=True),)),
        )
        assert "rouge1.precision" in [column.key for column in board.columns]
        assert [(row.name, row.rank) for row in board.rows] == [("Plain", 1), ("Priced", 2)]
        page = client.get(f"{BOARD}?sort=-rouge1.precision").content.decode()
        assert set(FURTHER) & set(self.keys(page)) == {"rouge1.precision"}
        assert self.link(page) == (f"{BOARD}?sort=-rouge1.precision&columns=all", "Show all columns")

    def test_the_api_has_all_and_a_systems_page_those_of_the_first_choice(
        self, made: Benchmark, client: Client
    ) -> None:
        publish(factories.split(made, "dev"), "System", factories.perfect(), factories.user())
        answer = client.get("/api/v1/board/", {"split": "dev", "setting": "openbook"}).json()
        scores = {score["score"]: score["value"] for score in answer["rows"][0]["scores"]}
        assert scores["rouge1.recall"] == Score.objects.get(name="rouge1.recall").value == 1.0
        page = client.get("/systems/system/").content.decode()
        assert "ROUGE-1 recall" not in page
        assert "Loose accuracy" in page
