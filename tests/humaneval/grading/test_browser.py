"""The desk in a real browser: answers graded by two graders by keyboard, what cannot be saved, and every page."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from humaneval.grading import access
from humaneval.grading.desk import adjudication
from humaneval.grading.grade_scores import Ticked
from humaneval.grading.outcome import export
from humaneval.models import Grade, GradingRound
from scoring.models import Question
from tests import factories, volunteers
from tests.browser import DESKTOP, PHONE
from tests.e2e.accessibility import looked_at, violations
from tests.humaneval.grading.ground import Ground, answered_study, grade_next, grader, ground, know_all
from tests.humaneval.grading.test_criteria import REPORTS, declared
from tests.processes import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
SHOWN = "form[data-grade]"


def start(page: "Page", made: GradingRound) -> None:
    page.goto(f"/grading/{made.slug}/desk/")
    page.get_by_role("button", name="Start").click()
    page.locator(f"#grading[data-keys] {SHOWN}").wait_for()


def planned(grader: int, question: str, n_items: int) -> Ticked:
    """What a simulated grader finds: right four times in five, by lot, so that two of them often agree."""
    common = hashlib.sha256(question.encode()).digest()
    own = hashlib.sha256(f"{grader} {question}".encode()).digest()
    found = tuple((own if own[index] < 60 else common)[index + 8] < 180 for index in range(n_items))
    return Ticked(found, contradicts=not any(found))


def grade_by_keyboard(page: "Page", grader: int) -> int:
    """Grade everything there is; how many that was."""
    n_graded = 0
    while True:
        shown = page.evaluate(
            """() => {
                const form = document.querySelector("form[data-grade]");
                return form && [
                    form.dataset.grade,
                    form.querySelector(".grade__question").textContent,
                    form.querySelectorAll("input[name=item]").length,
                ];
            }"""
        )
        slot, question, n_items = shown
        ticked = planned(grader, question, n_items)
        for index, tick in enumerate(ticked.ticks):
            if tick:
                page.keyboard.press(f"Digit{index + 1}")
        if ticked.contradicts:
            page.keyboard.press("c")
        page.keyboard.press("Enter")
        n_graded += 1
        following = page.locator(f'{SHOWN}:not([data-grade="{slot}"])')
        following.or_(page.locator(".empty")).first.wait_for()
        if not following.count():
            return n_graded


def test_two_graders_grade_by_keyboard(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
) -> None:
    """And what is exported is what they ticked."""
    place = ground(n=50)
    made = place.round()
    for number, user in enumerate(place.people, start=1):
        page = page_factory(live_site.url)
        sign_in(page, user, live_site.url)
        start(page, made)
        assert grade_by_keyboard(page, number) == 50
    document = json.loads(export.as_file(made, "json", right=access.right_of(place.maintainer, made)))
    for answer in document["answers"]:
        assert len(answer["grades"]) == 2
        for given in answer["grades"]:
            number = int(given["by"].removeprefix("G-"))
            expected = planned(number, answer["question"], len(answer["items"]))
            assert (tuple(given["ticks"]), given["letter"]) == (expected.ticks, expected.letter)
            assert given["seconds"] is not None


def test_criteria_are_decided_by_keyboard(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
) -> None:
    """Digits decide one criterion after the other, arrows go back, and an open criterion is not saved."""
    split = declared()
    sent = factories.submission(factories.user("ada"), split, {"open-book": REPORTS}, name="Atlas")
    place = Ground(split, factories.maintainer(), sent.owner or factories.user(), [sent], [factories.user("greta")])
    made = place.round(graders_per_answer=1, calibration_start=0)
    page = page_factory(live_site.url)
    sign_in(page, place.people[0], live_site.url)
    start(page, made)
    page.keyboard.press("Digit1")
    page.keyboard.press("Digit2")
    page.keyboard.press("Enter")
    assert page.locator("[data-criterion] :checked").count() == 2
    assert not Grade.objects.exists(), "two criteria are open"
    with page.expect_response(lambda response: "Later." in (response.request.post_data or "")) as kept:
        page.locator("[data-note]").fill("Later.")
    assert kept.value.status == 204
    page.reload()
    assert page.locator("[data-criterion] :checked").count() == 2
    assert page.locator("[data-note]").input_value() == "Later."
    page.keyboard.press("Digit3")
    page.keyboard.press("Digit2")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Digit1")
    first = page.locator(SHOWN).get_attribute("data-grade")
    assert list(violations(page)) == []
    page.keyboard.press("Enter")
    page.locator(f'{SHOWN}:not([data-grade="{first}"])').wait_for()
    for digit in "1221":
        page.keyboard.press(f"Digit{digit}")
    page.keyboard.press("Enter")
    page.locator(".empty").wait_for()
    given = {grade.graded_answer.position: grade.ticks for grade in Grade.objects.select_related("graded_answer")}
    assert given.pop(int(first or 0)) == [True, False, True, False]
    assert list(given.values()) == [[True, False, False, True]]


class TestTheDesk:
    def test_what_cannot_be_saved_comes_back_and_undo_goes_back(
        self, live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
    ) -> None:
        made = (place := ground(n=6)).round(graders_per_answer=1)
        page = page_factory(live_site.url, expect_statuses=[503])
        sign_in(page, place.people[0], live_site.url)
        start(page, made)
        first = page.locator(SHOWN).get_attribute("data-grade")
        # Nothing is ticked: it is said, and nothing is sent.
        page.keyboard.press("Enter")
        page.get_by_role("alert").get_by_text("Nothing is selected.").wait_for()
        # The server is away: the next answer shows, then this one is back as it was.
        page.route("**/desk/", lambda route: route.fulfill(status=503, body="away"))
        page.keyboard.press("a")
        page.keyboard.press("n")
        page.keyboard.type("1 is one")
        page.keyboard.press("Control+Enter")
        page.get_by_role("alert").get_by_text("cannot be reached").wait_for()
        assert page.locator(SHOWN).get_attribute("data-grade") == first
        assert page.locator("[data-note]").input_value() == "1 is one"
        assert page.locator("input[name=item]:not(:checked)").count() == 0
        assert not Grade.objects.exists()
        page.unroute("**/desk/")
        page.get_by_role("button", name="Save and continue").click()
        page.get_by_text("1 graded, 5 left").wait_for()
        assert page.get_by_role("alert").count() == 0
        assert Grade.objects.get().note == "1 is one"
        # Undo shows it again as it was graded; saving makes a second version.
        page.keyboard.press("u")
        page.get_by_text("0 graded, 6 left").wait_for()
        page.locator(f'form[data-grade="{first}"]').wait_for()
        assert page.locator("[data-note]").input_value() == "1 is one"
        page.keyboard.press("x")
        page.get_by_label("Corrected reference").fill("Another")
        page.get_by_role("button", name="Save and continue").click()
        page.locator(f'{SHOWN}:not([data-grade="{first}"])').wait_for()
        page.get_by_text("1 graded, 5 left").wait_for()
        assert list(Grade.objects.order_by("version").values_list("version", "proposal")) == [(1, ""), (2, "Another")]
        # Keys can be turned off, and stay so.
        page.get_by_label("Keyboard shortcuts").uncheck()
        page.reload()
        page.locator(f'#grading[data-keys="off"] {SHOWN}').wait_for()
        page.locator("#content").press("1")
        assert page.locator("input[name=item]:checked").count() == 0


class TestTheEvidence:
    """Its pages beside the answer: nothing that is ticked is lost, and the keyboard is enough."""

    @pytest.fixture
    def made(self, tmp_path: Path) -> GradingRound:
        place = ground(n=2)
        made = place.round(studies=[answered_study(place, volunteers.encyclopedia(tmp_path))], graders_per_answer=1)
        evidence = [{"pageid": None, "title": title, "url": f"https://{title}.invalid"} for title in ("Norway", "Oslo")]
        Question.objects.filter(pk__in=made.answers.values("question")).update(
            evidence=[*evidence, {"pageid": 5, "title": "Atlantis", "url": "https://atlantis.invalid/"}]
        )
        return made

    def test_is_read_by_keyboard_and_grading_goes_on(
        self, made: GradingRound, live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
    ) -> None:
        page = page_factory(live_site.url)
        sign_in(page, grader(made).user, live_site.url)
        start(page, made)
        desk_address = page.url
        side, article = page.locator("#evidence"), page.frame_locator("#article-frame")
        found = [*violations(page)]
        page.keyboard.press("1")
        # e goes to the list, where digits open pages; elsewhere they tick.
        page.keyboard.press("e")
        page.locator(f'{SHOWN} [data-evidence="1"]:focus').wait_for()
        page.keyboard.press("2")
        article.get_by_text("Oslo is the capital of").wait_for()
        page.locator("#article-frame[data-ready]").wait_for()
        assert page.url.endswith("/article/?evidence=2")
        side.locator('[data-evidence="2"][aria-current="page"]').wait_for()
        found += violations(page)
        # A link in the article, and back; a digit within the article opens another page.
        article.get_by_role("link", name="Norway").click()
        article.get_by_text("Norway is a country.").wait_for()
        page.locator("#article-frame[data-ready]").wait_for()
        page.go_back()
        article.get_by_text("Oslo is the capital of").wait_for()
        page.locator("#article-frame[data-ready]").wait_for()
        page.keyboard.press("1")
        article.get_by_text("Norway is a country.").wait_for()
        page.locator("#article-frame[data-ready]").wait_for()
        # Words are found in it; without words the passages are those for the question.
        side.locator("#find").fill("nothing of note")
        side.get_by_text("1 of 30").wait_for()
        side.locator("#find").fill("")
        side.get_by_role("button", name="Passages", exact=True).click()
        side.get_by_text("Its capital is Oslo").wait_for()
        found += violations(page)
        # Escape goes back to the answer as it was; back opens what was read once more.
        page.keyboard.press("Escape")
        side.wait_for(state="hidden")
        assert page.url == desk_address
        page.locator(f"{SHOWN} [data-focus]:focus").wait_for()
        assert page.locator("input[name=item]:checked").count() == 1
        page.go_back()
        side.get_by_text("Its capital is Oslo").wait_for()
        page.go_forward()
        side.wait_for(state="hidden")
        # On a narrow screen it takes the answer's place, below the question.
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.emulate_media(color_scheme="dark")
        page.keyboard.press("e")
        page.keyboard.press("1")
        article.get_by_text("Norway is a country.").wait_for()
        page.locator("#article-frame[data-ready]").wait_for()
        assert not page.locator("[data-note]").is_visible()
        found += violations(page)
        page.keyboard.press("e")
        side.wait_for(state="hidden")
        page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        # A page that is not there. The answer is saved beside it, and the next one comes without it.
        page.keyboard.press("e")
        page.keyboard.press("3")
        side.locator("#reader[data-kind='missing'] a[target='_blank']").wait_for()
        page.keyboard.press("e")
        page.locator(f"{SHOWN} [data-focus]:focus").wait_for()
        assert side.is_visible()
        first = page.locator(SHOWN).get_attribute("data-grade")
        page.keyboard.press("Enter")
        page.locator(f'{SHOWN}:not([data-grade="{first}"])').wait_for()
        side.wait_for(state="hidden")
        page.get_by_text("1 graded, 2 left").wait_for()
        assert page.url == desk_address
        assert not found, "\n".join(found)


def test_pages_that_are_not_in_the_gallery_are_accessible_and_fit(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
) -> None:
    place = ground(n=8, systems=("A system with a name that somebody thought was clever " * 3,), text="wide" * 60)
    made = place.round(name="Unbreakable" * 12, n_calibration=2)
    know_all(made, place.maintainer)
    for number, share in ((1, 1.0), (2, 0.0)):
        for _ in range(4):
            grade_next(grader(made, number), share=share, note="unbreakable" * 12)
    known = made.answers.filter(is_calibration=True)[0].position
    different = adjudication.differences(made)[0].answer.position
    paths = ["calibration/", f"calibration/{known}/", "adjudication/", f"adjudication/{different}/"]
    paths.append(f"answers/{known}/article/?evidence=1")
    page = page_factory(live_site.url)
    sign_in(page, place.maintainer, live_site.url)
    found: list[str] = []
    for index, path in enumerate(["", *(f"{made.slug}/{path}" for path in paths)]):
        found += looked_at(page, f"/grading/{path}", dark=index % 2 == 1)
    assert not found, "\n".join(found)
