"""Build a small encyclopedia from published sub-questions: for the demo, and for sites without a copy of Wikipedia."""

import datetime
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from humaneval.encyclopedia.zim_writer import NewArticle, build, path_of
from scoring.benchmarks.base import BenchmarkDefinition, EvidenceArticle

INTRODUCTION: Final = (
    "<p>This page is a placeholder for the encyclopedia article with this title. It contains only the "
    "facts that the benchmark’s questions need.</p>"
)
_QUALIFIER: Final = re.compile(r" \([^()]*\)$")


def build_stand_ins(file: Path, definition: BenchmarkDefinition) -> int:
    """Write the encyclopedia of a benchmark's published questions as a ZIM file, and return how many articles it has.

    Raises:
        SourceError: the benchmark's files cannot be read.
        ValueError: the benchmark has no such articles.
        OSError: the file cannot be written.
    """
    if definition.importer.demo_articles is None:
        raise ValueError(f"{definition.name} does not define the evidence articles of its questions.")
    articles = definition.importer.demo_articles()
    dates = [split.date for split in definition.packaged().values()]
    return build(
        file,
        new_articles(articles),
        title=f"Small encyclopedia for {definition.name}",
        made=max(dates) if dates else datetime.datetime.now(tz=datetime.UTC).date(),
        description="Facts from the evidence articles of the published questions",
        redirects=_short_titles(articles),
    )


def new_articles(articles: tuple[EvidenceArticle, ...]) -> Iterator[NewArticle]:
    """Each article as a page: a heading per question, its answer as text, list or table, and links where titles
    match."""
    titles = {article.title.casefold(): article.title for article in articles}
    titles |= {short.casefold(): title for short, title in _short_titles(articles).items()}
    for article in articles:
        parts = [INTRODUCTION]
        parts += (_fact(*fact, titles, article.title) for fact in article.facts.items())
        if article.see_also:
            items = "".join(f"<li>{_linked(title, titles, article.title)}</li>" for title in article.see_also)
            parts.append(f"<h2>See also</h2><ul>{items}</ul>")
        yield NewArticle(article.title, "".join(parts), article.page_id, article.revision_id, article.url)


def _short_titles(articles: tuple[EvidenceArticle, ...]) -> dict[str, str]:
    """Titles without the part in brackets at their end, if only one article has that name."""
    full = {article.title for article in articles}
    short: dict[str, set[str]] = {}
    for title in full:
        short.setdefault(_QUALIFIER.sub("", title), set()).add(title)
    return {name: min(owners) for name, owners in sorted(short.items()) if len(owners) == 1 and name not in full}


def _fact(question: str, answer: Sequence[tuple[str, ...]], titles: Mapping[str, str], own: str) -> str:
    heading = f"<h2>{html.escape(question)}</h2>"
    rows = [[_linked(cell, titles, own) for cell in row] for row in answer]
    if len(rows) == 1 and len(rows[0]) == 1:
        return f"{heading}<p>{rows[0][0]}</p>"
    if all(len(row) == 1 for row in rows):
        return f"{heading}<ul>{''.join(f'<li>{row[0]}</li>' for row in rows)}</ul>"
    lines = (f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows)
    return f'{heading}<table class="wikitable">{"".join(lines)}</table>'


def _linked(text: str, titles: Mapping[str, str], own: str) -> str:
    title = titles.get(text.casefold())
    if title is None or title == own:
        return html.escape(text)
    # The path of an article may contain slashes: its relative addresses first go up to the root.
    up = "../" * path_of(own).count("/") or "./"
    return f'<a href="{up}{quote(path_of(title), safe="/")}">{html.escape(text)}</a>'
