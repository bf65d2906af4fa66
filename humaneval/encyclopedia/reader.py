"""The encyclopedia of a study as its reader side shows it; nothing is recorded here."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from django.utils.translation import gettext, ngettext

from humaneval.encyclopedia import Encyclopedia, encyclopedia_at
from humaneval.encyclopedia.base import MAX_QUERY, Article, QueryTooLongError, Result
from humaneval.models import Study, Visit

Kind = Literal["start", "results", "article", "passages", "outside", "missing", "too-long", "away", "none"]

RESULTS_SHOWN: Final = 20
"""Most search results that are shown."""


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
