"""Walk through the clean markup of an article by `rules`, and collect headings, references and text.

The input is nh3's output: well-formed, without comments, scripts or anything else that is not on its list.
"""

import html as entities
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import ClassVar, Final

from humaneval.encyclopedia.base import Heading
from humaneval.encyclopedia.html.limiter import AMPERSAND
from humaneval.encyclopedia.html.rules import (
    ELEMENTS,
    HEADING_LEVELS,
    INLINE,
    OUR_CLASSES,
    SILENT_CLASSES,
    VOID,
    ElementRule,
    Separator,
    allowed_attributes,
    is_dropped,
)
from humaneval.encyclopedia.html.targets import Here, Inner, Outer, Reference, Target

MAX_DEPTH: Final = 120
"""Maximum nesting of elements; deeper elements are omitted, but their content is written."""
MAX_ADDRESS: Final = 2000
MAX_HEADING: Final = 300
ANCHOR_PREFIX: Final = "s-"
"""The prefix of every ``id`` of an article, so that none equals an id of the page."""
_ID: Final = re.compile(r"[^\s<>\"'&\x00-\x1f]{1,200}")
_PARSOID_ID: Final = re.compile(r"mw[\w-]{2,6}")
"""The pattern of the ids that Parsoid gives every element; no link points to them."""
_SPACES: Final = re.compile(r"\s+")

Attributes = Mapping[str, str]


Tags = tuple[str, str]
"""The start and end tags of an element; empty if the element itself is not written."""


@dataclass
class _Element:
    """An open element."""

    tag: str
    out_from: int
    n_shown_before: int = 0
    closing: str = ""
    is_silent: bool = False
    """Whether the text of the element is excluded from the plain text."""
    id: str = ""
    texts: list[str] = field(default_factory=list)
    """Texts inside a heading; empty for other elements, as is the id."""


def anchor_of(fragment: str) -> str:
    """The anchor for one of the article's ids; empty if it cannot be an anchor."""
    return f"{ANCHOR_PREFIX}{fragment}" if _ID.fullmatch(fragment) else ""


class Anchors:
    """The anchors that an article has so far."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """The anchor for an element's ``id``; empty if it has none, or if an earlier element has the same."""
        anchor = anchor_of(name)
        if not anchor or anchor in self._taken or _PARSOID_ID.fullmatch(name):
            return ""
        self._taken.add(anchor)
        return anchor

    def take_free(self, name: str) -> str:
        """An anchor for a heading, with a number appended if its name is taken."""
        base = anchor_of(name[:150]) or f"{ANCHOR_PREFIX}section"
        anchor, number = base, 1
        while anchor in self._taken:
            number += 1
            anchor = f"{base}_{number}"
        self._taken.add(anchor)
        return anchor


class PlainText:
    """Collects paragraphs separated by an empty line, and one line per item and row."""

    def __init__(self) -> None:
        self.tables_open = 0
        self._parts: list[str] = []
        self._silent = 0

    def begin(self, rule: ElementRule, *, is_silent: bool) -> None:
        """Begin an element; if it is silent, none of its text is included."""
        self.separate(rule.before)
        self._silent += is_silent
        self.tables_open += rule.is_table

    def end(self, rule: ElementRule, *, is_silent: bool) -> None:
        self._silent -= is_silent
        self.tables_open -= rule.is_table
        self.separate(rule.after)

    def separate(self, separator: Separator) -> None:
        """Separate the following text from the text before."""
        self._add(separator[self.tables_open > 0])

    def add(self, text: str) -> None:
        """Add text of the article, with white space collapsed."""
        self._add(_SPACES.sub(" ", text))

    def add_heading(self, level: int, text: str) -> None:
        self._add(f"\n\n{'#' * level} {text}\n\n")

    def is_empty(self) -> bool:
        return not "".join(self._parts).strip()

    def __str__(self) -> str:
        lines = (_SPACES.sub(" ", line).strip() for line in "".join(self._parts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line not in ("|", "-"))).strip()

    def _add(self, text: str) -> None:
        if text and not self._silent:
            self._parts.append(text)


class ArticleRewriter(HTMLParser):
    """Reads clean markup; afterwards it has the article's `html`, `headings`, `references` and `plain_text`.

    Addresses in `html` are written as ``#TOKEN-NUMBER;``, the number of a reference, and ``&`` as `AMPERSAND`.
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
        self._text = PlainText()
        self._anchors = Anchors()
        self._open: list[_Element] = []
        self._heading: _Element | None = None
        """The outermost open heading."""
        self._n_dropped_open = 0
        self._n_shown = 0
        """The number of texts and pictures so far: shows whether an element has any content."""
        self._n_tables = 0

    @property
    def html(self) -> str:
        """The markup, with every open element closed."""
        return "".join([*self._out, *(element.closing for element in reversed(self._open))])

    @property
    def plain_text(self) -> str:
        """The text: paragraphs separated by an empty line, one line per item and row."""
        return str(self._text)

    # --- The walk --------------------------------------------------------------------------------------------------

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if self._n_dropped_open or is_dropped(attributes):
            self._n_dropped_open += tag not in VOID
        else:
            self._BEGIN.get(tag, ArticleRewriter._begin_element)(self, tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if self._n_dropped_open:
            self._n_dropped_open -= 1
        elif self._open:
            element = self._open.pop()
            self._END.get(element.tag, ArticleRewriter._end_element)(self, element)

    def handle_data(self, data: str) -> None:
        if self._n_dropped_open:
            return
        self._n_shown += not data.isspace()
        self._out.append(entities.escape(data, quote=False))
        text = data.replace(AMPERSAND, "&")
        if self._heading is None:
            self._text.add(text)
        else:
            self._heading.texts.append(text)

    # --- Ordinary elements -----------------------------------------------------------------------------------------

    def _begin_element(self, tag: str, attributes: Attributes) -> None:
        rule = ELEMENTS.get(tag, INLINE)
        classes = [OUR_CLASSES[name] for name in attributes.get("class", "").split() if name in OUR_CLASSES]
        element = _Element(tag, len(self._out), self._n_shown, is_silent=not SILENT_CLASSES.isdisjoint(classes))
        self._text.begin(rule, is_silent=element.is_silent)
        shown = rule.is_written and (self._heading is None or rule.is_written_in_headings)
        if shown and len(self._open) < MAX_DEPTH:
            if tag in self._TAGS:
                opening, element.closing = self._TAGS[tag](self, attributes)
            else:
                kept = allowed_attributes(attributes, rule.attributes) | self._id(attributes)
                opening, element.closing = _tag(tag, kept, (*classes, *rule.classes)), f"</{tag}>"
            self._out.append(opening)
        self._open.append(element)

    def _end_element(self, element: _Element) -> None:
        self._out.append(element.closing)
        self._text.end(ELEMENTS.get(element.tag, INLINE), is_silent=element.is_silent)

    def _write_void(self, tag: str, attributes: Attributes) -> None:
        rule = ELEMENTS[tag]
        self._text.separate(rule.before)
        self._out.append(_tag(tag, allowed_attributes(attributes, rule.attributes)))

    # --- Links, tables, pictures -----------------------------------------------------------------------------------

    def _link(self, attributes: Attributes) -> Tags:
        address = attributes.get("href", "").strip()
        if not address or len(address) > MAX_ADDRESS or "new" in attributes.get("class", "").split():
            return "", ""  # "new": the article does not exist yet
        match self._link_target(address):
            case Here(fragment) if anchor := anchor_of(fragment):
                kept = {"href": f"#{anchor}"}
            case Inner(path) as target:
                kept = {"href": self._refer(target), "data-article": path}
            case Outer() as target:
                kept = {"href": self._refer(target), "rel": "noopener noreferrer nofollow", "data-external": ""}
            case _:
                return "", ""
        classes = ["article-external"] if "data-external" in kept else []
        return _tag("a", kept | self._id(attributes), classes), "</a>"

    def _end_link(self, element: _Element) -> None:
        if element.closing and self._n_shown == element.n_shown_before:
            del self._out[element.out_from :]  # a link without visible content or name
            element.closing = ""
        self._end_element(element)

    def _table(self, attributes: Attributes) -> Tags:
        table = _tag("table", self._id(attributes), ["article-table"])
        if self._text.tables_open > 1:
            return table, "</table>"
        self._n_tables += 1
        infobox = "infobox" in attributes.get("class", "").split()
        classes = ["article-scroll", *(["article-infobox"] if infobox else [])]
        # Wide tables scroll in a frame that must be focusable by keyboard and named for screen readers.
        frame = {"role": "group", "tabindex": "0", "aria-label": f"Table {self._n_tables}"}
        return f"{_tag('div', frame, classes)}{table}", "</table></div>"

    def _write_image(self, tag: str, attributes: Attributes) -> None:
        alternative = " ".join(attributes.get("alt", "").split())
        if any(name.startswith("mwe-math-fallback") for name in attributes.get("class", "").split()):
            # The picture of a formula, whose description is TeX.
            formula = entities.escape(alternative, quote=False)
            self._n_shown += 1
            self._out.append(f"{_tag('code', {}, ['article-formula'])}{formula}</code>")
            self._text.add(f" {alternative} ")
            return
        path = self._image_path(attributes.get("src", "").strip())
        if path is None:
            return
        rule = ELEMENTS[tag]
        source = {"src": self._refer(path), "alt": alternative}
        when = {"loading": "lazy", "decoding": "async"}
        self._n_shown += 1
        self._out.append(_tag(tag, allowed_attributes(attributes, rule.attributes) | source | when, rule.classes))

    # --- Headings --------------------------------------------------------------------------------------------------

    def _begin_heading(self, tag: str, attributes: Attributes) -> None:
        heading = _Element(tag, len(self._out), id=attributes.get("id", ""))
        self._open.append(heading)
        self._heading = self._heading or heading

    def _end_heading(self, heading: _Element) -> None:
        if heading is not self._heading:
            return  # nested headings: the outer one ends later
        self._heading = None
        text = " ".join("".join(heading.texts).split())[:MAX_HEADING]
        first = not self.headings and self._text.is_empty()
        if not text or (first and text.casefold() == self._title):
            del self._out[heading.out_from :]
            return
        anchor = self._anchors.take_free(heading.id if anchor_of(heading.id) else text.replace(" ", "_"))
        level = HEADING_LEVELS[heading.tag]
        tag = f"h{min(level + 1, 6)}"
        self._out.insert(heading.out_from, _tag(tag, {"id": anchor}))
        self._out.append(f"</{tag}>")
        self.headings.append(Heading(level, text, anchor))
        self._text.add_heading(level, text)

    # --- Ids and references ----------------------------------------------------------------------------------------

    def _id(self, attributes: Attributes) -> dict[str, str]:
        """An element's anchor, if it has one. Inside a heading it is the heading's anchor."""
        name = attributes.get("id", "")
        if self._heading is not None:
            self._heading.id = self._heading.id or name
            return {}
        anchor = self._anchors.take(name)
        return {"id": anchor} if anchor else {}

    def _refer(self, reference: Reference) -> str:
        self.references.append(reference)
        return f"#{self._token}-{len(self.references) - 1};"

    # --- Start and end of special elements -------------------------------------------------------------------------

    _BEGIN: ClassVar[Mapping[str, Callable[["ArticleRewriter", str, Attributes], None]]] = {
        **dict.fromkeys(VOID, _write_void),
        **dict.fromkeys(HEADING_LEVELS, _begin_heading),
        "img": _write_image,
    }
    _END: ClassVar[Mapping[str, Callable[["ArticleRewriter", _Element], None]]] = {
        **dict.fromkeys(HEADING_LEVELS, _end_heading),
        "a": _end_link,
    }
    _TAGS: ClassVar[Mapping[str, Callable[["ArticleRewriter", Attributes], Tags]]] = {"a": _link, "table": _table}


def _tag(tag: str, attributes: Attributes, classes: Iterable[str] = ()) -> str:
    names = " ".join(dict.fromkeys(classes))
    every = {**attributes, "class": names} if names else attributes
    written = "".join(f' {name}="{entities.escape(value)}"' for name, value in every.items())
    return f"<{tag}{written}>"
