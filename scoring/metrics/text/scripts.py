"""Scripts that are written without spaces between words, and whether a text is in a script that a metric cannot read.

Chinese, Japanese, Thai, Lao, Khmer and Burmese texts are compared character by character: finding their words takes a
dictionary, and two dictionaries find other words.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_CHINESE_AND_JAPANESE: Final = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_SOUTH_EAST_ASIAN: Final = [
    chr(code)
    for first, last in (
        *((0x0E00, 0x0E7F), (0x0E80, 0x0EFF), (0x1780, 0x17FF)),  # Thai, Lao, Khmer
        *((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),  # Burmese
    )
    for code in range(first, last + 1)
]
_LETTERS: Final = "".join(sign for sign in _SOUTH_EAST_ASIAN if unicodedata.category(sign)[0] == "L")
MARKS: Final = "\u3099\u309a" + "".join(sign for sign in _SOUTH_EAST_ASIAN if unicodedata.category(sign)[0] == "M")
"""Marks on these letters, likewise."""

CHARACTERS: Final = f"{_CHINESE_AND_JAPANESE}{_LETTERS}"
"""Letters of scripts without spaces between words, as they stand in a class of a regular expression."""
_CHARACTER: Final = re.compile(f"[{CHARACTERS}]")
_BOUNDARY: Final = re.compile(f"(?=[{CHARACTERS}])|(?<=[{CHARACTERS}{MARKS}])(?![{MARKS}])")
_OTHER_LETTER: Final = re.compile(r"[^\W\d_a-zA-Z]")


def separated(text: str) -> str:
    """A text with a space on both sides of each character of a script without spaces between words; with its marks.

    Digits are not separated from each other.

    >>> separated("首都は東京2020 (Tokyo)").split()
    ['首', '都', 'は', '東', '京', '2020', '(Tokyo)']
    >>> separated("กรุงเทพ").split()
    ['ก', 'รุ', 'ง', 'เ', 'ท', 'พ']
    """
    return _BOUNDARY.sub(" ", text) if is_spaceless(text) else text


def is_spaceless(text: str) -> bool:
    """Whether a text has a character of a script without spaces between words.

    >>> is_spaceless("首都"), is_spaceless("Москва")
    (True, False)
    """
    return not text.isascii() and _CHARACTER.search(text) is not None


def has_only_other_letters(text: str) -> bool:
    """Whether a text has letters and none of them is from A to Z: ROUGE finds no word in it.

    >>> [has_only_other_letters(text) for text in ("Москва", "東京 2020", "Córdoba", "2020")]
    [True, True, False, False]
    """
    return _OTHER_LETTER.search(text) is not None and re.search("[a-zA-Z]", text) is None
