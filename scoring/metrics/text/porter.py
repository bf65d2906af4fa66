"""Porter's stemmer as ROUGE uses it: each word is stemmed once, and words of any length in linear time.

Porter, M. F. (1980). An algorithm for suffix stripping. Program 14(3), 130–137,
https://tartarus.org/martin/PorterStemmer/. ``rouge_score`` stems with NLTK's variant (``PorterStemmer`` in its default
mode: irregular forms, and other rules for ``-ies``, ``-ied``, ``-y``, ``-alli``, ``-fulli`` and ``-logi``); this is the
same variant, and the tests compare the two. Importing NLTK takes longer than scoring a file, and each stem in NLTK
takes several times as long.
"""

from __future__ import annotations

import re

from scoring.metrics.text.bounded_cache import BoundedCache

LONG = 64
"""Longer words are stemmed through a short one, and not cached: they rarely occur twice."""
TAIL = 40
"""No rule reads further than this from a word's end, except for the conditions that `shape_of` evaluates."""

_IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

_Rules = dict[str, tuple[tuple[str, str], ...]]


def _by_last_letter(*rules: tuple[str, str]) -> _Rules:
    letters = {suffix[-1] for suffix, _ in rules}
    return {letter: tuple(rule for rule in rules if rule[0][-1] == letter) for letter in letters}


_STEP_2 = _by_last_letter(
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
)
_STEP_3 = _by_last_letter(
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")
)
_SUFFIXES_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip
_STEP_4 = _by_last_letter(*((suffix, "") for suffix in _SUFFIXES_4))

_KINDS = str.maketrans({letter: "v" if letter in "aeiou" else "c" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"})
_RUNS = re.compile(r"[aeiou]+|y+|[^aeiouy]+")


def _kinds(letters: str) -> str:
    """``c`` for a consonant, ``v`` for a vowel: a ``y`` is a vowel after a consonant, and digits are consonants."""
    kinds = letters.translate(_KINDS)
    if "y" not in letters:
        return kinds
    resolved = list(kinds)
    for index, letter in enumerate(letters):
        if letter == "y" and index and resolved[index - 1] == "c":
            resolved[index] = "v"
    return "".join(resolved)


def _measure(stem: str) -> int:
    """Porter's *m*: how often consonants follow vowels."""
    return _kinds(stem).count("vc")


def _ends_consonant_vowel_consonant(stem: str) -> bool:
    """Porter's condition *o, and in this variant also two letters like ``at``."""
    kinds = _kinds(stem)
    return kinds == "vc" or (kinds.endswith("cvc") and stem[-1] not in "wxy")


def porter_stem(word: str) -> str:
    """The stem of a word of letters ``a``–``z`` and digits.

    >>> [porter_stem(word) for word in ("running", "flies", "dies", "happily", "relational", "sky", "1990s")]
    ['run', 'fli', 'die', 'happili', 'relat', 'sky', '1990']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    if word[-1] == "s":
        word = _step_1a(word)
    if word[-1:] in ("d", "g"):
        word = _step_1b(word)
    if word[-1:] == "y" and len(word) > 2 and _kinds(word[:-1])[-1] == "c":
        word = word[:-1] + "i"
    return _step_5(_step_4(_replace(_step_2(word), _STEP_3)))


def _step_1a(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word if word.endswith("ss") else word[:-1]


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    kinds = _kinds(stem)
    if "v" not in kinds:
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and kinds[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    if kinds.count("vc") == 1 and _ends_consonant_vowel_consonant(stem):
        return stem + "e"
    return stem


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replace(word, _STEP_2)


def _replace(word: str, rules: _Rules) -> str:
    """Apply the first rule whose suffix the word has, if the measure before it is positive."""
    for suffix, replacement in rules.get(word[-1:], ()):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) else word
    return word


def _step_4(word: str) -> str:
    for suffix, _ in _STEP_4.get(word[-1:], ()):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            removed = _measure(stem) > 1 and (suffix != "ion" or stem[-1] in "st")
            return stem if removed else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_consonant_vowel_consonant(stem)):
            word = stem
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def shape_of(letters: str) -> tuple[int, bool]:
    """The properties of the letters before a suffix that the stemmer's conditions depend on.

    Args:
        letters: Lower-case letters or digits, at least one.

    Returns:
        The measure, counted up to 2 because no rule needs more, and whether the last letter is a vowel.

    >>> shape_of("tree"), shape_of("trouble"), shape_of("oaten"), shape_of("yyyy")
    ((0, True), (1, True), (2, False), (1, True))
    """
    measure = 0
    in_vowels = False
    for run in _RUNS.finditer(letters):
        first = run.group()[0]
        if first == "y":
            # Each y is the opposite of the letter before it; the first letter of a word is a consonant.
            turns = run.end() - run.start() - (run.start() == 0)
            measure += (turns + in_vowels) // 2
            in_vowels = in_vowels != (turns % 2 == 1)
        elif first in "aeiou":
            in_vowels = True
        else:
            measure += in_vowels
            in_vowels = False
    return min(measure, 2), in_vowels


class Stemmer:
    """Stems words as ``rouge_score`` does: Porter's stem for words of more than three letters, others unchanged.

    Args:
        max_bytes: Upper bound of the cache of stems.
    """

    def __init__(self, max_bytes: int = 8 * 2**20) -> None:
        self.memo: BoundedCache[str] = BoundedCache(max_bytes)

    def stems(self, words: list[str]) -> list[str]:
        """The stems of ``words``, in order; empty stems are left out.

        Args:
            words: Runs of ``a``–``z`` and ``0``–``9``.

        >>> Stemmer().stems(["dogs", "were", "barking", "in", "1990s"])
        ['dog', 'were', 'bark', 'in', '1990']
        """
        stems = list(map(self.memo.get, words))
        if None in stems:
            new: dict[str, str] = {}
            for word in {word for word, stem in zip(words, stems, strict=True) if stem is None}:
                new[word] = self._compute(word)
                if len(word) <= LONG:
                    self.memo.remember(word, new[word])
            stems = [new[word] if stem is None else stem for word, stem in zip(words, stems, strict=True)]
        return [stem for stem in stems if stem]

    def _compute(self, word: str) -> str:
        if len(word) <= 3 or word[-1] in "0123456789":  # every rule is about a letter at the end
            return word
        if len(word) <= LONG:
            return porter_stem(word)
        # Through a short word with the same end and an equal `shape_of` before it.
        head, tail = word[:-TAIL], word[-TAIL:]
        measure, in_vowels = shape_of(head)
        stand_in = "b" + "ab" * measure + ("a" if in_vowels else "")
        return head + porter_stem(stand_in + tail)[len(stand_in) :]
