"""``data-card.md``: what readers should know about a benchmark's data, as sections of paragraphs and points.

The text before the first heading is the summary; each ``## Heading`` begins a section; lines with ``- `` are points; a
last line ``Source: …`` names the source of a section. ``## Heading {#name}`` names its place in the page's URL. Other
Markdown is shown as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from scoring.benchmarks.base import CardSection, DataCard
from scoring.files.mistakes import CARD, Mistake, decoded

_LOOKS_LIKE: Final = "a summary, then sections that begin with ## and a title"
_ANCHOR: Final = re.compile(r"(.*?)\s*\{#([^}]*)\}")
_ANCHOR_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
RESERVED_ANCHORS: Final = (
    *("announcer", "bibtex", "cite", "content", "example", "example-question", "example-title", "licences", "sources"),
    *("splits", "theme-toggle", "topics"),
)
"""The names of other parts of the page."""
_TODO: Final = re.compile(r"\bTODO\b")


def read_card(data: bytes | None) -> tuple[DataCard, list[Mistake]]:
    """The summary and the sections, and every mistake."""
    if data is None:
        return DataCard("", ()), [Mistake(CARD, 0, "", "no such file", f"the data card: {_LOOKS_LIKE}", "Write it.")]
    mistakes: list[Mistake] = []
    text = decoded(CARD, data, mistakes)
    if text is None:
        return DataCard("", ()), mistakes
    parts: list[tuple[int, str, list[str]]] = [(1, "", [])]
    for number, line in enumerate(text.splitlines(), start=1):
        mark = re.match(r"(#+)\s*(.*?)\s*#*$", line)
        if mark and mark[1] == "##":
            parts.append((number, mark[2], []))
        elif mark and not (mark[1] == "#" and number == 1):
            actual = f"a heading with {len(mark[1])} #"
            mistakes.append(Mistake(CARD, number, "", actual, "## for each section", "Write ## before the title."))
        elif not mark:
            parts[-1][2].append(line)
        if _TODO.search(line):
            mistakes.append(Mistake(CARD, number, "", "the word TODO", "the text itself", "Write the text."))
    (_, _, opening), *rest = parts
    summary = " ".join(" ".join(opening).split())
    if not summary:
        mistakes.append(Mistake(CARD, 1, "", "no text before the first section", "a summary", "Write one sentence."))
    if not rest:
        mistakes.append(Mistake(CARD, 0, "", "no section", "at least one line ## Title with text below"))
    sections: list[CardSection] = []
    slugs: set[str] = set()
    for place, heading, lines in rest:
        named = _ANCHOR.fullmatch(heading)
        title = named[1] if named else heading
        plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        slug = named[2] if named else f"card-{plain}"
        if not plain:
            mistakes.append(Mistake(CARD, place, "", "a heading without a title", "## and a title", "Add the title."))
        elif not _ANCHOR_NAME.fullmatch(slug) or slug in RESERVED_ANCHORS:
            actual, expected = f"the name {slug[:60]!r}", "small letters, digits and hyphens, and no other part's name"
            mistakes.append(Mistake(CARD, place, title, actual, expected, "Choose another name."))
        elif slug in slugs:
            mistakes.append(Mistake(CARD, place, title, "the same title again", "one section per title", "Rename it."))
        elif not any(map(str.strip, lines)):
            mistakes.append(Mistake(CARD, place, title, "a section without text", "text", "Write it, or remove ##."))
        slugs.add(slug)
        paragraphs: list[str] = []
        points: list[str] = []
        source = ""
        for block in _blocks(lines):
            if block.startswith("Source:"):
                source = block.removeprefix("Source:").strip().rstrip(".")
            elif block.startswith(("- ", "* ")):
                points.append(block[2:].strip())
            else:
                paragraphs.append(block)
        sections.append(CardSection(slug, title, tuple(paragraphs), tuple(points), source))
    return DataCard(summary, tuple(sections)), mistakes


def _blocks(lines: list[str]) -> Iterator[str]:
    """Paragraphs and points, each as one line."""
    block: list[str] = []
    for line in [*lines, ""]:
        starts = line.startswith(("- ", "* ", "Source:"))
        if block and (starts or not line.strip()):
            yield " ".join(block)
            block = []
        if line.strip():
            block.append(line.strip() if not starts else line.rstrip())
