"""A newer version of a file, in a real browser: by the keyboard, while the page follows the scoring by itself."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from leaderboard.models import Membership, Team
from tests import factories
from tests.browser import wait_until_settled
from tests.processes import Site

if TYPE_CHECKING:
    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_member_of_the_team_replaces_a_file_and_sees_both_versions(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None], tmp_path: Path
) -> None:
    ada, bob = factories.user("ada"), factories.user("bob")
    team = Team.objects.create(name="Night shift", slug="night-shift")
    for member in (ada, bob):
        Membership.objects.create(team=team, user=member)
    dev = factories.split(factories.benchmark(), "dev")
    sent = factories.scored(ada, dev, {"openbook": factories.perfect(right=2)}, team=team)
    wrong, right = tmp_path / "wrong.jsonl", tmp_path / "right.jsonl"
    wrong.write_bytes(b'{"id": "dev-0", "answer": 7}\n')
    right.write_bytes(factories.generations(factories.perfect()))

    page = page_factory(live_site.url, expect_statuses=[422])
    sign_in(page, bob, live_site.url)
    page.goto(sent.get_absolute_url())
    page.get_by_role("link", name="Replace… the file of Open book").press("Enter")
    page.get_by_role("heading", name="File replacement: Open book").wait_for()
    page.locator("#id_openbook").set_input_files(wrong)
    page.locator("#replace-button").press("Enter")
    page.locator("#file-reports").wait_for()
    assert "Nothing was changed." in page.locator("#form-errors").inner_text()
    page.locator("#id_openbook").set_input_files(right)
    page.locator("#replace-button").press("Enter")
    page.get_by_role("heading", name="Open book, version 2").wait_for()
    expect(page.locator("#submission-live")).to_contain_text("Queued")
    page.wait_for_load_state()
    page.evaluate("window.untouched = true")
    factories.score(sent)
    page.locator("#publish").wait_for()
    assert page.evaluate("window.untouched") is True
    expect(page.locator("#submission-live")).to_contain_text("Received version 2 (open book). (bob)")
    wait_until_settled(page)
    page.locator("#versions-openbook summary").press("Enter")
    earlier = page.locator("#versions-openbook ol")
    earlier.wait_for()
    assert "0.500" in earlier.inner_text()
