"""Normalisation of short answers, such as names, before they are compared for equality.

The first two are those of published scorers; they differ only in what the articles' word boundaries are. The third is
for people's answers in studies.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache
from typing import Any, Final

from scoring.metrics.text.scripts import is_spaceless, separated

_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = r"\b(a|an|the)\b"
_PYTHON_ARTICLES: Final = re.compile(_ARTICLES)
_COMBINING: Final = re.compile("[\u0300-\u036f]")
_LETTERS: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
"""Latin letters that Unicode does not decompose, in lower case."""


@cache
def _regex_articles() -> Any:
    import regex  # takes 50 ms, so only where it is needed

    return regex.compile(_ARTICLES)


def qampari_name(text: str) -> str:
    """An answer as QAMPARI's scorer compares it: lower case, no ASCII punctuation, no article, single spaces.

    A word is what the package ``regex`` takes for one: a combining mark after an ``a`` belongs to the word.

    >>> qampari_name(" The GAMMA-Ray!"), qampari_name("A. Smith"), qampari_name("The The")
    ('gammaray', 'smith', '')
    """
    return " ".join(_regex_articles().sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def alce_name(text: str) -> str:
    r"""A name as ALCE compares it, with Python's ``re``: a combining mark ends a word.

    >>> alce_name("A\u0301lamo") == "\u0301lamo", qampari_name("A\u0301lamo") == "a\u0301lamo"
    (True, True)
    """
    return " ".join(_PYTHON_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def folded_name(text: str) -> str:
    """An answer as a reader compares it: accents, compatibility forms, case, punctuation of any script and articles do
    not matter.

    Accents are removed from Latin, Greek and Cyrillic letters only; in other scripts, marks distinguish words. Nothing
    is removed if nothing would be left: articles stay in “The The”, and punctuation in “!!!”. Empty only for text of
    white space and invisible characters. In scripts without spaces between words, each character becomes a word, and
    articles stay: ``A型`` is no ``型``.

    >>> folded_name("José Padilha"), folded_name("Ｂｊörk’s"), folded_name("Straße"), folded_name("Łódź")
    ('jose padilha', 'bjorks', 'strasse', 'lodz')
    >>> folded_name("The The!"), folded_name("¡¡¡"), folded_name(" ")
    ('the the', '¡¡¡', '')
    >>> folded_name("村上 春樹"), folded_name("村上春樹。")
    ('村 上 春 樹', '村 上 春 樹')
    """
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        composed = _COMBINING.sub("", decomposed)
        text = "".join(sign for sign in composed if unicodedata.category(sign) not in ("Cf", "Cc"))
    whole = " ".join(text.casefold().translate(_LETTERS).split())
    bare = whole.translate(_NO_PUNCTUATION)
    if not bare.isascii():
        bare = "".join(sign for sign in bare if unicodedata.category(sign)[0] != "P")
    bare = " ".join(bare.split())
    if is_spaceless(bare):
        return " ".join(separated(bare).split())
    return " ".join(_PYTHON_ARTICLES.sub(" ", bare).split()) or bare or whole
