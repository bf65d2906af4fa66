"""The options of a question that an answer chooses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from scoring.metrics.asking import letters
from scoring.metrics.short_answer.cleaning import cleaned, statement
from scoring.metrics.short_answer.languages import Language

Options = Sequence[str] | Mapping[str, str]
"""The texts of the options, in the order of their letters from A, or by their labels."""

_LABEL: Final = r"[A-Z]|[a-z]|\d{1,2}"
_ALONE: Final = re.compile(rf"[\s(\[*\"']*(?P<label>{_LABEL})[\s)\]*\"'.:]*")
_LABELLED: Final = re.compile(
    rf"\s*(?:[(\[](?P<in_brackets>{_LABEL})[)\]]|(?P<bare>{_LABEL})(?=\s*[.:)]|\s+[-–—]))\s*[.:)–—-]*\s*(?P<text>\S.*)",
    re.DOTALL,
)
_SEVERAL: Final = re.compile(
    r"\(?[A-Z]\)?(?:(?:\s*[,;/&]\s*|\s+)(?:and\s+|und\s+|et\s+|y\s+)?\(?[A-Z]\)?)+|[A-Z]{2,}|[a-z](?:,\s?[a-z])+"
)
_CLOSING: Final = " ,;.、，；。"
"""Punctuation that may follow the last label of an accepted answer."""
_NAMED: Final = re.compile(r"(?:option|choice|answer)\s*:?\s*(?:is\s+)?\(?([A-Z])\)?(?![\w'’])", re.IGNORECASE)


def labelled(options: Options) -> dict[str, str]:
    """The options by label; a label that is written in front of a text again is removed from it.

    >>> labelled(["(A) Oslo", "Bergen"])
    {'A': 'Oslo', 'B': 'Bergen'}
    """
    pairs = (
        options.items()
        if isinstance(options, Mapping)
        else ((chr(65 + place), text) for place, text in enumerate(options))
    )
    texts = {}
    for label, text in pairs:
        match = _LABELLED.fullmatch(text)
        is_again = match is not None and (match["in_brackets"] or match["bare"]).upper() == label.upper()
        texts[label] = match["text"] if match is not None and is_again else text
    return texts


def labels_of(accepted: str, options: Mapping[str, str]) -> frozenset[str]:
    """The labels that an accepted answer names: one, or several that are right together (``A, C`` or ``AC``).

    Raises:
        ValueError: For a label without its option, or a text that is none of the options.

    >>> sorted(labels_of("A, C", {"A": "x", "B": "y", "C": "z"})), sorted(labels_of("y", {"A": "x", "B": "y"}))
    (['A', 'C'], ['B'])
    """
    texts = {_plain(text): label for label, text in options.items()}
    if _plain(accepted) in texts:
        return frozenset({texts[_plain(accepted)]})
    stripped = accepted.strip().rstrip(_CLOSING)
    if match := _LABELLED.fullmatch(stripped):
        label = _known(match["in_brackets"] or match["bare"], options)
        if label is not None and _plain(match["text"]) == _plain(options[label]):
            return frozenset({label})
    alone = _ALONE.fullmatch(stripped)
    labels = [_known(alone["label"], options)] if alone else _several(stripped, options)
    if not labels or None in labels:
        raise ValueError("expected the label of an option or its text")
    return frozenset(label for label in labels if label is not None)


def chosen(
    answer: str, options: Mapping[str, str], language: Language, states: Callable[[str, str], bool]
) -> frozenset[str]:
    """The labels of the options that an answer chooses; none if it does not choose, or contradicts itself.

    A letter counts if it stands alone or before a text, or is stated to be the answer, never within a sentence. Without
    a letter the options count whose texts the answer states.

    Args:
        options: The texts by label; without texts only letters count.
        states: Whether a text states another.
    """
    text = statement(cleaned(answer), language).strip()
    if alone := _ALONE.fullmatch(text):
        return _only(_known(alone["label"], options))
    if whole := [label for label, option in options.items() if option and _plain(option) == _plain(text)]:
        return frozenset(whole[:1])
    if _SEVERAL.fullmatch(text.rstrip(".")):
        labels = _several(text.rstrip("."), options)
        return frozenset() if None in labels else frozenset(label for label in labels if label is not None)
    if match := _LABELLED.fullmatch(text):
        label = _known(match["in_brackets"] or match["bare"], options)
        others = [
            other
            for other, option in options.items()
            if option and other != label and _plain(match["text"]) == _plain(option)
        ]
        return frozenset() if others else _only(label)
    reading = letters.read(answer)
    stated = reading.letter if reading else (named[-1].upper() if (named := _NAMED.findall(text)) else None)
    if stated is not None:
        return _only(_known(stated, options))
    mentioned = [label for label, option in options.items() if option and states(text, option)]
    inner = {
        label
        for label in mentioned
        for other in mentioned
        if other != label and _plain(options[label]) in _plain(options[other])
    }
    return frozenset(mentioned) - inner


def _several(text: str, options: Mapping[str, str]) -> list[str | None]:
    """The labels of a text that is nothing but labels, such as ``A, C`` or ``AC``; none for another text."""
    letters_alone = re.sub(r"\b(?:and|und|et)\b", "", text) if _SEVERAL.fullmatch(text) else ""
    return [_known(name, options) for name in re.findall(r"[A-Za-z]", letters_alone)]


def _only(label: str | None) -> frozenset[str]:
    return frozenset() if label is None else frozenset({label})


def _known(name: str, options: Mapping[str, str]) -> str | None:
    """The label that a name means, whatever its case."""
    return next((label for label in (name, name.upper(), name.lower()) if label in options), None)


def _plain(text: str) -> str:
    return " ".join(cleaned(text).casefold().rstrip(".").split())
