"""The encyclopedia that participants read, behind one interface: a ZIM file or a MediaWiki.

Enters: the address of a source, a title or a query. Leaves: articles as safe HTML with their headings and plain text,
search results, passages and images.
"""

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
