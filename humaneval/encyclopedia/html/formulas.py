"""Formulas in MathML, written as text: the article's pages have no MathML.

MediaWiki puts a picture after most formulas, whose description is TeX; `rewriter` shows that. Formulas without one are
shown as TeX if they have it, else as their content, with signs for what the layout says.
"""

import html as entities
import re
from html.parser import HTMLParser
from typing import Final

FORMULA: Final = "manyhop-formula"
MAX_FORMULA: Final = 20_000
"""Characters of the markup of a formula that is read."""

_MATH: Final = re.compile(r"<math\b", re.IGNORECASE)
_MATH_END: Final = re.compile(r"</math\s*>", re.IGNORECASE)
_PICTURE_FOLLOWS: Final = re.compile(
    r"(?:\s*</span>){0,4}\s*<(?:img|meta)\b[^>]{0,2000}?mwe-math-fallback", re.IGNORECASE
)
_BETWEEN: Final = {
    "msup": "^",
    "msub": "_",
    "mfrac": "/",
    "msubsup": "_^",
    "munder": "_",
    "mover": "^",
    "munderover": "_^",
}
"""The signs between the parts of an element."""
_LEAVES: Final = frozenset({"math", "mi", "mn", "mo", "ms", "mtext"})
"""The elements whose text is shown; what else is inside a formula is no MathML."""


def in_text(html: str) -> str:
    """Markup in which each formula without a picture is its text, in an element of the class `FORMULA`.

    Takes time linear in the length: the search goes on after each formula, and ends where none is closed.
    """
    written: list[str] = []
    position = 0
    while (begin := _MATH.search(html, position)) and (end := _MATH_END.search(html, begin.end())):
        written.append(html[position : begin.start()])
        position = end.end()
        if _PICTURE_FOLLOWS.match(html, position):
            continue
        reader = _Formula()
        reader.feed(
            html[begin.start() : begin.start() + MAX_FORMULA]
            if end.end() - begin.start() > MAX_FORMULA
            else html[begin.start() : end.end()]
        )
        text = entities.escape(reader.text, quote=False)
        written.append(f'<code class="{FORMULA}">{text}</code>' if text else "")
    return "".join([*written, html[position:]])


class _Formula(HTMLParser):
    """Reads one formula; afterwards `text` is its TeX, or its content."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._tex: list[str] = []
        self._open: list[tuple[str, list[str]]] = [("math", [])]
        """The open elements, each with the texts of its parts."""
        self._annotation = ""
        self._stated = ""

    @property
    def text(self) -> str:
        while len(self._open) > 1:
            self._close()
        content = " ".join("".join(self._open[0][1]).split())
        return " ".join("".join(self._tex).split()) or self._stated or content

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "math":
            self._stated = self._stated or " ".join((attributes.get("alttext") or "").split())
        elif tag.startswith("annotation"):
            self._annotation = attributes.get("encoding") or "?"
        elif len(self._open) < 200:
            self._open.append((tag, []))

    def handle_endtag(self, tag: str) -> None:
        if tag.startswith("annotation"):
            self._annotation = ""
        elif any(tag == name for name, _ in self._open[1:]):
            while self._open[-1][0] != tag:
                self._close()
            self._close()

    def handle_data(self, data: str) -> None:
        if self._annotation:
            if self._annotation.casefold() == "application/x-tex":
                self._tex.append(data)
        elif data.strip() and self._open[-1][0] in _LEAVES:
            self._open[-1][1].append(data.strip())

    def _close(self) -> None:
        tag, parts = self._open.pop()
        if tag in _BETWEEN:
            signs = ("", *_BETWEEN[tag])
            joined = "".join(sign + part for sign, part in zip(signs, map(_grouped, parts), strict=False))
        elif tag == "msqrt":
            joined = "√" + _grouped("".join(parts))
        elif tag == "mroot":
            joined = f"root({', '.join(parts)})"
        elif tag == "mtable":
            joined = f"[{'; '.join(parts)}]"
        elif tag == "mtr":
            joined = ", ".join(parts)
        else:
            joined = "".join(parts)
        if joined:
            self._open[-1][1].append(joined)


def _grouped(part: str) -> str:
    """A part of a formula, in brackets if it has several signs.

    >>> _grouped("n+1"), _grouped("12"), _grouped("(a)")
    ('(n+1)', '12', '((a))')
    """
    return part if part.isalnum() or len(part) == 1 else f"({part})"
