"""Masking the names of systems in answers that people judge without knowing whose they are."""

import re
from collections.abc import Iterable
from typing import Final

MASK: Final = "▮▮▮"
JOINING: Final = r"[\s_\-\u00ad\u2010-\u2015\u200b-\u200d\u2060\u2212]"
"""Characters between the parts of a name, in any variant: spaces, all kinds of hyphens, invisible characters."""
SHORTEST_MASK: Final = 3


def masks_of(names: Iterable[str]) -> list[str]:
    """The words to mask in answers: the names of systems, and their distinctive parts.

    For each name: the whole name, its first two words (``GPT-4 Turbo``), each of its words with both letters and digits
    (``Qwen3``), and its first word if it has four letters or more (``Claude``).

    >>> masks_of(["Claude 3 Opus"])
    ['Claude 3 Opus', 'Claude 3', 'Claude']
    """
    masks: dict[str, None] = {}
    for name in names:
        words = [word.strip("()[],;:+") for word in name.split()]
        telling = [word for word in words if re.search(r"\d", word) and re.search(r"[^\W\d_]", word)]
        first = [words[0]] if words and len(words[0]) > SHORTEST_MASK and words[0].isalpha() else []
        masks |= dict.fromkeys([" ".join(name.split()), " ".join(words[:2]), *first, *telling])
    return sorted((mask for mask in masks if len(mask) >= SHORTEST_MASK), key=lambda mask: (-len(mask), mask))


def masked(text: str, masks: Iterable[str]) -> str:
    """Mask words: whole words, in any case, with any hyphen or space between their parts.

    >>> masked("As GPT-4, I say: GPT-40, gpt\N{NON-BREAKING HYPHEN}4 and GPT 4.", ["GPT-4"])
    'As ▮▮▮, I say: GPT-40, ▮▮▮ and ▮▮▮.'
    """
    words = sorted({mask for mask in masks if re.sub(JOINING, "", mask)}, key=len, reverse=True)
    if not words:
        return text
    pattern = "|".join(f"{JOINING}*".join(map(re.escape, filter(None, re.split(JOINING, word)))) for word in words)
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", MASK, text, flags=re.IGNORECASE)
