"""Participants' and graders' pages look in Firefox as they do in Chromium.

Otherwise the conditions of a study would depend on the browser.
"""
# ruff: noqa: E501 - scripts are easier to read in long lines

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from humaneval.encyclopedia.zim_writer import NewArticle, build
from humaneval.grading.desk import services as desk
from humaneval.models import Assignment, Participant, Study
from humaneval.participants.invitations import path_of
from tests import volunteers
from tests.browser import DESKTOP, PHONE
from tests.encyclopedias import DATE, png
from tests.firefox import Firefox
from tests.humaneval.grading.ground import answered_study, grader, ground
from tests.processes import Site, child_environment
from tests.services import PATIENCE_SECONDS, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.firefox, pytest.mark.django_db(transaction=True)]

WIDE = "<table class='wikitable'>" + ("<tr>" + "<td>Cell_without_a_break</td>" * 80 + "</tr>") * 5 + "</table>"
ARTICLE = (
    "<p>Its capital is <a href='Oslo'>Oslo</a>. <b>Bold</b> <code>x^2</code></p><h2>Cities</h2><ul><li>Bergen</li></ul>"
    f"{WIDE}<h2>Flag</h2><p>The flag: <img src='images/flag.png' alt='The flag' width='60' height='40'></p>"
)
LOOK = """(() => {
  const names = ["font-family", "font-size", "font-weight", "color", "background-color", "display"];
  const look = (document, selectors) => Object.fromEntries(selectors.map((selector) => {
    const element = document.querySelector(selector);
    if (!element) return [selector, null];
    const style = document.defaultView.getComputedStyle(element);
    return [selector, names.map((name) => style.getPropertyValue(name).replaceAll('"', ""))];
  }));
  const page = look(document, ["body", "h1", "main", "main p", "main a", "button", "label", "textarea", "input:not([type=hidden])", "table", "th"]);
  const root = document.documentElement;
  const frame = document.getElementById("article-frame")?.contentDocument;
  if (!frame) return { page, fits: root.scrollWidth <= root.clientWidth };
  const picture = frame.querySelector("img");
  return {
    page,
    fits: root.scrollWidth <= root.clientWidth,
    article: look(frame, [".article-title", ".article-body", "p", "a", "b", "code", "h3", "li", ".article-scroll", "td", "img"]),
    articleFits: frame.documentElement.scrollWidth <= frame.documentElement.clientWidth,
    table: frame.querySelector(".article-scroll")?.clientWidth < frame.documentElement.clientWidth,
    picture: picture && [picture.naturalWidth, picture.naturalHeight, picture.width, picture.height],
  };
})()"""
NAMES = ("desk-tabs", "desk-conflict", "rating", "pair", "corrections")
READY = "!document.getElementById('article-frame') || document.getElementById('article-frame').contentDocument.readyState === 'complete'"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("encyclopedia") / "flags.zim"
    flag = ("images/flag.png", png(60, 40), "image/png")
    build(
        file,
        [NewArticle("Norway", ARTICLE), NewArticle("Oslo", "<p>A city.</p>")],
        title="Flags",
        made=DATE,
        images=[flag],
    )
    return f"zim:{file}#images=yes"


@pytest.fixture(scope="module")
def server(django_db_setup: None, static_root: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("study-site"), child_environment(STATIC_ROOT=str(static_root)))
    try:
        yield site.start()
    finally:
        site.stop()


@pytest.fixture
def study(transactional_db: None, source: str) -> Study:
    return volunteers.open_study(encyclopedia=source)


@pytest.fixture
def at_article(server: Site, study: Study, page_factory: "PageFactory") -> "Callable[..., Page]":
    """A page of Chromium, of somebody who came in, at the article with everything."""

    def come_in(**options: Any) -> "Page":
        page = page_factory(server.url, **options)
        page.goto(path_of(volunteers.link(study)))
        page.locator("#enter").click()
        page.locator("#agree").click()
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("button", name="Skip practice").click()
        page.get_by_role("heading", name="Your questions").wait_for()
        page.goto(f"/studies/{study.slug}/questions/1/article/?path=Norway")
        assert Participant.objects.exists()
        return page

    return come_in


def differences(seen: Any, expected: Any, where: str = "") -> list[str]:
    """Where two looks differ, in words."""
    if isinstance(seen, dict) and isinstance(expected, dict):
        return [text for key in expected for text in differences(seen.get(key), expected[key], f"{where} {key}")]
    if isinstance(seen, list) and isinstance(expected, list):
        return [text for pair in zip(seen, expected, strict=True) for text in differences(*pair, where)]
    return [] if seen == expected else [f"{where}: {seen}, in Chromium {expected}"]


def in_firefox(page: "Page", viewport: tuple[int, int], *, javascript: bool = True) -> Any:
    """What Firefox shows at the address of a page, with its cookies."""
    with Firefox(viewport, javascript=javascript) as firefox:
        for cookie in page.context.cookies():
            firefox.give_cookie(cookie["name"], cookie["value"], "127.0.0.1")
        firefox.open(page.url)
        firefox.wait_for(READY)
        return firefox.value(LOOK)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_an_article_looks_the_same(at_article: "Callable[..., Page]", viewport: tuple[int, int]) -> None:
    page = at_article(viewport=viewport)
    page.locator("#article-frame[data-ready]").wait_for(state="attached")
    page.wait_for_function(READY)
    expected = page.evaluate(LOOK)
    seen = in_firefox(page, viewport)
    assert differences(seen, expected) == []
    assert seen["picture"] == [60, 40, 60, 40]
    assert "serif" not in seen["article"]["p"][0].split(",")[0]
    assert seen["fits"] and seen["articleFits"] and seen["table"]


def test_an_article_looks_the_same_without_scripts(at_article: "Callable[..., Page]") -> None:
    page = at_article(javascript=False)
    seen = in_firefox(page, DESKTOP, javascript=False)
    assert seen["picture"] == [60, 40, 60, 40]
    assert seen["fits"] and seen["articleFits"] and seen["table"]


def test_a_note_is_saved_although_the_page_is_left_at_once(at_article: "Callable[..., Page]") -> None:
    page = at_article()
    with Firefox(DESKTOP) as firefox:
        for cookie in page.context.cookies():
            firefox.give_cookie(cookie["name"], cookie["value"], "127.0.0.1")
        firefox.open(page.url)
        firefox.wait_for("document.querySelector('#article-frame[data-ready]')")
        firefox.value("""(() => {
          const field = document.getElementById("note");
          field.value = "on the question";
          field.dispatchEvent(new Event("input"));
        })()""")
        firefox.open("about:blank")
        firefox.open(page.url.partition("article/")[0].replace("/1/", "/"))  # what did not arrive is sent from there
        noted = Assignment.objects.filter(note="on the question")
        wait_for(lambda: noted.exists(), PATIENCE_SECONDS, "the note")


def test_the_grading_desk_and_its_article_look_the_same(
    server: Site,
    transactional_db: None,
    source: str,
    page_factory: "PageFactory",
    sign_in: Callable[..., None],
) -> None:
    place = ground()
    made = place.round(name="People", files=[], studies=[answered_study(place, source)], graders_per_answer=1)
    answer = desk.hold(grader(made))[0].graded_answer
    page = page_factory(server.url)
    sign_in(page, place.people[0], server.url)
    article = reverse("grading-article", args=[made.slug, answer.position])
    for address in (f"/grading/{made.slug}/desk/", f"{article}?path=Norway"):
        page.goto(address)
        page.wait_for_function(READY)
        assert differences(in_firefox(page, DESKTOP), page.evaluate(LOOK)) == []


def test_pages_of_studies_look_the_same(
    server: Site, transactional_db: None, page_factory: "PageFactory", tmp_path: Path
) -> None:
    """The answer page, the grading desk and pairs, as the gallery has them."""
    environment = child_environment(
        DEBUG="1", ALLOWED_HOSTS="localhost,127.0.0.1", DJANGO_SETTINGS_MODULE="tests.gallery.settings"
    )
    gallery, found = Site(tmp_path, environment), list[str]()
    try:
        page = page_factory(gallery.start().url)
        with Firefox(DESKTOP) as firefox:
            for name in NAMES:
                page.goto(f"/gallery/studies/?page={name}")
                page.wait_for_function(READY)
                firefox.open(page.url)
                firefox.wait_for(READY)
                found += differences(firefox.value(LOOK), page.evaluate(LOOK), name)
    finally:
        gallery.stop()
    assert found == []
