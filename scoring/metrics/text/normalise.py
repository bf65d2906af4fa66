"""Normalisation of texts for string accuracy, and references written as text.

The steps and their order are those of the official FanOutQA scorer (``fanoutqa.norm.normalize``, version 1.1.1), which
computed the numbers on the public leaderboard. Where it differs from the paper (stop words stay), this module follows
the scorer.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from importlib import metadata
from typing import Literal

from scoring.metrics.base import ReferenceAnswer, Tick, no_tick
from scoring.metrics.text.bounded_cache import BoundedCache
from scoring.metrics.text.lemmatizer import Lemmatiser

MISSES_BEFORE_REGEX = 64
SEGMENT = 1_000_000
"""ftfy's own limit: longer lines are repaired in parts of this many characters."""
MOST_ROUNDS, FEWEST_ROUNDS, ROUNDS_BUDGET = 64, 8, 2_000_000
"""Entities may be nested in entities (``&amp;amp;lt;``), and each round over the line resolves one more level. ftfy
repeats as long as anything changes, which takes days on a hostile line; here a line gets 64 rounds, a line longer than
31,250 characters fewer, and none fewer than 8."""

SECONDS_PER_CHARACTER = 40e-6
"""Processor time of ``ftfy.fix_encoding``, which cannot be interrupted, at most: 35 µs a character were measured on the
worst of the texts that a search of 70 seconds found. Ordinary text takes a hundredth of it."""

# Thousands commas, one pass: the official pattern (\d+,)+\d+(\.\d+)? takes quadratic time in long numbers.
_NUMBER_WITH_COMMAS = re.compile(r"(?<!\d)\d++(?:,\d++)++(?:\.\d++)?")
_UNCHANGED_BY_FTFY = re.compile(r"[\t\n\x20-\x25\x27-\x7e]*+")
_WORD = re.compile(r"\w")
_MANY_MARKS = re.compile(r"[^\w\s\x00-\x7f]{1001}")
_UP_TO_MANY_MARKS = re.compile(
    r"[^\w\s\x00-\x7f]{1000}|(?:[\w\s\x00-\x7f]|[^\w\s\x00-\x7f]{1,999}(?![^\w\s\x00-\x7f]))+"
)


class Normaliser:
    """Normalises texts for comparison: ``Marathons!`` and ``marathon`` become the same.

    Reference: ``fanoutqa.norm.normalize``; Zhu et al. (2024), FanOutQA, https://aclanthology.org/2024.acl-short.2,
    section 4.1.

    Steps in this order: ``str()``, lower case, repair of mojibake and look-alike characters (ftfy), commas between
    digits of a number removed, every word replaced by its lemma, ``,.?!:;`` removed, each run of white space turned
    into one space. Note that

    - stop words stay, although the paper says that they are removed;
    - text is not stripped: white space at the front stays as one space, and so does the space that a removed ``.``
      leaves;
    - ``5.2`` becomes ``52``, and ``12:30`` becomes ``1230``;
    - the lookup table ignores context: ``'s`` becomes ``have``, ``better`` ``well``, on both sides.

    Whole texts are cached, up to *max_bytes*.

    >>> from scoring.metrics.text.lemmatizer import LookupLemmatiser
    >>> normaliser = Normaliser(LookupLemmatiser())
    >>> normaliser("1,200 children’s museums, 5.2 km away!")
    '1200 child have museum 52 km away '
    >>> normaliser("5.2") == normaliser(52)
    True
    """

    def __init__(self, lemmatiser: Lemmatiser, max_bytes: int = 16 * 2**20) -> None:
        self.lemmatiser = lemmatiser
        self.texts: BoundedCache[str] = BoundedCache(max_bytes)

    def __call__(self, value: object, tick: Tick = no_tick) -> str:
        """Normalise ``str(value)``."""
        text = str(value)
        known = self.texts.get(text)
        if known is None:
            known = self.lemmatiser.tidied(drop_thousands_commas(fix_text(text.lower(), tick)), tick)
            self.texts.remember(text, known)
        return known

    @cached_property
    def signature_parts(self) -> tuple[str, ...]:
        """``key:value`` parts naming everything that can change a normalised text; loads nothing. Read once: reading a
        package's metadata takes longer than most queries, and every page needs it."""
        return (*self.lemmatiser.signature_parts(), f"ftfy:{metadata.version('ftfy')}")


def drop_thousands_commas(text: str) -> str:
    """Remove the commas between groups of digits.

    Groups of any length, not only of three; a decimal part ends the number, and a new number starts after it.

    >>> drop_thousands_commas("1,234,567.8 and 1,2,3 and 1.5,6")
    '1234567.8 and 123 and 1.56'
    """
    if "," not in text:
        return text
    return _NUMBER_WITH_COMMAS.sub(lambda number: number[0].replace(",", ""), text)


def fix_text(text: str, tick: Tick = no_tick) -> str:
    """Repair text as ``ftfy.fix_text`` does: mojibake, entities, curly quotes, ligatures, widths, line breaks,
    controls.

    Same result, but lines that need no repair are skipped, and the number of rounds over one line is bounded (see
    `MOST_ROUNDS`).

    >>> fix_text("schÃ¶n &amp; “gut”")
    'schön & "gut"'
    """
    if _UNCHANGED_BY_FTFY.fullmatch(text):
        return text
    fixed = []
    start = 0
    unescape = True
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        end = min(end, start + SEGMENT)
        segment = text[start:end]
        start = end
        if unescape and "<" in segment:
            unescape = False  # the text is HTML, in which entities are intended; from here on, as in ftfy
        if not _UNCHANGED_BY_FTFY.fullmatch(segment):
            tick()
            segment = _fix_segment(segment, unescape, tick)
        fixed.append(segment)
    return "".join(fixed)


def _fix_segment(text: str, unescape: bool, tick: Tick) -> str:
    """``ftfy.fix_and_explain`` with its default settings, for a bounded number of rounds."""
    import ftfy  # here, because its tables add 30 ms to the start of every process, and few of them repair text
    from ftfy.badness import is_bad

    for _ in range(max(FEWEST_ROUNDS, min(MOST_ROUNDS, ROUNDS_BUDGET // len(text)))):
        before = text
        if unescape:
            text = ftfy.fixes.unescape_html(text)
        tick(len(text) * SECONDS_PER_CHARACTER)
        if is_bad(text):  # as ftfy decides itself, after it has copied its settings
            text = ftfy.fix_encoding(text)
        text = ftfy.fixes.fix_c1_controls(text)
        text = ftfy.fixes.fix_latin_ligatures(text)
        text = ftfy.fixes.fix_character_width(text)
        text = ftfy.fixes.uncurl_quotes(text)
        text = ftfy.fixes.fix_line_breaks(text)
        text = ftfy.fixes.fix_surrogates(text)
        text = ftfy.fixes.remove_terminal_escapes(text)
        text = ftfy.fixes.remove_control_chars(text)
        text = compose(text)
        if text == before:
            break
    return text


def compose(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """A composed normal form of Unicode, in linear time: ``unicodedata.normalize(form, text)``.

    That function sorts the marks on one letter in quadratic time, an hour for a megabyte of them. Here a run of more
    than 1,000 marks or symbols is composed in parts of this size; Unicode's own stream-safe format allows 30 marks in a
    row.
    """
    if _MANY_MARKS.search(text) is None:
        return unicodedata.normalize(form, text)
    return "".join(unicodedata.normalize(form, part) for part in _UP_TO_MANY_MARKS.findall(text))


def found_between_boundaries(item: str, text: str) -> bool:
    r"""Whether ``item`` occurs in ``text`` between word boundaries: ``re.search(rf"\b{re.escape(item)}\b", text)``.

    A boundary is between a letter, digit or underscore of any script and anything else, or the text's end. So an item
    that begins with another character (``$5``) is found only directly *after* a letter or digit, which is hardly ever
    intended; and an empty item is found wherever there is a letter or digit.

    In linear time: non-matching positions are first skipped one by one, and left to the regular expression if there are
    many.

    >>> found_between_boundaries("ten", "at ten o'clock"), found_between_boundaries("ten", "often")
    (True, False)
    >>> found_between_boundaries("$5", "for $5"), found_between_boundaries("$5", "US$5")
    (False, True)
    """
    if not item:
        return _WORD.search(text) is not None
    first, last = _is_word(item[0]), _is_word(item[-1])
    start = text.find(item)
    for _ in range(MISSES_BEFORE_REGEX):
        if start < 0:
            return False
        end = start + len(item)
        before = start > 0 and _is_word(text[start - 1])
        after = end < len(text) and _is_word(text[end])
        if before != first and after != last:
            return True
        start = text.find(item, start + 1)
    return start >= 0 and re.compile(rf"\b{re.escape(item)}\b").search(text, start - 1) is not None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def as_text(answer: ReferenceAnswer) -> str:
    r"""A reference written as text, for metrics that compare texts: one item per line, entries of a dict as
    ``key - value``.

    Not normalised. Identical to ``fanoutqa.eval.utils.str_answer``.

    >>> as_text({"Oslo": True, "Bergen": [1, 2.5]})
    'Oslo - yes\nBergen - 1\n2.5'
    """
    if isinstance(answer, list):
        return "\n".join(map(as_text, answer))
    if isinstance(answer, dict):
        return "\n".join(f"{key} - {as_text(value)}" for key, value in answer.items())
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return str(answer)
