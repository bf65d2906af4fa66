"""Formulas in MathML, written as their TeX: the article's pages have no MathML.

MediaWiki puts a picture after most formulas, whose description is TeX; `rewriter` shows that.
"""

import html as entities
import re
from typing import Final

FORMULA: Final = "manyhop-formula"

_MATH: Final = re.compile(r"<math\b", re.IGNORECASE)
_MATH_END: Final = re.compile(r"</math\s*>", re.IGNORECASE)
_PICTURE_FOLLOWS: Final = re.compile(
    r"(?:\s*</span>){0,4}\s*<(?:img|meta)\b[^>]{0,2000}?mwe-math-fallback", re.IGNORECASE
)
_TEX: Final = re.compile(r"""<annotation\b[^>]{0,200}\bapplication/x-tex\b[^>]{0,200}>([^<]*)<""", re.IGNORECASE)
_ALTERNATIVE: Final = re.compile(r"""<math\b[^>]{0,2000}\balttext=(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^>]*>")


def in_text(html: str) -> str:
    """Markup in which each formula without a picture is its TeX, in an element of the class `FORMULA`; without TeX, its
    text.

    Takes time linear in the length: the search goes on after each formula, and ends where none is closed.
    """
    written: list[str] = []
    position = 0
    while (begin := _MATH.search(html, position)) and (end := _MATH_END.search(html, begin.end())):
        written.append(html[position : begin.start()])
        position = end.end()
        if _PICTURE_FOLLOWS.match(html, position):
            continue
        formula = html[begin.start() : end.end()]
        if stated := _TEX.search(formula) or _ALTERNATIVE.match(formula):
            text = next(filter(None, stated.groups()), "")
        else:
            text = _TAG.sub("", formula)
        text = entities.escape(" ".join(entities.unescape(text).split()), quote=False)
        written.append(f'<code class="{FORMULA}">{text}</code>' if text else "")
    return "".join([*written, html[position:]])
