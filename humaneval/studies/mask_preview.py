"""What is masked in answers, for the maintainer: each masked text with its number and its places in context."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from humaneval.studies.masking import masked_places

MOST_ANSWERS: Final = 2_000
"""Answers that a preview reads, so that its page is there within seconds."""
MOST_TEXTS: Final = 200
PLACES_SHOWN: Final = 5
AROUND: Final = 60


@dataclass
class MaskedText:
    """One text that is masked."""

    text: str
    n: int = 0
    places: list[tuple[str, str, str]] = field(default_factory=list)
    """The first places: what is before it, the text as it stands there, what is after it."""


def preview_of(texts: Iterable[str], masks: Sequence[str]) -> dict[str, Any]:
    """The masked texts, most frequent first, of at most `MOST_ANSWERS` answers.

    Returns:
        ``rows`` of `MaskedText`; ``n_places``; ``n_texts``, how many different texts are masked; ``n_answers`` that
        were read, ``n_touched`` of them with a mask.
    """
    found: dict[str, MaskedText] = {}
    n_answers = n_touched = 0
    for text in islice(texts, MOST_ANSWERS):
        n_answers += 1
        places = masked_places(text, masks)
        n_touched += bool(places)
        for place in places:
            shown = text[place.start : place.end]
            row = found.setdefault(" ".join(shown.casefold().split()), MaskedText(shown))
            row.n += 1
            if len(row.places) < PLACES_SHOWN:
                before, after = text[max(0, place.start - AROUND) : place.start], text[place.end : place.end + AROUND]
                row.places.append((before, shown, after))
    rows = sorted(found.values(), key=lambda row: (-row.n, row.text))
    return {
        "rows": rows[:MOST_TEXTS],
        "n_places": sum(row.n for row in rows),
        "n_texts": len(rows),
        "n_answers": n_answers,
        "n_touched": n_touched,
    }
