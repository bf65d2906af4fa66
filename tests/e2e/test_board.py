"""The board in a real browser: searching, sorting, choosing columns, comparing, with scripts and without."""

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
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def place(lasting_db: None) -> tuple[Split, Setting]:
    """A board of two pages with statistics, people and a reported row; nothing here changes it."""
    made = factories.benchmark(n_dev=12)
    dev, openbook = factories.split(made, "dev"), factories.setting(made)
    boards.fill(dev, openbook, 104)
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
    return page.locator(
        ".board tbody:not(.board__pinned) th.board__system .system-name a:first-child"
    ).all_inner_texts()


def test_typing_searches_keeps_the_focus_and_says_how_many(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    page.evaluate("document.querySelector('h1').dataset.kept = 'yes'")
    search = page.get_by_role("searchbox")
    search.press_sequentially("system 10", delay=30)
    page.wait_for_url("**?q=system+10")
    page.locator(".board-state__filters").wait_for()
    expect(search).to_have_value("system 10")
    assert search.evaluate("(element) => element === document.activeElement")
    assert page.locator("h1").get_attribute("data-kept") == "yes"
    assert set(names(page)) == {"System 10", *(f"System 10{n}" for n in range(5))}
    assert (page.locator("#announcer").text_content() or "").startswith("6 of 105 systems. Sorted by Loose accuracy")
    expect(page.locator(".board__pinned tr")).to_have_count(2)
    page.locator("#reset-filters").click()
    page.wait_for_url(f"**{BOARD}")
    page.locator(".board-state__filters").wait_for(state="detached")
    expect(search).to_have_value("")


def test_filters_columns_and_several_keys_join_in_one_address(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    page.locator("#board-filters > summary").click()
    page.get_by_label("Prompting method").check()
    page.wait_for_url("**?type=PROMPT")
    page.locator("#sort-strict").click()
    page.wait_for_url("**?sort=-strict&type=PROMPT")
    page.locator("#then-by > summary").click()
    page.locator("#then-name").click()
    page.wait_for_url("**?sort=-strict,name&type=PROMPT")
    page.locator("#board-columns > summary").click()
    columns = page.locator("#board-columns")
    columns.get_by_role("group", name="ROUGE (F1)").get_by_label("R-2").uncheck()
    page.wait_for_url("**?sort=-strict,name&type=PROMPT&columns=**")
    page.locator("[id='sort-rouge2.fscore']").wait_for(state="detached")
    address = page.url
    shown = names(page)
    page.reload()
    assert (page.url, names(page)) == (address, shown)
    expect(page.get_by_label("Prompting method")).to_be_checked()
    page.go_back()
    page.locator("[id='sort-rouge2.fscore']").wait_for()
    expect(page.locator("h1")).to_have_count(1)


def test_everything_works_without_scripts(open_board: Callable[..., "Page"]) -> None:
    page = open_board(javascript=False)
    page.get_by_role("searchbox").fill("system")
    page.locator("#board-filters > summary").click()
    page.get_by_label("Prompting method").check()
    page.get_by_label("at least").fill("5,000")
    page.locator("#board-filters").get_by_role("button", name="Apply").click()
    page.locator("#reset-filters").wait_for()
    shown = names(page)
    assert 0 < len(shown) < 30
    page.locator("#then-by > summary").click()
    page.locator("#then-name").click()
    page.wait_for_url("**?sort=-loose,name&q=system&type=PROMPT&context_min=5000")
    page.get_by_role("searchbox").fill("system 1")
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url("**?**q=system+1&**")
    page.locator("#order-name").wait_for()  # the order is kept by the form
    page.goto(BOARD)
    page.get_by_role("link", name="Next").click()
    page.wait_for_url("**?page=2")
    page.get_by_text("Page 2 of 2", exact=True).wait_for()
    assert len(names(page)) == 5


def test_pages_lead_to_one_another(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    first = names(page)
    page.get_by_role("link", name="Next").click()
    page.wait_for_url("**?page=2")
    page.get_by_text("Page 2 of 2", exact=True).wait_for()
    assert not set(first) & set(names(page))
    assert (page.locator("#announcer").text_content() or "").endswith("Page 2 of 2.")


def test_ticked_systems_stay_ticked_while_the_table_changes(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    button = page.get_by_role("button", name="Compare selected")
    expect(button).to_be_disabled()
    shown = [name for name in names(page) if name != "Reported model"]
    for name in (shown[0], shown[4]):
        page.get_by_label(f"Compare {name}", exact=True).check()
    expect(button).to_be_enabled()
    page.locator("#sort-strict").click()
    page.wait_for_url("**sort=-strict")
    page.locator("th[aria-sort=descending]", has_text="Strict").wait_for()
    expect(page.get_by_label(f"Compare {shown[0]}", exact=True)).to_be_checked()
    page.get_by_role("link", name="Next").click()
    page.get_by_text("Page 2 of 2", exact=True).wait_for()
    page.get_by_role("button", name="Compare selected").click()
    page.wait_for_url("**/compare/**")
    for name in (shown[0], shown[4]):
        assert f"system={name.lower().replace(' ', '-')}" in page.url


def test_the_keyboard_stays_at_the_table_when_a_filter_is_taken_off(open_board: Callable[..., "Page"]) -> None:
    page = open_board("?type=PROMPT&sort=name")
    chip = page.locator(".board-state a.chip", has_text="×")
    chip.focus()
    chip.press("Enter")
    page.wait_for_url("**/?sort=name")
    page.locator("#announcer", has_text="Sorted by System").wait_for(state="attached")
    assert page.get_by_role("region", name="Systems", exact=True).evaluate("it => it === document.activeElement")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('table.board') !== null")


def test_there_are_no_barriers_and_everything_fits(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    queries = ("", "?columns=all&sort=judge,name&type=PROMPT&q=system", "?q=none+such", "?columns=all")
    for index, query in enumerate(queries):
        assert list(looked_at(page, BOARD + query, dark=index % 2 == 1)) == []


def test_the_keyboard_goes_through_in_order(open_board: Callable[..., "Page"]) -> None:
    page = open_board("?type=PROMPT")
    page.locator("#board-q").focus()
    reached = []
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.parentElement.id || ''"))
    wanted = ["board-filters", "board-columns", "order-loose", "then-by", "reset-filters", "sort-name", "sort-type"]
    places = [reached.index(one) for one in wanted]
    assert places == sorted(places), reached


def test_a_phone_shows_values_with_their_intervals(open_board: Callable[..., "Page"]) -> None:
    page = open_board(viewport=PHONE)
    row = page.locator(".board tbody:not(.board__pinned) tr").first
    expect(row.locator(".board__rank")).to_be_visible()
    expect(row.locator(".interval").first).to_be_visible()
    expect(row.locator(".board__number:visible")).to_have_count(2)


def test_large_numbers_and_times_follow_the_reader(open_board: Callable[..., "Page"]) -> None:
    german = open_board(locale="de-DE")
    assert "128\u202f000" in (german.locator(".board__context").all_inner_texts())
    english = open_board(locale="en-GB")
    assert "128,000" in english.locator(".board__context").all_inner_texts()
    egyptian = open_board(locale="ar-EG")
    assert "128,000" in egyptian.locator(".board__context").all_inner_texts(), "in the digits of the scores beside them"


def test_paper_gets_the_table_alone(open_board: Callable[..., "Page"]) -> None:
    page = open_board()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})
    for gone in ("#board-form", ".board-state", ".pick", ".pagination", ".board__links", ".site-header"):
        expect(page.locator(gone).first, gone).not_to_be_visible()
    expect(page.locator(".interval").first).to_be_visible()
    expect(page.locator(".legend")).to_be_visible()
