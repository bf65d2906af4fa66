"""Skeletons of names: keys that are stored with systems, submissions and accounts, so that names that look alike are
found by index."""

from __future__ import annotations

import unicodedata
from string import ascii_letters
from typing import Any, Final

from confusable_homoglyphs.confusables import confusables_data
from django.db import models

KEY_LENGTH: Final = 200
"""Longer keys are cut: names that look the same so far look alike."""


def _tables() -> tuple[dict[int, str], dict[int, str]]:
    """Representative of all letters that look alike, by letter (Unicode Technical Standard 39): for letters of other
    scripts that look like Latin ones, and for all.

    The library's table has each pair in both directions: what many letters look like has many entries, and each of
    these letters has one.
    """
    letters = {}
    for letter, entries in confusables_data.items():
        other = entries[0]["c"]
        is_prototype = len(entries) > 1 or (len(confusables_data[other]) == 1 and other > letter)
        if len(letter) == 1 and not is_prototype:
            letters[letter] = other
    # Before case is folded: small letters may look like others (Greek Ν like N, but ν like v).
    latin = {letter: other for letter, other in letters.items() if not letter.isascii() and other in {*ascii_letters}}
    for capital, other in latin.items():
        small = capital.lower()
        if not letters.get(small, "я").isascii():  # it looks like no Latin letter itself: н counts as Н
            letters[small] = other.casefold()
    return str.maketrans(latin), str.maketrans(letters)


_LATIN, _LETTERS = _tables()


def skeleton(name: str) -> str:
    """Skeleton of a name, equal for names that look alike: without case, accents, spacing and punctuation, and with one
    character for all that look alike. Names with the same skeleton look the same at a glance.

    >>> skeleton("Ηumаn") == skeleton("HUMAN"), skeleton("CeiIing") == skeleton("Ceiling")
    (True, True)
    >>> skeleton("Μixtral-8x7B") == skeleton("Mixtral-8x7B"), skeleton("ａ1") == skeleton("а1") == skeleton("a1")
    (True, True)
    >>> skeleton("GPT-4") == skeleton("GPT-3.5")
    False
    """
    folded = unicodedata.normalize("NFKD", name).translate(_LATIN).casefold()
    text = unicodedata.normalize("NFKD", folded.translate(_LETTERS)).casefold()
    text = "".join(character for character in text if character.isalnum())
    return text.replace("i", "l")[:KEY_LENGTH]  # capital I looks like l


class SkeletonField(models.CharField):  # type: ignore[type-arg]
    """The skeleton of another field of its row, computed whenever the row is saved.

    Attributes:
        of: the other field.
    """

    def __init__(self, of: str, **options: Any) -> None:
        self.of = of
        super().__init__(**{"max_length": KEY_LENGTH, "editable": False, "db_index": True, **options})

    def deconstruct(self) -> Any:
        """With the name of the other field."""
        name, path, _, options = super().deconstruct()
        return name, path, [self.of], options

    def pre_save(self, model_instance: Any, add: bool) -> str:
        """The key, which the instance gets too."""
        del add
        key = skeleton(getattr(model_instance, self.of))
        setattr(model_instance, self.attname, key)
        return key
