"""What axe-core finds on a page, and whether it fits its screen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe

from tests.browser import DESKTOP, PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Page

AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
QUICKLY = {"resultTypes": ["violations"], "preload": False}
"""To list what is right takes longer than to check it; no rule that runs here reads the style sheets as files."""
REPEATED = {"exclude": [["tbody tr:nth-child(n+9)"]]}
"""Rows of a long table, which have what the first eight have."""
AXE = Axe().axe_script
FOUND = """([context, options]) => axe.run(context, options).then(({violations}) => violations.flatMap(
  ({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 200)}`)))"""
"""The findings alone: all results of axe are long."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


COLOURS_AND_SIZES = {"runOnly": {"type": "rule", "values": ["color-contrast", "target-size"]}}
"""What differs between two looks of one page: all else was seen in the first."""


UNFOLD = "for (const fold of document.querySelectorAll('details')) fold.open = true"


def looked_at_one_way(page: "Page", address: str, *, dark: bool, unfolded: bool = False) -> Iterator[str]:
    """What `violations` finds on a page, narrow and dark or else wide and light; and whether it fits the other way.

    Args:
        unfolded: with all of its folds open.
    """
    looks = [(DESKTOP, "light"), (PHONE, "dark")]
    (size, _), (other, _) = looks[::-1] if dark else looks
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address)
    if unfolded:
        page.evaluate(UNFOLD)
    yield from violations(page)
    page.set_viewport_size({"width": other[0], "height": other[1]})
    yield from too_wide(page)


def too_wide(page: "Page") -> Iterator[str]:
    """By how much the page is wider than the screen, if it is."""
    overflow = page.evaluate(OVERFLOW)
    if overflow > 0:
        yield f"{page.url}: {overflow} pixels wider than the screen"


def looked_at_twice(page: "Page", address: str, *, unfolded: bool = False) -> Iterator[str]:
    """What `violations` finds on a page that is opened once: wide and light, then narrow and dark.

    Args:
        unfolded: with all of its folds open.
    """
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    page.emulate_media(color_scheme="light")
    page.goto(address)
    if unfolded:
        page.evaluate(UNFOLD)
    yield from violations(page)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.emulate_media(color_scheme="dark")
    yield from violations(page, again=True)


def violations(page: "Page", *, again: bool = False) -> Iterator[str]:
    """What axe finds, one line each, and by how much the page is wider than the screen.

    Args:
        again: the same page in other colours and at another width.
    """
    options = QUICKLY | (COLOURS_AND_SIZES if again else {"runOnly": AXE_RULES})
    page.evaluate(AXE)
    for finding in page.evaluate(FOUND, [REPEATED, options]):
        yield f"{page.url}: {finding}"
    yield from too_wide(page)
