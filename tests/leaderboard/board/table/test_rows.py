"""Filters, orders of several keys, pages, pinned rows and statistics: what stands on a board that is asked for."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import Client

from leaderboard.board import standings
from leaderboard.board.document import Detectable
from leaderboard.board.table import PAGE_ROWS, Board, BoardParams
from leaderboard.disclosure import rounded_down, rounded_up
from leaderboard.models import BoardStatistics, Entry, EntryKind, ReportedValue, Standing, System
from leaderboard.publishing.systems import free_slug
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, Score, Setting, Split
from scoring.statistics import detectable_difference, rank_statistics
from tests import boards, factories
from tests.boards import board_for

pytestmark = pytest.mark.django_db
BOARD = "/fanoutqa/dev/openbook/"


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_dev=24)


@pytest.fixture
def dev(made: Benchmark) -> Split:
    return factories.split(made, "dev")


@pytest.fixture
def openbook(made: Benchmark) -> Setting:
    return factories.setting(made)


def ask(text: str = "") -> BoardParams:
    return BoardParams.of(QueryDict(text), definition_of("fanoutqa"))


def legend_of(client: Client) -> list[str]:
    """The numbers of the sentence on what a board can tell apart, with the words that qualify them."""
    page = " ".join(client.get(BOARD).content.decode().split())
    found = re.search(r'id="detectable">(.*?)</p>', page)
    assert found
    return re.findall(r"(?:about |at least )?\.?\d+", found[1])


def names(board: Board) -> list[str]:
    return [row.name for row in board.rows]


def report(dev: Split, openbook: Setting, name: str, *, human: bool = False, **values: float) -> Entry:
    system = System.objects.create(name=name, slug=free_slug(name), authors="B. Author", is_human=human)
    entry = Entry.objects.create(
        system=system, split=dev, setting=openbook, kind=EntryKind.REPORTED, source="Table 1 of a paper"
    )
    for score, value in values.items():
        ReportedValue.objects.create(entry=entry, name=score, value=value)
    return entry


class TestFilters:
    @pytest.fixture(autouse=True)
    def _rows(self, dev: Split, openbook: Setting) -> None:
        boards.fill(dev, openbook, 8)
        report(dev, openbook, "Reported one", loose=0.5)
        System.objects.filter(name="System 3").update(authors="Émilie du Châtelet", citation="Châtelet, 1740")

    def shown(self, dev: Split, openbook: Setting, text: str) -> set[str]:
        board = board_for(dev, openbook, ask(text))
        assert board.n_matching == len(board.rows)
        assert board.n_total == 9
        return set(names(board))

    def test_filters_work_alone_and_together(self, dev: Split, openbook: Setting) -> None:
        of = {row.name: row for row in board_for(dev, openbook, ask("kind=all")).rows}
        assert self.shown(dev, openbook, "type=PROMPT") == {n for n, row in of.items() if row.type == "PROMPT"}
        wanted = {n for n, row in of.items() if row.context_size is not None and 8192 <= row.context_size <= 32768}
        assert self.shown(dev, openbook, "context_min=8192&context_max=32768") == wanted != set()
        for value, state in (("yes", True), ("no", False), ("unknown", None)):
            found = {n for n, row in of.items() if row.trained_for_function_calling is state}
            assert self.shown(dev, openbook, f"function_calling={value}") == found != set()
        assert self.shown(dev, openbook, "kind=reported") == {"Reported one"}
        assert self.shown(dev, openbook, "kind=scored&type=PROMPT&q=system") == self.shown(
            dev, openbook, "type=PROMPT"
        ) - {"Reported one"}

    def test_search_finds_every_word_in_name_authors_or_citation(self, dev: Split, openbook: Setting) -> None:
        assert self.shown(dev, openbook, "q=system+1740") == {"System 3"}
        assert self.shown(dev, openbook, "q=b.+AUTHOR") == {"Reported one"}
        assert self.shown(dev, openbook, "q=100%25") == set()
        assert self.shown(dev, openbook, "q=_") == set()
        assert self.shown(dev, openbook, "q='") == set()

    def test_ranks_are_of_the_whole_board(self, dev: Split, openbook: Setting) -> None:
        ranks = {row.name: row.rank for row in board_for(dev, openbook).rows}
        some = board_for(dev, openbook, ask("type=OTHER&type=PROMPT"))
        assert {row.name: row.rank for row in some.rows}.items() < ranks.items()
        assert [row.rank for row in some.rows if row.rank] != [1, 2, 3, 4][: len(some.rows)]

    def test_pinned_rows_stay(self, dev: Split, openbook: Setting) -> None:
        report(dev, openbook, "People", human=True, loose=0.9)
        board = board_for(dev, openbook, ask("q=nothing+of+that+name"))
        assert (names(board), board.n_matching) == ([], 0)
        assert [row.pinned for row in board.pinned_rows] == ["human"]

    def test_a_filter_can_be_taken_back_alone_or_with_all(self, dev: Split, openbook: Setting) -> None:
        board = board_for(dev, openbook, ask("sort=name&q=system&type=PROMPT&type=OTHER&context_min=5000"))
        drops = {label: drop_url.partition("?")[2] for label, drop_url in board.links.filters}
        assert drops["“system”"] == "sort=name&type=PROMPT&type=OTHER&context_min=5000"
        assert drops["Prompting method"] == "sort=name&q=system&type=OTHER&context_min=5000"
        assert drops["At least 5,000 tokens"] == "sort=name&q=system&type=PROMPT&type=OTHER"
        assert board.links.reset_url == f"{BOARD}?sort=name"


class TestOrder:
    def test_later_keys_order_what_earlier_ones_leave_equal(self, dev: Split, openbook: Setting) -> None:
        for name, loose, judge in (("a", 0.5, 0.1), ("b", 0.5, 0.3), ("c", 0.7, 0.2), ("d", 0.5, 0.3)):
            report(dev, openbook, name, loose=loose, judge=judge)
        report(dev, openbook, "no judge", loose=0.5)
        report(dev, openbook, "nothing", strict=0.1)

        def order(text: str) -> list[str]:
            return names(board_for(dev, openbook, ask(f"sort={text}")))

        assert order("-loose,-judge") == ["c", "b", "d", "a", "no judge", "nothing"]
        assert order("-loose,judge") == ["c", "a", "b", "d", "no judge", "nothing"]
        assert order("loose,-judge,-name") == ["d", "b", "a", "no judge", "c", "nothing"]
        assert order("judge,-name") == ["a", "c", "d", "b", "nothing", "no judge"]

    def test_every_key_has_its_links(self, dev: Split, openbook: Setting) -> None:
        board = board_for(dev, openbook, ask("sort=-loose,judge"))
        first, second = board.links.order
        assert (first["label"], first["direction"], first["turn_url"]) == (
            *("Loose accuracy", "descending"),
            f"{BOARD}?sort=loose,judge",
        )
        assert (second["turn_url"], second["drop_url"]) == (f"{BOARD}?sort=-loose,-judge", BOARD)
        columns = {column.key: column for column in board.columns}
        assert (columns["judge"].sort_place, columns["judge"].sorted) == (2, "ascending")
        assert columns["judge"].sort_url == f"{BOARD}?sort=-judge"
        assert columns["strict"].then_url == f"{BOARD}?sort=-loose,judge,-strict"
        assert {column.key for column in board.then_columns}.isdisjoint({"loose", "judge"})


class TestPages:
    @pytest.mark.slow
    def test_every_row_once_in_one_order_and_tied_rows_are_told(self, dev: Split, openbook: Setting) -> None:
        boards.fill(dev, openbook, 2 * PAGE_ROWS + 5)
        Score.objects.filter(name="loose", run__answer_set__board_entry__system__name__endswith="7").update(value=0.25)
        whole = board_for(dev, openbook, paged=False)
        assert len(whole.rows) == 2 * PAGE_ROWS + 5
        pages = [board_for(dev, openbook, ask(f"page={page}")) for page in (1, 2, 3)]
        assert [len(page.rows) for page in pages] == [PAGE_ROWS, PAGE_ROWS, 5]
        assert [row.name for page in pages for row in page.rows] == names(whole)
        assert [row.rank for page in pages for row in page.rows] == [row.rank for row in whole.rows]
        tied = [row for row in whole.rows if row.tied]
        assert {row.rank for row in tied} == {tied[0].rank}
        assert len(tied) == sum(row.name.endswith("7") for row in whole.rows)
        assert (pages[1].first_row, pages[1].last_row, pages[1].n_pages) == (51, 100, 3)
        assert pages[0].page_urls == {"next": f"{BOARD}?page=2", "last": f"{BOARD}?page=3"}
        assert pages[2].page_urls == {"first": BOARD, "previous": f"{BOARD}?page=2"}

    def test_a_page_that_is_not_there_is_the_last(self, dev: Split, openbook: Setting) -> None:
        boards.fill(dev, openbook, 3)
        assert len(board_for(dev, openbook, ask("page=99")).rows) == 3


class TestPinned:
    def test_people_and_their_bound_stand_first_and_are_not_ranked(self, dev: Split, openbook: Setting) -> None:
        boards.fill(dev, openbook, 3)
        (bound,) = definition_of("fanoutqa").upper_bounds
        report(dev, openbook, bound, human=True, loose=0.999)
        report(dev, openbook, "People", human=True, loose=0.6)
        board = board_for(dev, openbook)
        assert [(row.name, row.pinned, row.rank) for row in board.pinned_rows] == [
            ("People", "human", None), (bound, "upper-bound", None),
        ]  # fmt: skip
        assert (board.n_total, len(board.rows)) == (3, 3)
        assert [row.rank for row in board.rows] == [1, 2, 3]
        assert not any(cell.best or cell.marked for row in board.pinned_rows for cell in row.cells)


class TestStatistics:
    def test_what_is_stored_is_shown(self, dev: Split, openbook: Setting) -> None:
        boards.fill(dev, openbook, 6)
        report(dev, openbook, "Reported", loose=0.4)
        standings.refresh(dev, openbook)
        board = board_for(dev, openbook)
        assert not board.stored.content.statistics_stale
        assert board.stored.content.statistics_at == BoardStatistics.objects.get().computed_at
        for row in board.rows:
            cells = {cell.column.key: cell for cell in row.cells}
            if row.kind == EntryKind.REPORTED:
                assert {(c.low, c.high, c.rank, c.marked) for c in row.cells} == {(None, None, None, False)}
                continue
            stored = Score.objects.get(run__answer_set__board_entry=row.entry_id, name="loose")
            standing = Standing.objects.get(entry=row.entry_id, name="loose")
            loose = cells["loose"]
            assert (loose.value, loose.low, loose.high) == (stored.value, stored.low, stored.high)
            assert stored.low is not None
            assert (loose.rank, loose.best_rank, loose.worst_rank) == (row.rank, row.best_rank, row.worst_rank)
            assert (loose.rank, loose.marked, loose.p_value) == (standing.rank, standing.marked, standing.p_value)
        for index in range(len(board.columns)):
            column = [row.cells[index] for row in board.rows if row.kind == EntryKind.SCORED]
            assert any(cell.best and cell.marked for cell in column)

    def test_systems_are_shown_in_groups_of_statistical_ties(
        self, dev: Split, openbook: Setting, client: Client
    ) -> None:
        boards.fill(dev, openbook, 6)
        report(dev, openbook, "Reported", loose=0.4)
        standings.refresh(dev, openbook)
        ranked = Standing.objects.filter(name="loose").order_by("rank", "entry")
        groups = dict(zip(ranked.values_list("entry", flat=True), [1, 1, 2, 3, 3, 3], strict=True))
        for entry, group in groups.items():
            Standing.objects.filter(entry=entry, name="loose").update(tie_group=group)
        boards.write()
        board = board_for(dev, openbook, ask("groups=ties"))
        assert [row.tie_group for row in board.rows if row.rank] == [1, 1, 2, 3, 3, 3]
        assert [row.group_label for row in board.rows if row.group_label] == [
            "2 systems, statistically tied",
            "1 system",
            "3 systems, statistically tied",
        ]
        page = client.get(f"{BOARD}?groups=ties").content.decode()
        assert page.count('class="board__ties-head"') == 3
        assert f'href="{BOARD}"' in page.split('id="tie-groups"')[1][:200]
        assert '<input type="hidden" name="groups" value="ties" form="board-form">' in page
        assert "board__ties-head" not in client.get(BOARD).content.decode()
        assert board_for(dev, openbook, ask("groups=ties&sort=name")).groups_url == "", "not in the order of ranks"

    def test_a_board_says_what_it_can_tell_apart(self, dev: Split, openbook: Setting, client: Client) -> None:
        boards.fill(dev, openbook, 1)
        standings.refresh(dev, openbook)
        assert board_for(dev, openbook).detectable is None, "one system has no other to differ from"
        assert 'id="detectable"' not in client.get(BOARD).content.decode()
        boards.fill(dev, openbook, 3, prefix="Newcomer", seed=5)
        assert board_for(dev, openbook).detectable is None, "not computed yet"
        standings.refresh(dev, openbook)
        found = board_for(dev, openbook).detectable
        assert found is not None
        assert (found.n_questions, found.n_systems) == (24, 4)
        scores = Score.objects.filter(name="loose").order_by("pk")
        deviation = rank_statistics(np.stack([score.per_item for score in scores])).deviation
        assert deviation is not None
        assert found.difference == detectable_difference(deviation, 24)
        assert legend_of(client) == ["24", f"about .{100 * found.difference:02.0f}", "4", "5"]
        column = definition_of("fanoutqa").column("loose")
        board = SimpleNamespace(detectable=Detectable(2.08, 4, 2), ranked_by=column, columns=[column])
        impossible = render_to_string("leaderboard/board/_detectable.html", {"board": board}).partition(
            'id="detectable"'
        )[2]
        assert re.findall(r"\d+", impossible.partition("</p>")[0]) == ["4"], "no number above the range"

    def test_a_range_of_one_rank_is_one_number_for_people_and_two_fields_for_programs(
        self, dev: Split, openbook: Setting, client: Client
    ) -> None:
        entry = boards.fill(dev, openbook, 1)[0]
        standings.refresh(dev, openbook)
        boards.write()

        def text_of(address: str) -> str:
            return " ".join(client.get(address).content.decode().split())

        assert '<span class="visually-hidden">, 95 % rank range 1</span>' in text_of(BOARD)
        for address in (
            BOARD,
            f"{BOARD}pictures/",
            entry.system.get_absolute_url(),
            f"{BOARD}export.tex?uncertainty=1",
        ):
            assert "95" in text_of(address) and not re.search(r"\b1(–|--| to )1\b", text_of(address)), address
        assert r"\scriptsize [1]" in text_of(f"{BOARD}export.tex?uncertainty=1")
        row = client.get(f"{BOARD}export.json").json()["rows"][0]
        assert (row["best_rank"], row["worst_rank"]) == (1, 1)

    @pytest.mark.slow
    def test_before_they_are_computed_and_once_they_are_stale_none_are_shown(
        self, dev: Split, openbook: Setting, client: Client
    ) -> None:
        boards.fill(dev, openbook, 3)
        early = board_for(dev, openbook)
        assert (early.stored.content.statistics_stale, early.stored.content.statistics_at) == (True, None)
        standings.refresh(dev, openbook)
        assert not board_for(dev, openbook).stored.content.statistics_stale
        boards.fill(dev, openbook, 1, prefix="Newcomer", seed=5)
        board = board_for(dev, openbook)
        assert board.stored.content.statistics_stale
        assert {row.best_rank for row in board.rows} == {None}
        assert not any(cell.marked or cell.p_value is not None for row in board.rows for cell in row.cells)
        assert [row.rank for row in board.rows] == [1, 2, 3, 4], "ranks are of the values, which are there"
        boards.write()
        page = client.get(BOARD).content.decode()
        assert "are being computed" in page
        assert "board__number--marked" not in page
        standings.refresh(dev, openbook)
        assert "are being computed" not in client.get(BOARD).content.decode()

    def test_a_screen_reader_is_told_what_the_eye_sees(self, dev: Split, openbook: Setting, client: Client) -> None:
        boards.fill(dev, openbook, 4)
        standings.refresh(dev, openbook)
        boards.write()
        page: Any = client.get(BOARD).content.decode()
        cell = board_for(dev, openbook).rows[0].cells[0]
        assert cell.low is not None and cell.high is not None
        heard = r'<span class="interval{}"><span[^>]*>[^<]*</span><span class="visually-hidden">([^<]*)<'
        number = r"\d\.\d{3}"
        assert re.findall(number, re.findall(heard.format(""), page)[0]) == [
            *(f"{rounded_down(cell.low, 3):.3f}", f"{rounded_up(cell.high, 3):.3f}")
        ]
        assert '<span class="visually-hidden"> best</span>' in page
        assert ", 95 % rank range 1" in page
