"""People who compare answers side by side in a real browser: by keyboard alone, on a phone, and without JavaScript."""

import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from humaneval.models import Assignment, Kind, Preference, Study
from humaneval.participants import invitations
from humaneval.studies import pairs
from tests import factories, volunteers
from tests.browser import PHONE
from tests.e2e.accessibility import too_wide, violations
from tests.humaneval.test_pairs import add_systems
from tests.processes import Site, child_environment

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
PLAN = ("left", "right", "tie", "bad", "right") * 4
"""What each person chooses, in this order; the first in the reverse one."""
N_PAIRS = len(PLAN)


def test_three_people_compare_pairs(
    transactional_db: None, static_root: Any, tmp_path: Path, page_factory: "PageFactory"
) -> None:
    grace = factories.maintainer()
    dev = factories.split(factories.benchmark(n_dev=7), "dev")
    fields: dict[str, Any] = {"opens_at": timezone.now() - datetime.timedelta(hours=1), "kind": Kind.PAIRS, "seats": 3}
    source = volunteers.encyclopedia(tmp_path)
    study = factories.study(grace, dev, questions_per_participant=N_PAIRS, encyclopedia=source, **fields)
    pairs.make_pairs(study, add_systems(study), 7, by=grace)
    site = Site(tmp_path, child_environment(STATIC_ROOT=str(static_root)))
    try:
        site.start()
        by_keyboard(sit(study, page_factory(site.url)))
        on_a_phone(sit(study, page_factory(site.url, viewport=PHONE, dark=True, has_touch=True)))
        without_scripts(sit(study, page_factory(site.url, javascript=False)))
    finally:
        site.stop()
    rows = list(Assignment.objects.order_by("participant__number", "position"))
    assert [row.text for row in rows] == [*PLAN[::-1], *PLAN, *PLAN]
    assert all(row.done_at for row in rows)
    assert rows[0].critique["left"]["strength"], "what the keyboard marked"
    assert rows[2 * N_PAIRS].critique == {"right": {"score": 7}}
    assert all(row.active_seconds is not None for row in rows[: 2 * N_PAIRS])
    assert all(row.active_seconds is None for row in rows[2 * N_PAIRS :]), "unknown without scripts"


def sit(study: Study, page: "Page") -> "Page":
    """A page of somebody new, at the first pair."""
    page.goto(invitations.path_of(volunteers.link(study)))
    page.locator("#enter").click()
    page.locator("#agree").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Start", exact=True).click()
    at(page, 1)
    return page


def at(page: "Page", number: int) -> None:
    page.wait_for_url(re.compile(f"/questions/{number}/$"))


def by_keyboard(page: "Page") -> None:
    """Keys alone, also for a mark: the text is selected, then a button is reached and pressed."""
    assert list(violations(page)) == []
    page.evaluate("getSelection().selectAllChildren(document.getElementById('left-text'))")
    page.locator("[data-mark=left_strength]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#left_strength")).to_have_value(re.compile("To "))
    page.locator("#content").focus()
    for number, vote in enumerate(PLAN[::-1], start=1):
        at(page, number)
        expect(page.locator("html")).to_have_class(re.compile("scripted"))
        page.keyboard.press(str(Preference.values.index(vote) + 1))
        expect(page.locator(f"#vote-{vote}")).to_be_focused()
        if number == 1:
            expect(page.locator("#save-status")).to_have_attribute("data-state", "saved")
            assert Assignment.objects.filter(text=vote, done_at=None).exists(), "saved before any button"
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your questions").wait_for()


def on_a_phone(page: "Page") -> None:
    assert list(too_wide(page)) == []
    for number, vote in enumerate(PLAN, start=1):
        at(page, number)
        page.locator(f".pair__vote:has(#vote-{vote})").tap()
        page.locator("#mark-done").tap()
    page.get_by_role("heading", name="Your questions").wait_for()


def without_scripts(page: "Page") -> None:
    """Every button saves the whole page, also that of the search."""
    page.locator("summary", has_text="Score and marks").last.click()
    page.locator("#right_score").fill("7")
    page.locator("#reader-query").fill("Norway")
    page.locator("#reader-search button[type=submit]").click()
    page.get_by_role("link", name="Norway").first.wait_for()
    expect(page.locator("#right_score")).to_have_value("7")
    for number, vote in enumerate(PLAN, start=1):
        if number > 1:
            at(page, number)
        page.locator(f"#vote-{vote}").check()
        page.locator("#mark-done").click()
    page.get_by_role("heading", name="Your questions").wait_for()
