"""Articles of a MediaWiki, such as Wikipedia, at their revision on a day: https://www.mediawiki.org/wiki/API.

Texts are Markdown, as ``fanoutqa.wiki.wiki_content`` (version 1.1.1) writes them. Needs the package ``markdownify``.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import httpx
from markdownify import MarkdownConverter

from manyhop import __version__
from manyhop.errors import ManyhopError
from manyhop.tasks.questions import TaskError

ATTEMPTS, LONGEST_DELAY = 5, 60.0
MAX_CACHED: Final = 1024
"""The number of articles that a process keeps."""
_BUSY: Final = frozenset({429, 502, 503, 504})


class NoArticleError(ManyhopError):
    """The wiki has no such article on that day."""


class Wikipedia:
    """A wiki's articles.

    :param date: the day of the articles; today's if None.
    :param address: of the wiki's API.
    """

    def __init__(self, date: datetime.date | None, address: str) -> None:
        self._date = date
        self._http = httpx.Client(
            headers={"User-Agent": f"manyhop/{__version__}"}, timeout=httpx.Timeout(60.0, connect=10.0)
        )
        self._address = address
        self.article = lru_cache(MAX_CACHED)(self._article)
        """Title and text of an article, by its title and, if it is known, its revision."""

    def search(self, query: str, limit: int = 10) -> list[str]:
        """The titles of the articles that fit a query best. The wiki searches today's articles."""
        answer = self._ask(action="query", list="search", srsearch=query, srlimit=limit, srnamespace=0)
        return [str(article["title"]) for article in answer["query"]["search"]]

    def evidence(self, articles: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
        """Title and text of a question's evidence, each article once.

        :raises NoArticleError: one is missing.
        """
        named = {(str(article["title"]), article.get("revid")): None for article in articles}
        return [self.article(title, revision if isinstance(revision, int) else None) for title, revision in named]

    def _article(self, title: str, revision: int | None = None) -> tuple[str, str]:
        if revision is None:
            at = f"{self._date.isoformat()}T00:00:00Z" if self._date else None
            answer = self._ask(
                action="query", titles=title, redirects=1, prop="revisions", rvprop="ids", rvlimit=1, rvstart=at
            )
            page = answer["query"]["pages"][0]
            if not page.get("revisions"):
                raise NoArticleError(f"There is no article {title!r}{f' of {self._date}' if self._date else ''}.")
            title, revision = str(page["title"]), int(page["revisions"][0]["revid"])
        parsed = self._ask(action="parse", oldid=revision, prop="text").get("parse")
        if parsed is None:
            raise NoArticleError(f"There is no revision {revision} of the article {title!r}.")
        return title, _Markdown(heading_style="atx").convert(parsed["text"])

    def _ask(self, **parameters: Any) -> Any:
        query = {name: value for name, value in parameters.items() if value is not None}
        for attempt in range(1, ATTEMPTS + 1):
            try:
                response = self._http.get(self._address, params=query | {"format": "json", "formatversion": 2})
            except httpx.TransportError as error:
                if attempt == ATTEMPTS:
                    raise TaskError(f"{self._address} cannot be reached: {error or type(error).__name__}") from error
            else:
                if response.status_code not in _BUSY or attempt == ATTEMPTS:
                    break
                asked = response.headers.get("Retry-After", "")
                time.sleep(min(float(asked) if asked.isdecimal() else 2.0**attempt, LONGEST_DELAY))
        try:
            answer = response.raise_for_status().json()
        except (httpx.HTTPStatusError, ValueError):
            raise TaskError(
                f"{response.url} answered {response.status_code} and not as a MediaWiki's API does; name api.php of a "
                "wiki."
            ) from None
        if parameters["action"] == "query" and "query" not in answer:
            raise TaskError(f"{self._address} refused a request: {str(answer)[:200]}")
        return answer


class _Markdown(MarkdownConverter):  # type: ignore[misc] # it has no annotations
    """The package's own style: no addresses of links and pictures, no scripts."""

    def convert_img(self, el: Any, text: str, convert_as_inline: bool) -> str:
        del text, convert_as_inline
        return f"![{el.attrs.get('alt') or ''}](image)"

    def convert_a(self, el: Any, text: str, convert_as_inline: bool) -> str:
        del el, convert_as_inline
        return text

    def convert_div(self, el: Any, text: str, convert_as_inline: bool) -> str:
        del el, convert_as_inline
        content = text.strip()
        return f"{content}\n" if content else ""

    def convert_script(self, *_: Any) -> str:
        return ""

    convert_style = convert_script
