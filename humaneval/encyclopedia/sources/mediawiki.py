"""Articles from a MediaWiki, each at its revision on a given day: https://www.mediawiki.org/wiki/API.

The wiki's search and suggestions use today's articles; an article that did not exist on the day is not shown. Templates
are expanded as they are today: MediaWiki stores no older state of an expanded page.
"""

import datetime
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from humaneval.encyclopedia.base import (
    ArticleNotFoundError,
    EncyclopediaUnavailableError,
    Result,
)
from humaneval.encyclopedia.html.sanitiser import plain
from humaneval.encyclopedia.html.targets import Here, Inner, Outer, Target
from humaneval.encyclopedia.sources.caching import Encyclopedia, RawArticle
from humaneval.encyclopedia.sources.http import QUICK_SECONDS, SECONDS, Server
from scoring.analysis.explanations import Piece

MAX_REDIRECTS: Final = 3

_REDIRECT: Final = re.compile(r'class="redirectMsg".*?<a\s[^>]*href="([^"]+)"', re.DOTALL)
_FOUND: Final = re.compile(r'<span class="searchmatch">(.*?)</span>', re.DOTALL)
_OTHER_NAMESPACES: Final = frozenset(
    {
        *("book", "category", "draft", "education program", "file", "gadget", "help", "image", "media", "mediawiki"),
        *("module", "portal", "project", "special", "talk", "template", "timedtext", "topic", "user", "wikipedia"),
    }
)
_NO_ARTICLE: Final = frozenset({"invalidtitle", "missingtitle", "nosuchrevid", "nosuchpageid", "pagecannotexist"})


class MediaWikiEncyclopedia(Encyclopedia):
    """A MediaWiki by its API. Pictures are not shown: they are on other servers."""

    def __init__(self, address: str, *, date: datetime.date, name: str = "") -> None:
        self._server = Server(address)
        parts = urlsplit(address)
        super().__init__(name=name or f"{parts.hostname}, as of {date.day} {date:%B %Y}", images=False)
        self._host = parts.netloc
        self._date = date
        self._prefix = "/wiki/"
        """The prefix of article addresses; learned from the first article."""

    def _suggest(self, query: str, limit: int) -> list[Result]:
        answer = self._ask(
            {"action": "query", "list": "prefixsearch", "pssearch": query, "pslimit": limit, "psnamespace": 0},
            seconds=QUICK_SECONDS,
        )
        return [Result(title, _path(title)) for title in _titles(answer, "prefixsearch")[:limit]]

    def _search(self, query: str, limit: int) -> list[Result]:
        answer = self._ask(
            {
                "action": "query",
                "list": "search",
                "srsearch": query,
                "srlimit": limit,
                "srnamespace": 0,
                "srprop": "snippet",
                "srinfo": "",
            }
        )
        titles = _titles(answer, "search")
        with _readable():
            snippets = [str(item.get("snippet") or "") for item in answer["query"]["search"]]
        results = zip(titles[:limit], snippets[:limit], strict=True)
        return [Result(title, _path(title), _pieces(markup)) for title, markup in results]

    def _raw_article(self, path: str) -> RawArticle:
        title = path.replace("_", " ").strip()
        for _ in range(MAX_REDIRECTS + 1):
            article = self._at_revision(title, path)
            redirect = _REDIRECT.search(article.html[:5000])
            if redirect is None:
                return article
            target = self._link_target(redirect[1], article.path)
            if not isinstance(target, Inner):
                break
            title = target.path.replace("_", " ")
        raise ArticleNotFoundError(path)

    def _at_revision(self, title: str, path: str) -> RawArticle:
        answer = self._ask(
            {
                "action": "query",
                "titles": title,
                "redirects": 1,
                "prop": "revisions|info",
                "inprop": "url",
                "rvprop": "ids",
                "rvlimit": 1,
                "rvdir": "older",
                "rvstart": f"{self._date.isoformat()}T00:00:00Z",
            }
        )
        with _readable():
            page = (answer.get("query", {}).get("pages") or [{}])[0]
            revisions = page.get("revisions")
            if page.get("ns") != 0 or not revisions:
                raise ArticleNotFoundError(path)
            title, page_id, revision = str(page["title"]), int(page["pageid"]), int(revisions[0]["revid"])
            url = str(page.get("canonicalurl") or page.get("fullurl") or "")
        article_path = unquote(urlsplit(url).path)
        if article_path.endswith(_path(title)):
            self._prefix = article_path.removesuffix(_path(title)) or self._prefix
        parsed = self._ask(
            {
                "action": "parse",
                "oldid": revision,
                "prop": "text",
                "disableeditsection": 1,
                "disabletoc": 1,
                "disablelimitreport": 1,
            }
        )
        with _readable():
            html = parsed["parse"]["text"]
            if not isinstance(html, str):
                raise TypeError
        return RawArticle(title, _path(title), html, page_id, revision, url if url.startswith("http") else "")

    def _link_target(self, address: str, path: str) -> Target | None:
        if address.startswith("#"):
            return Here(unquote(address[1:]))
        try:
            parts = urlsplit(address)
            same = not parts.netloc or parts.netloc == self._host
        except ValueError:
            return None
        if same and parts.scheme in ("", "http", "https"):
            title = unquote(parts.path)
            if parts.query or not title.startswith(self._prefix):
                return None  # an edit link, or a missing page
            title = title.removeprefix(self._prefix)
            namespace = title.partition(":")[0].replace("_", " ").lower() if ":" in title else ""
            if not title or namespace.removesuffix(" talk") in _OTHER_NAMESPACES:
                return None
            fragment = unquote(parts.fragment)
            return Here(fragment) if title == path and fragment else Inner(title, fragment)
        if parts.scheme in ("http", "https"):
            return Outer(address)
        return Outer(f"https:{address}") if parts.netloc and not parts.scheme else None

    # --- The API ---------------------------------------------------------------------------------------------------

    def _ask(self, parameters: dict[str, str | int], *, seconds: float = SECONDS) -> dict[str, Any]:
        fixed: dict[str, str | int] = {"format": "json", "formatversion": 2, "errorformat": "plaintext"}
        text = self._server.get(parameters | fixed, seconds=seconds)
        with _readable():
            document = json.loads(text)
            if not isinstance(document, dict):
                raise TypeError
        errors = document.get("errors")
        if errors:
            code = str(errors[0].get("code", "")) if isinstance(errors, list) and isinstance(errors[0], dict) else ""
            if code in _NO_ARTICLE:
                raise ArticleNotFoundError(code)
            raise EncyclopediaUnavailableError(f"MediaWiki responded with an error ({code[:40]}).")
        return document


def _titles(answer: dict[str, Any], name: str) -> list[str]:
    with _readable():
        return [str(item["title"]) for item in answer["query"][name]]


def _path(title: str) -> str:
    return title.replace(" ", "_")


def _pieces(markup: str) -> tuple[Piece, ...]:
    """A snippet from MediaWiki: text with the matches in ``<span class="searchmatch">``."""
    pieces = []
    for number, part in enumerate(_FOUND.split(markup)):
        text = plain(part)
        # `plain` strips the markup between the pieces.
        before = " " if part[:1].isspace() else ""
        after = " " if part[-1:].isspace() and text else ""
        if text or before:
            pieces.append(Piece(f"{before}{text}{after}", marked=number % 2 == 1))
    return tuple(pieces)


@contextmanager
def _readable() -> Iterator[None]:
    """Treat a response that does not match the documentation as an unavailable source."""
    try:
        yield
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise EncyclopediaUnavailableError("MediaWiki sent a response in an unknown format.") from error
