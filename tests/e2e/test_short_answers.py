"""Questions with line breaks, options and a context, as participants of a study and graders see them in a browser."""

import datetime
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from humaneval.participants import invitations
from humaneval.studies.services import create_study
from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import import_declaration
from scoring.models import Split
from tests import factories, volunteers
from tests.browser import PHONE
from tests.humaneval.grading.ground import Ground
from tests.leaderboard.declared.test_short_answers import files
from tests.processes import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
TABLE = [["Segment", "2019", "2018"], ["Products", "1,125", "1,000"]]
QUESTIONS = (
    {
        "question": "By how much did revenue change?\nGive a share.",
        "answer": "B",
        "context": [TABLE, "Revenue rose because of higher volumes. " * 20],
        "choices": {"A": "By 2 %", "B": "By 12.5 %"},
    },
)


@pytest.fixture
def dev(live_site: Site) -> Split:
    made = import_declaration(read_declaration(files(questions=QUESTIONS))).benchmark
    return factories.split(made, "dev")


def text_of(page: "Page", selector: str) -> str:
    """A text as it is laid out, with the line breaks that are seen."""
    return page.locator(selector).inner_text()


def assert_question_and_context(page: "Page", heading: str) -> None:
    assert text_of(page, heading) == "Dev: By how much did revenue change?\nGive a share."
    assert page.locator(".question-options dd").all_inner_texts() == ["By 2 %", "By 12.5 %"]
    table, text = page.locator(".question-context .table"), page.locator(".question-context__text")
    above, below = table.bounding_box(), text.bounding_box()
    assert above and below
    assert below["y"] - above["y"] - above["height"] >= 8, "the text does not touch the table"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("phone", [False, True])
def test_a_participant_sees_line_breaks_options_and_context(
    live_site: Site, dev: Split, page_factory: "PageFactory", phone: bool
) -> None:
    study = create_study(
        owner=factories.maintainer(),
        split=dev,
        setting=factories.setting(dev.benchmark, "closed-book"),
        name="Short answers",
        questions_per_participant=1,
        opens_at=timezone.now() - datetime.timedelta(hours=1),
        seats=2,
    )
    options: dict[str, Any] = {"viewport": PHONE, "dark": True} if phone else {}
    page = page_factory(live_site.url, **options)
    page.goto(invitations.path_of(volunteers.link(study)))
    page.locator("#enter").click()
    page.locator("#agree").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Your questions").wait_for()
    page.goto(f"/studies/{study.slug}/questions/1/")
    assert_question_and_context(page, ".answer-page__question")


def test_a_grader_finds_the_button_below_the_note_however_long_the_context_is(
    live_site: Site, dev: Split, page_factory: "PageFactory", sign_in: Callable[..., None]
) -> None:
    ada, greta = factories.user("ada"), factories.user("greta")
    sent = factories.submission(ada, dev, {"closed-book": {"dev-1": "B"}})
    ground = Ground(split=dev, maintainer=factories.maintainer(), ada=ada, submissions=[sent], people=[greta])
    page = page_factory(live_site.url)
    sign_in(page, greta, live_site.url)
    page.goto(f"/grading/{ground.round(graders_per_answer=1).slug}/desk/")
    page.get_by_role("button", name="Start").click()
    page.locator("#grading[data-keys] form[data-grade]").wait_for()
    assert_question_and_context(page, ".grade__question")
    note = page.locator("textarea[name=note]").bounding_box()
    button = page.get_by_role("button", name="Save and continue").bounding_box()
    assert note and button
    assert 0 <= button["y"] - note["y"] - note["height"] < 40
    assert button["x"] == pytest.approx(note["x"], abs=2)
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    page.locator(".empty").wait_for()
