"""Anchors of an article: its ids with a prefix, each unique."""

import re
from typing import Final

ANCHOR_PREFIX: Final = "s-"
"""The prefix of every ``id`` of an article, so that none equals an id of the page."""
_ID: Final = re.compile(r"[^\s<>\"'&\x00-\x1f]{1,200}")
_PARSOID_ID: Final = re.compile(r"mw[\w-]{2,6}")
"""The pattern of the ids that Parsoid gives every element; no link points to them."""


def anchor_of(fragment: str) -> str:
    """The anchor for one of the article's ids; empty if it cannot be an anchor."""
    return f"{ANCHOR_PREFIX}{fragment}" if _ID.fullmatch(fragment) else ""


class Anchors:
    """The anchors that an article has so far."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """The anchor for an element's ``id``; empty if it has none, or if an earlier element has the same."""
        anchor = anchor_of(name)
        if not anchor or anchor in self._taken or _PARSOID_ID.fullmatch(name):
            return ""
        self._taken.add(anchor)
        return anchor

    def take_free(self, name: str) -> str:
        """An anchor for a heading, with a number appended if its name is taken."""
        base = anchor_of(name[:150]) or f"{ANCHOR_PREFIX}section"
        anchor, number = base, 1
        while anchor in self._taken:
            number += 1
            anchor = f"{base}_{number}"
        self._taken.add(anchor)
        return anchor
