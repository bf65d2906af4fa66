"""What an encyclopedia is to the rest of the site: suggestions, a search, articles that are safe to show, pictures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

MAX_QUERY = 300
"""Characters of a query that are looked at; what is beyond is left out."""

Address = Callable[[str], str]
"""From what the source calls an article or a picture, or from an outer address, to the address that a page links to."""


class EncyclopediaUnavailableError(Exception):
    """The source does not answer now; the text says why, without the query or the article that was asked for."""


class EncyclopediaNotConfiguredError(ImproperlyConfigured, EncyclopediaUnavailableError):
    """The address of the encyclopedia is missing or wrong, or nothing usable is there; the text says what."""


class ArticleNotFoundError(Exception):
    """The encyclopedia has no article of that path."""


class ImageNotFoundError(Exception):
    """The encyclopedia has no picture of that path that may be shown."""


@dataclass(frozen=True)
class Suggestion:
    """A title that begins like, or holds, what was typed."""

    title: str
    path: str


@dataclass(frozen=True)
class Piece:
    """A part of a snippet; ``found``: it is what was searched for."""

    text: str
    found: bool = False


@dataclass(frozen=True)
class Result:
    """An article that a search found, with the place in it as pieces of plain text."""

    title: str
    path: str
    pieces: tuple[Piece, ...] = ()

    @property
    def snippet(self) -> str:
        """The place as one plain text."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True)
class Heading:
    """A heading of an article. ``level`` is 2 for a section, 3 for one inside it, and so on, to 6."""

    level: int
    text: str
    anchor: str
    """The ``id`` of the heading in the article's HTML."""


@dataclass(frozen=True)
class Article:
    """An article, safe to show.

    ``html`` is sanitised: no script, style, form, frame, event handler or outer picture is in it, classes are those of
    this site alone, and every ``id`` begins with ``s-``. Its headings begin at ``<h3>``, to stand below the page's own.
    ``page_id`` and ``revision_id`` are MediaWiki's, where the source knows them.
    """

    title: str
    path: str
    """What the source calls it, after redirects."""
    html: str
    headings: tuple[Heading, ...]
    text: str
    """The same as plain text: paragraphs with empty lines between, headings as ``## …``, no references."""
    page_id: int | None
    revision_id: int | None
    url: str
    """Where the article stands in the web; empty if the source does not say."""
    cut: bool = False
    """Whether it was too long and its end is missing."""


def in_reader(path: str) -> str:
    """The address of an article where none is made by the page: relative, by the parameter ``path``."""
    return f"?path={quote(path, safe='')}"


def as_picture(path: str) -> str:
    """The address of a picture where none is made by the page: relative, by the parameter ``image``."""
    return f"?image={quote(path, safe='')}"


def as_it_is(url: str) -> str:
    """An outer address as it stands."""
    return url


class Encyclopedia(Protocol):
    """A source of articles. All methods may be called from several threads at once.

    Each but `name` and `has_images` raises `EncyclopediaUnavailableError` when the source does not answer.
    """

    @property
    def name(self) -> str:
        """What participants are told it is, such as "Wikipedia of 20 November 2023"."""

    @property
    def has_images(self) -> bool:
        """Whether articles come with pictures, fetched by `image`."""

    def suggest(self, query: str, limit: int = 8) -> list[Suggestion]:
        """Titles for what is being typed, best first; none for an empty query."""

    def search(self, query: str, limit: int = 20) -> list[Result]:
        """Articles that hold the words of the query, best first; none for an empty query."""

    def article(
        self, path: str, *, link: Address = in_reader, image: Address = as_picture, external: Address = as_it_is
    ) -> Article:
        """One article, redirects followed.

        Args:
            link: the address of an article in the reader; such links also carry its path as ``data-article``.
            image: the address of a picture, asked for only where `has_images`.
            external: the address that stands for an ``http`` or ``https`` address outside of the encyclopedia; such
                links also carry ``data-external`` and ``rel="noopener noreferrer nofollow"``.

        Raises:
            NoSuchArticle: there is none.
        """

    def image(self, path: str) -> tuple[bytes, str]:
        """A picture's bytes and its media type, which is one of PNG, JPEG, GIF, WebP or AVIF.

        Raises:
            NoSuchImage: there is none, it is of another type or too large, or pictures are not to be shown.
        """


def usable_query(query: str) -> str:
    """A query as sources take it: no control characters, no surrogates, single spaces, `MAX_QUERY` characters."""
    printable = (character if character.isprintable() else " " for character in query[: 4 * MAX_QUERY])
    return " ".join("".join(printable).split())[:MAX_QUERY].strip()
