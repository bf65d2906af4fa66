"""A first pass over an article's markup, in time linear in its length.

Crafted markup can make an HTML parser take minutes for a megabyte: hundreds of thousands of nested elements are enough.
So this module tokenises the markup as the HTML standard describes and writes it again plainly, without useless parts:
comments, scripts, unused attributes. The next steps then see exactly the elements that were counted here, and neither
their number nor their depth exceeds the limits.
"""

import html as entities
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

MAX_ELEMENTS: Final = 100_000
"""Elements of one article; the rest is omitted. The largest tables of Wikipedia have about half of that."""
MAX_OPEN: Final = 400
"""Elements open at once; if there are more, the article ends there. Articles of Wikipedia have about 40."""
MAX_ATTRIBUTES: Final = 100
MAX_VALUE: Final = 4000
"""Characters of an attribute that are preserved."""
AMPERSAND: Final = "\ue000"
"""Replaces ``&`` in the text of the output, as nh3 takes quadratic time over many of those."""

_RAW: Final = frozenset(
    {"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"}
)
"""Elements whose content is not markup; none of it is used."""
_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_CLOSED_BY_THEMSELVES: Final = frozenset(
    {"colgroup", "dd", "dt", "li", "optgroup", "option", "p", "rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr"}
)
_START: Final = re.compile(
    r"""<([a-zA-Z][^\s/>]*+)((?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)?|["'])*+)>"""
)
_ATTRIBUTE: Final = re.compile(r"""([^\s/>"'=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?""")
_END: Final = re.compile(r"""</([a-zA-Z][^\s/>]*+)(?:[^>"']++|"[^"]*+"|'[^']*+'|["'])*+>""")
_COMMENT_END: Final = re.compile(r"--!?>")


def rewrite(html: str, *, attributes: Collection[str]) -> tuple[str, bool]:
    """The markup written plainly, with only these attributes, and whether it was cut because it has too much.

    In its text `AMPERSAND` replaces ``&``.
    """
    written: list[str] = []
    is_open: Counter[str] = Counter()
    n_open = n_elements = 0
    for kind, text, rest in _tokens(html):
        if kind == "text":
            if "&" in text or AMPERSAND in text:
                text = entities.unescape(text).replace(AMPERSAND, "\ufffd").replace("&", AMPERSAND)
            written.append(text.replace("<", "&lt;"))
        elif kind == "start":
            n_elements += 1
            counted = text not in _VOID and text not in _CLOSED_BY_THEMSELVES
            if n_elements > MAX_ELEMENTS or (counted and n_open >= MAX_OPEN):
                return "".join(written), True
            if counted:
                is_open[text] += 1
                n_open += 1
            kept = "".join(
                f' {name}="{entities.escape(value)}"'
                for name, value in _attributes(rest)
                if name in attributes and len(value) <= MAX_VALUE
            )
            written.append(f"<{text}{kept}>")
        else:
            if is_open[text]:
                is_open[text] -= 1
                n_open -= 1
            written.append(f"</{text}>")
    return "".join(written), False


def plain(html: str, *, dropped: Collection[str], blocks: Collection[str]) -> str:
    """The text of markup in one line, without the content of dropped elements."""
    words: list[str] = []
    inside: Counter[str] = Counter()
    for kind, text, _ in _tokens(html):
        if kind == "text":
            if not inside:
                words.append(text)
        elif text in dropped:
            if kind == "start" and text not in _VOID:
                inside[text] += 1
            elif kind == "end" and inside[text] > 1:
                inside[text] -= 1
            else:
                inside.pop(text, None)
        elif text in blocks:
            words.append(" ")
    return " ".join(entities.unescape("".join(words)).split())


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of attribute name, in lower case, and value, with entities decoded; of a repeated name the first."""
    seen: set[str] = set()
    for number, match in enumerate(_ATTRIBUTE.finditer(text)):
        if number >= MAX_ATTRIBUTES:
            return
        name = match[1].lower()
        if name not in seen:
            seen.add(name)
            yield name, entities.unescape(match[2] or match[3] or match[4] or "")


def _tokens(html: str) -> Iterator[tuple[str, str, str]]:
    """``("text", its source, "")``, ``("start", name, attributes)`` and ``("end", name, "")``; names in lower case."""
    position = 0
    while (begin := html.find("<", position)) >= 0:
        if begin > position:
            yield "text", html[position:begin], ""
        following = html[begin + 1 : begin + 2]
        if following.isascii() and following.isalpha():
            match = _START.match(html, begin)
            if match is None:
                return  # unterminated: a browser shows none of it
            name, position = match[1].lower(), match.end()
            if not name.isascii() or not name.isalnum():
                continue
            if name in _RAW:
                end = re.compile(rf"</{name}[\s/>]", re.IGNORECASE).search(html, position)
                close = html.find(">", end.end() - 1) if end is not None and name != "plaintext" else -1
                if close < 0:
                    return
                position = close + 1
                continue
            yield "start", name, match[2]
        elif following == "/" and html[begin + 2 : begin + 3].isascii() and html[begin + 2 : begin + 3].isalpha():
            match = _END.match(html, begin)
            if match is None:
                return
            position = match.end()
            if match[1].isascii() and match[1].isalnum():
                yield "end", match[1].lower(), ""
        elif html.startswith("<!--", begin):
            if html.startswith((">", "->"), begin + 4):
                position = html.index(">", begin) + 1
                continue
            comment_end = _COMMENT_END.search(html, begin + 4)
            if comment_end is None:
                return
            position = comment_end.end()
        elif following in ("!", "?", "/"):
            close = html.find(">", begin)
            if close < 0:
                return
            position = close + 1
        else:
            yield "text", "<", ""
            position = begin + 1
    if position < len(html):
        yield "text", html[position:], ""
