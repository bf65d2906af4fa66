"""What stands on the reader's side of the desk."""

from dataclasses import dataclass
from typing import Final, Literal

from humaneval.encyclopedia import Encyclopedia, encyclopedia_at
from humaneval.encyclopedia.base import Address, Article, ArticleNotFoundError, Piece
from humaneval.encyclopedia.bm25 import Block
from humaneval.models import Study, Visit

Kind = Literal["start", "results", "article", "passages", "outside", "missing", "away", "none"]

LONGEST_PATH: Final = 1000
RESULTS_SHOWN: Final = 20
"""How many of the articles that a search finds are shown."""


@dataclass(frozen=True)
class Hit:
    """An article that a search found."""

    title: str
    pieces: tuple[Piece, ...]
    url: str


@dataclass(frozen=True)
class Passage:
    """A part of an article that was searched for."""

    blocks: tuple[Block, ...]
    """What is in it, without the heading that it begins with, if it begins with one."""
    heading: str
    """What it stands under; empty before the first heading."""
    number: int
    """The how-manieth part of the article it is, from 1."""
    url: str


@dataclass(frozen=True)
class Reading:
    """What is read: nothing yet, results, an article, passages of one, or why there is nothing to read."""

    kind: Kind
    query: str = ""
    hits: tuple[Hit, ...] = ()
    article: Article | None = None
    article_url: str = ""
    visit: Visit | None = None
    document: str = ""
    """The article as a document of its own, for a frame in which no script runs."""
    passages: tuple[Passage, ...] = ()
    outside: str = ""
    """A web address outside of the encyclopedia."""
    message: str = ""
    """What is said with it, or instead of what volunteers are told where there is nothing to read."""
    source_url: str = ""
    """Where it stands in the web, for who may read there too."""
    again: str = ""
    """Where the same is asked once more."""

    @property
    def title(self) -> str:
        """What the page is called with it, and what is announced when it comes."""
        if self.kind == "results":
            if len(self.hits) >= RESULTS_SHOWN:
                return f"Top {len(self.hits)} articles for “{self.query}”"
            found = f"{len(self.hits) or 'No'} article{'' if len(self.hits) == 1 else 's'}"
            return f"{found} found for “{self.query}”"
        if self.kind == "passages" and self.article is not None:
            return f"{len(self.passages)} passages of {self.article.title}"
        if self.article is not None:
            return self.article.title
        return {
            "away": "Encyclopedia unavailable",
            "missing": "Article not found",
            "none": "No encyclopedia",
            "outside": "Link to another site",
        }.get(self.kind, "Encyclopedia")


def source_of(study: Study) -> Encyclopedia:
    """The encyclopedia of a study, or else the site's.

    Raises:
        EncyclopediaAway: none is configured, or it cannot be opened.
    """
    return encyclopedia_at(study.encyclopedia)


@dataclass(frozen=True)
class Addresses:
    """From a path or an outer address to the address at which somebody reads it."""

    article: Address
    link: Address
    """The same for a link in an article."""
    image: Address
    outside: Address


def find_article(source: Encyclopedia, path: str, at: Addresses) -> Article:
    """An article by its path.

    Raises:
        NoSuchArticle: there is none, or that is no path.
        EncyclopediaAway: the source does not answer.
    """
    if not path or len(path) > LONGEST_PATH:
        raise ArticleNotFoundError
    return source.article(path, link=at.link, image=at.image, external=at.outside)
