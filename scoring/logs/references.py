"""Keyed hashes of the reference answers in a log or a generations file. They tell whether one equals a known reference,
and nothing else."""

from __future__ import annotations

import hmac
import re
import unicodedata
from typing import Final

HASH_BYTES: Final = 16
_MOST_PARTS: Final = 100
"""The parts of a reference answer that are read, lists and objects included."""
_LONGEST: Final = 20_000
_WORD: Final = re.compile(r"\w+")
_CONTAINERS: Final = (dict, list, tuple)
"""Objects of generations files are lists of pairs."""
_TRUTH: Final = {"true": "yes", "false": "no"}


def reference_hashes(key: bytes, question_id: str, references: object) -> set[bytes]:
    """The hashes of what may be a reference answer in a file: a value, and each part of it, since a list may have more
    than one.
    """
    return {
        _hash(key, question_id, words) for value in _within(references) if (words := _words(" ".join(_texts(value))))
    }


def reference_hash(key: bytes, question_id: str, reference: object) -> bytes:
    """The hash of a known reference answer, to be looked for among those of a log."""
    return _hash(key, question_id, _words(" ".join(_texts(reference))))


def _hash(key: bytes, question_id: str, words: str) -> bytes:
    return hmac.digest(key, f"{question_id}\0{words}".encode(errors="surrogatepass"), "sha256")[:HASH_BYTES]


def _words(text: str) -> str:
    """A text without case, punctuation and compatibility forms."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text[:_LONGEST]).casefold())
    return " ".join(_TRUTH.get(word, word) for word in words)


def _texts(value: object) -> list[str]:
    """The texts of a value in order, with the keys of objects."""
    return [str(part) for part in _within(value, keys=True) if part is not None and not isinstance(part, _CONTAINERS)]


def _within(value: object, *, keys: bool = False) -> list[object]:
    """A value and all within it, in order. Not recursive: a log may nest deeply."""
    reached: list[object] = []
    left = [value]
    while left and len(reached) < _MOST_PARTS:
        reached.append(part := left.pop())
        if isinstance(part, dict):
            left += reversed([each for pair in part.items() for each in (pair if keys else pair[1:])])
        elif isinstance(part, list | tuple):
            left += reversed(part)
    return reached
