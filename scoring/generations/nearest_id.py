"""The known id nearest to an unknown one, found with a bounded number of comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

LIKENESS: Final = 0.8
"""The share of their characters that two ids have in common at least, in the same order."""


class NearestId:
    """Looks up ids among known ones. All look-ups together make at most `max_comparisons` comparisons."""

    def __init__(self, known: Iterable[str], max_comparisons: int) -> None:
        self._by_plain_form: dict[str, str] = {}
        for known_id in known:
            self._by_plain_form.setdefault(_plain(known_id), known_id)
        self._longest = max(map(len, self._by_plain_form), default=0)
        self._searches_left = max_comparisons // max(1, len(self._by_plain_form))

    def find(self, unknown: str) -> str | None:
        """The nearest id: equal except for case and surrounding marks, or much like it.

        None if there is no such id or the comparisons are used up.

        >>> NearestId(["oslo-1", "rome-1"], max_comparisons=10).find("Oslo1")
        'oslo-1'
        """
        if len(unknown) > 2 * self._longest + 8:
            return None
        plain = _plain(unknown)
        if plain in self._by_plain_form:
            return self._by_plain_form[plain] if plain else None
        if not self._searches_left:
            return None
        self._searches_left -= 1
        like = get_close_matches(plain, self._by_plain_form, n=1, cutoff=LIKENESS)
        return self._by_plain_form[like[0]] if like else None


def _plain(identifier: str) -> str:
    return identifier.strip(" \t\r\n\"'“”‘’<>()[]#:,;.").casefold()
