"""The encyclopedia that participants read, behind one interface: a ZIM file or a MediaWiki."""

from humaneval.encyclopedia.base import (
    Article,
    ArticleNotFoundError,
    EncyclopediaNotConfiguredError,
    EncyclopediaUnavailableError,
    Heading,
    ImageNotFoundError,
    Result,
)
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.urls import encyclopedia_at

__all__ = [
    "Article",
    "ArticleNotFoundError",
    "Encyclopedia",
    "EncyclopediaNotConfiguredError",
    "EncyclopediaUnavailableError",
    "Heading",
    "ImageNotFoundError",
    "Result",
    "encyclopedia_at",
]
