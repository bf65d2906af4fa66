"""What axe-core finds on a page, and whether it fits its screen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Page

AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE_OPTIONS = {"runOnly": AXE_RULES, "resultTypes": ["violations"]}  # to list what is well takes longer than to look
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def violations(page: "Page") -> Iterator[str]:
    """What axe finds, one line each, and by how much the page is wider than the screen."""
    for violation in Axe().run(page, options=AXE_OPTIONS).response["violations"]:
        for node in violation["nodes"]:
            yield f"{page.url}: {violation['id']}: {node['html'][:200]}"
    overflow = page.evaluate(OVERFLOW)
    if overflow > 0:
        yield f"{page.url}: {overflow} pixels wider than the screen"
