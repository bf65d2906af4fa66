"""The look of the site in a real browser: every page and component of the gallery, light and dark, wide and narrow."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests import pseudo_language
from tests.browser import PHONE, wait_until_settled
from tests.e2e.accessibility import looked_at
from tests.gallery.site import pages
from tests.gallery.studies import grading, volunteers
from tests.gallery.studies import pages as study_pages
from tests.processes import Site, child_environment

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
"""Nothing here writes; the mark has the database made that the site reads."""

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site with the settings of the gallery, in debug mode as `make gallery` serves it."""
    environment = child_environment(
        DEBUG="1", ALLOWED_HOSTS="localhost,127.0.0.1", DJANGO_SETTINGS_MODULE="tests.gallery.settings"
    )
    server = Site(tmp_path_factory.mktemp("gallery"), environment)
    try:
        yield server.start().url
    finally:
        server.stop()


@pytest.fixture
def gallery(site: str, page_factory: "PageFactory") -> "Callable[..., Page]":
    """``gallery("board", dark=True)``: a page of the gallery, opened; without a name the gallery itself."""

    def open_page(name: str = "", **options: Any) -> "Page":
        page = page_factory(site, **options)
        page.goto(address(name))
        return page

    return open_page


def address(name: str) -> str:
    return f"/gallery/?page={name}" if name else "/gallery/"


def firsts_of(samples: Mapping[str, Any]) -> set[str]:
    """The names of the first sample of each template: contrasts take half of the time, and others have the same."""
    return set({sample.template: name for name, sample in reversed([*samples.items()])}.values())


@pytest.mark.parametrize("part", [0, 1, 2])
def test_every_page_is_accessible_and_fits(gallery: "Callable[..., Page]", part: int) -> None:
    """A third of the pages, each looked at one way (wide and light, or narrow and dark) and fitted the other way.

    They share their components and colours, so every one of these is seen in both.
    """
    page = gallery()
    firsts = {"", *firsts_of(pages())}
    findings: list[str] = []
    for index, name in enumerate(("", *pages())[part::3]):
        findings += looked_at(page, address(name), dark=index % 2 == 1, contrasts=name in firsts)
    assert not findings, "\n".join(findings)


def test_every_page_of_studies_and_grading_is_accessible_and_fits(gallery: "Callable[..., Page]") -> None:
    """Likewise the samples of studies and grading, with their folds open: what journeys do not come by."""
    page = gallery()
    firsts = firsts_of(study_pages())
    findings: list[str] = []
    for index, name in enumerate(study_pages()):
        here = f"/gallery/studies/?page={name}"
        findings += looked_at(page, here, dark=index % 2 == 1, unfolded=True, contrasts=name in firsts)
    assert not findings, "\n".join(findings)


def test_longer_texts_and_texts_from_right_to_left_are_accessible_and_fit(gallery: "Callable[..., Page]") -> None:
    page = gallery()
    findings: list[str] = []
    for index, name in enumerate(volunteers.pages() | grading.graders_pages()):
        for language in pseudo_language.LETTERS:
            here = f"/gallery/studies/?page={name}&language={language}"
            findings += looked_at(page, here, dark=index % 2 == 1, unfolded=True, contrasts=False)
    assert not findings, "\n".join(findings)


# --- The board ----------------------------------------------------------------------------------------------------


def test_sorting_swaps_the_table_keeps_the_focus_and_says_so(gallery: "Callable[..., Page]") -> None:
    page = gallery("board")
    page.evaluate("document.querySelector('h1').dataset.kept = 'yes'")
    link = page.get_by_role("link", name="Strict")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**sort=-strict")
    page.locator("th[aria-sort=descending]", has_text="Strict").wait_for()
    assert page.locator("h1").get_attribute("data-kept") == "yes", "the whole page was loaded"
    expect(page.locator("#sort-strict")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("10 of 17 systems. Sorted by Strict accuracy, descending.")
    wait_until_settled(page)
    page.keyboard.press("Enter")
    page.locator("th[aria-sort=ascending]", has_text="Strict").wait_for()
    page.go_back()
    page.locator("th[aria-sort=descending]", has_text="Strict").wait_for()
    expect(page.locator("h1"), "the fragment was shown in place of the page").to_have_count(1)


def test_a_missing_score_has_its_reason_for_screen_readers_and_in_the_notes(gallery: "Callable[..., Page]") -> None:
    page = gallery("board&columns=all")
    missing = page.locator(".board__number .visually-hidden", has_text="not scored: Not scored yet.")
    expect(missing).not_to_have_count(0)
    page.locator("#board-notes > summary").click()
    assert "GPT judge: Not scored yet (GPT-4o" in page.locator("#board-notes").inner_text()


def test_head_and_system_column_stay_in_view(gallery: "Callable[..., Page]") -> None:
    page = gallery("board-long&columns=all")
    frame = page.locator(".board-scroll")
    frame.evaluate("(element) => element.scrollTo(300, 900)")
    system = page.locator("tbody .board__system").first.bounding_box()
    head, box = page.locator(".board thead th").first.bounding_box(), frame.bounding_box()
    assert system and head and box
    assert abs(system["x"] - box["x"]) <= 2
    assert abs(head["y"] - box["y"]) <= 2


# --- Reports -------------------------------------------------------------------------------------------------------


BELOW_THE_FOOTER = """() => document.documentElement.scrollHeight
  - Math.max(innerHeight, document.querySelector(".site-footer").getBoundingClientRect().bottom + scrollY)"""


def test_two_reports_stand_side_by_side_or_below_each_other_and_scroll_by_themselves(
    gallery: "Callable[..., Page]",
) -> None:
    page = gallery("question-reports", javascript=False)
    first, second = page.locator(".report--scrolling").all()
    titles = [page.locator(f"#{side}-title") for side in ("left", "right")]
    assert page.evaluate(BELOW_THE_FOOTER) <= 1, "what scrolls by itself makes the page no longer"
    assert page.locator(".markdown td").first.evaluate("(cell) => getComputedStyle(cell).overflowWrap") == "break-word"

    def places() -> list[tuple[float, float]]:
        boxes = [title.bounding_box() for title in titles]
        return [(box["x"], box["y"]) for box in boxes if box]

    (left, top), (right, other_top) = places()
    assert left < right
    assert top == other_top
    page.locator(".report__contents > summary").first.click()
    page.get_by_role("link", name="Part 4: Repairs").click()
    expect(first.get_by_role("heading", name="Part 4: Repairs")).to_be_in_viewport()
    part = first.get_by_role("heading", name="Part 4: Repairs").bounding_box()
    frame = first.bounding_box()
    assert part and frame
    assert frame["y"] - 1 <= part["y"] <= frame["y"] + frame["height"]
    page.set_viewport_size({"width": 390, "height": 844})
    (left, top), (right, other_top) = places()
    assert left == right
    assert top < other_top
    assert all(box["height"] <= 844 for box in (first.bounding_box(), second.bounding_box()) if box)


def test_splits_and_what_stands_beside_a_form_keep_their_width(gallery: "Callable[..., Page]") -> None:
    page = gallery("board", viewport=PHONE)
    items = page.locator(".board-tabs .segmented li").evaluate_all("(items) => items.map((one) => one.offsetTop)")
    assert len(items) > 1 and len(set(items)) == 1, "splits stand in one line"
    page = gallery("submit")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    aside = page.locator(".submit-layout__aside").bounding_box()
    assert aside and aside["width"] > 300, "text at twice the size does not stand in a column of letters"


# --- A submission -------------------------------------------------------------------------------------------------


def test_progress_is_announced_when_the_state_changes_and_only_then(gallery: "Callable[..., Page]", site: str) -> None:
    page = gallery("submission-running")
    page.evaluate(
        """() => {
          window.announced = [];
          const region = document.getElementById('announcer');
          new MutationObserver(() => window.announced.push(region.textContent)).observe(region, {childList: true});
        }"""
    )
    page.locator("#withdraw-ask").focus()
    with page.expect_response("**page=submission-running"):
        pass
    with page.expect_response("**page=submission-running"):
        pass
    assert page.evaluate("window.announced") == []
    assert page.evaluate("document.activeElement.id") == "withdraw-ask"

    def finished(route: "Route") -> None:
        headers = {"HX-Request": "true"}
        route.fulfill(response=page.request.get(f"{site}{address('submission')}", headers=headers))

    page.route("**page=submission-running", finished)
    page.get_by_role("button", name="Publish").wait_for()
    expect(page.locator("#announcer")).to_have_text("Submission: Scored.")
    assert page.evaluate("window.announced") == ["Submission: Scored."]
    expect(page.locator("#withdraw-ask")).to_be_focused()
    expect(page.locator("#submission-live")).not_to_have_attribute("hx-get", re.compile(""))


def test_an_open_fold_stays_open_while_the_page_follows(gallery: "Callable[..., Page]") -> None:
    page = gallery("submission-running")
    page.locator("#withdraw-ask").click()
    button = page.get_by_role("button", name="Withdraw permanently")
    button.wait_for()
    with page.expect_response("**page=submission-running"):
        pass
    wait_until_settled(page)
    expect(button).to_be_visible()


def test_a_server_that_is_away_is_said_and_asked_again(
    gallery: "Callable[..., Page]", page_factory: "PageFactory"
) -> None:
    page = gallery("submission-running", expect_statuses=[503])
    notice = page.locator("#offline-notice")
    expect(notice).to_be_hidden()
    page.route("**page=submission-running", lambda route: route.fulfill(status=503, body="away"))
    notice.wait_for(state="visible")
    page.unroute("**page=submission-running")
    notice.wait_for(state="hidden")
    page_factory.expected.append("Status Error Code 503")


# --- The frame ----------------------------------------------------------------------------------------------------


def test_the_theme_is_kept_and_set_before_the_page_is_drawn(gallery: "Callable[..., Page]") -> None:
    page = gallery("board")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    toggle = page.locator("#theme-toggle")
    toggle.click()
    toggle.click()
    assert toggle.get_attribute("aria-label") == "Colour theme: dark. Switch to system."
    dark = page.evaluate(background)
    assert dark != light
    page.add_init_script(
        """new MutationObserver((_, observer) => {
          if (!document.body) return;
          window.themeAtBody = document.documentElement.dataset.theme;
          observer.disconnect();
        }).observe(document, {childList: true, subtree: true});"""
    )
    page.reload()
    assert page.evaluate("window.themeAtBody") == "dark"
    assert page.evaluate(background) == dark
    page.locator("#theme-toggle").click()
    assert page.evaluate(background) == light


def test_times_are_the_readers_own_and_written_as_dates_are(gallery: "Callable[..., Page]") -> None:
    page = gallery("submission", timezone_id="Asia/Tokyo", locale="en-US")
    shown = page.locator("time[title]").first
    assert shown.get_attribute("title") == "14 Jul 2026, 09:31 UTC"
    assert shown.inner_text() == "14 Jul 2026, 18:31"


def test_the_keyboard_reaches_the_content_first(gallery: "Callable[..., Page]") -> None:
    page = gallery("board")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    assert skip.evaluate("(element) => element === document.activeElement")
    box = skip.bounding_box()
    assert box and box["y"] >= 0
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()


def test_focus_is_visible_on_everything_that_takes_it(gallery: "Callable[..., Page]") -> None:
    page = gallery("submit")
    unmarked = []
    for _ in range(40):
        page.keyboard.press("Tab")
        marked = page.evaluate(
            """() => {
              const style = getComputedStyle(document.activeElement);
              return document.activeElement === document.body || style.outlineStyle !== 'none' ? '' :
                document.activeElement.outerHTML.slice(0, 120);
            }"""
        )
        if marked:
            unmarked.append(marked)
    assert unmarked == []


def test_a_refused_form_takes_the_focus_to_its_errors(gallery: "Callable[..., Page]") -> None:
    page = gallery("submit-errors")
    expect(page.locator("#form-errors")).to_be_focused()
    page.get_by_role("link", name="Web page").click()
    expect(page.locator("[name=url]")).to_be_focused()
