"""The encyclopedia that volunteers read, behind one small interface: a ZIM file, a kiwix-serve, or a MediaWiki."""

from humaneval.encyclopedia.addresses import encyclopedia_at
from humaneval.encyclopedia.base import (
    Article,
    Encyclopedia,
    EncyclopediaAway,
    EncyclopediaNotConfigured,
    Heading,
    NoSuchArticle,
    NoSuchImage,
    Piece,
    Result,
    Suggestion,
)

__all__ = [
    "Article",
    "Encyclopedia",
    "EncyclopediaAway",
    "EncyclopediaNotConfigured",
    "Heading",
    "NoSuchArticle",
    "NoSuchImage",
    "Piece",
    "Result",
    "Suggestion",
    "encyclopedia_at",
]
