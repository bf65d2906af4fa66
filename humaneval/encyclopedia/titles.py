"""Web addresses of articles, and the titles in them."""

from urllib.parse import unquote, urlsplit

from humaneval.encyclopedia.base import is_text


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
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
