"""Articles from a ZIM file, read with libzim: https://openzim.org. No network is needed."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from html import unescape
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from libzim.reader import Archive
from libzim.search import Query, Searcher
from libzim.suggestion import SuggestionSearcher

from humaneval.encyclopedia.base import (
    ArticleNotFoundError,
    EncyclopediaNotConfiguredError,
    EncyclopediaUnavailableError,
    ImageNotFoundError,
    Result,
)
from humaneval.encyclopedia.html.sanitiser import plain
from humaneval.encyclopedia.html.targets import Here, Inner, Outer, Target
from humaneval.encyclopedia.snippets import snippet
from humaneval.encyclopedia.sources.caching import MAX_IMAGE_BYTES, Encyclopedia, RawArticle

HEAD_CHARACTERS: Final = 20_000
TAIL_CHARACTERS: Final = 20_000
MAX_BYTES: Final = 64 * 2**20
"""The size of the largest item that is read."""
MAX_SNIPPET_SOURCE: Final = 200_000
"""Characters of an article's markup that are searched for a snippet."""

_META: Final = re.compile(r"<meta\b[^>]*>", re.IGNORECASE)
_LINK: Final = re.compile(r"<link\b[^>]*>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_PARSOID_REVISION: Final = re.compile(r"Special:Redirect/revision/(\d+)")
_OLDID: Final = re.compile(r"""[?&](?:amp;)?oldid=(\d+)""")
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)</title", re.IGNORECASE)
_PICTURE: Final = re.compile(r"\.(?:png|jpe?g|gif|webp|avif|svg|tiff?|ogg|ogv|webm|mp3|mp4|pdf)$", re.IGNORECASE)
_ODD: Final = re.compile(r":|(?:^|/)\.\.?(?:/|$)")
"""A title that a browser would read as an address with a scheme or with dot segments."""
_FOOTNOTE: Final = re.compile(r"\[\d{1,3}\]")


class ZimEncyclopedia(Encyclopedia):
    """A ZIM file from Kiwix, from the benchmark's authors, or from ``manage.py build_encyclopedia``.

    Searches of one file run one at a time: libzim's searchers are not thread-safe. Reading is.
    """

    def __init__(self, file: Path, *, name: str = "", images: bool = False) -> None:
        try:
            self._archive = Archive(file)
        except RuntimeError as error:
            raise EncyclopediaNotConfiguredError(
                f"The ZIM file of the encyclopedia cannot be opened: {error}"
            ) from error
        title = self._metadata("Title") or self._metadata("Name") or "Encyclopedia"
        super().__init__(name=name or dated_name(title, self._metadata("Date")), images=images)
        self._lock = threading.Lock()
        try:
            self._suggester = SuggestionSearcher(self._archive)
            self._searcher = Searcher(self._archive) if self._archive.has_fulltext_index else None
        except RuntimeError as error:
            raise EncyclopediaNotConfiguredError(f"The ZIM file's index cannot be read: {error}") from error

    @property
    def has_full_text_index(self) -> bool:
        """Whether searches use the full text; otherwise they match titles only."""
        return self._searcher is not None

    def _suggest(self, query: str, limit: int) -> list[Result]:
        titles: dict[str, Result] = {}
        with _readable():
            with self._lock:
                paths = list(self._suggester.suggest(query).getResults(0, 2 * limit))
            for path in paths:
                entry = self._archive.get_entry_by_path(path)
                # A redirect is another title of the same article: one result for both is enough.
                titles.setdefault(entry.get_item().path, Result(entry.title, path))
        return list(titles.values())[:limit]

    def _search(self, query: str, limit: int) -> list[Result]:
        if self._searcher is None:
            return self._suggest(query, limit)
        articles = []
        with _readable():
            with self._lock:
                paths = list(self._searcher.search(Query().set_query(query)).getResults(0, limit))
            for path in paths:
                entry = self._archive.get_entry_by_path(path)
                markup = bytes(entry.get_item().content[: 4 * MAX_SNIPPET_SOURCE]).decode("utf-8", "replace")
                body = max(markup.lower().find("<body"), 0)
                text = _FOOTNOTE.sub("", plain(markup[body : body + MAX_SNIPPET_SOURCE]))
                pieces = snippet(text.removeprefix(entry.title).strip(), query)
                articles.append(Result(entry.title, path, pieces))
        return articles

    def _raw_article(self, path: str) -> RawArticle:
        with _readable():
            # At the path; or with it as the title, if there is no such path.
            for candidate in dict.fromkeys((path, path.replace(" ", "_"), f"A/{path.replace(' ', '_')}")):
                if self._archive.has_entry_by_path(candidate):
                    item = self._archive.get_entry_by_path(candidate).get_item()
                    break
            else:
                if not self._archive.has_entry_by_title(path):
                    raise ArticleNotFoundError(path)
                item = self._archive.get_entry_by_title(path).get_item()
            if not item.mimetype.startswith("text/html") or item.size > MAX_BYTES:
                raise ArticleNotFoundError(path)
            html = bytes(item.content).decode("utf-8", "replace")
            return raw_article(html, path=item.path, title=item.title)

    def _image(self, path: str) -> bytes:
        with _readable():
            if not self._archive.has_entry_by_path(path):
                raise ImageNotFoundError(path)
            item = self._archive.get_entry_by_path(path).get_item()
            if item.size > MAX_IMAGE_BYTES:
                raise ImageNotFoundError(path)
            return bytes(item.content)

    def _link_target(self, address: str, path: str) -> Target | None:
        def has_article(path: str) -> bool:
            if not self._archive.has_entry_by_path(path):
                return False
            return bool(self._archive.get_entry_by_path(path).get_item().mimetype.startswith("text/html"))

        return link_target(address, path, has_article=has_article)

    def _image_path(self, address: str, path: str) -> str | None:
        return image_path(address, path)

    def _metadata(self, name: str) -> str:
        if name not in self._archive.metadata_keys:
            return ""
        return bytes(self._archive.get_metadata(name)).decode("utf-8", "replace").strip()


def raw_article(html: str, *, path: str, title: str) -> RawArticle:
    """An article with the metadata in its markup.

    Page and revision are in Parsoid's head (``mw:pageId``, ``mw:revisionId``, the document's ``about``), which this
    app's builder writes too, or, in Kiwix's files, in the last line, which names the edit that it was made from.
    """
    head, tail = html[:HEAD_CHARACTERS], html[-TAIL_CHARACTERS:]
    metas = [_attributes(match[0]) for match in _META.finditer(head)]
    links = [_attributes(match[0]) for match in _LINK.finditer(head)]
    said = {meta.get("property") or meta.get("name"): meta.get("content", "") for meta in metas}
    revision = said.get("mw:revisionId") or _first(_PARSOID_REVISION, head) or _first(_OLDID, tail)
    addresses = {link.get("rel"): link.get("href", "") for link in links}
    url = addresses.get("canonical") or addresses.get("dc:isVersionOf") or ""
    if url.startswith("//"):
        url = f"https:{url}"
    named = _TITLE.search(head)
    return RawArticle(
        title=title or (unescape(named[1]).strip() if named else "") or path.replace("_", " "),
        path=path,
        html=html,
        page_id=_whole_number(said.get("mw:pageId")),
        revision_id=_whole_number(revision),
        url=url if urlsplit(url).scheme in ("http", "https") else "",
    )


def link_target(address: str, path: str, *, has_article: Callable[[str], bool] = lambda path: False) -> Target | None:
    """The target of a link in the article at a path of a ZIM file.

    Addresses are relative to the article's path, percent-encoded; an address with a host is external. A title can look
    like an address with a scheme, with dot segments or of a picture: *has_article* says whether it is one.
    """
    if address.startswith("#"):
        return Here(unquote(address[1:]))
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.netloc:
        if parts.scheme not in ("http", "https", ""):
            return None
        return Outer(address if parts.scheme else f"https:{address}")
    fragment = unquote(parts.fragment)
    as_written = path[: path.rfind("/") + 1] + unquote(address.partition("#")[0].removeprefix("./"))
    if _ODD.search(as_written) is not None and has_article(as_written):
        inner = as_written
    else:
        relative = None if parts.scheme or not parts.path else _relative(parts.path, path)
        if relative is None or (_PICTURE.search(relative) and not has_article(relative)):
            return None
        inner = relative
    # Parsoid writes the article's own path before an anchor in it.
    return Here(fragment) if inner == path and fragment else Inner(inner, fragment)


def image_path(address: str, path: str) -> str | None:
    """A ZIM file's path of the picture of a ``src``; ``None`` if it is not in the file."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc or not parts.path else _relative(parts.path, path)


def _relative(address: str, path: str) -> str | None:
    """The path that a relative address leads to, as RFC 3986 (5.2.4) has it; ``None`` if it leads out of the file.

    Dot segments count only where they are written plainly: ``a%2F..%2Fb`` is a title.
    """
    resolved = path.split("/")[:-1]
    for segment in address.removeprefix("/").split("/"):
        if segment == "..":
            if not resolved:
                return None
            resolved.pop()
        elif segment != ".":
            resolved.append(unquote(segment))
    return "/".join(resolved) or None


def _attributes(tag: str) -> dict[str, str]:
    return {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(tag)}


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def _whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and 0 < int(text[:19]) < 2**63 else None


def dated_name(title: str, made: str) -> str:
    """The name of an encyclopedia with its date: "Wikipedia of 20 November 2023"."""
    try:
        day = date.fromisoformat(made)
    except ValueError:
        return title
    return f"{title} of {day.day} {day:%B %Y}"


@contextmanager
def _readable() -> Iterator[None]:
    """Treat data that libzim cannot read as an unavailable source."""
    try:
        yield
    except (RuntimeError, KeyError, IndexError, MemoryError) as error:
        raise EncyclopediaUnavailableError(f"The ZIM file cannot be read: {type(error).__name__}") from error
