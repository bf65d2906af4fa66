"""The board: what stands on it, in which order, and at what cost."""

from typing import Any

import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.board.table import Board, BoardParams, hand_grades
from leaderboard.board.table.cells import NOT_IN_SOURCE, other_signature
from leaderboard.models import Entry, EntryKind, ReportedValue, Submission, System, User
from leaderboard.publishing import reported_rows, requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission, unpublish_submission
from leaderboard.publishing.systems import free_slug
from leaderboard.submissions import services
from scoring.benchmarks import definition_of, definitions
from scoring.importing.revisions import import_definition
from scoring.models import Benchmark, Revision, Run, Score, Split
from scoring.models.run_states import RunState
from tests import boards, factories
from tests.boards import board_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark()


def ask(**parameters: str | list[str]) -> BoardParams:
    query = QueryDict(mutable=True)
    for name, value in parameters.items():
        query.setlist(name, value if isinstance(value, list) else [value])
    return BoardParams.of(query, definition_of("fanoutqa"))


def the_board(made: Benchmark, sort: str = "", setting: str = "openbook", split: str = "dev") -> Board:
    return board_for(factories.split(made, split), factories.setting(made, setting), ask(sort=sort, kind="all"))


def names(board: Board) -> list[str]:
    return [row.name for row in board.rows]


def publish(made: Benchmark, name: str, right: int, **fields: Any) -> None:
    owner = User.objects.filter(username="ada").first() or factories.user()
    dev = factories.split(made, "dev")
    factories.published(owner, dev, {"openbook": factories.perfect(right=right)}, name=name, **fields)


def report(made: Benchmark, name: str, **values: float) -> Entry:
    entry = Entry.objects.create(
        system=System.objects.create(name=name, slug=free_slug(name), authors="B"),
        split=factories.split(made, "dev"),
        setting=factories.setting(made),
        kind=EntryKind.REPORTED,
        source="Table 1",
    )
    for score, value in values.items():
        ReportedValue.objects.create(entry=entry, name=score, value=value)
    return entry


class TestOrder:
    def test_highest_first_and_missing_values_last_in_both_directions(self, made: Benchmark) -> None:
        publish(made, "Half", 2)
        publish(made, "All", 4)
        report(made, "Reported middle", loose=0.7)
        report(made, "Reported nothing", strict=0.9)
        assert names(the_board(made)) == ["All", "Reported middle", "Half", "Reported nothing"]
        assert names(the_board(made, "loose")) == ["Half", "Reported middle", "All", "Reported nothing"]
        assert names(the_board(made, "-strict")) == ["All", "Reported nothing", "Half", "Reported middle"]

    def test_boards_sort_by_name_and_by_context_size(self, made: Benchmark) -> None:
        publish(made, "b", 1, context_size=10)
        publish(made, "A", 2, context_size=None)
        publish(made, "c", 3, context_size=2_000_000_000_000)
        assert names(the_board(made, "name")) == ["A", "b", "c"]
        assert names(the_board(made, "-name")) == ["c", "b", "A"]
        assert names(the_board(made, "context")) == ["b", "c", "A"]
        assert names(the_board(made, "-context")) == ["c", "b", "A"]


class TestRanks:
    def test_only_systems_scored_here_are_ranked(self, made: Benchmark) -> None:
        publish(made, "Half", 2)
        publish(made, "All", 4)
        report(made, "Reported", loose=0.99)
        ranks = {row.name: row.rank for row in the_board(made).rows}
        assert ranks == {"All": 1, "Reported": None, "Half": 2}

    def test_ties_share_a_rank_and_the_next_is_skipped(self, made: Benchmark) -> None:
        for name, right in (("One", 4), ("Two", 2), ("Also two", 2), ("Four", 1)):
            publish(made, name, right)
        rows = {row.name: (row.rank, row.tied) for row in the_board(made).rows}
        assert rows == {"One": (1, False), "Also two": (2, True), "Two": (2, True), "Four": (4, False)}

    def test_the_rank_follows_the_column_that_is_sorted_by(self, made: Benchmark) -> None:
        publish(made, "Long", 4)
        dev = factories.split(made, "dev")
        ada = User.objects.get(username="ada")
        short = {"dev-0": "Norway - Oslo", "dev-1": "nothing", "dev-2": "nothing", "dev-3": "nothing"}
        factories.published(ada, dev, {"openbook": short}, name="Short")
        by_loose = {row.name: row.rank for row in the_board(made).rows}
        by_rouge = [(row.rank, row.name) for row in the_board(made, "-rouge2.fscore").rows]
        assert by_loose == {"Long": 1, "Short": 2}
        assert by_rouge == [(1, "Short"), (2, "Long")]

    def test_scores_under_another_signature_stand_apart_and_are_never_ranked(self, made: Benchmark) -> None:
        publish(made, "Old", 4)
        publish(made, "New", 2)
        old_set = Entry.objects.get(system__name="Old").answer_set
        for run in Run.objects.filter(answer_set=old_set, state=RunState.DONE):
            signature = f"{run.metric}|of:before"
            Run.objects.filter(pk=run.pk).update(signature=signature)
            run.scores.update(signature=signature)
        board = the_board(made)
        assert [(row.name, row.rank) for row in board.rows] == [("New", 1)]
        (old,) = board.apart_rows
        assert (old.name, old.rank) == ("Old", None)
        assert (old.cells[0].value, old.cells[0].other_value, old.cells[0].best) == (None, 1.0, False)
        assert old.cells[0].reason == other_signature("accuracy|of:before")
        assert board.rows[0].cells[0].best


class TestCells:
    def test_reported_numbers_are_marked_and_a_dash_is_no_zero(self, made: Benchmark) -> None:
        report(made, "Reported", loose=0.5)
        cells = {cell.column.key: cell for cell in the_board(made).rows[0].cells}
        assert (cells["loose"].value, cells["loose"].state) == (0.5, "reported")
        assert (cells["strict"].value, cells["strict"].state) == (None, "not_scored")
        assert cells["strict"].reason == NOT_IN_SOURCE

    def test_the_best_is_marked_apart_among_scored_and_reported(self, made: Benchmark) -> None:
        publish(made, "Half", 2)
        publish(made, "All", 4)
        report(made, "Reported", loose=0.99)
        report(made, "Reported too", loose=0.2)
        best = {row.name: row.cells[0].best for row in the_board(made).rows}
        assert best == {"All": True, "Half": False, "Reported": True, "Reported too": False}


class TestPublishing:
    def test_a_newer_submission_of_the_same_system_replaces_its_row(self, made: Benchmark) -> None:
        publish(made, "System", 1)
        publish(made, "System", 3)
        assert [(row.name, row.rank) for row in the_board(made).rows] == [("System", 1)]
        assert Entry.objects.filter(replaced_at__isnull=False).count() == 1
        assert System.objects.filter(name="System").count() == 1

    def test_another_owner_with_the_same_name_gets_a_row_of_their_own(self, made: Benchmark) -> None:
        publish(made, "System", 1)
        eve = factories.user("eve")
        factories.published(eve, factories.split(made, "dev"), {"openbook": factories.perfect()}, name="System")
        assert sorted(System.objects.values_list("slug", flat=True)) == ["system", "system-2"]
        assert len(the_board(made).rows) == 2

    def test_unpublished_and_published_again(self, made: Benchmark) -> None:
        publish(made, "System", 1)
        sent = Submission.objects.get()
        unpublish_submission(sent, actor=sent.owner)
        assert the_board(made).empty
        publish_submission(sent, actor=sent.owner)
        assert names(the_board(made)) == ["System"]

    def test_withdrawn_leaves_the_board_for_good_and_is_kept(self, made: Benchmark) -> None:
        publish(made, "System", 1)
        sent = Submission.objects.get()
        services.withdraw_submission(sent, actor=sent.owner)
        assert the_board(made).empty
        with pytest.raises(SubmissionError, match="withdrawn"):
            publish_submission(sent, actor=sent.owner)
        assert Score.objects.exists()
        assert sent.files.get().original.size

    def test_what_is_not_scored_cannot_be_published(self, made: Benchmark) -> None:
        ada = factories.user()
        sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        with pytest.raises(SubmissionError, match=requests.STILL_SCORING):
            publish_submission(sent, actor=ada)
        Run.objects.update(state=RunState.FAILED)
        with pytest.raises(SubmissionError, match=requests.NO_SCORE):
            publish_submission(sent, actor=ada)


class TestTheReportedTables:
    @pytest.mark.slow
    def test_every_row_of_the_paper_stands_on_its_board(self) -> None:
        call_command("import_benchmark", "fanoutqa", verbosity=0)
        call_command("import_reported", "fanoutqa", verbosity=0)
        call_command("import_reported", "fanoutqa", verbosity=0)
        made = Benchmark.objects.get()
        board = the_board(made, split="test")
        assert [row.name for row in board.rows] == [
            "Claude 2.1", "GPT-4-turbo", "Mixtral-8x7B", "LLaMA 2 70B", "GPT-4", "GPT-3.5-turbo", "Mistral-7B",
        ]  # fmt: skip
        assert all(row.rank is None and row.kind == "reported" for row in board.rows)
        (by_hand,) = definition_of("fanoutqa").upper_bounds
        shown = [
            (row.name, row.pinned, {cell.column.key: cell.value for cell in row.cells}) for row in board.pinned_rows
        ]
        assert [(name, pinned, cells["loose"], cells["graded.loose"]) for name, pinned, cells in shown] == [
            ("Human", "human", 0.685, None), (by_hand, "upper-bound", None, 0.847),
        ]  # fmt: skip
        reasons = [[cell.reason for cell in row.cells if cell.column.key == "graded.loose"] for row in board.all_rows]
        assert reasons[:2] == [[NOT_IN_SOURCE], [""]]
        assert {reason for (reason,) in reasons[2:]} == {hand_grades.NOT_PEOPLE}
        assert board.pinned_rows[1].source.startswith("Section 4.5 of Zhu")
        assert board.rows[-1].cells[0].reason.startswith("Left out in the paper")
        assert {tab.url.split("/")[3]: tab.count for tab in board.setting_tabs} == {
            "closedbook": 7, "openbook": 7, "evidenceprovided": 7, "openbook-limited": 7,
            "evidenceprovided-limited": 7, "openbook-repeated": 3,
        }  # fmt: skip
        limited = the_board(made, split="test", setting="openbook-limited")
        assert {row.context_size for row in limited.rows} == {4096}

    def test_a_split_without_questions_has_a_tab_once_it_has_a_result(self, made: Benchmark) -> None:
        later = Split.objects.create(benchmark=made, slug="later", name="Later", position=9)
        assert [tab.label for tab in the_board(made).split_tabs] == ["Development", "Test"]
        assert [tab.label for tab in the_board(made, split="later").split_tabs] == ["Development", "Test", "Later"]
        entry = report(made, "Reported", loose=0.5)
        Entry.objects.filter(pk=entry.pk).update(split=later, setting=factories.setting(made, "closedbook"))
        assert [tab.label for tab in the_board(made).split_tabs] == ["Development", "Test", "Later"]

    def test_a_submitters_system_of_the_same_name_is_left_alone(self, made: Benchmark) -> None:
        publish(made, "GPT-4", 4, authors="Somebody else")
        results = definition_of("fanoutqa").published_results
        assert results is not None
        reported_rows.import_published(made, results)
        assert System.objects.get(slug="gpt-4").authors == "Somebody else"
        assert System.objects.get(slug="gpt-4-2").authors == "OpenAI"


class TestCost:
    def test_the_page_takes_few_queries_and_fewer_when_cached(
        self, made: Benchmark, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(5):
            publish(made, f"System {number}", number % 4)
        boards.write()
        with django_assert_num_queries(7):
            assert client.get("/fanoutqa/dev/openbook/").status_code == 200
        with django_assert_num_queries(5):
            assert client.get("/fanoutqa/dev/openbook/").status_code == 200


def test_the_board_of_a_split_without_questions_is_an_empty_page(client: Client) -> None:
    import_definition(next(iter(definitions().values())))
    assert client.get("/fanoutqa/test/openbook/").status_code == 200
    assert not Revision.objects.exists()
