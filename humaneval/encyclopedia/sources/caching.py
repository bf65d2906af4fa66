"""The encyclopedia, which each kind of source implements: sanitised articles, and a cache of them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from humaneval.encyclopedia.base import (
    Addresses,
    Article,
    ArticleNotFoundError,
    ImageNotFoundError,
    Result,
    is_text,
    usable_query,
)
from humaneval.encyclopedia.html.sanitiser import Sanitised, sanitise
from humaneval.encyclopedia.html.targets import Target

MAX_CACHED: Final = 40
"""Sanitised articles of a source that one process caches; the one unused for longest is dropped first."""
MAX_PATH: Final = 1000
MAX_RESULTS: Final = 50
MAX_IMAGE_BYTES: Final = 8 * 2**20

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
    (b"ftypavif", 4, "image/avif"),
)


@dataclass(frozen=True)
class RawArticle:
    """An article as the source returns it: nothing in it is trusted."""

    title: str
    path: str
    html: str
    page_id: int | None = None
    revision_id: int | None = None
    url: str = ""


class Encyclopedia(ABC):
    """A source of articles. All methods are thread-safe.

    Each but `name` raises `EncyclopediaUnavailableError` when the source does not answer.
    """

    def __init__(self, *, name: str, images: bool) -> None:
        self._name = name
        self._images = images
        """Whether articles have pictures, fetched by `image`."""
        self._cached = lru_cache(MAX_CACHED)(self._sanitised)

    @property
    def name(self) -> str:
        """The name that participants see, such as "Wikipedia of 20 November 2023"."""
        return self._name

    def suggest(self, query: str, limit: int = 8) -> list[Result]:
        """Title suggestions for the typed text, best first; none for an empty query."""
        query = usable_query(query)
        return self._suggest(query, min(limit, MAX_RESULTS)) if query and limit > 0 else []

    def search(self, query: str, limit: int = 20) -> list[Result]:
        """Articles that contain the words of the query, best first; none for an empty query."""
        query = usable_query(query)
        return self._search(query, min(limit, MAX_RESULTS)) if query and limit > 0 else []

    def article(self, path: str, at: Addresses) -> Article:
        """One article, after redirects, with the addresses of a page.

        Links to articles also have the article's path as ``data-article``; those that lead out of the encyclopedia have
        ``data-external`` and ``rel="noopener noreferrer nofollow"``.

        Raises:
            ArticleNotFoundError: there is no such article, or the path is invalid.
        """
        if not _is_usable(path):
            raise ArticleNotFoundError(path)
        raw, sanitised = self._cached(path)
        return Article(
            title=raw.title,
            path=raw.path,
            html=sanitised.html(at),
            headings=sanitised.headings,
            text=sanitised.text,
            page_id=raw.page_id,
            revision_id=raw.revision_id,
            url=raw.url,
            cut=sanitised.cut,
        )

    def image(self, path: str) -> tuple[bytes, str]:
        """A picture's bytes and its media type, detected from the bytes: PNG, JPEG, GIF, WebP or AVIF.

        Raises:
            ImageNotFoundError: there is none, it is of another type or too large, or pictures are disabled.
        """
        if not self._images or not _is_usable(path):
            raise ImageNotFoundError(path)
        content = self._image(path)
        if len(content) > MAX_IMAGE_BYTES:
            raise ImageNotFoundError(path)
        for signature, offset, media_type in _SIGNATURES:
            if content.startswith(signature, offset):
                return content, media_type
        raise ImageNotFoundError(path)

    # --- Implemented by each source --------------------------------------------------------------------------------

    @abstractmethod
    def _suggest(self, query: str, limit: int) -> list[Result]: ...

    @abstractmethod
    def _search(self, query: str, limit: int) -> list[Result]: ...

    @abstractmethod
    def _raw_article(self, path: str) -> RawArticle:
        """Raises `ArticleNotFoundError`."""

    @abstractmethod
    def _link_target(self, address: str, path: str) -> Target | None:
        """The target of an ``href`` in the article at a path; ``None`` if it has none that can be shown."""

    def _image(self, path: str) -> bytes:
        """Raises `ImageNotFoundError`, and always in a source without pictures."""
        raise ImageNotFoundError(path)

    def _image_path(self, address: str, path: str) -> str | None:
        """The source's path of the picture of a ``src`` in the article at a path."""
        return None

    def _sanitised(self, path: str) -> tuple[RawArticle, Sanitised]:
        """The article at a path: as the source returns it, but without its HTML, and sanitised."""
        raw = self._raw_article(path)
        sanitised = sanitise(
            raw.html,
            title=raw.title,
            link_target=lambda address: self._link_target(address, raw.path),
            image_path=lambda address: self._image_path(address, raw.path) if self._images else None,
        )
        return replace(raw, html=""), sanitised


def _is_usable(path: str) -> bool:
    return 0 < len(path) <= MAX_PATH and all(map(is_text, path))
