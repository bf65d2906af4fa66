"""Systems and comparisons in a real browser, against the real server."""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from playwright.sync_api import expect

from leaderboard.models import Submission, User
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions.views import ANSWERS_PRIVATE, ANSWERS_PUBLIC
from scoring.models import Benchmark, Split
from tests import factories
from tests.browser import wait_until_settled
from tests.e2e.accessibility import looked_at
from tests.processes import Site

if TYPE_CHECKING:
    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
QUESTIONS = "/systems/all/questions/?split=dev&setting=openbook"


@pytest.fixture
def made(transactional_db: None) -> Benchmark:
    """Three systems on the board of the development split, the second of which answers with what could do harm."""
    made = factories.benchmark(n_dev=45, n_test=4)
    ada, dev = factories.user("ada"), factories.split(made, "dev")
    answers = factories.perfect(n=45)
    factories.published(ada, dev, {"openbook": answers}, name="All")
    factories.published(ada, dev, {"openbook": factories.perfect(n=45, right=20)}, name="Half")
    harmful = {qid: f"{text} <img src=x onerror=alert(1)> \u202e {'x' * 3000}" for qid, text in answers.items()}
    factories.published(ada, dev, {"openbook": harmful}, name="Harmful")
    return made


def sent_with_passages(owner: User) -> Submission:
    """A published submission of lists with retrieved passages, on a board with a subset."""
    made = factories.list_benchmark()
    questions = factories.list_questions("test")
    factories.revise(Split.every.get(benchmark=made, slug="extended"), questions[:3])
    passages = [{"title": "Oslo", "text": "Oslo is the capital of Norway."}]
    lines = "".join(json.dumps({"id": one.qid, "passages": passages}) + "\n" for one in questions)
    answers = factories.upload(factories.generations(factories.list_answers("test")))
    files = {"openbook": answers, "openbook_passages": factories.upload(lines.encode(), name="found.jsonl")}
    data = factories.form_data("test", name="Lists", benchmark=factories.LISTS, confirm_missing="on")
    client = Client()
    client.force_login(owner)
    client.post(f"/submit/?benchmark={factories.LISTS}", data | files)
    sent = Submission.objects.get(name="Lists")
    factories.score(sent)
    publish_submission(sent, actor=owner)
    return sent


def test_every_page_is_accessible_and_fits_with_all_its_folds_open(
    made: Benchmark,
    live_site: Site,
    page_factory: "PageFactory",
    sign_in: Callable[..., None],
) -> None:
    page = page_factory(live_site.url)
    sign_in(page, User.objects.get(username="ada"), live_site.url)
    findings: list[str] = []
    lists = sent_with_passages(User.objects.get(username="ada"))
    addresses = (
        "/systems/all/",
        QUESTIONS,
        QUESTIONS.replace("/all/", "/harmful/"),
        "/compare/?system=all&system=half",
        "/compare/?system=all&system=half&system=harmful&score=strict",
        "/compare/?choose=yes",
        "/fanoutqa/dev/questions/",
        "/fanoutqa/dev/questions/dev-0/",
        Submission.objects.get(name="All").get_absolute_url(),
        lists.get_absolute_url(),
        "/qampari/test/openbook/?columns=all",
    )
    for index, address in enumerate(addresses):
        findings += looked_at(page, address, dark=index % 2 == 1, unfolded=True, contrasts=False)
    assert not findings, "\n".join(findings)


def test_questions_are_chosen_in_place_and_by_keyboard(
    made: Benchmark, live_site: Site, page_factory: "PageFactory"
) -> None:
    page = page_factory(live_site.url)
    page.goto(QUESTIONS.replace("/all/", "/half/"))
    page.evaluate("window.untouched = true")
    missed = page.get_by_role("link", name=re.compile("Nothing found"))
    missed.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**outcome=missed*")
    page.locator("[aria-current=page]", has_text="Nothing found").wait_for()
    wait_until_settled(page)
    expect(page.locator("#question-1")).to_have_count(0)
    page.get_by_label("Category").select_option("Politics")
    page.wait_for_url("**category=Politics*")
    expect(page.locator("#announcer")).to_have_text(re.compile(r"questions\.$"))
    assert page.evaluate("window.untouched") is True
    assert all("Politics" in text for text in page.locator(".question").all_inner_texts())
    page.go_back()
    page.locator("#question-22").wait_for()


def test_all_of_it_works_without_javascript(made: Benchmark, live_site: Site, page_factory: "PageFactory") -> None:
    page = page_factory(live_site.url, javascript=False)
    page.goto("/systems/all/")
    page.get_by_role("link", name=re.compile("^Questions")).click()
    page.get_by_label("Category").select_option("Politics")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("category=Politics"))
    page.get_by_role("link", name="Next").click()
    expect(page).to_have_url(re.compile("page=2"))
    expect(page.locator(".question")).to_have_count(3)
    page.goto("/")
    page.get_by_role("link", name="Compare", exact=True).click()
    page.get_by_label("Board").select_option(label="FanOutQA: Open book, development")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**choose=yes**")
    page.get_by_role("checkbox", name=re.compile("^All")).check()
    page.get_by_role("checkbox", name=re.compile("^Half")).check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="Differences").wait_for()
    page.get_by_role("link", name="Change systems").click()
    expect(page.get_by_role("checkbox", name=re.compile("^All"))).to_be_checked()
    page.get_by_role("checkbox", name=re.compile("^Harmful")).check()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".compared > li")).to_have_count(3)


def test_the_owner_lets_others_read_the_answers_and_they_do_no_harm(
    made: Benchmark, live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
) -> None:
    owner, stranger = page_factory(live_site.url), page_factory(live_site.url)
    sign_in(owner, User.objects.get(username="ada"), live_site.url)
    address = QUESTIONS.replace("/all/", "/harmful/")
    stranger.goto(address)
    expect(stranger.get_by_text("onerror")).to_have_count(0)
    owner.goto(Submission.objects.get(name="Harmful").get_absolute_url())
    owner.locator("#show-answers").click()
    owner.get_by_text(ANSWERS_PUBLIC).wait_for()
    stranger.reload()
    expect(stranger.get_by_text("onerror")).to_have_count(20)
    expect(stranger.locator(".answer img")).to_have_count(0)
    assert "\u202e" not in stranger.locator("main").inner_text()
    assert stranger.locator(".answer mark").first.inner_text() == "Norway"
    owner.locator("#hide-answers").click()
    owner.get_by_text(ANSWERS_PRIVATE).wait_for()
    stranger.reload()
    expect(stranger.get_by_text("onerror")).to_have_count(0)
