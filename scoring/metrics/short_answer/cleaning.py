"""An answer without reasoning, markup, entities and invisible characters; and the part that states it."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from scoring.generations.reasoning import without_reasoning
from scoring.metrics.short_answer.languages import Language
from scoring.metrics.text.as_read import is_invisible
from scoring.metrics.text.normalise import compose, fix_text

_ORDINARY: Final = re.compile(r"(?!\s*(?i:analysis))[A-Za-z0-9 ,.;:'()/-]*")
"""Most accepted answers: nothing in them is cleaned. *Analysis* may be a channel of gpt-oss."""
_LIKE_ASCII: Final = {"\u2044": "/", "\u2215": "/", "\u2010": "-", "\u2011": "-", "\u2212": "-", "♯": "#"}
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_EXPONENT: Final = re.compile(r"(?<=[\d\w)])([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|<sup>\s*([-+]?\d+)\s*</sup>", re.IGNORECASE)
_FRACTION_SIGN: Final = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_BLOCK_TAG: Final = re.compile(r"</?(?:br|p|div|li|ul|ol|td|th|tr|table|h[1-6])\b[^<>]{0,200}>", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_LATEX_FRACTION: Final = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_LATEX_TEXT: Final = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|operatorname)\s*\{([^{}]*)\}")
_LATEX_DOLLARS: Final = re.compile(r"\$([^$\s][^$\n]*?(?<!\s)|[^$\s])\$(?!\d)")
_LINK: Final = re.compile(r"!?\[([^\[\]]{1,300})\]\([^()\s]{1,500}\)")
_CITATION: Final = re.compile(r"(?<=[\w.,;!?)])\s?\[\d+(?:\s?[,–-]\s?\d+)*\]")
_EMPHASIS: Final = re.compile(r"\*\*|__|`|(?<!\w)[*_]+(?=\w)|(?<=[\w.,!?)])[*_]+(?!\w)|^#+\s", re.MULTILINE)
_BOXED: Final = re.compile(r"\\f?boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")

_HAN_DIGITS: Final = {
    sign: value
    for value, signs in enumerate(("零〇", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for sign in signs
}
_HAN_TENS: Final = {"十": 10, "百": 100, "千": 1000}
_HAN_SCALES: Final = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_HAN: Final = "".join((*_HAN_DIGITS, *_HAN_TENS, *_HAN_SCALES))
_HAN_NUMBER: Final = re.compile(
    rf"(?:\d[\d,]*(?:\.\d+)?)(?:[{''.join((*_HAN_TENS, *_HAN_SCALES))}](?:[{_HAN}\d,]*[{_HAN}\d])?)"
    rf"|[{_HAN}]{{2,}}|[{_HAN}](?=[年月日])|\A[{_HAN}]\Z"
)


def cleaned(text: str) -> str:
    r"""A text as a reader sees it: without reasoning, tags, emphasis, marks of citations and invisible characters.

    Exponents are written ``10^6``, fractions ``1/2``, digits of every script 0 to 9; case and accents stay.

    >>> cleaned("<think>Rome?</think> **Os\u200blo** &amp; 10⁶ m, 2½, \\boxed{٤٢}")
    'Oslo & 10^6 m, 2 1/2, \\boxed{42}'
    """
    if _ORDINARY.fullmatch(text):
        return text.strip()
    text = _BLOCK_TAG.sub("\n", without_reasoning(text))
    text = _EXPONENT.sub(lambda match: "^" + (match[1] or match[2]).translate(_RAISED), text)
    text = _TAG.sub("", _FRACTION_SIGN.sub(" ", text))
    text = compose(fix_text(text), "NFKC")
    if not text.isascii():
        text = "".join(map(_plain, text))
        text = _HAN_NUMBER.sub(lambda match: _han_value(match[0]), text)
    text = _LATEX_FRACTION.sub(r" \1/\2", text)
    text = _LATEX_DOLLARS.sub(r"\1", _LATEX_TEXT.sub(r"\1", text)).replace("\\%", "%").replace("\\times", "×")
    return _EMPHASIS.sub("", _CITATION.sub("", _LINK.sub(r"\1", text))).strip()


def _plain(character: str) -> str:
    if character.isascii():
        return character
    if is_invisible(character):
        return ""
    if character in _LIKE_ASCII:
        return _LIKE_ASCII[character]
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


def _han_value(text: str) -> str:
    """A number in Chinese characters, perhaps with digits, in digits; other text as it is.

    >>> _han_value("二〇二四"), _han_value("三百六十"), _han_value("2億5000万"), _han_value("1万亿")
    ('2024', '360', '250000000', '1000000000000')
    """
    if all(sign in _HAN_DIGITS for sign in text):
        return "".join(str(_HAN_DIGITS[sign]) for sign in text)
    total = section = 0.0
    digits = ""
    for sign in text.replace(",", ""):
        if sign.isdecimal() or sign == ".":
            digits += sign
        elif sign in _HAN_DIGITS:
            digits += str(_HAN_DIGITS[sign])
        elif sign in _HAN_TENS:
            section += float(digits or "1") * _HAN_TENS[sign]
            digits = ""
        elif total and not section and not digits:  # a scale of a scale, such as 万亿
            total *= _HAN_SCALES[sign]
        else:
            total += (section + float(digits or "0") or 1.0) * _HAN_SCALES[sign]
            section, digits = 0.0, ""
    value = total + section + float(digits or "0")
    return str(int(value)) if value.is_integer() else repr(value)


def statement(text: str, language: Language) -> str:
    r"""The part of a cleaned text that states its answer: the last box, or what follows the last “the answer is”.

    >>> from scoring.metrics.short_answer.languages import language_named
    >>> statement("Perhaps Rome.\nFinal answer: Oslo\nConfidence: 80%", language_named("en"))
    'Oslo'
    >>> statement("It is Oslo.", language_named("en"))
    'It is Oslo.'
    """
    if boxes := _BOXED.findall(text):
        return str(boxes[-1])
    nouns = "|".join(sorted(map(re.escape, language.answer), key=len, reverse=True))
    verbs = "|".join(map(re.escape, sorted(language.copulas)))
    announced = re.compile(rf"(?<!\w)(?:{nouns})\s*(?:(?:(?<=[是为為は])|(?:{verbs})(?!\w)|[:=：])\s*)+", re.IGNORECASE)
    last = None
    for match in announced.finditer(text):
        last = match
    if last is None:
        return text
    rest = text[last.end() :].strip()
    return rest.partition("\n")[0] or text
