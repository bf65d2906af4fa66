"""The known id nearest to an unknown one, found with a bounded number of comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MAX_DISTANCE: Final = 3


class NearestId:
    """Looks up ids among known ones. All look-ups together make at most `max_comparisons` comparisons."""

    def __init__(self, known: Iterable[str], max_comparisons: int) -> None:
        self._by_plain_form: dict[str, str] = {}
        for known_id in known:
            self._by_plain_form.setdefault(_plain(known_id), known_id)
        self._longest = max(map(len, self._by_plain_form), default=0)
        self._comparisons_left = max_comparisons

    def find(self, unknown: str) -> str | None:
        """The nearest id: equal except for case and surrounding marks, or at most three edits (and a third) away.

        None if there is no such id or the comparisons are used up.

        >>> NearestId(["dev-0", "dev-1"], max_comparisons=10).find("DEV-O")
        'dev-0'
        """
        if len(unknown) > self._longest + 2 * MAX_DISTANCE + 8:
            return None
        plain = _plain(unknown)
        if not plain:
            return None
        if plain in self._by_plain_form:
            return self._by_plain_form[plain]
        best, best_distance = None, min(MAX_DISTANCE, len(plain) // 3) + 1
        masks = _masks(plain)
        for candidate, known_id in self._by_plain_form.items():
            if abs(len(candidate) - len(plain)) >= best_distance:
                continue
            if not self._comparisons_left:
                break
            self._comparisons_left -= 1
            distance = _distance(masks, len(plain), candidate)
            if distance < best_distance:
                best, best_distance = known_id, distance
        return best


def _plain(identifier: str) -> str:
    return identifier.strip(" \t\r\n\"'“”‘’<>()[]#:,;.").casefold()


def _masks(pattern: str) -> dict[str, int]:
    masks: dict[str, int] = {}
    for position, character in enumerate(pattern):
        masks[character] = masks.get(character, 0) | 1 << position
    return masks


def _distance(masks: dict[str, int], length: int, text: str) -> int:
    """Levenshtein distance, bit-parallel (Myers 1999, in the form of Hyyrö 2003): one step per character of `text`."""
    if not length:
        return len(text)
    every = (1 << length) - 1
    last = 1 << (length - 1)
    positive, negative, distance = every, 0, length
    for character in text:
        equal = masks.get(character, 0)
        diagonal = (((equal & positive) + positive) ^ positive) | equal | negative
        up = negative | (~(diagonal | positive) & every)
        down = positive & diagonal
        distance += bool(up & last) - bool(down & last)
        up = (up << 1) | 1
        down <<= 1
        positive = (down | ~(diagonal | up)) & every
        negative = up & diagonal & every
    return distance
