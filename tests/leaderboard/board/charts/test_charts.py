"""The pictures of a board: their data, the sentences and tables that say the same, and what the page may load."""

import datetime
import html
import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.board.charts import plots, series
from leaderboard.board.table import BoardParams
from leaderboard.disclosure import DECIMALS, rounded_down, rounded_up
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from scoring.benchmarks import definition_of
from scoring.models import Benchmark, Score, Setting, Split
from scoring.statistics.trend import log_fit
from tests import boards, factories
from tests.rows import remembered

Place = tuple[Split, Setting]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def place(db: None) -> Place:
    made = factories.benchmark(n_dev=4, n_test=40)
    Split.objects.update(hidden=False)  # numbers at full precision
    return factories.split(made, "test"), factories.setting(made)


@pytest.fixture
def filled(db: None) -> Place:
    remembered("charts", _fill)
    made = Benchmark.objects.get()
    return factories.split(made, "test"), factories.setting(made)


def _fill() -> None:
    made = factories.benchmark(n_dev=4, n_test=40)
    Split.objects.update(hidden=False)  # numbers at full precision
    place = factories.split(made, "test"), factories.setting(made)
    boards.fill(*place, 12)
    for days, entry in enumerate(Entry.objects.order_by("pk")):
        Entry.objects.filter(pk=entry.pk).update(published_at=timezone.now() - datetime.timedelta(days=100 - days))
    standings.refresh(*place)


def pictures_of(split: Split, setting: Setting, *params: BoardParams, **options: Any) -> series.Charts:
    """The pictures of a board as it is once a worker has written it."""
    return series.charts_of(boards.find(split, setting), *params, **options)


def report(place: Place, name: str, value: float, *, human: bool = False, context: int | None = 4096) -> Entry:
    attributes = {} if context is None else {"context_size": context}
    system = System.objects.create(
        name=name, slug=name.lower(), authors="Somebody", is_human=human, attributes=attributes
    )
    entry = Entry.objects.create(
        system=system, split=place[0], setting=place[1], kind=EntryKind.REPORTED, source="A paper"
    )
    ReportedValue.objects.create(entry=entry, name="loose", value=value)
    return entry


def url(place: Place) -> str:
    return reverse("board-pictures", args=[place[0].benchmark.slug, place[0].slug, place[1].slug])


def finding(page: str, name: str) -> str:
    found = re.search(rf'id="{name}-finding">(.*?)</p>', page, re.DOTALL)
    assert found
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", found[1])).split())


def offered(page: str) -> str:
    """Where the placeholder of an empty page leads."""
    found = re.search(r'<div class="empty">.*?href="([^"]*)"', page, re.DOTALL)
    assert found
    return html.unescape(found[1])


# --- The data --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_points_are_the_stored_scores_from_the_highest(filled: Place) -> None:
    shown = pictures_of(*filled)
    scores = dict(Score.objects.filter(name="loose").values_list("run__answer_set__board_entry", "value"))
    assert {point["entry"]: point["value"] for point in shown.dots["points"]} == scores
    values = [point["value"] for point in shown.dots["points"]]
    assert values == sorted(values, reverse=True)
    assert shown.dots["leader"] == shown.dots["points"][0]
    for point in shown.dots["points"]:
        assert point["low"] is not None
        assert point["high"] is not None
        assert point["low"] <= point["value"] <= point["high"]
        assert point["best_rank"] is not None
        assert point["worst_rank"] is not None
        assert point["best_rank"] <= (point["rank"] or 0) <= point["worst_rank"]
    marked = [point for point in shown.dots["points"] if point["marked"]]
    assert shown.dots["n_level"] == len(marked) - 1


def test_reported_values_have_no_interval_and_people_are_a_level(filled: Place) -> None:
    report(filled, "Published", 2.0)
    report(filled, "People", 0.9, human=True)
    shown = pictures_of(*filled)
    first = shown.dots["points"][0]
    assert (first["name"], first["kind"], first["low"], first["marked"], first["rank"]) == (
        "Published",
        "reported",
        None,
        False,
        None,
    )
    assert not first["best"], "a reported value was taken for the best of those scored here"
    assert shown.dots["leader"] is not None
    assert shown.dots["leader"]["kind"] == "scored"
    first_level = shown.levels[0]
    assert (first_level["label"], first_level["value"]) == ("People", 0.9)
    assert "People" not in {point["name"] for point in shown.dots["points"]}


def test_the_line_over_context_sizes_is_that_of_the_statistics(filled: Place) -> None:
    for number, (context, value) in enumerate([(4096, 0.2), (8192, 0.31), (131072, 0.68)]):
        report(filled, f"Published{number}", value, context=context)
    plot = pictures_of(*filled).context
    for kind in ("scored", "reported"):
        points = [point for point in plot["points"] if point["kind"] == kind]
        line = log_fit([point["context"] or 0 for point in points], [point["value"] for point in points])
        (fit,) = [fit for fit in plot["fits"] if fit["kind"] == kind]
        assert line is not None
        assert (fit["slope"], fit["r_squared"], fit["n_points"]) == (line.slope, line.r_squared, len(points))
        assert fit["start"][0] == min(point["context"] or 0 for point in points)
        assert fit["start"][1] == pytest.approx(line.at(fit["start"][0]))
        assert fit["end"][1] == pytest.approx(line.at(fit["end"][0]))
    assert plot["n_without"] == sum(
        boards.CONTEXT_SIZES[index % len(boards.CONTEXT_SIZES)] is None for index in range(12)
    )


def test_the_heat_map_shows_the_highest_scored_here_by_category(filled: Place) -> None:
    report(filled, "Published", 2.0)
    Split.objects.update(hidden=False)
    standings.refresh(*filled)
    heat = pictures_of(*filled).heat
    assert heat is not None
    assert [(one["label"], one["n_questions"]) for one in heat["columns"]] == [("Geography", 40), ("Politics", 20)]
    assert len(heat["rows"]) == heat["n_all"] == 12
    score = Score.objects.select_related("run").get(
        name="loose", run__answer_set__board_entry=heat["rows"][0][0]["entry"]
    )
    assert list(heat["rows"][0][1]) == pytest.approx([score.value, score.per_item[::2].mean()])
    assert heat["columns"][1]["mean"] == pytest.approx(sum(values[1] or 0 for _, values in heat["rows"]) / 12)


def test_a_hidden_split_folds_what_tells_of_few(filled: Place) -> None:
    Split.objects.filter(slug="test").update(hidden=True)
    place = Split.objects.select_related("benchmark", "current_revision").get(slug="test"), filled[1]
    standings.refresh(*place)
    heat = pictures_of(*place).heat
    assert heat is not None
    assert [(one["label"], one["n_questions"]) for one in heat["columns"]] == [("Geography", 40)]
    for top in range(2, 12):
        few = pictures_of(*place, top=top).heat
        assert few is not None and few["columns"][0]["mean"] == round(few["columns"][0]["mean"] or 0, DECIMALS)


def test_records_are_those_better_than_all_before(filled: Place) -> None:
    time = pictures_of(*filled).time
    days = [point["published"] for point in time["points"] if point["published"]]
    assert days == sorted(days)
    best = -1.0
    expected = []
    for point in time["points"]:
        if point["value"] > best:
            best = point["value"]
            expected.append(point["entry"])
    assert [point["entry"] for point in time["shown_records"]] == expected
    assert time["holders"] == set(expected)
    assert best == pictures_of(*filled).dots["points"][0]["value"]


@pytest.mark.slow
def test_lists_show_the_highest_and_plots_show_all(place: Place) -> None:
    boards.fill(*place, 30)
    standings.refresh(*place)
    for top, shown in ((25, 25), (50, 30), (0, 30), (7, 25), (-1, 25)):
        found = pictures_of(*place, top=top)
        assert len(found.dots["points"]) == shown, top
        assert found.heat is not None
        assert len(found.heat["rows"]) == shown, top
        assert found.dots["n_all"] == len(found.time["points"]) == 30
        assert len(found.context["points"]) + found.context["n_without"] == 30


def test_the_filters_and_the_order_of_a_board_hold_here_too(filled: Place) -> None:
    definition = definition_of(filled[0].benchmark.slug)
    params = BoardParams.of(QueryDict("q=System+10&sort=-strict"), definition)
    shown = pictures_of(*filled, params)
    assert shown.column.key == "strict"
    assert {point["name"] for point in shown.dots["points"]} == {"System 10"}
    assert ("q", "System 10") in shown.query_fields
    assert pictures_of(*filled, params, column="judge").column.key == "judge"
    assert pictures_of(*filled, params, column="nonsense").column.key == "strict"


@pytest.mark.slow
def test_one_query_more_than_the_document_whatever_the_number_of_systems(
    filled: Place, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    found = boards.find(*filled)
    with django_assert_num_queries(2):
        series.charts_of(found, top=0)
    boards.fill(*filled, 30, prefix="More", seed=3)
    standings.refresh(*filled)
    found = boards.find(*filled)
    with django_assert_num_queries(2):
        assert series.charts_of(found, top=0).dots["n_all"] == 42
    assert series.charts_of(found, top=0).heat


def test_values_by_category_are_those_of_the_vectors_and_wait_for_the_statistics(filled: Place) -> None:
    heat = pictures_of(*filled).heat
    assert heat is not None
    score = Score.objects.get(run__answer_set__board_entry=heat["rows"][0][0]["entry"], name="loose")
    assert heat["rows"][0][1][0] == pytest.approx(score.per_item.mean()), "every question is in the first category"
    boards.fill(*filled, 1, prefix="Later", seed=9)
    assert pictures_of(*filled).heat is None


# --- The chart beside a board ----------------------------------------------------------------------------------------


def test_a_name_is_written_only_where_nothing_else_is() -> None:
    chance, taken = random.Random(5), plots._Taken(0, 300, 200)
    boxes = []
    for number in range(400):
        x, y = chance.uniform(-10, 310), chance.uniform(-5, 210)
        if number % 4 == 0:
            boxes.append((x, y, x + 10, y + chance.choice([10, 40])))
            taken.add(boxes[-1])
            continue
        box = (x, y - 10, x + plots.LETTER * 3 + 6, y + 2)
        inside = box[0] >= 0 and box[2] <= 300 and box[1] >= 0 and box[3] <= 200
        free = all(box[2] < a or c < box[0] or box[3] < b or d < box[1] for a, b, c, d in boxes)
        assert taken.place(x, y, "abc", "start") is (inside and free)
        if inside and free:
            boxes.append(box)
    assert len(boxes) > 110


@pytest.mark.parametrize(("chart", "n_systems"), [("date", 12), ("context", 11)])
def test_the_table_of_its_data_has_every_system_with_a_number(
    client: Client, filled: Place, chart: str, n_systems: int
) -> None:
    System.objects.filter(name="System 3").update(name="<b>System</b> 3")
    boards.write()
    address = reverse("board", args=[filled[0].benchmark.slug, filled[0].slug, filled[1].slug])
    text = client.get(address, {"chart": chart}).content.decode()
    table = text[text.index("board-chart__data") :]
    heads = re.findall(r"<th[ >]", table[: table.index("</thead>")])
    rows = re.findall(r"<tr>(.*?)</tr>", table[table.index("<tbody>") : table.index("</tbody>")], re.DOTALL)
    assert len(rows) == n_systems
    assert {len(re.findall(r"<t[hd]", row)) for row in rows} == {len(heads)}
    (row,) = [row for row in rows if "&lt;b&gt;System&lt;/b&gt; 3" in row]
    assert f'href="{reverse("system", args=[System.objects.get(name__startswith="<b>").slug])}"' in row
    assert " to " in row


# --- The page --------------------------------------------------------------------------------------------------------


def test_the_sentences_are_made_of_the_data(client: Client, filled: Place) -> None:
    page = client.get(url(filled)).content.decode()
    shown = pictures_of(*filled)
    leader, fit = shown.dots["leader"], shown.context["fits"][0]
    assert leader is not None and leader["low"] is not None and leader["high"] is not None
    assert finding(page, "by-value").startswith(f"{leader['name']} ")
    numbers = re.findall(r"\d\.\d{3}", finding(page, "by-value"))
    assert numbers[:3] == [
        *(f"{leader['value']:.3f}", f"{rounded_down(leader['low'], 3):.3f}", f"{rounded_up(leader['high'], 3):.3f}")
    ]
    assert f"r² = {fit['r_squared']:.2f}" in finding(page, "by-context")
    assert f"{fit['n_points']} systems scored here" in finding(page, "by-context")
    last = shown.time["shown_records"][-1]
    assert f"{last['value']:.3f} ( {last['name']}".replace("( ", "(") in finding(page, "over-time")


def test_the_drawings_stand_in_the_page_and_have_addresses(client: Client, filled: Place) -> None:
    report(filled, "Published", 0.5)
    boards.write()
    page = client.get(url(filled)).content.decode()
    shown = pictures_of(*filled)
    assert list(shown.figures) == list(series.DRAWINGS)
    n_marks = {"systems": 13, "context": len(shown.context["points"]), "categories": 0, "time": 13}
    for name, figure in shown.figures.items():
        assert figure["svg"] in page
        assert not re.search(r"\bstyle=", figure["svg"])
        response = client.get(figure["url"])
        assert (response.status_code, response.headers["Content-Type"]) == (200, "image/svg+xml; charset=utf-8")
        assert client.get(figure["url"], headers={"If-None-Match": response["ETag"]}).status_code == 304
        root = ElementTree.fromstring(response.content)
        assert len(list(root.iter(f"{SVG}circle"))) == n_marks[name] == figure["svg"].count("<circle")
        assert not [key for element in root.iter() for key in element.attrib if key in ("class", "style", "href")]
        title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert title is not None and title.text == f"Loose accuracy {series.DRAWINGS[name]}"
        assert description is not None and description.text
    assert shown.figures["systems"]["svg"].count('class="hollow"') == 1, "the reported one"
    heat = shown.heat
    assert heat is not None
    cells = re.findall(r'class="name--cell"[^>]*>([^<]*)<', shown.figures["categories"]["svg"])
    assert cells == [f"{value:.3f}" for _, values in heat["rows"] for value in values]
    assert client.get(url(filled) + "nothing.svg").status_code == 404
    assert client.get(url(filled) + "systems.svg?q=nobody").status_code == 404


def test_names_cannot_leave_a_drawing(client: Client, filled: Place) -> None:
    System.objects.filter(slug="system-1").update(name="</svg><script>alert(1)")
    boards.write()
    page = client.get(url(filled)).content.decode()
    assert "<script>alert" not in page
    assert "&lt;/svg&gt;&lt;script&gt;alert(1)" in pictures_of(*filled).figures["systems"]["svg"]


@pytest.mark.parametrize("query", ["", "?column=judge", "?top=all&column=strict", "?q=nobody", "?top=x&column=x"])
def test_any_address_is_answered(client: Client, filled: Place, query: str) -> None:
    assert client.get(url(filled) + query).status_code == 200


def test_an_empty_board_and_an_empty_choice_say_what_to_do(client: Client, place: Place) -> None:
    assert offered(client.get(url(place)).content.decode()) == "/submit/"
    boards.fill(*place, 2)
    boards.write()
    assert offered(client.get(url(place) + "?q=nobody").content.decode()) == f"{url(place)}?column=loose"
    report(place, "Published", 0.4)
    boards.write()
    page = client.get(url(place) + "?column=judge&kind=reported").content.decode()
    assert 'class="plot' not in page


def test_one_system_scored_here_is_not_set_beside_reported_ones(client: Client, place: Place) -> None:
    boards.fill(*place, 1)
    report(place, "Published", 0.99)
    standings.refresh(*place)
    shown = pictures_of(*place).dots
    assert (shown["n_all"], shown["n_compared"]) == (2, 1)
    said = finding(client.get(url(place)).content.decode(), "by-value")
    assert not re.search("leads|other|worse", said)


# --- The scripts -----------------------------------------------------------------------------------------------------
