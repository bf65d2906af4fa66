"""Through the clean markup of an article: classes, anchors and links of this site, headings, and the plain text.

What comes in is what nh3 wrote: well-formed, without comments, scripts or anything else that is not on its list. Which
classes mean what is MediaWiki's, Parsoid's and mwoffliner's usage.
"""

import html as entities
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from humaneval.encyclopedia.base import Heading
from humaneval.encyclopedia.html.limiter import AMPERSAND

ANCHOR_PREFIX: Final = "s-"
"""Begins every ``id`` of an article, so that none is one of the page's own."""
MAX_DEPTH: Final = 120
"""Elements inside one another; what is deeper is shown without its own."""
MAX_SPAN: Final = 200
MAX_ADDRESS: Final = 2000
MAX_HEADING: Final = 300

CLASSES: Final = frozenset(
    {
        *("article-caption", "article-columns", "article-external", "article-figure", "article-formula"),
        *("article-gallery", "article-image", "article-infobox", "article-note", "article-nowrap"),
        *("article-reference", "article-references", "article-scroll", "article-table"),
    }
)
"""Every class that an article can have: what style sheets may count on."""

_OURS: Final = {
    "hatnote": "article-note",
    "dablink": "article-note",
    "reference": "article-reference",
    "mw-ref": "article-reference",
    "references": "article-references",
    "reflist": "article-references",
    "mw-references-wrap": "article-references",
    "thumb": "article-figure",
    "thumbcaption": "article-caption",
    "gallery": "article-gallery",
    "div-col": "article-columns",
    "nowrap": "article-nowrap",
    "nowraplinks": "article-nowrap",
}
_DROPPED_CLASSES: Final = frozenset(
    {
        *("ambox", "asbox", "authority-control", "catlinks", "geo-nondefault", "mw-collapsible-toggle"),
        *("mw-editsection", "mw-empty-elt", "mw-indicators", "mw-jump-link", "mw-kartographer-maplink"),
        *("navbar", "navbox", "noprint", "portal-bar", "portalbox", "printfooter", "shortdescription"),
        *("side-box", "sistersitebox", "sortkey", "toc", "vertical-navbox", "Z3988", "zim-footer"),
    }
)
_DROPPED_IDS: Final = frozenset({"toc", "catlinks", "siteSub", "contentSub", "jump-to-nav", "mw-toc-heading"})
_HIDDEN: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_VOID: Final = frozenset({"br", "hr", "img", "wbr", "col"})
_UNWRAPPED: Final = frozenset(
    {"article", "aside", "center", "details", "footer", "header", "main", "section", "summary"}
)
_HEADING: Final = re.compile(r"h([1-6])")
_PARAGRAPHS: Final = frozenset(
    {
        *("address", "blockquote", "caption", "div", "dl", "figure", "figcaption", "ol", "p", "pre"),
        *("section", "summary", "table", "ul", "hr"),
    }
)
_ID: Final = re.compile(r"[^\s<>\"'&\x00-\x1f]{1,200}")
_PARSOID_ID: Final = re.compile(r"mw[\w-]{2,6}")
"""What Parsoid numbers every element with; nothing leads there."""
_NUMBER: Final = re.compile(r"-?\d{1,6}")
_SPACES: Final = re.compile(r"\s+")


@dataclass(frozen=True)
class Inner:
    """Another article of the source, perhaps at one of its anchors."""

    path: str
    fragment: str = ""


@dataclass(frozen=True)
class Here:
    """A place in the same article."""

    fragment: str


@dataclass(frozen=True)
class Outer:
    """An address outside of the encyclopedia: ``http`` or ``https``."""

    url: str


Target = Inner | Here | Outer


@dataclass(frozen=True)
class Reference:
    """A link or a picture whose address is made when the article is shown."""

    kind: str
    """``article``, ``external`` or ``image``."""
    to: str
    anchor: str = ""


def anchor_of(fragment: str) -> str:
    """The ``id`` that stands here for one of the article's; empty if there is none."""
    return f"{ANCHOR_PREFIX}{fragment}" if _ID.fullmatch(fragment) else ""


@dataclass
class _Open:
    """An element whose end is still to come."""

    tag: str
    closing: str = ""
    """What is written at its end; empty if it is not shown itself."""
    out_from: int = 0
    shown_before: int = 0
    no_text: bool = False
    """Whether what is in it stays out of the plain text."""


@dataclass
class _OpenHeading:
    level: int
    out_from: int
    anchor: str = ""
    texts: list[str] = field(default_factory=list)


class Walker(HTMLParser):
    """Reads clean markup; afterwards `html`, `headings`, `references` and `plain_text` tell what came of it.

    Addresses stand in `html` as ``#TOKEN-NUMBER;``, the number of a reference, and `AMPERSAND` for that character.
    """

    def __init__(
        self,
        *,
        title: str,
        token: str,
        link_target: Callable[[str], Target | None],
        image_path: Callable[[str], str | None],
    ) -> None:
        super().__init__(convert_charrefs=True)
        self.headings: list[Heading] = []
        self.references: list[Reference] = []
        self._title = " ".join(title.split()).casefold()
        self._token = token
        self._link_target = link_target
        self._image_path = image_path
        self._out: list[str] = []
        self._text: list[str] = []
        self._open: list[_Open] = []
        self._heading: _OpenHeading | None = None
        self._ids: set[str] = set()
        self._skipping = 0
        self._n_shown = 0
        """Characters and pictures: whether there is anything in an element."""
        self._n_tables = 0
        self._tables_open = 0
        self._textless = 0

    @property
    def html(self) -> str:
        """The markup, with everything closed that was opened."""
        return "".join([*self._out, *(element.closing for element in reversed(self._open))])

    @property
    def plain_text(self) -> str:
        """The text: paragraphs with an empty line between them, a line for each item and row."""
        lines = (_SPACES.sub(" ", line).strip() for line in "".join(self._text).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line not in ("|", "-"))).strip()

    # --- What the parser tells ---------------------------------------------------------------------------------

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if self._skipping or self._is_dropped(attributes):
            self._skipping += tag not in _VOID
            return
        if tag in _VOID:
            self._void(tag, attributes)
        elif (heading := _HEADING.fullmatch(tag)) is not None:
            self._begin_heading(int(heading[1]), attributes)
        else:
            self._begin(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self._skipping:
            self._skipping -= 1
            return
        if not self._open:
            return
        element = self._open.pop()
        self._textless -= element.no_text
        if self._heading is not None and _HEADING.fullmatch(element.tag):
            self._end_heading(self._heading)
            return
        if element.tag == "table":
            self._tables_open -= 1
        if element.tag == "a" and element.closing and self._n_shown == element.shown_before:
            del self._out[element.out_from :]  # a link that nobody can see or name
        elif element.closing:
            self._out.append(element.closing)
        if element.tag in _PARAGRAPHS:
            self._paragraph()

    def handle_data(self, data: str) -> None:
        if self._skipping:
            return
        self._n_shown += not data.isspace()
        self._out.append(entities.escape(data, quote=False))
        data = data.replace(AMPERSAND, "&")
        if self._heading is not None:
            self._heading.texts.append(data)
        elif not self._textless:
            self._text.append(_SPACES.sub(" ", data))

    # --- Elements ----------------------------------------------------------------------------------------------

    @staticmethod
    def _is_dropped(attributes: dict[str, str]) -> bool:
        return (
            "hidden" in attributes
            or attributes.get("role") == "navigation"
            or attributes.get("id") in _DROPPED_IDS
            or not _DROPPED_CLASSES.isdisjoint(attributes.get("class", "").split())
            or ("style" in attributes and _HIDDEN.search(attributes["style"]) is not None)
        )

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        element = _Open(tag, out_from=len(self._out), shown_before=self._n_shown)
        classes = [_OURS[name] for name in attributes.get("class", "").split() if name in _OURS]
        if tag in _PARAGRAPHS:
            self._paragraph()
        elif tag in ("li", "dt", "dd") and not self._textless:
            self._text.append("\n- " if tag == "li" else "\n")
        elif tag == "tr" and not self._textless:
            self._text.append("\n")
        elif tag in ("td", "th") and not self._textless:
            self._text.append(" | ")
        element.no_text = not {"article-reference", "article-references"}.isdisjoint(classes)
        self._textless += element.no_text
        written = self._element(tag, attributes, classes) if len(self._open) < MAX_DEPTH else None
        if written is not None:
            self._out.append(written[0])
            element.closing = written[1]
        elif tag == "table":
            self._tables_open += 1
        self._open.append(element)

    def _element(self, tag: str, attributes: dict[str, str], classes: list[str]) -> tuple[str, str] | None:
        """What is written at the beginning and the end of an element; nothing if it is not shown itself."""
        if tag in _UNWRAPPED or (self._heading is not None and tag in ("div", "p", "table")):
            return None
        if tag == "a":
            return self._link(attributes)
        if tag == "table":
            return self._table(attributes)
        if tag == "figure":
            classes = [*classes, "article-figure"]
        elif tag == "figcaption":
            classes = [*classes, "article-caption"]
        kept: dict[str, str] = {
            name: attributes[name] for name in ("lang", "dir", "scope", "title", "datetime") if name in attributes
        }
        for name in ("colspan", "rowspan", "span", "start", "value"):
            if _NUMBER.fullmatch(attributes.get(name, "")):
                number = int(attributes[name])
                kept[name] = str(min(max(number, 1), MAX_SPAN) if name.endswith("span") else number)
        if attributes.get("type") in ("1", "a", "A", "i", "I"):
            kept["type"] = attributes["type"]
        return self._tag(tag, kept | self._id(attributes), classes), f"</{tag}>"

    def _link(self, attributes: dict[str, str]) -> tuple[str, str] | None:
        address = attributes.get("href", "").strip()
        if not address or len(address) > MAX_ADDRESS or "new" in attributes.get("class", "").split():
            return None  # "new": the article is still to be written
        target = self._link_target(address)
        if isinstance(target, Here):
            anchor = anchor_of(target.fragment)
            return (self._tag("a", {"href": f"#{anchor}"} | self._id(attributes)), "</a>") if anchor else None
        if isinstance(target, Inner):
            href = self._refer(Reference("article", target.path, anchor_of(target.fragment)))
            return self._tag("a", {"href": href, "data-article": target.path} | self._id(attributes)), "</a>"
        if isinstance(target, Outer):
            href = self._refer(Reference("external", target.url))
            kept = {"href": href, "rel": "noopener noreferrer nofollow", "data-external": ""} | self._id(attributes)
            return self._tag("a", kept, ["article-external"]), "</a>"
        return None

    def _table(self, attributes: dict[str, str]) -> tuple[str, str]:
        self._tables_open += 1
        table = self._tag("table", self._id(attributes), ["article-table"])
        if self._tables_open > 1:
            return table, "</table>"
        self._n_tables += 1
        infobox = "infobox" in attributes.get("class", "").split()
        classes = ["article-scroll", *(["article-infobox"] if infobox else [])]
        # Wide tables scroll in a frame of their own, which the keyboard has to reach and a reader to name.
        frame = {"role": "group", "tabindex": "0", "aria-label": f"Table {self._n_tables}"}
        return f"{self._tag('div', frame, classes)}{table}", "</table></div>"

    def _void(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "img":
            self._image(attributes)
            return
        if tag == "br" and not self._textless:
            self._text.append("\n" if self._tables_open == 0 else " ")
        if tag == "hr":
            self._paragraph()
        span = attributes.get("span", "")
        kept = {"span": str(min(max(int(span), 1), MAX_SPAN))} if tag == "col" and _NUMBER.fullmatch(span) else {}
        self._out.append(self._tag(tag, kept))

    def _image(self, attributes: dict[str, str]) -> None:
        alternative = " ".join(attributes.get("alt", "").split())
        if any(name.startswith("mwe-math-fallback") for name in attributes.get("class", "").split()):
            self._out.append(
                f"{self._tag('code', {}, ['article-formula'])}{entities.escape(alternative, quote=False)}</code>"
            )
            self._n_shown += 1
            if not self._textless:
                self._text.append(f" {alternative} ")
            return
        path = self._image_path(attributes.get("src", "").strip())
        if path is None:
            return
        kept = {name: attributes[name] for name in ("width", "height") if _NUMBER.fullmatch(attributes.get(name, ""))}
        kept |= {
            "src": self._refer(Reference("image", path)),
            "alt": alternative,
            "loading": "lazy",
            "decoding": "async",
        }
        self._n_shown += 1
        self._out.append(self._tag("img", kept, ["article-image"]))

    def _begin_heading(self, level: int, attributes: dict[str, str]) -> None:
        self._open.append(_Open(f"h{level}"))
        if self._heading is None:
            self._heading = _OpenHeading(max(level, 2), len(self._out), attributes.get("id", ""))

    def _end_heading(self, heading: _OpenHeading) -> None:
        if any(_HEADING.fullmatch(element.tag) for element in self._open):
            return  # one inside another: the outer one ends later
        self._heading = None
        text = " ".join("".join(heading.texts).split())[:MAX_HEADING]
        first = not self.headings and not "".join(self._text).strip()
        if not text or (first and text.casefold() == self._title):
            del self._out[heading.out_from :]
            return
        anchor = self._free_anchor(heading.anchor if anchor_of(heading.anchor) else text.replace(" ", "_"))
        tag = f"h{min(heading.level + 1, 6)}"
        self._out.insert(heading.out_from, self._tag(tag, {"id": anchor}))
        self._out.append(f"</{tag}>")
        self.headings.append(Heading(heading.level, text, anchor))
        if not self._textless:
            self._text.append(f"\n\n{'#' * heading.level} {text}\n\n")

    # --- Helpers -----------------------------------------------------------------------------------------------

    def _id(self, attributes: dict[str, str]) -> dict[str, str]:
        """An element's anchor, if it has one that nothing else had before. That in a heading is the heading's."""
        name = attributes.get("id", "")
        if self._heading is not None:
            self._heading.anchor = self._heading.anchor or name
            return {}
        anchor = anchor_of(name)
        if not anchor or anchor in self._ids or _PARSOID_ID.fullmatch(name):
            return {}
        self._ids.add(anchor)
        return {"id": anchor}

    def _free_anchor(self, name: str) -> str:
        base = anchor_of(name[:150]) or f"{ANCHOR_PREFIX}section"
        anchor, number = base, 1
        while anchor in self._ids:
            number += 1
            anchor = f"{base}_{number}"
        self._ids.add(anchor)
        return anchor

    def _refer(self, reference: Reference) -> str:
        self.references.append(reference)
        return f"#{self._token}-{len(self.references) - 1};"

    def _paragraph(self) -> None:
        if not self._textless:
            self._text.append("\n\n" if self._tables_open == 0 else " ")

    @staticmethod
    def _tag(tag: str, attributes: dict[str, str], classes: list[str] | tuple[str, ...] = ()) -> str:
        if classes:
            attributes = attributes | {"class": " ".join(dict.fromkeys(classes))}
        written = "".join(f' {name}="{entities.escape(value)}"' for name, value in attributes.items())
        return f"<{tag}{written}>"
