"""The second factor in a real browser: passkeys of a virtual authenticator, and an app without scripts."""

import time
from typing import TYPE_CHECKING

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from playwright.sync_api import expect

from tests import factories
from tests.browser import PHONE
from tests.e2e.accessibility import violations
from tests.processes import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def sign_in(page: "Page", *, asks_for_second_factor: bool = False) -> None:
    page.goto("/accounts/sign-in/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_label("Password").press("Enter")
    if asks_for_second_factor:
        page.get_by_role("heading", name="Second factor").wait_for()
    else:
        page.locator("button", has_text="Sign out").first.wait_for(state="attached")


def open_menu(page: "Page") -> None:
    """What the header links to is in a menu on a phone."""
    menu = page.locator(".site-menu > summary")
    menu.filter(visible=True).or_(page.get_by_role("button", name="Sign out")).first.wait_for()
    if menu.is_visible():
        menu.click()


def sign_out(page: "Page") -> None:
    open_menu(page)
    page.get_by_role("button", name="Sign out").click()
    page.locator("a[href*='/accounts/sign-in/']").first.wait_for(state="attached")


def confirm(page: "Page") -> None:
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Continue").press("Enter")


def test_a_passkey_is_created_used_and_removed(live_site: Site, page_factory: "PageFactory") -> None:
    factories.benchmark()
    factories.user("ada")
    page = page_factory(live_site.url.replace("127.0.0.1", "localhost"))
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    sign_in(page)
    page.goto("/accounts/second-factor/")
    page.get_by_role("link", name="Add passkey").click()
    confirm(page)
    page.get_by_label("Name").fill("Laptop")
    assert list(violations(page)) == []
    page.get_by_role("button", name="Create passkey").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    assert list(violations(page)) == []
    sign_out(page)

    sign_in(page, asks_for_second_factor=True)
    assert list(violations(page)) == []
    page.get_by_role("button", name="Use passkey").click()
    page.get_by_role("button", name="Sign out").wait_for()

    page.goto("/accounts/second-factor/")
    page.get_by_role("link", name="Remove Laptop").click()
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use passkey").click()
    page.get_by_role("button", name="Remove passkey").click()
    page.get_by_role("link", name="Add passkey").wait_for()
    assert not Authenticator.objects.exists()


def test_where_browsers_allow_no_passkey_the_page_says_so(live_site: Site, page_factory: "PageFactory") -> None:
    factories.benchmark()
    factories.user("ada")
    page = page_factory(live_site.url)
    assert "127.0.0.1" in live_site.url
    sign_in(page)
    page.goto("/accounts/second-factor/passkeys/")
    confirm(page)
    page.get_by_role("button", name="Create passkey").click()
    page.locator("[data-passkey-problem]", has_text="localhost").wait_for()
    assert list(violations(page)) == []
    assert not Authenticator.objects.exists()


def test_an_app_works_by_the_keyboard_without_scripts(live_site: Site, page_factory: "PageFactory") -> None:
    factories.benchmark()
    factories.user("ada")
    page = page_factory(live_site.url, javascript=False, viewport=PHONE)
    sign_in(page)
    page.goto("/accounts/second-factor/")
    page.get_by_role("link", name="Set up app").press("Enter")
    confirm(page)
    secret = page.locator("#secret").inner_text()
    code = totp.format_hotp_value(totp.hotp_value(secret, int(time.time()) // 30))
    page.get_by_role("textbox", name="Code").fill(code)
    page.get_by_role("textbox", name="Code").press("Enter")
    codes = page.locator("#recovery-codes")
    codes.wait_for()
    page.wait_for_load_state()
    recovery = codes.inner_text().split()
    sign_out(page)
    sign_in(page, asks_for_second_factor=True)
    page.get_by_role("textbox", name="Code").fill(recovery[0])
    page.get_by_role("textbox", name="Code").press("Enter")
    page.get_by_role("heading", name="Second factor").wait_for(state="detached")
    open_menu(page)
    page.get_by_role("button", name="Sign out").wait_for()
    page.goto("/accounts/second-factor/passkeys/")
    confirm(page)
    page.get_by_role("heading", name="New passkey").wait_for()
    page.wait_for_load_state()
    expect(page.get_by_role("button", name="Create passkey")).to_have_count(0)
