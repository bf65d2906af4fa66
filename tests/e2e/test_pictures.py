"""The pictures of a board in a real browser: every mark is there, can be reached and read, and can be taken along."""

import datetime
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from leaderboard.board import standings
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from scoring.models import Setting, Split
from tests import boards, factories
from tests.browser import DESKTOP, PHONE
from tests.e2e.accessibility import UNFOLD, too_wide, violations
from tests.processes import Site

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

FIGURES = ("by-value", "by-context", "by-category", "over-time")
SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "g", "rect", "line", "path", "circle", "text", "title", "desc", "style"}
LIGHT_INK = "rgb(26, 31, 36)"
MODES = [pytest.param(DESKTOP, False, id="desktop-light"), pytest.param(PHONE, True, id="phone-dark")]
LONG = "Retrieval-Augmented-Chain-of-Verification-Ensemble-of-Seventeen-Models v0.9.3-rc2 (8-bit, 3 rounds)"


@pytest.fixture(scope="module")
def place(lasting_db: None) -> tuple[Split, Setting]:
    """Twelve systems scored here, one of them with a long name, two reported and people."""
    made = factories.benchmark(n_dev=60, n_test=4)
    split, setting = factories.split(made, "dev"), factories.setting(made)
    boards.fill(split, setting, 12)
    System.objects.filter(slug="system-3").update(name=LONG)
    for name, value in (("Published", 0.5), ("More", 0.4), ("People", 0.7)):
        fields = {"authors": "Somebody", "is_human": name == "People", "attributes": {"context_size": 8192}}
        system = System.objects.create(name=name, slug=name.lower(), **fields)
        entry = Entry.objects.create(system=system, split=split, setting=setting, kind=EntryKind.REPORTED)
        ReportedValue.objects.create(entry=entry, name="loose", value=value)
    for days, entry in enumerate(Entry.objects.order_by("pk")):
        Entry.objects.filter(pk=entry.pk).update(published_at=timezone.now() - datetime.timedelta(days=30 * days))
    standings.refresh(split, setting)
    return split, setting


@pytest.fixture
def opened(place: tuple[Split, Setting], shared_site: Site, page_factory: "PageFactory") -> "Callable[..., Page]":
    """``opened(dark=True)``: the pictures, drawn."""

    def open_page(query: str = "", **options: Any) -> "Page":
        page = page_factory(shared_site.url, **options)
        page.goto(f"/fanoutqa/dev/openbook/pictures/{query}")
        if options.get("javascript", True):
            page.locator("#over-time svg").wait_for()
        return page

    return open_page


def data_of(page: "Page", figure: str) -> dict[str, Any]:
    name = page.locator(f"#{figure}").get_attribute("data-source")
    data: dict[str, Any] = json.loads(page.locator(f"#{name}").text_content() or "")
    return data


def marks(page: "Page", figure: str) -> "Locator":
    return page.locator(f"#{figure} .chart-mark")


@pytest.mark.parametrize(("viewport", "dark"), MODES)
def test_there_is_a_mark_for_each_value_and_nothing_is_in_the_way(
    opened: "Callable[..., Page]", viewport: tuple[int, int], dark: bool
) -> None:
    page = opened(viewport=viewport, dark=dark)
    points = data_of(page, "by-value")["points"]
    assert len(points) == 14
    expect(marks(page, "by-value")).to_have_count(14)
    expect(marks(page, "by-context")).to_have_count(len(data_of(page, "by-context")["points"]))
    expect(marks(page, "over-time")).to_have_count(14)
    heat = data_of(page, "by-category")
    expect(marks(page, "by-category")).to_have_count((len(heat["rows"]) + 1) * len(heat["columns"]))
    for mark, point in zip(marks(page, "by-value").all(), points, strict=True):
        label = mark.get_attribute("aria-label") or ""
        assert label.startswith(f"{point['name']}, Loose accuracy: {point['value']:.3f}")
        assert ("95 % CI" in label) == (point["kind"] == "scored")
        hollow = mark.locator(".chart-dot--reported").count()
        assert hollow == (point["kind"] == "reported")
        expect(mark.locator("line.chart-interval")).to_have_count(int(point["kind"] == "scored"))
    expect(page.locator("#by-value .chart-level--human")).not_to_have_count(0)
    assert list(violations(page)) == []


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_labels_do_not_collide_and_stay_in_their_picture(
    opened: "Callable[..., Page]", viewport: tuple[int, int]
) -> None:
    page = opened(viewport=viewport)
    for figure in FIGURES:
        outside = page.evaluate(
            """(figure) => {
              const frame = document.querySelector(`#${figure} svg`).getBoundingClientRect();
              return [...document.querySelectorAll(`#${figure} svg text`)].filter((text) => {
                const box = text.getBoundingClientRect();
                return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
              }).map((text) => text.textContent);
            }""",
            figure,
        )
        assert outside == [], figure
    for figure in ("by-context", "over-time"):
        boxes = page.evaluate(
            """(figure) => [...document.querySelectorAll(`#${figure} .chart-labels text`)].map((text) => {
              const { left, right, top, bottom } = text.getBoundingClientRect();
              return [text.textContent, left, right, top + 3, bottom - 3];
            })""",
            figure,
        )
        assert len(boxes) >= 3
        for index, (name, left, right, top, bottom) in enumerate(boxes):
            for other, left_2, right_2, top_2, bottom_2 in boxes[index + 1 :]:
                apart = right <= left_2 or right_2 <= left or bottom <= top_2 or bottom_2 <= top
                assert apart, f"{figure}: {name!r} and {other!r}"


def test_the_keyboard_reaches_every_mark_from_one_stop_each(opened: "Callable[..., Page]", shared_site: Site) -> None:
    page = opened()
    for figure in FIGURES:
        expect(page.locator(f"#{figure} .chart-mark[tabindex='0']")).to_have_count(1)
    first, second = marks(page, "by-value").nth(0), marks(page, "by-value").nth(1)
    page.locator("#by-value .chart-mark[tabindex='0']").focus()
    tip = page.locator("#by-value .chart-tip")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == first.get_attribute("aria-label")
    assert data_of(page, "by-value")["points"][0]["name"].split()[-1] in (tip.text_content() or "")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == second.get_attribute("aria-label")
    page.keyboard.press("End")
    assert page.evaluate(focused) == marks(page, "by-value").last.get_attribute("aria-label")
    page.keyboard.press("Home")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.save") == "svg", "Tab goes on behind the picture"
    page.keyboard.press("Shift+Tab")
    address = first.get_attribute("href") or ""
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")
    assert address.startswith("/systems/")


def test_arrows_move_through_the_rows_and_columns_of_the_heat_map(opened: "Callable[..., Page]") -> None:
    page = opened()
    heat = data_of(page, "by-category")
    columns, rows = [one["label"] for one in heat["columns"]], [row["name"] for row in heat["rows"]]
    page.locator("#by-category .chart-mark[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == f"{rows[1]}, {columns[1]}, Loose accuracy: {heat['rows'][1]['values'][1]:.3f}"


@pytest.mark.parametrize("figure", FIGURES)
def test_a_picture_is_saved_as_svg_that_needs_nothing_else(
    opened: "Callable[..., Page]", figure: str, tmp_path: Path
) -> None:
    page = opened(viewport=PHONE, dark=True)
    with page.expect_download() as download:
        page.locator(f"#{figure} button[data-save=svg]").click()
    assert re.fullmatch(r"fanoutqa-dev-openbook-loose-[a-z]+\.svg", download.value.suggested_filename)
    path = tmp_path / "picture.svg"
    download.value.save_as(path)
    root = ElementTree.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == page.locator(f"#{figure}-title").inner_text()
    assert description is not None
    assert len(description.text or "") > 30
    assert 'font-face{font-family:"Plex Sans"' in path.read_text()
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in TAGS
        assert not [name for name in element.attrib if re.match("class|style|href|on|aria|data|role|tabindex", name)]
    texts = list(root.iter(f"{SVG}text"))
    assert LIGHT_INK in {text.get("fill") for text in texts}, "saved in the colours of a dark screen"
    assert all(text.get("font-size") for text in texts)
    n_points = len(data_of(page, figure).get("points", ()))
    if n_points:
        # The legend has a dot for each kind as well.
        assert n_points <= len(list(root.iter(f"{SVG}circle"))) <= n_points + 3
    assert page.evaluate("document.documentElement.dataset.theme") is None, "the reader's own theme is back"


def test_a_picture_is_saved_as_png_of_three_times_as_many_pixels(opened: "Callable[..., Page]", tmp_path: Path) -> None:
    page = opened()
    sizes = {}
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.locator(f"#by-context button[data-save={kind}]").click()
        path = tmp_path / f"picture.{kind}"
        download.value.save_as(path)
        if kind == "svg":
            root = ElementTree.parse(path).getroot()
            sizes[kind] = (int(root.attrib["width"]), int(root.attrib["height"]))
        else:
            head = path.read_bytes()[:24]
            assert head[:8] == b"\x89PNG\r\n\x1a\n"
            sizes[kind] = struct.unpack(">II", head[16:24])
    assert sizes["png"] == (3 * sizes["svg"][0], 3 * sizes["svg"][1])
    assert page.locator("#announcer").text_content() == "Saved."


def test_the_pictures_follow_the_width_of_the_window(opened: "Callable[..., Page]") -> None:
    page = opened()
    wide = int(page.locator("#by-value svg").get_attribute("width") or 0)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.locator(f"#by-value svg:not([width='{wide}'])").wait_for()
    narrow = int(page.locator("#by-value svg").get_attribute("width") or 0)
    assert narrow < PHONE[0] < wide
    expect(marks(page, "by-value")).to_have_count(14)
    page.evaluate(UNFOLD)
    expect(page.locator("#by-category-table")).to_be_visible()
    assert list(too_wide(page)) == [], "a table that is too wide scrolls by itself"


def test_nothing_has_a_style_of_its_own(opened: "Callable[..., Page]") -> None:
    page = opened()
    marks(page, "by-context").first.hover()
    page.locator("#by-context .chart-tip").wait_for()
    expect(page.locator("#content [style], #content style")).to_have_count(0)


def test_without_a_script_the_tables_stand_alone(opened: "Callable[..., Page]") -> None:
    page = opened(javascript=False)
    expect(page.locator("svg.chart-svg")).to_have_count(0)
    expect(page.get_by_role("button", name="Save as SVG")).to_have_count(0)
    page.locator("#by-value-table summary").click()
    expect(page.locator("#by-value-table tbody tr")).to_have_count(14)
    page.get_by_label("Column").select_option("Strict accuracy")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("heading", name="Strict accuracy by system")).to_have_count(1)
    expect(page).to_have_url(re.compile("column=strict"))
