"""The reader of a volunteer in a real browser: tabs, back and forward, passages, the divider, a phone, no scripts."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from humaneval.models import Assignment, Invitation, ReaderTab, Search, Study, Visit
from humaneval.participants.invitations import path_of
from tests.browser import PHONE
from tests.e2e.test_study import answer, assert_clean, frame, link, server, sit, source, study, wait_until_saved
from tests.services import PATIENCE_SECONDS, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

__all__ = ["link", "server", "sit", "source", "study"]  # the fixtures of the journeys
pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SELECT_LAST = """() => {
  const page = document.getElementById("article-frame").contentDocument;
  page.getSelection().selectAllChildren([...page.querySelectorAll(".article-body p")].at(-1));
}"""


def tabs(page: "Page") -> Any:
    return page.get_by_role("navigation", name="Open articles").get_by_role("link")


def search(page: "Page", words: str) -> None:
    query = page.get_by_label("Search the encyclopedia")
    query.fill(words)
    query.press("Enter")
    page.get_by_role("heading", name="6 articles found").wait_for()


def scrolled(page: "Page") -> int:
    return int(page.evaluate("document.getElementById('article-frame').contentWindow.scrollY"))


def wait_until_scrolled(page: "Page", place: int) -> None:
    wait_for(lambda: scrolled(page) == place, PATIENCE_SECONDS, f"the article at its place, {place}")


def scroll_to(page: "Page", place: int) -> None:
    page.evaluate(f"document.getElementById('article-frame').contentWindow.scrollTo(0, {place})")


def test_tabs_are_there_on_return_each_at_its_place(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    home = page.url
    search(page, "government")
    page.get_by_role("button", name="Add tab for Norway").click()
    expect(tabs(page)).to_have_text(["Norway"])
    page.get_by_role("link", name="Peru", exact=True).click(modifiers=["Control"])
    expect(tabs(page)).to_have_text(["Norway", "Peru"])
    assert len(page.context.pages) == 1
    assert not Visit.objects.exists(), "nobody has looked at them"
    assert_clean(page)
    tabs(page).first.click()
    frame(page).get_by_role("link", name="Oslo").click(button="middle")
    expect(tabs(page)).to_have_text(["Norway", "Peru", "Oslo"])
    scroll_to(page, 600)
    tabs(page).nth(1).click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Peru")
    frame(page)
    wait_until_scrolled(page, 0)
    tabs(page).first.click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Norway")
    frame(page)
    wait_until_scrolled(page, 600)
    expect(tabs(page).first).to_have_attribute("aria-current", "page")
    assert list(Visit.objects.order_by("pk").values_list("title", flat=True)) == ["Norway", "Peru", "Norway"]

    # Another page, then another device: the same tabs, at the same places.
    page.get_by_role("link", name="Questions", exact=True).click()
    page.get_by_role("heading", name="Your questions").wait_for()
    page.goto(home)
    expect(tabs(page)).to_have_text(["Norway", "Peru", "Oslo"])
    phone = sit(link, viewport=PHONE)
    phone.get_by_role("link", name="Encyclopedia", exact=True).click()
    tabs(phone).first.click()
    frame(phone)
    assert scrolled(phone) > 300
    assert_clean(phone)
    page.get_by_role("button", name="Close Peru").click()
    expect(tabs(page)).to_have_text(["Norway", "Oslo"])
    assert ReaderTab.objects.count() == 2


def test_back_and_forward_in_the_reader(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    back, forward = (page.get_by_role("button", name=name, exact=True) for name in ("Back", "Forward"))
    expect(back).to_be_disabled()
    page.goto(f"{page.url}article/?path=Kenya")
    frame(page).get_by_role("link", name="Nairobi").click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Nairobi")
    expect(forward).to_be_disabled()
    back.click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Kenya")
    expect(back).to_be_disabled()
    forward.click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Nairobi")
    n_visits = Visit.objects.count()
    page.reload()
    frame(page)
    assert Visit.objects.count() == n_visits
    assert Visit.objects.latest("pk").n_reloads == 1


def test_a_search_that_is_too_long_is_kept_and_refused_at_its_field(
    sit: "Callable[..., Page]", link: Invitation
) -> None:
    page = sit(link)
    query, pasted = page.get_by_label("Search the encyclopedia"), "government " * 2_000
    query.fill(pasted)
    query.press("Enter")
    said = "Your search has 22,000 characters. Shorten it to at most 300."
    assert query.evaluate("field => field.validationMessage") == said
    expect(query).to_have_value(pasted)
    assert not Search.objects.exists()
    search(page, "government")
    assert Search.objects.get().query == "government"


OPEN = "folds => folds.forEach((fold) => { fold.open = true; })"
UNSENT = "Object.keys(localStorage).filter((key) => key.startsWith('manyhop:marks')).length"


def note_of(page: "Page") -> Any:
    page.locator("#note").wait_for(state="attached")
    page.locator("details:has(#note)").evaluate_all(OPEN)
    return page.locator("#note")


def wait_until_noted(text: str) -> None:
    wait_for(lambda: Assignment.objects.get(position=1).note == text, PATIENCE_SECONDS, f"the note {text}")


def test_a_note_is_saved_however_the_page_is_left(
    sit: "Callable[..., Page]", link: Invitation, page_factory: Any
) -> None:
    page = sit(link)
    home = page.url
    note_of(page).fill("typed")
    wait_until_noted("typed")  # without leaving the field
    expect(page.locator("#extras-message")).to_have_text("Note: saved.")
    assert page.evaluate(UNSENT) == 0
    assert_clean(page)
    # A reload at once, Done, and a tab that is closed at once.
    note_of(page).fill("then a reload")
    page.reload()
    expect(page.locator("#note")).to_have_value("then a reload")
    wait_until_noted("then a reload")
    note_of(page).fill("then done")
    answer(page).fill("Nairobi")
    page.locator("#mark-done").click()
    page.wait_for_url("**/questions/2/")
    wait_until_noted("then done")
    other = page.context.new_page()
    other.goto(home)
    note_of(other).fill("then closed")
    other.close()
    wait_until_noted("then closed")
    # Without a connection it is stored here; a second tab's note stays too, until the participant chooses.
    page.goto(home)
    other = page.context.new_page()
    other.goto(home)
    page.context.set_offline(True)
    note_of(page).fill("in a tunnel")
    expect(page.locator("#extras-message")).to_contain_text("stored")
    note_of(other).fill("elsewhere")
    page.context.set_offline(False)
    # Which of the two is sent first depends on how soon each tab finds that it is connected again.
    wait_for(
        lambda: any(tab.locator("#note-conflict").is_visible() for tab in (page, other)), PATIENCE_SECONDS, "a choice"
    )
    asking = next(tab for tab in (page, other) if tab.locator("#note-conflict").is_visible())
    assert_clean(asking)
    asking.get_by_role("button", name="Keep both").click()
    both = {"elsewhere", "in a tunnel"}
    wait_for(lambda: set(Assignment.objects.get(position=1).note.split("\n\n")) == both, PATIENCE_SECONDS, "both notes")
    wait_for(lambda: asking.evaluate(UNSENT) == 0, PATIENCE_SECONDS, "the note to leave the browser")
    page_factory.expected += ["net::ERR_INTERNET_DISCONNECTED", "409 (Conflict)"]


def test_a_note_that_is_typed_before_the_scripts_run_is_saved(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    held: list[Route] = []

    def is_held() -> bool:
        page.wait_for_timeout(50)  # in which Playwright tells of requests
        return bool(held)

    page.route("**/answering/main*.js", lambda route: held.append(route))  # Playwright needs a function
    page.goto(page.url, wait_until="commit")
    note_of(page).fill("typed at once")
    wait_for(is_held, PATIENCE_SECONDS, "the request for the scripts")
    held[0].continue_()
    wait_until_noted("typed at once")


def test_nothing_that_is_too_long_is_cut(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    emoji = "\N{GRINNING FACE}" * 20_000  # twice as many in UTF-16
    answer(page).fill(emoji)
    wait_for(lambda: Assignment.objects.get(position=1).text == emoji, PATIENCE_SECONDS, "the longest answer")
    answer(page).fill("y" * 28_000)
    expect(page.locator("#save-status")).to_contain_text("Your answer: 28,000 characters. Shorten it to at most 20,000")
    note_of(page).fill("n" * 20_001)
    expect(page.locator("#extras-message")).to_contain_text("Note on this question: 20,001 characters.")
    page.reload()
    expect(answer(page)).to_have_value("y" * 28_000)
    expect(page.locator("#note")).to_have_value("n" * 20_001)
    assert Assignment.objects.get(position=1).text == emoji
    page.locator("#note").fill("n")
    answer(page).fill("y" * 20_000)
    wait_for(lambda: Assignment.objects.get(position=1).text == "y" * 20_000, PATIENCE_SECONDS, "the shorter answer")
    wait_until_noted("n")


LOSES = """(() => {
  const send = window.fetch;
  window.fetch = async (url, options) => {
    if (!options?.body?.has?.("note")) return send(url, options);
    if (options.body.get("note") === "a correcton") await send(url, options);
    throw new TypeError("lost");
  };
})()"""


def test_a_button_saves_the_note_with_the_answer(sit: "Callable[..., Page]", link: Invitation) -> None:
    """No note that the script sends arrives, but for the first one, whose reply is lost."""
    page = sit(link)
    page.context.add_init_script(LOSES)
    page.reload()
    note_of(page).fill("a correcton")
    expect(page.locator("#extras-message")).to_contain_text("stored")
    page.locator("#note").fill("a correction")
    answer(page).fill("Nairobi")
    page.locator("#mark-done").click()
    page.wait_for_url("**/questions/2/")
    assert Assignment.objects.get(position=1).note == "a correction"


def test_the_answer_can_be_made_wider(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    divider = page.get_by_role("separator")
    side = page.locator("#answer-side")

    def width() -> float:
        box = side.bounding_box()
        assert box is not None
        return box["width"]

    before = width()
    divider.focus()
    page.keyboard.press("ArrowRight")
    assert width() > before
    page.keyboard.press("End")
    expect(divider).to_have_attribute("aria-valuenow", "75")
    box = divider.bounding_box()
    assert box is not None
    page.goto(f"{page.url}article/?path=Kenya")
    frame(page)
    page.mouse.move(box["x"] + 4, 500)
    page.mouse.down()
    page.mouse.move(800, 500, steps=4)
    page.mouse.move(900, 600, steps=4)  # over the article's frame, too
    page.mouse.up()
    wait_for(lambda: abs(width() - 900) < 12, PATIENCE_SECONDS, "the width that the mouse chose")
    wide = width()
    page.reload()
    frame(page)
    assert abs(width() - wide) < 2, "the width is remembered"
    assert_clean(page)


def test_checking_a_practice_answer_keeps_the_open_article(server: Any, link: Invitation, page_factory: Any) -> None:
    page = page_factory(server.url)
    page.goto(path_of(link))
    page.locator("#enter").click()
    page.locator("#agree").click()
    page.get_by_role("button", name="Continue").click()
    search(page, "government")
    page.get_by_role("link", name="Norway", exact=True).click()
    frame(page)
    scroll_to(page, 500)
    answer(page).fill("It is Oslo, in Norway")
    page.get_by_role("button", name="Check answer").click()
    expect(page.locator("#feedback-title")).to_be_focused()
    assert page.locator("#article-frame").get_attribute("title") == "Norway"
    wait_until_scrolled(page, 500)
    page.get_by_role("button", name="Check again").click()
    expect(page.locator("#feedback-title")).to_be_focused()
    assert_clean(page)

    # Tabs as in the study, but without a record.
    expect(tabs(page)).to_have_text(["Norway"])
    search(page, "government")
    page.get_by_role("button", name="Add tab for Peru").click()
    expect(tabs(page)).to_have_text(["Norway", "Peru"])
    page.reload()
    expect(tabs(page)).to_have_text(["Norway", "Peru"])
    page.get_by_role("button", name="Close Norway").click()
    expect(tabs(page)).to_have_text(["Peru"])
    assert not ReaderTab.objects.exists()


def test_a_text_that_arrives_while_the_page_is_rendered_is_shown(
    sit: "Callable[..., Page]", link: Invitation, study: Study
) -> None:
    """The list of questions sends the text of question 1 just after the server rendered that question without it."""
    page = sit(link)
    base = f"/studies/{study.slug}/questions/"
    item = {"number": 1, "text": "sent from the list", "key": "0" * 8 + "-0000-4000-8000-" + "0" * 11 + "1"}
    page.goto(base)
    rendered = page.request.get(f"{base}1/").text()
    page.evaluate(
        "(item) => localStorage.setItem(`manyhop:answer:${document.getElementById('content').dataset.participant}:1:x`,"
        " JSON.stringify({ ...item, based_on: 0, typed_at: Date.now() }))",
        item,
    )
    with page.expect_response("**/1/answer/") as sent:
        page.evaluate("window.dispatchEvent(new Event('online'))")
    assert sent.value.status == 200
    waiting = "Object.keys(localStorage).some((key) => key.startsWith('manyhop:answer'))"
    wait_for(lambda: not page.evaluate(waiting), PATIENCE_SECONDS, "the reply in the browser")
    page.route(re.compile("/questions/1/$"), lambda route: route.fulfill(body=rendered, content_type="text/html"))
    page.goto(f"{base}1/")
    expect(answer(page)).to_have_value("sent from the list")
    page.unroute(re.compile("/questions/1/$"))
    answer(page).fill("sent from the list, and changed")
    wait_until_saved(page, "sent from the list, and changed")
    assert page.locator("#conflict").is_hidden()


@pytest.mark.parametrize("viewport", [(1280, 900), PHONE])
def test_without_scripts_every_button_saves(
    sit: "Callable[..., Page]", link: Invitation, viewport: tuple[int, int]
) -> None:
    page = sit(link, javascript=False, viewport=viewport)

    def typed(text: str) -> None:
        answer(page).fill(text)

    def stored() -> str:
        return Assignment.objects.get(position=1).text

    typed("one")
    search(page, "government")
    assert stored() == "one"
    typed("two")
    page.get_by_role("button", name="Add tab for Norway").click()
    expect(tabs(page)).to_have_text(["Norway"])
    assert stored() == "two"
    tabs(page).first.click()
    page.get_by_label("Used: Norway").wait_for()
    page.wait_for_load_state()
    reader, side = (page.locator(name).bounding_box() for name in ("#reader-side", "#answer-side"))
    assert reader is not None
    assert side is not None
    if viewport == PHONE:
        assert reader["y"] < side["y"], "the article is above the form"
    typed("three")
    page.locator("#report-fold > summary").click()
    page.get_by_label("Article URL").fill("https://en.wikipedia.org/wiki/Mount_Everest")
    page.locator("summary", has_text="Note on this question").click()
    page.locator("#note").fill("A note on Norway")
    page.get_by_label("Used: Norway").check()
    page.locator("#find").fill("government")
    page.get_by_role("button", name="Passages").click()
    page.get_by_role("heading", name="Passages of Norway").wait_for()
    assert stored() == "three"
    assert Assignment.objects.get(position=1).note == "A note on Norway"
    assert Visit.objects.filter(origin="reported").exists()
    assert Visit.objects.get(path="Norway").used
    typed("four")
    page.get_by_role("button", name="Close Norway").click()
    expect(tabs(page)).to_have_count(0)
    assert stored() == "four"
    assert list(Search.objects.values_list("query", "n_reloads")) == [("government", 1), ("government", 1)]
    assert Assignment.objects.get(position=1).active_seconds is None
