"""Snippets: the part of an article that shows why a search found it."""

import re
import unicodedata
from typing import Final

from humaneval.encyclopedia.base import Piece

SNIPPET_CHARACTERS: Final = 240
MIN_STEM: Final = 4
"""Words with the same first letters, this many, count as forms of one word, as the index's stems do."""
MAX_PLACES: Final = 400

_WORD: Final = re.compile(r"\w+")


def snippet(text: str, query: str, characters: int = SNIPPET_CHARACTERS) -> tuple[Piece, ...]:
    """The part of a text with the most different words of a query, with these marked.

    Args:
        text: plain, in one line.
        query: the search query.
        characters: the maximum length of the snippet; it begins and ends between words.
    """
    wanted = {_folded(word) for word in _WORD.findall(query)}
    found = []
    for match in _WORD.finditer(text):
        word = _matching(_folded(match[0]), wanted)
        if word is not None:
            found.append((match.start(), match.end(), word))
            if len(found) >= MAX_PLACES:
                break
    begin = _best_begin(found, characters)
    begin, end = _between_words(text, begin, characters)
    pieces = [Piece("… ")] if begin > 0 else []
    position = begin
    for start, stop, _ in found:
        if start >= begin and stop <= end:
            pieces += [Piece(text[position:start]), Piece(text[start:stop], found=True)]
            position = stop
    pieces += [Piece(text[position:end]), Piece(" …" if end < len(text) else "")]
    return tuple(piece for piece in pieces if piece.text)


def _best_begin(found: list[tuple[int, int, str]], characters: int) -> int:
    """The start that includes the most different words; a little before the first of them."""
    best, begin = 0, 0
    for index, (start, _, _) in enumerate(found):
        reach = {word for at, stop, word in found[index : index + 30] if stop - start <= characters * 3 // 4}
        if len(reach) > best:
            best, begin = len(reach), start
    return max(begin - characters // 4, 0)


def _between_words(text: str, begin: int, characters: int) -> tuple[int, int]:
    if begin > 0:
        space = text.find(" ", begin)
        begin = space + 1 if 0 <= space < begin + characters // 4 else begin
    end = min(begin + characters, len(text))
    if end < len(text):
        space = text.rfind(" ", begin, end)
        end = space if space > begin + characters // 2 else end
    return begin, end


def _matching(word: str, wanted: set[str]) -> str | None:
    if word in wanted:
        return word
    for other in wanted:
        shorter, longer = sorted((word, other), key=len)
        if len(shorter) >= MIN_STEM and longer.startswith(shorter) and len(longer) - len(shorter) <= 3:
            return other
    return None


def _folded(word: str) -> str:
    """The text in lower case, without accents, as the index compares it."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
