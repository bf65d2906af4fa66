"""Articles with odd titles in a real browser: opened by address, link, search and suggestion."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import expect

from humaneval.encyclopedia.zim_writer import path_of
from humaneval.models import Invitation, Visit
from tests.e2e.test_study import frame, link, server, sit, study
from tests.humaneval.encyclopedia.test_zim import ODD_TITLES, odd_zim

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["link", "server", "sit", "study"]  # the fixtures of the journeys
pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TITLES = (
    *("می‌خواهم", "ශ්‍රී ලංකාව", "👨‍👩‍👧", "no\u00a0break", "soft\u00adhyphen"),
    *("A//B", "https://example.org/", "a/b/c/../d"),
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"zim:{odd_zim(tmp_path_factory.mktemp('odd') / 'odd.zim')}"


def test_odd_titles_are_opened_in_every_way(sit: "Callable[..., Page]", link: Invitation) -> None:
    page = sit(link)
    home = page.url

    def expect_article(number: int) -> None:
        expect(frame(page).get_by_text(f"The article of number{number}.")).to_be_visible()

    query = page.get_by_role("combobox", name="Search the encyclopedia")
    for title in TITLES:
        number = ODD_TITLES.index(title)
        page.goto(f"{home}article/?path={quote(path_of(title), safe='')}")
        expect_article(number)
        page.goto(f"{home}article/?path=All")
        frame(page).get_by_role("link", name=str(number), exact=True).click()
        expect_article(number)
        page.goto(home)
        query.fill(f"number{number}")
        query.press("Enter")
        page.locator(".hit__title").click()
        expect_article(number)
        page.goto(home)
        query.fill(title)
        # Titles with a part in common are suggested too.
        page.locator(f'[role=option][data-url*="{urlencode({"path": path_of(title)})}"]').click()
        expect_article(number)
    opened = Visit.objects.exclude(title="All").values_list("path", flat=True)
    assert {*opened} == {path_of(title) for title in TITLES}
