"""The encyclopedia that volunteers read, behind one small interface: a ZIM file, a kiwix-serve, or a MediaWiki."""

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
from humaneval.encyclopedia.sources.urls import encyclopedia_at

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
