"""Editing the facts of a system, in a real browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from leaderboard.models import System
from tests import factories
from tests.processes import Site

if TYPE_CHECKING:
    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_an_owner_renames_a_system_and_finds_it_at_its_old_address(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
) -> None:
    ada = factories.user("ada")
    factories.published(ada, factories.split(factories.benchmark(), "dev"), {"openbook": factories.perfect()})
    page = page_factory(live_site.url)
    sign_in(page, ada, live_site.url)
    page.goto("/systems/example-system/")
    page.get_by_role("link", name="Edit facts").press("Enter")
    page.get_by_role("heading", name="Facts", exact=True).wait_for()
    page.get_by_label("Name", exact=True).fill("Better name")
    page.get_by_role("button", name="Save facts").press("Enter")
    page.get_by_role("heading", name="Better name").wait_for()
    assert System.objects.get().slug == "better-name"
    page.goto("/systems/example-system/edit/")
    page.get_by_text("Example system → Better name").wait_for()
    page.goto("/systems/example-system/")
    page.get_by_role("heading", name="Better name").wait_for()
    assert page.url.endswith("/systems/better-name/")
