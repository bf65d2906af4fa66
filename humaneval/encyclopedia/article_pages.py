"""Responses shared by the participants' and the graders' reader: articles, passages, external links, pictures."""

from typing import Final

from django.http import Http404, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from humaneval.encyclopedia.base import (
    Addresses,
    Article,
    ArticleNotFoundError,
    EncyclopediaUnavailableError,
    ImageNotFoundError,
)
from humaneval.encyclopedia.bm25 import blocks, ranked
from humaneval.encyclopedia.reader import Reading
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.titles import is_web_address
from humaneval.models import Visit

PASSAGES_SHOWN: Final = 5
LONGEST_ADDRESS: Final = 2000


def article_reading(
    article: Article,
    at: Addresses,
    *,
    query: str = "",
    visit: Visit | None = None,
    place: float = 0.0,
    source_url: str = "",
    message: str = "",
) -> Reading:
    """An article as a separate document, for a frame in which no script runs."""
    # The HTML is from the encyclopedia's sanitiser; the frame that shows it runs no script in any case.
    context = {"article": article, "html": mark_safe(article.html)}  # noqa: S308
    return Reading(
        "article",
        query=query,
        article=article,
        article_url=at.article(article.path),
        visit=visit,
        document=render_to_string("humaneval/encyclopedia/_article_document.html", context),
        place=place,
        source_url=source_url,
        message=message,
    )


def passages_reading(article: Article, query: str, at: Addresses) -> Reading:
    """The passages of an article that fit a query best, cut as models get them; none without a query."""
    url = at.article(article.path)
    urls = {heading.text: f"{url}#{heading.anchor}" for heading in reversed(article.headings) if heading.anchor}
    passages = []
    for best in ranked(article.text, query, limit=PASSAGES_SHOWN) if query else []:
        parts = blocks(best.text, best.line, goes_on=best.goes_on)
        if parts and parts[0].kind == "heading" and parts[0].lines == (best.heading,):
            parts = parts[1:]
        section = ""
        if parts and parts[-1].kind == "heading" and not best.goes_on:
            section, parts = " · ".join(parts[-1].lines), parts[:-1]
        passages.append(
            {
                "blocks": parts,  # without a heading at the start or end
                "heading": best.heading,
                "number": best.position + 1,
                "url": urls.get(best.heading, url),
                "section": section,  # one that begins with the next passage; mostly empty
                "section_url": urls.get(section, url),
            }
        )
    return Reading("passages", query=query, article=article, article_url=url, passages=tuple(passages))


def outside_reading(to: str, message: str) -> Reading:
    """The target of a link that leaves the encyclopedia, shown before it is followed.

    Raises:
        ArticleNotFoundError: the target is not a web address.
    """
    if not is_web_address(to) or len(to) > LONGEST_ADDRESS:
        raise ArticleNotFoundError
    return Reading("outside", outside=to, message=message)


def picture(source: Encyclopedia, path: str) -> HttpResponse:
    """A picture of an article, if the encyclopedia shows pictures.

    Raises:
        Http404: there is none, or the encyclopedia is unavailable.
    """
    try:
        content, media_type = source.image(path)
    except (EncyclopediaUnavailableError, ImageNotFoundError) as error:
        raise Http404("There is no such image.") from error
    response = HttpResponse(content, content_type=media_type)
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
