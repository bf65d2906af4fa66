"""What names of systems look like: keys that are stored with them, so that names that look alike are found by index.

Enters: a name. Leaves: its key. When a rule here changes, a migration computes the stored keys again, as
``0046_keys_of_names`` did first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from django.db import models

_LOOKALIKES: Final = {
    "a": "аαɑ@",
    "b": "ьвβƅ",
    "c": "сϲᴄ",
    "d": "ԁɗ",
    "e": "еєεҽ℮",
    "f": "ƒϝ",
    "g": "ɡց",
    "h": "һнհ",
    "i": "іιıɩӏ1l|!ǀ",
    "j": "јϳ",
    "k": "кκҝ",
    "m": "мϻ",
    "n": "пռɴη",
    "o": "оοσօ0ө",
    "p": "рρϱ",
    "q": "ԛգ",
    "r": "гᴦɼ",
    "s": "ѕʂ5$",
    "t": "тτ",
    "u": "υսμцʋ",
    "v": "ѵνᴠ",
    "w": "ԝωшѡᴡ",
    "x": "хχҳ×",
    "y": "уүγʏ",
    "z": "ᴢʐ",
}
"""By Latin letter: what looks like it among Latin, Greek, Cyrillic and Armenian letters, digits and signs, in lower
case. After Unicode Technical Standard 39, Unicode Security Mechanisms, cut down to the alphabets that names here
use."""
_CAPITALS: Final = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧЅІЈАВЕКМНОРСТУХՍՏՕⲀⲂⲈⲌⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬᎠᎡᎢᎪᎫᎬᎳᎷᎻᎽᏀᏃᏒᏔᏚᏙᏞᏟᏢᏦᏴꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
    "ABEZHIKMNOPTYXSIJABEKMHOPCTYXUSOABEZHIKMNOPCTYXDRTAJEWMHYGZRWSVLCPKBBPDTGKJCZFMNLSRVHWXYAEIOU",
)
"""Capitals that look like Latin capitals: Greek, Cyrillic, Armenian, Coptic, Cherokee and Lisu ones. Their small
letters may look like others: Μ like M, but μ like u."""
_TABLE: Final = str.maketrans({other: letter for letter, others in _LOOKALIKES.items() for other in others})
_VARIANT: Final = re.compile(r"\b(?:chat|instruct|it)\b", re.IGNORECASE)
"""Words for a model's tuning that one source gives and another leaves out, as with *LLaMA 2 70B* and its *Chat*."""
KEY_LENGTH: Final = 200
"""Longer keys are cut: names that look the same so far look alike."""


@lru_cache(maxsize=2**15)
def skeleton(name: str) -> str:
    """What a name looks like: without case, accents, spacing and punctuation, and with one letter for all that look
    alike. Names with the same skeleton look the same at a glance.

    >>> skeleton("Ηumаn") == skeleton("HUMAN"), skeleton("CeiIing") == skeleton("Ceiling")
    (True, True)
    >>> skeleton("Μixtral-8x7B") == skeleton("Mixtral-8x7B"), skeleton("μixtral") == skeleton("uixtral")
    (True, True)
    >>> skeleton("GPT-4") == skeleton("GPT-3.5")
    False
    """
    text = "".join(
        character for character in unicodedata.normalize("NFKD", name) if not unicodedata.combining(character)
    )
    text = unicodedata.normalize("NFKD", text.translate(_CAPITALS).casefold()).translate(_TABLE)
    text = "".join(character for character in text if character.isalnum())
    return text.replace("rn", "m").replace("vv", "w")[:KEY_LENGTH]


def family(name: str) -> str:
    """The skeleton of a name without words for a model's tuning, unless nothing else is left.

    >>> family("LLaMA 2 70B Chat") == family("Llama-2-70B"), family("Chat") == skeleton("Chat")
    (True, True)
    """
    return skeleton(_VARIANT.sub("", name)) or skeleton(name)


class NameKeyField(models.CharField):  # type: ignore[type-arg]
    """A key of its row's name, computed whenever the row is saved; NULL in rows that an earlier release wrote."""

    def __init__(self, rule: Callable[[str], str], **options: Any) -> None:
        self.rule = rule
        super().__init__(**{"max_length": KEY_LENGTH, "null": True, "editable": False, **options})

    def deconstruct(self) -> Any:
        """With its rule."""
        name, path, _, options = super().deconstruct()
        return name, path, [self.rule], options

    def pre_save(self, model_instance: Any, add: bool) -> str:
        """The key, which the instance gets too."""
        del add
        key = self.rule(model_instance.name)
        setattr(model_instance, self.attname, key)
        return key


class NameCheckedField(models.BooleanField):  # type: ignore[type-arg]
    """Whether a worker has compared its row's name with others' names since the row was last saved."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"default": False, "db_default": False, "editable": False, **options})

    def pre_save(self, model_instance: Any, add: bool) -> bool:
        """False, which the instance gets too: its name or its party may have changed."""
        del add
        setattr(model_instance, self.attname, False)
        return False
