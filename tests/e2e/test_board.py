"""The board in a real browser: searching, sorting, choosing columns, comparing, with scripts and without."""

import datetime
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from leaderboard.board import standings
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from scoring.models import Setting, Split
from tests import boards, factories
from tests.browser import PHONE
from tests.e2e.accessibility import looked_at
from tests.processes import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = pytest.mark.slow

BOARD = "/fanoutqa/dev/openbook/"
NAMES = ".board th.board__system a.name"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def place(lasting_db: None) -> tuple[Split, Setting]:
    """A board of two pages with statistics, people and a reported row; nothing here changes it."""
    made = factories.benchmark(n_dev=12)
    dev, openbook = factories.split(made, "dev"), factories.setting(made)
    boards.fill(dev, openbook, 104)
    for number, entry in enumerate(Entry.objects.order_by("pk")):
        Entry.objects.filter(pk=entry.pk).update(published_at=entry.published_at - datetime.timedelta(days=number % 5))
    for name, is_human in (("People", True), ("Reported model", False)):
        entry = Entry.objects.create(
            system=System.objects.create(
                name=name, slug=name.lower().replace(" ", "-"), authors="B. Author", is_human=is_human
            ),
            split=dev,
            setting=openbook,
            kind=EntryKind.REPORTED,
            source="Table 1",
        )
        ReportedValue.objects.create(entry=entry, name="loose", value=0.42)
    standings.refresh(dev, openbook)
    return dev, openbook


@pytest.fixture
def open_board(place: tuple[Split, Setting], shared_site: Site, page_factory: "PageFactory") -> Callable[..., "Page"]:
    def open_page(query: str = "", **options: object) -> "Page":
        page = page_factory(shared_site.url, **options)  # type: ignore[arg-type]
        page.goto(BOARD + query)
        return page

    return open_page


def names(page: "Page") -> list[str]:
    return page.locator(NAMES).all_inner_texts()


def test_typing_searches_keeps_the_focus_and_says_how_many(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    page.evaluate("document.querySelector('h1').dataset.kept = 'yes'")
    search = page.get_by_role("searchbox")
    search.press_sequentially("system 10", delay=30)
    page.wait_for_url("**?q=system+10")
    chip = page.locator("#board-chips a", has_text="“system 10”")
    chip.wait_for()
    expect(search).to_have_value("system 10")
    assert search.evaluate("(element) => element === document.activeElement")
    assert page.locator("h1").get_attribute("data-kept") == "yes"
    assert set(names(page)) == {"System 10", *(f"System 10{n}" for n in range(5))}
    expect(page.locator("#announcer")).to_have_text(re.compile("^6 of 105 systems. Sorted by Loose accuracy"))
    expect(page.locator("#finding")).to_contain_text("rank 1")
    expect(page.locator("#references .board__pinned tr")).to_have_count(1)
    chip.click()
    page.wait_for_url(f"**{BOARD}")
    chip.wait_for(state="detached")
    expect(search).to_have_value("")


def test_filters_columns_and_several_keys_join_in_one_address(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    page.locator("#board-filters > summary").click()
    page.get_by_label("Prompting method").check()
    page.wait_for_url("**?type=PROMPT")
    page.locator("#sort-strict").click()
    page.wait_for_url("**?sort=-strict&type=PROMPT")
    page.locator("th[aria-sort=descending]", has_text="Strict").wait_for()
    page.locator("#then-by > summary").click()
    page.locator("#then-name").click()
    page.wait_for_url("**?sort=-strict,name&type=PROMPT")
    page.locator("#board-columns > summary").click()
    columns = page.locator("#board-columns")
    columns.get_by_role("group", name="ROUGE (F1)").get_by_label("R-2").check()
    page.wait_for_url("**?sort=-strict,name&type=PROMPT&columns=**")
    page.locator("[id='sort-rouge2.fscore']").wait_for()
    address = page.url
    shown = names(page)
    page.reload()
    assert (page.url, names(page)) == (address, shown)
    expect(page.get_by_label("Prompting method")).to_be_checked()
    page.go_back()
    page.locator("[id='sort-rouge2.fscore']").wait_for(state="detached")
    expect(page.locator("h1")).to_have_count(1)


def test_everything_works_without_scripts(open_board: Callable[..., "Page"]) -> None:
    page = open_board(javascript=False)
    page.get_by_role("searchbox").fill("system")
    page.locator("#board-filters > summary").click()
    page.get_by_label("Prompting method").check()
    page.get_by_label("at least").fill("5,000")
    page.locator("#board-filters").get_by_role("button", name="Apply").click()
    page.locator("#board-chips a", has_text="At least 5,000 tokens").wait_for()
    page.wait_for_load_state()
    shown = names(page)
    assert 0 < len(shown) < 30
    page.locator("#then-by > summary").click()
    page.locator("#then-name").click()
    page.wait_for_url("**?sort=-loose,name&q=system&type=PROMPT&context_min=5000")
    page.get_by_role("searchbox").fill("system 1")
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url("**?**q=system+1&**")
    page.locator("#order-name").wait_for(state="attached")  # the order is kept by the form
    page.goto(f"{BOARD}?q=none+such")
    page.get_by_role("link", name="Clear the filters").click()
    page.wait_for_url(f"**{BOARD}")
    page.get_by_role("link", name="Next").click()
    page.wait_for_url("**?page=2")
    page.get_by_text("Page 2 of 3", exact=True).wait_for()
    expect(page.locator(NAMES)).to_have_count(50)
    page.locator("#last-page").click()
    page.get_by_text("Page 3 of 3", exact=True).wait_for()
    expect(page.locator(NAMES)).to_have_count(4)


def test_ticked_systems_stay_ticked_while_the_table_changes(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    button = page.get_by_role("button", name="Compare selected")
    expect(button).to_be_disabled()
    shown = names(page)
    for name in (shown[0], shown[4]):
        page.get_by_label(f"Compare {name}", exact=True).check()
    expect(button).to_be_enabled()
    page.locator("#sort-strict").click()
    page.wait_for_url("**sort=-strict")
    page.locator("th[aria-sort=descending]", has_text="Strict").wait_for()
    expect(page.get_by_label(f"Compare {shown[0]}", exact=True)).to_be_checked()
    page.get_by_role("link", name="Next").click()
    page.get_by_text("Page 2 of 3", exact=True).wait_for()
    page.get_by_role("button", name="Compare selected").click()
    page.wait_for_url("**/compare/**")
    for name in (shown[0], shown[4]):
        assert f"system={name.lower().replace(' ', '-')}" in page.url


def test_the_keyboard_stays_at_the_table_when_a_filter_is_taken_off(open_board: Callable[..., "Page"]) -> None:
    page = open_board("?type=PROMPT&sort=name")
    chip = page.locator("#board-chips a", has_text="Prompting method")
    chip.focus()
    chip.press("Enter")
    page.wait_for_url("**/?sort=name")
    page.locator("#announcer", has_text="Sorted by System").wait_for(state="attached")
    expect(page.get_by_role("region", name="Systems", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('table.board') !== null")


def test_there_are_no_barriers_and_everything_fits(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    queries = ("", "?columns=all&sort=judge,name&type=PROMPT&q=system", "?q=none+such", "?columns=all")
    for index, query in enumerate(queries):
        assert list(looked_at(page, BOARD + query, dark=index % 2 == 1)) == []


def test_the_keyboard_goes_through_in_order(open_board: Callable[..., "Page"]) -> None:
    """Skip links, site, actions, settings, split, filters, chart, table."""
    page = open_board("?type=PROMPT")
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """() => {
                  const it = document.activeElement;
                  const places = [[".skip-link", "skip"], [".site-header", "site"], [".head__actions", "actions"],
                    [".tabs", "settings"], [".segmented", "split"], [".filters", "filters"],
                    ["#board-chart", "chart"], ["table.board", "table"], [".below", "below"]];
                  return places.find(([selector]) => it.closest(selector))?.[1] ?? it.getAttribute("aria-label");
                }"""
            )
        )
        if reached[-1] == "table":
            break
    places = [place for index, place in enumerate(reached) if not index or place != reached[index - 1]]
    assert places == ["skip", "site", "actions", "settings", "split", "filters", "chart", "Systems", "table"]
    assert reached.count("skip") == 2
    page.goto(BOARD)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#board-table")).to_be_focused()


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_the_leader_ends_above_the_fold_and_rows_are_low(
    open_board: Callable[..., "Page"], width: int, height: int
) -> None:
    page = open_board(viewport=(width, height))
    page.evaluate("document.fonts.ready")
    rows = page.evaluate(
        """() => [...document.querySelectorAll("table.board tbody tr")].map((row) => {
          const box = row.getBoundingClientRect();
          return [box.bottom, box.height];
        })"""
    )
    assert len(rows) == 50
    assert rows[0][0] <= height
    assert max(tall for _, tall in rows) <= 56


@pytest.mark.parametrize(("width", "height"), [(640, 360), (768, 432), (960, 540)])
def test_at_200_per_cent_the_first_row_is_on_the_first_screen(
    open_board: Callable[..., "Page"], width: int, height: int
) -> None:
    """Windows of 1280, 1536 and 1920 pixels, each with half of its pixels."""
    page = open_board(viewport=(width, height), device_scale_factor=2)
    page.evaluate("document.fonts.ready")
    row = page.locator("table.board tbody tr").first.bounding_box()
    assert row and row["y"] + row["height"] <= height
    assert page.evaluate(OVERFLOW) == 0


INSIDE = """(link) => {
  const [box, line] = [link.getBoundingClientRect(), link.closest("ul").getBoundingClientRect()];
  return box.width > 0 && box.left >= line.left - 1 && Math.min(box.right, box.left + line.width) <= line.right + 1;
}"""
"""Whether a link is whole within its line, or of one that is longer than its line as much as fits."""


def test_one_sees_which_board_it_is(open_board: Callable[..., "Page"]) -> None:
    page = open_board(viewport=PHONE)
    last = page.locator(".board-tabs .tab").last
    for address in (BOARD, last.get_attribute("href") or ""):
        page.goto(address)
        chosen = page.locator('.board-tabs .tab[aria-current="page"]')
        assert chosen.evaluate(INSIDE), address
        name = chosen.evaluate("(link) => link.firstChild.textContent")
        expect(page.locator("#finding")).to_contain_text(f"FanOutQA, {name}, Development:")
    assert chosen.get_attribute("href") == last.get_attribute("href") != BOARD
    page.set_viewport_size({"width": 1280, "height": 900})
    tabs = page.locator(".board-tabs .tab")
    assert [tab.evaluate(INSIDE) for tab in tabs.all()] == [True] * tabs.count()
    assert tabs.count() >= 5


def test_in_forced_colours_one_choice_looks_chosen(open_board: Callable[..., "Page"]) -> None:
    page = open_board(forced_colors="active")
    for choices, look in ((".board-tabs .tab", "borderBottomColor"), (".segmented__item", "backgroundColor")):
        looks = page.locator(choices).evaluate_all(
            "(links, look) => links.map((link) => [getComputedStyle(link)[look], link.ariaCurrent ?? ''])", look
        )
        chosen = [colour for colour, current in looks if current]
        others = {colour for colour, current in looks if not current}
        assert len(chosen) == 1 and len(others) == 1 and chosen[0] not in others, choices


def test_the_search_field_is_wide_enough_beside_chips(open_board: Callable[..., "Page"]) -> None:
    page = open_board("?type=PROMPT&context_min=1000")
    assert page.locator("#board-chips a[aria-current]").count() >= 2
    for width, height in ((1280, 900), (1024, 768), PHONE):
        page.set_viewport_size({"width": width, "height": height})
        box = page.get_by_role("searchbox").bounding_box()
        assert box and box["width"] >= 160, width


def test_reported_rows_have_their_numbers_near_and_their_own_sentence(open_board: Callable[..., "Page"]) -> None:
    page = open_board("?kind=reported")
    expect(page.locator("#finding")).to_contain_text("Reported numbers have no rank. The best reported: Reported model")
    name = page.locator(".board tbody .name").first.bounding_box()
    score = page.locator(".board tbody .board__headline").first.bounding_box()
    assert name and score and score["x"] - name["x"] <= 450


def test_a_phone_shows_the_score_with_its_interval(open_board: Callable[..., "Page"]) -> None:
    page = open_board(viewport=PHONE)
    row = page.locator(".board tbody tr").first
    expect(row.locator(".board__rank")).to_be_visible()
    expect(row.locator(".board__headline .interval")).to_be_visible()
    expect(row.locator(".board__number:visible")).to_have_count(0)
    for name in ("board-columns", "board-filters"):
        page.locator(f"#{name} > summary").click()
        box = page.locator(f"#{name} .chip-menu__body").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0], name
        page.locator(f"#{name} > summary").click()
    page.goto(f"{BOARD}?columns=all")
    expect(row.locator(".board__number:visible")).not_to_have_count(0)
    head, frame = page.locator(".board thead .board__system"), page.locator(".board-scroll")
    before = head.bounding_box()
    frame.evaluate("(element) => element.scrollTo(300, 0)")
    after = head.bounding_box()
    assert before and after and after["x"] <= before["x"]
    assert after["x"] >= 0, "the column with the names stays"


def test_a_failure_says_so_in_place_of_the_table(open_board: Callable[..., "Page"]) -> None:
    page = open_board(expect_statuses=(503,))
    page.route("**/openbook/?sort=**", lambda route: route.fulfill(status=503, body="Unavailable"))
    page.locator("#sort-strict").click()
    alert = page.locator("#board-table [role=alert]")
    expect(alert).to_contain_text("could not be loaded")
    assert "sort=-strict" in (alert.get_by_role("link", name="Try again").get_attribute("href") or "")
    expect(page.locator("#board-form")).to_be_visible()


def test_paper_gets_the_table_alone(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})
    for gone in ("#board-form", ".pick", ".pagination", ".compare-bar", ".site-header", ".board__link-list"):
        expect(page.locator(gone).first, gone).not_to_be_visible()
    expect(page.locator(".board .interval").first).to_be_visible()
    chart, table = page.locator("#board-chart").bounding_box(), page.locator("table.board").bounding_box()
    assert chart and table and chart["y"] + chart["height"] <= table["y"], "the chart stands above the table"
