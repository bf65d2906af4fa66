"""The judged lists of MoNaCo: what a judge's reply says about an answer, and when two annotators' lists agree.

Wolfson et al. (2025), MoNaCo: More Natural and Complex Questions for Reasoning Across Dozens of Documents,
https://arxiv.org/abs/2508.11133. The judge reads question, gold answers and response, and writes labelled lines
(section 4.1 and Figure 12); code, not the judge, computes precision, recall and F1 from them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.metrics.asking.errors import ReplyError

MIN_OVERLAP: Final = 0.77
MAX_LENGTH_DIFFERENCE: Final = 0.25
SEPARATOR: Final = "###"
NOTHING: Final = "NULL"
LONGEST: Final = 1_000_000_000
"""A list with more answers is a mistake of the judge."""

_LENGTH: Final = "\nfinal answer length:"
_OVERLAPPING: Final = "\noverlapping answers:"
_PRECISION: Final = "final precision:"
_EXTRACTED: Final = re.compile(r"extracted[ _]final[ _]answer:[ \t]*(.*)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"([$€£]?)\s*([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*(%?)")


@dataclass(frozen=True)
class ListVerdict:
    """The scores of one answer, from 0 to 1, and for lists what they were computed from."""

    precision: float
    recall: float
    f1: float
    n_predicted: int | None = None
    """Number of answers in the response, at least `n_correct`; None for a single gold answer."""
    overlapping: tuple[str, ...] = ()
    """The correct answers as the judge lists them. They contain gold answers: never show them for a hidden split."""

    @property
    def n_correct(self) -> int:
        """The number of correct answers that the judge listed."""
        return len(self.overlapping)


def parse_reply(reply: str, n_gold: int) -> ListVerdict:
    r"""Precision, recall and F1 of an answer, read from a judge's reply as the official code reads them.

    With *G* gold answers, *L* the reply's ``final answer length`` and *c* its number of ``overlapping answers`` (the
    parts between ``###``; ``NULL`` alone is none): recall = min(c, G) / G, precision = c / max(L, c). All three are 0
    if L or c is 0. For one gold answer, precision, recall and F1 are the reply's ``final precision``. Labels may have
    underscores instead of spaces.

    The published scores were made with these surprises, which stay: a list of nothing at all, instead of ``NULL``,
    counts as one correct answer, and so does ``null`` or ``NULL.``; an answer that is listed twice counts twice; all
    text after the label belongs to the list; with a length of 0, listed answers do not count.

    Where the official code fails, or counts an unreadable number as 0, this function raises `ReplyError`; also for a
    precision outside 0 to 1, which the official code accepts (NaN included).

    Args:
        reply: The judge's complete reply.
        n_gold: The number of gold answers, at least 1. It selects the prompt that the reply answers.

    Raises:
        ReplyError: If the reply has no readable score.
        ValueError: If `n_gold` is below 1.

    >>> parse_reply("x\nfinal answer length: 4\n\noverlapping answers: A###B", 5).precision
    0.5
    >>> parse_reply("correct: yes\nfinal precision: 0.9", 1).recall
    0.9
    """
    if n_gold < 1:
        raise ValueError(f"expected at least 1 gold answer, found {n_gold}")
    for label in (_LENGTH, _OVERLAPPING, _PRECISION):
        words = label.strip("\n:")
        reply = reply.replace(words.replace(" ", "_"), words)
    if n_gold == 1:
        _, label, rest = reply.partition(_PRECISION)
        if not label:
            raise ReplyError('there is no "final precision:"')
        try:
            precision = float(rest.partition(_PRECISION)[0].split("\n")[0].replace("...", ""))
        except ValueError:
            raise ReplyError("the final precision is not a number") from None
        if not 0 <= precision <= 1:
            raise ReplyError("the final precision is not between 0 and 1")
        return ListVerdict(precision, precision, precision)
    if _LENGTH not in reply:
        raise ReplyError('there is no line with "final answer length:"')
    text = reply.replace("final answer length: None ", "final answer length: 0 ").replace("The response lists over", "")
    try:
        length = int(text.split(_LENGTH)[1].strip().split("\n")[0].strip().split(" ")[0])
    except ValueError:
        raise ReplyError("the final answer length is not a whole number") from None
    if abs(length) > LONGEST:
        raise ReplyError(f"the final answer length is above {LONGEST:,}")
    after = reply.split(_OVERLAPPING)[1:]
    if not after:
        raise ReplyError('there is no line with "overlapping answers:"')
    listed = after[0].replace(SEPARATOR + NOTHING, SEPARATOR).strip().removesuffix(SEPARATOR)
    answers = () if listed == NOTHING else tuple(listed.split(SEPARATOR))
    return replace(list_verdict(len(answers), length, n_gold), overlapping=answers)


def list_verdict(n_correct: int, n_predicted: int, n_gold: int) -> ListVerdict:
    """The scores of a list from the judge's counts.

    Args:
        n_correct: The number of correct answers, from 0.
        n_predicted: The number of answers; raised to `n_correct` if it is lower, but with 0 everything is 0.
        n_gold: The number of gold answers, at least 1.

    >>> list_verdict(3, 2, 6).recall, list_verdict(3, 2, 6).precision
    (0.5, 1.0)
    """
    if n_predicted == 0 or n_correct == 0:
        return ListVerdict(0.0, 0.0, 0.0, n_predicted)
    n_predicted = max(n_predicted, n_correct)  # judges miscount
    recall = float(min(n_correct, n_gold)) / n_gold
    precision = float(n_correct) / n_predicted
    return ListVerdict(precision, recall, (2 * (precision * recall)) / (precision + recall), n_predicted)


def number_similarity(gold: float, predicted: float) -> float:
    """1 − \\|gold − predicted\\| / max(\\|gold\\|, \\|predicted\\|): the precision that the judge's prompt asks for.

    Judges miscalculate it; this value is shown beside theirs.

    Returns:
        1 for equal numbers (two zeros included), down to −1 for opposite ones.

    Raises:
        ValueError: If a number is not finite.

    >>> number_similarity(100, 90)
    0.9
    """
    if not (math.isfinite(gold) and math.isfinite(predicted)):
        raise ValueError("expected finite numbers")
    if gold == predicted:
        return 1.0
    return 1 - abs(gold - predicted) / max(abs(gold), abs(predicted))


def number_in(text: str) -> tuple[float, str] | None:
    """The number that a text is, with its unit (a currency sign or %); None if it is anything else.

    >>> number_in("1,315"), number_in("$2.50"), number_in("45 %"), number_in("about 5")
    ((1315.0, ''), (2.5, '$'), (45.0, '%'), None)
    """
    match = _NUMBER.fullmatch(text.strip().strip("'\"*`").removesuffix(".").strip())
    return (float(match[2].replace(",", "")), match[1] + match[3]) if match else None


def extracted_number(reply: str) -> tuple[float, str] | None:
    """The number that a judge extracted from the response, like `number_in`; None if it extracted no number."""
    match = _EXTRACTED.search(reply)
    return number_in(match[1]) if match else None


@dataclass(frozen=True)
class ListAgreement:
    """Agreement of two annotators' lists; shares from 0 to 1."""

    overlap: float
    """The larger of the two shares of items that are contained in the other list."""
    length_difference: float
    """The difference of the numbers of items, as a share of the larger."""
    accepted: bool
    """Whether the overlap is above 0.77 and the length difference below 0.25: the lists make a gold list."""


def list_agreement(first: Sequence[str], second: Sequence[str]) -> ListAgreement:
    """Compare two annotators' lists of answers to one question (section 3.3 of the paper).

    An item is contained in the other list if all its tokens are among those of one item there. Tokens are words between
    white space, in lower case; the paper does not define them. The number of contained items is divided by the number
    of items of the longer list. Empty lists have no overlap and are never accepted.

    >>> list_agreement(["John Smith", "Ada"], ["ada", "Smith"]).overlap
    1.0
    """
    longer = max(len(first), len(second))
    if not longer:
        return ListAgreement(0.0, 0.0, accepted=False)
    tokens, others = ([frozenset(item.lower().split()) for item in items] for items in (first, second))
    overlap = max(_contained(tokens, others), _contained(others, tokens)) / longer
    difference = abs(len(first) - len(second)) / longer
    return ListAgreement(overlap, difference, accepted=overlap > MIN_OVERLAP and difference < MAX_LENGTH_DIFFERENCE)


def _contained(items: Sequence[frozenset[str]], others: Sequence[frozenset[str]]) -> int:
    return sum(any(item <= other for other in others) for item in items)
