"""Rules for each element, attribute and class of an article: the tables that `rewriter` follows.

The meanings of classes follow the usage of MediaWiki, Parsoid and mwoffliner.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from humaneval.encyclopedia.html.formulas import FORMULA

MAX_SPAN: Final = 200
_NUMBER: Final = re.compile(r"-?\d{1,6}")

# --- Classes -------------------------------------------------------------------------------------------------------

CLASSES: Final = frozenset(
    {
        *("article-caption", "article-columns", "article-external", "article-figure", "article-formula"),
        *("article-gallery", "article-image", "article-infobox", "article-note", "article-nowrap"),
        *("article-reference", "article-references", "article-scroll", "article-table"),
    }
)
"""Every class that an article can have: style sheets may rely on these."""

OUR_CLASSES: Final[Mapping[str, str]] = {
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
    FORMULA: "article-formula",
    "div-col": "article-columns",
    "nowrap": "article-nowrap",
    "nowraplinks": "article-nowrap",
}
"""This site's classes for those of the article; all others are dropped."""
SILENT_CLASSES: Final = frozenset({"article-reference", "article-references"})
"""Elements whose text is excluded from the plain text."""

# --- Omitted elements ----------------------------------------------------------------------------------------------

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

_DROPPED_BY: Final[Mapping[str, Callable[[str], bool]]] = {
    "hidden": lambda value: True,
    "role": lambda value: value == "navigation",
    "id": lambda value: value in _DROPPED_IDS,
    "class": lambda value: not _DROPPED_CLASSES.isdisjoint(value.split()),
    "style": lambda value: _HIDDEN.search(value) is not None,
}


def is_dropped(attributes: Mapping[str, str]) -> bool:
    """Whether an element is omitted with all its content: hidden, or useful only on the original site."""
    return any(name in attributes and drops(attributes[name]) for name, drops in _DROPPED_BY.items())


# --- Attributes ----------------------------------------------------------------------------------------------------


def _number(value: str) -> str | None:
    return str(int(value)) if _NUMBER.fullmatch(value) else None


def _span(value: str) -> str | None:
    return str(min(max(int(value), 1), MAX_SPAN)) if _NUMBER.fullmatch(value) else None


AttributeRules = Mapping[str, Callable[[str], str | None]]
"""Functions that rewrite the values of the permitted attributes, in output order. ``None`` drops it."""

COMMON_ATTRIBUTES: Final[AttributeRules] = {
    **dict.fromkeys(("lang", "dir", "scope", "title", "datetime"), lambda value: value),
    **dict.fromkeys(("colspan", "rowspan", "span"), _span),
    "start": _number,
    "value": _number,
    "type": lambda value: value if value in ("1", "a", "A", "i", "I") else None,
}
IMAGE_ATTRIBUTES: Final[AttributeRules] = dict.fromkeys(
    ("width", "height"), lambda value: value if _NUMBER.fullmatch(value) else None
)


def allowed_attributes(attributes: Mapping[str, str], rules: AttributeRules) -> dict[str, str]:
    values = ((name, rule(attributes[name])) for name, rule in rules.items() if name in attributes)
    return {name: value for name, value in values if value is not None}


# --- Elements ------------------------------------------------------------------------------------------------------


Separator = tuple[str, str]
"""The plain text between one element and the next: outside tables, and in their cells."""
NOTHING: Final = ("", "")
PARAGRAPH: Final = ("\n\n", " ")
LINE: Final = ("\n", " ")
ITEM: Final = ("\n- ", "\n- ")
ROW: Final = ("\n", "\n")
CELL: Final = (" | ", " | ")


@dataclass(frozen=True)
class ElementRule:
    """Rule by which an element is written, and the text at its start and end in the plain text."""

    before: Separator = NOTHING
    after: Separator = NOTHING
    is_written: bool = True
    """Whether the element itself is written; its content always is."""
    is_written_in_headings: bool = True
    is_void: bool = False
    is_table: bool = False
    classes: tuple[str, ...] = ()
    """This site's classes, in addition to those mapped from the article's."""
    attributes: AttributeRules = field(default_factory=lambda: COMMON_ATTRIBUTES)


INLINE: Final = ElementRule()
_UNWRAPPED: Final = ElementRule(is_written=False)
_UNWRAPPED_BLOCK: Final = ElementRule(PARAGRAPH, PARAGRAPH, is_written=False)
_BLOCK: Final = ElementRule(PARAGRAPH, PARAGRAPH)
_BLOCK_BUT_IN_HEADINGS: Final = ElementRule(PARAGRAPH, PARAGRAPH, is_written_in_headings=False)

ELEMENTS: Final[Mapping[str, ElementRule]] = {
    "address": _BLOCK,
    "article": _UNWRAPPED,
    "aside": _UNWRAPPED,
    "blockquote": _BLOCK,
    "br": ElementRule(LINE, is_void=True, attributes={}),
    "caption": _BLOCK,
    "center": _UNWRAPPED,
    "col": ElementRule(is_void=True, attributes={"span": _span}),
    "dd": ElementRule(ROW),
    "details": _UNWRAPPED,
    "div": _BLOCK_BUT_IN_HEADINGS,
    "dl": _BLOCK,
    "dt": ElementRule(ROW),
    "figcaption": ElementRule(PARAGRAPH, PARAGRAPH, classes=("article-caption",)),
    "figure": ElementRule(PARAGRAPH, PARAGRAPH, classes=("article-figure",)),
    "footer": _UNWRAPPED,
    "header": _UNWRAPPED,
    "hr": ElementRule(PARAGRAPH, is_void=True, attributes={}),
    "img": ElementRule(is_void=True, attributes=IMAGE_ATTRIBUTES, classes=("article-image",)),
    "li": ElementRule(ITEM),
    "main": _UNWRAPPED,
    "ol": _BLOCK,
    "p": _BLOCK_BUT_IN_HEADINGS,
    "pre": _BLOCK,
    "section": _UNWRAPPED_BLOCK,
    "summary": _UNWRAPPED_BLOCK,
    "table": ElementRule(PARAGRAPH, PARAGRAPH, is_written_in_headings=False, is_table=True),
    "td": ElementRule(CELL),
    "th": ElementRule(CELL),
    "tr": ElementRule(ROW),
    "ul": _BLOCK,
    "wbr": ElementRule(is_void=True, attributes={}),
}
"""Rules by element name; elements that are not here are `INLINE`."""

VOID: Final = frozenset(name for name, rule in ELEMENTS.items() if rule.is_void)
"""Elements without an end tag."""

HEADING_LEVELS: Final[Mapping[str, int]] = {"h1": 2, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
"""Headings, with their level in the table of contents."""
