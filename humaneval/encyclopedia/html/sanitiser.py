"""Turn the HTML of an article, which anybody may have written, into HTML that is safe in a page of this site.

Five steps, each over the whole article: `formulas` writes MathML as text; `limiter` bounds the work of the other steps;
nh3 reads the markup as a browser would, however broken it is, and drops everything that is not on a list; `rewriter`
walks through the rest, gives it this site's classes, anchors and links and collects headings and plain text; and nh3
checks the result again with a stricter list, so that no mistake in the earlier steps can let anything through. The
addresses of links are inserted last, escaped, at positions that are marked by a random token.
"""

import html as entities
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import nh3

from humaneval.encyclopedia.base import Addresses, Heading
from humaneval.encyclopedia.html import formulas, limiter
from humaneval.encyclopedia.html.rewriter import ANCHOR_PREFIX, ArticleRewriter, anchor_of
from humaneval.encyclopedia.html.rules import CLASSES
from humaneval.encyclopedia.html.targets import Inner, Outer, Reference, Target

MAX_ARTICLE_CHARACTERS: Final = 8 * 2**20
"""The rest is omitted; the longest articles of Wikipedia have about half of it."""

INLINE: Final = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "i", "ins"),
        *("kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var"),
        *("wbr",),
    }
)
BLOCKS: Final = frozenset(
    {
        *("address", "article", "aside", "blockquote", "caption", "center", "col", "colgroup", "dd"),
        *("details", "div", "dl", "dt", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hr", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td"),
        *("tfoot", "th", "thead", "tr", "ul"),
    }
)
DROPPED_WITH_CONTENT: Final = frozenset(
    {
        *("applet", "audio", "base", "button", "canvas", "datalist", "dialog", "embed", "form", "frame"),
        *("frameset", "iframe", "input", "link", "map", "math", "meta", "nav", "noembed", "noframes"),
        *("noscript", "object", "option", "optgroup", "output", "param", "plaintext", "portal", "script"),
        *("select", "slot", "style", "svg", "template", "textarea", "title", "track", "video", "xmp"),
    }
)
SHOWN: Final = (INLINE | BLOCKS | {"img"}) - frozenset(
    {
        *("article", "aside", "center", "details", "footer", "h1", "h2", "header", "main", "section"),
        *("summary", "address"),
    }
)
"""The elements that the result may have. A heading is one level lower there than in the article."""

_CELL: Final = {"colspan", "rowspan"}
_FIRST_ATTRIBUTES: Final = {
    "*": {"class", "id", "style", "role", "hidden", "lang", "dir"},
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "td": _CELL,
    "th": _CELL | {"scope"},
    "col": {"span"},
    "colgroup": {"span"},
    "ol": {"start", "type"},
    "li": {"value"},
    "abbr": {"title"},
    "time": {"datetime"},
}
_ATTRIBUTES: Final = frozenset().union(*_FIRST_ATTRIBUTES.values())
_FIRST: Final = nh3.Cleaner(
    tags=set(INLINE | BLOCKS | {"img"}),
    clean_content_tags=set(DROPPED_WITH_CONTENT),
    attributes=_FIRST_ATTRIBUTES,
    url_schemes={"http", "https"},
    link_rel=None,
)


@dataclass(frozen=True)
class Sanitised:
    """An article as it is cached: everything except the addresses that its links lead to."""

    parts: tuple[str, ...]
    references: tuple[Reference, ...]
    """The references between consecutive parts."""
    headings: tuple[Heading, ...]
    text: str
    cut: bool

    def html(self, at: Addresses) -> str:
        """The article with the addresses of the page that shows it."""
        made = [self.parts[0]]
        for reference, part in zip(self.references, self.parts[1:], strict=True):
            match reference:
                case Inner(path, fragment):
                    anchor = anchor_of(fragment)
                    address = at.link(path) + (f"#{anchor}" if anchor else "")
                case Outer(url):
                    address = at.outside(url)
                case picture:
                    address = at.image(picture)
            made += (entities.escape(address), part)
        return "".join(made)


def sanitise(
    html: str, *, title: str, link_target: Callable[[str], Target | None], image_path: Callable[[str], str | None]
) -> Sanitised:
    """Sanitise an article.

    Args:
        html: a fragment or a whole document.
        title: the article's title; a first heading that repeats it is omitted.
        link_target: maps an ``href`` to its target; ``None`` makes the link plain text.
        image_path: maps a ``src`` to the source's path of the picture; ``None`` omits it.
    """
    cut = len(html) > MAX_ARTICLE_CHARACTERS
    token = secrets.token_hex(12)
    rewriter = ArticleRewriter(title=title, token=token, link_target=link_target, image_path=image_path)
    written_out = formulas.in_text(html[:MAX_ARTICLE_CHARACTERS])
    rewritten, too_much = limiter.rewrite(written_out, attributes=_ATTRIBUTES)
    rewriter.feed(_FIRST.clean(rewritten))
    rewriter.close()
    clean = _last(token).clean(rewriter.html).replace(limiter.AMPERSAND, "&amp;")
    pieces = re.split(rf"#{token}-(\d+);", clean)
    return Sanitised(
        parts=tuple(pieces[::2]),
        references=tuple(rewriter.references[int(number)] for number in pieces[1::2]),
        headings=tuple(rewriter.headings),
        text=rewriter.plain_text,
        cut=cut or too_much,
    )


def plain(html: str) -> str:
    """The text of an article in one line, computed quickly: for snippets."""
    return limiter.plain(html[:MAX_ARTICLE_CHARACTERS], dropped=DROPPED_WITH_CONTENT, blocks=BLOCKS)


def _last(token: str) -> nh3.Cleaner:
    """The last step. It permits no addresses except marks of references and anchors of the article."""
    own = (f"#{token}-", f"#{ANCHOR_PREFIX}")
    return nh3.Cleaner(
        tags=set(SHOWN),
        clean_content_tags=set(DROPPED_WITH_CONTENT),
        attributes={
            "*": {"id", "lang"},
            "a": {"href", "rel", "data-article", "data-external"},
            "img": {"src", "alt", "width", "height"},
            "td": _CELL,
            "th": _CELL,
            "col": {"span"},
            "colgroup": {"span"},
            "ol": {"start", "type"},
            "li": {"value"},
            "abbr": {"title"},
            "time": {"datetime"},
            "div": {"aria-label"},
        },
        tag_attribute_values={
            "*": {"dir": {"ltr", "rtl", "auto"}},
            "div": {"role": {"group"}, "tabindex": {"0"}},
            "img": {"loading": {"lazy"}, "decoding": {"async"}},
            "th": {"scope": {"row", "col", "rowgroup", "colgroup"}},
        },
        allowed_classes={tag: set(CLASSES) for tag in SHOWN},
        url_schemes=set(),
        url_relative=lambda address: address if address.startswith(own) else None,
        link_rel=None,
    )
