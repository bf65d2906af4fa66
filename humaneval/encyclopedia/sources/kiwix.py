"""Articles from a kiwix-serve: https://kiwix-tools.readthedocs.io, versions 3.3 to 3.7."""

import json
import re
from html import unescape
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from humaneval.encyclopedia.base import (
    ArticleNotFoundError,
    EncyclopediaNotConfiguredError,
    EncyclopediaUnavailableError,
    ImageNotFoundError,
    Result,
)
from humaneval.encyclopedia.html.sanitiser import plain
from humaneval.encyclopedia.snippets import snippet
from humaneval.encyclopedia.sources.caching import Encyclopedia, RawArticle
from humaneval.encyclopedia.sources.http import QUICK_SECONDS, Answer, Server
from humaneval.encyclopedia.sources.zim import dated_name, image_path, link_target, raw_article

_ENTRY: Final = re.compile(r"<entry>(.*?)</entry>", re.DOTALL)
_BOOK: Final = re.compile(r'<link\b[^>]*\btype="text/html"[^>]*\bhref="([^"]+)"')
_ITEM: Final = re.compile(r"<item>(.*?)</item>", re.DOTALL)


class KiwixEncyclopedia(Encyclopedia):
    """One book of a kiwix-serve; the only one, if none is named.

    Articles are fetched as stored in the ZIM file (``/raw/``), without the page that kiwix-serve adds around them.
    """

    def __init__(self, address: str, *, book: str = "", name: str = "", images: bool = False) -> None:
        super().__init__(name=name, images=images)
        self._server = Server(address)
        self._book = book

    @property
    def name(self) -> str:
        """The name that participants see: from the catalogue, if the server answers."""
        if not self._name:
            try:
                self._find_book()
            except EncyclopediaUnavailableError:
                return "Encyclopedia"
        return self._name

    def _suggest(self, query: str, limit: int) -> list[Result]:
        parameters: dict[str, str | int] = {"content": self._find_book(), "term": query, "count": limit}
        answer = self._server.get(f"{self._server.path}/suggest", parameters, seconds=QUICK_SECONDS)
        _require_ok(answer)
        try:
            items = [item for item in json.loads(answer.text) if item.get("kind") == "path"]
            return [Result(unescape(str(item["value"])), unescape(str(item["path"]))) for item in items[:limit]]
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            raise EncyclopediaUnavailableError("kiwix-serve sent a response in an unknown format.") from error

    def _search(self, query: str, limit: int) -> list[Result]:
        parameters: dict[str, str | int] = {
            "content": self._find_book(),
            "pattern": query,
            "start": 0,
            "pageLength": limit,
            "format": "xml",
        }
        answer = self._server.get(f"{self._server.path}/search", parameters)
        if answer.status == 404:  # the book has no index of the full text
            return self._suggest(query, limit)
        if answer.status == 400:  # the query has no searchable words
            return []
        _require_ok(answer)
        results = []
        for item in _ITEM.findall(answer.text):
            path = self._path_in(unescape(_element(item, "link")))
            if path is not None:
                text = plain(unescape(_element(item, "description")))
                results.append(Result(unescape(_element(item, "title")), path, snippet(text, query)))
        return results[:limit]

    def _raw_article(self, path: str) -> RawArticle:
        answer = self._raw(path)
        if answer.status == 404 or answer.media_type != "text/html":
            raise ArticleNotFoundError(path)
        _require_ok(answer)
        return raw_article(answer.text, path=self._path_in(answer.path) or path, title="")

    def _image(self, path: str) -> bytes:
        answer = self._raw(path)
        if answer.status == 404:
            raise ImageNotFoundError(path)
        _require_ok(answer)
        return answer.content

    _link_target = staticmethod(link_target)
    _image_path = staticmethod(image_path)

    # --- The server ------------------------------------------------------------------------------------------------

    def _raw(self, path: str) -> Answer:
        """The file's content at a path. A redirect leads to a page with a frame around it, which is not used."""
        if not {".", ".."}.isdisjoint(path.split("/")):
            return Answer(404, "", b"", "")  # on its way to the server it would become another address
        book = quote(self._find_book(), safe="")
        answer = self._server.get(f"{self._server.path}/raw/{book}/content/{quote(path, safe='/')}")
        actual = self._path_in(answer.path)
        if answer.status == 200 and "/raw/" not in answer.path and actual is not None:
            answer = self._server.get(f"{self._server.path}/raw/{book}/content/{quote(actual, safe='/')}")
        return answer

    def _path_in(self, address: str) -> str | None:
        """The file's path for an address of the server; ``None`` if the address is not of the book."""
        path = unquote(urlsplit(address).path)
        root = unquote(self._server.path)
        for begin in (f"/raw/{self._book}/content/", f"/content/{self._book}/", f"/{self._book}/"):
            if path.startswith(root + begin):
                return path[len(root + begin) :] or None
        return None

    def _find_book(self) -> str:
        """The book to read; requests the catalogue once."""
        if self._book and self._name:
            return self._book
        answer = self._server.get(f"{self._server.path}/catalog/v2/entries", {"count": 100})
        _require_ok(answer)
        books: dict[str, str] = {}
        for entry in _ENTRY.findall(answer.text):
            link = _BOOK.search(entry)
            if link is not None:
                name = unquote(unescape(link[1])).rstrip("/").rpartition("/")[2]
                made = _element(entry, "dc:issued") or _element(entry, "updated")
                books[name] = dated_name(unescape(_element(entry, "title")) or name, made[:10])
        if self._book and self._book not in books:
            raise EncyclopediaNotConfiguredError(
                f"kiwix-serve has no book {self._book}. Available books: {', '.join(sorted(books)) or 'none'}."
            )
        if not self._book and len(books) != 1:
            raise EncyclopediaNotConfiguredError(
                f"Name the kiwix-serve book after #, as in #book={min(books, default='name')}. Available books: "
                f"{', '.join(sorted(books)) or 'none'}."
            )
        book = self._book or next(iter(books))
        self._name = self._name or books[book]
        self._book = book
        return book


def _require_ok(answer: Answer) -> None:
    if answer.status != 200:
        raise EncyclopediaUnavailableError(f"kiwix-serve responded with status {answer.status}.")


def _element(markup: str, name: str) -> str:
    match = re.search(rf"<{name}(?:\s[^>]*)?>(.*?)</{name}>", markup, re.DOTALL)
    return match[1].strip() if match else ""
