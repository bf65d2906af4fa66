"""Snippets: the part of an article that shows why a search found it."""

import re
import unicodedata
from typing import Final

from scoring.analysis.explanations import Piece

SNIPPET_CHARACTERS: Final = 240
MIN_STEM: Final = 4
"""Words with the same first letters, this many, count as forms of one word, as the index's stems do."""
MAX_PLACES: Final = 400

_WORD: Final = re.compile(r"\w+")


def snippet(text: str, query: str) -> tuple[Piece, ...]:
    """The part of a text with the most different words of a query, with these marked. It has at most
    `SNIPPET_CHARACTERS`, and begins and ends between words."""
    wanted = {folded(word) for word in _WORD.findall(query)}
    places: list[tuple[int, int, str]] = []
    for match in _WORD.finditer(text):
        word = _matching(folded(match[0]), wanted)
        if word is not None:
            places.append((match.start(), match.end(), word))
            if len(places) >= MAX_PLACES:
                break
    # It begins a little before the place from which it has the most different words.
    most, begin = 0, 0
    for index, (start, _, _) in enumerate(places):
        reach = {word for at, stop, word in places[index : index + 30] if stop - start <= SNIPPET_CHARACTERS * 3 // 4}
        if len(reach) > most:
            most, begin = len(reach), start
    begin = max(begin - SNIPPET_CHARACTERS // 4, 0)
    # Both ends are between words.
    if begin > 0:
        space = text.find(" ", begin)
        begin = space + 1 if 0 <= space < begin + SNIPPET_CHARACTERS // 4 else begin
    end = min(begin + SNIPPET_CHARACTERS, len(text))
    if end < len(text):
        space = text.rfind(" ", begin, end)
        end = space if space > begin + SNIPPET_CHARACTERS // 2 else end
    pieces = [Piece("… ")] if begin > 0 else []
    position = begin
    for start, stop, _ in places:
        if start >= begin and stop <= end:
            pieces += [Piece(text[position:start]), Piece(text[start:stop], marked=True)]
            position = stop
    pieces += [Piece(text[position:end]), Piece(" …" if end < len(text) else "")]
    return tuple(piece for piece in pieces if piece.text)


def _matching(word: str, wanted: set[str]) -> str | None:
    if word in wanted:
        return word
    for other in wanted:
        shorter, longer = sorted((word, other), key=len)
        if len(shorter) >= MIN_STEM and longer.startswith(shorter) and len(longer) - len(shorter) <= 3:
            return other
    return None


def folded(text: str) -> str:
    """The text in lower case, without accents, as the index compares it."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
