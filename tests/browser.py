"""Pages of a real Chromium that watch over themselves: console errors, refused scripts, requests to other hosts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

LAUNCH_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)
"""No name but this machine's is resolved. Requests are watched, not routed: routing would switch off the cache."""
DESKTOP = (1280, 900)
PHONE = (390, 844)
TIMEOUT_MILLISECONDS = 60_000
"""How long anything may take before a test says that it never happens."""
expect.set_options(timeout=TIMEOUT_MILLISECONDS)
LOCAL_HOSTS = ("127.0.0.1", "localhost")
FAILED_LOAD = re.compile(
    r"(?:Failed to load resource: the server responded with a status of|Response Status Error Code) (\d+)"
)


def wait_until_settled(page: Page) -> None:
    """Wait until what htmx swapped in works, too: its links lead to whole pages before."""
    page.locator(".htmx-request, .htmx-swapping, .htmx-settling").first.wait_for(state="detached")


@dataclass
class PageFactory:
    """Opens pages, each in a browser context of its own, and knows what went wrong in them.

    Calling it returns a new Playwright page:

    Args:
        base_url: makes ``page.goto("/submit/")`` work.
        viewport: width and height in CSS pixels; `DESKTOP` or `PHONE`.
        dark: whether the system prefers dark colours.
        javascript: whether scripts run.
        expect_statuses: the 4xx answers that the test provokes; any other makes the test fail.
        options: further arguments of Playwright's ``Browser.new_context``.
    """

    browser: Browser
    problems: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Parts of problems that the test provokes."""
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(
        self,
        base_url: str | None = None,
        *,
        viewport: tuple[int, int] = DESKTOP,
        dark: bool = False,
        javascript: bool = True,
        expect_statuses: Iterable[int] = (),
        **options: Any,
    ) -> Page:
        context = self.browser.new_context(
            base_url=base_url,
            viewport={"width": viewport[0], "height": viewport[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=javascript,
            reduced_motion="reduce",
            **options,
        )
        self._contexts.append(context)
        context.set_default_timeout(TIMEOUT_MILLISECONDS)
        context.on("request", self._on_request)
        page = context.new_page()
        statuses = frozenset(expect_statuses)
        page.on("console", lambda message: self._on_console(message, statuses))
        page.on("pageerror", lambda error: self.problems.append(f"script error: {error}"))
        page.on("requestfailed", self._on_failed_request)
        return page

    def unexpected(self) -> list[str]:
        """The problems that the test did not provoke."""
        return [one for one in self.problems if not any(part in one for part in self.expected)]

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        self._contexts.clear()

    def _on_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in LOCAL_HOSTS:
            self.problems.append(f"request to another host: {request.url}")

    def _on_console(self, message: ConsoleMessage, statuses: frozenset[int]) -> None:
        if message.type not in ("error", "warning"):
            return
        status = FAILED_LOAD.match(message.text)
        if status and int(status[1]) in statuses:
            return
        where = message.location.get("url", "")
        self.problems.append(f"console {message.type}: {message.text} ({where})")

    def _on_failed_request(self, request: Request) -> None:
        # A page that is left while it loads or polls aborts its requests: that is no fault.
        if request.failure and "ERR_ABORTED" not in request.failure:
            self.problems.append(f"failed request: {request.url}: {request.failure}")
