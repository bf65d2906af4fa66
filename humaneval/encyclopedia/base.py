"""Results and articles of an encyclopedia, safe to show; and the queries that it accepts."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from scoring.analysis.explanations import Piece

MAX_QUERY = 300
"""Most characters of a query."""

_OPERATOR: Final = re.compile(r"\b(?:AND|OR|NOT|XOR|NEAR|ADJ)\b")
"""Xapian's operators, which it reads in capitals only; MediaWiki's search knows the first three."""

Address = Callable[[str], str]
"""Maps the source's path of an article or a picture, or an external address, to the URL in the page."""


class EncyclopediaUnavailableError(Exception):
    """The source does not answer now; the message says why, without the query or the article."""


class EncyclopediaNotConfiguredError(ImproperlyConfigured, EncyclopediaUnavailableError):
    """The address of the encyclopedia is missing or wrong, or nothing usable is there; the message says which."""


class QueryTooLongError(Exception):
    """A typed query has more than `MAX_QUERY` characters."""

    def __init__(self, query: str) -> None:
        super().__init__(f"a query of {len(query)} characters")
        self.query = query
        """As typed."""


class ArticleNotFoundError(Exception):
    """The encyclopedia has no article at that path."""


class ImageNotFoundError(Exception):
    """The encyclopedia has no picture at that path that may be shown."""


@dataclass(frozen=True)
class Addresses:
    """Addresses at which a page of this site shows what an article leads to."""

    article: Address
    link: Address
    """Maps the target of a link inside an article, so that the visit log knows that a link was followed."""
    image: Address
    """Maps a picture; called only if pictures are shown."""
    outside: Address
    """Maps an ``http`` or ``https`` address outside the encyclopedia."""


@dataclass(frozen=True)
class Result:
    """A search result: an article, with the matching text as pieces of plain text, of which those that match the query
    are marked; of a suggestion, with none."""

    title: str
    path: str
    pieces: tuple[Piece, ...] = ()


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

    ``html`` is sanitised: it has no script, style, form, frame, event handler or external picture, only this site's
    classes, and every ``id`` begins with ``s-``. Its headings begin at ``<h3>``, below the page's headings. ``page_id``
    and ``revision_id`` are MediaWiki's, if the source knows them.
    """

    title: str
    path: str
    """The source's path of the article, after redirects."""
    html: str
    headings: tuple[Heading, ...]
    text: str
    """The article as plain text: paragraphs separated by empty lines, headings as ``## …``, no references."""
    page_id: int | None
    revision_id: int | None
    url: str
    """The article's web address; empty if the source does not provide it."""
    cut: bool = False
    """Whether the article was too long and its end is missing."""


def is_text(character: str) -> bool:
    """Whether a title can have this character: any but control characters and surrogates. Titles have joiners (Persian,
    Sinhala, emoji of families), no-break spaces and soft hyphens, which ``str.isprintable`` refuses.

    >>> [is_text(character) for character in ("a", "\u200d", "\u00a0", "\u00ad", "\n", "\ud800")]
    [True, True, True, True, False, False]
    """
    return unicodedata.category(character) not in ("Cc", "Cs")


def title_in(url: str) -> str:
    """The title at the end of a wiki address; else its host.

    >>> title_in("https://en.wikipedia.org/wiki/Mount_Everest#Name"), title_in("https://example.org/")
    ('Mount Everest', 'example.org')
    """
    parts = urlsplit(url)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2]).replace("_", " ").strip()
    return (last if last and all(map(is_text, last)) else parts.hostname or url)[:500]


def is_web_address(url: str) -> bool:
    """Whether a text is an ``http`` or ``https`` address with a host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def usable_query(query: str) -> str:
    """A query as sources accept it: no control characters, no surrogates, single spaces, `MAX_QUERY` characters, and no
    operators of a search engine: who writes AND looks for that word.

    >>> usable_query(" ROCK  AND\u00a0ROLL\n"), usable_query("NOT in ANDORRA")
    ('ROCK and ROLL', 'not in ANDORRA')
    """
    text = "".join(character if is_text(character) else " " for character in query[: 4 * MAX_QUERY])
    words = " ".join(text.split())[:MAX_QUERY].strip()
    return _OPERATOR.sub(lambda match: match[0].lower(), words)


def typed_query(query: str) -> str:
    """A query that a person typed, as sources accept it (`usable_query`).

    Raises:
        QueryTooLongError: it is longer than `MAX_QUERY`: a person is told so, and nothing is cut.
    """
    if len(query) > MAX_QUERY:
        raise QueryTooLongError(query)
    return usable_query(query)
