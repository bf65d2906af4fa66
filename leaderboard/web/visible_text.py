"""Validation of typed text: it must have visible characters."""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError

INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that are invisible, or change the direction of the surrounding text."""


JOINERS = "\u200c\u200d"
"""Invisible, but needed to write some languages, and in emoji."""


BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols that are invisible."""


def validate_visible_text(text: str) -> None:
    """Accept only text that can be distinguished visually on the board; line breaks and tabs count as spaces.

    Raises:
        ValidationError: a character is invisible, or there is no visible character.
    """
    unseen = [
        character
        for character in text
        if unicodedata.category(character) in INVISIBLE_CATEGORIES
        and character not in JOINERS
        and character not in "\r\n\t"
    ]
    if unseen:
        text = f"Remove the character U+{ord(unseen[0]):04X}: it is invisible or hides other text."
        raise ValidationError(text, code="invisible_character")
    if not text.strip(JOINERS + BLANKS + " \r\n\t"):
        raise ValidationError("Enter visible text.")
