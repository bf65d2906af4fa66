"""Formulas in MathML, written as text: the article's pages have no MathML.

MediaWiki puts a picture after most formulas, whose description is TeX; `rewriter` shows that. Formulas without one are
shown as their TeX, which MediaWiki and Kiwix write into each, or else as their content.
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
        self._content: list[str] = []
        self._element = self._annotation = self._stated = ""

    @property
    def text(self) -> str:
        return " ".join("".join(self._tex).split()) or self._stated or " ".join("".join(self._content).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self._element = tag
        if tag == "math":
            self._stated = self._stated or " ".join((attributes.get("alttext") or "").split())
        elif tag.startswith("annotation"):
            self._annotation = attributes.get("encoding") or "?"

    def handle_endtag(self, tag: str) -> None:
        self._element = ""
        if tag.startswith("annotation"):
            self._annotation = ""

    def handle_data(self, data: str) -> None:
        if self._annotation.casefold() == "application/x-tex":
            self._tex.append(data)
        elif not self._annotation and self._element in _LEAVES:
            self._content.append(data.strip())
