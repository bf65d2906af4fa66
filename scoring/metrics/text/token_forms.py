r"""Texts for the repaired accuracy: tokens, with whole numbers, in several forms, one of which must match.

A text becomes a line of tokens with one space between two and at both ends, so that the search for an item is a search
for one string in another, in linear time, and no word or number can be cut: ``" 5.2 "`` does not occur in
``" 15.2 km "``.

- A token is a run of letters, digits and combining marks of any script, or one symbol. ``C++`` is three tokens. In
  scripts without spaces between words, each character is one (:mod:`~scoring.metrics.text.scripts`).
- ``,.?!:;`` separate tokens and are dropped, except for decimal points and the like inside numbers (``5.2``, ``1:30``,
  ``12.05.2020`` stay whole) and the points of abbreviations (``U.S.`` is ``us``). Commas between groups of three digits
  are dropped (also Indian groups: ``12,34,567``); other commas separate numbers.
- Quotation marks are dropped, but for apostrophes inside words: a title is the same without them. Dashes of all lengths
  are hyphens: ``1990–1995`` is ``1990-1995``.
- A currency sign after the letters of another country is one token with them: ``HK$5`` and ``R$5`` do not contain
  ``$5``.
- Invisible characters (controls, zero-width, variation selectors) are dropped.

All these rules apply to runs without white space, one by one. So the tokens of an item between white space in a text
are the same as those of the item alone; therefore a verbatim answer scores 1.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from scoring.metrics.base import Tick, no_tick
from scoring.metrics.text.lemmatizer import Lemmatiser
from scoring.metrics.text.normalise import compose, fix_text
from scoring.metrics.text.scripts import separated

LONG_TEXT = 200_000
"""Above this number of characters, tokens are written out one by one rather than listed, to limit memory."""

# Inside the forms, private-use characters replace the characters that the lemmatiser must not change; they are removed
# from texts.
_POINT, _COLON = "\ue000", "\ue001"
_MARKS = {"$": "\ue010", "€": "\ue011", "£": "\ue012", "¥": "\ue013", "₹": "\ue014", "₩": "\ue015", "₽": "\ue016"}
_MARKS |= {"¢": "\ue017", "%": "\ue018"}
_FOREIGN = {"$": "\ue01a", "£": "\ue01b", "¥": "\ue01c"}
_PRIVATE = "\ue000-\ue01f"
_READABLE = str.maketrans(
    {_POINT: ".", _COLON: ":"} | {mark: sign for signs in (_MARKS, _FOREIGN) for sign, mark in signs.items()}
)
_WITHOUT_MARKS = str.maketrans(dict.fromkeys(_MARKS.values(), ""))


def _class_of(wanted: Callable[[str], bool]) -> str:
    """The characters that match, as ranges for a regular expression's brackets. Unread planes contain none."""
    ranges: list[list[int]] = []
    for code in (*range(0x20000), *range(0xE0000, 0xE0200)):
        if wanted(chr(code)):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def _is_invisible(character: str) -> bool:
    category = unicodedata.category(character)
    return (
        category == "Cf"
        or (category == "Cc" and not character.isspace())
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
    )


_COMBINING = _class_of(lambda character: unicodedata.category(character)[0] == "M" and not _is_invisible(character))
_INVISIBLE = re.compile(f"[{_class_of(_is_invisible)}{_PRIVATE}]+")
_INSIDE = rf"[^\W_]|[{_COMBINING}{_PRIVATE}]"
_NOT_AFTER = rf"(?<![^\W_])(?<![{_COMBINING}{_PRIVATE}])"
_NOT_BEFORE = rf"(?!{_INSIDE})"
_TOKEN = re.compile(rf"(?:[^\W_]++|[{_COMBINING}{_PRIVATE}]++)++|[^\s,.?!:;\"“”„‟«»‹›]")
WORD = re.compile(rf"(?:[^\W_]++|[{_COMBINING}]++)++")
"""A word of a folded text: a token that is no symbol."""
_QUOTE = re.compile("(?<![^\\W_])['‘’‚‛`´]|['’´](?![^\\W_])")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"))
_OTHER_COUNTRY = re.compile(
    rf"{_NOT_AFTER}(hk|r|a|au|aud|c|ca|can|cad|cdn|nz|s|sg|sgd|nt|twd|mx|mex|ar|arg|cl|clp|col|cop|b|bz|bds|j|jm|tt|rd|z|zw|n|na|fj"
    r"|ec|g|gy|l|ld|si|xcd|uy|uyu|br|brl)(\$)|(e|eg|egp|ir|ie|sy|syr|ll|lb|leb|sd|gi|fk|sh)(£)|(cn|rmb|cny)(¥)"
)

_ABBREVIATION = re.compile(rf"{_NOT_AFTER}[^\W\d_](?:\.[^\W\d_])+{_NOT_BEFORE}")
_NUMBER = re.compile(r"(?<![\w.])\.\d++|\d++(?:[.,:]\d++)*+")
_THOUSANDS = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d\d)+,\d{3})(?:\.\d+)?")

_GAP = r"[ \t\u00a0\u2009\u202f]"
_SIGNS = {
    # sign: (before a number besides the symbol itself, after a number besides the symbol)
    "$": (rf"us\$|{_NOT_AFTER}usd", rf"us\$|(?:u\.?s\.?{_GAP})?dollars?|usd"),
    "€": (rf"{_NOT_AFTER}eur", "euros?|eur"),
    "£": (rf"{_NOT_AFTER}gbp", rf"pounds?(?:{_GAP}sterling)?|gbp"),
    "¥": (rf"{_NOT_AFTER}jpy", "yen|jpy"),
    "₹": (rf"{_NOT_AFTER}inr", "rupees?|inr"),
    "₩": (rf"{_NOT_AFTER}krw", "krw"),
    "₽": (rf"{_NOT_AFTER}rub", "rou?bles?|rub"),
    "¢": ("", "cents?"),
    "%": ("", r"percent|per[ -]cent|pct"),
}
"""Signs that a number may have, and their other forms. A pound may be a weight: it is read as money on both sides."""
_SYMBOLS = "$€£¥₹₩₽¢"
_SCALE = r"(?:hundred|thousand|million|billion|trillion|lakh|crore)s?|k|m|mn|b|bn|tn"
_WITH_SIGN = re.compile(
    rf"(?=[\d{_SYMBOLS}]|us|eur|gbp|jpy|inr|krw|rub)"  # how every match begins: tried at few places
    rf"(?:(?P<before>{'|'.join(before for before, _ in _SIGNS.values() if before)}|[{_SYMBOLS}]){_GAP}{{0,2}}+"
    rf"|{_NOT_AFTER})(?P<number>\d[\d{_POINT}{_COLON}]*+)"
    rf"(?P<scale>(?:(?:{_GAP}|-)?(?:{_SCALE}){_NOT_BEFORE}){{0,2}})"
    rf"(?:(?P<symbol>[{_SYMBOLS}%](?!\d)|{_GAP}{{1,2}}+[{_SYMBOLS}%](?!{_GAP}{{0,2}}\d))"
    rf"|(?:{_GAP}{{1,2}}+|-)?(?P<word>{'|'.join(after for _, after in _SIGNS.values())}){_NOT_BEFORE})?"
)
_WORD_FORMS = [(sign, re.compile(f"{before}|{after}" if before else after)) for sign, (before, after) in _SIGNS.items()]


def fold(text: str) -> str:
    """Without case and invisible characters, accents composed, all dashes hyphens, characters of scripts without spaces
    separated, and the currency signs of other countries joined to their letters: ``STRASSE`` and ``Straße`` become the
    same."""
    folded = separated(compose(_INVISIBLE.sub("", text.casefold())).translate(_DASHES))
    return _OTHER_COUNTRY.sub(_joined, folded)


def _joined(match: re.Match[str]) -> str:
    letters, sign = (group for group in match.groups() if group)
    return f"{letters}{_FOREIGN[sign]} "


def protect_numbers(text: str) -> str:
    """Prepare numbers for the tokeniser: no thousands commas, and points and colons inside that will not be dropped.

    A unit after such a number is separated, as in ``5.2km``.

    >>> protect_numbers("1,234,567.8 or 1,2,3 at 1:30pm, .5").translate(_READABLE)
    '1234567.8 or 1 2 3 at 1:30 pm, 0.5'
    """
    return _NUMBER.sub(_protected, text)


def _protected(match: re.Match[str]) -> str:
    number = match[0]
    if number.isdigit():
        return number
    number = number.replace(",", "" if _THOUSANDS.fullmatch(number) else " ")
    if number[0] == ".":
        number = "0" + number
    end = match.end()
    unit = " " if end < len(match.string) and match.string[end].isalpha() else ""
    return number.replace(".", _POINT).replace(":", _COLON) + unit


def tokens(text: str) -> str:
    """The tokens of a folded text with protected numbers, with a space before and after each; empty if there are none.

    >>> tokens("c++ and **u.s. dollars** (for $5, i.e. much).")
    ' c + + and * * us dollars * * ( for $ 5 ie much ) '
    """
    text = _QUOTE.sub(" ", _ABBREVIATION.sub(lambda match: match[0].replace(".", ""), text))
    if len(text) <= LONG_TEXT:
        words = _TOKEN.findall(text)
        return f" {' '.join(words)} " if words else ""
    line = io.StringIO()
    for token in _TOKEN.finditer(text):
        line.write(" ")
        line.write(token[0])
    return line.getvalue() + " " if line.tell() else ""


def mark_signs(text: str) -> str:
    """Currency and percent signs next to numbers, as symbols or words, become part of the number.

    >>> [mark_signs(text).translate(_READABLE) for text in ("$5 million", "5 million us dollars", "usd 5m")]
    ['5$ million', '5$ million', '5$m']
    """
    return _WITH_SIGN.sub(_marked, text)


def _marked(match: re.Match[str]) -> str:
    before = match["before"]
    after = match["symbol"] or match["word"]
    sign = _sign(before) if before else ""
    if after and (not sign or _sign(after.strip()) == sign):
        sign, rest = _sign(after.strip()), ""
    else:
        rest = match[0][match.end("scale") - match.start() :]
    if not sign:
        return match[0]
    return match["number"] + _MARKS[sign] + match["scale"] + rest


def _sign(text: str) -> str:
    return text if text in _MARKS else next(sign for sign, form in _WORD_FORMS if form.fullmatch(text))


class Forms:
    """The forms of a text in which items are searched for; each is built once, when first needed.

    :param text: any text, of any length.
    :param lemmatiser: the source of the lemmas. It may use context: an item's lemmas alone may differ from those it has
        in a text, which is why the other forms count as well.
    :param tick: called at intervals during long work.
    """

    def __init__(self, text: str, lemmatiser: Lemmatiser, tick: Tick = no_tick) -> None:
        self.text = text
        self._lemmatiser = lemmatiser
        self._tick = tick

    def tick_if_long(self) -> None:
        """Call the tick if a search in the text is long work."""
        if len(self.text) > LONG_TEXT:
            self._tick()

    def _ticked(self, text: str) -> str:
        self._tick()
        return text

    def _tokens(self, text: str) -> str:
        return self._ticked(tokens(text))

    @cached_property
    def _folded(self) -> str:
        return self._ticked(fold(self.text))

    @cached_property
    def runs(self) -> str:
        """The text's runs of characters without white space, one space around each."""
        return f" {' '.join(self._folded.split())} "

    @cached_property
    def written(self) -> str:
        """The tokens without repairs or lemmas."""
        return self._tokens(self._protected)

    @cached_property
    def _protected(self) -> str:
        return self._ticked(protect_numbers(self._folded))

    @cached_property
    def _source(self) -> str:
        fixed = fix_text(self.text, self._tick)
        return self._protected if fixed == self.text else self._ticked(protect_numbers(self._ticked(fold(fixed))))

    @cached_property
    def _marked_source(self) -> str:
        return self._ticked(mark_signs(self._source))

    @property
    def has_signs(self) -> bool:
        """Whether a number in the text has a sign."""
        return self._marked_source != self._source

    @cached_property
    def repaired(self) -> str:
        """The tokens after the repair of mojibake, entities and look-alike characters (ftfy)."""
        return self.written if self._source == self._protected else self._tokens(self._source)

    @cached_property
    def lemmas(self) -> str:
        """The repaired tokens after every word was replaced by its lemma."""
        return self._tokens(self._lemmatiser.tidied(self._source, self._tick))

    @cached_property
    def marked(self) -> str:
        """As ``repaired``, with signs made part of their numbers."""
        return self._tokens(self._marked_source) if self.has_signs else self.repaired

    @cached_property
    def marked_lemmas(self) -> str:
        """As ``lemmas``, with signs made part of their numbers."""
        if not self.has_signs:
            return self.lemmas
        return self._tokens(self._lemmatiser.tidied(self._marked_source, self._tick))

    @cached_property
    def bare(self) -> str:
        """As ``marked``, without the signs."""
        return self.marked.translate(_WITHOUT_MARKS)

    @cached_property
    def bare_lemmas(self) -> str:
        """As ``marked_lemmas``, without the signs."""
        return self.marked_lemmas.translate(_WITHOUT_MARKS)


@dataclass(frozen=True, slots=True)
class Item:
    """A primitive of a reference, prepared for the search. An empty form matches nowhere."""

    runs: str
    """Set only if the item is nothing but punctuation (the band *!!!*): then it must be alone between white space."""
    written: str = ""
    repaired: str = ""
    lemmas: str = ""
    has_number: bool = False
    signed: tuple[re.Pattern[str], re.Pattern[str]] | None = None
    """If a number in the item has a sign: the forms to search for in ``marked`` and in ``marked_lemmas``."""
    shown: str = ""
    """For display: its most tolerant form, the sign after its number."""

    @classmethod
    def of(cls, text: str, lemmatiser: Lemmatiser) -> Item | None:
        """The item for a text, or ``None`` if the text is only white space and invisible characters."""
        forms = Forms(text, lemmatiser)
        if not forms.runs.strip():
            return None
        if not forms.written:
            return cls(forms.runs, shown=forms.runs.strip())
        signed = (_pattern(forms.marked), _pattern(forms.marked_lemmas)) if forms.has_signs else None
        shown = (forms.marked_lemmas if signed else forms.lemmas) or forms.written
        return cls(
            runs="",
            written=forms.written,
            repaired=forms.repaired,
            lemmas=forms.lemmas,
            has_number=any(map(str.isdigit, forms.repaired)),
            signed=signed,
            shown=shown.strip().translate(_READABLE),
        )

    def found_in(self, text: Forms) -> bool:
        """Whether the item occurs in a text, in any of the forms.

        A sign of the item must be in the text, at the same number; an additional sign in the text is accepted.
        """
        text.tick_if_long()
        if self.runs:
            return self.runs in text.runs
        if (
            self.written in text.written
            or (self.repaired and self.repaired in text.repaired)
            or (self.lemmas and self.lemmas in text.lemmas)
        ):
            return True
        if not self.has_number or not text.has_signs:
            return False
        if self.signed:
            return any(
                pattern.search(form) is not None
                for pattern, form in zip(self.signed, (text.marked, text.marked_lemmas), strict=True)
            )
        return bool(self.repaired in text.bare or (self.lemmas and self.lemmas in text.bare_lemmas))


def _pattern(line: str) -> re.Pattern[str]:
    """These tokens, where numbers without a sign may have one."""
    any_mark = f"[{''.join(_MARKS.values())}]?"
    parts = []
    for token in line.split():
        unsigned = token[0].isdigit() and token.translate(_WITHOUT_MARKS) == token
        digits = re.match(rf"[\d{_POINT}{_COLON}]+", token) if unsigned else None
        parts.append(re.escape(token) if digits is None else digits[0] + any_mark + re.escape(token[digits.end() :]))
    return re.compile(f" {' '.join(parts)} ")
