"""A metric and its negative, of which the lower values are better, give boards that are mirror images."""

import csv
import datetime
import io
import json
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from leaderboard.board import standings
from leaderboard.board.charts.series import Charts, charts_of
from leaderboard.board.exports.csv import as_csv
from leaderboard.board.exports.document import as_document
from leaderboard.board.exports.latex import as_latex
from leaderboard.board.exports.schema import Origin, canonical_json
from leaderboard.board.table import Board, BoardParams
from leaderboard.models import Standing, System
from leaderboard.systems.comparison.page import comparison_for
from leaderboard.systems.comparison.types import ComparisonParams
from leaderboard.systems.page import system_page
from scoring import benchmarks
from scoring.models import Score, Setting, Split, vector_bytes
from tests import boards, factories

BOARD = "/fanoutqa/dev/openbook/"
PAGES = ("page", "charts page", "comparison page", "system page")
STANDINGS = ("entry__system__slug", "name", "rank", "best_rank", "worst_rank", "tie_group", "p_value")


@pytest.fixture
def dev(db: None) -> Split:
    return factories.split(factories.benchmark(n_dev=60), "dev")


@pytest.fixture
def openbook(dev: Split) -> Setting:
    return Setting.objects.get(benchmark=dev.benchmark, slug="openbook")


class Site:
    """What a site shows of one board, once with a metric and once with its negative."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, split: Split, setting: Setting) -> None:
        self.monkeypatch, self.split, self.setting = monkeypatch, split, setting

    def declare(self, **changes: Any) -> None:
        boards.declare(self.monkeypatch, **changes)

    def negate(self) -> None:
        for score in Score.objects.all():
            score.vector = vector_bytes(-score.per_item)
            score.value, score.low, score.high = -score.value, None, None
            score.save()

    def board(self, query: str = "") -> Board:
        standings.refresh(self.split, self.setting)
        params = BoardParams.of(QueryDict(query), benchmarks.definition_of("fanoutqa"))
        return boards.board_for(self.split, self.setting, params)

    def charts(self) -> Charts:
        return charts_of(boards.find(self.split, self.setting))

    def standings(self) -> list[tuple[Any, ...]]:
        return sorted(Standing.objects.values_list(*STANDINGS))


_shown: list[dict[str, Any]] = []


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch, dev: Split, openbook: Setting) -> tuple[Any, Any]:
    """Everything that both sites show: of a metric without a unit from 0 to 1, and of its negative; made once."""
    if not _shown:
        site = Site(monkeypatch, dev, openbook)
        boards.fill(dev, openbook, 9)
        site.declare(unit="number")
        one = everything(site)
        site.negate()
        site.declare(unit="number", bounds=(-1.0, 0.0), higher_is_better=False)
        _shown.extend([one, everything(site)])
    one, other = _shown
    return one, other


def everything(site: Site) -> dict[str, Any]:
    board = site.board()
    slugs = [row.slug for row in board.rows]
    asked = QueryDict("&".join(["place=fanoutqa/dev/openbook", *(f"system={slug}" for slug in slugs[:3])]))
    document = as_document(board)
    return {
        "board": board,
        "document": json.loads(canonical_json(document)),
        "csv": as_csv(document),
        "latex": as_latex(document, Origin("https://example.org/", datetime.date(2026, 11, 23), "Site")),
        "charts": site.charts(),
        "standings": site.standings(),
        "comparison": comparison_for(ComparisonParams.of(asked)),
        "system": system_page(System.objects.get(slug=slugs[2])),
        "page": Client().get(BOARD).content.decode(),
        "charts page": Client().get(f"{BOARD}pictures/").content.decode(),
        "comparison page": Client().get(f"/compare/?{asked.urlencode()}").content.decode(),
        "system page": Client().get(f"/systems/{slugs[2]}/").content.decode(),
    }


def test_ranks_marks_and_order_are_the_same_and_intervals_are_reversed(pair: tuple[Any, Any]) -> None:
    one, other = pair
    assert one["standings"] == other["standings"] and one["standings"]
    rows = list(zip(one["board"].rows, other["board"].rows, strict=True))
    for row, mirrored in rows:
        assert (row.slug, row.rank, row.tied, row.best_rank, row.worst_rank, row.tie_group) == (
            *(mirrored.slug, mirrored.rank, mirrored.tied, mirrored.best_rank, mirrored.worst_rank),
            mirrored.tie_group,
        )
        for cell, turned in zip(row.cells, mirrored.cells, strict=True):
            assert (cell.best, cell.marked, cell.rank, cell.p_value) == (
                *(turned.best, turned.marked, turned.rank, turned.p_value),
            )
            if cell.value is not None:
                assert turned.value == -cell.value
                assert (turned.low, turned.high) == pytest.approx((-cell.high, -cell.low), abs=1e-12)
    marked = {cell.marked for row, _ in rows for cell in row.cells if cell.value is not None}
    assert marked == {True, False} and len({row.rank for row, _ in rows}) > 5
    difference, mirrored = (shown["board"].detectable.difference for shown in pair)
    assert mirrored == pytest.approx(difference, abs=1e-12)


def test_charts_have_the_same_order_and_records(pair: tuple[Any, Any]) -> None:
    one, other = (shown["charts"] for shown in pair)
    assert [point["name"] for point in one.dots["points"]] == [point["name"] for point in other.dots["points"]]
    assert one.dots["leader"]["name"] == other.dots["leader"]["name"]
    names = [
        {kind: [point["name"] for point in of] for kind, of in charts.time["records"].items()}
        for charts in (one, other)
    ]
    assert names[0] == names[1] and any(names[0].values())
    assert one.dots["n_level"] == other.dots["n_level"] > 0
    hardest, turned = ([category["label"] for category in charts.heat["named"]] for charts in (one, other))
    assert hardest == turned and len(hardest) > 1
    assert (other.column.sign, other.column.bounds, other.column.is_share) == (-1, (-1.0, 0.0), False)
    for name, figure in one.figures.items():
        for mark in ("<circle", "dot--front", "interval--front", "<rect"):
            assert figure["svg"].count(mark) == other.figures[name]["svg"].count(mark), (name, mark)
    assert other.board_url.endswith("sort=loose") and one.board_url.endswith("sort=-loose")


def test_exports_have_the_same_ranks_and_name_the_direction(pair: tuple[Any, Any]) -> None:
    one, other = (shown["document"] for shown in pair)
    ranks = [[(row["slug"], row["rank"], row["best_rank"]) for row in document["rows"]] for document in (one, other)]
    assert ranks[0] == ranks[1]
    assert "higher_is_better" not in one["columns"][0] and one["columns"][0]["unit"] == "number"
    assert other["columns"][0]["higher_is_better"] is False and other["columns"][0]["bounds"] == [-1.0, 0.0]
    assert r"\downarrow" in pair[1]["latex"] and r"\downarrow" not in pair[0]["latex"]
    tables = [list(csv.DictReader(io.StringIO(shown["csv"]))) for shown in pair]
    assert len({tuple((row["slug"], row["rank"], row["loose_marked"]) for row in rows) for rows in tables}) == 1
    assert {"loose_higher_is_better" in rows[0] for rows in tables[:1]} == {False}
    assert {(row["loose_higher_is_better"], row["loose_unit"]) for row in tables[1]} == {("false", "number")}


def test_comparisons_have_reversed_differences(pair: tuple[Any, Any]) -> None:
    one, other = (shown["comparison"] for shown in pair)
    assert [system.slug for system in one.systems] == [system.slug for system in other.systems]
    found = 0
    for section, mirrored in zip(one.sections, other.sections, strict=True):
        for difference, turned in zip(section.differences.differences, mirrored.differences.differences, strict=True):
            found += 1
            assert turned.value == pytest.approx(-difference.value, abs=1e-12)
            assert (turned.low, turned.high) == pytest.approx((-difference.high, -difference.low), abs=1e-12)
            assert turned.p_value == difference.p_value
    assert found >= 3
    for row, mirrored in zip(one.categories, other.categories, strict=True):
        assert [value.value for value in row.values] == pytest.approx([-value.value for value in mirrored.values])


def test_pages_say_the_direction_in_words(pair: tuple[Any, Any]) -> None:
    one, other = pair
    for name in PAGES:
        assert "lower is better" not in one[name] and "lower is better" in other[name], name
        for page in (one[name], other[name]):
            assert not re.search(r"\b(highest|lowest|rose|fell)\b", page, re.IGNORECASE), name
    assert "−0." in other["page"]


def test_columns_without_bounds_have_their_units_and_no_range(
    monkeypatch: pytest.MonkeyPatch, dev: Split, openbook: Setting, client: Client
) -> None:
    site = Site(monkeypatch, dev, openbook)
    boards.fill(dev, openbook, 4)
    site.declare(unit="seconds", digits=1, bounds=None, higher_is_better=False)
    board = site.board()
    values = [row.cells[0].value for row in board.rows if row.cells[0].value is not None]
    assert values == sorted(values)
    page = client.get(BOARD).content.decode()
    assert "range from 0" not in page and "> (s)<" in page
    column = client.get("/api/v1/benchmarks/fanoutqa/").json()["columns"][0]
    assert (column["unit"], column["bounds"], column["higher_is_better"]) == ("seconds", None, False)


def test_nothing_is_kept_of_a_column_that_is_declared_otherwise(
    monkeypatch: pytest.MonkeyPatch, dev: Split, openbook: Setting
) -> None:
    """The same scores, first as shares, then as seconds of which fewer are better: no statistics stay."""
    site = Site(monkeypatch, dev, openbook)
    boards.fill(dev, openbook, 5)
    one = everything(site)
    site.declare(unit="seconds", digits=1, bounds=None, higher_is_better=False)
    other = everything(site)
    ranks, turned = ({row[:2]: row[2] for row in shown["standings"]} for shown in (one, other))
    assert all(ranks[key] + turned[key] == 6 for key in ranks if key[1] == "loose") and ranks.keys() == turned.keys()
    (result,) = other["system"].results
    assert {column.unit for column in result.categories.columns} == {"seconds"}
    first, second = (
        [[section.differences.differences[0].low] for section in shown["comparison"].sections] for shown in (one, other)
    )
    assert all(low != turned for low, turned in zip(first, second, strict=True))
