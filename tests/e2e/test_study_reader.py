"""The reader of a volunteer in a real browser: tabs, back and forward, passages, the divider, a phone, no scripts."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from humaneval.models import Assignment, Invitation, ReaderTab, SavedPassage, Search, Study, Visit
from humaneval.participants.invitations import path_of
from tests.browser import PHONE
from tests.e2e.test_study import answer, assert_clean, frame, link, server, sit, source, study, wait_until_saved
from tests.services import PATIENCE_SECONDS, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
    assert scrolled(page) == 0
    tabs(page).first.click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Norway")
    frame(page)
    assert scrolled(page) == 600
    expect(tabs(page).first).to_have_attribute("aria-current", "page")
    assert list(Visit.objects.order_by("pk").values_list("title", flat=True)) == ["Norway", "Peru", "Norway"]

    # Another page, then another device: the same tabs, at the same places.
    page.get_by_role("link", name="Questions", exact=True).click()
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


def test_passages_are_kept_with_their_article(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    page.goto(f"{page.url}article/?path=Kenya")
    save = page.get_by_role("button", name="Save passage")
    expect(save).to_be_disabled()
    frame(page)
    page.evaluate(SELECT_LAST)
    save.click()
    saved = page.locator(".saved-passage")
    expect(saved).to_have_count(1)
    expect(saved.locator("blockquote")).to_have_text("The government of Kenya sits in Nairobi.")
    saved.get_by_role("textbox", name="Kenya").fill("from its last section")
    page.locator(".article-keep__note summary").click()
    page.locator("#article-note").fill("Compare with Peru.")
    page.get_by_role("button", name="Save note").click()
    expect(saved).to_have_count(2)
    answer(page).fill("Nairobi")
    wait_until_saved(page, "Nairobi")
    assert_clean(page)
    frame(page).get_by_role("link", name="Nairobi").click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Nairobi")
    saved.first.get_by_role("link", name="Kenya").click()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Kenya")
    frame(page)
    assert scrolled(page) > 300, "at the passage"
    saved.nth(1).get_by_role("button", name="Remove").click()
    expect(saved).to_have_count(1)
    page.reload()
    expect(saved.get_by_role("textbox", name="Kenya")).to_have_value("from its last section")
    assert SavedPassage.objects.get(removed_at=None).note == "from its last section"
    assert SavedPassage.objects.filter(note="Compare with Peru.", removed_at__isnull=False).exists()


OPEN = "folds => folds.forEach((fold) => { fold.open = true; })"
UNSENT = "Object.keys(localStorage).filter((key) => key.startsWith('manyhop:marks')).length"


def test_notes_are_saved_however_the_page_is_left(
    sit: "Callable[..., Page]", link: Invitation, page_factory: Any
) -> None:
    page = sit(link)
    home = page.url
    page.goto(f"{home}article/?path=Kenya")
    frame(page)
    visit = Visit.objects.get()

    def notes(page: "Page") -> tuple[Any, Any, Any]:
        page.locator("#assignment-note-fold, .visited__note, .article-keep__note").evaluate_all(OPEN)
        return page.locator("#assignment-note"), page.locator(f"#note-{visit.pk}"), page.locator("#article-note")

    def wait_until(question: str, article: str, *with_article: str) -> None:
        def saved() -> Any:
            rows = SavedPassage.objects.filter(removed_at=None).order_by("pk")
            visit.refresh_from_db()
            return Assignment.objects.get(position=1).note, visit.note, *rows.values_list("note", flat=True)

        wait_for(
            lambda: saved() == (question, article, *with_article), PATIENCE_SECONDS, f"the notes {question}, {article}"
        )

    question, article, beside = notes(page)
    question.fill("typed")
    wait_until("typed", "")  # without leaving the field
    expect(page.locator("#note-message")).to_have_text("Notes: saved.")
    assert page.evaluate(UNSENT) == 0
    assert_clean(page)
    # Another article in the reader, and a reload at once.
    question.fill("then another article")
    beside.fill("with Kenya")
    frame(page).get_by_role("link", name="Nairobi").click()
    expect(page.locator(".saved-passage textarea")).to_have_value("with Kenya")
    wait_until("then another article", "", "with Kenya")
    question, article, beside = notes(page)
    article.fill("then a reload")
    beside.fill("with Nairobi")
    page.reload()
    expect(page.locator(f"#note-{visit.pk}")).to_have_value("then a reload")
    wait_until("then another article", "then a reload", "with Kenya", "with Nairobi")
    # A search, Done, and a tab that is closed at once.
    notes(page)[2].fill("with Nairobi, more")
    search(page, "government")
    notes(page)[0].fill("then done")
    answer(page).fill("Nairobi")
    page.locator("#mark-done").click()
    page.wait_for_url("**/questions/2/")
    wait_until("then done", "then a reload", "with Kenya", "with Nairobi", "with Nairobi, more")
    other = page.context.new_page()
    other.goto(f"{home}article/?path=Peru")
    frame(other)
    notes(other)[0].fill("then closed")
    notes(other)[2].fill("with Peru")
    other.close()
    wait_until(
        "then closed", "then a reload", *(kept := ("with Kenya", "with Nairobi", "with Nairobi, more", "with Peru"))
    )
    # Without a connection it is stored here, and sent from the next page; a second tab's note stays beside it.
    page.goto(home)
    other = page.context.new_page()
    other.goto(home)
    page.context.set_offline(True)
    notes(page)[1].fill("in a tunnel")
    expect(page.locator("#note-message")).to_contain_text("stored")
    page.close()
    other.context.set_offline(False)
    notes(other)[1].fill("elsewhere")
    wait_until("then closed", "elsewhere", *kept)
    other.goto(home.replace("/questions/1/", "/questions/2/"))
    wait_until("then closed", "elsewhere\n\nin a tunnel", *kept)
    wait_for(lambda: other.evaluate(UNSENT) == 0, PATIENCE_SECONDS, "the notes to leave the browser")
    page_factory.expected.append("net::ERR_INTERNET_DISCONNECTED")


def held(page: "Page", requests: list[Any]) -> Any:
    """The next of the requests that wait here until the test sends them on."""
    wait_for(
        lambda: page.evaluate("true") and bool(requests), PATIENCE_SECONDS, "a request"
    )  # a call in which Playwright tells
    return requests.pop(0)


def test_a_new_list_leaves_a_note_that_is_being_typed(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    page.goto(f"{page.url}article/?path=Kenya")
    frame(page)
    page.locator("#assignment-note-fold, .article-keep__note").evaluate_all(OPEN)
    note, replies = page.locator("#assignment-note"), list[Any]()
    note.fill("typed first")
    expect(page.locator("#note-message")).to_have_text("Notes: saved.")
    page.route("**/passages/saved/", lambda route: replies.append(route))  # each waits until it is sent on below
    page.locator("#article-note").fill("with Kenya")
    search(page, "government")
    note.select_text()
    held(page, replies).continue_()
    expect(page.locator(".saved-passage textarea")).to_have_value("with Kenya")
    page.keyboard.insert_text("typed instead")
    expect(note).to_have_value("typed instead")


def test_a_page_that_was_made_before_a_note_arrived_shows_it(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    older = page.request.get(page.url).text()
    page.locator("#assignment-note-fold").evaluate_all(OPEN)
    page.evaluate("dispatchEvent(new Event('beforeunload'))")  # as when a reload is asked for, before the page comes
    page.locator("#assignment-note").focus()
    page.locator("#assignment-note").evaluate("(field) => { field.value = 'just before a reload'; }")
    with page.expect_response("**/note/"):
        page.locator("#assignment-note").blur()
    assert Assignment.objects.get(position=1).note == "just before a reload"
    page.route(page.url, lambda route: route.fulfill(body=older, content_type="text/html"))
    page.reload()
    expect(page.locator("#assignment-note")).to_have_value("just before a reload")
    wait_for(lambda: page.evaluate(UNSENT) == 0, PATIENCE_SECONDS, "the note to leave the browser")
    assert Assignment.objects.get(position=1).note == "just before a reload"


def test_a_note_that_could_not_be_sent_waits_beside_the_next_one(
    sit: "Callable[..., Page]", link: Invitation, page_factory: Any
) -> None:
    page, replies = sit(link), list[Any]()
    page.goto(f"{page.url}article/?path=Kenya")
    page.route("**/passages/saved/", lambda route: replies.append(route))
    for title, number in (("Kenya", 1), ("Nairobi", 2)):
        expect(page.locator("#article-frame")).to_have_attribute("title", title)
        frame(page)
        page.locator(".article-keep__note").evaluate_all(OPEN)
        page.locator("#article-note").fill(f"with {title}")
        assert page.evaluate(UNSENT) == number
        if number == 1:
            frame(page).get_by_role("link", name="Nairobi").click()
            held(page, replies).abort()
    # The button's request is on its way while somebody types on.
    page.get_by_role("button", name="Save note").click()
    page.locator("#article-note").fill("with Nairobi, more")
    for _ in range(2):  # and the first one is sent again
        held(page, replies).continue_()
    saved = page.locator(".saved-passage textarea")
    expect(saved).to_have_count(2)
    assert {saved.nth(number).input_value() for number in (0, 1)} == {"with Kenya", "with Nairobi"}
    expect(page.locator("#article-note")).to_have_value("with Nairobi, more")
    assert page.evaluate(UNSENT) == 1
    page_factory.expected.append("net::ERR_FAILED")


LOSES = """(() => {
  const send = window.fetch;
  window.fetch = async (url, options) => {
    if (!/\\/(note|visits\\/[0-9]+|passages\\/saved)\\/(#|$)/.test(url)) return send(url, options);
    if (options.body.get("note") === "a correcton") await send(url, options);
    throw new TypeError("lost");
  };
})()"""


def test_a_button_saves_the_notes_with_the_answer(sit: "Callable[..., Page]", link: Invitation) -> None:
    """No note that the script sends arrives, but for the first one, whose reply is lost."""
    page = sit(link)
    page.context.add_init_script(LOSES)
    page.goto(f"{page.url}article/?path=Kenya")
    frame(page)
    page.locator("#assignment-note-fold, .visited__note, .article-keep__note").evaluate_all(OPEN)
    visit = Visit.objects.get()
    page.locator("#assignment-note").fill("a correcton")
    expect(page.locator("#note-message")).to_contain_text("stored")
    page.locator("#assignment-note").fill("a correction")
    page.locator(f"#note-{visit.pk}").fill("on Kenya")
    page.locator("#article-note").fill("with Kenya")
    answer(page).fill("Nairobi")
    page.locator("#mark-done").click()
    page.wait_for_url("**/questions/2/")
    visit.refresh_from_db()
    assert Assignment.objects.get(position=1).note == "a correction"
    assert (visit.note, SavedPassage.objects.get().note) == ("on Kenya", "with Kenya")


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
    assert abs(width() - 900) < 12
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
    assert scrolled(page) == 500
    page.get_by_role("button", name="Check again").click()
    expect(page.locator("#feedback-title")).to_be_focused()
    assert_clean(page)

    # Tabs and passages as in the study, but without a record.
    expect(tabs(page)).to_have_text(["Norway"])
    page.evaluate(SELECT_LAST)
    page.get_by_role("button", name="Save passage").click()
    note = page.locator(".saved-passage").get_by_role("textbox", name="Norway")
    note.fill("Used it")
    with page.expect_response(re.compile("/passages/saved/1/")):
        note.blur()
    search(page, "government")
    page.get_by_role("button", name="Add tab for Peru").click()
    expect(tabs(page)).to_have_text(["Norway", "Peru"])
    page.reload()
    expect(tabs(page)).to_have_text(["Norway", "Peru"])
    expect(page.locator(".saved-passage").get_by_role("textbox", name="Norway")).to_have_value("Used it")
    page.get_by_role("button", name="Close Norway").click()
    expect(tabs(page)).to_have_text(["Peru"])
    page.get_by_role("button", name="Remove this passage of Norway").click()
    expect(page.get_by_role("heading", name="Saved passages")).to_be_hidden()
    assert not ReaderTab.objects.exists()
    assert not SavedPassage.objects.exists()


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
    reader, side = (page.locator(name).bounding_box() for name in ("#reader-side", "#answer-side"))
    assert reader is not None
    assert side is not None
    if viewport == PHONE:
        assert reader["y"] < side["y"], "the article is above the form"
    typed("three")
    page.locator("#report-fold > summary").click()
    page.get_by_label("Article URL").fill("https://en.wikipedia.org/wiki/Mount_Everest")
    page.locator(".article-keep__note summary").click()
    page.locator("#article-note").fill("A note on Norway")
    page.get_by_label("Used: Norway").check()
    page.locator("#find").fill("government")
    page.get_by_role("button", name="Passages").click()
    page.get_by_role("heading", name="Passages of Norway").wait_for()
    assert stored() == "three"
    assert SavedPassage.objects.get().note == "A note on Norway"
    assert Visit.objects.filter(origin="reported").exists()
    assert Visit.objects.get(path="Norway").used
    typed("four")
    page.get_by_role("button", name="Close Norway").click()
    expect(tabs(page)).to_have_count(0)
    assert stored() == "four"
    assert list(Search.objects.values_list("query", "n_reloads")) == [("government", 1), ("government", 1)]
    assert Assignment.objects.get(position=1).active_seconds is None
