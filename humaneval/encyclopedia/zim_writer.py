"""Write a small ZIM file of articles: for the demo, for tests, for trying the reader without Wikipedia."""

import contextlib
import html
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from libzim.writer import Compression, Creator, Hint, Item, StringProvider


@dataclass(frozen=True)
class NewArticle:
    """An article to write; ``body`` is HTML, with links relative to the paths of others."""

    title: str
    body: str
    page_id: int | None = None
    revision_id: int | None = None
    url: str = ""

    @property
    def path(self) -> str:
        return path_of(self.title)

    @property
    def document(self) -> str:
        """The whole page, with the metadata that Parsoid writes into its head: page, revision and address."""
        head = [f"<title>{html.escape(self.title)}</title>"]
        if self.page_id is not None:
            head.append(f'<meta property="mw:pageId" content="{self.page_id}">')
        if self.revision_id is not None:
            head.append(f'<meta property="mw:revisionId" content="{self.revision_id}">')
        if self.url:
            head.append(f'<link rel="canonical" href="{html.escape(self.url)}">')
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">{"".join(head)}</head>'
            f"<body><h1>{html.escape(self.title)}</h1>{self.body}</body></html>"
        )


def path_of(title: str) -> str:
    """The file's path of the article with a title."""
    return title.replace(" ", "_")


def build(
    file: Path,
    articles: Iterable[NewArticle],
    *,
    title: str,
    made: date,
    description: str = "",
    redirects: Mapping[str, str] | None = None,
    images: Iterable[tuple[str, bytes, str]] = (),
) -> int:
    """Write a ZIM file with an index of titles and of the full text; the file replaces the old one when complete.

    Args:
        articles: if a title is repeated, only the first article is used.
        title: the name that participants see, together with the date.
        redirects: further titles, each with the title of the article that it leads to.
        images: pictures: the path, the content and the media type of each.

    Returns:
        The number of articles.

    Raises:
        OSError: the file cannot be written.
        ValueError: there is no article, or a redirect's article is missing.
    """
    by_path: dict[str, NewArticle] = {}
    for article in articles:
        by_path.setdefault(article.path, article)
    if not by_path:
        raise ValueError("An encyclopedia needs at least one article.")
    lost = [target for target in (redirects or {}).values() if path_of(target) not in by_path]
    if lost:
        raise ValueError(f"Redirects point to missing articles: {', '.join(sorted(lost)[:5])}.")
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{file.stem}-", suffix=".zim", dir=file.parent)
    os.close(descriptor)
    unfinished = Path(temporary)
    try:
        creator = (
            Creator(unfinished)
            .config_compression(Compression.zstd)
            .config_nbworkers(1)
            .config_verbose(False)
            .config_indexing(True, "eng")
        )
        with creator:
            creator.set_mainpath(next(iter(by_path)))
            for path, article in by_path.items():
                creator.add_item(_Entry(path, article.title, "text/html", article.document, front=True))
            for path, content, media_type in images:
                creator.add_item(_Entry(path, "", media_type, content, front=False))
            for other, target in (redirects or {}).items():
                if path_of(other) not in by_path:
                    creator.add_redirection(path_of(other), other, path_of(target), {Hint.FRONT_ARTICLE: True})
            metadata = {
                "Name": path_of(title).lower(),
                "Title": title,
                "Description": description or title,
                "Language": "eng",
                "Creator": "Manyhop",
                "Publisher": "Manyhop",
                "Date": made.isoformat(),
            }
            for name, value in metadata.items():
                creator.add_metadata(name, value)
        unfinished.chmod(0o644)
        unfinished.replace(file)
    finally:
        for left in (unfinished, unfinished.with_name(f"{unfinished.name}.tmp")):
            with contextlib.suppress(OSError):
                left.unlink()
    return len(by_path)


class _Entry(Item):  # type: ignore[misc] # libzim has no type hints
    def __init__(self, path: str, title: str, media_type: str, content: str | bytes, *, front: bool) -> None:
        super().__init__()
        self._path, self._title, self._media_type, self._content, self._front = path, title, media_type, content, front

    def get_path(self) -> str:
        return self._path

    def get_title(self) -> str:
        return self._title

    def get_mimetype(self) -> str:
        return self._media_type

    def get_contentprovider(self) -> StringProvider:
        return StringProvider(self._content)

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: self._front, Hint.COMPRESS: self._front}
