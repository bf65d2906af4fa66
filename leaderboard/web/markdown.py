"""Markdown that somebody else wrote, as HTML that cannot affect the page around it: answers to open questions.

markdown-it reads it without raw HTML, and nh3 checks its output again: only the elements below, no classes, no ids, no
pictures, and links to http and https alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import nh3
from django.utils.html import escape, linebreaks
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from scoring.analysis.explanations import readable

LONGEST: Final = 50_000
"""The most characters of a text whose Markdown is read. A longer one is shown as it is, and so is one with more than
the next two, because reading it may take seconds."""
MOST_BRACKETS: Final = 1_000
MOST_CELLS: Final = 5_000
_TAGS: Final = (
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "a", "ul", "ol", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
)
_CLEANER: Final = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={"a": {"href"}, "ol": {"start"}, "*": set()},
    url_schemes={"http", "https"},
    link_rel="nofollow noopener noreferrer",
)


def _heading(self: RendererHTML, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """A heading as a paragraph in bold: an answer has no place in the outline of the page that shows it."""
    return "<p><strong>" if tokens[place].nesting == 1 else "</strong></p>\n"


def _picture(self: RendererHTML, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """The description of a picture, which is not loaded: its address would learn who reads the page."""
    return escape(f"[picture: {tokens[place].content}]" if tokens[place].content else "[picture]")


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - named by the library
        """Whether a link may be one: only with http or https, never to a page of this site by a relative address."""
        return url.lower().startswith(("http://", "https://"))


_PARSER: Final = _Parser("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_PARSER.disable("reference")  # its lines are not shown: they could hold text for a judge alone
_PARSER.add_render_rule("heading_open", _heading)
_PARSER.add_render_rule("heading_close", _heading)
_PARSER.add_render_rule("image", _picture)


def to_html(text: str) -> SafeString:
    """The HTML of a text in Markdown, safe for any input.

    Raw HTML is shown as text, headings as paragraphs in bold, pictures by their description. Characters that are
    invisible or reverse the direction of text are shown by their numbers.

    >>> str(to_html("# Why\\n<b>x</b> [a](javascript:alert(1)) ![map](https://example.org/x.png)"))
    '<p><strong>Why</strong></p>\\n<p>&lt;b&gt;x&lt;/b&gt; [a](javascript:alert(1)) [picture: map]</p>\\n'
    """
    widths = [line.count("|") + 1 for line in text.split("\n") if "|" in line]
    n_cells = max(widths, default=0) * len(widths)  # the most that a table of the text can have
    if len(text) > LONGEST or text.count("[") > MOST_BRACKETS or n_cells > MOST_CELLS:
        return mark_safe(linebreaks(readable(text), autoescape=True))  # noqa: S308 - escaped
    # Invisible characters are replaced last, because entities may encode them.
    return mark_safe(readable(_CLEANER.clean(_PARSER.render(text))))  # noqa: S308 - sanitised
