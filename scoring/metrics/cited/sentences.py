"""The sentences of an answer, which may be a report in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LONGEST_HEADING: Final = 200
"""Characters of a heading; a longer one is text."""

_END: Final = re.compile(
    r"(?<![.!?…।॥؟۔])[.!?…।॥؟۔]++[\"'”’)\]*_]*+(?:\s{0,2}\[\d{1,9}\])*+(?=\s)|"
    r"(?:[。！？]|．(?!\d))++[\"'”’」』）]*+(?:\s{0,2}\[\d{1,9}\])*+"
)
"""What ends a sentence, with the citations after it."""
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(\[])(?:[A-Z]|(?:[A-Za-z]\.)+[A-Za-z]?|Dr|Mrs?|Ms|Prof|St|vs|etc|al|No|Nos|Fig|Figs|Inc|Ltd|Co|Corp|Jr|Sr|"
    r"ca|approx|cf|pp?|Vol|Eq|Sec|Ch|Mt|Gen|Rev|Gov|Sen)$"
)
"""A word whose point ends no sentence."""
_LOOK_BACK: Final = 20
_CITATION: Final = re.compile(r"\[\d+\]?")
_CONTENT: Final = re.compile(r"\w")
_BLOCK: Final = re.compile(r"\s*(?:#{1,6}\s|[-*+•]\s|\d{1,4}[.)]\s|\||>|\[\^?\d+\]:?\s)")
"""The begin of a line that continues no paragraph."""
_MARKER: Final = re.compile(r"^\s*(?:(?:[-*+•]|\d{1,4}[.)])\s+|>\s?)")
"""What an item of a list or a quotation begins with."""
_HEADING: Final = re.compile(r"\s*(?:#{1,6}\s+(.*?)[\s#]*|\*\*([^*\n]+)\*\*:?\s*)")
_SOURCES: Final = re.compile(
    r"(?:\d{1,2}[.)]?\s+)?(?:references?|sources?|bibliography|works cited|citations?|参考文献|参考资料|引用来源|来源)"
    r"(?:\s+(?:and|&)\s+(?:references?|sources?|bibliography|citations?|further reading|notes|links))?\W*",
    re.IGNORECASE,
)
"""The heading of a list of sources."""
_SOURCE: Final = re.compile(r"\s*(?:[-*+•]\s|\d{1,4}[.)]\s|\[\^?\d+\])")
_FENCE: Final = re.compile(r"\s*+(?:`{3,}[^`]*|~{3,}.*)")
"""The line before a block of code, or after it."""
_LINKED_SOURCE: Final = re.compile(r"\s*(?:[-*+•]\s+)?\[\^?\d+\].{0,2000}?https?://")


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each with the citations that follow it.

    Paragraphs end at empty lines; an item of a list and a row of a table are paragraphs, and so is a block of code.
    Headings, also those of the columns of a table, rules, and entries of a list of sources are no sentences: lines that
    begin with ``[n]`` and have a web address, and items under a heading such as *References*.

    >>> sentences_of("# Aby\\nDr. A. Berg built it in 1702.[1] It\\nstands [2]. Does it?\\n\\n[1] Aby, https://a.example")
    ['Dr. A. Berg built it in 1702.[1]', 'It stands [2].', 'Does it?']
    >>> sentences_of("桥建于1702年。[1]它还在。\\n## Sources\\n- Aby")
    ['桥建于1702年。[1]', '它还在。']
    """
    return [sentence for paragraph in _paragraphs(text) for sentence in _sentences(paragraph)]


def _paragraphs(text: str) -> Iterator[str]:
    lines: list[str] = []
    among_sources = False
    listed = [*text.splitlines(), ""]
    n_rows = 0
    for line, below in zip(listed, [*listed[1:], ""], strict=True):
        n_rows = n_rows + 1 if "|" in line else 0
        is_head = _is_table_rule(below) if n_rows == 1 else n_rows == 2 and _is_table_rule(line)
        if is_head or _FENCE.fullmatch(line):
            line = ""
        heading = _HEADING.fullmatch(line) if len(line) <= LONGEST_HEADING else None
        if heading is not None or not line.strip() or _BLOCK.match(line):
            if lines:
                yield " ".join(lines)
            lines = []
        if heading is not None:
            title = heading[1] or heading[2] or ""
            among_sources = bool(_SOURCES.fullmatch(title.strip()))
            if heading[1] is None and not among_sources:  # a paragraph in bold
                lines = [line.strip()]
        elif line.strip() and not ((among_sources and _SOURCE.match(line)) or _LINKED_SOURCE.match(line)):
            lines.append(_MARKER.sub("", line).strip())


def _is_table_rule(line: str) -> bool:
    """Whether a line is the one below the header of a table: ``|---|:-:|``."""
    return "|" in line and "-" in line and not line.strip("|:- \t")


def _sentences(paragraph: str) -> Iterator[str]:
    begin = 0
    for end in [*_END.finditer(paragraph), None]:
        if end is not None:
            before = paragraph[max(begin, end.start() - _LOOK_BACK) : end.start()]
            rest = paragraph[end.end() : end.end() + _LOOK_BACK].lstrip()
            if rest[:1].islower() or (end[0] == "." and _ABBREVIATION.search(before)):
                continue
        sentence = paragraph[begin : end.end() if end is not None else None].strip()
        begin = end.end() if end is not None else 0
        if _CONTENT.search(_CITATION.sub("", sentence)):
            yield sentence
