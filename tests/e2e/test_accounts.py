"""Two people, from nothing to a team of two: with scripts and a mouse, and without scripts by the keyboard."""

import re
from typing import TYPE_CHECKING

import pytest

from leaderboard.accounts.teams.views import LEFT
from leaderboard.models import Membership
from tests import factories
from tests.browser import PHONE
from tests.e2e.accessibility import violations
from tests.processes import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def link_in_mail(site: Site, to: str, path: str) -> str:
    """The link below *path* in the last mail to somebody, which a site without a mail server prints to its log."""
    mails = re.split(r"^-{70,}$", site.log.read_text(), flags=re.MULTILINE)
    body = next(text for text in reversed(mails) if f"To: {to}" in text and path in text)
    found = re.search(rf"{re.escape(site.url)}({path}\S+)", body)
    assert found
    return found[1]


def sign_up(page: "Page", name: str) -> None:
    page.get_by_label("Password (again)").wait_for()  # the page before may have a field for a username too
    page.get_by_label("Username").fill(name)
    address = page.get_by_label("Email", exact=True)
    if not address.input_value():
        address.fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(factories.PASSWORD)
    page.get_by_label("Password (again)").fill(factories.PASSWORD)
    page.get_by_label("Password (again)").press("Enter")
    page.get_by_role("heading", name="Check your email").wait_for()


def test_from_two_new_accounts_to_a_team(live_site: Site, page_factory: "PageFactory") -> None:
    ada = page_factory(live_site.url)
    ada.goto("/teams/")
    ada.get_by_role("link", name="Create account").click()
    sign_up(ada, "ada")
    ada.goto(link_in_mail(live_site, "ada@example.org", "/accounts/verify/"))
    ada.get_by_role("button", name="Confirm address").click()
    ada.wait_for_url("**/teams/")
    ada.get_by_label("Team name").fill("Readers")
    ada.get_by_role("button", name="Create team").click()
    ada.wait_for_url("**/teams/readers/")
    ada.get_by_label("Email address").fill("bob@example.org")
    ada.get_by_role("button", name="Send invitation").click()
    ada.get_by_text("Invited bob@example.org.").wait_for()
    assert list(violations(ada)) == []

    bob = page_factory(live_site.url, javascript=False, viewport=PHONE)
    invitation = link_in_mail(live_site, "bob@example.org", "/teams/join/")
    bob.goto(invitation)
    bob.get_by_role("link", name="Create account").press("Enter")
    sign_up(bob, "bob")  # the address is filled in already
    bob.goto(link_in_mail(live_site, "bob@example.org", "/accounts/verify/"))
    bob.get_by_role("button", name="Confirm address").press("Enter")
    bob.wait_for_url(f"**{invitation}")
    bob.get_by_role("button", name="Join team").press("Enter")
    bob.locator(".alert--good", has_text="Readers").wait_for()

    ada.reload()
    ada.get_by_role("button", name="Make owner (bob)").click()
    ada.locator(".alert--good", has_text="bob").wait_for()
    ada.get_by_text("Leave team…").click()
    ada.get_by_role("button", name="Leave", exact=True).click()
    ada.get_by_text(LEFT).wait_for()
    assert list(Membership.objects.values_list("user__username", "role")) == [("bob", "owner")]
