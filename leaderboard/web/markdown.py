"""Markdown that somebody else wrote, as HTML that cannot affect the page around it: reports and other open answers.

markdown-it reads it without raw HTML, and nh3 checks its output again: only the elements below, ids that this module
gave, no pictures, and links to http and https, or within the text, alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import nh3
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from scoring.analysis.explanations import readable

LONGEST: Final = 200_000
"""The most characters of a text whose Markdown is read. A longer one is shown as it is, and so is one with more than
the next three, because reading it may take seconds."""
MOST_LINES: Final = 10_000
MOST_MARKS: Final = 10_000
"""The most of the characters that begin something: asterisks, underscores, brackets and so on, together."""
MOST_CELLS: Final = 10_000
DEEPEST: Final = 20
"""The levels of quotes and lists in each other that are read. A text with more is shown as it is: the parser leaves out
what is deeper, and a judge reads it."""
WORDS_WITH_CONTENTS: Final = 3_000
"""A text with as many words and a heading has a table of contents."""
MOST_HEADINGS: Final = 100
"""The most headings in a table of contents."""
LOWEST_LEVEL: Final = 6
_PART: Final = r"[^\W\u3040-\u30ff\u3400-\u9fff]+"
_WORD: Final = re.compile(
    rf"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|{_PART}(?:(?:['’]|[.,](?=\d)){_PART})*"
)
"""A word, such as *don't* or *3.5*; in Chinese and Japanese, which have no spaces, a character."""
_MARK: Final = re.compile(r"\[\^([^\]\s]{1,100})\]")
"""A mark in the text that leads to a footnote."""
_MATH: Final = re.compile(
    r"\$\$(?P<block>(?:[^$\\]|\\.){1,2000})\$\$|\$(?=\S)(?P<dollars>(?:[^$\\\n]|\\.){1,300})(?<=\S)\$(?!\d)"
    r"|\\\((?P<round>.{1,300}?)\\\)|\\\[(?P<square>.{1,2000}?)\\\]",
    re.DOTALL,
)
_FORMULA: Final = re.compile(r"[\\^_={}]|^\s*[^\W\d]\s*$")
"""What tells a formula from amounts in dollars and escaped brackets: a sign of one, or a letter alone."""
_TAGS: Final = (
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "a", "ul", "ol", "li", "div", "sup"),
    *("table", "thead", "tbody", "tr", "th", "td", "h2", "h3", "h4", "h5", "h6"),
)
_CLEANER: Final = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={
        "a": {"href", "id"},
        "ol": {"start"},
        "div": {"id", "role", "tabindex", "aria-label"},
        **{f"h{level}": {"id"} for level in range(2, LOWEST_LEVEL + 1)},
        "*": set(),
    },
    allowed_classes={"div": {"markdown__table", "markdown__note"}},
    url_schemes={"http", "https"},
    link_rel="nofollow noopener noreferrer",
)


@dataclass(frozen=True)
class Heading:
    """A heading in a table of contents."""

    anchor: str
    label: str
    parts: list[Heading] = field(default_factory=list)
    """The headings one level below it."""


@dataclass(frozen=True)
class Report:
    """A text in Markdown, ready to be shown."""

    html: SafeString
    text: str
    """The text as it was sent; characters that are invisible or reverse the direction are shown by their numbers."""
    n_words: int
    contents: Sequence[Heading] = ()
    """Its table of contents; empty for a short text, and for one without headings."""
    n_left_out: int = 0
    """The number of further headings, which a table of contents has no room for."""
    is_formatted: bool = True
    """Whether the HTML is that of its Markdown, and not the text as it was sent."""


def _picture(self: RendererHTML, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """The description of a picture, which is not loaded: its address would learn who reads the page."""
    shown, described = gettext("picture"), tokens[place].content
    return escape(f"[{shown}: {described}]" if described else f"[{shown}]")


def _table(self: RendererHTML, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """The begin or end of a table, in a box of its own that scrolls."""
    if tokens[place].nesting < 0:
        return "</table></div>\n"
    box = '<div class="markdown__table" role="group" tabindex="0" aria-label="{}"><table>\n'
    return format_html(box, gettext("Table"))


def _note(self: RendererHTML, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """The begin or end of a footnote: its label, which leads back to its first mark, and links to the other ones."""
    if tokens[place].nesting < 0:
        return "</div></div>\n"
    own = tokens[place].meta
    shown = [own["label"], *(f"↑{number}" for number in range(2, own["n_marks"] + 1))]
    links = " ".join(
        format_html('<a href="#{}">{}</a>', f"{own['anchor']}-mark-{number}", text) if own["n_marks"] else escape(text)
        for number, text in enumerate(shown, 1)
    )
    return f'<div class="markdown__note" id="{own["anchor"]}"><div>{links}</div><div>'


def _note_mark(self: RendererHTML, tokens: Sequence[Token], place: int, *_: Any) -> str:
    """A mark of a footnote, which leads to it."""
    own = tokens[place].meta
    mark = f"{own['anchor']}-mark-{own['number']}"
    return format_html('<sup><a href="#{}" id="{}">{}</a></sup>', own["anchor"], mark, own["label"])


def _read_math(state: StateInline, silent: bool) -> bool:
    """The parser's rule for formulas: as sent, so that nothing in them is taken for Markdown."""
    found = _MATH.match(state.src, state.pos, state.posMax)
    if found is None or not _FORMULA.search(found[found.lastgroup or 0]):
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = found[0]
    state.pos = found.end()
    return True


def _read_mark(state: StateInline, silent: bool) -> bool:
    """The parser's rule for marks of footnotes that the text has; any other one is text."""
    found = _MARK.match(state.src, state.pos, state.posMax)
    if found is None or f":{found[1]}" not in state.env.get("footnotes", {}).get("refs", ()):
        return False
    if not silent:
        state.push("footnote_ref", "", 0).meta = {"label": found[1]}
    state.pos = found.end()
    return True


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - named by the library
        """Whether a link may be one: only with http or https, never to a page of this site by a relative address."""
        return url.lower().startswith(("http://", "https://"))


_PARSER: Final = _Parser("commonmark", {"html": False, "breaks": True, "maxNesting": DEEPEST})
_PARSER.enable(["table", "strikethrough"])
_PARSER.use(footnote_plugin, inline=False, move_to_end=False)  # footnotes stay in their places, whether marked or not
_PARSER.inline.ruler.at("footnote_ref", _read_mark)  # the plugin's takes quadratic time
_PARSER.inline.ruler.before("escape", "math", _read_math)
_PARSER.disable("reference")  # its lines are not shown: they could hold text for a judge alone
for _rule, _renders in {
    "image": _picture,
    "table_open": _table,
    "table_close": _table,
    "footnote_reference_open": _note,
    "footnote_reference_close": _note,
    "footnote_ref": _note_mark,
}.items():
    _PARSER.add_render_rule(_rule, _renders)


def read(text: str, anchor: str = "text", level: int = 3) -> Report:
    """A text in Markdown as HTML, safe for any input.

    Raw HTML is shown as text and pictures by their description. Its highest headings get the given level, lower ones
    the next, without gaps.

    Args:
        anchor: The beginning of its ids, different for each text of a page; letters, digits and hyphens.
        level: Of its highest headings, from 2 to 6.

    >>> str(read("# Why\\n<b>x</b> [a](javascript:alert(1)) ![map](https://example.org/x.png)").html)
    '<h3 id="text-1">Why</h3>\\n<p>&lt;b&gt;x&lt;/b&gt; [a](javascript:alert(1)) [picture: map]</p>\\n'
    """
    shown, n_words = readable(text), len(_WORD.findall(text))
    blocks = re.split(r"\n\s*\n", text) if "|" in text else ()
    tables = [[line.count("|") + 1 for line in block.split("\n")] for block in blocks if "|" in block]
    n_cells = sum(max(widths) * len(widths) for widths in tables)  # the most that tables can have
    n_marks = sum(map(text.count, "*_~[`$\\<&"))
    too_much = len(text) > LONGEST or text.count("\n") > MOST_LINES or n_marks > MOST_MARKS or n_cells > MOST_CELLS
    env: dict[str, Any] = {}
    tokens = [] if too_much else _PARSER.parse(text, env)
    if too_much or any(token.level >= DEEPEST - 1 for token in tokens):
        return Report(format_html("<pre>{}</pre>", shown), shown, n_words, is_formatted=False)
    _link_notes(tokens, anchor)
    headings = _raise_headings(tokens, anchor, level)
    # Invisible characters are replaced last, because entities may encode them.
    html = mark_safe(readable(_CLEANER.clean(_PARSER.renderer.render(tokens, _PARSER.options, env))))  # noqa: S308 - sanitised
    if n_words < WORDS_WITH_CONTENTS:
        return Report(html, shown, n_words)
    contents: list[Heading] = []
    for depth, heading in headings[:MOST_HEADINGS]:
        (contents[-1].parts if depth > 1 and contents else contents).append(heading)
    return Report(html, shown, n_words, contents, max(len(headings) - MOST_HEADINGS, 0))


def _link_notes(tokens: Sequence[Token], anchor: str) -> None:
    """Give footnotes and their marks their anchors. Of two with one label, marks lead to the first."""
    notes = [token for token in tokens if token.type == "footnote_reference_open"]
    by_label: dict[str, dict[str, Any]] = {}
    for number, token in enumerate(notes, 1):
        token.meta |= {"anchor": f"{anchor}-note-{number}", "n_marks": 0}
        by_label.setdefault(token.meta["label"], token.meta)
    for token in tokens:
        for mark in token.children or ():
            if mark.type == "footnote_ref":
                own = by_label[mark.meta["label"]]
                own["n_marks"] += 1
                mark.meta |= {"anchor": own["anchor"], "number": own["n_marks"]}


def _raise_headings(tokens: Sequence[Token], anchor: str, highest: int) -> list[tuple[int, Heading]]:
    """Give headings their levels and ids, and return the upper two levels: depth, from 1, and heading. One without
    words becomes a paragraph."""
    headings: list[tuple[int, Heading]] = []
    above: list[str] = []
    places = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    for number, place in enumerate(places, 1):
        opened, line, closed = tokens[place : place + 3]
        label = " ".join(_words_of(line).split())
        if not label:
            opened.tag = closed.tag = "p"
            continue
        while above and above[-1] >= opened.tag:
            above.pop()
        above.append(opened.tag)
        opened.tag = closed.tag = f"h{min(highest + len(above) - 1, LOWEST_LEVEL)}"
        opened.attrs = {"id": f"{anchor}-{number}"}
        if len(above) <= 2:
            headings.append((len(above), Heading(f"{anchor}-{number}", readable(label))))
    return headings


def _words_of(line: Token) -> str:
    """The text of a line without its formatting."""
    return "".join(
        " " if part.type in ("softbreak", "hardbreak") else part.content
        for part in line.children or ()
        if part.type != "footnote_ref"
    )
