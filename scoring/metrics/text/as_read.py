"""The text that metrics read, for everything that is decided about an answer beside its scores.

Metrics repair a text before they compare it: mojibake, entities and widths (ftfy), compatibility forms, signs within
words. A limit or a comparison that looks at the raw text can be evaded by writing the same answer in another way.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from scoring.metrics.base import Tick, no_tick
from scoring.metrics.text.normalise import compose, fix_text

_FILLERS: Final = frozenset("\u034f\u115f\u1160\u3164\uffa0\u2800")
"""Letters and signs that are as empty as a space of no width."""
_WITHIN_WORD: Final = re.compile(r"(?<=\w)[,.?!:;]+(?=\w)")
"""Signs that string accuracy removes (`scoring.metrics.text.normalise.Normaliser`), where it joins two words by it."""


def as_read(text: str, tick: Tick = no_tick) -> str:
    r"""A text in one form for all ways of writing it that metrics read alike.

    Repaired as `fix_text` does, then compatibility forms resolved (NFKC), invisible characters removed, lower case.

    >>> as_read("Ｏｓ\u200bｌｏ &amp; MÃ¼nchen")
    'oslo & münchen'
    """
    if text.isascii():  # most texts; the repair may change entities and control characters only
        return fix_text(text, tick).casefold()
    folded = compose(fix_text(text, tick), "NFKC").casefold()
    return folded.translate({ord(character): None for character in set(folded) if is_invisible(character)})


def joined(read: str) -> str:
    """A text as read, without the signs within words that string accuracy leaves out.

    >>> joined("o.s.l.o, 1,200 km")
    'oslo, 1200 km'
    """
    return _WITHIN_WORD.sub("", read)


def is_invisible(character: str) -> bool:
    """Whether a character shows nothing and is no white space."""
    return (
        character in _FILLERS
        or "\ufe00" <= character <= "\ufe0f"
        or (unicodedata.category(character) in ("Cc", "Cf") and not character.isspace())
    )
