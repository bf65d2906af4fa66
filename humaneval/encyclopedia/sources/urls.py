"""Addresses of encyclopedias, as in ``ENCYCLOPEDIA`` or in a study: reading them, and opening what they name.

``zim:/path/to/file.zim`` or ``mediawiki:https://host/w/api.php#date=2023-11-20``; options follow after ``#``, as in
``zim:/data/wikipedia.zim#images=yes&name=Wikipedia``. The server reads that file or contacts that host; who may choose
an address: `humaneval.studies.services`.
"""

import datetime
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings

from humaneval.encyclopedia.base import EncyclopediaNotConfiguredError
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.zim import ZimEncyclopedia

OPTIONS: Final = {"zim": ("name", "images"), "mediawiki": ("date", "name")}
"""The kinds of sources, and the options that each has."""
NOT_A_URL: Final = "{!r} is not a server URL. Use the form https://host/path."
NOT_CONFIGURED: Final = (
    "No encyclopedia is configured. Set ENCYCLOPEDIA to zim:/path/to/file.zim or "
    "mediawiki:https://host/w/api.php#date=2023-11-20."
)
_known: dict[tuple[object, ...], Encyclopedia] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class SourceAddress:
    """An address that an encyclopedia may have; nothing says that there is one."""

    kind: str
    location: str
    """The path of a ZIM file, or the URL of a server."""
    name: str
    images: bool
    date: datetime.date | None
    """The day whose revisions a MediaWiki shows; only that has one."""


def parse_address(address: str) -> SourceAddress:
    """Read an address, without looking at a file or contacting a server.

    Raises:
        EncyclopediaNotConfiguredError: it is none; the message says why.
    """
    kind, _, rest = address.partition(":")
    location, _, said = rest.partition("#")
    if kind not in OPTIONS or not location or not location.isprintable():
        raise EncyclopediaNotConfiguredError(
            f"{address!r} is not an encyclopedia source. Start it with one of "
            f"{', '.join(f'{name}:' for name in OPTIONS)} followed by a path or URL."
        )
    try:
        options = dict(parse_qsl(said, keep_blank_values=True, strict_parsing=bool(said)))
    except ValueError as error:
        raise EncyclopediaNotConfiguredError(f"The option after # is not of the form name=value: {said}") from error
    if unknown := sorted(set(options) - set(OPTIONS[kind])):
        allowed = ", ".join(OPTIONS[kind])
        raise EncyclopediaNotConfiguredError(
            f"Unknown options after #: {', '.join(unknown)}. Allowed options: {allowed}."
        )
    images = options.get("images", "no")
    if images not in ("yes", "no"):
        raise EncyclopediaNotConfiguredError(f"Invalid option images={images}. Use images=yes or images=no.")
    date = None
    if kind == "mediawiki":
        try:
            date = datetime.date.fromisoformat(options.get("date", ""))
        except ValueError as error:
            raise EncyclopediaNotConfiguredError(
                "Give the date of the MediaWiki revisions after #, as in #date=2023-11-20."
            ) from error
        if not _is_server(location):
            raise EncyclopediaNotConfiguredError(NOT_A_URL.format(location))
    return SourceAddress(kind, location, options.get("name", ""), images == "yes", date)


def _is_server(url: str) -> bool:
    """Whether a text is a web server's URL without a name, a password or a query."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
    return usable and not parts.query and parts.username is None


def encyclopedia_at(address: str = "") -> Encyclopedia:
    """The encyclopedia at an address, by default the site's own; the same object for the same address.

    Addresses come only from the settings or from a maintainer: they can lead to any file of this machine and to any
    host. A ZIM file that was replaced is opened again.

    Raises:
        EncyclopediaNotConfiguredError: (an `ImproperlyConfigured`) there is no address, it is wrong, or the file that
            it names is missing or not a ZIM file. Whether a server answers is known only on the first request.
    """
    address = (address or settings.ENCYCLOPEDIA).strip()
    if not address:
        raise EncyclopediaNotConfiguredError(NOT_CONFIGURED)
    source = parse_address(address)
    key: tuple[object, ...] = (address,)
    if source.kind == "zim":
        try:
            state = Path(source.location).stat()
        except OSError as error:
            raise EncyclopediaNotConfiguredError(
                f"The ZIM file of the encyclopedia was not found: {source.location} ({error.strerror})."
            ) from error
        key = (address, state.st_ino, state.st_mtime_ns, state.st_size)
    with _lock:
        encyclopedia = _known.get(key)
        if encyclopedia is None:
            encyclopedia = _open(source)
            for old in [old for old in _known if old[0] == address]:
                del _known[old]
            _known[key] = encyclopedia
    return encyclopedia


def _open(source: SourceAddress) -> Encyclopedia:
    if source.date is None:
        return ZimEncyclopedia(Path(source.location), name=source.name, images=source.images)
    # Imported here: few sites use a server, and importing httpx is slow.
    from humaneval.encyclopedia.sources.mediawiki import MediaWikiEncyclopedia

    return MediaWikiEncyclopedia(source.location, date=source.date, name=source.name)
