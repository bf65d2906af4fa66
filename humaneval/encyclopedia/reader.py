"""The encyclopedia as the reader of participants and graders shows it; nothing is recorded here."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from django.http import Http404, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import gettext, ngettext

from humaneval.encyclopedia.base import (
    MAX_QUERY,
    Addresses,
    Article,
    ArticleNotFoundError,
    EncyclopediaUnavailableError,
    ImageNotFoundError,
    QueryTooLongError,
    Result,
    is_web_address,
)
from humaneval.encyclopedia.bm25 import blocks, ranked
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from humaneval.models import Study, Visit

Kind = Literal["start", "results", "article", "passages", "outside", "missing", "too-long", "away", "none"]

RESULTS_SHOWN: Final = 20
"""Most search results that are shown."""
PASSAGES_SHOWN: Final = 5
LONGEST_ADDRESS: Final = 2000


@dataclass(frozen=True)
class Reading:
    """The reader's content: nothing yet, results, an article, passages of one, or the reason why there is nothing."""

    kind: Kind
    query: str = ""
    hits: tuple[tuple[Result, str], ...] = ()
    """Search results, each with the URL of its article."""
    article: Article | None = None
    article_url: str = ""
    visit: Visit | None = None
    document: str = ""
    """The article as a separate document, for a frame in which no script runs."""
    place: float = 0.0
    """Place where the article was left, as a share of its height, 0 to 1."""
    passages: tuple[dict[str, Any], ...] = ()
    """Passages of the article that fit the query."""
    outside: str = ""
    """A web address outside the encyclopedia."""
    message: str = ""
    """A message shown with the content, or in its place if there is nothing to read."""
    source_url: str = ""
    """The web address of the content, for people who may also read there."""
    again: str = ""
    """The URL to retry the same request."""

    @property
    def title(self) -> str:
        """The page title for the content, also announced when it loads."""
        if self.kind == "results":
            found = {"n": len(self.hits), "query": self.query}
            if len(self.hits) >= RESULTS_SHOWN:
                return gettext("Top %(n)d articles for “%(query)s”") % found
            if not self.hits:
                return gettext("No articles found for “%(query)s”") % found
            return (
                ngettext("%(n)d article found for “%(query)s”", "%(n)d articles found for “%(query)s”", len(self.hits))
                % found
            )
        if self.kind == "passages" and self.article is not None:
            of = {"n": len(self.passages), "title": self.article.title}
            return ngettext("%(n)d passage of %(title)s", "%(n)d passages of %(title)s", len(self.passages)) % of
        if self.article is not None:
            return self.article.title
        return {
            "away": gettext("Encyclopedia unavailable"),
            "missing": gettext("Article not found"),
            "none": gettext("No encyclopedia"),
            "too-long": gettext("Search too long"),
            "outside": gettext("Link to another site"),
        }.get(self.kind, gettext("Encyclopedia"))


def too_long(error: QueryTooLongError) -> Reading:
    """The content in place of results for a query that is too long; the query stays in its field."""
    said = gettext("Your search has %(length)d characters. Shorten it to at most %(most)d.")
    return Reading("too-long", query=error.query, message=said % {"length": len(error.query), "most": MAX_QUERY})


def source_of(study: Study) -> Encyclopedia:
    """The study's encyclopedia, or else the site's.

    Raises:
        EncyclopediaUnavailableError: none is configured, or it cannot be opened.
    """
    return encyclopedia_at(study.encyclopedia)


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
