"""What axe-core finds on a page, and whether it fits its screen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

from tests.browser import DESKTOP, PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Page

AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
QUICKLY = {"resultTypes": ["violations"], "preload": False, "runOnly": AXE_RULES}
"""To list what is right takes longer than to check it; no rule that runs here reads the style sheets as files."""
REPEATED = {"exclude": [["tbody tr:nth-child(n+9)"]]}
"""Rows of a long table, which have what the first eight have."""
AXE = Axe().axe_script
FOUND = """([context, options]) => axe.run(context, options).then(({violations}) => violations.flatMap(
  ({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 200)}`)))"""
"""The findings alone: all results of axe are long."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


STRUCTURE_ALONE = {"color-contrast": {"enabled": False}}
"""More than half of the time goes into contrasts. The gallery has each component in all colours."""
UNFOLD = "for (const fold of document.querySelectorAll('details:not(.site-menu)')) fold.open = true"


def looked_at(
    page: "Page", address: str, *, dark: bool, unfolded: bool = False, contrasts: bool = True
) -> Iterator[str]:
    """What `violations` finds on a page, narrow and dark or else wide and light; whether it fits the other way; and
    whether it shows what Python says of an object.

    Args:
        unfolded: with all of its folds open.
        contrasts: whether they are looked at; they need not where the gallery has the same components.
    """
    looks = [(DESKTOP, "light"), (PHONE, "dark")]
    (size, _), (other, _) = looks[::-1] if dark else looks
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address)
    if unfolded:
        page.evaluate(UNFOLD)
    yield from violations(page, contrasts=contrasts)
    page.set_viewport_size({"width": other[0], "height": other[1]})
    yield from too_wide(page)
    if " object at 0x" in page.content():
        yield f"{address}: shows an object"


def too_wide(page: "Page") -> Iterator[str]:
    """By how much the page is wider than the screen, if it is."""
    overflow = page.evaluate(OVERFLOW)
    if overflow > 0:
        yield f"{page.url}: {overflow} pixels wider than the screen"


def violations(page: "Page", *, contrasts: bool = True) -> Iterator[str]:
    """What axe finds, one line each, and by how much the page is wider than the screen; see `looked_at`.

    After a click that leads to another page, wait for something that only that page has.
    """
    rules = {} if contrasts else {"rules": STRUCTURE_ALONE}
    page.wait_for_load_state()
    page.evaluate(AXE)
    for finding in page.evaluate(FOUND, [REPEATED, QUICKLY | rules]):
        yield f"{page.url}: {finding}"
    yield from too_wide(page)
