"""The pictures of a board in a real browser: every mark is there, labels do not collide, and each has an address."""

import datetime
import re
from collections.abc import Callable
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
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = pytest.mark.slow

FIGURES = ("by-value", "by-context", "by-category", "over-time")
SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "rect", "line", "path", "circle", "text", "title", "desc"}
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
        return page

    return open_page


@pytest.mark.parametrize(("viewport", "dark"), MODES)
def test_there_is_a_mark_for_each_value_and_nothing_is_in_the_way(
    opened: "Callable[..., Page]", viewport: tuple[int, int], dark: bool
) -> None:
    page = opened(viewport=viewport, dark=dark, javascript=True)
    for figure, n_rows in (("by-value", 14), ("over-time", 14)):
        expect(page.locator(f"#{figure} svg circle")).to_have_count(n_rows)
        expect(page.locator(f"#{figure} svg circle.hollow")).to_have_count(2)
        expect(page.locator(f"#{figure} svg line.interval")).to_have_count(12)
        expect(page.locator(f"#{figure} svg line.human")).to_have_count(1)
    n_placed = page.locator("#by-context-table tbody tr").count()
    expect(page.locator("#by-context svg circle")).to_have_count(n_placed)
    n_cells = page.locator("#by-category-table tbody tr").count() * 2
    expect(page.locator("#by-category svg rect")).to_have_count(n_cells)
    page.evaluate(UNFOLD)
    assert list(violations(page)) == []
    assert list(too_wide(page)) == [], "a table or a drawing that is too wide scrolls by itself"


@pytest.mark.parametrize("figure", FIGURES)
def test_labels_do_not_collide_and_stay_in_their_picture(opened: "Callable[..., Page]", figure: str) -> None:
    page = opened()
    boxes = page.evaluate(
        """(figure) => {
          const frame = document.querySelector(`#${figure} svg`).getBoundingClientRect();
          return [...document.querySelectorAll(`#${figure} svg text`)].map((text) => {
            const box = text.getBoundingClientRect();
            const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 1;
            const upright = !text.hasAttribute("transform");
            return [text.textContent, inside, upright, box.left, box.right, box.top + 3, box.bottom - 3];
          });
        }""",
        figure,
    )
    assert [name for name, inside, *_ in boxes if not inside] == []
    upright = [(name, *box) for name, _, is_upright, *box in boxes if is_upright]
    assert len(upright) >= 6
    for index, (name, left, right, top, bottom) in enumerate(upright):
        for other, left_2, right_2, top_2, bottom_2 in upright[index + 1 :]:
            apart = right <= left_2 or right_2 <= left or bottom <= top_2 or bottom_2 <= top
            assert apart, f"{figure}: {name!r} and {other!r}"


@pytest.mark.parametrize("figure", FIGURES)
def test_a_picture_has_an_address_of_its_own(opened: "Callable[..., Page]", figure: str) -> None:
    page = opened()
    address = page.locator(f"#{figure} a[href*='.svg']").get_attribute("href") or ""
    response = page.request.get(page.url.partition("/fanoutqa")[0] + address)
    assert response.headers["content-type"] == "image/svg+xml; charset=utf-8"
    root = ElementTree.fromstring(response.body())
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in TAGS
        assert not [name for name in element.attrib if re.match("class|style|href|on|aria|data|role|tabindex", name)]
    n_marks = page.locator(f"#{figure} svg circle").count()
    assert len(list(root.iter(f"{SVG}circle"))) == n_marks


def test_without_a_script_pictures_and_tables_are_there_and_nothing_has_a_style(opened: "Callable[..., Page]") -> None:
    page = opened(javascript=False)
    expect(page.locator("svg.plot")).to_have_count(len(FIGURES))
    page.locator("#by-value-table summary").click()
    expect(page.locator("#by-value-table tbody tr")).to_have_count(14)
    page.get_by_label("Column").select_option("Strict accuracy")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("heading", name="Strict accuracy by system")).to_have_count(1)
    expect(page).to_have_url(re.compile("column=strict"))
    expect(page.locator("#content [style], #content style")).to_have_count(0)
