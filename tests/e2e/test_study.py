"""Volunteers in a real browser: the ten journeys of a study, each against the real server."""

import json
import re
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from humaneval.answering.views import UNKNOWN_LINK
from humaneval.grading.access import right_to_make_items
from humaneval.models import Assignment, Invitation, Kind, Participant, Search, Study, Visit
from humaneval.participants import invitations
from humaneval.studies import pairs
from humaneval.studies.items import load_items, load_texts
from tests import factories, volunteers
from tests.browser import PHONE
from tests.e2e.accessibility import violations
from tests.gallery.studies.ground import RATING_DECLARATION
from tests.humaneval.test_pairs import add_systems, make_study
from tests.processes import Site, child_environment
from tests.services import PATIENCE_SECONDS, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SAVED = re.compile(r"^Saved \d+ s ago$")
AWAY = "net::ERR_INTERNET_DISCONNECTED"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return volunteers.encyclopedia(tmp_path_factory.mktemp("encyclopedia"))


@pytest.fixture(scope="module")
def server(django_db_setup: None, static_root: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One web server for all journeys: it keeps nothing between requests."""
    environment = child_environment(STATIC_ROOT=str(static_root))
    site = Site(tmp_path_factory.mktemp("study-site"), environment)
    try:
        yield site.start()
    finally:
        site.stop()


@pytest.fixture
def study(transactional_db: None, source: str) -> Study:
    return volunteers.open_study(encyclopedia=source, reward_note="A book.")


@pytest.fixture
def link(study: Study) -> Invitation:
    return volunteers.link(study)


@pytest.fixture
def sit(server: Site, study: Study, page_factory: "PageFactory") -> "Callable[..., Page]":
    """``sit(link)``: a page of somebody who has come in by a link, at the first question."""

    def sit_down(link: Invitation, **options: Any) -> "Page":
        page = page_factory(server.url, **options)
        page.goto(invitations.path_of(link))
        page.locator("#enter").click()
        page.wait_for_url(re.compile("/(consent|questions)/$"))
        participant = Participant.objects.select_related("study").latest("joined_at")
        if participant.consented_at is None:
            page.locator("#agree").click()
            page.get_by_role("button", name="Continue").click()
            page.get_by_role("button", name="Skip practice").click()
        page.get_by_role("heading", name="Your questions").wait_for()
        page.goto(f"/studies/{study.slug}/questions/1/")
        return page

    return sit_down


def answer(page: "Page") -> Any:
    return page.get_by_label("Your answer", exact=True)


def wait_until_saved(page: "Page", text: str) -> None:
    """Waits until the page says that it is saved, and looks whether it is."""
    expect(page.locator("#save-status")).to_have_attribute("data-state", "saved")
    expect(page.locator("[data-status-text]")).to_have_text(SAVED)
    assert Assignment.objects.filter(text=text).exists(), list(Assignment.objects.values_list("text", flat=True))


def frame(page: "Page") -> Any:
    """The article in its frame, once it can be used."""
    page.locator("#article-frame[data-ready]").wait_for()
    return page.frame_locator("#article-frame")


def assert_clean(page: "Page") -> None:
    """Nothing that axe finds on a page with a heading."""
    expect(page.locator("h1")).to_be_visible()
    assert list(violations(page)) == []


def test_from_the_link_to_the_receipt(
    server: Site, study: Study, link: Invitation, page_factory: "PageFactory"
) -> None:
    page = page_factory(server.url)
    page.goto(invitations.path_of(link))
    assert_clean(page)
    page.locator("#enter").click()
    page.locator("#agree").wait_for()
    assert_clean(page)
    page.locator("#agree").click()
    expect(page.locator("#own-link")).to_contain_text(invitations.path_of(link))
    assert_clean(page)
    page.get_by_role("button", name="Continue").click()
    answer(page).fill("It is Oslo, in Norway")
    page.get_by_role("button", name="Check answer").click()
    expect(page.locator("#feedback-title")).to_be_focused()
    assert_clean(page)
    page.locator("#to-questions").click()
    start = page.get_by_role("link", name="Start", exact=True)
    start.wait_for()
    assert_clean(page)
    start.click()
    page.wait_for_url("**/questions/1/")

    # Suggestions, an article, a link in it, back, what was read.
    query = page.get_by_role("combobox", name="Search the encyclopedia")
    query.press_sequentially("keny")
    page.get_by_role("option", name="Kenya").click()
    expect(frame(page).get_by_text("Its capital is")).to_be_visible()
    frame(page).get_by_role("link", name="Nairobi").click()
    expect(page).to_have_url(re.compile("path=Nairobi"))
    expect(frame(page).get_by_text("Nairobi is the capital")).to_be_visible()
    expect(page.locator(".visited__item")).to_have_count(2)
    page.go_back()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Kenya")
    page.go_forward()
    expect(page.locator("#article-frame")).to_have_attribute("title", "Nairobi")
    with page.expect_response("**/visits/*/"):
        page.locator("[data-used]").check()
    expect(page.get_by_label("Used: Nairobi")).to_be_checked()

    # A search, an article from it, find in it, its passages.
    query.fill("government")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("heading", name="6 articles found")).to_be_focused()
    page.reload()
    page.get_by_role("heading", name="6 articles found").wait_for()
    assert_clean(page)
    page.locator(".hit__title").nth(1).click()
    frame(page)
    page.go_back()
    page.get_by_role("heading", name="6 articles found").wait_for()  # which is no search of its own
    page.go_forward()
    frame(page).get_by_text("Contents", exact=True).click()
    frame(page).get_by_role("link", name="Government").click()
    find = page.locator("#find")
    find.fill("trees")
    expect(page.locator("[data-find-count]")).to_have_text("1 of 30")
    find.press("Enter")
    expect(page.locator("[data-find-count]")).to_have_text("2 of 30")
    find.fill("sits in")
    page.get_by_role("button", name="Passages").click()
    expect(page.locator(".passage").first).to_contain_text("sits in")
    assert_clean(page)
    page.locator(".passage a").first.click()
    frame(page).locator("h3:focus").wait_for()

    # Something read elsewhere, a note, the answer, which is saved as it is typed; then the second question.
    page.locator("#report-fold > summary").click()
    page.get_by_label("Article URL").fill("https://en.wikipedia.org/wiki/Mount_Everest")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("Read elsewhere", exact=True).wait_for()
    answer(page).press_sequentially("Nairobi, in Kenya")
    wait_until_saved(page, "Nairobi, in Kenya")
    assert_clean(page)
    page.locator("#mark-done").click()
    page.get_by_text("Question 2 of 2").wait_for()
    page.get_by_role("button", name="Skip for now").click()
    page.get_by_role("heading", name="Your questions").wait_for()
    page.get_by_role("link", name="Finish…").click()
    page.get_by_text("1 of 2 questions have no answer").wait_for()
    assert_clean(page)
    page.get_by_role("button", name="Finish").click()
    page.locator("#receipt-code").wait_for()
    participant = Participant.objects.get()
    expect(page.locator("#receipt-code")).to_have_text(participant.receipt_code)
    expect(page.get_by_text("Nairobi, in Kenya")).to_be_visible()
    assert_clean(page)

    # What was kept of it, and what was not.
    first = participant.assignments.get(position=1)
    assert first.done_at
    assert (first.active_seconds or 0) > 0
    assert list(Search.objects.order_by("pk").values_list("kind", "query")) == [
        ("encyclopedia", "government"),  # the page was loaded again: that is no search
        ("passages", "sits in"),
    ]
    assert list(Visit.objects.values_list("origin", "title"))[:4] == [
        ("suggestion", "Kenya"),
        ("link", "Nairobi"),
        ("back", "Kenya"),
        ("back", "Nairobi"),
    ]
    clicked = Visit.objects.get(origin="result")
    assert (clicked.rank, clicked.search) == (2, Search.objects.filter(kind="encyclopedia").last())
    assert Visit.objects.filter(title="Nairobi", used=True).count() == 2
    assert max(visit.visible_seconds or 0 for visit in Visit.objects.all()) > 0
    assert max(visit.scrolled_share or 0 for visit in Visit.objects.all()) > 0
    assert invitations.token_of(link) not in server.log.read_text()


def test_offline_and_back(sit: "Callable[..., Page]", link: Invitation, page_factory: "PageFactory") -> None:
    page = sit(link)
    answer(page).fill("before")
    wait_until_saved(page, "before")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/answer/") else None)
    page.context.set_offline(True)
    answer(page).fill("before, and in the tunnel")
    expect(page.locator("#save-status")).to_have_attribute("data-state", "away")
    expect(page.locator("#save-live")).to_contain_text("This browser has stored your text")
    page.locator("#mark-done").click()
    expect(answer(page)).to_have_value("before, and in the tunnel")
    page.get_by_role("combobox").fill("Norway")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("heading", name="Page not loaded").wait_for()

    # The tab is closed and opened again without a connection coming between: the text is in the browser.
    other = page.context.new_page()
    page.close()
    other.context.set_offline(False)
    other.goto(f"/studies/{link.study.slug}/questions/1/")
    expect(answer(other)).to_have_value("before, and in the tunnel")
    wait_until_saved(other, "before, and in the tunnel")
    assert other.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('manyhop:answer')).length") == 0
    page_factory.expected.append(AWAY)


def test_marks_survive_two_tabs_and_a_closed_one(
    server: Site, transactional_db: None, page_factory: "PageFactory"
) -> None:
    """Also two marks in the same field, a score that is none, and a selection that ends in the next paragraph."""
    grace = factories.maintainer()
    study = make_study(grace, encyclopedia="")
    pairs.make_pairs(study, add_systems(study), 4, by=grace)
    first = page_factory(server.url)
    first.goto(invitations.path_of(volunteers.link(study)))
    begin(first)
    second = first.context.new_page()
    second.goto(first.url)
    for page in (first, second):
        page.locator("#choice-keys").wait_for()
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")

    def saved() -> Any:
        return Assignment.objects.get(position=1).critique

    def wait_until(expected: Any) -> None:
        wait_for(lambda: saved() == expected, PATIENCE_SECONDS, f"the marks {expected}")

    first.locator("#left_strength").fill("clear")
    wait_until({"left": {"strength": ["clear"]}})
    second.locator("#left_strength").fill("brief")
    second.locator("#right_score").fill("101")
    expect(second.locator("#extras-message")).to_contain_text("100")
    wait_until({"left": {"strength": ["clear", "brief"]}})
    second.locator("#right_score").fill("10")
    wait_until({"left": {"strength": ["clear", "brief"]}, "right": {"score": 10}})
    first.context.set_offline(True)
    second.locator("#right_weakness").fill("written in a tunnel")
    second.close()
    first.context.set_offline(False)
    first.reload()
    expect(first.locator("#right_weakness")).to_have_value("written in a tunnel")
    strengths = ["clear", "brief"]
    wait_until({"left": {"strength": strengths}, "right": {"score": 10, "weakness": ["written in a tunnel"]}})
    left = "Object.keys(localStorage).filter((key) => key.includes('marks')).length"
    wait_for(lambda: first.evaluate(left) == 0, PATIENCE_SECONDS, "the marks to leave the browser")
    text = first.locator("#left-text p").last
    text.click(click_count=3)
    first.locator("[data-mark=left_strength]").click()
    strengths.append(text.inner_text())
    expect(first.locator("#left_strength")).to_have_value("\n".join(strengths))
    first.locator("#vote-tie").check()
    first.locator("#mark-done").click()
    first.wait_for_url("**/questions/2/")
    assert saved()["left"]["strength"] == strengths
    page_factory.expected.append(AWAY)


def test_two_tabs_at_once(sit: "Callable[..., Page]", link: Invitation) -> None:
    first = sit(link, expect_statuses=[409])
    second = first.context.new_page()
    second.goto(first.url)
    answer(first).fill("from the first tab")
    wait_until_saved(first, "from the first tab")
    answer(second).fill("from the second tab")
    panel = second.locator("#conflict-title")
    panel.wait_for()
    expect(second.locator("[data-conflict-text]")).to_have_text("from the first tab")
    assert Assignment.objects.get(position=1).text == "from the first tab", "nothing is written over unasked"
    assert_clean(second)
    second.locator("[data-keep='mine']").click()
    wait_until_saved(second, "from the second tab")

    # And the other way round: the other one counts, and what was typed here is kept among the revisions.
    answer(first).fill("from the first tab, longer")
    first.locator("#conflict-title").wait_for()
    first.locator("[data-keep='other']").click()
    expect(answer(first)).to_have_value("from the second tab")
    expect(answer(first)).to_be_focused()
    row = Assignment.objects.get(position=1)
    assert row.text == "from the second tab"
    assert [revision.text for revision in row.revisions.order_by("version")] == [
        "from the first tab",
        "from the second tab",
        "from the first tab, longer",
        "from the second tab",
    ]


def test_a_link_that_is_revoked_while_somebody_types(
    sit: "Callable[..., Page]", link: Invitation, study: Study, page_factory: "PageFactory"
) -> None:
    page = sit(link, expect_statuses=[403, 404])
    invitations.revoke(link, by=study.owner)
    answer(page).fill("typed behind a closed door")
    expect(page.locator("#save-status")).to_have_attribute("data-state", "link")
    assert not Assignment.objects.exclude(text="").exists()
    page.goto(invitations.path_of(link))
    page.get_by_role("heading", name=UNKNOWN_LINK).wait_for()
    renewed = invitations.renew(link, by=study.owner)
    page.goto(invitations.path_of(renewed))
    page.locator("#enter").click()
    # Any page of the study sends what the browser still has.
    expect(page.get_by_role("heading", name="Your questions")).to_be_visible()
    wait_for(Assignment.objects.filter(text="typed behind a closed door").exists, PATIENCE_SECONDS, "the stored answer")
    page.goto(f"/studies/{study.slug}/questions/1/")
    expect(answer(page)).to_have_value("typed behind a closed door")


def test_by_keyboard_alone(server: Site, study: Study, link: Invitation, page_factory: "PageFactory") -> None:
    page = page_factory(server.url)
    page.goto(invitations.path_of(link))

    def tab_to(target: "Locator", key: str = "Tab") -> None:
        """Tabs until *target* has the focus."""
        for _ in range(60):
            page.keyboard.press(key)
            if target.evaluate("element => element === document.activeElement"):
                return
        pytest.fail(f"the keyboard does not come to {target}")

    steps = (
        page.locator("#enter"),
        page.locator("#agree"),
        page.get_by_role("button", name="Continue"),
        page.get_by_role("button", name="Skip practice"),
        page.get_by_role("link", name="Start", exact=True),
    )
    for step in steps:
        address = page.url
        tab_to(step)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(f"^(?!{re.escape(address)}$)"))
    tab_to(page.locator(".skip-link[href='#reader-side']"))
    page.keyboard.press("Enter")
    tab_to(page.get_by_role("combobox"))
    page.keyboard.type("ja")
    page.get_by_role("option", name="Japan").wait_for()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("combobox")).to_have_attribute("aria-activedescendant", "suggestion-0")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox", name="Suggestions")).to_be_hidden()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    frame(page)
    expect(page.locator("#article-frame")).to_be_focused()
    tab_to(page.locator("[data-used]"), "Shift+Tab")
    page.keyboard.press("Space")
    expect(page.get_by_label("Used: Japan")).to_be_checked()
    tab_to(answer(page), "Shift+Tab")
    page.keyboard.type("Tokyo")
    wait_until_saved(page, "Tokyo")
    tab_to(page.locator("#mark-done"))
    page.keyboard.press("Enter")
    page.get_by_text("Question 2 of 2").wait_for()


def test_at_390_pixels(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link, viewport=PHONE, dark=True)
    expect(answer(page)).to_be_visible()
    expect(page.get_by_role("combobox")).to_be_hidden()
    assert_clean(page)
    sides = page.get_by_role("navigation", name="Question or encyclopedia")
    sides.get_by_role("link", name="Encyclopedia").click()
    page.get_by_role("combobox").fill("Ghana")
    page.get_by_role("button", name="Search", exact=True).click()
    page.locator(".hit__title").first.click()
    frame(page)
    assert_clean(page)
    sides.get_by_role("link", name="Question").click()
    answer(page).fill("Accra")
    wait_until_saved(page, "Accra")
    page.goto(f"/studies/{link.study.slug}/questions/")
    assert_clean(page)


def test_a_hostile_article_is_inert(sit: "Callable[..., Page]", link: Invitation, page_factory: "PageFactory") -> None:
    page = sit(link)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"/studies/{link.study.slug}/questions/1/article/?path=Hostile_article")
    article = frame(page)
    expect(article.get_by_text("Plain words stay.")).to_be_visible()
    expect(article.locator("script, form, input, iframe, object, svg")).to_have_count(0)
    assert page.evaluate("[window.hacked, document.getElementById('article-frame').contentWindow.hacked]") == [
        None,
        None,
    ]
    assert not [url for url in asked if "evil.example" in url]
    for trap in ("a trap", "another"):
        link_in_it = article.get_by_role("link", name=trap)
        expect(link_in_it, "what leads nowhere good is no link").to_have_count(0)
    article.get_by_role("link", name="the way out").click()
    page.locator("#reader[data-kind='outside']").wait_for()
    assert page.locator("#reader a[target='_blank']").get_attribute("rel") == "noopener noreferrer nofollow"
    page.go_back()
    # The giant table scrolls by itself: neither the page nor the article's text grows wider than its place.
    frame(page).locator("table").wait_for()
    assert_clean(page)
    inside = "document.getElementById('article-frame').contentDocument.documentElement"
    assert page.evaluate(f"{inside}.scrollWidth <= {inside}.clientWidth")
    answer(page).fill("unimpressed")
    wait_until_saved(page, "unimpressed")


NOTES_WHEN_TEXTS_ARE_SENT = """() => {
  const send = window.fetch;
  window.begun = [];
  window.fetch = (url, options) => {
    if (options?.body?.has?.("text")) window.begun.push(performance.now());
    return send(url, options);
  };
}"""
"""By the clock of the page: a busy machine transmits one request late and the next in time."""


def test_typing_costs_at_most_one_small_request_in_two_seconds(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    sizes: list[int] = []
    page.on(
        "request",
        lambda request: sizes.append(len(request.post_data_buffer or b"")) if request.method == "POST" else None,
    )
    page.evaluate(NOTES_WHEN_TEXTS_ARE_SENT)
    text = "Somebody types on and on, without any pause, as people do who know a lot to say."
    answer(page).press_sequentially(text, delay=60)
    wait_until_saved(page, text)
    begun = page.evaluate("window.begun")
    assert len(begun) >= 3
    assert all(later - before >= 1900 for before, later in pairwise(begun)), begun
    assert max(sizes) < 1500


def test_what_was_seen_of_an_article_is_told_when_it_is_left(
    sit: "Callable[..., Page]", link: Invitation, page_factory: "PageFactory"
) -> None:
    page_factory.expected.append("Blocked script execution")  # the clock's own script, which comes into no article
    page = sit(link)
    page.clock.install()  # which goes on by itself, too
    begin_seconds = time.monotonic()
    page.goto(f"{page.url}article/?path=Kenya")
    frame(page)
    first = Visit.objects.get()
    page.clock.run_for(7000)
    with page.expect_response("**/answer/") as told:
        frame(page).get_by_role("link", name="Nairobi").click()
    assert told.value.status == 200
    sent = dict(re.findall(r'name="(\w+)"\r\n\r\n([^\r]*)', told.value.request.post_data or ""))
    assert sent["visit"] == str(first.pk)
    assert 6 <= float(sent["visible"]) <= 8 + time.monotonic() - begin_seconds
    assert float(sent["active"]) >= 6
    first.refresh_from_db()
    assert (first.visible_seconds or 0) > 0
    assert (first.scrolled_share or 0) > 0


def test_number_keys_choose_and_save_at_once(
    server: Site, transactional_db: None, page_factory: "PageFactory", tmp_path: Path
) -> None:
    """On the page of an answer to check, and on that of a text to rate, narrow and with nothing that axe finds."""
    grace = factories.maintainer()
    items, ratings = tmp_path / "items.jsonl", tmp_path / "texts.jsonl"
    passage = {"title": "A page", "text": "Oslo is the capital."}
    items.write_text(
        json.dumps({"id": factories.list_questions("dev", 1)[0].qid, "answer": "Oslo", "passage": passage})
    )
    ratings.write_text('{"id": "q1", "group": "machines", "text": "Who is who?"}\n')
    usual: dict[str, Any] = {"opens_at": timezone.now(), "questions_per_participant": 1}
    dev = factories.split(factories.list_benchmark(), "dev")
    checked = factories.study(grace, dev, "Check", kind=Kind.ITEMS, injected_share=0, **usual)
    load_items(checked, items, right=right_to_make_items(grace, checked), by=grace)
    rated = factories.study(grace, dev, "Rate", kind=Kind.RATINGS, **usual)
    load_texts(rated, declaration=RATING_DECLARATION.encode(), texts=ratings, by=grace)
    for study, keys, text in ((checked, "132", "no"), (rated, "24", "writer: machine\nknows: 4")):
        page = page_factory(server.url, viewport=PHONE)
        page.goto(invitations.path_of(volunteers.link(study)))
        begin(page)
        page.get_by_role("checkbox").wait_for()  # The script shows it; keys pressed before that do nothing.
        assert "machines" not in page.content()
        for key in keys:
            page.keyboard.press(key)
        saved = Assignment.objects.filter(text=text, done_at=None)
        wait_for(saved.exists, PATIENCE_SECONDS, f"the choice {text!r}")
        expect(page.locator("#save-status")).to_have_attribute("data-state", "saved")
        assert_clean(page)
        # Turned off, the keys do nothing, also when the page is opened again.
        page.get_by_role("checkbox").uncheck()
        page.keyboard.press("1")
        page.reload()
        page.get_by_role("checkbox").wait_for()
        expect(page.get_by_role("checkbox")).not_to_be_checked()
        page.keyboard.press("1")
        expect(page.locator("#save-status")).to_have_attribute("data-state", "saved")
        expect(page.locator("input[type=radio]:checked")).to_have_count(len(set(text.splitlines())))
        assert Assignment.objects.filter(text=text).exists()
        page.locator("input[type=radio]:checked").first.press("Enter")
        page.get_by_role("heading", name="Your questions").wait_for()
        assert Assignment.objects.get(text=text).done_at is not None


def rated_study(owner: Any, folder: Path, **fields: Any) -> Study:
    """A study of two questions about each of two texts, open now."""
    texts = folder / "texts.jsonl"
    texts.write_text("".join(json.dumps({"id": f"t-{n}", "group": "g", "text": f"Text {n}"}) + "\n" for n in (1, 2)))
    study = make_study(owner, kind=Kind.RATINGS, questions_per_participant=2, injected_share=0, **fields)
    load_texts(study, declaration=RATING_DECLARATION.encode(), texts=texts, by=owner)
    return study


def begin(page: "Page") -> None:
    """From the page of a link to the first question."""
    page.locator("#enter").click()
    page.locator("#agree").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Start", exact=True).click()
    page.wait_for_url("**/questions/1/")


def test_a_key_that_is_held_down_answers_one_question(
    transactional_db: None, server: Site, tmp_path: Path, page_factory: "PageFactory"
) -> None:
    study = rated_study(factories.maintainer(), tmp_path)
    page = page_factory(server.url)
    page.goto(invitations.path_of(volunteers.link(study)))
    begin(page)
    page.get_by_role("checkbox").wait_for()
    for _ in range(20):  # all but the first repeat, as while a key is held
        page.keyboard.down("2")
    page.keyboard.up("2")
    chosen = page.locator("input[type=radio]:checked")
    assert chosen.evaluate_all("all => all.map(({ name }) => name)") == ["rating-writer"]
    page.keyboard.press("3")
    expect(chosen).to_have_count(2)


@pytest.mark.parametrize("javascript", [True, False])
def test_people_say_that_an_answer_told_them_who_wrote_it_and_leave_a_shared_computer(
    transactional_db: None, server: Site, tmp_path: Path, page_factory: "PageFactory", javascript: bool
) -> None:
    study = rated_study(factories.maintainer(), tmp_path, on_shared_computer=True)
    address = invitations.path_of(volunteers.link(study, kind="shared", limit=3))
    page = page_factory(server.url, viewport=PHONE, javascript=javascript)
    page.goto(address)
    begin(page)
    page.locator("input[type=radio]").first.check()
    named = page.get_by_role("button", name="This answer told me who wrote it")
    named.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Take back").wait_for()
    assert not javascript or list(violations(page)) == []
    row = Assignment.objects.get(position=1)
    assert row.named_at is not None
    assert row.text.startswith("writer: "), "the button saves the page"
    page.goto(address)
    expect(page.get_by_role("button", name="Continue as P-01")).to_be_visible()
    assert "Text 1" not in page.content()
    assert "Text 2" not in page.content()
    page.get_by_role("button", name="I am somebody else").click()
    page.locator("#agree").wait_for()
    expect(page.locator(".study-header__who")).to_contain_text("P-02")
    page.locator("#agree").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Finish…").click()
    page.get_by_role("button", name="Finish", exact=True).click()
    done = page.get_by_role("button", name="Done")
    done.wait_for()
    assert not javascript or list(violations(page)) == []
    done.click()
    page.get_by_role("heading", name="You are done here").wait_for()
    page.goto(address)
    expect(page.get_by_role("button", name="Start")).to_be_visible()


@pytest.mark.parametrize("javascript", [True, False])
def test_people_from_a_platform_come_by_its_link_and_return_to_it(
    server: Site, page_factory: "PageFactory", tmp_path: Path, javascript: bool
) -> None:
    complete = "https://app.prolific.com/submissions/complete?cc=C1ABCDEF"
    study = rated_study(factories.maintainer(), tmp_path, platform="prolific", completions={"done": complete})
    address = invitations.path_of(volunteers.link(study, kind="shared", limit=3))
    page = page_factory(server.url, viewport=PHONE, javascript=javascript)
    told: list[str] = []
    page.on("request", lambda request: told.append(f"{request.headers.get('referer', '')} {request.post_data or ''}"))
    page.goto(f"{address}?PROLIFIC_PID=5f3c0000aaaa1111&STUDY_ID=65d0&SESSION_ID=65e1")
    begin(page)
    assert Participant.objects.get().platform_id == "5f3c0000aaaa1111 65e1"
    assert [line.split(" ")[0] for line in told if "PROLIFIC_PID=" in line] == [f"{server.url}/"], (
        "only the form has it"
    )
    page.goto(f"/studies/{study.slug}/finish/")
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page.get_by_role("link", name="Return to Prolific")).to_have_attribute("href", complete)
    assert not javascript or list(violations(page)) == []
