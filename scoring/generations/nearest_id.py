"""The known id nearest to an unknown one, found with a bounded number of comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Final

LIKENESS: Final = 0.8
"""The share of their characters that two ids have in common at least, in the same order."""
MAX_SLIPS: Final = 20_000
"""Texts at one slip from an unknown id that are looked up."""


class NearestId:
    """Looks up ids among known ones. All look-ups together make at most `max_comparisons` comparisons; an id that
    cannot be compared with all known ones is looked for by one slip alone."""

    def __init__(self, known: Iterable[str], max_comparisons: int) -> None:
        self._by_plain_form: dict[str, str] = {}
        for known_id in known:
            self._by_plain_form.setdefault(_plain(known_id), known_id)
        self._longest = max(map(len, self._by_plain_form), default=0)
        self._comparisons_left = max_comparisons

    def find(self, unknown: str) -> str | None:
        """The nearest id: equal except for case and surrounding marks, or much like it.

        None if there is no such id.

        >>> NearestId(["oslo-1", "rome-1"], max_comparisons=10).find("Oslo1")
        'oslo-1'
        >>> few = NearestId(["oslo-1", "rome-1"], max_comparisons=0)
        >>> few.find("Oslo1"), few.find("Oslo")
        ('oslo-1', None)
        """
        if len(unknown) > 2 * self._longest + 8:
            return None
        plain = _plain(unknown)
        if plain in self._by_plain_form:
            return self._by_plain_form[plain] if plain else None
        like: Iterable[str]
        if len(self._by_plain_form) <= self._comparisons_left:
            self._comparisons_left -= len(self._by_plain_form)
            like = get_close_matches(plain, self._by_plain_form, n=1, cutoff=LIKENESS)
        else:
            like = filter(self._by_plain_form.__contains__, islice(self._slips(plain), MAX_SLIPS))
        return next((self._by_plain_form[form] for form in like), None)

    def _slips(self, plain: str) -> Iterator[str]:
        """Texts with one character less, one more or another one."""
        for place in range(len(plain) + 1):
            before, after = plain[:place], plain[place:]
            yield before + after[1:]
            for character in self._characters:
                yield before + character + after
                yield before + character + after[1:]

    @cached_property
    def _characters(self) -> list[str]:
        return sorted(set().union(*self._by_plain_form))


def _plain(identifier: str) -> str:
    return identifier.strip(" \t\r\n\"'“”‘’<>()[]#:,;.").casefold()
